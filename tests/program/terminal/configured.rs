//! The configuration is edited while the console is open.

use std::fs;

use super::tty::Tty;
use crate::cli_acting::sandbox::Sandbox;

#[test]
fn a_configuration_that_changed_is_said() {
    said_once(Some("mouse = false\n"));
}

#[test]
fn a_configuration_that_was_made_is_said() {
    said_once(None);
}

fn said_once(before: Option<&str>) {
    let sandbox = Sandbox::new();
    let folder = sandbox.root().join("home/.config/relight");
    let file = folder.join("config.toml");
    fs::create_dir_all(&folder).unwrap();
    if let Some(before) = before {
        fs::write(&file, before).unwrap();
    }
    let projects = sandbox.root().join("projects");
    let args = [projects.to_str().unwrap()];
    let mut tty = Tty::start(
        env!("CARGO_BIN_EXE_relight"),
        &args,
        &sandbox.root(),
        100,
        30,
    );
    let shows = |text: &'static str| move |screen: &vt100::Screen| screen.contents().contains(text);
    tty.wait("the list", shows("interrupted"));
    fs::write(&file, "mouse = true\n").unwrap();
    // It may be said before that already; the log keeps it.
    tty.keys("j@");
    tty.wait("what changed", shows("The configuration has changed"));
}
