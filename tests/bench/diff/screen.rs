//! The difference screen over a thousand lines and over a hundred thousand.

use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use relight::diff::{Diff, Options, rows};
use relight::model::Request;
use relight::model::{Compared, Comparison, Foreign, Party, PipelineId, Stamp};
use relight::tui::commands::Keymap;
use relight::tui::keys::Key;
use relight::tui::msg::Msg;
use relight::tui::state::State;
use relight::tui::theme::{Palette, Theme};
use relight::tui::update;
use relight::tui::view::view;

use super::{median, pair, timed};

const SIZES: [usize; 2] = [1_000, 100_000];
const ROUNDS: usize = 200;

/// Something that a person does, and how long it took.
type Task = fn(&mut Console) -> Duration;

/// Prints what keys cost, the sizes one beside the other.
pub(crate) fn table() {
    println!("\nthe screen, 200x60, everything unfolded, 5 % changed: medians, ms");
    println!("{:<22} {:>12} {:>12}", "", "1,000", "100,000");
    let tasks: [(&str, Task); 6] = [
        ("lay out on arrival", Console::arrive),
        ("a page", |console| console.stroke("pgdn", "pgup")),
        ("a row", |console| console.stroke("j", "k")),
        ("next difference", |console| console.stroke(".", ",")),
        ("a wrapped page", Console::wrapped),
        ("a letter of a search", Console::search),
    ];
    for (name, task) in tasks {
        let mut consoles = SIZES.map(Console::new);
        let mut times: [Vec<Duration>; 2] = Default::default();
        for _ in 0..ROUNDS {
            for (console, times) in consoles.iter_mut().zip(&mut times) {
                times.push(task(console));
            }
        }
        let [small, large] = times.map(|times| super::ms(median(times)));
        println!("{name:<22} {small:>12} {large:>12}");
    }
}

struct Console {
    state: State,
    terminal: Terminal<TestBackend>,
    diff: Diff,
    back: bool,
    wraps: bool,
}

impl Console {
    fn new(lines: usize) -> Self {
        let now = Stamp::from_unix(1_800_000_000).expect("a moment").at;
        let theme = Theme::new(Palette::Dark);
        let mut state = State::new(now, Request::default(), theme, Keymap::default());
        state.size = (200, 60);
        let (before, after) = pair(lines, Some(5));
        // The screen is measured here, not the comparison.
        let options = Options {
            deadline: Duration::from_secs(60),
            ..Options::default()
        };
        let diff = rows(Some(before.into()), Some(after.into()), options);
        let mut console = Self {
            state,
            terminal: Terminal::new(TestBackend::new(200, 60)).expect("a screen"),
            diff,
            back: false,
            wraps: false,
        };
        console.arrive();
        console.press("=");
        for _ in 0..20 {
            console.press("pgdn");
        }
        console
    }

    fn arrive(&mut self) -> Duration {
        let answer = (Foreign::from("a/file"), self.diff.clone());
        let comparison = std::sync::Arc::new(comparison());
        let state = &mut self.state;
        timed(|| state.show_difference(comparison, Compared::Artifact(0), answer))
    }

    fn press(&mut self, key: &str) -> Duration {
        let key = Key::parse(key).expect("a key");
        timed(|| {
            drop(update::update(&mut self.state, Msg::Key(key)));
            let mut geometry = self.state.geometry.clone();
            let state = &self.state;
            self.terminal
                .draw(|frame| geometry = view(state, frame))
                .expect("a frame");
            self.state.geometry = geometry;
        })
    }

    /// A key and back again.
    fn stroke(&mut self, there: &str, back: &str) -> Duration {
        self.back = !self.back;
        self.press(if self.back { there } else { back })
    }

    fn wrapped(&mut self) -> Duration {
        if !self.wraps {
            self.press("W");
            self.wraps = true;
        }
        self.stroke("pgdn", "pgup")
    }

    fn search(&mut self) -> Duration {
        self.press("/");
        let taken = self.press("9");
        self.press("esc");
        taken
    }
}

fn comparison() -> Comparison {
    let party = |name: &str| Party {
        name: name.to_owned(),
        title: name.into(),
        runs: Vec::new(),
    };
    let pipeline = PipelineId("crucible-1~abcd".to_owned());
    Comparison::new(pipeline, party("original"), party("replay"))
}
