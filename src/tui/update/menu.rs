//! The help and the palette: the table, narrowed by what is written.

use super::super::commands::{COMMANDS, Cmd, Command, Context};
use super::super::msg::Effect;
use super::super::state::State;
use super::super::state::field::Field;
use super::super::state::layer::{Layer, Menu};
use super::super::state::plan::{About, PlanScreen};
use super::{keys, pop};
use crate::clean;
use crate::model::Clean;

impl Menu {
    fn new(contexts: &[Context]) -> Self {
        let mut menu = Self {
            field: Field::opened(),
            contexts: contexts.to_vec(),
            rows: Vec::new(),
            place: 0,
        };
        menu.arrange();
        menu
    }

    /// The commands that hold every written word, the most special contexts first.
    pub(super) fn arrange(&mut self) {
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
pub(super) fn help(state: &mut State) {
    let menu = Menu::new(state.contexts());
    state.push(Layer::Help(menu));
}

/// Shows the commands of the screen beneath.
pub(super) fn palette(state: &mut State) {
    let menu = Menu::new(state.contexts());
    state.push(Layer::Palette(menu));
}

/// Runs the selected command on the screen beneath.
pub(super) fn choose(state: &mut State, effects: &mut Vec<Effect>) {
    let chosen = match state.layers.last() {
        Some(Layer::Help(menu) | Layer::Palette(menu)) => menu.rows.get(menu.place).copied(),
        _ => None,
    };
    let Some(command) = chosen else {
        state.refuse(Clean::new("No command fits what was written."));
        return;
    };
    pop(state);
    if !matches!(command.id, Cmd::Help | Cmd::Palette) {
        keys::run(state, command.id, effects);
    }
}

/// The command line that gives the same as a command, for the pipeline and point of this screen.
pub fn equivalent(state: &State, command: &Command) -> Option<Clean> {
    let cli = command.cli?;
    let id = state.subject().map(|id| id.0);
    let point = state.layers.iter().rev().find_map(|layer| match layer {
        Layer::Picker(picker) => picker.cursor.key().map(|point| point.0.clone()),
        Layer::Plan(screen) => screen.listed().map(|plan| plan.point.boundary.id.0.clone()),
        _ => None,
    });
    let recovery = state.layers.iter().rev().find_map(|layer| match layer {
        Layer::Recoveries(screen) => screen.selected().map(|recovery| recovery.id.0.clone()),
        Layer::Pending(screen) => Some(screen.recovery.id.0.clone()),
        Layer::Outcome(screen) => screen
            .recovery
            .as_ref()
            .map(|recovery| recovery.id.0.clone()),
        Layer::Plan(PlanScreen {
            about: About::Record(recovery),
            ..
        }) => Some(recovery.id.0.clone()),
        _ => None,
    });
    let checkpoint = state.layers.iter().rev().find_map(|layer| match layer {
        Layer::Pipeline(screen) => screen.checkpoints.key().cloned(),
        _ => None,
    });
    let filled = [
        ("PIPELINE", id),
        ("POINT", point),
        ("RECOVERY", recovery),
        // The option is called the same in small letters.
        ("CHECKPOINT", checkpoint),
    ]
    .into_iter()
    .fold(cli.to_owned(), |line, (word, value)| match value {
        Some(value) => line.replace(word, &value),
        None => line,
    });
    Some(clean!("{}", filled))
}
