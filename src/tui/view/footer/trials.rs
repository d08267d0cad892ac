//! Which keys of replays and comparisons can do anything now.

use crate::tui::commands::Cmd;
use crate::tui::state::State;
use crate::tui::state::layer::Layer;
use crate::tui::state::replaying::Replaying;

/// True for a screen of replays or comparisons.
pub(super) fn is_one(layer: &Layer) -> bool {
    matches!(
        layer,
        Layer::Replays(_) | Layer::ReplayPlan(_) | Layer::Replaying(_) | Layer::Comparison(_)
    )
}

/// Only what can work now is offered in the footer.
pub(super) fn useful(state: &State, layer: &Layer, id: Cmd) -> bool {
    match layer {
        Layer::Replays(screen) => {
            let session = screen.selected();
            match id {
                Cmd::ContinueReplay => {
                    session.is_some_and(|one| one.state.can_continue()) && !state.is_replaying()
                }
                Cmd::Handoff => session.is_some_and(|one| one.handoff.is_some()),
                Cmd::Enter | Cmd::Side => session.is_some(),
                Cmd::WatchReplay => state.replaying.is_some(),
                _ => true,
            }
        }
        Layer::ReplayPlan(screen) => {
            let made = screen.plan.ready().is_some();
            match id {
                Cmd::StartReplay => made && screen.open() == 0,
                Cmd::Enter => made,
                _ => true,
            }
        }
        Layer::Replaying(_) => {
            let running = state.replaying.as_ref();
            let going = running.is_some_and(Replaying::is_going);
            let runs = running.map_or(0, |one| one.progress.sessions.len());
            match id {
                Cmd::StopReplay => going,
                Cmd::Enter => !going,
                Cmd::NextPane => runs > 1,
                _ => true,
            }
        }
        Layer::Comparison(screen) => {
            let Some(ready) = screen.comparison.ready() else {
                return matches!(id, Cmd::Help | Cmd::Quit);
            };
            match id {
                Cmd::RunA => ready.a.runs.len() > 1,
                Cmd::RunB => ready.b.runs.len() > 1,
                Cmd::TemplateDiff => !ready.templates.is_empty(),
                Cmd::Divergence => ready.divergence.is_some(),
                Cmd::Only | Cmd::DispatchDiff | Cmd::OutputDiff => !ready.pairs.is_empty(),
                _ => true,
            }
        }
        _ => true,
    }
}
