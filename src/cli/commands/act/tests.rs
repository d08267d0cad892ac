//! Consent with scripted people and with nobody: what is asked, what counts as yes, what is refused.

use std::mem::ManuallyDrop;

use super::consent::{Answers, Consents, needed};
use super::question::Facts;
use super::testdata::{FINGERPRINT, failing, plan, undo};
use crate::cli::args::ConsentArgs;
use crate::cli::person::{Nobody, Person as _, Scripted};
use crate::cli::prelude::*;
use crate::config::{Config, Confirm};
use crate::engine::Engine;
use crate::model::Origin;
use crate::world::fake::FakeWorld;

fn args(confirm: Option<&str>, yes: bool) -> ConsentArgs {
    ConsentArgs {
        confirm: confirm.map(str::to_owned),
        yes,
        dry_run: false,
    }
}

fn said() -> Vec<OsString> {
    ["/bin/relight", "resume", "my run", "--json"]
        .map(OsString::from)
        .to_vec()
}

fn consents<'a>(args: &'a ConsentArgs, said: &'a [OsString], style: Confirm) -> Consents<'a> {
    Consents { args, said, style }
}

fn none(_plan: &Plan) -> Facts {
    Facts::default()
}

#[test]
fn only_the_right_word_is_consent() {
    use Confirm::{Key, Typed};
    let table: &[(bool, Confirm, &[&str], bool)] = &[
        (true, Key, &["yes"], true),
        (true, Key, &[" yes "], true),
        (true, Key, &["y"], false),
        (true, Key, &["YES"], false),
        (true, Key, &[""], false),
        (true, Key, &[], false),
        (false, Key, &["y"], true),
        (false, Key, &["yes"], true),
        (false, Key, &[""], false),
        (false, Key, &["n"], false),
        (false, Key, &["Y"], false),
        (false, Typed, &["y"], false),
        (false, Typed, &["yes"], true),
    ];
    let (args, said) = (args(None, false), said());
    for (destructive, style, typed, agreed) in table {
        let plan = plan(3, *destructive);
        let mut person = Scripted::typing(typed);
        let result = consents(&args, &said, *style).agree(&plan, &mut person, &none);
        let case = format!("{destructive} {style:?} {typed:?}");
        match result {
            Ok(consent) => {
                assert!(*agreed, "{case}");
                assert_eq!(consent.fingerprint(), &plan.fingerprint);
            }
            Err(error) => {
                assert!(!*agreed, "{case}");
                assert_eq!(error.kind, ErrorKind::Cancelled, "{case}");
            }
        }
    }
}

#[test]
fn nobody_is_asked_and_the_exact_command_is_offered() {
    let (args, said) = (args(None, false), said());
    let plan = plan(3, true);
    let error = consents(&args, &said, Confirm::Key)
        .agree(&plan, &mut Nobody, &none)
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Consent);
    let hint = error.hints[0].lossy().into_owned();
    let line = format!(": relight resume 'my run' --json --confirm {FINGERPRINT}");
    assert!(hint.ends_with(&line), "{hint}");
    let error = needed(&mut Nobody, false, &said, "purge", &[]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Consent);
    assert!(error.hints[0].lossy().contains("--yes"));
    assert!(needed(&mut Nobody, true, &said, "purge", &[]).is_ok());
}

#[test]
fn a_fingerprint_agrees_to_its_own_plan_only() {
    let plan = plan(3, true);
    let mut said = said();
    said.extend(["--confirm", "ffff"].map(OsString::from));
    for (fingerprint, agreed) in [
        (FINGERPRINT, true),
        ("0123", false),
        ("", false),
        ("ffff", false),
    ] {
        let args = args(Some(fingerprint), false);
        let consents = consents(&args, &said, Confirm::Key);
        let still = consents.check_fingerprint(&plan);
        let result = consents.agree(&plan, &mut Scripted::typing(&["yes"]), &none);
        assert_eq!(
            (result.is_ok(), still.is_ok()),
            (agreed, agreed),
            "{fingerprint}"
        );
        if let Err(error) = result {
            assert_eq!(error.kind, ErrorKind::Refused);
            assert!(error.hints[0].lossy().contains(FINGERPRINT));
            let line = error.hints[1].lossy().into_owned();
            assert!(
                line.ends_with(": relight resume 'my run' --json --dry-run"),
                "{line}"
            );
        }
    }
    let yes = args(None, true);
    let consent = consents(&yes, &said, Confirm::Typed).agree(&plan, &mut Nobody, &none);
    assert!(consent.is_ok(), "--yes is whatever the plan is now");
}

