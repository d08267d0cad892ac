//! The help and the palette: the commands of the screen below, narrowed by what is typed.

use std::fmt::Write as _;

use crate::tui::commands;
use crate::tui::prelude::*;
use crate::tui::update::keys;

/// The dialog.
#[derive(Debug, Clone)]
pub(crate) struct Menu {
    /// Whether it is the help, which shows every sentence and command line; else the palette.
    pub(crate) full: bool,
    /// What was typed.
    pub(crate) field: Field,
    /// The commands of the screen below.
    pub(crate) all: Vec<&'static Command>,
    /// The commands that match.
    pub(crate) rows: Vec<&'static Command>,
    /// The selected one.
    pub(crate) place: usize,
}

impl Screen for Menu {
    fn profile(&self) -> Profile<'_> {
        Profile::dialog(if self.full { "help" } else { "commands" }).runs(|_, _| {})
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let (title, width, height) = if self.full {
            ("Keys of this screen", 110, area.height)
        } else {
            ("Commands", 70, 20)
        };
        let place = canvas.centered(area, width, height);
        canvas.pen.clear(place);
        let inside = canvas.pen.frame(place, &Bits::of(Role::Title, title), true);
        let (field, body) = split_top(inside, 2);
        write_field(canvas, field, self);
        let wide = usize::from(body.width).saturating_sub(3);
        let selected = (!self.rows.is_empty()).then_some(self.place);
        let list = List {
            lead: &|row| usize::from(self.full && starts_context(self, row)),
            ..List::new(self.list(), self.rows.len(), selected)
        };
        let (state, speaks) = (canvas.state, canvas.pen.speaks());
        list::laid(canvas, body, list, &|place| {
            let command = self.rows.get(place);
            let lay = |command: &&'static _| lines((state, speaks), self, place, command, wide);
            command.map_or_else(Vec::new, lay)
        });
        if self.rows.is_empty() {
            canvas
                .pen
                .line(body, &Bits::of(Role::Dim, "No command matches."));
        }
    }

    fn position(&self, _: &State) -> Position {
        Position::row(Some(self.place), self.rows.len())
    }

    fn go(&mut self, to: usize, _: &mut State) {
        self.place = to;
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn field_changed(&self) -> Follow {
        |state| {
            if let Some(menu) = state.layers.top_mut::<Self>() {
                menu.arrange(&state.keymap);
            }
        }
    }

    fn typing_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        Some(&[("Enter", "run"), ("↑ ↓", "choose"), ("Esc", "close")])
    }
}

impl Menu {
    fn new(state: &State, full: bool) -> Self {
        let mut menu = Self {
            full,
            field: Field::opened(),
            all: of_screen(state),
            rows: Vec::new(),
            place: 0,
        };
        menu.arrange(&state.keymap);
        menu
    }

    /// The commands that hold every written word, the most special contexts first.
    pub(crate) fn arrange(&mut self, keymap: &Keymap) {
        let text = self.field.text().to_lowercase();
        let words: Vec<&str> = text.split_whitespace().collect();
        let fits = |command: &&Command| {
            let mut all = format!("{} {} {}", command.name, command.label, command.help);
            for key in keymap.keys(command) {
                let _ = write!(all, " {key}");
            }
            let all = all.to_lowercase();
            words.iter().all(|word| all.contains(word))
        };
        self.rows = self.all.iter().copied().filter(fits).collect();
        self.place = self.place.min(self.rows.len().saturating_sub(1));
    }
}

/// The commands of the topmost screen that its pipeline can have.
fn of_screen(state: &State) -> Vec<&'static Command> {
    let dossier = state.subject().and_then(|id| state.dossier(&id).cloned());
    let amendable = dossier.is_none_or(|dossier| dossier.amendable);
    let commands = state.contexts().into_iter().flat_map(commands::of);
    let can = |command: &&Command| command.id != Cmd::Amend || amendable;
    commands.filter(can).collect()
}

/// Shows the keys of the screen below.
pub(crate) fn help(state: &mut State) {
    state.push(Menu::new(state, true));
}

/// Shows the commands of the screen below.
pub(crate) fn palette(state: &mut State) {
    state.push(Menu::new(state, false));
}

/// Whether a key closes the help: the one that opens it, before anything is typed.
pub(crate) fn is_closed_by(state: &State, key: Key) -> bool {
    let menu = state.layers.top_as::<Menu>();
    let opens = state.keymap.command(key, &state.contexts());
    menu.is_some_and(|menu| menu.full && menu.field.is_empty())
        && opens.is_some_and(|command| command.id == Cmd::Help)
}

