//! Which dispatches of a replay may run at the same time. A run's waves are kept; where they are not known, what
//! overlapped in time did not depend on each other.

use chrono::{DateTime, FixedOffset, TimeDelta};

use crate::model::Dispatch;

/// The wave of each dispatch, in order, rising from 0.
pub(super) fn waves(dispatches: &[&Dispatch]) -> Vec<usize> {
    let mut numbers: Vec<usize> = Vec::with_capacity(dispatches.len());
    let mut together: Vec<&Dispatch> = Vec::new();
    let mut wave = 0;
    for dispatch in dispatches {
        if !together.is_empty() && !together.iter().all(|one| beside(one, dispatch)) {
            wave += 1;
            together.clear();
        }
        together.push(dispatch);
        numbers.push(wave);
    }
    numbers
}

/// Whether two dispatches, the second later in the manifest, may run at the same time.
fn beside(one: &Dispatch, next: &Dispatch) -> bool {
    if one.phase != next.phase {
        return false;
    }
    match (one.wave, next.wave) {
        // A task's review follows its implementation within a wave; other tasks are independent there.
        (Some(a), Some(b)) if a == b => match (&one.task, &next.task) {
            (Some(a), Some(b)) => a != b || overlaps(one, next),
            _ => !follows(one, next),
        },
        (None, None) => overlaps(one, next),
        _ => false,
    }
}

/// When the first began and ended, and when the second began.
fn times(one: &Dispatch, next: &Dispatch) -> Option<[DateTime<FixedOffset>; 3]> {
    let begun = one.begun_at?.at;
    let lasted = i64::try_from(one.duration_s?).ok()?;
    let end = begun.checked_add_signed(TimeDelta::try_seconds(lasted)?)?;
    Some([begun, end, next.begun_at?.at])
}

/// Whether both are known to have run at the same time.
fn overlaps(one: &Dispatch, next: &Dispatch) -> bool {
    let began_within =
        |a, b| times(a, b).is_some_and(|[start, end, begun]| start <= begun && begun < end);
    began_within(one, next) || began_within(next, one)
}

/// Whether the second is known to have begun after the first had ended.
fn follows(one: &Dispatch, next: &Dispatch) -> bool {
    times(one, next).is_some_and(|[_, end, begun]| begun >= end)
}
