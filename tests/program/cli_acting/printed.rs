//! Commands that are printed run as they are printed.

use super::sandbox::Sandbox;

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// The words of the command at the end of the line that begins with this label.
fn command(page: &str, label: &str) -> Vec<String> {
    let line = page.lines().find_map(|line| line.strip_prefix(label));
    let line = line.unwrap_or_else(|| panic!("no {label} in\n{page}"));
    let words = relight::text::format::split_words(line.trim()).unwrap();
    assert_eq!(words[0], "relight", "{line}");
    words[1..].to_vec()
}

#[test]
fn the_report_of_a_compared_recovery_can_be_printed() {
    let sandbox = Sandbox::new();
    let (_, done) = sandbox.json(&["resume", "mgw-57", "step-plan", "--yes"]);
    let id = done["recovery"]["id"].as_str().unwrap();
    for args in [&["compare", "mgw-57", id][..], &["compare", "mgw-57"]] {
        let page = text(sandbox.run(args).stdout);
        for label in ["report", "others"] {
            let words = command(&page, label);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let output = sandbox.run(&words);
            let said = text(output.stderr);
            assert_eq!(output.status.code(), Some(0), "{words:?}: {said}");
        }
    }
}

#[test]
fn the_commands_of_a_demo_name_its_folder_as_a_shell_reads_it() {
    let sandbox = Sandbox::new();
    let dir = crate::support::temporary::directory();
    let root = dir.path().canonicalize().unwrap().join("a b");
    let root = root.to_str().unwrap();
    let page = text(sandbox.run(&["demo", root, "--no-console"]).stdout);
    let mut commands = 0;
    for line in page.lines().map(str::trim) {
        if line.starts_with("relight ") || line.starts_with("cd ") {
            commands += 1;
            let words = relight::text::format::split_words(line).unwrap();
            assert!(words.iter().any(|word| word == root), "{line}");
        }
    }
    assert_eq!(commands, 5, "{page}");
}

/// Not with a recovery of the same pipeline, which is listed after the rounds.
#[test]
fn a_first_round_is_offered_for_comparison_with_the_next_one() {
    let sandbox = Sandbox::new();
    sandbox.json(&["resume", "tokenizer", "--yes"]);
    for (operand, offer) in [("round-1", " round-1 round-2\n"), ("round-2", "A ")] {
        let page = text(sandbox.run(&["compare", "tokenizer", operand]).stdout);
        assert!(page.contains(offer), "{page}");
    }
}
