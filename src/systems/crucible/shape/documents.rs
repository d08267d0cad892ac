//! The Markdown and small JSONL files that skills write for a run: dispatch files, hand-offs, the status page, the gate
//! ledger, gate verdicts, receipts.

use std::path::Path;

use chrono::NaiveDateTime;

use crate::formats::{json, jsonl, markdown, stamp};
use crate::model::{LocalTime, Stamp};

/// The header of a dispatch file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Dispatch {
    pub(crate) at: Option<Stamp>,
    pub(crate) phase: Option<String>,
}

/// Parses a dispatch file's header: the lines before its first rule.
pub(crate) fn dispatch(text: &str, zone: &dyn LocalTime) -> Dispatch {
    let first = || text.lines().take(20);
    let head = || first().take_while(|line| line.trim() != "---");
    let combined = head().find(|line| line.contains("**Pipeline:**"));
    let phase = combined.and_then(|line| markdown::value(line.split('|'), "phase"));
    Dispatch {
        at: markdown::value(head(), "timestamp").and_then(|t| stamp::parse(t, zone)),
        phase: phase.map(str::to_owned),
    }
}

/// A hand-off between two phases.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Handoff {
    /// As in the file's name: `2`, `3`, `Synthesis`.
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) at: Option<Stamp>,
    pub(crate) goal: Option<String>,
    pub(crate) mode: Option<String>,
    pub(crate) inputs: Vec<(String, String)>,
    pub(crate) decisions: Vec<String>,
    pub(crate) constraints: Vec<String>,
}

/// The phases in a file name `handoff-<N>-to-<M>.md`.
pub(crate) fn handoff_name(name: &str) -> Option<(&str, &str)> {
    let inner = name.strip_prefix("handoff-")?.strip_suffix(".md")?;
    let (from, to) = inner.split_once("-to-")?;
    (!from.is_empty() && !to.is_empty()).then_some((from, to))
}

/// Whether a path in the scratch folder is that of a run's own document.
pub(crate) fn is_scratch_document(rel: &Path) -> bool {
    const NAMES: [&str; 4] = [
        ".pipeline-active",
        "pipeline-status.md",
        "build-gate-ledger.md",
        "cairn/active-run.md",
    ];
    let gates = ["active-run-", "gate-verdict-"];
    let gate = |name: &str| gates.iter().any(|it| name.starts_with(it));
    let text = rel.to_str().unwrap_or_default();
    NAMES.contains(&text)
        || handoff_name(text).is_some()
        || text.strip_prefix("quality-gate/").is_some_and(gate)
}

/// Reads a hand-off.
pub(crate) fn handoff(name: &str, text: &str, zone: &dyn LocalTime) -> Option<Handoff> {
    let (from, to) = handoff_name(name)?;
    let value = |key| markdown::value(text.lines(), key).filter(|v| !v.is_empty());
    let sections = markdown::sections(text);
    let begins = |wanted: &str| {
        let mut all = sections.iter();
        let found = all.find(|it| it.title.to_lowercase().starts_with(wanted));
        found.map_or(&[][..], |it| it.body.as_slice())
    };
    let inputs = begins("inputs for phase").iter();
    let inputs = inputs.filter_map(|line| markdown::pair(line));
    Some(Handoff {
        from: from.to_owned(),
        to: to.to_owned(),
        at: value("timestamp").and_then(|t| stamp::parse(t, zone)),
        goal: value("goal").map(str::to_owned),
        mode: value("mode").map(str::to_owned),
        inputs: inputs.map(|(k, v)| (k.to_owned(), v.to_owned())).collect(),
        decisions: bullets(begins("decisions")),
        constraints: bullets(begins("active constraints")),
    })
}

/// The list items of some lines, without their bullets.
fn bullets(lines: &[&str]) -> Vec<String> {
    let items = lines.iter().filter_map(|line| {
        let item = line.trim().strip_prefix(['-', '*', '+'])?.trim();
        (!item.is_empty()).then(|| item.to_owned())
    });
    items.collect()
}

/// `pipeline-status.md`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct StatusPage {
    pub(crate) updated: Option<Stamp>,
    pub(crate) phase: Option<String>,
    pub(crate) goal: Option<String>,
    pub(crate) decisions: Vec<String>,
    pub(crate) constraints: Vec<String>,
    pub(crate) next_steps: Vec<String>,
}

/// Reads the status page.
pub(crate) fn status_page(text: &str, zone: &dyn LocalTime) -> StatusPage {
    let top = || text.lines().take_while(|line| !line.starts_with("## "));
    let sections = markdown::sections(text);
    let state = markdown::section(&sections, "compression state");
    let body = state.map_or(&[][..], |s| s.body.as_slice());
    let goal = markdown::value(body.iter().copied(), "goal");
    StatusPage {
        updated: markdown::value(top(), "updated").and_then(|at| stamp::parse(at, zone)),
        phase: markdown::value(top(), "phase").map(str::to_owned),
        goal: goal.filter(|goal| !goal.is_empty()).map(str::to_owned),
        decisions: list_below(body, "key decisions"),
        constraints: list_below(body, "active constraints"),
        next_steps: list_below(body, "next steps"),
    }
}

