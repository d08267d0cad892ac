//! The hand-off: the command with which crucible resumes, and one line that says where. `/replay` knows only phases, so
//! the line names the wave or gate and the dispatches that run again; otherwise it would treat everything that the
//! manifest calls completed as done.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::state_block::state_block;
use super::{Redo, Stop, all_in_completion, named, redo_of};
use crate::model::{Handoff, Prospect, WorkItem};
use crate::systems::crucible::facts::{
    Rank, Run, UnitState, evidence, phase_order, reading, roles,
};
use crate::systems::crucible::shape::{Entry, Manifest};
use crate::text::Shown as _;
use crate::text::format::{list, shell_path};
use crate::world::World;

/// A step of phase 4: its name, and its roles.
type Step = (&'static str, fn(&str) -> bool);

/// The parts of a plan that the hand-off's text depends on.
pub(crate) struct Outlook<'a> {
    pub(crate) run: &'a Run,
    pub(crate) prospect: &'a Prospect<'a>,
    pub(crate) stop: Option<&'a Stop>,
    pub(crate) redo: &'a Redo,
    pub(crate) kept: BTreeSet<u64>,
    pub(crate) redone: BTreeSet<u64>,
}

/// Makes the hand-off of a plan.
pub(crate) fn handoff(run: &Run, prospect: &Prospect<'_>, world: &dyn World) -> Handoff {
    let Some((redo, stop)) = redo_of(run, prospect.point, world) else {
        return Handoff::default();
    };
    let outlook = Outlook {
        run,
        prospect,
        stop: stop.as_ref(),
        redo: &redo,
        kept: seqs(prospect.kept),
        redone: seqs(prospect.redone),
    };
    let cwd = run.work_tree().map(ToOwned::to_owned);
    let cwd = cwd.unwrap_or_else(|| fallback_cwd(run));
    let (prompt, briefing) = if prospect.point.0 == "fresh" {
        (fresh(run), fresh_briefing(run, &cwd))
    } else {
        (outlook.prompt(), outlook.briefing(&cwd, world))
    };
    Handoff::new(cwd, vec!["claude".into()], prompt, briefing)
}

fn seqs(items: &[WorkItem]) -> BTreeSet<u64> {
    let ids = items.iter().filter_map(|item| item.id.as_str());
    ids.filter_map(|id| id.parse().ok()).collect()
}

fn fallback_cwd(run: &Run) -> PathBuf {
    let manifest = run.manifest.as_ref();
    let folder = manifest.and_then(|it| it.path().parent().map(ToOwned::to_owned));
    let folder = folder.or_else(|| run.sources.scratch());
    folder
        .or_else(|| run.sources.lone_store.clone())
        .unwrap_or_default()
}

fn fresh(run: &Run) -> String {
    let (skill, session) = (&run.skill, &run.session);
    let offer = run
        .marker()
        .map(|_| " If it offers to resume that run, answer fresh.");
    let offer = offer.unwrap_or_default();
    format!("/{skill} (Start fresh: do not resume run {session}.{offer})")
}

fn fresh_briefing(run: &Run, cwd: &Path) -> String {
    let session = &run.session;
    let mut lines = vec![
        format!("Project: {}", cwd.shown()),
        format!(
            "The files and commits of run {session} are kept; starting fresh removes its marker."
        ),
    ];
    lines.extend(reading::goal(run).map(|goal| format!("Goal: {goal}")));
    ended(&lines)
}

/// The argument for `/replay`: the scratch folder, if its marker leads to exactly this manifest, else the manifest
/// itself. If there are two copies, `/replay` would use the durable one, which may be older.
fn replay_path(run: &Run, manifest: &Manifest) -> String {
    let file = manifest.path();
    let named = run.marker().filter(|marker| !marker.ancient);
    let named = named.and_then(|marker| marker.dispatch_dir.as_deref());
    let leads = named.map(|dir| Path::new(dir.trim_end_matches('/'))) == file.parent();
    let scratch = run.sources.scratch();
    let path = scratch.filter(|_| leads && run.sources.copies.is_empty());
    let path = path.unwrap_or(file).shown().to_string();
    if path.contains(char::is_whitespace) {
        format!("\"{path}\"")
    } else {
        path
    }
}

