#![expect(
    clippy::needless_pass_by_value,
    reason = "values are written where they are used"
)]

use super::*;
use crate::model::{CauseKind as K, Sure};
use crate::world::clock::FixedClock;
use chrono::DateTime;
use proptest::prelude::*;
use serde_json::json;
use table::table;

mod matched;
mod passed_over;
mod table;

fn zone() -> FixedClock {
    FixedClock(DateTime::parse_from_rfc3339("2026-11-22T12:00:00+09:00").unwrap())
}

/// A line with the envelope that every line of a conversation has.
fn line(kind: &str, mut fields: Value) -> String {
    let map = fields.as_object_mut().unwrap();
    for (key, value) in [
        ("type", json!(kind)),
        ("timestamp", json!("2026-11-22T08:00:00.000Z")),
        ("sessionId", json!("5c5b2a7e-0000-4000-8000-000000000001")),
        ("cwd", json!("/work/shop")),
        ("gitBranch", json!("main")),
        ("version", json!("2.1.281")),
        ("entrypoint", json!("cli")),
        ("isSidechain", json!(false)),
    ] {
        map.entry(key).or_insert(value);
    }
    format!("{fields}\n")
}

fn user(content: Value, extra: Value) -> String {
    let mut fields = extra;
    fields["message"] = json!({"role": "user", "content": content});
    line("user", fields)
}

fn reply(stop: Value, content: Value) -> String {
    line(
        "assistant",
        json!({"message": {"id": "msg_1", "model": "claude-x", "stop_reason": stop, "content": content,
            "usage": {"input_tokens": 3, "cache_read_input_tokens": 1000, "output_tokens": 7}}}),
    )
}

fn call(name: &str) -> String {
    reply(
        json!("tool_use"),
        json!([{"type": "tool_use", "id": "t1", "name": name, "input": {"question": "CANARY"}}]),
    )
}

fn result(extra: Value) -> String {
    user(
        json!([{"type": "tool_result", "tool_use_id": "t1", "content": "CANARY"}]),
        extra,
    )
}

