mod files;
mod recoveries;
mod sessions;
mod words;

use super::Operand;
use super::known::Known;
use crate::model::{
    DispatchCounts, PipelineId, ReplaySession, Run, RunKind, SessionId, SessionState,
};

/// A replay that was run to its end.
pub(super) fn session(id: &str, group: &str, repeat: (usize, usize)) -> ReplaySession {
    ReplaySession {
        id: SessionId(id.to_owned()),
        place: None,
        measured: Vec::new(),
        unnumbered: Vec::new(),
        cut_short: false,
        rejected: None,
        pipeline: PipelineId("crucible-x~abcd".to_owned()),
        repeat,
        group: SessionId(group.to_owned()),
        state: SessionState::Done,
        folder: None,
        tree: None,
        manifest: "/m/manifest.jsonl".into(),
        start: None,
        mutations: vec!["a.md -> b.md".into()],
        runner: "stand-in".into(),
        in_place: true,
        started_at: None,
        ended_at: None,
        dispatches: DispatchCounts::default(),
        handoff: None,
        outside: Vec::new(),
        trouble: Vec::new(),
    }
}

/// A round or a stage.
fn run(name: &str) -> Run {
    Run {
        name: name.to_owned(),
        kind: RunKind::Round,
        title: name.into(),
        ..Run::default()
    }
}

fn names(known: &Known) -> Vec<String> {
    let operands: Vec<Operand> = known.operands();
    operands.into_iter().map(|one| one.name).collect()
}