/// Runs the selected command on the screen below.
pub(crate) fn choose(state: &mut State) {
    let menu = state.layers.top_as::<Menu>();
    let chosen = menu.and_then(|menu| menu.rows.get(menu.place).copied());
    let Some(command) = chosen else {
        return state.refuse("No command matches.");
    };
    pop(state);
    if !matches!(command.id, Cmd::Help | Cmd::Palette) {
        keys::run(state, command.id);
    }
}

/// The command line that gives the same as a command, for the pipeline and point of this screen.
pub(crate) fn equivalent(state: &State, command: &Command) -> Option<Clean> {
    let cli = command.cli?;
    let ids = state.browser.chosen_ids();
    let ids: Vec<&str> = ids.iter().map(|id| id.0.as_str()).collect();
    let several = Some(("PIPELINES", ids.join(" "))).filter(|_| !ids.is_empty());
    let id = state.subject().map(|id| ("PIPELINE", id.0));
    let mut words: Vec<(&str, String)> = several.into_iter().chain(id).collect();
    // The topmost screen that knows a word fills it in.
    for (word, value) in state.layers.iter().rev().flat_map(Screen::command_words) {
        if words.iter().all(|(known, _)| *known != word) {
            words.push((word, value));
        }
    }
    // What the screen has not got has no line.
    let lacks = |(word, value): &(&str, String)| value.is_empty() && cli.contains(word);
    if words.iter().any(lacks) {
        return None;
    }
    // CHECKPOINT last: its option has the same name in small letters.
    let line = words.iter().fold(cli.to_owned(), |line, (word, value)| {
        line.replace(word, value)
    });
    let line = state.found_by.commands(&line, None);
    // What names nothing is about the scope.
    let is_listing = ["relight history", "relight list"]
        .iter()
        .any(|one| cli.starts_with(one));
    let scope = match (is_listing, cli.contains("--scope")) {
        (true, false) => state.scope(),
        (true, true) => state.found_by.roots().to_owned(),
        (false, _) => String::new(),
    };
    Some(Clean::new(&format!("{line}{scope}")))
}

fn write_field(canvas: &mut Canvas<'_>, area: Rect, menu: &Menu) {
    let room = usize::from(area.width).saturating_sub(3);
    let bits = Bits::of(Role::Key, " › ")
        .join(menu.field.visible(room))
        .dim(if menu.field.is_empty() {
            "type to search; Enter runs the selected command, Esc closes"
        } else {
            ""
        });
    canvas.pen.line(area, &bits);
}

/// True for the first command of a context.
fn starts_context(menu: &Menu, row: usize) -> bool {
    let context = |row: usize| menu.rows.get(row).map(|command| command.context);
    row.checked_sub(1).and_then(context) != context(row)
}

/// The lines of one command, under the heading of its context where that begins.
fn lines(
    (state, speaks): (&State, bool),
    menu: &Menu,
    place: usize,
    command: &'static Command,
    width: usize,
) -> Vec<Bits> {
    let mut out = Vec::new();
    if menu.full && starts_context(menu, place) {
        out.push(Bits::of(Role::Title, command.context.title));
    }
    // A number that is typed as a line chooses a row.
    let number = |key: &Key| key.written().is_some_and(|sign| sign.is_ascii_digit());
    let keys = state.keymap.keys(command);
    let keys = keys.filter(|key| !(speaks && number(key)));
    let keys: Vec<String> = keys.map(|key| key.to_string()).collect();
    // The sentences need their room on a narrow screen.
    let (of_keys, of_label) = if menu.full && width < 66 {
        (12, 18)
    } else {
        (16, 20)
    };
    let lead = Bits::new()
        .gap(2)
        .cell(Role::Key, Clean::new(&keys.join(" ")), of_keys)
        .cell(Role::Text, command.label, of_label);
    let indent = lead.width();
    if !menu.full {
        out.push(lead.dim(command.name));
        return out;
    }
    let room = width.saturating_sub(indent + 1).max(16);
    let help = Clean::new(command.help);
    out.extend(paragraph(&lead, Role::Dim, &help, indent + room));
    if let Some(cli) = equivalent(state, command) {
        let lead = Bits::new().pad(indent).dim("$ ");
        out.extend(paragraph(&lead, Role::Accent, &cli, indent + room));
    }
    out
}
