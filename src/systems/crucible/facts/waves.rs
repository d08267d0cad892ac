//! The waves of phase 3. A manifest does not record them. They are inferred from the times of the checkpoints before
//! each wave, else from the decisions log, which lists the tasks of each wave.

use std::collections::BTreeMap;

use super::Run;
use super::marks::Marks;
use super::phase_order::Rank;
use super::work::Unit;
use crate::model::{Place, Stamp};
use crate::systems::crucible::shape::Entry;
use crate::world::World;

/// How many tasks one range such as `3-5` may have.
const RANGE: u64 = 1_000;
/// Higher waves are ignored, because every wave becomes a boundary.
const HIGHEST: u64 = 200;
/// The phase that has waves.
const EXECUTE: Rank = (3, 0);

/// The wave of each task, as the orchestrator decided it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Grouping(BTreeMap<u64, u64>);

impl Grouping {
    /// Reads the decisions log of a session from the temporary directories; other users' logs are ignored.
    pub(crate) fn read(session: &str, world: &dyn World) -> Self {
        let name = format!("crucible-decisions-{session}.log");
        let mut all = Self::default();
        for root in &world.places().temp {
            if let Ok(place) = Place::known(root, &name)
                && let Ok(stat) = world.files().stat(&place)
                && stat.uid == world.places().uid
                && let Ok(bytes) = world.files().whole(&place)
            {
                all.add(&String::from_utf8_lossy(&bytes));
            }
        }
        all
    }

    /// Adds a log; a later decision on a task wins.
    fn add(&mut self, log: &str) {
        for line in log.lines() {
            let Some((_, decision)) = line.split_once("DECISION:") else {
                continue;
            };
            let mut fields = decision.split('|').map(str::trim);
            if fields.next() != Some("task-grouping") {
                continue;
            }
            let choice = fields.find_map(|field| field.strip_prefix("choice="));
            for (wave, tasks) in groups(choice.unwrap_or_default()) {
                self.0.extend(tasks.into_iter().map(|task| (task, wave)));
            }
        }
    }

    /// The wave of a task.
    fn of_task(&self, task: Option<&str>) -> Option<u64> {
        self.0.get(&task?.trim().parse().ok()?).copied()
    }

    /// The waves that occur.
    pub(crate) fn waves(&self) -> impl Iterator<Item = u64> {
        self.0.values().copied()
    }
}

/// The waves in a free text with the tasks after each: `wave 1: tasks 1, 2; wave 2: task 3`. If the word task occurs,
/// only the numbers after it count, so that a count of tasks is not read as a task.
fn groups(text: &str) -> Vec<(u64, Vec<u64>)> {
    let text = text.to_lowercase();
    let parts = text.split("wave").skip(1);
    parts
        .filter_map(|part| {
            let part = part.trim_start_matches([' ', '-', '_', '#']);
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            let (wave, rest) = part.split_at_checked(digits)?;
            let wave = wave.parse().ok();
            let wave = wave.filter(|wave| (1..=HIGHEST).contains(wave))?;
            let after = |word: &str| {
                let (_, after) = rest.split_once(word)?;
                Some(after).filter(|it| it.contains(|c: char| c.is_ascii_digit()))
            };
            let named = after("tasks").or_else(|| after("task")).unwrap_or(rest);
            Some((wave, numbers(named)))
        })
        .collect()
}

/// The numbers in a text; `3-5` counts as three.
fn numbers(text: &str) -> Vec<u64> {
    let text = text.replace(['–', '—'], "-");
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.');
    let mut all = Vec::new();
    for word in words {
        let word = word.trim_start_matches(['t', '-']);
        let word = word.trim_end_matches(['-', '.']);
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let last = last.trim_start_matches('t');
        if let (Ok(first), Ok(last)) = (first.parse::<u64>(), last.parse::<u64>())
            && last.checked_sub(first).is_some_and(|span| span < RANGE)
        {
            all.extend(first..=last);
        }
    }
    all
}

/// The wave of a dispatch, by its start time, else by its task.
pub(crate) fn of_dispatch(
    run: &Run,
    marks: &Marks,
    phase: Rank,
    task: Option<&str>,
    began: Option<Stamp>,
) -> Option<u64> {
    // Other skills have no waves.
    if !run.is_build() || phase != EXECUTE {
        return None;
    }
    let at = |began| match marks.waves().rfind(|(at, _)| *at <= began) {
        Some((_, wave)) => Some(wave),
        // No file changed before the first wave, so no checkpoint was taken for it.
        None => marks
            .waves()
            .next()
            .filter(|(_, wave)| *wave == 2)
            .map(|_| 1),
    };
    began.and_then(at).or_else(|| run.grouping.of_task(task))
}

/// The wave of an entry of a run.
pub(crate) fn of_entry(run: &Run, unit: Unit, entry: &Entry) -> Option<u64> {
    let task = run.manifest.as_deref().and_then(|m| m.word(entry.task));
    let (marks, phase) = (Marks::of(run), run.rank_of(unit)?);
    of_dispatch(run, &marks, phase, task, run.start_of(entry))
}

/// The wave of a phase 3 entry according to the decisions log, whatever its start time.
pub(crate) fn planned(run: &Run, unit: Unit, entry: &Entry) -> Option<u64> {
    let task = run.manifest.as_deref()?.word(entry.task);
    let wave = run.grouping.of_task(task);
    wave.filter(|_| run.rank_of(unit) == Some(EXECUTE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_decisions_log_names_the_tasks_of_each_wave() {
        let table: &[(&str, &[(u64, u64)])] = &[
            (
                "choice=Wave 1: tasks 1, 2; Wave 2: task 3",
                &[(1, 1), (2, 1), (3, 2)],
            ),
            ("choice=wave-2=[4,5] wave-3=[6]", &[(4, 2), (5, 2), (6, 3)]),
            (
                "choice=wave 1: 3 tasks (T1-T3), wave 2: 1 task (T4)",
                &[(1, 1), (2, 1), (3, 1), (4, 2)],
            ),
            ("choice=wave 1: Tasks 1–3", &[(1, 1), (2, 1), (3, 1)]),
            ("choice=Wave 4: 7 and 8", &[(7, 4), (8, 4)]),
            ("choice=two waves | reason=wave 1: tasks 1", &[]),
            ("choice=wave 0: task 1", &[]),
            ("choice=wave 201: task 1", &[]),
            ("choice=wave 1: tasks 1-99999999", &[]),
            ("reason=fast", &[]),
        ];
        for (text, want) in table {
            let mut all = Grouping::default();
            all.add(&format!(
                "[x] DECISION: task-grouping | {text} | alternatives=none\n"
            ));
            let got: Vec<(u64, u64)> = all.0.into_iter().collect();
            assert_eq!(got, *want, "{text}");
        }
    }

    #[test]
    fn a_later_decision_wins_and_others_are_ignored() {
        let mut all = Grouping::default();
        all.add(
            "[1] DECISION: task-grouping | choice=wave 1: tasks 1, 2\nwave 9: task 1\n[2] DECISION: gate-round | choice=wave 3: task 1\n[3] DECISION: task-grouping | choice=wave 2: task 2",
        );
        assert_eq!(all.0.into_iter().collect::<Vec<_>>(), [(1, 1), (2, 2)]);
    }
}
