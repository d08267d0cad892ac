//! What `y` copies and `o` opens on each screen, and what is said where a key has nothing to do.

use super::acting::{PLAN, console, word};
use super::harness::Console;
use super::made_up::MadeUp;
use super::replay_screens::{LIST, Machine};
use crate::model::{Request, Scope};
use crate::tui::msg::{Effect, Msg};

/// The first line that was copied, or the file that was opened.
fn outside(console: &mut Console) -> String {
    match console.outside.pop() {
        Some(Effect::Copy(lines, _)) => lines[0].to_string(),
        Some(Effect::Open(origin)) => {
            let line = origin.line.map(|line| format!(":{line}"));
            format!("{}{}", origin.file.display(), line.unwrap_or_default())
        }
        other => format!("{other:?}, {}", word(console)),
    }
}

#[test]
fn each_screen_copies_what_its_row_is_known_by() {
    const SHOP: &str = "/ p r i c e enter enter";
    const NOTHING: &str = "None, There is nothing to copy here.";
    let pending = || MadeUp {
        pending: true,
        ..MadeUp::ready()
    };
    let table: &[(Machine, &[&str], &str)] = &[
        (MadeUp::ready, &["space space C"], "crucible-1801~ab12"),
        (MadeUp::ready, &[SHOP], "3"),
        (
            MadeUp::ready,
            &[SHOP, "2"],
            "/home/ada/src/shop/.state/manifest.jsonl:1",
        ),
        (
            MadeUp::ready,
            &[SHOP, "3 g"],
            "Resume before dispatch 8: point wave-1.",
        ),
        (
            MadeUp::ready,
            &[SHOP, "3 g enter"],
            "Resume before dispatch 8: point wave-1.",
        ),
        (
            MadeUp::ready,
            &[SHOP, "4 g"],
            "3fa23fa23fa23fa23fa23fa23fa23fa23fa23fa2",
        ),
        (MadeUp::ready, &[SHOP, "5 g"], NOTHING),
        (
            MadeUp::ready,
            &[SHOP, "5 j"],
            "cd /home/ada/src/shop && claude --resume 5c5b2a7e-0000-4000-8000-000000000002",
        ),
        (
            MadeUp::ready,
            &[SHOP, "r"],
            "relight plan crucible-1795~ab12 --point wave-1",
        ),
        (
            MadeUp::ready,
            &[PLAN],
            "relight plan crucible-1795~ab12 --point wave-1",
        ),
        (MadeUp::ready, &[PLAN, "t"], "/tmp/relight-rehearsal-1"),
        (
            MadeUp::ready,
            &[PLAN, "A y e s enter"],
            "relight undo 20261121T120000Z-f6",
        ),
        (MadeUp::ready, &["R"], "20261121T105500Z-e5"),
        (
            MadeUp::ready,
            &["R u"],
            "relight undo 20261121T105500Z-e5 --dry-run",
        ),
        (pending, &[], "relight recover 20261121T100000Z-d9"),
        (
            MadeUp::ready,
            &[LIST],
            "relight compare crucible-1795~ab12 original 1795248000",
        ),
        (
            MadeUp::ready,
            &[LIST, "n"],
            "relight replay crucible-1795~ab12 --repeat 10 --dry-run",
        ),
        (
            MadeUp::ready,
            &[LIST, "n p"],
            "relight replay crucible-1795~ab12 --repeat 10 --dry-run",
        ),
        (MadeUp::ready, &[LIST, "n p A y"], "/state/outputs/8.txt"),
        (
            MadeUp::ready,
            &[LIST, "C"],
            "relight compare crucible-1795~ab12 after-0193",
        ),
        (MadeUp::ready, &[LIST, "enter 3"], "src/cache.rs"),
    ];
    for (machine, keys, copied) in table {
        let (mut console, _) = console(machine());
        console.press(&keys.join(" ")).press("y");
        assert_eq!(outside(&mut console), *copied, "{keys:?}");
    }
}

