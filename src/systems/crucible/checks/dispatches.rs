//! F6 to F9 and F12: what completed dispatches should have left behind, and what interrupted ones may have.

use std::collections::BTreeMap;
use std::path::PathBuf;

use chrono::{DateTime, FixedOffset, TimeDelta};

use super::{Group, dispatch_subject};
use crate::model::{Check, Verdict, short_id};
use crate::systems::crucible::facts::Run;
use crate::systems::crucible::facts::evidence;
use crate::systems::crucible::facts::roles::{Kind, kind, prescribed};
use crate::systems::crucible::facts::templates;
use crate::systems::crucible::facts::work::UnitState;
use crate::systems::crucible::shape::manifest::{Entry, LineStatus, Manifest, template};
use crate::world::World;
use crate::world::git::Commit;

/// How far a commit may lie outside its dispatch's recorded time (format note, F6).
const MARGIN: TimeDelta = TimeDelta::minutes(2);

/// A span of time.
type Span = (DateTime<FixedOffset>, DateTime<FixedOffset>);

/// The checks of all dispatches.
pub(crate) fn checks(run: &Run, world: &dyn World) -> Vec<Check> {
    let Some(manifest) = run.usable() else {
        let none = |id| {
            let text = format!(
                "{}, so no dispatch can be checked.",
                evidence::what_is_wrong(run)
            );
            Check::new(id, "dispatches", Verdict::Skipped, text)
        };
        return ["F6", "F7", "F8", "F9", "F12"].map(none).to_vec();
    };
    let mut commits = Group::new("F6");
    let mut outputs = Group::new("F7");
    let mut talks = Group::new("F8");
    let mut partial = Group::new("F9");
    let mut files = Group::new("F12");
    let mut installed = Installed {
        world,
        folders: None,
    };
    let receipts: BTreeMap<u64, &str> = run
        .documents
        .receipts
        .iter()
        .map(|r| (r.seq, r.verdict.as_str()))
        .collect();
    for (unit, entry) in run.work.standing(manifest) {
        let what = kind(manifest.role(entry));
        // One whose outcome was cut off counts as done by what came later, and must have left the same traces.
        let ended = matches!(entry.status, LineStatus::Completed | LineStatus::Dispatched);
        let done = unit.state == UnitState::Done && ended;
        match what {
            Kind::Mutating if done => commit_of(run, manifest, entry, world, &mut commits),
            Kind::Mutating if unit.state == UnitState::Open => {
                partial_commits(run, manifest, entry, world, &mut partial);
            }
            Kind::Output if done => output_of(run, manifest, entry, &receipts, &mut outputs),
            Kind::Conversation if done => talks.pass(),
            Kind::Mutating | Kind::Output | Kind::Conversation => {}
        }
        if unit.state == UnitState::Open {
            file_of(run, manifest, entry, &mut installed, &mut files);
        }
    }
    let mut all = commits.finish(
        "their commits were found.",
        "No completed dispatch changes files.",
    );
    all.extend(outputs.finish(
        "their output was found.",
        "No completed dispatch writes a report.",
    ));
    all.extend(talks.finish("no artifact expected.", "No artifact expected."));
    all.extend(partial.finish(
        "no commit of it was found.",
        "No dispatch that changes files was in flight.",
    ));
    all.extend(files.finish(
        "their dispatch files are there.",
        "Nothing is open, so no dispatch file is needed.",
    ));
    all
}

/// The time in which a completed dispatch must have committed; open-ended without a duration.
fn span(run: &Run, entry: &Entry) -> Option<(Span, bool)> {
    let start = run.start_of(entry)?.at;
    let from = start.checked_sub_signed(MARGIN)?;
    let known = entry
        .duration_s()
        .and_then(|s| TimeDelta::try_seconds(i64::try_from(s).ok()?));
    let end = match known {
        Some(duration) => start.checked_add_signed(duration)?,
        None => run.last_write.map_or(start, |at| at.fixed_offset()),
    };
    Some(((from, end.checked_add_signed(MARGIN)?), known.is_some()))
}

