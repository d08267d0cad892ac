//! The progress of a replay as text: a line for a step that has ended, and one for what runs now.

use crate::clean;
use crate::model::{Clean, ReplayProgress, SessionId, SessionProgress, StepProgress, StepState};
use crate::text::format::{duration, longest_unit};

/// Identifies one step of a replay.
pub(super) type Key = (SessionId, u64);

/// `1775431900-2  3/6  completed         12 s  implementer, task 4`, and what is left.
pub(super) fn ended(progress: &ReplayProgress, session: &SessionProgress, at: usize) -> Clean {
    let Some(step) = session.steps.get(at) else {
        return Clean::empty();
    };
    let attempt = match step.attempt {
        0 | 1 => String::new(),
        attempt => format!(" (attempt {attempt})"),
    };
    let why = match (&step.summary, step.state) {
        (Some(why), StepState::Error) => clean!(": {}", why),
        _ => Clean::empty(),
    };
    let time = step.duration_s.map_or_else(|| "-".to_owned(), duration);
    clean!(
        "{}  {}/{}  {}  {}  {}{}{}{}",
        session.id.0,
        at + 1,
        session.steps.len(),
        format!("{:<9}", step.state.word()),
        format!("{time:>11}"),
        step.label,
        attempt,
        why,
        left(progress)
    )
}

/// What runs now, or what is prepared.
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
        [] if made < files => {
            clean!("{}  copying files: {} of {}", session.id.0, made, files)
        }
        [] => clean!("{}{}", session.id.0, left(progress)),
        [first, rest @ ..] => {
            let more = match rest.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
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

/// The running session: the first with anything to do.
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

/// `; 17 left, about 4 min`. The estimate is the original time, scaled by how much faster or slower it went so far.
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
    let left = match guess {
        Some(seconds) if seconds > 0 => {
            let time = longest_unit(chrono::TimeDelta::seconds(seconds));
            format!("; {count} left, about {time}")
        }
        Some(_) | None => format!("; {count} left"),
    };
    Clean::new(&left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::replay::testdata::progress;

    #[test]
    fn progress_has_what_ended_what_runs_and_what_is_left() {
        use StepState::{Completed, Error, Running, Waiting};
        let begun = progress(&[(Running, None), (Running, None), (Waiting, None)]);
        assert_eq!(
            now(&begun).as_str(),
            "1775431900-2  running  4 implementer, task 1 and 1 more; 3 left"
        );
        let later = progress(&[(Completed, Some(150)), (Error, Some(1)), (Running, None)]);
        let session = &later.sessions[0];
        assert_eq!(
            ended(&later, session, 0).as_str(),
            "1775431900-2  1/3  completed   2 min 30 s  implementer, task 1; 1 left, about 75 s"
        );
        assert_eq!(
            ended(&later, session, 1).as_str(),
            "1775431900-2  2/3  error              1 s  implementer, task 2: it said so; 1 left, about 75 s"
        );
        let mut making = progress(&[(Waiting, None)]);
        making.sessions[0].tree = (3, 9);
        assert_eq!(now(&making).as_str(), "1775431900-2  copying files: 3 of 9");
        let done = progress(&[(Completed, Some(150))]);
        assert_eq!(now(&done).as_str(), "");
    }
}
