//! Autoconference: one conference cut in the middle of round 2, one finished although its log never says so.

use std::fmt::Write as _;

use super::kit::{DAY, DemoError, HOUR, Kit};

pub(super) fn build(kit: &Kit) -> Result<(), DemoError> {
    cut_mid_round(kit)?;
    finished_unsaid(kit)
}

const R8: &str =
    "iteration\tmetric_value\tdelta\tdelta_pct\tstatus\tdescription\tevaluator_source\ttimestamp\n";
const C11: &str = "round\tresearcher\titeration\tmetric_value\tdelta\tdelta_pct\tstatus\tdescription\tevaluator_source\tpeer_review_verdict\ttimestamp\n";

/// Two researchers, round 1 done, round 2: A through, B stopped after a reverted try.
fn cut_mid_round(kit: &Kit) -> Result<(), DemoError> {
    let dir = "projects/lab/tokenizer-speed";
    let start = 9 * HOUR;
    kit.file(&format!("{dir}/conference.md"), &charter("Make the tokenizer fast", 2, 3, 4, "> 60", "### Round 1 Validated Findings\n1. Caching the merges table pays at once.\n", "| 1 | A | 41.9 | merges table cached | kept |\n| 1 | B | 39.0 | arena for tokens | kept |"), start - 3 * HOUR)?;
    let mut log = Log::new(kit, start);
    log.event("conference.started", 0, "\"researchers\": 2, \"mode\": \"metric\", \"goal\": \"Make the tokenizer fast\", \"config_summary\": \"2 researchers, 3 rounds\"");
    log.event(
        "round.started",
        60,
        "\"round\": 1, \"researcher_states\": [\"A:ready\", \"B:ready\"]",
    );
    let first = [
        (
            "A",
            [
                (0, 38.0, "baseline"),
                (1, 40.1, "kept"),
                (2, 39.0, "reverted"),
                (3, 41.9, "kept"),
            ],
        ),
        (
            "B",
            [
                (0, 38.0, "baseline"),
                (1, 37.2, "reverted"),
                (2, 38.6, "kept"),
                (3, 39.0, "kept"),
            ],
        ),
    ];
    for (who, rows) in first {
        for (i, value, status) in rows {
            log.iteration(who, 1, i, value, status, 600 + i64::from(i) * 500);
        }
    }
    log.event(
        "round.poster_session",
        3000,
        "\"round\": 1, \"summary\": \"Caching beats arenas.\"",
    );
    log.event(
        "round.peer_review",
        3600,
        "\"round\": 1, \"validated_count\": 2, \"challenged_count\": 0, \"overturned_count\": 0",
    );
    log.event(
        "round.completed",
        4000,
        "\"round\": 1, \"best_metric\": 41.9, \"best_researcher\": \"A\", \"converged\": false",
    );
    log.event(
        "round.started",
        4100,
        "\"round\": 2, \"researcher_states\": [\"A:ready\", \"B:ready\"]",
    );
    for (i, value, status) in [
        (0, 41.9, "baseline"),
        (1, 43.0, "kept"),
        (2, 44.2, "kept"),
        (3, 44.8, "kept"),
    ] {
        log.iteration("A", 2, i, value, status, 4600 + i64::from(i) * 500);
    }
    for (i, value, status) in [
        (0, 41.9, "baseline"),
        (1, 42.4, "kept"),
        (2, 40.0, "reverted"),
    ] {
        log.iteration("B", 2, i, value, status, 4700 + i64::from(i) * 500);
    }
    let end = start - 4700 - 2 * 500;
    kit.file(&format!("{dir}/conference_events.jsonl"), &log.text(), end)?;
    for who in ["A", "B"] {
        kit.file(
            &format!("{dir}/researcher_{who}_results.tsv"),
            &log.researcher(who),
            end,
        )?;
        kit.file(
            &format!("{dir}/researcher_{who}_log.md"),
            &format!("# Researcher {who}\n\n## Round 1\n"),
            end,
        )?;
    }
    kit.file(
        &format!("{dir}/conference_results.tsv"),
        &log.results(),
        end,
    )?;
    kit.file(&format!("{dir}/poster_session_round_1.md"), "# Poster Session — Round 1\n\n## Researcher A: caching\n- Status: completed\n\n## Researcher B: arenas\n- Status: completed\n\n## Round Summary\nCaching beats arenas.\n", start - 3000)?;
    kit.file(
        &format!("{dir}/peer_review_round_1.md"),
        REVIEW,
        start - 3600,
    )
}

