//! Reports of bugs: panics, and errors that should not happen.

use std::io::{self, IsTerminal as _};

use color_eyre::config::{HookBuilder, Theme};
use color_eyre::eyre::eyre;
use color_eyre::{Section as _, SectionExt as _};

use crate::engine::EngineError;
use crate::model::{Clean, Foreign};
use crate::text::format::shell_line;

const REPORT_IT: &str = concat!(
    "This is a bug in relight ",
    env!("CARGO_PKG_VERSION"),
    ". Report it with this output at ",
    env!("CARGO_PKG_REPOSITORY"),
    "/issues"
);

/// Makes panics and bugs report the version and where to report them.
pub(in crate::cli) fn install() {
    let hooks = HookBuilder::default()
        .display_env_section(false)
        .display_location_section(false)
        .panic_section(REPORT_IT);
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let hooks = if plain || !io::stderr().is_terminal() {
        hooks.theme(Theme::new())
    } else {
        hooks
    };
    // It only fails when it is called twice.
    drop(hooks.install());
}

/// An error that is a bug, with the command line and the hints.
pub(super) fn report(error: &EngineError) -> String {
    let args: Vec<Foreign> = std::env::args_os()
        .map(|word| word.as_os_str().into())
        .collect();
    let command = shell_line(&args).unwrap_or_else(|| {
        let words = args.iter().map(|word| word.clean().into_string());
        Clean::new(&words.collect::<Vec<_>>().join(" "))
    });
    let report = eyre!("{}", error.text.clean())
        .section(command.into_string().header("Command:"))
        .section(REPORT_IT);
    let hints = error.hints.iter().map(Foreign::clean);
    let report = hints.fold(report, |report, hint: Clean| report.suggestion(hint));
    format!("Error:{report:?}")
}
