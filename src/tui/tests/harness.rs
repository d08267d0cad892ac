//! The console without terminal or threads: keys in, pictures out.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::made_up::{MadeUp, now};
use crate::tui::commands::Keymap;
use crate::tui::data::Request;
use crate::tui::keys::Key;
use crate::tui::msg::{Effect, Msg};
use crate::tui::state::State;
use crate::tui::theme::{Palette, Theme};
use crate::tui::update;
use crate::tui::view::view;
use crate::tui::worker::{Source, answer_now};

/// A console whose questions are answered at once.
pub(super) struct Console {
    pub(super) state: State,
    source: Arc<dyn Source>,
    terminal: Terminal<TestBackend>,
    /// What only a terminal could have done.
    pub(super) outside: Vec<Effect>,
}

impl Console {
    /// A console that has found everything.
    pub(super) fn new(width: u16, height: u16) -> Self {
        Self::over(MadeUp::default(), Palette::Sixteen, width, height)
    }

    pub(super) fn over(source: MadeUp, palette: Palette, width: u16, height: u16) -> Self {
        let mut console = Self::silent(source, palette, width, height);
        let effects = update::start(&mut console.state);
        console.answer(effects);
        console.draw();
        console
    }

    /// A console that has asked nothing.
    pub(super) fn silent(source: MadeUp, palette: Palette, width: u16, height: u16) -> Self {
        let mut state = State::new(
            now(),
            Request::default(),
            Theme::new(palette),
            Keymap::default(),
        );
        state.size = (width, height);
        Self {
            state,
            source: Arc::new(source),
            terminal: Terminal::new(TestBackend::new(width, height)).unwrap(),
            outside: Vec::new(),
        }
    }

    fn answer(&mut self, effects: Vec<Effect>) {
        let mut waiting = effects;
        while !waiting.is_empty() {
            for effect in std::mem::take(&mut waiting) {
                match answer_now(&self.source, effect) {
                    Ok(msgs) => waiting.extend(update::absorb(&mut self.state, msgs)),
                    Err(effect) => self.outside.push(effect),
                }
            }
        }
    }

    /// Takes a message, with everything that follows from it.
    pub(super) fn send(&mut self, msg: Msg) {
        let effects = update::update(&mut self.state, msg);
        self.answer(effects);
        self.draw();
    }

    /// Takes a message and leaves its questions unanswered.
    pub(super) fn ask(&mut self, msg: Msg) -> Vec<Effect> {
        let effects = update::update(&mut self.state, msg);
        self.draw();
        effects
    }

    /// Presses keys, named as in a keymap, blanks between them.
    pub(super) fn press(&mut self, keys: &str) -> &mut Self {
        for name in keys.split_whitespace() {
            let key = Key::parse(name).unwrap_or_else(|| panic!("no key {name}"));
            self.send(Msg::Key(key));
        }
        self
    }

    pub(super) fn draw(&mut self) {
        let state = &self.state;
        let mut geometry = state.geometry.clone();
        // Every cell anew: the other half of a wide sign that was overwritten is blank on a terminal, and
        // whatever was there before on this stand-in.
        self.terminal.clear().unwrap();
        self.terminal
            .draw(|frame| geometry = view(state, frame))
            .unwrap();
        self.state.geometry = geometry;
    }

    pub(super) fn buffer(&self) -> &Buffer {
        self.terminal.backend().buffer()
    }

    /// The screen as text.
    pub(super) fn text(&self) -> String {
        let buffer = self.buffer();
        let mut out = String::new();
        for y in 0..buffer.area.height {
            let mut line = String::new();
            let mut x = 0;
            while x < buffer.area.width {
                let symbol = buffer[(x, y)].symbol();
                line.push_str(symbol);
                x += u16::try_from(unicode_width::UnicodeWidthStr::width(symbol))
                    .unwrap()
                    .max(1);
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    /// The screen as text, then the same cells as letters for their looks, then what the letters mean.
    pub(super) fn picture(&self) -> String {
        let buffer = self.buffer();
        let mut legend: BTreeMap<char, String> = BTreeMap::new();
        let mut known: Vec<(Style, char)> = Vec::new();
        let mut out = self.text();
        out.push_str("\nlooks\n");
        for y in 0..buffer.area.height {
            let mut line = String::new();
            for x in 0..buffer.area.width {
                let style = buffer[(x, y)].style();
                let plain = buffer[(x, y)].symbol() == " "
                    && style.add_modifier.is_empty()
                    && style.bg == Some(ratatui::style::Color::Reset);
                let text = words(style);
                if plain || text.is_empty() {
                    line.push(' ');
                    continue;
                }
                let letter = known
                    .iter()
                    .find(|(seen, _)| *seen == style)
                    .map(|(_, letter)| *letter);
                let letter = letter.unwrap_or_else(|| {
                    let letter = char::from(b'a' + u8::try_from(known.len()).unwrap());
                    known.push((style, letter));
                    legend.insert(letter, text);
                    letter
                });
                line.push(letter);
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        for (letter, text) in legend {
            writeln!(out, "{letter}: {text}").unwrap();
        }
        out
    }
}

fn words(style: Style) -> String {
    let mut words = Vec::new();
    for (name, color) in [("", style.fg), ("on ", style.bg)] {
        if let Some(color) = color.filter(|color| *color != ratatui::style::Color::Reset) {
            words.push(format!("{name}{color}").to_lowercase());
        }
    }
    if !style.add_modifier.is_empty() {
        words.push(format!("{:?}", style.add_modifier).to_lowercase());
    }
    words.join(" ")
}