#[test]
fn each_screen_opens_the_file_of_its_row() {
    const STATE: &str = "/home/ada/src/shop/.state/manifest.jsonl";
    const REPLAY: &str =
        "/home/ada/.local/state/relight/replays/crucible-1795~ab12/1795248000/manifest.jsonl";
    let table: &[(&[&str], &str)] = &[
        (&["space space C"], STATE),
        (&["/ p r i c e enter enter"], STATE),
        (&["/ p r i c e enter enter 3"], STATE),
        (
            &["/ p r i c e enter enter 2"],
            "/home/ada/src/shop/.state/manifest.jsonl:1",
        ),
        (
            &["/ p r i c e enter enter 4"],
            "None, This row has no file to open.",
        ),
        (
            &["/ p r i c e enter enter 2 enter"],
            "/home/ada/src/shop/.state/manifest.jsonl:1",
        ),
        (&[LIST], REPLAY),
        (&[LIST, "n p"], STATE),
        (&[LIST, "n p A y"], "/state/outputs/8.txt"),
        (&[LIST, "enter"], "/state/outputs/5.txt"),
    ];
    for (keys, opened) in table {
        let (mut console, _) = console(MadeUp::ready());
        console.press(&keys.join(" ")).press("o");
        assert_eq!(outside(&mut console), *opened, "{keys:?}");
    }
}

#[test]
fn a_key_that_has_nothing_to_do_says_why() {
    let table: &[(&[&str], &str)] = &[
        (
            &[PLAN, "/ z z z z enter n"],
            "Not found: no row of the plan matches.",
        ),
        (
            &[PLAN, "g space"],
            "Only paths can be excluded; select a file or a directory below an action.",
        ),
        (&[PLAN, "H p"], "Nothing to copy: the prompt is empty."),
        (&["d"], "d is no key of this screen; ? lists its keys."),
        (
            &["R ctrl-x"],
            "Ctrl-X is no key of this screen; ? lists its keys.",
        ),
        (&[PLAN, "H n"], "No step has ended here yet."),
        (&["R u b"], "Only a plan for a resume can reset the branch."),
        (&["R e"], "Only a pending recovery can be exported."),
        (&[LIST, "l"], "Only an experiment has runs to list."),
        (
            &[LIST, "g H"],
            "This replay has a runner; only one without is run by hand.",
        ),
        (
            &[LIST, "G c"],
            "1795240800 is waiting to be run manually: H shows how.",
        ),
        (&[LIST, "w"], "No replay was started from this console."),
        (&[LIST, "n h"], "Press Enter to edit this field."),
        (&[LIST, "n p enter"], "No details; A runs the replay."),
        (
            &[LIST, "n p A y x"],
            "The replay has ended: nothing to stop.",
        ),
        (
            &["/ p r i c e enter enter 2 '"],
            "No event is marked; m marks the selected one.",
        ),
        (
            &["/ p r i c e enter enter 2 f"],
            "Following the newest event.",
        ),
        (&["/ p r i c e enter enter 2 f f"], "No longer following."),
    ];
    for (keys, said) in table {
        let (mut console, _) = console(MadeUp::ready());
        console.press(&keys.join(" "));
        assert_eq!(word(&console), *said, "{keys:?}");
    }
}

#[test]
fn a_line_of_the_plain_console_that_means_nothing_says_why() {
    let table: &[(&[&str], &str)] = &[
        (
            &["@", "3"],
            "There is nothing to choose from by a number here.",
        ),
        (&["99"], "There is no row 99; the list has 8."),
        (
            &["/price", "1", "V", "n", "p", "A", "maybe"],
            "Type y or n.",
        ),
    ];
    for (lines, said) in table {
        let (mut console, asked) = console(MadeUp::ready());
        for line in *lines {
            console.send(Msg::Line((*line).to_owned()));
        }
        assert_eq!(word(&console), *said, "{lines:?}");
        assert!(asked.lock().unwrap().is_empty(), "{lines:?}");
    }
}

#[test]
fn what_only_the_person_knows_is_asked_before_the_plan_is_confirmed() {
    let (gate, branch) = ("gate:tests", "branch");
    // The guard, its word in the plan, what is asked, what is typed.
    let table = [
        (gate, "asks", "Continue anyway?", "a c c e p t enter"),
        (
            branch,
            "blocked",
            "On which branch did it run?",
            "m a i n enter",
        ),
    ];
    for (open, state, question, typed) in table {
        let (mut console, asked) = console(MadeUp {
            open,
            ..MadeUp::ready()
        });
        console.press(PLAN).press("g enter enter j enter");
        let text = console.text();
        assert!(text.contains(&format!("state      {state}")), "{text}");
        assert!(!text.contains("--accept"), "it is asked, not typed: {text}");
        console.press("esc A");
        assert!(console.text().contains(question), "{}", console.text());
        console.press(typed);
        assert!(
            console.text().contains("Apply this plan?"),
            "{}",
            console.text()
        );
        assert!(asked.lock().unwrap().is_empty());
        console.press("y e s enter");
        assert_eq!(*asked.lock().unwrap(), ["carry out wave-1 yes"]);
    }
}

