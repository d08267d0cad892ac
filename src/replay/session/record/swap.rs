//! Templates that are swapped, the runner, the hand-off and the metrics, as a record has them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use super::recorded::{Recorded, recorded};
use crate::model::{Foreign, Handoff, Mutation, OwnMetric, Runner, TemplateSwap};

recorded! {
    /// Which template is swapped for which.
    struct RecordMutation of Mutation {
        original: Foreign,
        replacement: PathBuf,
    }
}

recorded! {
    /// A template that is swapped.
    struct RecordSwap of TemplateSwap {
        #[serde(flatten)]
        mutation: Mutation,
        template: Option<Vec<u8>>,
        template_from: Foreign,
        #[serde(rename = "replacement_text")]
        replacement: Vec<u8>,
        dispatches: usize,
    }
}

recorded! {
    /// The runner.
    struct RecordRunner of Runner {
        name: Foreign,
        argv: Vec<OsString>,
        timeout_s: u64,
        retries: u32,
        #[serde(default)]
        models: BTreeMap<String, String>,
    }
}

recorded! {
    /// The hand-off.
    struct RecordHandoff of Handoff {
        cwd: PathBuf,
        argv: Vec<Foreign>,
        prompt: Foreign,
        briefing: Foreign,
    } with {
        briefing_file: None,
    }
}

recorded! {
    /// A metric of a person's own.
    struct RecordMetric of OwnMetric {
        name: String,
        command: Vec<String>,
        lower_is_better: bool,
        margin: Option<f64>,
        #[serde(default)]
        primary: bool,
    }
}
