//! Completions in every shell, and a manual page for each command.

use std::path::Path;

use super::machine::{Machine, code, said};

/// The candidates for the last of these words, as fish asks for them.
fn candidates(machine: &Machine, dir: &str, words: &[&str]) -> Vec<String> {
    let mut command = machine.command(dir);
    let output = command
        .env("RELIGHT_COMPLETE", "fish")
        .args(["--", "relight"])
        .args(words)
        .output()
        .unwrap();
    assert!(output.stderr.is_empty(), "{}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let value = |line: &str| line.split('\t').next().unwrap().to_owned();
    text.lines().map(value).collect()
}

/// Finding S5: commands, options, systems, ids, points, checkpoints and recoveries.
#[test]
fn s5_candidates_are_what_could_be_typed_there() {
    let machine = Machine::new();
    let (lab, ring) = (machine.id("work/lab"), machine.id("work/science"));
    let done = machine.run(
        "work",
        &["resume", &lab, "round-2-mid", "--yes", "--assume-stopped"],
    );
    assert_eq!(code(&done), 0, "{}", said(&done));
    let (_, history) = machine.json("work", &["history"]);
    let recovery = history["recoveries"][0]["id"].as_str().unwrap();
    let (_, all) = machine.json("work", &["checkpoints", &lab]);
    let checkpoint = all["checkpoints"][0]["id"].as_str().unwrap();
    let before = machine.everything();
    let table: [(&[&str], &[&str]); 20] = [
        (&["ver"], &["verify"]),
        (&["list", "--sys"], &["--system"]),
        (&["list", "--system", "auto"], &["autoconference"]),
        (&["--system", "superscientist", "show", ""], &[&ring]),
        (&["show", "auto"], &[&lab]),
        (&["--json", "show", "tok"], &[&lab]),
        (&["plan", "superscientist-"], &[&ring]),
        (&["plan", &lab, "round-2-m"], &["round-2-mid"]),
        (&["resume", &lab, "--point", "round-2-m"], &["round-2-mid"]),
        (&["plan", &ring, "stage-2:ret"], &["stage-2:retry"]),
        (&["restore", &lab, "--checkpoint", ""], &[checkpoint]),
        (&["undo", ""], &[recovery]),
        (&["purge", ""], &[recovery]),
        // What was typed is not offered again.
        (&["purge", recovery, "2"], &[]),
        (&["record", &lab, "iter"], &["iteration"]),
        (&["record", &lab, "iteration", "iter"], &[]),
        (&["record", &ring, "stage-2", "st"], &[]),
        (&["undo", "nothing-begins-so"], &[]),
        (&["man", "check"], &["checkpoints"]),
        (&["list", "--scope", "rep"], &["repository"]),
    ];
    for (words, expected) in table {
        let found = candidates(&machine, "work", words);
        for word in expected {
            assert!(
                found.iter().any(|c| c == word),
                "{words:?}: {word} in {found:?}"
            );
        }
        if expected.is_empty() {
            assert!(found.is_empty(), "{words:?}: {found:?}");
        }
    }
    assert!(
        !candidates(
            &machine,
            "work",
            &["--system", "superscientist", "show", ""]
        )
        .contains(&lab)
    );
    assert!(
        before == machine.everything(),
        "asking for candidates writes nothing"
    );
}

#[test]
fn purge_offers_what_it_takes() {
    let machine = Machine::new();
    let lab = machine.id("work/lab");
    assert!(!candidates(&machine, "work", &["purge", "auto"]).contains(&lab));
    let taken = machine.run("work", &["checkpoint", &lab, "--reason", "end of round 1"]);
    assert_eq!(code(&taken), 0, "{}", said(&taken));
    assert!(candidates(&machine, "work", &["purge", "auto"]).contains(&lab));
    let ring = machine.id("work/science");
    let (code, rehearsed) = machine.json("work", &["rehearse", &ring, "stage-2:retry"]);
    assert_eq!(code, 0, "{rehearsed}");
    let (code, resumed) = machine.json("work", &["resume", &ring, "--yes", "--assume-stopped"]);
    assert_eq!(code, 0, "{resumed}");
    let offered = candidates(&machine, "work", &["purge", ""]);
    for made in [
        &rehearsed["rehearsal"]["folder"],
        &resumed["handoff"]["briefing_file"],
    ] {
        let mut parts = made.as_str().unwrap().split('/');
        let folder = parts.find(|part| ["rehearsals", "handoffs"].contains(part));
        let name = folder.and_then(|_| parts.next()).unwrap();
        assert!(offered.iter().any(|one| one == name), "{name}: {offered:?}");
        let (code, purged) = machine.json("work", &["purge", name, "--yes"]);
        assert_eq!(code, 0, "{purged}");
    }
}

/// Finding S5: a candidate goes onto a command line as it is, so no foreign text becomes one.
#[test]
fn s5_no_candidate_holds_what_a_shell_would_run() {
    let machine = Machine::new();
    let state = machine.path("work/science/polymer-ring/workflow-state.json");
    let text = std::fs::read_to_string(&state).unwrap();
    let hostile = text
        .replace("polymer-ring", "$(touch${IFS}x);`id`")
        .replace("Relax", "\u{1b}]0;x");
    std::fs::write(&state, hostile).unwrap();
    for words in [
        &["show", ""][..],
        &["plan", "superscientist", ""],
        &["list", "--system", ""],
    ] {
        for candidate in candidates(&machine, "work", words) {
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-:~/=@+,".contains(c);
            assert!(candidate.chars().all(plain), "{candidate:?}");
        }
    }
}

/// Finding S5: the scripts of the shells that are here work in them.
#[test]
fn s5_bash_completes_ids_and_points_with_colons() {
    let machine = Machine::new();
    let ring = machine.id("work/science");
    let bin = Path::new(assert_cmd::cargo::cargo_bin!("relight"))
        .parent()
        .unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let table: [(&[&str], &str); 5] = [
        (&["relight", "ver"], "verify"),
        (&["relight", "show", "supersc"], &ring),
        (&["relight", "plan", &ring, "stage-2", ":", "ret"], "retry"),
        (
            &["relight", "plan", &ring, "--point", "stage-2", ":", "ret"],
            "retry",
        ),
        (&["relight", "list", "--system", "=", "nine"], "nine-step"),
    ];
    for (words, expected) in table {
        let line = words.join(" ").replace(" : ", ":").replace(" = ", "=");
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let script = format!(
            "source <(relight completions bash)\n\
             COMP_WORDS=({}); COMP_CWORD={}; COMP_LINE='{line}'; COMP_POINT={}; COMP_TYPE=9\n\
             _relight relight '{}' ''\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
            quoted.join(" "),
            words.len() - 1,
            line.len(),
            words[words.len() - 1],
        );
        let mut command = machine.command("work");
        let bash = std::process::Command::new("bash")
            .args(["--norc", "-c", &script])
            .envs(
                command
                    .env("PATH", &path)
                    .get_envs()
                    .filter_map(|(k, v)| Some((k, v?))),
            )
            .current_dir(machine.path("work"))
            .output()
            .unwrap();
        let text = said(&bash);
        assert!(
            text.lines().any(|l| l.trim_end() == expected),
            "{words:?}: {text}"
        );
    }
}

/// Finding S5: a script for each shell; the words are asked for when they are needed.
#[test]
fn s5_each_shell_has_a_script() {
    let machine = Machine::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = machine.run("work", &["completions", shell]);
        assert_eq!(code(&output), 0);
        assert!(said(&output).contains("RELIGHT_COMPLETE"), "{shell}");
    }
}

