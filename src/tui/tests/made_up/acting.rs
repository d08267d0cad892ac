//! Synthetic operations: what was applied, and how writing ends.

use crate::tui::screens::recoveries::as_plan;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use super::plan::paths;
use super::{MadeUp, stamp};
use crate::model::*;

/// How progress of an action is reported.
pub(in crate::tui::tests) type TellStage<'a> = &'a dyn Fn(&StageProgress);

/// An error with a sentence.
pub(in crate::tui::tests) fn error(text: &str) -> EngineError {
    EngineError::new(ErrorKind::NotFound, text)
}

/// How writing ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::tui::tests) enum End {
    /// As planned.
    #[default]
    Done,
    /// Nothing was begun.
    Refused,
    /// Begun, failed, undone.
    RolledBack,
    /// Unknown.
    Unclear,
}

const SHOP: &str = "/home/ada/src/shop";
const KEPT: &str = "/home/ada/.local/state/relight/shop/tx-0001";

fn handoff() -> Handoff {
    Handoff {
        cwd: SHOP.into(),
        argv: vec!["claude".into(), "/replay it's me".into()],
        prompt: "Go on with wave 1.".into(),
        briefing: "Project: /home/ada/src/shop\nGo on with wave 1.".into(),
        ..Handoff::default()
    }
}

/// The paths of a restore, each with the place where its other content is kept.
fn restored() -> Action {
    let paths: Vec<PlanPath> = paths(RestoreMode::Overlay)
        .into_iter()
        .filter(|path| matches!(path.change, PathChange::Write | PathChange::Create))
        .map(|path| PlanPath { blob: None, ..path })
        .collect();
    let pairs = (0..).zip(&paths).map(|(number, path)| {
        use std::os::unix::ffi::OsStrExt as _;
        let name = std::ffi::OsStr::from_bytes(path.path.as_bytes());
        KeptPair {
            content: KeptContent::Backup,
            here: Path::new(SHOP).join(name),
            kept: (path.change == PathChange::Write)
                .then(|| PathBuf::from(format!("{KEPT}/slots/{number}"))),
        }
    });
    Action {
        kind: ActionKind::RestoreTree,
        target: SHOP.into(),
        summary: "Puts 4 files back to 3fa23fa2; files created after the checkpoint are kept."
            .into(),
        changes: Some(ChangeCounts {
            modified: 3,
            added: 1,
            removed: 0,
            branch: None,
        }),
        preview: Preview::Kept {
            pairs: pairs.collect(),
        },
        paths,
    }
}

fn rewritten() -> Action {
    Action {
        kind: ActionKind::ReplaceFile,
        target: format!("{SHOP}/.state/state.json").into(),
        summary: "Sets the current wave.".into(),
        changes: None,
        paths: Vec::new(),
        preview: Preview::Kept {
            pairs: vec![KeptPair {
                content: KeptContent::Backup,
                here: format!("{SHOP}/.state/state.json").into(),
                kept: Some(format!("{KEPT}/slots/9").into()),
            }],
        },
    }
}

fn recovery(id: &str, ago: i64, label: &str) -> Recovery {
    Recovery {
        id: RecoveryId(id.to_owned()),
        pipeline: PipelineId("crucible-1795~ab12".to_owned()),
        root: SHOP.into(),
        label: label.into(),
        started_at: stamp(ago).at,
        ended_at: Some(stamp(ago - 2).at),
        state: RecoveryState::Committed,
        undoes: None,
        is_redo: false,
        undone_by: None,
        undo_purged: false,
        superseded_by: None,
        actions: vec![restored(), rewritten()],
        handoff: handoff(),
        kept_bytes: 48_213,
        kept_in: vec![KEPT.into()],
        purged: false,
        running: false,
        trouble: Vec::new(),
        left: Vec::new(),
        paths: Vec::new(),
    }
}