/// The keys of the compression state.
const KEYS: [&str; 10] = [
    "goal",
    "key decisions",
    "active constraints",
    "next steps",
    "skill",
    "phase",
    "health",
    "progress",
    "files modified",
    "scratch state",
];

/// The items below a `Key:` line, up to the next key; the value on the key's own line counts as one.
fn list_below(lines: &[&str], wanted: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut inside = false;
    for line in lines {
        let bare = line.trim_start_matches(['-', '*', '+', ' ', '#']);
        let key = markdown::pair(line).filter(|(key, value)| {
            let key = key.to_lowercase();
            KEYS.iter().any(|known| key.starts_with(known))
                && (value.is_empty() || !line.starts_with(' '))
        });
        if let Some((key, value)) = key {
            inside = key.to_lowercase().starts_with(wanted);
            if inside && !value.is_empty() {
                items.push(value.to_owned());
            }
        } else if bare.to_lowercase().trim_end_matches(['*', ':', ' ']) == wanted {
            inside = true;
        } else if inside {
            let numbered = bare.trim_start_matches(|c: char| c.is_ascii_digit());
            let item = numbered.strip_prefix('.').unwrap_or(bare).trim();
            if !item.is_empty() {
                items.push(item.to_owned());
            }
        }
    }
    items
}

/// One phase of the gate ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct LedgerPhase {
    pub(crate) number: String,
    pub(crate) status: String,
    pub(crate) acknowledged: bool,
}

impl LedgerPhase {
    /// Whether a build goes on to the next phase.
    pub(crate) fn is_passed(&self) -> bool {
        matches!(self.status.as_str(), "PASS" | "COMPLETE")
            || (self.status == "SKIPPED" && self.acknowledged)
    }
}

/// `build-gate-ledger.md`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Ledger {
    pub(crate) goal: Option<String>,
    /// From its `PipelineID: build-YYYYMMDD-HHMMSS`, which is not the session.
    pub(crate) began: Option<Stamp>,
    pub(crate) phases: Vec<LedgerPhase>,
}

/// Parses the gate ledger; its first line must match exactly.
pub(crate) fn ledger(text: &str, zone: &dyn LocalTime) -> Option<Ledger> {
    if text.lines().next()?.trim_end() != "# Build Gate Ledger" {
        return None;
    }
    let top = || text.lines().take_while(|line| !line.starts_with("## "));
    let phases = markdown::sections(text)
        .iter()
        .filter(|s| s.level == 2)
        .filter_map(|s| {
            let rest = s.title.strip_prefix("Phase ")?;
            let number = rest.split(':').next()?.trim();
            let value = |key| markdown::value(s.body.iter().copied(), key);
            Some(LedgerPhase {
                number: number.to_owned(),
                status: value("status")?.to_owned(),
                acknowledged: value("acknowledged").is_some_and(|v| v.eq_ignore_ascii_case("true")),
            })
        })
        .collect();
    Some(Ledger {
        goal: markdown::value(top(), "goal").map(str::to_owned),
        began: markdown::value(top(), "pipelineid").and_then(|id| began(id, zone)),
        phases,
    })
}

/// The time in `build-YYYYMMDD-HHMMSS`.
fn began(id: &str, zone: &dyn LocalTime) -> Option<Stamp> {
    let digits: String = id.chars().filter(char::is_ascii_digit).collect();
    let at = NaiveDateTime::parse_from_str(digits.get(..14)?, "%Y%m%d%H%M%S");
    stamp::parse(&at.ok()?.to_string(), zone)
}

/// `quality-gate/gate-verdict-<run>.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GateVerdict {
    pub(crate) verdict: String,
    pub(crate) phase: String,
    pub(crate) at: Option<Stamp>,
    /// The line of the verdict, counted from 1.
    pub(crate) line: Option<u64>,
}

/// Reads a gate verdict.
pub(crate) fn gate_verdict(text: &str, zone: &dyn LocalTime) -> Option<GateVerdict> {
    let value = |key| markdown::value(text.lines(), key);
    let stated = |line: &str| markdown::value(std::iter::once(line), "verdict").is_some();
    let line = text.lines().position(stated);
    Some(GateVerdict {
        line: line.map(|at| at as u64 + 1),
        verdict: value("verdict")?.to_ascii_uppercase(),
        phase: value("phase").unwrap_or_default().to_owned(),
        at: value("timestamp").and_then(|t| stamp::parse(t, zone)),
    })
}

/// A line of `receipt-ledger.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Receipt {
    pub(crate) seq: u64,
    pub(crate) verdict: String,
    /// Its line, counted from 1.
    pub(crate) line: u64,
}

