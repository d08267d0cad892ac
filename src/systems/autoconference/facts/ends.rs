//! Where the records of the end of a conference disagree: an end that the log declares, end documents, open rounds.

use super::{Decision, State};
use crate::systems::autoconference::shape::Raw;
use crate::text::format::{count_of, list, plural};

/// A disagreement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EndProblem {
    /// Its kind.
    pub kind: EndKind,
    /// A clause without a period; it begins with a file name or a number.
    pub text: String,
}

/// The kinds of disagreement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndKind {
    /// Both end documents exist although a round is open.
    Early,
    /// The log says completed, and an end document is missing.
    Undocumented,
    /// The log has events of work after the end.
    Late,
}

/// The disagreements of a conference.
pub(crate) fn problems(raw: &Raw, state: &State) -> Vec<EndProblem> {
    let mut all = Vec::new();
    let mut add = |kind, text| all.push(EndProblem { kind, text });
    match &state.decision {
        Decision::Done { inferred: false } => {
            let missing = [
                ("synthesis.md", raw.synthesis),
                ("final_report.md", raw.report),
            ];
            let missing = missing.into_iter().filter(|(_, size)| *size == 0);
            let names: Vec<&str> = missing.map(|(name, _)| name).collect();
            if !names.is_empty() {
                let are = plural(names.len(), "is", "are");
                let text = format!(
                    "{} {are} missing or empty although the log says that the conference is completed",
                    list(&names)
                );
                add(EndKind::Undocumented, text);
            }
            let ended = raw
                .log
                .iter()
                .flat_map(|log| log.named("conference.completed"));
            let end = ended.map(|event| event.line).max().unwrap_or(0);
            let worked = |name: &str| name.starts_with("round.") || name.starts_with("researcher.");
            let later = raw
                .events()
                .iter()
                .filter(|e| e.line > end && worked(&e.name));
            let later = later.count();
            if later > 0 {
                let were = count_of(later, "event was", "events were");
                let text = format!("{were} logged after conference.completed (line {end})");
                add(EndKind::Late, text);
            }
        }
        Decision::Start(_) | Decision::Mid | Decision::Phase(_)
            if raw.synthesis > 0 && raw.report > 0 =>
        {
            let text = format!(
                "synthesis.md and final_report.md exist although round {} is open",
                state.round
            );
            add(EndKind::Early, text);
        }
        Decision::Done { inferred: true }
        | Decision::Failed
        | Decision::Synthesis(_)
        | Decision::NotStarted { .. }
        | Decision::Start(_)
        | Decision::Mid
        | Decision::Phase(_)
        | Decision::Sibling(_)
        | Decision::Nothing => {}
    }
    all
}