/// The recoveries, newest first.
pub(in crate::tui::tests) fn recoveries(pending: bool) -> Vec<Recovery> {
    let undone = RecoveryId("20261120T100000Z-c3".to_owned());
    let undo = RecoveryId("20261120T110000Z-d4".to_owned());
    let mut all = vec![
        recovery("20261121T105500Z-e5", 3_900, "wave-1"),
        Recovery {
            id: undo.clone(),
            undoes: Some(undone.clone()),
            ..recovery("", 90_000, "undo of 20261120T100000Z-c3")
        },
        Recovery {
            undone_by: Some(undo),
            ..recovery(&undone.0, 93_600, "phase-2 日本")
        },
        Recovery {
            state: RecoveryState::RolledBack,
            kept_bytes: 0,
            kept_in: Vec::new(),
            ..recovery("20261119T090000Z-b2", 183_600, "wave-1")
        },
        Recovery {
            purged: true,
            kept_bytes: 0,
            kept_in: Vec::new(),
            ..recovery("20261118T090000Z-a1", 270_000, "\u{1b}[31mred")
        },
    ];
    if pending {
        all.insert(
            1,
            Recovery {
                ended_at: None,
                state: RecoveryState::NeedsAttention,
                trouble: vec![
                    "It was interrupted halfway: every file will be restored as it was before."
                        .into(),
                    "2 paths are already as planned: src/cart.rs and src/main.rs.".into(),
                    "3 paths are still as before: src/price.rs, src/stock.rs and tests/cart.rs."
                        .into(),
                ],
                ..recovery("20261121T100000Z-d9", 7_200, "wave-1")
            },
        );
    }
    all
}

/// Entries of the history that cannot be read.
pub(super) fn unreadable(number: usize) -> Vec<Skipped> {
    let entry = |number| Skipped {
        unread: true,
        path: format!("/state/relight/entry-{number}").into(),
        reason: "it is cut off".into(),
    };
    (0..number).map(entry).collect()
}

/// Whether the pipeline of a plan has stopped, as the synthetic machine knows it.
pub(super) fn judge_liveness(machine: &MadeUp, plan: &mut Plan, assume_stopped: bool) {
    if machine.unknown && !assume_stopped {
        let text = "Whether it still runs is unknown. The last write is 4 min old.";
        let cure = "Make sure that it has stopped, then add --assume-stopped.";
        plan.guards.retain(|guard| guard.id != "liveness");
        plan.guards.insert(0, Guard::fails("liveness", text, cure));
        plan.fingerprint.0.replace_range(..1, "0");
    }
}

/// The guards as the synthetic machine has them.
pub(super) fn judge(machine: &MadeUp, plan: &mut Plan, options: &PlanOptions) {
    if machine.ready {
        for guard in &mut plan.guards {
            guard.holds = true;
            guard.would_hold_if = None;
        }
    }
    judge_liveness(machine, plan, options.assume_stopped);
    match machine.open {
        "" => {}
        "branch" => {
            let text = "No branch is recorded; the work tree is on main.";
            let cure = "Say on which branch it ran: --branch NAME.";
            plan.guards.retain(|guard| guard.id != "branch");
            let mut branch = Guard::fails("branch", text, cure);
            branch.holds = options.branch.is_some();
            plan.guards.push(branch);
        }
        "pending_recovery" => {
            let cure = "First: relight recover 20261121T100000Z-d9";
            let pending = Guard::fails("pending_recovery", "A recovery is pending.", cure);
            plan.guards.push(pending);
        }
        id => {
            let mut asks = Guard::ask(id, "The gate of the tests was never passed.");
            asks.holds = options.accept.iter().any(|accepted| accepted == id);
            plan.guards.push(asks);
        }
    }
    let restless = machine.restless.load(Ordering::SeqCst);
    if restless > 0 {
        machine.restless.store(restless + 1, Ordering::SeqCst);
        plan.fingerprint.0 = format!("{restless:064x}");
        let losses = plan.losses.iter_mut();
        losses.for_each(|loss| loss.text = format!("Look {restless}.").into());
    }
}

/// The plan that undoes a recovery.
pub(super) fn undo(id: &RecoveryId, options: &UndoOptions) -> Result<Plan> {
    let found = recoveries(true).into_iter().find(|one| one.id == *id);
    let found = found.ok_or_else(|| error("There is no such recovery."))?;
    let mut plan = as_plan(&found);
    plan.asked = Asked::Undo {
        recovery: id.clone(),
        redoes: None,
        options: options.clone(),
    };
    let keep = &options.keep;
    plan.fingerprint = Fingerprint(format!("{:x}", 0x1234_u64 + keep.len() as u64).repeat(16));
    plan.destructive = true;
    plan.losses = vec![Loss::overwritten(
        "Changed after the recovery and overwritten; redo restores it: src/page.rs.",
    )];
    for action in &mut plan.actions {
        action.changes = None;
        let Preview::Kept { pairs } = &mut action.preview else {
            continue;
        };
        let kept: Vec<bool> = pairs.iter().map(|pair| keep.contains(&pair.here)).collect();
        let mut at = kept.iter();
        pairs.retain(|_| !at.next().unwrap());
        let mut at = kept.iter();
        action.paths.retain(|_| !at.next().unwrap());
        for path in &mut action.paths {
            path.drifted = path.path == "src/page.rs";
            if path.change == PathChange::Create {
                path.change = PathChange::Remove;
            }
        }
    }
    Ok(plan)
}

