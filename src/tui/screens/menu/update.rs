//! The help and the palette: the table, narrowed by what is written.

use crate::clean;
use crate::model::Clean;
use crate::tui::commands::{COMMANDS, Cmd, Command, Context};
use crate::tui::msg::Effect;
use crate::tui::screens::Screen;
use crate::tui::screens::menu::Menu;
use crate::tui::state::State;
use crate::tui::state::field::Field;
use crate::tui::update::{keys, pop};

impl Menu {
    fn new(contexts: Vec<Context>, full: bool) -> Self {
        let mut menu = Self {
            full,
            field: Field::opened(),
            contexts,
            rows: Vec::new(),
            place: 0,
        };
        menu.arrange();
        menu
    }

    /// The commands that hold every written word, the most special contexts first.
    pub(crate) fn arrange(&mut self) {
        let text = self.field.text().to_lowercase();
        let words: Vec<&str> = text.split_whitespace().collect();
        let fits = |command: &&Command| {
            let keys = command.keys.join(" ");
            let all = format!("{} {} {} {keys}", command.name, command.label, command.help);
            let all = all.to_lowercase();
            words.iter().all(|word| all.contains(word))
        };
        self.rows = self
            .contexts
            .iter()
            .flat_map(|context| {
                COMMANDS
                    .iter()
                    .filter(move |command| command.context == *context)
            })
            .filter(fits)
            .collect();
        self.place = self.place.min(self.rows.len().saturating_sub(1));
    }
}

/// Shows the keys of the screen beneath.
pub(crate) fn help(state: &mut State) {
    state.push(Menu::new(state.contexts(), true));
}

/// Shows the commands of the screen beneath.
pub(crate) fn palette(state: &mut State) {
    state.push(Menu::new(state.contexts(), false));
}

/// Runs the selected command on the screen beneath.
pub(crate) fn choose(state: &mut State, effects: &mut Vec<Effect>) {
    let menu = state.layers.top_as::<Menu>();
    let chosen = menu.and_then(|menu| menu.rows.get(menu.place).copied());
    let Some(command) = chosen else {
        state.refuse("No command matches.");
        return;
    };
    pop(state);
    if !matches!(command.id, Cmd::Help | Cmd::Palette) {
        keys::run(state, command.id, effects);
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
    // CHECKPOINT last: its option has the same name in small letters.
    let line = words.iter().fold(cli.to_owned(), |line, (word, value)| {
        line.replace(word, value)
    });
    Some(clean!("{}", line))
}