/// Reads receipts; unusable lines are left out.
pub(crate) fn receipts(bytes: &[u8]) -> Vec<Receipt> {
    jsonl::objects(bytes)
        .filter_map(|(line, map)| {
            let id = json::text(&map, "dispatch_id")?;
            let seq = id.split('-').next()?.parse().ok()?;
            let verdict = json::text(&map, "verdict")?.to_ascii_uppercase();
            Some(Receipt { seq, verdict, line })
        })
        .collect()
}

/// The invariants and open obligations of a cairn, the newest notes of a build.
pub(crate) fn cairn(text: &str) -> Vec<String> {
    let sections = markdown::sections(text);
    let titles = ["invariants", "open_obligations"].iter();
    let found = titles.filter_map(|title| markdown::section(&sections, title));
    found.flat_map(|section| bullets(&section.body)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::clock::FixedClock;

    fn zone() -> FixedClock {
        FixedClock("2026-04-08T12:00:00Z".parse().unwrap())
    }

    #[test]
    fn reads_a_dispatch_header_and_nothing_of_its_body() {
        let text = "# Dispatch: build-implementer\n**Pipeline:** build | **Phase:** 3 | **Task:** 4\n**Timestamp:** 2026-04-08T10:22:41Z\n---\n**Timestamp:** 2020-01-01T00:00:00Z\n";
        let read = dispatch(text, &zone());
        assert_eq!(read.at.unwrap().unix(), 1_775_643_761);
        assert_eq!(read.phase.as_deref(), Some("3"));
        assert_eq!(
            dispatch("---\n**Timestamp:** 2020-01-01T00:00:00Z", &zone()).at,
            None
        );
    }

    #[test]
    fn reads_a_handoff() {
        let text = "# Phase Handoff: 2 → 3\n**Timestamp:** 2026-04-08T10:00:00Z\n**Goal:** Add: a cache\n**Mode:** feature\n## Inputs for Phase 3\n- **plan:** docs/plans/x.md\n## Decisions Carried Forward\n- [DEC-1] LRU\n## Active Constraints\n- no new deps\n## Shed Receipt\n- none\n";
        let read = handoff("handoff-2-to-3.md", text, &zone()).unwrap();
        assert_eq!((read.from.as_str(), read.to.as_str()), ("2", "3"));
        assert_eq!(read.goal.as_deref(), Some("Add: a cache"));
        assert_eq!(
            read.inputs,
            [("plan".to_owned(), "docs/plans/x.md".to_owned())]
        );
        assert_eq!(read.decisions, ["[DEC-1] LRU"]);
        assert_eq!(read.constraints, ["no new deps"]);
        assert!(handoff("handoff-2.md", text, &zone()).is_none());
    }

    #[test]
    fn reads_the_compression_state_of_a_status_page() {
        let text = "# Pipeline Status\n**Updated:** 2026-04-08T10:00:00Z\n**Phase:** 3 — Execute\n**Health:** GREEN\n## Recent Events\n- [10:00] x\n## Compression State\nGoal: add a cache\nKey Decisions:\n- LRU\n- no TTL\nActive Constraints:\n- keep API\nNext Steps:\n1. finish task 5\n2. review\n";
        let page = status_page(text, &zone());
        assert_eq!(page.phase.as_deref(), Some("3 — Execute"));
        assert_eq!(page.goal.as_deref(), Some("add a cache"));
        assert_eq!(page.decisions, ["LRU", "no TTL"]);
        assert_eq!(page.constraints, ["keep API"]);
        assert_eq!(page.next_steps, ["finish task 5", "review"]);
    }

    #[test]
    fn reads_a_ledger_only_by_its_exact_first_line() {
        let text = "# Build Gate Ledger\nRun: x\nPipelineID: build-20260408-095802\nGoal: g\n## Phase 1: Design\nStatus: PASS\n## Phase 2: Plan\nStatus: SKIPPED\nAcknowledged: true\n";
        let read = ledger(text, &zone()).unwrap();
        assert_eq!(read.began.unwrap().unix(), 1_775_642_282);
        assert_eq!(read.phases.len(), 2);
        assert!(read.phases[1].acknowledged);
        assert!(ledger("# Build gate ledger\n", &zone()).is_none());
    }

    #[test]
    fn reads_receipts_and_verdicts() {
        let text = b"{\"dispatch_id\":\"12-red-team\",\"verdict\":\"fail\"}\n{bad\n{\"dispatch_id\":\"x\",\"verdict\":\"PASS\"}\n";
        assert_eq!(
            receipts(text),
            [Receipt {
                seq: 12,
                verdict: "FAIL".to_owned(),
                line: 1,
            }]
        );
        let verdict = gate_verdict("Verdict: ESCALATED\nPhase: plan\n", &zone()).unwrap();
        assert_eq!(
            (verdict.verdict.as_str(), verdict.phase.as_str()),
            ("ESCALATED", "plan")
        );
        assert_eq!(
            cairn("# C\n## INVARIANTS\n- a\n## OPEN_OBLIGATIONS\n- b\n## LEDGER\n- c\n"),
            ["a", "b"]
        );
    }
}
