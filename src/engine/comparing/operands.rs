//! From the arguments of a command to the two sides.

use super::super::experiments::refusal;
use super::super::replaying::cannot_be_read;
use super::super::{EngineError, ErrorKind, Result};
use super::known::{Choice, Known};
use crate::foreign;
use crate::model::{Arm, Foreign, ReplaySession, SessionId, SessionState};
use crate::text::Shown as _;

/// Operands that an error names.
const SHOWN: usize = 8;

impl Known {
    /// Both sides.
    pub(super) fn sides(&self, a: Option<&str>, b: Option<&str>) -> Result<(Choice, Choice)> {
        match (a, b) {
            (Some(a), Some(b)) => Ok((self.side(self.named(a)?), self.side(self.named(b)?))),
            (Some(one), None) | (None, Some(one)) => {
                if let Some(pool) = self.pool(one)? {
                    return Ok(arms(&pool));
                }
                let one = self.named(one)?;
                if let Choice::Group(id, _) = &one
                    && self.is_judged(id)
                {
                    return Ok(arms(std::slice::from_ref(id)));
                }
                if one == Choice::Original {
                    let newest = self.newest_replay().map(|newest| (one, self.side(newest)));
                    return newest.ok_or_else(|| self.nothing());
                }
                let before = self.before(&one).ok_or_else(|| self.first(&one))?;
                Ok((before, one))
            }
            (None, None) => self.usual().ok_or_else(|| self.nothing()),
        }
    }

    /// An experiment beside something else is its mutated arm.
    fn side(&self, choice: Choice) -> Choice {
        if let Choice::Group(id, _) = &choice
            && self.is_judged(id)
        {
            return Choice::Arm(vec![id.clone()], Arm::Mutated);
        }
        choice
    }

    /// Several experiments, joined by `+`: a view that is not judged.
    fn pool(&self, word: &str) -> Result<Option<Vec<SessionId>>> {
        if !word.contains('+') {
            return Ok(None);
        }
        let experiment = |word: &str| {
            if let Choice::Group(id, _) = self.named(word)?
                && self.is_judged(&id)
            {
                return Ok(id);
            }
            let text = format!("{word} is not an experiment with two arms.");
            Err(EngineError::usage(text))
        };
        word.split('+')
            .map(experiment)
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// What a person most likely wants to see.
    fn usual(&self) -> Option<(Choice, Choice)> {
        match self.newest_replay() {
            Some(Choice::Group(id, _)) if self.is_judged(&id) => return Some(arms(&[id])),
            Some(newest) => return Some((Choice::Original, newest)),
            None => {}
        }
        let runs = (0..self.runs.len()).rev().map(Choice::Run);
        let recoveries = (0..self.recoveries.len()).rev().map(Choice::After);
        let mut newest = runs.chain(recoveries);
        newest.find_map(|one| Some((self.before(&one)?, one)))
    }

    /// The newest replay, with its repeats.
    fn newest_replay(&self) -> Option<Choice> {
        let at = self.newest_session()?;
        Some(self.group_of(at).unwrap_or(Choice::Session(at)))
    }

    /// The newest session of which something has run; of others, such as those that Slurm rejected or that wait for
    /// whoever runs them, nothing can be compared yet. Where nothing has run, the newest that can be read.
    fn newest_session(&self) -> Option<usize> {
        self.experiment.as_ref()?;
        let readable = |at: &usize| {
            let session = self.sessions.get(*at);
            session.is_some_and(|one| one.state != SessionState::Unreadable)
        };
        let newest = || (0..self.sessions.len()).rev().filter(readable);
        newest()
            .find(|at| self.has_run(*at))
            .or_else(|| newest().next())
    }

    fn has_run(&self, at: usize) -> bool {
        let session = self.sessions.get(at);
        session.is_some_and(|one| one.dispatches.open() < one.dispatches.all())
    }

    /// The replays that are not compared if none is named, newer than the one that is, a sentence each.
    pub(super) fn passed_over(&self) -> Vec<Foreign> {
        let Some(at) = self.newest_session().filter(|at| self.has_run(*at)) else {
            let lost = (!self.lost.is_empty()).then(|| refusal(&self.opened).text);
            let lost = lost.map(|why| foreign!("Its replays cannot be compared. {}", &why));
            return lost.into_iter().collect();
        };
        let newer = self.sessions.iter().skip(at + 1);
        // What cannot be read may have run.
        let newer = newer
            .filter(|one| one.state != SessionState::Unreadable && one.dispatches.unknown == 0);
        let mut groups: Vec<&SessionId> = newer.map(|one| &one.group).collect();
        groups.dedup();
        let sentence =
            |group: &SessionId| format!("{group} is newer, and nothing of it has run.").into();
        groups.into_iter().map(sentence).collect()
    }

    /// The predecessor of an operand.
    fn before(&self, one: &Choice) -> Option<Choice> {
        match one {
            Choice::Original | Choice::Before(_) => None,
            Choice::Session(_) | Choice::Group(..) | Choice::Arm(..) => Some(Choice::Original),
            Choice::Run(at) => {
                let kin = family(&self.runs.get(*at)?.name);
                let mut earlier = self.runs.iter().take(*at);
                let found = earlier.rposition(|run| family(&run.name) == kin);
                found.map(Choice::Run)
            }
            Choice::After(at) => Some(Choice::Before(*at)),
        }
    }

    /// What a word means: exactly it, else what alone begins so. Repeats that begin alike are all of them.
    fn named(&self, word: &str) -> Result<Choice> {
        let choices = self.choices();
        if let Some((_, exact)) = choices.iter().find(|(name, _)| name == word) {
            return Ok(exact.clone());
        }
        let fits = |(name, choice): &&(String, Choice)| {
            let recovery = matches!(choice, Choice::After(_)) && is_of(name, word);
            !word.is_empty() && (name.starts_with(word) || recovery)
        };
        let found: Vec<&(String, Choice)> = choices.iter().filter(fits).collect();
        match found.as_slice() {
            [] => Err(self.unknown(word)),
            [(_, one)] => Ok(one.clone()),
            several => one_group(several).ok_or_else(|| {
                let number = several.len();
                let text = format!("{word} matches {number} things that can be compared.");
                let error = EngineError::new(ErrorKind::Ambiguous, text);
                self.listed(error, several.iter().copied())
            }),
        }
    }

    fn unknown(&self, word: &str) -> EngineError {
        let mut sessions = self.sessions.iter();
        let is_meant = |one: &&ReplaySession| {
            one.state == SessionState::Unreadable && (one.id.0 == word || one.group.0 == word)
        };
        if let Some(one) = sessions.find(is_meant) {
            return cannot_be_read(one);
        }
        let begins = |one: &ReplaySession| one.id.0.starts_with(word);
        if self
            .lost
            .iter()
            .any(|one| begins(one) || word == "original")
        {
            return refusal(&self.opened);
        }
        let choices = self.choices();
        let text = match self.purged.iter().find(|id| is_of(&id.0, word)) {
            Some(id) => format!("The backups of {id} were deleted, so it cannot be compared."),
            None if choices.is_empty() => return self.nothing(),
            None => format!("{} has no {word} that could be compared.", self.id()),
        };
        self.listed(EngineError::new(ErrorKind::NotFound, text), choices.iter())
    }

    /// An error with what can be typed instead.
    fn listed<'a>(
        &self,
        error: EngineError,
        choices: impl ExactSizeIterator<Item = &'a (String, Choice)>,
    ) -> EngineError {
        let more = choices.len().saturating_sub(SHOWN);
        let shown = choices.take(SHOWN);
        let shown = shown.map(|(name, choice)| format!("{name}: {}", self.title(choice).shown()));
        let more = (more > 0).then(|| format!("(+{more} more)"));
        error.hints(shown.chain(more))
    }

