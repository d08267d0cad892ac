//! How a plan gets its consent: `--confirm`, `--yes`, or a word typed at the terminal. Guards come first and are never
//! overridden here; a person may only confirm that a pipeline of unknown liveness has stopped.

use super::question::{self, Facts};
use crate::cli::args::ConsentArgs;
use crate::cli::commands::plan::refusal;
use crate::cli::commands::retyped::again;
use crate::cli::person::Person;
use crate::cli::prelude::*;
use crate::config::Confirm;
use crate::engine::Consent;

/// The word that confirms that a pipeline of unknown liveness has stopped.
const STOPPED: &str = "not running";

/// The word that accepts an open question of a plan.
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
    /// The options of a plan, with the answers.
    pub(in crate::cli::commands) fn added_to(&self, options: &PlanOptions) -> PlanOptions {
        let accept = options.accept.iter().chain(&self.accepted).cloned();
        PlanOptions {
            assume_stopped: options.assume_stopped || self.stopped,
            accept: accept.collect(),
            ..options.clone()
        }
    }
}

/// The consent on the command line.
pub(in crate::cli::commands) struct Consents<'a> {
    /// The options.
    pub(in crate::cli::commands) args: &'a ConsentArgs,
    /// The command line as typed, which a hint repeats with the fingerprint.
    pub(in crate::cli::commands) said: &'a [OsString],
    /// How a plan that destroys nothing is confirmed.
    pub(in crate::cli::commands) style: Confirm,
}

