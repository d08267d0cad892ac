//! Which commit of the branch is the start of a step.
//!
//! What the records name decides: commits by their ids, documents by the commit that introduced them, both in the order
//! of parents. Only where they name none do times decide, and only if author and committer times agree and the whole
//! branch is in their order: a rebase, an amendment or a clock that was set back leaves times that prove nothing.

use chrono::{DateTime, Utc};

use crate::model::Foreign;
use crate::systems::mgw::facts::COMMITS;
use crate::systems::mgw::facts::evidence::{Docs, lost};
use crate::systems::mgw::points::Scene;
use crate::systems::mgw::shape::Step;
use crate::text::format::short_id;
use crate::world::git::Commit;

/// The commit at the start of a step.
pub(crate) struct Start {
    /// Full id.
    pub(crate) commit: String,
    /// How many commits of the branch came after it.
    pub(crate) later: usize,
    /// Subject of the newest of them.
    pub(crate) newest: Option<Foreign>,
    /// True if the records name no commit and the times decided.
    pub(crate) by_time: bool,
}

/// Why there is no start.
pub(crate) enum NoStart {
    /// Nothing says where the step began.
    Unrecorded(&'static str),
    /// What is known fits several commits, or contradicts itself.
    Unclear(String),
}

/// The start of a step. The plan of a later phase started at the end of the phase before it; the first one, at the
/// start of the branch.
pub(crate) fn of(scene: &Scene<'_>, step: Step) -> Result<Start, NoStart> {
    let (branch, git) = (&scene.facts.branch, scene.world.git());
    let (tip, base) = (branch.tip.as_deref(), branch.base.as_deref());
    let tip = tip.ok_or(NoStart::Unrecorded("there is no branch"))?;
    let base = base.ok_or(NoStart::Unrecorded("the start of the branch is unknown"))?;
    let log = git.log(&scene.facts.root, tip, Some(base), COMMITS);
    let unread = NoStart::Unrecorded("the commits of the branch cannot be read");
    let log = log.map_err(|_unread| unread)?;
    if log.len() >= COMMITS {
        let why = "the branch has too many commits to find the right one";
        return Err(NoStart::Unrecorded(why));
    }
    let chain = Chain::of(scene, &log, tip);
    let first = scene.history.finished.is_empty() || step == Step::Triage;
    let (at, by_time) = if step <= Step::Plan && first {
        (chain.commits.len(), false)
    } else {
        chain.start(step)?
    };
    let start = chain.commits.get(at).map(|commit| commit.id.as_str());
    Ok(Start {
        commit: start.unwrap_or(base).to_owned(),
        later: log.len() - start.map_or(0, |start| ancestry(&log, start)),
        newest: chain.commits.first().map(|commit| commit.subject.clone()),
        by_time,
    })
}

/// How many commits of a log a commit contains, itself included.
fn ancestry(log: &[Commit], commit: &str) -> usize {
    let mut ids = vec![commit];
    let mut at = 0;
    while let Some(id) = ids.get(at) {
        let commit = log.iter().find(|commit| commit.id == *id);
        let parents = commit.into_iter().flat_map(|commit| &commit.parents);
        for parent in parents.map(String::as_str) {
            if !ids.contains(&parent) && log.iter().any(|commit| commit.id == parent) {
                ids.push(parent);
            }
        }
        at += 1;
    }
    ids.len()
}

/// The branch's own commits by first parents, newest first. An index is a place in it; its length, the start of the
/// branch. A log is in the order of times, so it does not serve.
struct Chain<'a> {
    scene: &'a Scene<'a>,
    commits: Vec<&'a Commit>,
}

impl<'a> Chain<'a> {
    fn of(scene: &'a Scene<'a>, log: &'a [Commit], tip: &str) -> Self {
        let find = |id: &str| log.iter().find(|commit| commit.id == id);
        let next = |commit: &&Commit| commit.parents.first().and_then(|parent| find(parent));
        let commits = std::iter::successors(find(tip), next).collect();
        Self { scene, commits }
    }

    /// The index of the start, and whether times decided.
    fn start(&self, step: Step) -> Result<(usize, bool), NoStart> {
        let known = self.known(step)?;
        let at = match (known.ended, known.begun) {
            (Some(ended), Some(begun)) if ended > begun => {
                let (ended, begun, step) = (self.name(ended), self.name(begun), step.word());
                return Err(NoStart::Unclear(format!(
                    "{ended} ends the steps before {step}, and {begun} is before its first commit: both fit"
                )));
            }
            (Some(at), _) | (None, Some(at)) => (at, false),
            (None, None) => {
                // The end of the plan says nothing about a start after execution.
                let late = step > Step::Execute;
                let executed = [Step::Execute, Step::Verify].into_iter();
                let mut executed = executed.filter(|other| *other < step);
                if late && executed.all(|other| self.scene.history.past(other).is_empty()) {
                    return Err(NoStart::Unrecorded("the end of execute is not on record"));
                }
                let (history, zone) = (&self.scene.history, self.scene.world.clock());
                let ended = history.ended_before(step, zone);
                let ended = ended.ok_or(NoStart::Unrecorded("no step before it is on record"))?;
                (self.by_time(ended.at.to_utc())?, true)
            }
        };
        let contradicts = known.begun.is_some_and(|begun| at.0 < begun)
            || known.within.is_some_and(|within| at.0 <= within);
        if contradicts {
            let (commit, step) = (self.name(at.0), step.word());
            return Err(NoStart::Unclear(format!(
                "{commit} seems to end the steps before {step}, and already contains work of that step"
            )));
        }
        Ok(at)
    }