#[test]
fn a_command_that_a_guard_names_is_a_key() {
    let (mut console, _) = console(MadeUp {
        open: "pending_recovery",
        ..MadeUp::ready()
    });
    for keys in [PLAN, "j enter", "esc A"] {
        console.press(keys);
        let text = console.text();
        assert!(text.contains("R, then s"), "{keys}: {text}");
        assert!(!text.contains("relight recover"), "{keys}: {text}");
    }
}

/// Without an id an undo takes the latest of a scope.
#[test]
fn an_undo_is_named_in_the_scope_of_the_console() {
    let request = Request {
        cwd: "/home/ada".into(),
        roots: vec!["/srv/shop".into()],
        scope: Some(Scope::Machine),
        ..Request::default()
    };
    let mut console = Console::real(MadeUp::ready(), request);
    let said = console.press(&format!("{PLAN} A")).text();
    let said: Vec<&str> = said.split_whitespace().collect();
    let undo = "run: relight undo --scope machine --root /srv/shop";
    assert!(said.join(" ").contains(undo), "{said:?}");
}

/// The plan of a checkpoint or of an undo has no resume point that a command could name.
#[test]
fn the_help_of_a_plan_names_a_point_only_where_there_is_one() {
    for (keys, named) in [
        (PLAN, true),
        ("R u", false),
        ("/ p r i c e enter enter 4 P", false),
    ] {
        let (mut console, _) = console(MadeUp::ready());
        console.press(keys).press("?");
        let help = console.text();
        assert!(help.contains("$ relight "), "{keys}: {help}");
        assert_eq!(help.contains("--point"), named, "{keys}: {help}");
    }
}

/// What was found in a path elsewhere is found again only there.
#[test]
fn a_command_finds_its_pipeline_where_the_console_was_opened_on_another_path() {
    let away = || Request {
        cwd: "/home/ada".into(),
        paths: vec!["/srv/old shop".into()],
        sandbox: Some("/srv/old shop".into()),
        ..Request::default()
    };
    let of_pipeline = "/ p r i c e enter enter";
    for keys in [
        "y",
        &format!("{of_pipeline} r y"),
        &format!("{PLAN} y"),
        &format!("{PLAN} A y e s enter y"),
        "R u y",
    ] {
        let mut console = Console::real(MadeUp::ready(), away());
        console.press(keys);
        let copied = outside(&mut console);
        let found = !copied.starts_with("relight ") || copied.contains(" --root '/srv/old shop'");
        assert!(found, "{keys}: {copied}");
        assert_eq!(
            copied.matches("--root").count(),
            usize::from(copied.starts_with("relight "))
        );
        console.press("?");
        let help = console.text();
        let lines = help.split("$ relight ").skip(1);
        let scoped = |line: &&str| {
            let first = line.lines().next().unwrap_or_default();
            let lists = first.starts_with("history") || first.starts_with("list --all");
            first.contains('~') || lists
        };
        for line in lines.filter(scoped) {
            assert!(line.contains("--root '/srv/old shop'"), "{keys}: {line}");
        }
    }
    // The question names the command that does the same, and the one that undoes it.
    let mut console = Console::real(MadeUp::ready(), away());
    console.press(&format!("{PLAN} A"));
    let said = console.text();
    assert_eq!(said.matches("--root").count(), 2, "{said}");
    // Once a command, whatever else of it looks like an id.
    for keys in ["R u A", "space space ? v e r i f y"] {
        let mut console = Console::real(MadeUp::ready(), away());
        let said = console.press(keys).text().replace(['│', '┃'], "");
        let said: String = said.split_whitespace().collect();
        let commands = said.split("relight").skip(1);
        let roots = commands.map(|command| command.matches("--root'/srv/oldshop'").count());
        assert_eq!(roots.max(), Some(1), "{keys}: {said}");
    }
    // What a comparison advises is found there, too.
    let mut console = Console::real(MadeUp::ready(), away());
    console.press(&format!("{of_pipeline} C g j space j space enter 4"));
    let said = console.text().replace('┃', "");
    let said: String = said.split_whitespace().collect();
    let (_, after) = said
        .split_once("relightreplaycrucible-1795~ab12")
        .expect(&said);
    assert!(after.starts_with("--root'/srv/oldshop'"), "{said}");
}
