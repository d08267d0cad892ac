//! Two runs side by side: the verdict, the metrics, the dispatches, the files.

mod about;
mod files;
mod metrics;
mod state;
mod strip;
mod update;
mod view;
mod work;

use chrono::{DateTime, FixedOffset};
use ratatui::layout::Rect;

pub(crate) use state::{ComparisonScreen, Only, Tab};
pub(crate) use strip::strip;
pub(crate) use update::{of_paths, of_swap, open, request, take};
pub(crate) use view::verdict_look;

use super::{Follow, Position, Profile, Run, Screen};
use crate::model::{Clean, Foreign, Origin, PipelineId, RunTree, Work};
use crate::tui::command_lines;
use crate::tui::commands::{Cmd, Context};
use crate::tui::geometry::ListId;
use crate::tui::state::State;
use crate::tui::update::copying::{UNSAFE, true_text};
use crate::tui::view::Canvas;

impl ComparisonScreen {
    /// The file that is selected among those that differ.
    fn file(&self) -> Option<&Foreign> {
        let artifacts = self.comparison.ready()?.artifacts.as_ref()?;
        let place = (self.tab == Tab::Files).then(|| self.place(Tab::Files))?;
        artifacts.files.get(place).map(|file| &file.path)
    }
}

/// What is unknown.
const UNKNOWN: &str = "n/a";

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Comparison");

impl Screen for ComparisonScreen {
    fn profile(&self) -> Profile {
        Profile::screen("comparison", CONTEXT)
    }

    fn list(&self) -> ListId {
        self.tab.list()
    }

    fn focus(&mut self, list: ListId) {
        self.tab = Tab::of(list).unwrap_or(self.tab);
    }

    fn lists(&self) -> Vec<ListId> {
        Tab::ALL.map(Tab::list).to_vec()
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn subject(&self, _: &State) -> Option<PipelineId> {
        Some(self.id.clone())
    }

    fn is_waiting(&self, _: DateTime<FixedOffset>) -> bool {
        self.ticket.is_some()
    }

    fn run(&self) -> Run {
        update::run
    }

    fn offers(&self, _: &State, cmd: Cmd) -> bool {
        let Some(ready) = self.comparison.ready() else {
            return matches!(cmd, Cmd::Help | Cmd::Quit);
        };
        match cmd {
            Cmd::Blocks | Cmd::Evidence => ready.statistics.is_some(),
            Cmd::RunA => ready.a.runs.len() > 1,
            Cmd::RunB => ready.b.runs.len() > 1,
            Cmd::TemplateDiff => !ready.templates.is_empty(),
            Cmd::Divergence => ready.divergence.is_some(),
            Cmd::Only | Cmd::DispatchDiff | Cmd::OutputDiff => !ready.pairs.is_empty(),
            _ => true,
        }
    }

    fn position(&self, _: &State) -> Position {
        let (at, of) = (self.place(self.tab), self.rows(self.tab));
        match self.tab {
            Tab::About => Position::Text(at),
            _ if at < of => Position::Row { at, of },
            _ => Position::Fixed,
        }
    }

    fn go(&mut self, to: usize, _: &mut State) {
        self.select(self.tab, to);
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        if let Some(path) = self.file() {
            return true_text(path);
        }
        let (a, b) = self.names();
        command_lines::comparing(&self.id, a.as_deref(), b.as_deref()).ok_or(UNSAFE)
    }

    /// The output of the selected pair, of B where it has one; or the selected file of B.
    fn origin(&self, _: &State) -> Option<Origin> {
        let ready = self.comparison.ready()?;
        if let Some(path) = self.file() {
            let run = ready.b.runs.get(self.runs.1)?;
            let folder = match &run.tree {
                RunTree::WorkTree(folder) | RunTree::Folder(folder) => folder,
                RunTree::None | RunTree::Commit { .. } | RunTree::Files(_) => return None,
            };
            return Some(Origin::file(folder.join(path.as_str()?)));
        }
        let pair = ready.pairs.get(self.pair()?)?;
        let of = |works: &[Option<Work>], run: usize| {
            let work = works.get(run)?.as_ref()?;
            work.output.clone().or_else(|| work.dispatch.clone())
        };
        let found = of(&pair.b, self.runs.1).or_else(|| of(&pair.a, self.runs.0));
        found.map(Origin::file)
    }

    fn reload(&self) -> Follow {
        request
    }
}
