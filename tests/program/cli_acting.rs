//! The commands that change files, each on a sandbox of its own: consent and refusals, resume with undo and redo,
//! exit codes.

mod aged;
mod alive;
mod asked;
mod backups;
mod chosen;
pub(crate) mod crashed;
mod elsewhere;
pub(crate) mod ended;
mod full;
mod kept;
mod launched;
mod limits;
mod own_writes;
mod past;
mod printed;
mod running;
mod said;
pub(crate) mod sandbox;
mod state_dir;
mod stops;
mod there_and_back;
mod touched;
mod undone_work;
mod unprinted;

use crate::terminal::tty;
use sandbox::{Sandbox, differences};
use serde_json::Value;

fn kind(value: &Value) -> &str {
    value["error"]["kind"].as_str().unwrap_or_default()
}

#[test]
fn without_consent_not_a_byte_changes() {
    let sandbox = Sandbox::new();
    let before = sandbox.all();
    let mut asked = 0;
    for id in sandbox.ids() {
        // The recommended point and the last one, which is one that only hands pick.
        let last = sandbox.points(&id).pop();
        for point in [None, last] {
            let at: Vec<&str> = [Some(id.as_str()), point.as_deref()]
                .into_iter()
                .flatten()
                .collect();
            let (plan_code, plan) = sandbox.json(&[&["plan"], &at[..]].concat());
            let (code, answer) = sandbox.json(&[&["resume"], &at[..]].concat());
            let actions = plan["plan"]["actions"].as_array().map_or(0, Vec::len);
            let case = format!("{at:?}: {answer}");
            match (plan_code, actions) {
                (0, 0) if code == 4 => {
                    let guards = plan["plan"]["guards"].as_array().unwrap();
                    assert!(guards.iter().any(|guard| guard["kind"] == "ask"), "{case}");
                }
                (0, 0) => {
                    assert_eq!(code, 0, "{case}");
                    assert_eq!(answer["recovery"], Value::Null, "{case}");
                    same_handoff(&answer["handoff"], &plan["plan"]["handoff"]);
                }
                (0, _) => {
                    asked += 1;
                    assert_eq!((code, kind(&answer)), (4, "consent"), "{case}");
                    let hint = answer["error"]["hints"][0].as_str().unwrap();
                    let fingerprint = plan["plan"]["fingerprint"].as_str().unwrap();
                    let guards = plan["plan"]["guards"].as_array().unwrap();
                    if guards.iter().any(|guard| guard["kind"] == "ask") {
                        assert!(hint.contains("--accept "), "{case}");
                    } else {
                        assert!(hint.contains(&format!("--confirm {fingerprint}")), "{case}");
                    }
                    let (dry, shown) = sandbox.json(&[&["resume", "--dry-run"], &at[..]].concat());
                    assert_eq!((dry, &shown), (plan_code, &plan), "--dry-run is the plan");
                }
                (refused, _) => assert_eq!(code, refused, "{case}"),
            }
        }
    }
    assert!(asked >= 5, "only {asked} plans wanted consent");
    let handoffs = sandbox.root().join("home/.local/state/relight/handoffs");
    for args in [
        &["undo"][..],
        &["redo"],
        &["recover"],
        &["history"],
        &["undo", "--yes"],
    ] {
        sandbox.run(args);
    }
    // Briefings alone were written, where there was nothing to agree to.
    let mut changed = differences(&before, &sandbox.all());
    changed.retain(|path| !path.starts_with(&handoffs) && !handoffs.starts_with(path));
    assert_eq!(changed, Vec::<std::path::PathBuf>::new());
}

/// A plan carries the briefing in its prompt; what was done names the file that holds it.
fn same_handoff(done: &Value, planned: &Value) {
    for key in ["cwd", "briefing"] {
        assert_eq!(done[key], planned[key], "{key}");
    }
    assert_eq!(planned["briefing_file"], Value::Null);
    let file = done["briefing_file"].as_str().unwrap();
    assert_eq!(
        std::fs::read_to_string(file).unwrap(),
        done["briefing"].as_str().unwrap()
    );
    let prompt = done["prompt"].as_str().unwrap();
    assert!(prompt.contains(file) && !prompt.contains('\n'), "{prompt}");
    assert_eq!(
        done["argv"].as_array().unwrap().last(),
        Some(&done["prompt"])
    );
}

#[test]
fn a_fingerprint_from_the_plan_is_consent_to_that_plan_alone() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let (_, plan) = sandbox.json(&["plan", &id]);
    let fingerprint = plan["plan"]["fingerprint"].as_str().unwrap();
    let before = sandbox.all();
    let other = "0".repeat(64);
    for wrong in [other.as_str(), fingerprint.get(..8).unwrap(), ""] {
        let (code, refused) = sandbox.json(&["resume", &id, "--confirm", wrong]);
        assert_eq!((code, kind(&refused)), (3, "refused"), "{refused}");
        // Nobody knows whether the plan has changed: it may have been mistyped.
        let text = refused["error"]["text"].as_str().unwrap();
        assert!(
            text.starts_with("The fingerprint does not match this plan"),
            "{text}"
        );
        let hints = refused["error"]["hints"].to_string();
        assert!(hints.contains(fingerprint), "{hints}");
    }
    // The fingerprint of another plan of the same pipeline does not serve either.
    let (code, _) = sandbox.json(&["resume", &id, "--exact", "--confirm", fingerprint]);
    assert_eq!(code, 3);
    assert_eq!(
        differences(&before, &sandbox.all()),
        Vec::<std::path::PathBuf>::new()
    );
    let (code, done) = sandbox.json(&["resume", &id, "--confirm", fingerprint]);
    assert_eq!(code, 0, "{done}");
    assert_eq!(done["recovery"]["state"], "committed");
    same_handoff(&done["handoff"], &plan["plan"]["handoff"]);
    let (_, history) = sandbox.json(&["history"]);
    assert_eq!(history["recoveries"][0]["id"], done["recovery"]["id"]);
    // Now there is another plan, or none.
    let (code, _) = sandbox.json(&["resume", &id, "--confirm", fingerprint]);
    assert_eq!(code, 3);
}

