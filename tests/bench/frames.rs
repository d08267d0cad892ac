//! What a frame costs over a thousand events and over a million (performance.md, goal G10).
//!
//! `cargo bench --bench frames` prints the ratio first, both sizes interleaved, then divan's table.

#![expect(
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::wildcard_enum_match_arm,
    reason = "a bench prints what it found, and has nobody to answer to"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use relight::model::{
    Aliveness, Claim, Dossier, Event, EventMark, EventRows, Foreign, LifeEvidence, Liveness,
    Origin, Pipeline, PipelineId, Progress, Reading, Request, Scope, Stamp, Standing, Status,
    Survey, SystemName,
};
use relight::tui::commands::Keymap;
use relight::tui::keys::Key;
use relight::tui::msg::{Effect, Msg, Query, Reply};
use relight::tui::state::State;
use relight::tui::theme::{Palette, Theme};
use relight::tui::update;
use relight::tui::view::view;

const SIZES: [usize; 2] = [1_000, 1_000_000];
const ROUNDS: usize = 400;
/// The ship gate: a frame over a million events costs at most so many times one over a thousand.
const GATE: f64 = 1.2;

fn main() {
    let mut consoles: Vec<Console> = SIZES.into_iter().map(Console::new).collect();
    let mut times: [Vec<Duration>; 2] = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        for (console, times) in consoles.iter_mut().zip(&mut times) {
            let begun = Instant::now();
            console.scroll(round.is_multiple_of(2));
            times.push(begun.elapsed());
        }
    }
    let [small, large] = times.map(median);
    let ratio = large.as_secs_f64() / small.as_secs_f64();
    let verdict = if ratio <= GATE {
        "holds"
    } else {
        "does not hold"
    };
    println!(
        "a page key and its frame, 200x60, median of {ROUNDS}: {small:?} over 1,000 events, {large:?} over 1,000,000"
    );
    println!("G10: {ratio:.2}x, the gate of {GATE}x {verdict}");
    divan::main();
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[divan::bench(args = SIZES, sample_count = 200)]
fn page_key_and_frame(bencher: divan::Bencher<'_, '_>, events: usize) {
    let mut console = Console::new(events);
    let mut forward = false;
    bencher.bench_local(|| {
        forward = !forward;
        console.scroll(forward);
    });
}

#[divan::bench(args = SIZES, sample_count = 200)]
fn row_key_and_frame(bencher: divan::Bencher<'_, '_>, events: usize) {
    let mut console = Console::new(events);
    let mut up = false;
    bencher.bench_local(|| {
        up = !up;
        console.press(if up { "k" } else { "j" });
        console.draw();
    });
}

/// Events that are made when they are asked for, as a reader of a large file makes them.
struct Made(usize);

impl EventRows for Made {
    fn len(&self) -> usize {
        self.0
    }

    fn get(&self, index: usize) -> Option<Event> {
        (index < self.0).then(|| Event {
            at: Stamp::from_unix(1_700_000_000 + i64::try_from(index).unwrap_or(0) * 7),
            at_text: None,
            kind: "completed".into(),
            phase: Some("3".into()),
            subject: format!("implementer, task {index}").into(),
            status: Some("pass".into()),
            text: format!("dispatch {index}: all tests pass, nothing else to say about it").into(),
            duration_s: Some(index as u64 % 900),
            origin: Origin::line("/project/manifest.jsonl", 1),
            mark: self.mark(index),
        })
    }

    fn longest_s(&self) -> Option<u64> {
        (self.0 > 0).then_some(899)
    }

    fn mark(&self, index: usize) -> EventMark {
        if index.is_multiple_of(97) {
            EventMark::Error
        } else {
            EventMark::Plain
        }
    }
}

/// A console on the timeline of one pipeline, 200 by 60.
struct Console {
    state: State,
    terminal: Terminal<TestBackend>,
}

impl Console {
    fn new(events: usize) -> Self {
        let now = Stamp::from_unix(1_800_000_000).expect("a moment").at;
        let theme = Theme::new(Palette::Dark);
        let mut state = State::new(now, Request::default(), theme, Keymap::default());
        state.size = (200, 60);
        let mut effects = update::start(&mut state);
        let mut console = Self {
            state,
            terminal: Terminal::new(TestBackend::new(200, 60)).expect("a screen"),
        };
        console.answer(&mut effects, events);
        console.press("enter");
        console.press("2");
        console.press("z");
        console.press("g");
        console.draw();
        console
    }

    fn answer(&mut self, effects: &mut Vec<Effect>, events: usize) {
        while let Some(effect) = effects.pop() {
            let msg = match effect {
                Effect::Ask(ticket, Query::Survey(_)) => {
                    Msg::Reply(ticket, Reply::Survey(Ok(survey())))
                }
                Effect::Ask(ticket, Query::Dossier { id, .. }) => {
                    Msg::Reply(ticket, Reply::Dossier(id, Ok(dossier(events))))
                }
                _ => continue,
            };
            effects.extend(update::update(&mut self.state, msg));
        }
    }

    fn press(&mut self, key: &str) {
        let key = Key::parse(key).expect("a key");
        drop(update::update(&mut self.state, Msg::Key(key)));
    }

    fn scroll(&mut self, forward: bool) {
        self.press(if forward { "pgdn" } else { "pgup" });
        self.draw();
    }

    fn draw(&mut self) {
        let mut geometry = self.state.geometry.clone();
        let state = &self.state;
        self.terminal
            .draw(|frame| geometry = view(state, frame))
            .expect("a frame");
        self.state.geometry = geometry;
    }
}

fn survey() -> Survey {
    Survey {
        pipelines: vec![pipeline()],
        skipped: Vec::new(),
        hidden: relight::model::Hidden::default(),
        scope: Scope::Machine,
        roots: Vec::new(),
    }
}

fn dossier(events: usize) -> Dossier {
    Dossier {
        own_findings: 0,
        pipeline: pipeline(),
        timeline: Arc::new(Made(events)),
        checks: Vec::new(),
        points: Vec::new(),
        checkpoints: Vec::new(),
        amendable: false,
        by_steps: false,
        replays: Vec::new(),
        why: None,
    }
}

fn pipeline() -> Pipeline {
    let reading = Reading {
        system: SystemName("crucible"),
        native: "1".into(),
        title: "A long run".into(),
        root: "/work".into(),
        state_files: Vec::new(),
        work_tree: None,
        branch: None,
        pull_request: None,
        started_at: None,
        last_activity_at: None,
        claim: Claim {
            status: Status::Interrupted,
            reason: Foreign::default(),
        },
        life: LifeEvidence::default(),
        stopped_where: Foreign::default(),
        progress: Progress::new(Some(0), None, "phases"),
        badges: Vec::new(),
        phases: Vec::new(),
        findings: Vec::new(),
    };
    Pipeline {
        id: PipelineId("crucible-1~abcd".to_owned()),
        standing: Standing {
            status: reading.claim.status,
            reason: reading.claim.reason.clone(),
            liveness: Liveness {
                verdict: Aliveness::Unknown,
                evidence: Vec::new(),
            },
        },
        reading,
    }
}
