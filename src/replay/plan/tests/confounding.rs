//! What is said about the fairness of a comparison.

use std::ffi::OsString;

use super::kit::{self, Kit, at};

use crate::model::{Foreign, OwnMetric, ReplayAsk, Runner};

fn runner(name: &str, words: &[&str]) -> Runner {
    Runner {
        name: name.into(),
        argv: words.iter().map(OsString::from).collect(),
        timeout_s: 60,
        retries: 0,
        models: std::collections::BTreeMap::new(),
    }
}

fn confounders(kit: &Kit, ask: &ReplayAsk) -> Vec<Foreign> {
    kit.plan(ask).unwrap().confounders
}

#[test]
fn a_template_that_was_changed_after_the_run_is_named_unless_it_is_pinned() {
    let kit = Kit::new();
    let words = "Template reviewer.md was modified after the original pipeline run.";
    let mut ask = kit.ask(&[("reviewer.md", "new.md")]);
    assert!(kit::says(&confounders(&kit, &ask), words));
    ask.template_ref = Some("main".to_owned());
    assert!(!kit::says(&confounders(&kit, &ask), "was modified"));
    let unchanged = kit.ask(&[("red-team.md", "new.md")]);
    assert!(!kit::says(&confounders(&kit, &unchanged), "was modified"));
}

#[test]
fn a_template_outside_of_any_commit_is_not_pinned() {
    let kit = Kit::new();
    let folder = kit.path("loose");
    std::fs::create_dir(&folder).unwrap();
    let file = folder.join("red-team.md");
    std::fs::write(&file, kit::template("red-team")).unwrap();
    let mut ask = kit.ask(&[("red-team.md", "new.md")]);
    assert!(!kit::says(&confounders(&kit, &ask), "--template-ref"));
    assert!(kit::says(&kit.plan(&ask).unwrap().notes, "--template-ref"));
    ask.templates = Some(folder);
    let found = confounders(&kit, &ask);
    assert!(kit::says(&found, "not pinned to a commit"));
    // The file's own time is all there is.
    for (minute, newer) in [(-1, false), (1, true)] {
        let file = std::fs::File::options().write(true).open(&file).unwrap();
        file.set_modified(at(minute).into()).unwrap();
        let found = confounders(&kit, &ask);
        assert_eq!(kit::says(&found, "was modified after"), newer, "{minute}");
    }
}

#[test]
fn what_is_known_of_the_models_is_said() {
    let mut kit = Kit::new();
    let ask = kit.ask(&[("red-team.md", "new.md")]);
    let table: [(Option<Runner>, &str); 4] = [
        (
            None,
            "The original ran on opus; who runs the dispatches now",
        ),
        (
            Some(runner("claude", &["claude", "-p"])),
            "The original ran on opus; which model claude uses now is unknown.",
        ),
        (
            Some(runner("claude", &["claude", "--model", "sonnet"])),
            "The original ran on opus; the replay runs on sonnet.",
        ),
        (
            Some(runner("stand-in", &["relight", "stand-in"])),
            "stub runner, which is not an agent",
        ),
    ];
    for (given, words) in table {
        kit.runner = given;
        let found = confounders(&kit, &ask);
        assert!(found[0].lossy().contains(words), "{words}: {found:?}");
    }
    for same in ["opus", "claude-opus-4-5"] {
        kit.runner = Some(runner("claude", &["claude", &format!("--model={same}")]));
        assert!(!kit::says(&confounders(&kit, &ask), "opus"), "{same}");
    }
    kit.change(6, |one| one.model_tier = None);
    kit.runner = Some(runner("claude", &["claude", "-p"]));
    assert!(kit::says(
        &confounders(&kit, &ask),
        "does not say which model"
    ));
}

#[test]
fn a_project_that_moved_on_matters_in_place_alone() {
    let mut kit = Kit::new();
    let mut ask = kit.ask(&[("red-team.md", "new.md")]);
    assert!(!kit::says(&confounders(&kit, &ask), "HEAD"));
    ask.in_place = true;
    let (then, now) = (kit::short(&kit.commits[3]), kit::short(&kit.commits[4]));
    let words = format!("was at {then} then and is at {now} now");
    assert!(kit::says(&confounders(&kit, &ask), &words));
    ask.in_place = false;
    kit.experiment.baseline = Some("0".repeat(40));
    let plan = kit.plan(&ask).unwrap();
    assert_eq!(plan.commit, None);
    assert!(kit::says(&plan.confounders, "is unknown"));
}

#[test]
fn without_a_runner_the_hand_off_lists_what_to_do_and_nothing_swapped_is_said() {
    let mut kit = Kit::new();
    let plan = kit.plan(&kit.ask(&[])).unwrap();
    assert!(kit::says(&plan.notes, "No template is replaced"));
    assert!(kit::says(&plan.notes, "what was not committed then"));
    let later = kit.plan(&kit.ask(&[("red-team.md", "new.md")])).unwrap();
    assert!(kit::says(
        &later.notes,
        "what the project ignores is not in it"
    ));
    let handoff = plan.handoff.unwrap();
    let briefing = handoff.briefing.lossy().into_owned();
    assert!(briefing.contains("6 dispatches"), "{briefing}");
    assert!(briefing.contains("  2. implementer, again for dispatch 3 (phase 3, implementer)"));
    kit.runner = Some(runner("claude", &["claude"]));
    assert_eq!(kit.plan(&kit.ask(&[])).unwrap().handoff, None);
}

#[test]
fn what_both_arms_share_is_a_note_of_an_experiment() {
    let mut kit = Kit::new();
    kit.runner = Some(runner("stand-in", &["relight", "stand-in"]));
    let mut ask = kit.ask(&[("red-team.md", "new.md")]);
    let look = kit.plan(&ask).unwrap();
    assert!(kit::says(&look.confounders, "stub runner"));
    ask.repeat = 10;
    let plan = kit.plan(&ask).unwrap();
    assert!(plan.confounders.is_empty(), "{:?}", plan.confounders);
    assert!(kit::says(&plan.notes, "stub runner"));
    assert!(kit::says(&plan.unlike_original, "stub runner"));
}

#[test]
fn what_the_blocks_can_show_is_said_of_the_metrics_that_decide() {
    let kit = Kit::new();
    let mut ask = kit.ask(&[("red-team.md", "new.md")]);
    ask.repeat = 6;
    let metric = |word: &str| OwnMetric {
        primary: true,
        ..OwnMetric::parse(word).unwrap()
    };
    let shown = |ask: &ReplayAsk| {
        let notes = kit.plan(ask).unwrap().notes;
        let mut notes = notes.iter().map(|note| note.lossy().into_owned());
        notes.find(|note| note.contains("6 blocks")).unwrap()
    };
    assert!(shown(&ask).contains("97 % against 0 %"));
    ask.metrics = vec![metric("a=true"), metric("b=true")];
    let two = shown(&ask);
    assert!(
        two.starts_with("6 blocks cannot reach a verdict: 8 or more are needed"),
        "{two}"
    );
}
