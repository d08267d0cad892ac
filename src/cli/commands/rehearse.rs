//! `relight rehearse`: applies a plan in a scratch folder and runs a check there. The check comes from the command line
//! or the person's configuration, never from the project, whose files are not trusted.

use super::act::{Desk, done_for_good};
use super::plan::{choice, options, refusal, select};
use crate::cli::args::RehearseArgs;
use crate::cli::prelude::*;
use crate::model::{CheckRun, Rehearsal};

pub(super) fn run(session: &Session, args: &RehearseArgs, desk: &Desk<'_>) -> Result<Answer> {
    let check = check(session, args)?;
    let id = select(session, &args.target)?;
    let options = options(&args.options)?;
    let mut page = session.page();
    let plan = match session.engine.plan(&id, &choice(&args.point), &options) {
        Err(error) if error.kind == ErrorKind::NothingToDo => {
            return Ok(session.nothing(error, page, |error| {
                report::not_rehearsed(&error.text.lossy())
            }));
        }
        other => other?,
    };
    let engine = &session.engine;
    let rehearsal = engine.rehearse(&plan, check.as_deref(), desk.progress, desk.cancel)?;
    show(&plan, &rehearsal, &mut page);
    let report = report::rehearsed(&plan.fingerprint.0, &rehearsal);
    let passed = rehearsal.check.as_ref().is_none_or(|run| run.passed);
    let done = clean!("the rehearsal is in {}", rehearsal.folder);
    if passed {
        return Ok(done_for_good(report, page, done, desk.cancel));
    }
    Ok(Answer::new(report, page).done(done).exit(Exit::No))
}

/// The check of the command line, else of the configuration. A missing check is an error only with `--check`.
fn check(session: &Session, args: &RehearseArgs) -> Result<Option<Vec<OsString>>> {
    if !args.command.is_empty() {
        return Ok(Some(args.command.clone()));
    }
    let configured = &session.engine.settings().check;
    if args.check && configured.is_empty() {
        let error = EngineError::usage("No check is given or configured.");
        return Err(error
            .hint("Give it at the end: --check -- COMMAND ARGUMENT…")
            .hint("Or set it in the configuration file, under [check]."));
    }
    Ok((!configured.is_empty()).then(|| configured.clone()))
}

fn show(plan: &Plan, rehearsal: &Rehearsal, page: &mut Page) {
    let (id, point) = (&plan.pipeline.0, &plan.point.boundary.id.0);
    let files = count(rehearsal.changed, "file");
    let text = clean!("Rehearsed {} at {}: {} changed.", id, point, files);
    page.say(Tone::Strong, text);
    page.fact("directory", &rehearsal.folder);
    let text = "Your own files are unchanged. The directory is kept, so that you can look at it.";
    page.say(Tone::Faint, text);
    if let Some(refused) = refusal(plan) {
        page.warn(&refused.text);
    }
    let not_covered = rehearsal.not_covered.iter();
    not_covered.for_each(|text| page.warn(text));
    if let Some(run) = &rehearsal.check {
        return ran(run, page);
    }
    let text = "No check was run. To run one in the directory: --check -- COMMAND";
    page.say(Tone::Plain, text);
}

fn ran(run: &CheckRun, page: &mut Page) {
    let (verdict, tone) = if run.passed {
        ("passed", Tone::Good)
    } else {
        ("failed", Tone::Bad)
    };
    let word =
        |word: &Foreign| shell_word(word).map_or_else(|| word.clean(), |word| clean!("{}", word));
    let words = run.argv.iter().map(|one| clean!(" {}", word(one)));
    let words = Clean::concat(&words.collect::<Vec<_>>());
    let (ended, time) = (&run.ended, duration(run.seconds));
    page.blank();
    let text = clean!("The check {} ({}, {}):{}", verdict, ended, time, words);
    page.say(tone, text);
    for line in run.output.lines().filter(|_| !run.output.is_empty()) {
        page.line([Tone::Faint.of("  │ "), Tone::Plain.of(line)]);
    }
}