    /// There is nothing before this one.
    fn first(&self, one: &Choice) -> EngineError {
        let choices = self.choices();
        let name = choices.iter().find(|(_, choice)| choice == one);
        let name = name.map_or("it", |(name, _)| name.as_str());
        let text = format!("There is nothing before {name} to compare it with.");
        let error = EngineError::nothing_to_do(text);
        let follows = |(_, choice): &&(String, Choice)| self.before(choice).as_ref() == Some(one);
        let id = self.id();
        match choices.iter().rfind(follows) {
            Some((other, _)) => error.hint(format!("relight compare {id} {name} {other}")),
            None => error.hint(format!(
                "To list what can be compared: relight compare {id} --list"
            )),
        }
    }

    fn nothing(&self) -> EngineError {
        if !self.lost.is_empty() {
            return refusal(&self.opened);
        }
        let id = self.id();
        let text = format!("{id} has nothing to compare yet.");
        let error = EngineError::nothing_to_do(text);
        if self.experiment.is_some() {
            return error.hint(format!(
                "relight replay {id} --mutate ORIGINAL=REPLACEMENT runs it again with a template replaced."
            ));
        }
        error.hint(format!(
            "Once a recovery has changed files, relight compare shows them before and after it. To see what a resume would change: relight plan {id} POINT"
        ))
    }
}

/// Whether a word is the beginning or a longer end of a recovery's id.
fn is_of(id: &str, word: &str) -> bool {
    !word.is_empty() && (id.starts_with(word) || word.len() >= 4 && id.ends_with(word))
}

/// The two arms of an experiment, or of a pool.
fn arms(ids: &[SessionId]) -> (Choice, Choice) {
    let arm = |arm| Choice::Arm(ids.to_vec(), arm);
    (arm(Arm::Control), arm(Arm::Mutated))
}

/// The repeats of one experiment, where a word means nothing else.
fn one_group(several: &[&(String, Choice)]) -> Option<Choice> {
    let is_group = |choice: &&Choice| matches!(choice, Choice::Group(..));
    let group = several.iter().map(|(_, choice)| choice).find(is_group)?;
    let Choice::Group(id, members) = group else {
        return None;
    };
    let of_it = |(_, choice): &&(String, Choice)| match choice {
        Choice::Session(at) => members.contains(at),
        Choice::Arm(ids, _) => ids.as_slice() == std::slice::from_ref(id),
        Choice::Group(..) => choice == group,
        Choice::Original | Choice::Run(_) | Choice::After(_) | Choice::Before(_) => false,
    };
    several.iter().all(of_it).then(|| group.clone())
}

/// The series that a run belongs to: all rounds are one, and so are the versions of one stage.
fn family(name: &str) -> &str {
    let base = name.split_once('.').map_or(name, |(base, _)| base);
    if base.starts_with("round-") {
        return "round";
    }
    base
}