    fn name(&self, at: usize) -> String {
        match self.commits.get(at) {
            Some(commit) => format!("commit {}", short_id(&commit.id)),
            None => "the start of the branch".to_owned(),
        }
    }

    /// What the records say about the branch at the start of a step.
    fn known(&self, step: Step) -> Result<Known, NoStart> {
        let mut known = Known::default();
        let (before, from) = self.documents(step);
        known.within = from.into_iter().max();
        // A plan is often committed with its results, and then says nothing about its own end.
        let limit = known.within;
        let before = before.into_iter().filter(|at| Some(*at) > limit);
        known.ended = before.min();
        let ids = self.named()?;
        let Some((newest, oldest)) = ids.iter().min().zip(ids.iter().max()) else {
            return Ok(known);
        };
        let history = &self.scene.history;
        let of_this_phase = history.finished.is_empty() || !history.past(Step::Execute).is_empty();
        if !of_this_phase || step > Step::Execute {
            known.ended = Some(known.ended.map_or(*newest, |at| at.min(*newest)));
        } else if step == Step::Execute {
            known.begun = Some(oldest + 1);
        } else {
            known.within = known.within.max(Some(*oldest));
        }
        Ok(known)
    }

    /// The commits that introduced documents of the steps before one, and of the others.
    fn documents(&self, step: Step) -> (Vec<usize>, Vec<usize>) {
        let scene = self.scene;
        let evidence = &scene.facts.evidence;
        let (mut before, mut from) = (Vec::new(), Vec::new());
        let mut add = |docs: &Docs, ended: bool| {
            for doc in docs.all() {
                let of = doc.step;
                // Execute commits after the plan's document: that document is not the end of both.
                if !ended && of < Step::Execute && step > Step::Execute {
                    continue;
                }
                let done = ended || of < step;
                let side = if done { &mut before } else { &mut from };
                side.extend(self.introduced(&doc.path));
            }
        };
        if scene.history.finished.is_empty() {
            if !evidence.inferred {
                add(&evidence.docs, false);
            }
            return (before, from);
        }
        for phase in &evidence.phases {
            let mut finished = scene.history.finished.iter();
            let ended = finished.any(|done| done.number == phase.number);
            if ended || scene.target.phase.as_deref() == Some(phase.number.as_str()) {
                add(&phase.docs, ended);
            }
        }
        (before, from)
    }

    /// The commit in which a file first appears.
    fn introduced(&self, path: &str) -> Option<usize> {
        let (facts, git) = (self.scene.facts, self.scene.world.git());
        let rel = facts.lookup.rel(path).ok()?;
        let has = |id: &str| git.blob(&facts.root, id, rel.as_path()).is_ok();
        if facts.branch.base.as_deref().is_some_and(has) {
            return None;
        }
        self.commits.iter().rposition(|commit| has(&commit.id))
    }

    /// The commits of execute that the records name.
    fn named(&self) -> Result<Vec<usize>, NoStart> {
        let Some(checkpoint) = self.scene.state.checkpoint() else {
            return Ok(Vec::new());
        };
        // The list only grows, so it has the commits of every phase.
        let only = self.scene.history.finished.is_empty();
        let mut all = Vec::new();
        for (text, before) in checkpoint.commits(only, self.scene.world.clock()) {
            let why = match self.find(text).as_slice() {
                [at] => {
                    all.push(*at);
                    continue;
                }
                // relight's own rewind removed what they name.
                [] if before => continue,
                [] => "which is not on the branch: the branch was rewritten",
                _ => "and several commits of the branch fit",
            };
            let text: String = text.chars().take(40).collect();
            let why = format!("the state file names commit {text}, {why}");
            return Err(NoStart::Unclear(why));
        }
        Ok(all)
    }

    /// The commits that a text may name: by its id, shortened or not, or by its subject.
    fn find(&self, text: &str) -> Vec<usize> {
        let id = lost::id(text);
        let is_it = |commit: &Commit| id.as_ref().is_some_and(|id| commit.id.starts_with(id));
        let fits = |commit: &Commit| is_it(commit) || commit.subject.as_str() == Some(text);
        let all = self.commits.iter().enumerate();
        let all = all.filter(|(_, commit)| fits(commit));
        all.map(|(at, _)| at).collect()
    }

    /// The newest commit before a moment. Times of commits are whole seconds.
    fn by_time(&self, ended: DateTime<Utc>) -> Result<usize, NoStart> {
        let ended = ended.timestamp();
        let times = |commit: &Commit| (commit.time.timestamp(), commit.authored.timestamp());
        let after = |commit: &&Commit| {
            let (made, written) = times(commit);
            made.min(written) > ended
        };
        let at = self.commits.iter().take_while(|commit| after(commit));
        let at = at.count();
        let odd = self.commits.iter().skip(at).find(|commit| {
            let (made, written) = times(commit);
            made.max(written) >= ended
        });
        let Some(commit) = odd else {
            return Ok(at);
        };
        let (made, written) = times(commit);
        let why = if made == ended || written == ended {
            "is of the second in which the step before ended"
        } else if after(commit) {
            "is newer than the end of the step before, and a later commit is older"
        } else {
            "was rewritten after the step before ended"
        };
        let id = short_id(&commit.id);
        Err(NoStart::Unclear(format!(
            "the records name no commit, and the commit times do not tell: {id} {why}"
        )))
    }
}

/// What the records say about the start of a step, as places in the chain.
#[derive(Default)]
struct Known {
    /// The last commit of the steps before.
    ended: Option<usize>,
    /// The commit before the first one of the step.
    begun: Option<usize>,
    /// A commit with work of the step or of later ones: the start is older.
    within: Option<usize>,
}