fn within((from, to): Span, commits: &[Commit]) -> impl Iterator<Item = &Commit> {
    // Newest first; committer times may be out of order, so every commit is looked at.
    commits
        .iter()
        .filter(move |c| from <= c.time && c.time <= to)
}

/// F6: a completed dispatch that changes files has its commit.
fn commit_of(run: &Run, manifest: &Manifest, entry: &Entry, world: &dyn World, out: &mut Group) {
    let check =
        |verdict, text: String| Check::new("F6", dispatch_subject(manifest, entry), verdict, text);
    let commits = match run.commits(world) {
        Ok(commits) => commits,
        Err(why) => return out.add(entry.seq, check(Verdict::Skipped, why.to_owned())),
    };
    let Some((span, bounded)) = span(run, entry) else {
        let why = "Its dispatch file is gone, so nobody knows when it ran.".to_owned();
        return out.add(entry.seq, check(Verdict::Skipped, why));
    };
    let mut found = within(span, commits).peekable();
    let Some(first) = found
        .peek()
        .map(|c| (c.id.clone(), c.subject.lossy().into_owned()))
    else {
        let text =
            "It is recorded as completed, and no commit of the branch lies in its time.".to_owned();
        let verdict = if bounded {
            Verdict::Fail
        } else {
            Verdict::Warn
        };
        let check = check(verdict, text);
        return out.add(
            entry.seq,
            check.remedy("Look for its work with git log --all, or resume at an earlier boundary."),
        );
    };
    let task = manifest.word(entry.task);
    let fits = |commit: &Commit| {
        prescribed(manifest.role(entry), task)
            .iter()
            .any(|p| commit.subject.lossy().starts_with(p.as_str()))
    };
    if prescribed(manifest.role(entry), task).is_empty() || found.any(fits) {
        out.pass();
        return;
    }
    let id = short_id(&first.0);
    let text = format!(
        "A commit lies in its time ({id} `{}`), but its subject is not the one prescribed.",
        first.1
    );
    out.add(
        entry.seq,
        check(Verdict::Warn, text).remedy(format!("git show {id}")),
    );
}

/// F7: a report's dispatch file or receipt is there. No source names the report itself.
fn output_of(
    run: &Run,
    manifest: &Manifest,
    entry: &Entry,
    receipts: &BTreeMap<u64, &str>,
    out: &mut Group,
) {
    let check =
        |verdict, text: &str| Check::new("F7", dispatch_subject(manifest, entry), verdict, text);
    match receipts.get(&entry.seq) {
        Some(&"PASS") => out.pass(),
        Some(_) => out.add(
            entry.seq,
            check(Verdict::Fail, "It is recorded as completed, and its receipt says otherwise.")
                .remedy("Read the receipt ledger beside the manifest, or resume at an earlier boundary."),
        ),
        None if run.dispatch_files.contains_key(&entry.seq) => out.pass(),
        // A tidy-up or a restart removes all of these files. One that is missing among others was removed by itself.
        None if run.dispatch_files.is_empty() => out.add(
            entry.seq,
            check(Verdict::Warn, "Only the manifest records it: the dispatch files were removed.")
                .remedy("A tidy-up after a success removes these files; nothing to do unless the review matters."),
        ),
        None => match repeated(run, manifest, entry, receipts) {
            Some(later) => out.add(
                entry.seq,
                check(Verdict::Warn, &format!("Its dispatch file was removed; dispatch {later} repeated the work and has its output."))
                    .remedy("Nothing to do unless the earlier review matters."),
            ),
            None => out.add(
                entry.seq,
                check(Verdict::Fail, "It is recorded as completed, and its dispatch file was removed.")
                    .remedy("Put the file back, or resume at an earlier boundary so that the review runs again."),
            ),
        },
    }
}