/// Finding S5: every page that a page names is there.
#[test]
fn s5_each_command_has_its_manual_page() {
    let machine = Machine::new();
    let page = |args: &[&str]| {
        let output = machine.run("work", args);
        assert_eq!(code(&output), 0, "{args:?}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let main = page(&["man"]);
    let named = |page: &str| -> Vec<String> {
        let ends = page
            .replace("\\-", "-")
            .replace("\\fB", "")
            .replace("\\fR", "");
        let words = ends
            .split_whitespace()
            .map(|w| w.trim_end_matches(',').to_owned());
        words
            .filter_map(|w| w.strip_suffix("(1)").map(str::to_owned))
            .collect()
    };
    let pages = named(&main);
    assert!(pages.len() >= 20, "{pages:?}");
    for name in pages {
        let own = page(&["man", &name]);
        assert!(own.contains(&format!(".TH {name} 1")), "{name}: {own}");
        for other in named(&own) {
            drop(page(&["man", &other]));
        }
        let command = name.strip_prefix("relight-").unwrap_or(&name);
        assert_eq!(own, page(&["man", command]), "{command}");
        if name != "relight" {
            assert!(
                own.contains("relight(1)") || own.contains("relight\\fR(1)"),
                "{own}"
            );
            assert!(own.replace("\\-", "-").contains("--json"), "{own}");
        }
    }
}
