//! `relight man [COMMAND]`: the manual, a page for each command.

use clap_mangen::Man;

use crate::cli::prelude::*;

/// The main page, or the page of a command under its own name or the name that other pages have for it.
pub(crate) fn page(name: Option<&str>) -> Result<Vec<u8>> {
    // The `help` command needs no page.
    let mut whole = crate::cli::command().disable_help_subcommand(true);
    whole.build();
    let found = match name {
        None | Some("relight") => &whole,
        Some(name) => {
            let name = name.strip_prefix("relight-").unwrap_or(name);
            let mut commands = whole.get_subcommands().filter(|one| !one.is_hide_set());
            let found = commands.find(|one| one.get_name() == name);
            found.ok_or_else(|| unknown(name, &whole))?
        }
    };
    let mut out = Vec::new();
    // Writing into memory does not fail.
    let version = whole.get_version().unwrap_or_default();
    let source = format!("relight {version}");
    drop(Man::new(found.clone()).source(source).render(&mut out));
    if name.is_some_and(|name| name != "relight") {
        out.extend_from_slice(b".SH \"SEE ALSO\"\nrelight(1)\n");
    }
    Ok(out)
}

fn unknown(name: &str, whole: &clap::Command) -> EngineError {
    let known = whole.get_subcommands().filter(|one| !one.is_hide_set());
    EngineError::new(ErrorKind::NotFound, format!("There is no command {name}."))
        .near(name, known.map(clap::Command::get_name))
        .hint("To list the commands: relight --help")
}