/// A later completed dispatch of the same phase, role and task whose output is there.
fn repeated(
    run: &Run,
    manifest: &Manifest,
    entry: &Entry,
    receipts: &BTreeMap<u64, &str>,
) -> Option<u64> {
    let there = |seq: u64| {
        run.dispatch_files.contains_key(&seq) || receipts.get(&seq).is_some_and(|v| *v == "PASS")
    };
    let later = manifest.entries.iter().filter(|other| {
        other.seq > entry.seq
            && other.status == LineStatus::Completed
            && (other.phase, other.role, other.task) == (entry.phase, entry.role, entry.task)
    });
    later.map(|other| other.seq).find(|seq| there(*seq))
}

/// F9: commits that an interrupted dispatch may have left behind.
fn partial_commits(
    run: &Run,
    manifest: &Manifest,
    entry: &Entry,
    world: &dyn World,
    out: &mut Group,
) {
    let check =
        |verdict, text: String| Check::new("F9", dispatch_subject(manifest, entry), verdict, text);
    let commits = match run.commits(world) {
        Ok(commits) => commits,
        Err(why) => return out.add(entry.seq, check(Verdict::Skipped, why.to_owned())),
    };
    let Some((span, _)) = span(run, entry) else {
        let why = "Its dispatch file is gone, so nobody knows when it ran.".to_owned();
        return out.add(entry.seq, check(Verdict::Skipped, why));
    };
    let found: Vec<String> = within(span, commits)
        .take(10)
        .map(|c| short_id(&c.id).to_owned())
        .collect();
    if found.is_empty() {
        return out.pass();
    }
    let text = format!(
        "Commits lie in the time of this interrupted dispatch: {}. A restore overwrites files that they changed; the commits stay.",
        found.join(", ")
    );
    out.add(
        entry.seq,
        check(Verdict::Warn, text).remedy(format!("git show --stat {}", found.join(" "))),
    );
}

/// F12: the dispatch file of what will be dispatched again; one that is gone may be written again where its
/// template is still installed.
fn file_of(
    run: &Run,
    manifest: &Manifest,
    entry: &Entry,
    installed: &mut Installed<'_>,
    out: &mut Group,
) {
    if run.dispatch_files.contains_key(&entry.seq) {
        return out.pass();
    }
    let (verdict, text, remedy) = match installed.find(run, manifest, entry) {
        Found::At(path) => (
            Verdict::Warn,
            format!(
                "Its dispatch file is gone; it can be written again from {} with its role, phase and task.",
                path.display()
            ),
            "Let /replay regenerate it.",
        ),
        Found::Gone(name) => (
            Verdict::Fail,
            format!("Its dispatch file is gone, and no installed template is named {name}."),
            "Use the current templates of its role, or start fresh.",
        ),
        Found::Unnamed => (
            Verdict::Fail,
            "Its dispatch file is gone, and nothing says which template it was made from.".to_owned(),
            "Use the current templates of its role, or start fresh.",
        ),
        Found::NoPlugin => (
            Verdict::Warn,
            "Its dispatch file is gone; it must be written again from its template, role, phase and task, and no installed templates were found here.".to_owned(),
            "Let /replay regenerate it; where the template is gone too, use the current templates or abort.",
        ),
    };
    let check = Check::new("F12", dispatch_subject(manifest, entry), verdict, text);
    out.add(entry.seq, check.remedy(remedy));
}

/// What became of the template of a dispatch.
enum Found {
    At(PathBuf),
    Gone(String),
    Unnamed,
    NoPlugin,
}

/// The installed templates, looked for once and only where a dispatch file is gone.
struct Installed<'a> {
    world: &'a dyn World,
    folders: Option<Vec<PathBuf>>,
}

impl Installed<'_> {
    fn find(&mut self, run: &Run, manifest: &Manifest, entry: &Entry) -> Found {
        let world = self.world;
        let folders = self
            .folders
            .get_or_insert_with(|| templates::folders(&run.skill, world));
        if folders.is_empty() {
            return Found::NoPlugin;
        }
        let line = manifest.reread(world.files()).object(entry);
        let named = line.and_then(|line| template(&line));
        let Some(name) = named.filter(|name| !name.is_empty() && name != "unknown") else {
            return Found::Unnamed;
        };
        templates::find(folders, &name, world).map_or(Found::Gone(name), Found::At)
    }
}