impl Consents<'_> {
    /// The plan if its guards hold and its questions are answered, else the refusal. If only unknown liveness prevents
    /// it, a person who is present may confirm that the pipeline has stopped. Each open question is asked, and the plan
    /// is computed again with the answers.
    pub(super) fn passable(
        &self,
        plan: Plan,
        make: &dyn Fn(&Answers) -> Result<Plan>,
        person: &mut dyn Person,
    ) -> Result<Plan> {
        let mut answers = Answers::default();
        let plan = self.stopped(plan, make, person, &mut answers)?;
        let open = plan.guards.iter().filter(|guard| guard.is_open());
        let open: Vec<Guard> = open.cloned().collect();
        if open.is_empty() {
            return Ok(plan);
        }
        if !self.may_ask(person) {
            return Err(self.unanswered(open));
        }
        let width = person.width();
        for guard in open {
            person.show(&question::open(&guard, width));
            let prompt = clean!("Type {} to continue anyway: ", ACCEPT);
            typed(person, &prompt, ACCEPT)?;
            answers.accepted.push(guard.id.into_owned());
        }
        make(&answers)
    }

    fn may_ask(&self, person: &dyn Person) -> bool {
        person.present() && !self.args.yes && self.args.confirm.is_none()
    }

    /// The plan after a person has confirmed that a pipeline of unknown liveness has stopped.
    fn stopped(
        &self,
        plan: Plan,
        make: &dyn Fn(&Answers) -> Result<Plan>,
        person: &mut dyn Person,
        answers: &mut Answers,
    ) -> Result<Plan> {
        let Some(refused) = refusal(&plan) else {
            return Ok(plan);
        };
        let liveness_alone = refused.guards.iter().all(|guard| guard.id == "liveness");
        if !liveness_alone || !self.may_ask(person) {
            return Err(refused);
        }
        answers.stopped = true;
        let answered = make(answers)?;
        if refusal(&answered).is_some() {
            return Err(refused);
        }
        person.show(&question::unknown_liveness(&refused, person.width()));
        let prompt = clean!("Type {} if you checked that it has stopped: ", STOPPED);
        typed(person, &prompt, STOPPED)?;
        Ok(answered)
    }

    /// `--confirm` with another fingerprint is refused even if there is nothing to do.
    pub(super) fn check_fingerprint(&self, plan: &Plan) -> Result<()> {
        match &self.args.confirm {
            Some(fingerprint) if Consent::confirmed(plan, fingerprint).is_none() => {
                Err(self.unmatched(plan))
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
    ) -> Result<Consent> {
        if let Some(fingerprint) = &self.args.confirm {
            return Consent::confirmed(plan, fingerprint).ok_or_else(|| self.unmatched(plan));
        }
        if self.args.yes {
            return Ok(Consent::yes(plan));
        }
        person.show(&question::lines(plan, &facts(plan), person.width()));
        if !person.present() {
            return Err(self.unasked(plan));
        }
        let typed = plan.destructive || self.style == Confirm::Typed;
        let word = if typed { "yes" } else { "y" };
        let prompt = clean!("Type {} to continue; anything else cancels: ", word);
        let said = person.ask(&prompt);
        said.filter(|said| !typed || said.trim() == "yes")
            .and_then(|said| Consent::typed(plan, &said))
            .ok_or_else(cancelled)
    }

    /// Questions that only a person answers; `--yes` never does.
    fn unanswered(&self, open: Vec<Guard>) -> EngineError {
        let questions = count_of(open.len(), "question is", "questions are");
        let text = format!("{questions} not answered.");
        let accept: Vec<&str> = open.iter().flat_map(|g| ["--accept", &*g.id]).collect();
        let line = again(self.said, &[], &accept);
        let hint = line.map(|line| format!("To answer yes: {line}"));
        let mut error = EngineError::new(ErrorKind::Consent, text).hints(hint);
        error.guards = open;
        error
    }

    fn unmatched(&self, plan: &Plan) -> EngineError {
        let text = "The fingerprint does not match this plan: the plan has changed, or the fingerprint was \
                    mistyped or shortened. Nothing was written.";
        let error = EngineError::refused(text);
        let error = error.hint(format!("The fingerprint is {}.", plan.fingerprint.0));
        let line = again(self.said, &["--confirm"], &["--dry-run"]);
        error.hints(line.map(|line| format!("To show the plan: {line}")))
    }

    fn unasked(&self, plan: &Plan) -> EngineError {
        // Without an id it is the latest recovery of the scope that is undone: nobody has named it yet.
        let error = nobody().hints(plan.asked.reversal().map(|(reversal, recovery)| {
            let (verb, pipeline) = (reversal.noun(), &plan.pipeline);
            format!("This would {verb} {recovery} of {pipeline}.")
        }));
        let fingerprint = plan.fingerprint.0.as_str();
        match again(self.said, &[], &["--confirm", fingerprint]) {
            Some(line) => error
                .hint(format!("To apply exactly this plan: {line}"))
                .hint("Use --dry-run to show the plan, or --yes to skip confirmation."),
            None => error.hint(format!("Confirm with --confirm {fingerprint}.")),
        }
    }
}

/// The person canceled.
pub(in crate::cli::commands) fn cancelled() -> EngineError {
    EngineError::new(ErrorKind::Cancelled, "Canceled; nothing was changed.")
}

fn nobody() -> EngineError {
    let text = "Confirmation is needed, but stdin is not a terminal; nothing was changed.";
    EngineError::new(ErrorKind::Consent, text)
}

/// Consent to something without a plan, and so without a fingerprint: this word typed at the terminal, or `--yes`.
pub(in crate::cli::commands) fn needed(
    person: &mut dyn Person,
    yes: bool,
    said: &[OsString],
    word: &str,
    lines: &[Line],
) -> Result<()> {
    if yes {
        return Ok(());
    }
    person.show(lines);
    if !person.present() {
        let line = again(said, &[], &["--yes"]);
        let line = line.unwrap_or_else(|| "the same command with --yes".to_owned());
        return Err(nobody().hint(format!("To skip confirmation: {line}")));
    }
    let prompt = clean!("Type {} to continue; anything else cancels: ", word);
    typed(person, &prompt, word)
}

/// Anything but this word cancels.
fn typed(person: &mut dyn Person, prompt: &Clean, word: &str) -> Result<()> {
    let said = person.ask(prompt);
    let agreed = said.is_some_and(|said| said.trim() == word);
    agreed.then_some(()).ok_or_else(cancelled)
}
