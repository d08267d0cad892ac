//! `workflows/<run>.json`, which the client writes only when a run ends.

use serde_json::{Map, Value};

use crate::formats::json::{self, At};

/// What a snapshot says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Snapshot {
    pub(crate) status: String,
    pub(crate) error: Option<String>,
    pub(crate) name: Option<String>,
    /// When the run ended, as written.
    pub(crate) ended: Option<String>,
    pub(crate) started_ms: Option<i64>,
    pub(crate) duration_ms: Option<i64>,
    pub(crate) tokens: Option<u64>,
    pub(crate) script: Option<String>,
    pub(crate) script_path: Option<String>,
    /// As it was written, byte for byte.
    pub(crate) args: Option<Vec<u8>>,
    pub(crate) phases: Vec<String>,
    pub(crate) agents: Vec<Listed>,
    /// How many agents were started, as it counts them.
    pub(crate) count: Option<u64>,
}

/// An agent in the snapshot's progress.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Listed {
    pub(crate) id: Option<String>,
    pub(crate) label: Option<String>,
    pub(crate) phase: Option<String>,
    pub(crate) attempt: u64,
    pub(crate) worktree: bool,
    pub(crate) tokens: Option<u64>,
}

impl Snapshot {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, json::JsonError> {
        let map = json::object(bytes)?;
        let unsigned = |key| json::int(&map, key).and_then(|n| u64::try_from(n).ok());
        let maps = |key| json::list(&map, key).iter().filter_map(Value::as_object);
        Ok(Self {
            status: json::owned(&map, "status").unwrap_or_default(),
            error: json::owned(&map, "error"),
            name: json::owned(&map, "workflowName"),
            ended: json::owned(&map, "timestamp"),
            started_ms: json::int(&map, "startTime"),
            duration_ms: json::int(&map, "durationMs"),
            tokens: unsigned("totalTokens"),
            script: json::owned(&map, "script"),
            script_path: json::owned(&map, "scriptPath"),
            args: json::raw(bytes, &[At::Key("args")]).map(<[u8]>::to_vec),
            count: unsigned("agentCount"),
            phases: maps("phases")
                .filter_map(|phase| json::owned(phase, "title"))
                .collect(),
            agents: maps("workflowProgress")
                .filter(|one| json::text(one, "type") == Some("workflow_agent"))
                .map(listed)
                .collect(),
        })
    }
}

fn listed(map: &Map<String, Value>) -> Listed {
    let unsigned = |key| json::int(map, key).and_then(|n| u64::try_from(n).ok());
    Listed {
        id: json::owned(map, "agentId"),
        label: json::owned(map, "label"),
        phase: json::owned(map, "phaseTitle"),
        attempt: unsigned("attempt").unwrap_or(1),
        worktree: json::text(map, "isolation") == Some("worktree"),
        tokens: unsigned("tokens"),
    }
}
