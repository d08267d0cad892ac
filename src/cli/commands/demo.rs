//! `relight demo`: builds the sandbox.

use std::collections::BTreeSet;

use chrono::Utc;

use super::setup;
use crate::cli::Console;
use crate::cli::args::{Cli, DemoArgs};
use crate::cli::prelude::*;
use crate::demo::{self, DemoError, Sandbox};
use crate::foreign;
use crate::text::format::shell_path;

/// Experiments on the finished run, and the template that each of them replaces.
const EXPERIMENTS: [(&str, &str); 3] = [
    (
        "a template that is better",
        "build-implementer.md=projects/labels-experiment/implementer-v2.md",
    ),
    (
        "a reviewer that always says PASS",
        "red-team.md=projects/labels-experiment/red-team-stamp.md",
    ),
    (
        "a small change",
        "red-team.md=projects/labels-experiment/red-team-v2.md",
    ),
];

/// Builds the sandbox and shows what to run in it.
pub(super) fn run(cli: &Cli, args: &DemoArgs) -> Result<Answer> {
    answer(cli, &build(cli, args)?)
}

/// Builds the sandbox for the console.
pub(crate) fn open(cli: &Cli, args: &DemoArgs, printer: &Printer) -> Result<Console> {
    super::console::open(cli, &[build(cli, args)?.root], args.plain, printer)
}

fn build(cli: &Cli, args: &DemoArgs) -> Result<Sandbox> {
    setup::may_act(&setup::config(&cli.globals)?)?;
    let now = Utc::now();
    let name = || format!("relight-demo-{}-{}", now.timestamp(), std::process::id());
    let usual = || std::env::temp_dir().join(name());
    let dir = args.dir.clone().unwrap_or_else(usual);
    demo::build(&dir, now).map_err(|error| {
        let text = format!("{error}.");
        let full = error.io();
        let full = full.and_then(|why| EngineError::full(text.clone(), why));
        let delete = || foreign!("Delete {} first: it is incomplete.", &dir);
        match full {
            Some(full) if dir.exists() => full.hint(delete()),
            Some(full) => full,
            None if matches!(error, DemoError::Incomplete(_)) => {
                EngineError::usage(text).hint(delete())
            }
            None => {
                let hint = "Name a directory that does not exist: relight demo DIR";
                EngineError::usage(text).hint(hint)
            }
        }
    })
}

fn answer(cli: &Cli, sandbox: &Sandbox) -> Result<Answer> {
    let root = std::slice::from_ref(&sandbox.root);
    let session = setup::session(&cli.globals, root)?;
    let request = Request {
        paths: root.to_vec(),
        all: true,
        ..session.request
    };
    let survey = session.engine.survey(&request, &|_| {})?;
    let mut page = Page::new(usize::MAX);
    let (pipelines, root) = (&survey.pipelines, &sandbox.root);
    let systems: BTreeSet<_> = pipelines.iter().map(|one| one.reading.system).collect();
    let (all, of) = (
        count(pipelines.len(), "pipeline"),
        count(systems.len(), "system"),
    );
    let created = clean!("Created {} of {} in {}.", all, of, root);
    page.line([Tone::Strong.of(created)]);
    let text = "Everything in it is synthetic and stays in that directory. Delete the directory to remove it.";
    page.say(Tone::Plain, text);
    // A path that cannot be copied as it is shown is in no command.
    if let Some(word) = shell_path(root) {
        commands(&word, &mut page);
    }
    page.blank();
    page.line([Tone::Plain.of(clean!(
        "Orchestrator scripts that you can kill at any time and resume: {}/orchestrators",
        root
    ))]);
    let done = clean!("the sandbox was created in {}", root);
    Ok(Answer::new(report::demo(root, &survey), page).done(done))
}

/// What to run in the sandbox.
fn commands(root: &str, page: &mut Page) {
    page.blank();
    page.line([Tone::Plain.of(clean!("  relight {}", root))]);
    page.line([Tone::Plain.of(clean!("  relight list --all {}", root))]);
    page.blank();
    page.say(
        Tone::Plain,
        "Three experiments to try. The stub runner is not an agent, so each ends with \"no evidence\" and the verdict that an \
         agent's answers would have had:",
    );
    for (what, swap) in EXPERIMENTS {
        page.line([Tone::Plain.of(clean!("  {}", what))]);
        let line = clean!("relight replay projects/labels --mutate {}", swap);
        let line = clean!("    cd {} && {} --repeat 10 --diff", root, line);
        page.line([Tone::Plain.of(line)]);
    }
}
