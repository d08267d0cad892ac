//! What is done with each of several pipelines, and how far work trees have moved.

use std::path::Path;

use super::{MadeUp, error};
use crate::model::*;
use crate::tui::msg::Reply;
use crate::tui::screens::batch::Done;

impl MadeUp {
    pub(super) fn verified(&self, id: PipelineId) -> Reply {
        let checks = self.dossier(&id).map(|dossier| {
            let mut checks = dossier.checks;
            checks.sort_by_key(|check| std::cmp::Reverse(check.verdict));
            Done::Verified(checks)
        });
        Reply::Batch(id, checks)
    }

    /// One was exported before.
    pub(super) fn exported(&self, id: PipelineId, into: &Path) -> Reply {
        let text = "The directory exists already, and an export never writes into one.";
        let taken = id.0.starts_with("mgw");
        let result = if taken {
            Err(error(text).hint("Name a new directory."))
        } else {
            self.wrote(format!("export {id}"));
            Ok(Done::Exported(Exported {
                dir: into.join(&id.0),
                files: ["show.json", "verify.json", "points.json"]
                    .map(str::to_owned)
                    .into(),
                gaps: Vec::new(),
                warnings: Vec::new(),
            }))
        };
        Reply::Batch(id, result)
    }

    pub(super) fn drift(checkpoint: &Checkpoint) -> Option<Drift> {
        match checkpoint.reason.as_str() {
            Some("pre-wave-1") => Some(Drift {
                modified: 3,
                missing: 1,
                created: 2,
                not_covered: 1,
                paths: vec![DriftPath {
                    path: "src/cache.rs".into(),
                    state: PathState::Missing,
                    blob: None,
                    forms: crate::model::Forms::default(),
                    seen: None,
                }],
            }),
            Some("pre-wave-2") => Some(Drift::default()),
            _ => None,
        }
    }
}
