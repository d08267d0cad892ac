//! What `y` copies and what `o` opens on the screens of replays and comparisons.

use super::super::super::state::State;
use super::super::super::state::comparison::{ComparisonScreen, Tab};
use super::super::super::state::layer::Layer;
use super::super::{commands, replays};
use super::{NOTHING, UNSAFE, true_text};
use crate::model::{Clean, Foreign, Origin, RunTree, Work};

/// The command or the path that the selected row is known by.
pub(super) fn copyable(state: &State, layer: &Layer) -> Result<Clean, &'static str> {
    match layer {
        Layer::Replays(screen) => {
            let (a, b) = match (screen.marks.pair(), screen.cursor.key()) {
                (Some(pair), _) => pair,
                (None, Some(row)) => (replays::ORIGINAL.to_owned(), row.operand().to_owned()),
                (None, None) => return Err(NOTHING),
            };
            commands::comparing(&screen.id, Some(&a), Some(&b)).ok_or(UNSAFE)
        }
        Layer::Operands(screen) => {
            let (a, b) = match screen.marks.pair() {
                Some((a, b)) => (Some(a), Some(b)),
                None => (screen.cursor.key().cloned(), None),
            };
            commands::comparing(&screen.id, a.as_deref(), b.as_deref()).ok_or(UNSAFE)
        }
        Layer::Comparison(screen) => {
            if let Some(path) = file(screen) {
                return true_text(path);
            }
            let (a, b) = screen.names();
            commands::comparing(&screen.id, a.as_deref(), b.as_deref()).ok_or(UNSAFE)
        }
        Layer::NewReplay(screen) => {
            let ask = screen.ask(&state.browser.request.cwd)?;
            commands::replaying(&screen.id, &ask, true).ok_or(UNSAFE)
        }
        Layer::ReplayPlan(screen) => {
            commands::replaying(&screen.id, &screen.ask, true).ok_or(UNSAFE)
        }
        Layer::Replaying(_) => {
            let origin = origin(state, layer).ok_or(NOTHING)?;
            true_text(&Foreign::from(&origin.file))
        }
        _ => Err(NOTHING),
    }
}

/// The file that is selected among those that differ.
fn file(screen: &ComparisonScreen) -> Option<&Foreign> {
    let artifacts = screen.comparison.ready()?.artifacts.as_ref()?;
    let place = (screen.tab == Tab::Files).then(|| screen.place(Tab::Files))?;
    artifacts.files.get(place).map(|file| &file.path)
}

/// The file behind the selected row.
pub(super) fn origin(state: &State, layer: &Layer) -> Option<Origin> {
    match layer {
        Layer::Replays(screen) => screen
            .selected()
            .map(|session| Origin::file(&session.manifest)),
        Layer::ReplayPlan(screen) => {
            let plan = screen.plan.ready()?;
            Some(Origin::file(&plan.experiment.manifest))
        }
        Layer::Replaying(screen) => {
            let running = state.replaying.as_ref()?;
            let steps = &screen.shown(running)?.steps;
            let step = steps.get(screen.step(running)?)?;
            step.output.as_ref().map(Origin::file)
        }
        Layer::Comparison(screen) => behind(screen),
        _ => None,
    }
}

/// The output of the selected pair, of B where it has one; or the selected file of B.
fn behind(screen: &ComparisonScreen) -> Option<Origin> {
    let ready = screen.comparison.ready()?;
    if let Some(path) = file(screen) {
        let run = ready.b.runs.get(screen.runs.1)?;
        let folder = match &run.tree {
            RunTree::WorkTree(folder) | RunTree::Folder(folder) => folder,
            RunTree::None | RunTree::Commit { .. } | RunTree::Files(_) => return None,
        };
        return Some(Origin::file(folder.join(path.as_str()?)));
    }
    let pair = ready.pairs.get(screen.pair()?)?;
    let of = |works: &[Option<Work>], run: usize| {
        let work = works.get(run)?.as_ref()?;
        work.output.clone().or_else(|| work.dispatch.clone())
    };
    let found = of(&pair.b, screen.runs.1).or_else(|| of(&pair.a, screen.runs.0));
    found.map(Origin::file)
}
