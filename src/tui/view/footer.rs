//! The keys that matter here, from the table that handles them.

mod trials;

use ratatui::layout::Rect;

use super::Canvas;
use super::pen::Bits;
use crate::model::{Clean, Next, Recovery, RecoveryState};
use crate::tui::commands::{COMMANDS, Cmd, Command};
use crate::tui::geometry::Target;
use crate::tui::state::State;
use crate::tui::state::layer::Layer;
use crate::tui::state::pipeline::Pane;
use crate::tui::state::plan::About;
use crate::tui::state::recoveries::not_undoable;
use crate::tui::theme::Role;

/// The keys that matter here, from the table that handles them; as many as there is room for.
pub(super) fn keys(canvas: &mut Canvas<'_>, area: Rect) {
    let state = canvas.state;
    if let Some(bits) = writing(state) {
        canvas.pen.line(area, &bits);
        return;
    }
    let contexts = state.contexts();
    let mut commands: Vec<&Command> = COMMANDS
        .iter()
        .filter(|command| command.footer.is_some() && contexts.contains(&command.context))
        .filter(|command| useful(state, command.id))
        .collect();
    commands.sort_by_key(|command| command.footer);
    let always = |command: &&Command| matches!(command.id, Cmd::Help | Cmd::Quit);
    let last: Vec<&Command> = commands.iter().copied().filter(always).collect();
    let rest: Vec<&Command> = commands
        .into_iter()
        .filter(|command| !always(command))
        .collect();
    let reserved: usize = last
        .iter()
        .map(|command| hint(state, command).width())
        .sum();
    let mut x = area.x;
    let mut room = usize::from(area.width).saturating_sub(reserved);
    for command in rest {
        let bits = hint(state, command);
        if bits.width() > room {
            break;
        }
        room -= bits.width();
        x = button(canvas, x, area.y, &bits, command.id);
    }
    let mut x = area
        .right()
        .saturating_sub(u16::try_from(reserved).unwrap_or(0));
    for command in last {
        let bits = hint(state, command);
        x = button(canvas, x, area.y, &bits, command.id);
    }
}

/// The keys while letters go to a text.
fn writing(state: &State) -> Option<Bits> {
    let keys = |pairs: &[(&'static str, &'static str)]| {
        pairs.iter().fold(Bits::new(), |bits, (key, word)| {
            bits.say(Role::Key, key)
                .say(Role::Text, " ")
                .say(Role::Dim, word)
                .say(Role::Text, "   ")
        })
    };
    match state.layers.last() {
        // A question and what is under way print their keys themselves.
        Some(Layer::Question(_) | Layer::Progress(_)) => Some(Bits::new()),
        Some(Layer::Help(_) | Layer::Palette(_)) => Some(keys(&[
            ("Enter", "run"),
            ("↑ ↓", "choose"),
            ("Esc", "close"),
        ])),
        None if state.browser.filter.open => Some(keys(&[
            ("Enter", "keep the filter"),
            ("↑ ↓", "choose"),
            ("Esc", "clear it"),
        ])),
        Some(Layer::Diff(screen)) if screen.search.field.open => Some(keys(&[
            ("Enter", "keep the search"),
            ("↑ ↓", "scroll"),
            ("Esc", "end it"),
        ])),
        Some(Layer::Pipeline(screen))
            if screen.pane == Pane::Timeline && screen.timeline.filter.open =>
        {
            Some(keys(&[
                ("Enter", "keep the filter"),
                ("↑ ↓", "choose"),
                ("Esc", "clear it"),
            ]))
        }
        _ => None,
    }
}

/// Only what can work now is offered in the footer.
fn useful(state: &State, id: Cmd) -> bool {
    let screen = match state.layers.last() {
        Some(Layer::Plan(screen)) => screen,
        Some(Layer::Diff(screen)) => {
            return match id {
                Cmd::NextFile => screen.place.1 > 1,
                Cmd::Enter | Cmd::FoldAll => !screen.lines.is_empty() && screen.folded,
                _ => true,
            };
        }
        Some(Layer::Outcome(screen)) => {
            return match id {
                Cmd::Undo => {
                    let stands = |one: &Recovery| not_undoable(one).is_none();
                    screen.recovery.as_ref().is_some_and(stands)
                }
                Cmd::Handoff => screen.handoff.is_some(),
                _ => true,
            };
        }
        Some(Layer::Handoff(screen)) => {
            let asks = screen.next() == Some(Next::Ask) && screen.ended.is_some();
            return match id {
                Cmd::NextStep | Cmd::AllSteps => asks,
                Cmd::Launch => !screen.premature && screen.handoff.command_line().is_some(),
                Cmd::WatchRecords => !screen.premature,
                Cmd::CopyPrompt => !screen.handoff.prompt.is_empty(),
                Cmd::CopyBriefing => !screen.handoff.briefing.is_empty(),
                _ => true,
            };
        }
        Some(layer) if trials::is_one(layer) => return trials::useful(state, layer, id),
        Some(Layer::Recoveries(screen)) => {
            return screen.selected().is_some_and(|recovery| fits(recovery, id));
        }
        _ => return true,
    };
    if let About::Record(recovery) = &screen.about {
        return fits(recovery, id);
    }
    let restores = screen
        .listed()
        .is_some_and(|plan| plan.actions.iter().any(|action| action.kind.touches_tree()));
    let paths = screen.touched() > 0;
    match id {
        Cmd::Mode => restores && !screen.is_undo(),
        Cmd::Include => paths,
        Cmd::Handoff => screen
            .listed()
            .is_some_and(|plan| !plan.handoff.argv.is_empty() || !plan.handoff.prompt.is_empty()),
        _ => true,
    }
}

/// Whether a command can do anything about a recovery as it stands.
fn fits(recovery: &Recovery, id: Cmd) -> bool {
    let pending = recovery.state == RecoveryState::NeedsAttention;
    match id {
        Cmd::RecoverMode => pending,
        Cmd::Undo => not_undoable(recovery).is_none(),
        Cmd::Redo => recovery.undone_by.is_some() || recovery.undoes.is_some(),
        Cmd::Purge => !pending && !recovery.purged,
        Cmd::Handoff => !recovery.handoff.argv.is_empty(),
        _ => true,
    }
}

fn hint(state: &State, command: &Command) -> Bits {
    let key = state.keymap.keys(command).next().map(|key| key.to_string());
    let label = match command.id {
        Cmd::Quit if state.layers.is_empty() => "quit",
        Cmd::Quit => "back",
        _ => command.label,
    };
    Bits::new()
        .add(Role::Key, Clean::new(&key.unwrap_or_default()))
        .say(Role::Text, " ")
        .say(Role::Dim, label)
        .say(Role::Text, "   ")
}

fn button(canvas: &mut Canvas<'_>, x: u16, y: u16, bits: &Bits, id: Cmd) -> u16 {
    let width = u16::try_from(bits.width()).unwrap_or(0);
    let place = Rect::new(x, y, width, 1);
    canvas.pen.line(place, bits);
    canvas.map.spot(place, Target::Button(id));
    x + width
}
