//! Templates that are swapped, the runner and the hand-off, as a record has them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::text::Text;
use super::words;
use crate::model::{Handoff, Mutation, Runner, TemplateSwap};

/// A template that is swapped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordSwap {
    original: Text,
    replacement: Text,
    template: Option<Text>,
    template_from: Text,
    replacement_text: Text,
    dispatches: usize,
}

impl RecordSwap {
    pub(super) fn of(swap: &TemplateSwap) -> Self {
        Self {
            original: Text::from(&swap.mutation.original),
            replacement: Text::from(swap.mutation.replacement.as_path()),
            template: swap.template.as_deref().map(Text::from),
            template_from: Text::from(&swap.template_from),
            replacement_text: Text::from(swap.replacement.as_slice()),
            dispatches: swap.dispatches,
        }
    }

    pub(super) fn mutation(&self) -> Mutation {
        Mutation {
            original: self.original.foreign(),
            replacement: self.replacement.path(),
        }
    }

    pub(super) fn swap(&self) -> TemplateSwap {
        TemplateSwap {
            mutation: self.mutation(),
            template: self.template.as_ref().map(|text| text.bytes().to_vec()),
            template_from: self.template_from.foreign(),
            replacement: self.replacement_text.bytes().to_vec(),
            dispatches: self.dispatches,
        }
    }
}

/// The runner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordRunner {
    name: Text,
    argv: Vec<Text>,
    timeout_s: u64,
    retries: u32,
    #[serde(default)]
    models: BTreeMap<String, String>,
}

impl RecordRunner {
    pub(super) fn of(runner: &Runner) -> Self {
        Self {
            name: Text::from(&runner.name),
            argv: runner
                .argv
                .iter()
                .map(|word| Text::from(word.as_os_str()))
                .collect(),
            timeout_s: runner.timeout_s,
            retries: runner.retries,
            models: runner.models.clone(),
        }
    }

    pub(super) fn runner(&self) -> Runner {
        Runner {
            name: self.name.foreign(),
            argv: words(&self.argv),
            timeout_s: self.timeout_s,
            retries: self.retries,
            models: self.models.clone(),
        }
    }
}

/// The hand-off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordHandoff {
    cwd: Text,
    argv: Vec<Text>,
    prompt: Text,
    briefing: Text,
}

impl RecordHandoff {
    pub(super) fn of(handoff: &Handoff) -> Self {
        Self {
            cwd: Text::from(handoff.cwd.as_path()),
            argv: handoff.argv.iter().map(Text::from).collect(),
            prompt: Text::from(&handoff.prompt),
            briefing: Text::from(&handoff.briefing),
        }
    }

    pub(super) fn handoff(&self) -> Handoff {
        Handoff {
            cwd: self.cwd.path(),
            argv: self.argv.iter().map(Text::foreign).collect(),
            prompt: self.prompt.foreign(),
            briefing: self.briefing.foreign(),
            briefing_file: None,
        }
    }
}