impl Outlook<'_> {
    /// The phase in which the point starts; `None` if every phase is finished.
    pub(crate) fn phase(&self) -> Option<&str> {
        let current = self.run.work.current();
        match self.stop {
            Some(_) if self.is_second_step() => Some("1"),
            Some(stop) => Some(stop.phase),
            None => current.map(|facts| facts.name.base.as_str()),
        }
    }

    /// True for the design gate of a run that had not left phase 1.
    fn is_second_step(&self) -> bool {
        let current = self.run.work.current().map(|facts| facts.name.rank);
        current == Some((1, 0)) && self.stop.is_some_and(|stop| stop.id == "phase-2")
    }

    fn prompt(&self) -> String {
        let place = self.place();
        let Some(manifest) = self.run.usable() else {
            return self.without_manifest(&place);
        };
        let path = replay_path(self.run, manifest);
        let phase = self.phase().filter(|phase| ["2", "3", "4"].contains(phase));
        let from = phase.map_or_else(String::new, |phase| format!(" --from-phase {phase}"));
        let also = |text: Option<String>| text.map_or_else(String::new, |text| format!(" {text}"));
        let outdated = also(self.outdated_gates());
        let ending = also(end_of_last_line(manifest));
        let (escalated, again) = (escalated(self.run), self.run_again());
        let unrecorded = self.unrecorded();
        let others = (!self.kept.is_empty()).then_some(" All other dispatches stay done.");
        let others = others.unwrap_or_default();
        format!(
            "/replay {path}{from} ({escalated}{place} {again}{outdated}{unrecorded}{others} Do not restore a checkpoint.{ending})"
        )
    }

    /// `/replay` stops without a manifest, so the prompt tells the build itself where to resume.
    fn without_manifest(&self, place: &str) -> String {
        let run = self.run;
        let (skill, session, log) = (&run.skill, &run.session, evidence::log_command(run));
        let (problem, escalated) = (evidence::manifest_problem(run), escalated(run));
        let before = self.finished_before();
        format!(
            "/{skill} (Resume the interrupted run {session}; do not start over, and do not use /replay. {problem}. {escalated}{place}{before} Compare the plan's tasks with the files and with {log}: run those whose work is not in the files. Do not restore a checkpoint.)"
        )
    }

    /// The earlier phases that other records show as finished.
    fn finished_before(&self) -> String {
        let rank = self.rank();
        let finished = self.run.work.phases.iter().filter(|facts| facts.finished());
        let before = finished.filter(|facts| Some(facts.name.rank) < rank);
        let names: Vec<&str> = before.map(|facts| facts.name.base.as_str()).collect();
        match names.as_slice() {
            [] => String::new(),
            [one] => format!(" Phase {one} is finished."),
            all => format!(" Phases {} are finished.", list(all)),
        }
    }

    /// The position of that phase.
    pub(crate) fn rank(&self) -> Option<Rank> {
        self.run.rank(self.phase()?)
    }

    /// Where to resume, in the orchestrator's terms: one or two sentences.
    pub(crate) fn place(&self) -> String {
        let Some(stop) = self.stop else {
            return match self.phase() {
                Some(phase) => format!("Continue phase {phase} on the current files."),
                None => {
                    "Every phase is finished: only finish the cleanup, which removes the marker."
                        .to_owned()
                }
            };
        };
        match stop.id.as_str() {
            "phase-2" if self.is_second_step() => {
                "Resume phase 1 at step 2, before the design gate: the design is approved.".to_owned()
            }
            "phase-2" => "Start at phase 2 (Plan). Repeat the design gate of phase 1 first if its acceptance tests or its edits are missing from the files.".to_owned(),
            "phase-2-gate" => "Start at the plan gate of phase 2; phase 3 begins only after it passes.".to_owned(),
            "phase-4" => "Start phase 4 (Completion) at its beginning, before the code review.".to_owned(),
            "phase-4-inquisitor" => self.within_completion("before the inquisitor", &[("the code review", roles::is_review)]),
            "phase-4-gate" => self.within_completion(
                "before the implementation gate",
                &[
                    ("the code review", roles::is_review),
                    ("the inquisitor", roles::is_inquisitor),
                ],
            ),
            _ => self.wave(stop),
        }
    }

    fn wave(&self, stop: &Stop) -> String {
        let wave = stop.wave().unwrap_or(1);
        let start = format!("Start at wave {wave} of phase 3 (Execute)");
        // A point that a person chose may be after open work, which then runs again too; and an earlier wave with an
        // outcome that is not recorded is not called done.
        let earlier_open = self.run.counted().any(|(unit, entry)| {
            (self.redone.contains(&entry.seq) || self.run.work.is_cut_off(entry.seq))
                && self.run.work.is_in(unit, stop.rank)
                && !self.redo.is_after(self.run, unit, entry)
        });
        match wave {
            _ if wave == 1 || earlier_open || self.run.usable().is_none() => format!("{start}."),
            2 => format!("{start}; wave 1 is done."),
            _ => format!("{start}; waves 1 to {} are done.", wave - 1),
        }
    }

    /// A boundary inside phase 4, and which of the steps before it stay done.
    fn within_completion(&self, at: &str, steps: &[Step]) -> String {
        let is_kept = |_, entry: &Entry| self.kept.contains(&entry.seq);
        let stays = |(_, kind): &&Step| all_in_completion(self.run, *kind, is_kept);
        let done = steps.iter().filter(stays).map(|(name, _)| *name);
        let done: Vec<&str> = done.collect();
        let done = match done.as_slice() {
            [] => String::new(),
            [one] => format!("; {one} is done"),
            all => format!("; {} are done", list(all)),
        };
        format!("Start phase 4 (Completion) {at}{done}.")
    }

    /// True if no finished work runs again: the point is where the run stopped.
    pub(crate) fn is_where_it_stopped(&self) -> bool {
        if self.run.usable().is_none() {
            return self.stop.is_none();
        }
        let again = |seq| self.redone.contains(&seq);
        let mut counted = self.run.counted();
        !counted.any(|(unit, entry)| unit.state == UnitState::Done && again(entry.seq))
    }

    /// The dispatches that run again, as ranges of numbers.
    fn run_again(&self) -> String {
        let none = || "none of the earlier dispatches".to_owned();
        format!("Run again: {}.", named(&self.redone).unwrap_or_else(none))
    }

    /// The dispatches that are kept because later records show that the run continued. Whether they did their work is
    /// for the orchestrator to find out.
    fn unrecorded(&self) -> String {
        let cut_off = self.run.work.cut_off.iter().copied();
        let kept = cut_off.filter(|seq| self.kept.contains(seq)).collect();
        named(&kept).map_or_else(String::new, |named| {
            format!(
                " The manifest does not record the outcome of {named}: check the work first, and run again what is missing."
            )
        })
    }

    /// What the gate ledger says of phases that run again.
    pub(crate) fn outdated_gates(&self) -> Option<String> {
        let from = self.stop.and_then(|_| self.rank())?;
        outdated_gates(self.run, from)
    }

    fn briefing(&self, cwd: &Path, world: &dyn World) -> String {
        let run = self.run;
        let mut lines = vec![format!("Project: {}", cwd.shown())];
        lines.extend(run.branch().map(|branch| format!("Branch: {branch}")));
        lines.push("Installed as a plugin, crucible's commands begin with /crucible: (/crucible:replay, /crucible:build).".to_owned());
        if let Some(manifest) = run.usable() {
            if run.marker().is_some() {
                lines.push("Do not take the offer of /build to resume: it chooses a boundary by itself and restores files again.".to_owned());
            }
            lines.push(format!(
                "New entries go to {}; take the highest seq plus one, and set replay_of to the number of the dispatch that runs again.",
                manifest.path().shown()
            ));
            lines.extend(end_of_last_line(manifest));
        }
        lines.push(String::new());
        lines.extend(state_block(self, world));
        ended(&lines)
    }
}

