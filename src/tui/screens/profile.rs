//! What a screen is, independent of its content.

use super::Run;
use crate::tui::commands::EVERYWHERE;
use crate::tui::prelude::*;
use crate::tui::update::close;

/// The kind of a screen or dialog, independent of its content.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Profile<'a> {
    pub(super) name: &'static str,
    pub(crate) context: Context,
    pub(super) fills: bool,
    /// True if its content is outdated after its plan was applied.
    pub(crate) ends_with_plan: bool,
    /// What its commands do.
    pub(crate) run: Run,
    /// What reads it again.
    pub(crate) reload: Follow,
    /// The request for what it shows, while that is under way.
    pub(super) awaits: Option<Ticket>,
    /// The pipeline it is about.
    pub(super) subject: Option<&'a PipelineId>,
    /// Whether the title bar names it only while no other screen covers it.
    pub(super) named_on_top: bool,
}

impl<'a> Profile<'a> {
    /// A screen, which hides everything below it: its name in the title bar, and the contexts of its keys. Those of
    /// [`EVERYWHERE`] are always active.
    pub(crate) fn screen(name: &'static str, context: Context) -> Self {
        Self {
            name,
            context,
            fills: true,
            ends_with_plan: false,
            run: close,
            reload: |_| {},
            awaits: None,
            subject: None,
            named_on_top: false,
        }
    }

    /// A dialog, on top of a screen.
    pub(crate) fn dialog(name: &'static str) -> Self {
        Self {
            fills: false,
            ..Self::screen(name, EVERYWHERE)
        }
    }

    /// The same with keys of its own.
    pub(crate) fn heard_in(self, context: Context) -> Self {
        Self { context, ..self }
    }

    /// The same with what its commands do; by default Enter closes it.
    pub(crate) fn runs(self, run: Run) -> Self {
        Self { run, ..self }
    }

    /// The same with what reads it again.
    pub(crate) fn reloads(self, reload: Follow) -> Self {
        Self { reload, ..self }
    }

    /// The same with the request for what it shows, while that is under way.
    pub(crate) fn awaits(self, awaits: Option<Ticket>) -> Self {
        Self { awaits, ..self }
    }

    /// The same with the pipeline it is about.
    pub(crate) fn about(self, id: &'a PipelineId) -> Self {
        Self {
            subject: Some(id),
            ..self
        }
    }

    /// The same for one that the title bar names only while no other screen covers it.
    pub(crate) fn named_on_top(self) -> Self {
        Self {
            named_on_top: true,
            ..self
        }
    }

    /// The same for what is outdated once its plan was applied.
    pub(crate) fn ends_with_plan(self) -> Self {
        Self {
            ends_with_plan: true,
            ..self
        }
    }
}
