//! The console without terminal or threads: keys in, pictures out.

use std::fmt::Write as _;
use std::sync::Arc;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;

use super::made_up::MadeUp;
use crate::model::{PipelineId, Request};
use crate::tui::commands::Keymap;
use crate::tui::keys::Key;
use crate::tui::msg::{Effect, Msg};
use crate::tui::state::State;
use crate::tui::theme::tests::ROLES;
use crate::tui::theme::{Palette, Role, Theme};
use crate::tui::update;
use crate::tui::view::view;
use crate::tui::worker::{Source, answer_now};

/// The sizes at which every screen is drawn.
pub(super) const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

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

    /// A console over a real machine, in this scope.
    pub(super) fn real(source: impl Source, request: Request) -> Self {
        let mut console = Self::of(Arc::new(source), request, Palette::Sixteen, (120, 40));
        let effects = update::start(&mut console.state);
        console.answer(effects);
        console.draw();
        console
    }

    /// A console that has asked nothing.
    pub(super) fn silent(source: MadeUp, palette: Palette, width: u16, height: u16) -> Self {
        let source = Arc::new(source);
        Self::of(source, Request::default(), palette, (width, height))
    }

    fn of(
        source: Arc<dyn Source>,
        request: Request,
        palette: Palette,
        (width, height): (u16, u16),
    ) -> Self {
        let now = source.now();
        let mut state = State::new(now, request, Theme::new(palette), Keymap::default());
        state.size = (width, height);
        Self {
            state,
            source,
            terminal: Terminal::new(TestBackend::new(width, height)).unwrap(),
            outside: Vec::new(),
        }
    }

    pub(super) fn answer(&mut self, effects: Vec<Effect>) {
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

    /// The pipeline that is selected in the list.
    pub(super) fn selected_id(&self) -> PipelineId {
        let selected = self.state.browser.selected();
        selected.unwrap().pipeline.id.clone()
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
        self.state.drawn(geometry);
    }

    /// Where the cursor of the terminal is, if it is shown.
    pub(super) fn cursor(&self) -> Option<ratatui::layout::Position> {
        let backend = self.terminal.backend();
        backend.cursor_visible().then(|| backend.cursor_position())
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

    /// The role of each cell as a letter, and at the end of a line what comes after it.
    ///
    /// Shades are not told: the theme's own test holds them.
    pub(super) fn roles(&self) -> String {
        let buffer = self.buffer();
        let mut out = String::new();
        for y in 0..buffer.area.height {
            let mut line = String::new();
            let mut behind: Vec<(Role, u16, u16)> = Vec::new();
            for x in 0..buffer.area.width {
                let cell = &buffer[(x, y)];
                line.push(match role(cell.fg) {
                    _ if cell.symbol() == " " => ' ',
                    None => '.',
                    Some(role) => letter(role),
                });
                match (role(cell.bg), behind.last_mut()) {
                    (Some(role), Some((last, _, end))) if role == *last && *end + 1 == x => {
                        *end = x;
                    }
                    (Some(role), _) => behind.push((role, x, x)),
                    (None, _) => {}
                }
            }
            out.push_str(line.trim_end());
            for (role, from, to) in behind {
                write!(out, "  {role:?} {from}-{to}").unwrap();
            }
            out.push('\n');
        }
        out
    }
}

/// The role that a color of [`Palette::Roles`] stands for.
pub(super) fn role(color: Color) -> Option<Role> {
    ROLES
        .into_iter()
        .find(|role| color == Color::Indexed(*role as u8))
}

/// The letter of a role in a picture.
fn letter(role: Role) -> char {
    match role {
        Role::Wait => 'i',
        Role::Border => 'o',
        _ => format!("{role:?}").to_lowercase().remove(0),
    }
}

/// The screens whose layout breaks differently on a small or a large terminal.
pub(super) struct Breaks {
    /// Held at 80 × 24, with the roles of their cells.
    pub(super) narrow: &'static [&'static str],
    /// Held at 200 × 60.
    pub(super) wide: &'static [&'static str],
}

/// Draws a screen at every size, and holds it against `NAME-120x40` and where it breaks differently against
/// `NAME-80x24`, `NAME-roles` and `NAME-200x60`.
pub(super) fn hold(
    prefix: &str,
    name: &str,
    breaks: &Breaks,
    draw: &dyn Fn(Palette, u16, u16) -> Console,
) {
    // Without the module's path, so that a screen may move to another one.
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    let _bound = settings.bind_to_scope();
    for (width, height) in SIZES {
        let console = draw(Palette::Sixteen, width, height);
        let held = match width {
            80 => breaks.narrow.contains(&name),
            200 => breaks.wide.contains(&name),
            _ => true,
        };
        if held {
            insta::assert_snapshot!(format!("{prefix}{name}-{width}x{height}"), console.text());
        }
    }
    if breaks.narrow.contains(&name) {
        let roles = draw(Palette::Roles, 80, 24).roles();
        insta::assert_snapshot!(format!("{prefix}{name}-roles"), roles);
    }
}

/// The topmost screen, which is of this type.
pub(super) fn top_as<S: crate::tui::screens::Screen>(console: &Console) -> &S {
    let layers = &console.state.layers;
    layers
        .top_as()
        .unwrap_or_else(|| panic!("{:?}", layers.last()))
}
