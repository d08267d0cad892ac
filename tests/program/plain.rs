//! The console as lines: a whole recovery without a terminal, a screen or a color.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// Starts the plain console over a sandbox.
fn start(root: &Path, options: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_relight"))
        .args(options)
        .arg(".")
        .current_dir(root)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", root.join("home"))
        .env("TMPDIR", root.join("home").join("tmp"))
        .env("TZ", "UTC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs the plain console over a sandbox with these lines as its input.
fn plain(root: &Path, options: &[&str], lines: &[&str]) -> Output {
    let mut console = start(root, options);
    let mut input = console.stdin.take().unwrap();
    for line in lines {
        writeln!(input, "{line}").unwrap();
    }
    drop(input);
    console.wait_with_output().unwrap()
}

fn sandbox() -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = crate::support::temporary::directory();
    let root = dir.path().join("demo");
    relight::demo::build(&root, chrono::Utc::now()).unwrap();
    (dir, root)
}

#[test]
fn a_pipeline_is_resumed_and_the_resume_undone_by_typed_lines() {
    let (_dir, root) = sandbox();
    let table = root.join("projects/lab/tokenizer-speed/researcher_B_results.tsv");
    let before = std::fs::read(&table).unwrap();
    let lines = [
        "/tokenizer",
        "1",
        "resume points",
        "3",
        "A",
        "",
        "yes",
        "enter",
        "quit",
    ];
    let output = plain(&root, &["--plain"], &lines);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(!said.contains('\x1b'), "{said}");
    assert!(
        said.contains("About to resume autoconference-tokenizer-speed"),
        "{said}"
    );
    assert!(said.contains("Done: resume at round-2-mid"), "{said}");
    let after = std::fs::read(&table).unwrap();
    assert_ne!(before, after, "{said}");

    let output = plain(&root, &["--plain"], &["history", "1 u", "A", "yes"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("Done: undo of"), "{said}");
    assert_eq!(std::fs::read(&table).unwrap(), before, "{said}");
}

#[test]
fn the_end_of_the_input_leaves_it_and_an_empty_line_confirms_nothing() {
    let (_dir, root) = sandbox();
    let output = plain(
        &root,
        &["--plain"],
        &["/tokenizer", "1", "resume points", "3", "A", "", "", ""],
    );
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("About to resume") && !said.contains("Done:"),
        "{said}"
    );
    let output = plain(
        &root,
        &["--plain", "--read-only"],
        &["/tokenizer", "1", "resume points", "3", "A"],
    );
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("relight is read-only here"), "{said}");
}

#[test]
fn without_a_terminal_only_the_option_opens_it() {
    let (_dir, root) = sandbox();
    let output = plain(&root, &[], &["1"]);
    let listed = String::from_utf8(output.stdout).unwrap();
    assert!(
        listed.contains("STOPPED AT") && !listed.contains("Keys:"),
        "{listed}"
    );
    let output = plain(&root, &["--plain", "--json"], &[]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_end_of_a_replay_is_announced_however_short_it_was() {
    let (_dir, root) = sandbox();
    let mut console = start(&root, &["--plain"]);
    let mut input = console.stdin.take().unwrap();
    let lines = "c|/lab|1|V|n|5|im|5|tab|enter|p|A|y|x|y".split('|');
    for line in lines {
        writeln!(input, "{line}").unwrap();
    }
    let mut said = String::new();
    // The input stays open: nothing but the end of the replay, or of the console, ends the wait.
    for line in BufReader::new(console.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        said.push_str(&line);
        said.push('\n');
        if line.contains("The replay has ended.") {
            break;
        }
    }
    assert!(said.contains("The replay has ended."), "{said}");
    drop(input);
    console.wait().unwrap();
}

#[test]
fn a_pipeline_has_the_status_that_the_list_gives_it() {
    let (_dir, root) = sandbox();
    let output = plain(&root, &["--plain"], &[]);
    let list = String::from_utf8(output.stdout).unwrap();
    let statuses = list.lines().filter_map(|line| {
        let (number, rest) = line.split_once(". status ")?;
        let number: usize = number.parse().ok()?;
        Some((number, rest.split_once(',')?.0.to_owned()))
    });
    let statuses: Vec<(usize, String)> = statuses.collect();
    assert!(statuses.len() > 9, "{list}");
    for (number, status) in statuses {
        let output = plain(&root, &["--plain"], &[&number.to_string()]);
        let said = String::from_utf8(output.stdout).unwrap();
        let opened = said.rsplit("\nrelight, ").next().unwrap();
        let names = opened.lines().filter(|line| line.starts_with(&status));
        // The header has it, and so has the first line of its own.
        assert_eq!(names.count(), 2, "{number} {status}: {opened}");
    }
}