fn error(kind: Value, status: Value, text: &str) -> String {
    line(
        "assistant",
        json!({"isApiErrorMessage": true, "error": kind, "apiErrorStatus": status,
            "message": {"id": "e", "model": "<synthetic>", "stop_reason": "stop_sequence",
                "content": [{"type": "text", "text": text}]}}),
    )
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

fn ending(bytes: &str) -> Ending {
    read(bytes.as_bytes(), true, Chain::Main, &zone())
        .ending
        .unwrap()
}

#[test]
fn each_row_of_the_table() {
    for (name, lines, kind, sure) in table() {
        let found = ending(&lines);
        // The count is in a line after the reply: bookkeeping of the same turn.
        let kind = if name == "background" {
            K::BackgroundUnfinished
        } else {
            kind
        };
        let sure = if name == "background" {
            Sure::Likely
        } else {
            sure
        };
        assert_eq!((found.kind, found.sure), (kind, sure), "{name}: {found:?}");
        assert!(found.at.is_some() && found.line.is_some(), "{name}");
        let said = format!("{} {:?} {:?}", found.text, found.facts, found.open_tools);
        assert!(!said.contains("CANARY"), "{name}: {said}");
    }
}

/// A screenshot has megabytes.
#[test]
fn an_answer_of_any_length_answers() {
    let image =
        json!([{"type": "tool_result", "tool_use_id": "t1", "content": "A".repeat(3 << 20)}]);
    let lines = call("Read") + &user(image, json!({}));
    assert_eq!(ending(&lines).kind, K::KilledBetweenTurns);
    let short = read_end(lines.as_bytes(), true, &zone()).ending.unwrap();
    assert_eq!(short.kind, K::KilledBetweenTurns);
}

#[test]
fn bookkeeping_and_sidechains_change_nothing() {
    let after = [
        r#"{"type":"last-prompt","lastPrompt":"CANARY","leafUuid":"x"}"#.to_owned() + "\n",
        r#"{"type":"something-new","a":{"b":[1]}}"#.to_owned() + "\n",
        line("progress", json!({})),
        line(
            "assistant",
            json!({"isSidechain": true, "message": {"stop_reason": "end_turn", "content": []}}),
        ),
        user(text("a notice"), json!({"isMeta": true})),
        line(
            "system",
            json!({"subtype": "away_summary", "content": "CANARY"}),
        ),
    ];
    for (name, lines, ..) in table() {
        let before = ending(&lines);
        for more in &after {
            let found = ending(&(lines.clone() + more));
            assert_eq!(
                (found.kind, found.line),
                (before.kind, before.line),
                "{name} + {more}"
            );
        }
    }
}

#[test]
fn the_reset_from_the_server_counts_and_another_in_the_text_is_reported() {
    let text = "You've hit your weekly limit · resets Oct 1, 11am (Europe/London)";
    let quota = |at: i64| {
        line(
            "assistant",
            json!({"timestamp": "2026-09-30T10:00:00Z", "isApiErrorMessage": true, "error": "rate_limit", "apiErrorStatus": 429,
                "quotaLimits": {"status": "rejected", "resetsAt": at, "rateLimitType": "seven_day"},
                "message": {"model": "<synthetic>", "content": [{"type": "text", "text": text}]}}),
        )
    };
    let same = ending(&quota(1_790_848_800));
    assert_eq!(same.until.map(|until| until.unix()), Some(1_790_848_800));
    assert!(
        same.facts.is_empty() && same.text.contains("weekly limit"),
        "{same:?}"
    );
    let other = ending(&quota(1_790_852_400));
    assert_eq!(other.until.map(|until| until.unix()), Some(1_790_852_400));
    assert_eq!(other.facts.len(), 1, "{other:?}");
}

#[test]
fn an_agent_file_is_read_by_the_same_rules() {
    let side = |lines: String| lines.replace("\"isSidechain\":false", "\"isSidechain\":true");
    let lines = side(reply(json!("end_turn"), text("the answer")));
    assert_eq!(
        read(lines.as_bytes(), true, Chain::Main, &zone()).ending,
        None
    );
    let found = read(lines.as_bytes(), true, Chain::Agent, &zone());
    assert_eq!(found.answer, Some(json!("the answer")));
    assert_eq!(
        (found.total_tokens, found.context_tokens),
        (1010, Some(1003))
    );
}

#[test]
fn the_lines_of_one_reply_count_once_and_each_of_its_calls_is_seen() {
    let one = reply(
        json!(null),
        json!([{"type": "tool_use", "id": "t1", "name": "Read", "input": {}}]),
    );
    let two = reply(
        json!("tool_use"),
        json!([{"type": "tool_use", "id": "t2", "name": "Bash", "input": {}}]),
    );
    let answered = result(json!({}));
    let found = read(
        (one + &two + &answered).as_bytes(),
        true,
        Chain::Main,
        &zone(),
    );
    assert_eq!(found.total_tokens, 1010);
    assert_eq!(found.ending.unwrap().open_tools, ["Bash"]);
}

#[test]
fn only_the_last_continuation_counts() {
    let moved = |to: &str| {
        format!(
            "{}\n",
            json!({"type": "continued-in", "continuedInSessionId": to})
        )
    };
    let read = |lines: String| read(lines.as_bytes(), true, Chain::Main, &zone()).moved_to;
    assert_eq!(
        read(call("Bash") + &moved("a") + &moved("b")).as_deref(),
        Some("b")
    );
    assert_eq!(read(moved("a") + &call("Bash")), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any excerpt of any conversation gives an ending, and never shows its text.
    #[test]
    fn any_cut_answers(row in 0_usize..33, from in 0_usize..1_000, to in 0_usize..1_000) {
        let table = table();
        let (_, lines, ..) = &table[row % table.len()];
        let at = |part: usize| lines.len() * part / 1_000;
        let bytes = &lines.as_bytes()[at(from).min(at(to))..at(from).max(at(to))];
        for whole in [true, false] {
            let found = read(bytes, whole, Chain::Main, &zone());
            if let Some(ending) = found.ending {
                let said = format!("{} {:?}", ending.text, ending.facts);
                prop_assert!(!said.contains("CANARY"), "{}", said);
            }
        }
    }

    /// The end that a list reads gives the same facts as all lines, whatever came before.
    #[test]
    fn the_fast_path_finds_the_same(
        rows in proptest::collection::vec((0_usize..33, 0_usize..6, 0_usize..4, 0_usize..12), 1..12),
        cut in 0_usize..2_000,
    ) {
        let table = table();
        let more = matched::lines();
        let text: String = rows
            .iter()
            .enumerate()
            .map(|(at, (row, reply, skill, extra))| {
                let (_, lines, ..) = &table[row % table.len()];
                let extra = more.get(*extra).map_or("", String::as_str);
                let lines = format!("{extra}{lines}")
                    .replace("msg_1", &format!("msg_{at}_{reply}"))
                    .replace("\"t1\"", &format!("\"t{at}\""));
                if *skill == 0 {
                    return lines;
                }
                let named = format!("{{\"attributionSkill\":\"mgw-{skill}\",");
                lines.replacen('{', &named, 1)
            })
            .collect();
        for (whole, bytes) in [(true, text.as_bytes()), (false, &text.as_bytes()[cut.min(text.len())..])] {
            let mut all = read(bytes, whole, Chain::Main, &zone());
            let few = read_end(bytes, whole, &zone());
            all.quotes.clear();
            all.total_tokens = 0;
            all.first_at = None;
            all.skills.sort();
            all.skills.dedup();
            let mut few = Transcript { quotes: vec![], total_tokens: 0, first_at: None, ..few };
            few.skills.sort();
            few.skills.dedup();
            prop_assert_eq!(few, all);
        }
    }
}

/// Only the necessary lines are parsed: an invalid line elsewhere changes nothing.
#[test]
fn lines_before_the_last_replies_are_not_parsed() {
    let turn = |id: &str| {
        reply(json!("end_turn"), json!([{"type": "text", "text": "a"}])).replace("msg_1", id)
    };
    let early = turn("early").replace("\"output_tokens\":7", "\"output_tokens\":7000");
    let text = early + &turn("a") + &turn("b") + &turn("c");
    let few = read_end(text.as_bytes(), true, &zone());
    assert_eq!(few.total_tokens, 3 * 1010);
    assert_eq!(
        few.ending,
        read(text.as_bytes(), true, Chain::Main, &zone()).ending
    );
}
