//! The progress of a replay as text: a line for each finished step, and one for the running steps.

use crate::clean;
use crate::model::{
    Clean, DispatchCounts, ReplayProgress, SessionId, SessionProgress, SessionState, StepProgress,
    StepState,
};
use crate::text::format::{clean_list, count, duration, longest_unit};

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
        format!("{:<9}", step.state.title()),
        format!("{time:>11}"),
        step.label,
        attempt,
        why,
        left(progress)
    )
}

/// `1775431900-2  done         11 done  12 s; 17 runs left`: one run of several.
pub(super) fn run_ended(progress: &ReplayProgress, session: &SessionProgress) -> Clean {
    let number = |wanted: &[StepState]| {
        let steps = session.steps.iter();
        steps.filter(|step| wanted.contains(&step.state)).count() as u64
    };
    // As the table of the outcome counts them: what was stopped is left.
    let counts = DispatchCounts {
        done: number(&[StepState::Completed]),
        failed: number(&[StepState::Failed]),
        error: number(&[StepState::Error]),
        left: number(&[StepState::Cancelled, StepState::Waiting]),
        unknown: 0,
    };
    let seconds = session.steps.iter().filter_map(|step| step.duration_s);
    let state = session.state.map_or("", SessionState::title);
    clean!(
        "{}  {}  {}  {}{}",
        session.id.0,
        format!("{state:<11}"),
        counts.words(),
        duration(seconds.sum()),
        runs_left(progress)
    )
}

/// `; 17 runs left`.
fn runs_left(progress: &ReplayProgress) -> Clean {
    let open =
        |session: &&SessionProgress| matches!(session.state, None | Some(SessionState::Running));
    match progress.sessions.iter().filter(open).count() {
        0 => Clean::empty(),
        runs => clean!("; {} left", count(runs, "run")),
    }
}

/// What is running now, or being prepared.
pub(super) fn now(progress: &ReplayProgress) -> Clean {
    let Some(session) = current(progress) else {
        let mut sessions = progress.sessions.iter();
        let waiting = sessions.find_map(|one| Some((one, one.waiting.as_ref()?)));
        return waiting.map_or_else(Clean::empty, |(one, what)| clean!("{}  {}", one.id.0, what));
    };
    let running = |step: &&StepProgress| step.state == StepState::Running;
    let running: Vec<&StepProgress> = session.steps.iter().filter(running).collect();
    let (made, files) = session.tree;
    match running.as_slice() {
        [] if made < files => clean!("{}  copying files: {} of {}", session.id.0, made, files),
        [] => clean!("{}{}", session.id.0, rest_of(progress)),
        running => {
            let names = running.iter();
            let names = names.map(|step| clean!("{} {}", step.of, step.label));
            let first = clean_list(&names.collect::<Vec<_>>(), 1);
            clean!("{}  running  {}{}", session.id.0, first, rest_of(progress))
        }
    }
}

/// What is left, in dispatches of the only run or in runs.
fn rest_of(progress: &ReplayProgress) -> Clean {
    match progress.sessions.len() {
        0 | 1 => left(progress),
        _ => runs_left(progress),
    }
}

/// The running session: the first with anything to do.
fn current(progress: &ReplayProgress) -> Option<&SessionProgress> {
    let busy = |session: &&SessionProgress| {
        session.tree.0 < session.tree.1 || session.steps.iter().any(is_open)
    };
    progress.sessions.iter().find(busy)
}

fn is_open(step: &StepProgress) -> bool {
    matches!(step.state, StepState::Waiting | StepState::Running)
}

/// `; 17 left, about 4 min`. The estimate is the original time, scaled by how much faster or slower it went so far.
fn left(progress: &ReplayProgress) -> Clean {
    let steps = || progress.sessions.iter().flat_map(|session| &session.steps);
    let open = || steps().filter(|step| is_open(step));
    let count = open().count();
    if count == 0 {
        return Clean::empty();
    }
    let timed = steps().filter_map(|step| Some((step.duration_s?, step.original_s?)));
    let (took, original): (Vec<u64>, Vec<u64>) = timed.unzip();
    let (took, original): (u64, u64) = (took.iter().sum(), original.iter().sum());
    let coming: Option<u64> = open().map(|step| step.original_s).sum();
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

    #[test]
    fn of_several_runs_each_has_a_line() {
        use StepState::{Completed, Error};
        let mut all = progress(&[(Completed, Some(150)), (Error, Some(1))]);
        all.sessions[0].state = Some(SessionState::Done);
        let mut next = all.sessions[0].clone();
        next.state = None;
        next.steps.clear();
        all.sessions.extend([next.clone(), next]);
        assert_eq!(
            run_ended(&all, &all.sessions[0]).as_str(),
            "1775431900-2  done         1 done, 1 error  2 min 31 s; 2 runs left"
        );
    }
}