/// The order to end the last line of a manifest, to which crucible's next entry would be joined and lost with it.
/// relight never writes the file.
fn end_of_last_line(manifest: &Manifest) -> Option<String> {
    if manifest.ended {
        return None;
    }
    let command = shell_path(&manifest.path()).map(|path| format!(" (printf '\\n' >> {path})"));
    Some(format!(
        "The manifest does not end in a newline; before the first new entry, append one{}.",
        command.unwrap_or_default()
    ))
}

/// What an agent must be told where the gate ledger says that this phase or a later one passed: relight never writes the
/// ledger, and a build that believes it skips their gates.
pub(super) fn outdated_gates(run: &Run, from: Rank) -> Option<String> {
    let ledger = run.documents.ledger.iter();
    let passed = ledger.flat_map(|doc| &doc.what.phases);
    let passed = passed.filter(|phase| phase.is_passed());
    let known = passed.filter_map(|phase| phase_order::understand(&run.skill, &phase.number));
    let again = known.filter(|known| known.rank >= from);
    let names: Vec<String> = again.map(|known| known.base).collect();
    let (phase, its) = match names.as_slice() {
        [] => return None,
        [_] => ("phase", "its gate"),
        [_, _, ..] => ("phases", "their gates"),
    };
    Some(format!(
        "The gate ledger still says passed for {phase} {}, from before: run {its} again.",
        list(&names)
    ))
}

/// Why the run waits for a person, whose decision the agent must have before it runs anything.
fn escalated(run: &Run) -> String {
    reading::escalation(run).map_or_else(String::new, |escalation| {
        let words = escalation.words;
        format!("{words} Ask the user how to continue before you run anything. ")
    })
}

/// Lines as text that ends in a newline.
fn ended(lines: &[String]) -> String {
    lines.join("\n") + "\n"
}
