//! Merges in which template and dispatch changed the same lines. They are shown, and a person settles each; one
//! is never settled silently.

use super::dispatches;
use crate::clean;
use crate::cli::answer::{Line, Span, Tone};
use crate::cli::commands::words::plural;
use crate::engine::{EngineError, ErrorKind};
use crate::model::{Clean, Foreign, Merge, MergePiece, ReplayPlan, ReplayStep, StepBody};

/// Lines of one side of a conflict before the rest is only counted.
const CAP: usize = 40;

/// Why this plan cannot be run yet, and how each conflict is settled.
pub(super) fn refusal(plan: &ReplayPlan) -> Option<EngineError> {
    let open: Vec<u64> = plan.conflicts().map(|step| step.original.seq).collect();
    let first = open.first()?;
    let verb = if open.len() == 1 { "holds" } else { "hold" };
    let text = format!(
        "{} {verb} a conflict that nobody has settled ({}): template and dispatch changed the same lines. \
         Nothing was run.",
        dispatches(open.len() as u64),
        listed(&open)
    );
    Some(
        EngineError::new(ErrorKind::Refused, text)
            .hint("--dry-run in addition shows them.")
            .hint(format!(
                "--settle {first}=replacement takes the replacement's lines, --settle {first}=original the \
                 dispatch's, --settle {first}=FILE a text that you edited."
            ))
            .hint("--settle replacement, without a number, settles all that are not named."),
    )
}

/// Numbers, the first few of many.
fn listed(numbers: &[u64]) -> String {
    let shown: Vec<String> = numbers.iter().take(8).map(u64::to_string).collect();
    let more = match numbers.len().saturating_sub(8) {
        0 => String::new(),
        more => format!(", +{more} more"),
    };
    format!("{}{more}", shown.join(", "))
}

/// Every open conflict as a block of the three texts, and what to type about it.
pub(super) fn lines(plan: &ReplayPlan) -> Vec<Line> {
    let block = |step: &ReplayStep| match &step.body {
        StepBody::Conflict(merge) => block(step, merge),
        StepBody::Ready(_) => Vec::new(),
    };
    plan.conflicts().flat_map(block).collect()
}

fn block(step: &ReplayStep, merge: &Merge) -> Vec<Line> {
    let seq = step.original.seq;
    let mut lines = vec![
        vec![],
        vec![Span(
            Tone::Strong,
            clean!("### Dispatch {}: {}", seq, step.original.file),
        )],
        vec![],
        plain("```"),
    ];
    for piece in &merge.pieces {
        match piece {
            MergePiece::SettledBy(bytes) => {
                let count = Foreign::from(bytes.clone()).lines().count() as u64;
                let text = clean!("@@ {} without a conflict @@", plural(count, "line"));
                lines.push(vec![Span(Tone::Faint, text)]);
            }
            MergePiece::Conflict {
                template,
                dispatch,
                replacement,
            } => {
                for (mark, side, tone) in [
                    ("<<<<<<< original dispatch", dispatch, Tone::Bad),
                    ("||||||| template", template, Tone::Faint),
                    ("======= replacement", replacement, Tone::Good),
                ] {
                    lines.push(plain(mark));
                    lines.extend(side_lines(side, tone));
                }
                lines.push(plain(">>>>>>>"));
            }
        }
    }
    lines.push(plain("```"));
    lines.push(vec![]);
    for (how, what) in [
        ("replacement", "takes the replacement's lines"),
        ("original", "keeps the dispatch's lines"),
        ("FILE", "takes a whole dispatch text that you edited"),
    ] {
        lines.push(vec![
            Span::plain(Clean::new("- ")),
            Span(Tone::Strong, clean!("--settle {}={}", seq, how)),
            Span::plain(clean!(" {}", what)),
        ]);
    }
    lines
}

fn side_lines(bytes: &[u8], tone: Tone) -> Vec<Line> {
    let all: Vec<Foreign> = Foreign::from(bytes.to_vec()).lines().collect();
    let mut lines: Vec<Line> = all
        .iter()
        .take(CAP)
        .map(|line| vec![Span(tone, line.clean())])
        .collect();
    if all.len() > CAP {
        let text = clean!("(+{} more)", all.len() - CAP);
        lines.push(vec![Span(Tone::Faint, text)]);
    }
    lines
}

fn plain(text: &str) -> Line {
    vec![Span::plain(Clean::new(text))]
}