/// Both end documents are there and every round is done; only `conference.completed` was never written.
fn finished_unsaid(kit: &Kit) -> Result<(), DemoError> {
    let dir = "projects/lab/hydrate-yield";
    let start = 5 * DAY;
    kit.file(
        &format!("{dir}/conference.md"),
        &charter(
            "Raise the hydrate yield",
            1,
            1,
            2,
            "> 80",
            "### Round 1 Validated Findings\n1. Slower cooling helps.\n",
            "| 1 | A | 65.0 | slower cooling | kept |",
        ),
        start - HOUR,
    )?;
    let mut log = Log::new(kit, start);
    log.event("conference.started", 0, "\"researchers\": 1, \"mode\": \"metric\", \"goal\": \"Raise the hydrate yield\", \"config_summary\": \"1 researcher\"");
    log.iteration("A", 1, 0, 60.0, "baseline", 600);
    log.iteration("A", 1, 1, 65.0, "kept", 1200);
    log.event("round.1.completed", 1800, "\"round\": 1");
    kit.file(
        &format!("{dir}/conference_events.jsonl"),
        &log.text(),
        start - 1800,
    )?;
    kit.file(
        &format!("{dir}/researcher_A_results.tsv"),
        &log.researcher("A"),
        start - 1200,
    )?;
    kit.file(
        &format!("{dir}/conference_results.tsv"),
        &log.results(),
        start - 1800,
    )?;
    kit.file(
        &format!("{dir}/peer_review_round_1.md"),
        REVIEW,
        start - 1500,
    )?;
    kit.file(
        &format!("{dir}/synthesis.md"),
        "# Synthesis\n\nSlower cooling raises the yield.\n",
        start - 2400,
    )?;
    kit.file(
        &format!("{dir}/final_report.md"),
        "# Final report\n\n65.0 after one round.\n",
        start - 2500,
    )
}

fn charter(
    goal: &str,
    count: u32,
    rounds: u32,
    iterations: u32,
    target: &str,
    knowledge: &str,
    log: &str,
) -> String {
    format!(
        "# Conference: {goal}\n\n## Goal\n{goal}\n\n## Mode\nmetric\n\n## Success Metric\n- **Metric:** MB/s\n- **Target:** {target}\n- **Direction:** maximize\n\n## Researchers\n- **Count:** {count}\n- **Iterations per round:** {iterations}\n- **Max rounds:** {rounds}\n\n## Search Space\n- **Allowed changes:** parameters of the process\n- **Forbidden changes:** the measurement\n\n## Search Space Partitioning\n- **Strategy:** assigned\n\n## Constraints\n- **Max total iterations:** 40\n- **Time budget:** 3d\n- **Researcher timeout:** 30m\n\n## Shared Knowledge\n{knowledge}\n## Conference Log\n| Round | Researcher | Best Metric | Key Finding | Status |\n|---|---|---|---|---|\n{log}\n"
    )
}

const REVIEW: &str = "# Peer Review — Round 1\n\n### Finding 1\n**Claim:** it helps\n**Evidence:** the measurements\n**Verdict:** validated\n**Action:** keep\n\n### Finding 2\n**Claim:** it is cheap\n**Evidence:** the profile\n**Verdict:** validated\n**Action:** keep\n";

struct Row {
    who: &'static str,
    round: u32,
    iteration: u32,
    value: f64,
    status: &'static str,
    at: String,
}

/// The event log and, from the same facts, the tables.
struct Log<'a> {
    kit: &'a Kit,
    start: i64,
    events: Vec<(i64, String)>,
    rows: Vec<Row>,
}

impl<'a> Log<'a> {
    fn new(kit: &'a Kit, start: i64) -> Self {
        Self {
            kit,
            start,
            events: Vec::new(),
            rows: Vec::new(),
        }
    }

    fn event(&mut self, event: &str, after: i64, payload: &str) {
        let at = self.kit.iso(self.start - after);
        let line = format!(
            "{{\"event\": \"{event}\", \"timestamp\": \"{at}\", \"payload\": {{{payload}}}}}"
        );
        self.events.push((after, line));
    }

    fn iteration(
        &mut self,
        who: &'static str,
        round: u32,
        iteration: u32,
        value: f64,
        status: &'static str,
        after: i64,
    ) {
        let delta = if status == "baseline" {
            "-".to_owned()
        } else {
            format!("{:+.1}", value - 38.0)
        };
        let payload = format!(
            "\"researcher\": \"{who}\", \"round\": {round}, \"iteration\": {iteration}, \"metric_value\": {value:.1}, \"delta\": \"{delta}\", \"status\": \"{status}\""
        );
        self.event("researcher.iteration", after, &payload);
        self.rows.push(Row {
            who,
            round,
            iteration,
            value,
            status,
            at: self.kit.iso(self.start - after),
        });
    }

    /// The log in the order in which things happened: the researchers work side by side.
    fn text(&self) -> String {
        let mut events: Vec<&(i64, String)> = self.events.iter().collect();
        events.sort_by_key(|(after, _)| *after);
        events
            .into_iter()
            .fold(String::new(), |text, (_, line)| text + line + "\n")
    }

    fn researcher(&self, who: &str) -> String {
        let rows = self.rows.iter().filter(|r| r.who == who);
        rows.fold(R8.to_owned(), |mut text, r| {
            let delta = if r.status == "baseline" {
                "-\t-"
            } else {
                "+0.7\t+1.7%"
            };
            let _ = writeln!(
                text,
                "{}\t{:.1}\t{delta}\t{}\ttry {}\tscript:bench.py\t{}",
                r.iteration, r.value, r.status, r.iteration, r.at
            );
            text
        })
    }

    fn results(&self) -> String {
        self.rows.iter().fold(C11.to_owned(), |mut text, r| {
            let delta = if r.status == "baseline" {
                "-\t-"
            } else {
                "+0.7\t+1.7%"
            };
            let verdict = if r.round == 1 { "validated" } else { "-" };
            let _ = writeln!(
                text,
                "{}\t{}\t{}\t{:.1}\t{delta}\t{}\ttry {}\tscript:bench.py\t{verdict}\t{}",
                r.round, r.who, r.iteration, r.value, r.status, r.iteration, r.at
            );
            text
        })
    }
}
