//! `relight demo`: the sandbox.

use chrono::Utc;

use super::setup;
use crate::clean;
use crate::cli::Console;
use crate::cli::answer::{Answer, Failure, Span, Tone};
use crate::cli::args::{Cli, DemoArgs};
use crate::cli::print::Printer;
use crate::cli::report::DemoReport;
use crate::demo::{self, Sandbox};
use crate::engine::{EngineError, ErrorKind, Request};
use crate::model::Clean;

/// Builds the sandbox and lists what is in it.
pub(super) fn run(cli: &Cli, args: &DemoArgs) -> Result<Answer, Failure> {
    answer(cli, &build(args)?)
}

/// Builds the sandbox for the console.
pub(crate) fn open(cli: &Cli, args: &DemoArgs, printer: &Printer) -> Result<Console, Failure> {
    super::console::open(cli, &[build(args)?.root], printer)
}

fn build(args: &DemoArgs) -> Result<Sandbox, Failure> {
    let now = Utc::now();
    let dir = args.dir.clone().unwrap_or_else(|| {
        std::env::temp_dir().join(format!(
            "relight-demo-{}-{}",
            now.timestamp(),
            std::process::id()
        ))
    });
    demo::build(&dir, now).map_err(|error| {
        let error = EngineError::new(ErrorKind::Usage, format!("{error}."));
        error
            .hint("Name a folder that does not exist yet: relight demo DIR.")
            .into()
    })
}

fn answer(cli: &Cli, sandbox: &Sandbox) -> Result<Answer, Failure> {
    let root = std::slice::from_ref(&sandbox.root);
    let session = setup::session(&cli.globals, root)?;
    let request = Request {
        paths: root.to_vec(),
        all: true,
        ..session.request
    };
    let survey = session.engine.survey(&request, &|_| {})?;
    let lines = vec![
        vec![Span(
            Tone::Strong,
            clean!(
                "{} pipelines in five systems wait in {}.",
                survey.pipelines.len(),
                sandbox.root
            ),
        )],
        vec![Span::plain(Clean::new(
            "Everything in it is made up and keeps to that folder; remove the folder to be rid of it.",
        ))],
        vec![],
        vec![Span::plain(clean!("  relight {}", sandbox.root))],
        vec![Span::plain(clean!("  relight list --all {}", sandbox.root))],
        vec![Span::plain(clean!(
            "  cd {} && relight replay {} --repeat 5 --diff",
            sandbox.root,
            "projects/labels --mutate red-team-prompt.md=projects/labels-experiment/red-team-v2.md"
        ))],
    ];
    Ok(Answer::new(DemoReport::new(&sandbox.root, &survey), lines))
}