#[test]
fn every_exit_code_that_acting_can_reach() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let finished = "mgw-40";
    let corrupt = "mgw-64";
    let table: &[(&[&str], i32)] = &[
        (&["resume", &id, "--dry-run"], 0),
        (&["resume", &id, "disk"], 0),
        (&["resume", "mgw-57"], 0),
        (&["history"], 0),
        (&["resume", finished], 1),
        (&["resume", finished, "--yes"], 1),
        (&["rehearse", finished], 1),
        (&["undo"], 1),
        (&["redo"], 1),
        (&["recover"], 1),
        (&["resume", "no-such"], 2),
        (&["resume", &id, "no-such-point"], 2),
        (&["resume", &id, "--yes", "--confirm", "ff"], 2),
        (&["resume", &id, "--yes", "--dry-run"], 2),
        (&["resume", &id, "--launch", "--json"], 2),
        (&["resume", &id, "--path", "../x", "--yes"], 2),
        (&["restore", &id], 2),
        (&["restore", &id, "--checkpoint", "ffffffff"], 2),
        (&["rehearse", &id, "--check"], 2),
        (&["undo", "no-such"], 2),
        (&["recover", "no-such"], 2),
        (&["recover", "--finish", "--roll-back"], 2),
        (&["purge"], 2),
        (&["purge", "no-such"], 2),
        (&["resume", &id, "--confirm", "ff"], 3),
        (&["resume", &id], 4),
        (&["resume", corrupt], 5),
        (&["resume", corrupt, "--yes"], 5),
        (&["rehearse", corrupt], 5),
    ];
    assert_eq!(
        sandbox.run(&["rehearse", &id, "--", "true"]).status.code(),
        Some(2)
    );
    for (args, expected) in table {
        let output = sandbox.run(args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(*expected), "{args:?}\n{said}");
        if *expected >= 2 && !args.contains(&"--json") {
            let (code, value) = sandbox.json(args);
            assert_eq!(code, *expected, "{args:?}");
            assert!(value["error"]["hints"].is_array(), "{args:?}: {value}");
        }
    }
}

#[test]
fn options_take_one_value_each_and_leave_the_point_alone() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    for command in ["plan", "resume"] {
        let mut args = vec![
            command,
            &id,
            "--path",
            "src/price.rs",
            "--path",
            "README.md",
            "wave-2",
        ];
        if command == "resume" {
            args.push("--dry-run");
        }
        let (code, plan) = sandbox.json(&args);
        assert_eq!(code, 0, "{plan}");
        assert_eq!(plan["plan"]["point"]["id"], "wave-2");
        let paths = plan["plan"]["actions"][0]["paths"].as_array().unwrap();
        assert_eq!(paths.len(), 1, "{paths:?}");
    }
    let root = sandbox.root().join("projects/lab");
    let (code, list) = sandbox.json(&["list", "--root", root.to_str().unwrap(), "projects/notes"]);
    assert_eq!(code, 0, "{list}");
    let ids = list["pipelines"].to_string();
    assert!(ids.contains("mgw-57"), "{ids}");
}

/// H14: a time is shown in the person's zone, with that zone, by every command alike.
#[test]
fn h14_times_are_local_with_their_zone() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let (_, listed) = sandbox.json(&["checkpoints", &id]);
    let taken = listed["checkpoints"][0]["taken_at"].as_str().unwrap();
    let taken = chrono::DateTime::parse_from_rfc3339(taken).unwrap();
    for (zone, hours, suffix) in [("Asia/Tokyo", 9, "JST"), ("UTC", 0, "UTC")] {
        let local = taken.with_timezone(&chrono::FixedOffset::east_opt(hours * 3600).unwrap());
        let wanted = format!("{} {suffix}", local.format("%Y-%m-%d %H:%M:%S"));
        for args in [&["checkpoints", &id][..], &["points", &id], &["plan", &id]] {
            let said = sandbox.run_with(&[("TZ", zone), ("COLUMNS", "200")], args);
            let text = String::from_utf8(said.stdout).unwrap();
            let bare = text.contains(wanted.get(..16).unwrap()) && !text.contains(&wanted);
            assert!(!bare, "{zone} {args:?}: {text}");
            if args[0] == "checkpoints" {
                assert!(text.contains(&wanted), "{zone}: {wanted}: {text}");
            }
        }
        for id in sandbox.ids() {
            let page = sandbox.run_with(&[("TZ", zone)], &["timeline", &id]).stdout;
            let page = String::from_utf8(page).unwrap();
            for line in page.lines().filter(|line| line.starts_with("20")) {
                assert_eq!(line.get(20..23), Some(suffix), "{id}: {line}");
            }
        }
    }
}
