//! The synthetic machine as a picture may show it.

use crate::tui::msg::Reply;

/// An answer without what is hostile or wide.
pub(super) fn tamed(mut reply: Reply) -> Reply {
    fn is_tame(what: &impl std::fmt::Debug) -> bool {
        let text = format!("{what:?}");
        text.is_ascii() && !text.contains("\\u{") && !text.contains("\\x")
    }
    match &mut reply {
        Reply::Survey(Ok(survey)) => survey
            .pipelines
            .retain(|pipeline| is_tame(&pipeline.reading.title)),
        Reply::Plan(Ok(made)) => {
            for action in &mut made.plan.actions {
                action.paths.retain(is_tame);
                action.changes = None;
            }
        }
        Reply::Compared(Ok(comparison)) => {
            comparison.pairs.retain(is_tame);
            comparison.confounders.retain(is_tame);
        }
        _ => {}
    }
    reply
}
