//! From a plan to consent: `--confirm`, `--yes`, or a word typed at the terminal. Guards come first, and
//! nothing here overrides one; only unknown liveness is answered, in words (contract.md, Consent, Liveness).

use std::ffi::OsString;

use super::question::{self, Facts};
use crate::clean;
use crate::cli::answer::Line;
use crate::cli::args::ConsentArgs;
use crate::cli::commands::plan::refusal;
use crate::cli::commands::words::again;
use crate::cli::person::Person;
use crate::config::Confirm;
use crate::engine::{Consent, EngineError, ErrorKind};
use crate::model::{Guard, Plan, PlanOptions};

/// What answers a pipeline of which nobody knows whether it still runs.
const STOPPED: &str = "not running";

/// What answers an open question of a plan.
const ACCEPT: &str = "accept";

/// What the person has answered at the terminal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::cli::commands) struct Answers {
    /// That the pipeline has stopped.
    pub(in crate::cli::commands) stopped: bool,
    /// The questions they accepted, by id.
    pub(in crate::cli::commands) accepted: Vec<String>,
}

impl Answers {
    /// The options of a plan, with what was answered.
    pub(in crate::cli::commands) fn told(&self, options: &PlanOptions) -> PlanOptions {
        let accept = options.accept.iter().chain(&self.accepted).cloned();
        PlanOptions {
            assume_stopped: options.assume_stopped || self.stopped,
            accept: accept.collect(),
            ..options.clone()
        }
    }
}

/// What was said on the command line about consent.
pub(in crate::cli::commands) struct Consents<'a> {
    /// The options.
    pub(in crate::cli::commands) args: &'a ConsentArgs,
    /// The command line itself, to be offered again with the fingerprint behind it.
    pub(in crate::cli::commands) said: &'a [OsString],
    /// How a plan that destroys nothing is agreed to.
    pub(in crate::cli::commands) style: Confirm,
}

