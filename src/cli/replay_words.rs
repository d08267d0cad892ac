//! The words for the progress of a replay: a line for a step that has ended, and one for what runs now.

use crate::clean;
use crate::model::stamp::span_words;
use crate::model::{Clean, ReplayProgress, SessionId, SessionProgress, StepProgress, StepState};

/// What tells one step from all others of a replay.
pub(super) type Key = (SessionId, u64);

/// `1775431900-2  3/6  completed    12 s  implementer, task 4`, and what is left behind it.
pub(super) fn ended(progress: &ReplayProgress, session: &SessionProgress, at: usize) -> Clean {
    let Some(step) = session.steps.get(at) else {
        return Clean::empty();
    };
    let again = match step.attempt {
        0 | 1 => Clean::empty(),
        attempt => clean!(" (attempt {})", attempt),
    };
    let why = match (&step.summary, step.state) {
        (Some(why), StepState::Error) => clean!(": {}", why),
        _ => Clean::empty(),
    };
    clean!(
        "{}  {}/{}  {}  {}  {}{}{}{}",
        session.id.0,
        at + 1,
        session.steps.len(),
        Padded(step.state.word(), 9).text(),
        Padded(&seconds(step.duration_s), -6).text(),
        step.label,
        again,
        why,
        left(progress)
    )
}

/// What runs now, or what is made ready.
pub(super) fn now(progress: &ReplayProgress) -> Clean {
    let Some(session) = current(progress) else {
        return Clean::empty();
    };
    let running: Vec<&StepProgress> = session
        .steps
        .iter()
        .filter(|step| step.state == StepState::Running)
        .collect();
    let (made, files) = session.tree;
    match running.as_slice() {
        [] if made < files => clean!(
            "{}  making its tree: {} of {} files",
            session.id.0,
            made,
            files
        ),
        [] => clean!("{}{}", session.id.0, left(progress)),
        [first, rest @ ..] => {
            let more = match rest.len() {
                0 => Clean::empty(),
                more => clean!(" and {} more", more),
            };
            clean!(
                "{}  running  {} {}{}{}",
                session.id.0,
                first.of,
                first.label,
                more,
                left(progress)
            )
        }
    }
}

/// The session that is at work: the first with anything to do.
fn current(progress: &ReplayProgress) -> Option<&SessionProgress> {
    let busy = |session: &&SessionProgress| {
        session.tree.0 < session.tree.1
            || session
                .steps
                .iter()
                .any(|step| matches!(step.state, StepState::Running | StepState::Waiting))
    };
    progress.sessions.iter().find(busy)
}

/// `; 17 left, about 4 min`. The guess is the originals' time by how much faster or slower it went so far.
fn left(progress: &ReplayProgress) -> Clean {
    let steps = || progress.sessions.iter().flat_map(|session| &session.steps);
    let open = |step: &&StepProgress| matches!(step.state, StepState::Waiting | StepState::Running);
    let count = steps().filter(open).count();
    if count == 0 {
        return Clean::empty();
    }
    let (took, original) = steps()
        .filter_map(|step| Some((step.duration_s?, step.original_s?)))
        .fold((0, 0), |sum: (u64, u64), one| {
            (sum.0 + one.0, sum.1 + one.1)
        });
    let coming: Option<u64> = steps().filter(open).map(|step| step.original_s).sum();
    let guess = coming.filter(|_| original > 0).map(|coming| {
        let seconds = u128::from(coming) * u128::from(took) / u128::from(original);
        i64::try_from(seconds).unwrap_or(i64::MAX / 2_000)
    });
    match guess {
        Some(seconds) if seconds > 0 => {
            let words = span_words(chrono::TimeDelta::seconds(seconds));
            clean!("; {} left, about {}", count, words)
        }
        Some(_) | None => clean!("; {} left", count),
    }
}

fn seconds(duration: Option<u64>) -> String {
    duration.map_or_else(
        || "-".to_owned(),
        |seconds| {
            let seconds = i64::try_from(seconds).unwrap_or(i64::MAX / 2_000);
            span_words(chrono::TimeDelta::seconds(seconds))
        },
    )
}

/// Text of our own in so many cells; on the right where the number is negative.
struct Padded<'a>(&'a str, isize);

impl Padded<'_> {
    fn text(&self) -> Clean {
        let width = self.1.unsigned_abs();
        Clean::new(&if self.1 < 0 {
            format!("{:>width$}", self.0)
        } else {
            format!("{:<width$}", self.0)
        })
    }
}