/// What no undo reverts.
pub(super) fn ledger() -> Vec<Irreversible> {
    vec![Irreversible {
        kind: "push",
        text: "feat/price-cache was pushed to origin at 10:12.".into(),
        remedy: "git push origin --delete feat/price-cache".into(),
        origin: Origin::file("/home/ada/src/shop/manifest.jsonl"),
    }]
}

pub(super) fn rehearsal(plan: &Plan) -> Rehearsal {
    Rehearsal {
        folder: "/tmp/relight-rehearsal-1".into(),
        changed: plan.actions.len() as u64,
        not_covered: vec!["The nested repository vendor/nested is not in the copy.".into()],
        check: Some(CheckRun {
            argv: vec!["cargo".into(), "test".into()],
            passed: false,
            ended: "exit 101".into(),
            seconds: 74,
            output: "running 3 tests\n\u{1b}[31mFAILED\u{1b}[0m price::cache\n".into(),
        }),
    }
}

/// Tells some progress, as work does.
pub(super) fn told(tell: TellStage<'_>) {
    for stage in Stage::ALL {
        for done in [1, 5] {
            tell(&StageProgress {
                stage,
                done,
                total: 5,
            });
        }
    }
}

fn failure(end: End) -> EngineError {
    let (kind, text, hint) = match end {
        End::Refused | End::Done => (
            ErrorKind::Refused,
            "Another relight is at work on this project.",
            "Wait until it has ended.",
        ),
        End::RolledBack => (
            ErrorKind::RolledBack,
            "The disk is full: 3 of 5 files could be staged.",
            "Make room for 12 MiB on /home, then try again.",
        ),
        End::Unclear => (
            ErrorKind::Unclear,
            "src/page.rs holds neither what it held before nor what was planned.",
            "mv '/home/ada/.local/state/relight/shop/tx-0001/slots/3' src/page.rs puts the old one back.",
        ),
    };
    EngineError::new(kind, text).hint(hint)
}

pub(super) fn outcome(end: End, plan: &Plan) -> Result<Outcome> {
    if end != End::Done {
        return Err(failure(end));
    }
    Ok(Outcome {
        recovery: Some(recovery(
            "20261121T120000Z-f6",
            0,
            &plan.point.boundary.id.0,
        )),
        verified: vec!["5 files were read again and hold what was planned.".into()],
        notes: Vec::new(),
        handoff: Some(handoff()),
    })
}

pub(super) fn recovered(end: End, how: &RecoverMode) -> Result<Recovered> {
    if end != End::Done {
        return Err(failure(end));
    }
    Ok(Recovered {
        recovery: Some(Recovery {
            state: match how {
                RecoverMode::Finish => RecoveryState::Committed,
                RecoverMode::Auto | RecoverMode::RollBack => RecoveryState::RolledBack,
                RecoverMode::Export(_) => RecoveryState::NeedsAttention,
            },
            ..recovery("20261121T100000Z-d9", 7_200, "wave-1")
        }),
        said: vec!["2 paths were put back; 0 files differ from before.".into()],
    })
}

/// The outcome of a plan that changes nothing: its hand-off, the briefing written.
pub(super) fn nothing_written(plan: &Plan) -> Outcome {
    let file = std::path::Path::new("/home/ada/.local/state/relight/handoffs/shop-0123456789ab.md");
    Outcome {
        recovery: None,
        verified: Vec::new(),
        notes: Vec::new(),
        handoff: Some(plan.handoff.clone().briefed_by(file)),
    }
}

/// What the backups hold alone, and who reads what is deleted with them.
pub(super) fn purge_loss(mut past: History, id: &RecoveryId) -> (Vec<Recovery>, PurgeLoss) {
    past.recoveries.retain(|one| one.id == *id);
    let loss = PurgeLoss {
        only_copies: vec!["/home/ada/src/shop/src/price.rs".into()],
        handoffs: 1,
        commits: Vec::new(),
    };
    (past.recoveries, loss)
}