#[test]
fn unknown_liveness_alone_is_answered_in_words_and_by_nothing_else() {
    let refused = |guards: &[&'static str]| Plan {
        guards: guards.iter().map(|id| failing(id)).collect(),
        ..plan(3, true)
    };
    let (asked, yes, said) = (args(None, false), args(None, true), said());
    // Guards, the guards of the second plan, options, typed lines; the expected result.
    let unknown: &[&'static str] = &["liveness"];
    let both: &[&'static str] = &["branch", "liveness"];
    let table = [
        (unknown, &[][..], &asked, &["not running"][..], None),
        (unknown, &[], &asked, &["yes"], Some(ErrorKind::Cancelled)),
        (unknown, &[], &asked, &[""], Some(ErrorKind::Cancelled)),
        (unknown, &[], &asked, &[], Some(ErrorKind::Cancelled)),
        // Alive: an answer cannot make it stop.
        (
            unknown,
            unknown,
            &asked,
            &["not running"],
            Some(ErrorKind::Refused),
        ),
        (
            both,
            &["branch"],
            &asked,
            &["not running"],
            Some(ErrorKind::Refused),
        ),
        (
            &["branch"],
            &[],
            &asked,
            &["not running"],
            Some(ErrorKind::Refused),
        ),
        (
            unknown,
            &[],
            &yes,
            &["not running"],
            Some(ErrorKind::Refused),
        ),
        (&[], &[], &asked, &[], None),
    ];
    for (first, again, args, typed, expected) in table {
        let make = |answers: &Answers| -> Result<Plan> {
            assert!(answers.stopped);
            Ok(refused(again))
        };
        let mut person = Scripted::typing(typed);
        let result =
            consents(args, &said, Confirm::Key).passable(refused(first), &make, &mut person);
        let kind = result.err().map(|error| error.kind);
        assert_eq!(kind, expected, "{first:?} {again:?} {typed:?}");
        if expected == Some(ErrorKind::Refused) {
            assert_eq!(person.saw, "", "a guard refuses before any question");
        }
    }
    let error = consents(&asked, &said, Confirm::Key)
        .passable(refused(unknown), &|_| Ok(refused(&[])), &mut Nobody)
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
}

#[test]
fn the_question_counts_exactly_caps_lists_and_says_losses_last() {
    let ledger = vec![Irreversible {
        kind: "push",
        text: "feat/x was pushed.".into(),
        remedy: "gh pr close 12".into(),
        origin: Origin {
            file: "/log".into(),
            line: Some(3),
        },
    }];
    let facts = |_: &Plan| Facts {
        ledger: ledger.clone(),
        ..Facts::default()
    };
    let (args, said) = (args(None, false), said());
    let mut person = Scripted::typing(&[""]);
    let result = consents(&args, &said, Confirm::Key).agree(&plan(30, true), &mut person, &facts);
    assert!(result.is_err());
    let saw = person.saw.clone();
    let order = [
        "Resume crucible-17~27b5 at wave-2",
        "checkpoint  pre-wave-2",
        "1 change\n",
        "28 overwritten, 0 recreated, 2 moved aside",
        // What is removed is listed before what is written.
        "R src/file-1.rs\n    R src/file-0.rs\n    M src/file-29.rs",
        "(+22 more)",
        "push: feat/x was pushed.",
        "gh pr close 12",
        "Overwritten",
        "2 files created after the checkpoint are moved aside.",
        "undo with   relight undo (replaced files",
        "fingerprint 01234567\n",
        "Type yes to continue; anything else cancels: ",
    ];
    let mut from = 0;
    for words in order {
        let at = saw.get(from..).unwrap().find(words);
        from += at.unwrap_or_else(|| panic!("{words:?} is not after the rest in:\n{saw}"));
    }
    assert!(
        !saw.contains(FINGERPRINT.get(..9).unwrap()),
        "eight digits are enough"
    );
    let wide = saw.lines().filter(|line| line.len() > person.width());
    assert_eq!(wide.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn an_undo_names_redo_as_its_undo() {
    let (args, said) = (args(None, false), said());
    let mut person = Scripted::typing(&["yes"]);
    let consents = consents(&args, &said, Confirm::Key);
    assert!(consents.agree(&undo(3), &mut person, &none).is_ok());
    assert!(
        person
            .saw
            .starts_with("Undo 20261121T071500 of crucible-17~27b5\n"),
        "{}",
        person.saw
    );
    assert!(person.saw.contains("relight redo (replaced"));
    // Nothing is kept of files that are only created.
    let mut creates = undo(3);
    creates.destructive = false;
    let mut person = Scripted::typing(&["y"]);
    assert!(consents.agree(&creates, &mut person, &none).is_ok());
    assert!(person.saw.contains("undo with   relight redo\n"));
}

/// A session over a world in which nothing is.
fn nowhere() -> Session {
    let world = FakeWorld::from("2026-11-21T07:00:00+00:00");
    Session {
        engine: ManuallyDrop::new(Engine::new(Box::new(world), vec![])),
        request: Request::default(),
        config: Config::default(),
        named: std::cell::RefCell::default(),
        said: said(),
        width: 80,
    }
}

fn outcome(state: RecoveryState) -> Outcome {
    let at = chrono::DateTime::parse_from_rfc3339("2026-11-21T07:00:00+00:00").unwrap();
    let plan = plan(3, true);
    let recovery = Recovery {
        id: RecoveryId("20261121T071500".to_owned()),
        pipeline: plan.pipeline,
        root: "/projects/shop".into(),
        label: "wave-2".into(),
        started_at: at,
        ended_at: Some(at),
        state,
        undoes: None,
        is_redo: false,
        undone_by: None,
        undo_purged: false,
        superseded_by: None,
        actions: plan.actions,
        handoff: plan.handoff,
        kept_bytes: 7,
        kept_in: vec![],
        purged: false,
        running: false,
        trouble: vec![],
        left: vec![],
        paths: vec![],
    };
    Outcome {
        recovery: Some(recovery),
        verified: vec![],
        notes: vec!["The disk was full.".into()],
        handoff: None,
    }
}

#[test]
fn what_was_rolled_back_or_is_unclear_is_no_success() {
    let table = [
        (RecoveryState::Committed, None),
        (RecoveryState::RolledBack, Some((ErrorKind::RolledBack, 6))),
        (RecoveryState::NeedsAttention, Some((ErrorKind::Unclear, 7))),
    ];
    for (state, expected) in table {
        let done = super::committed(&nowhere(), outcome(state));
        let error = done.err();
        let found = error.as_ref().map(|e| (e.kind, Exit::from(e.kind) as u8));
        assert_eq!(found, expected, "{state:?}");
        if let Some(error) = error {
            let said = error.hints.iter().any(|hint| *hint == "The disk was full.");
            assert!(said, "what happened is said: {:?}", error.hints);
        }
    }
}