impl Consents<'_> {
    /// The plan if its guards hold and its questions are answered, else the refusal. Where only unknown liveness
    /// refuses and a person is there, they may say that it has stopped; each open question is put to them. The plan
    /// is then made again, knowing the answers.
    pub(super) fn passable(
        &self,
        plan: Plan,
        make: &dyn Fn(&Answers) -> Result<Plan, EngineError>,
        person: &mut dyn Person,
    ) -> Result<Plan, EngineError> {
        let mut answers = Answers::default();
        let plan = self.stopped(plan, make, person, &mut answers)?;
        let open: Vec<Guard> = plan
            .guards
            .iter()
            .filter(|g| g.is_open())
            .cloned()
            .collect();
        if open.is_empty() {
            return Ok(plan);
        }
        if !person.present() || self.args.yes || self.args.confirm.is_some() {
            return Err(self.unanswered(open));
        }
        let width = person.width();
        for guard in open {
            person.show(&question::open(&guard, width));
            match person.ask(&clean!("Type accept to continue anyway: ")) {
                Some(said) if said.trim() == ACCEPT => answers.accepted.push(guard.id.into_owned()),
                _ => return Err(cancelled()),
            }
        }
        make(&answers)
    }

    /// What unknown liveness alone refuses, once a person has said that the pipeline has stopped.
    fn stopped(
        &self,
        plan: Plan,
        make: &dyn Fn(&Answers) -> Result<Plan, EngineError>,
        person: &mut dyn Person,
        answers: &mut Answers,
    ) -> Result<Plan, EngineError> {
        let Some(refused) = refusal(&plan) else {
            return Ok(plan);
        };
        let liveness_alone = refused.guards.iter().all(|guard| guard.id == "liveness");
        if !liveness_alone || !person.present() || self.args.yes || self.args.confirm.is_some() {
            return Err(refused);
        }
        answers.stopped = true;
        let answered = make(answers)?;
        if refusal(&answered).is_some() {
            return Err(refused);
        }
        let width = person.width();
        person.show(&question::unknown_liveness(&refused, width));
        let prompt = clean!("Type {} if you made sure that it has stopped: ", STOPPED);
        match person.ask(&prompt) {
            Some(said) if said.trim() == STOPPED => Ok(answered),
            _ => Err(cancelled()),
        }
    }

    /// `--confirm` with another fingerprint is refused even where nothing has to be done.
    pub(super) fn still(&self, plan: &Plan) -> Result<(), EngineError> {
        match &self.args.confirm {
            Some(fingerprint) if Consent::confirmed(plan, fingerprint).is_none() => {
                Err(self.outdated(plan))
            }
            _ => Ok(()),
        }
    }

    /// Consent to this plan, or why there is none.
    pub(super) fn agree(
        &self,
        plan: &Plan,
        person: &mut dyn Person,
        facts: &dyn Fn(&Plan) -> Facts,
    ) -> Result<Consent, EngineError> {
        if let Some(fingerprint) = &self.args.confirm {
            return Consent::confirmed(plan, fingerprint).ok_or_else(|| self.outdated(plan));
        }
        if self.args.yes {
            return Ok(Consent::yes(plan));
        }
        if !person.present() {
            return Err(self.unasked(plan));
        }
        let width = person.width();
        person.show(&question::lines(plan, &facts(plan), width));
        let typed = plan.destructive || self.style == Confirm::Typed;
        let word = if typed { "yes" } else { "y" };
        let prompt = clean!(
            "Type {} to do this; anything else leaves all as it is: ",
            word
        );
        let said = person.ask(&prompt);
        said.filter(|said| !typed || said.trim() == "yes")
            .and_then(|said| Consent::typed(plan, &said))
            .ok_or_else(cancelled)
    }

    /// Questions that only a person answers; `--yes` alone never does.
    fn unanswered(&self, open: Vec<Guard>) -> EngineError {
        let text = match open.as_slice() {
            [one] => format!("Not accepted: {}", one.text.lossy()),
            several => format!("{} questions are not answered.", several.len()),
        };
        let mut error = EngineError::new(ErrorKind::Consent, text);
        let accept: Vec<&str> = open.iter().flat_map(|g| ["--accept", &*g.id]).collect();
        if let Some(line) = again(self.said, None, &accept) {
            error = error.hint(format!("{line} accepts it."));
        }
        error.guards = open;
        error
    }

    fn outdated(&self, plan: &Plan) -> EngineError {
        let text = "The plan is no longer the one with that fingerprint; nothing was changed.";
        let error = EngineError::new(ErrorKind::Refused, text);
        let error = error.hint(format!("Its fingerprint is now {}.", plan.fingerprint.0));
        match again(self.said, Some("--confirm"), &["--dry-run"]) {
            Some(line) => error.hint(format!("{line} shows it.")),
            None => error,
        }
    }

    fn unasked(&self, plan: &Plan) -> EngineError {
        let error = nobody();
        let fingerprint = plan.fingerprint.0.as_str();
        match again(self.said, None, &["--confirm", fingerprint]) {
            Some(line) => error
                .hint(format!("{line} agrees to exactly this plan."))
                .hint("--dry-run in its place shows the plan; --yes agrees to whatever it is by then."),
            None => error.hint(format!("Agree with --confirm {fingerprint}.")),
        }
    }
}

/// The person left.
pub(in crate::cli::commands) fn cancelled() -> EngineError {
    EngineError::new(ErrorKind::Cancelled, "Cancelled; nothing was changed.")
}

fn nobody() -> EngineError {
    let text = "Consent is needed, and stdin is not a terminal; nothing was changed.";
    EngineError::new(ErrorKind::Consent, text)
}

/// Consent to something that has no plan and so no fingerprint: this word typed at the terminal, or `--yes`.
pub(in crate::cli::commands) fn needed(
    person: &mut dyn Person,
    yes: bool,
    said: &[OsString],
    word: &str,
    lines: &[Line],
) -> Result<(), EngineError> {
    if yes {
        return Ok(());
    }
    if !person.present() {
        let line = again(said, None, &["--yes"]);
        let line = line.unwrap_or_else(|| "The same with --yes".to_owned());
        return Err(nobody().hint(format!("{line} agrees to it.")));
    }
    person.show(lines);
    let prompt = clean!(
        "Type {} to do this; anything else leaves all as it is: ",
        word
    );
    match person.ask(&prompt) {
        Some(said) if said.trim() == word => Ok(()),
        _ => Err(cancelled()),
    }
}
