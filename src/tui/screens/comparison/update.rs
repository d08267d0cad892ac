//! Two runs side by side: selects the part, the pairs and the runs, and opens the difference of a row.

use super::{ComparisonScreen, Tab};
use crate::model::{Mutation, Pair, RewrittenText, TemplateSwap};
use crate::tui::prelude::*;
use crate::tui::screens::diff;
use crate::tui::screens::notice::Notice;

/// Opens a comparison. The engine chooses a missing side.
pub(crate) fn open(state: &mut State, id: PipelineId, a: Option<String>, b: Option<String>) {
    state.push(ComparisonScreen {
        id,
        a,
        b,
        ..ComparisonScreen::default()
    });
    request(state);
}

/// Asks for the comparison of an open screen.
pub(crate) fn request(state: &mut State) {
    if let Some(screen) = state.layers.find_mut::<ComparisonScreen>() {
        screen.ticket = Some(state.effects.ask(Query::Compare {
            id: screen.id.clone(),
            a: screen.a.clone(),
            b: screen.b.clone(),
        }));
    }
}

/// Takes a comparison.
pub(crate) fn take(state: &mut State, ticket: Ticket, result: Result<Comparison>) {
    let comparison = state.load(result);
    if let Some(screen) = state.layers.awaiting::<ComparisonScreen>(ticket) {
        screen.ticket = None;
        screen.take(comparison);
    }
}

/// A command of the comparison.
pub(crate) fn run(state: &mut State, cmd: Cmd) {
    let Some(screen) = state.layers.top_mut::<ComparisonScreen>() else {
        return;
    };
    match cmd {
        Cmd::Left | Cmd::Right if screen.tab == Tab::Blocks => {
            let here = screen.place(Tab::Blocks);
            let to = here.saturating_add_signed(if cmd == Cmd::Right { 1 } else { -1 });
            screen.select(Tab::Blocks, to);
        }
        Cmd::NextPane | Cmd::Right => screen.switch_part(true),
        Cmd::PrevPane | Cmd::Left => screen.switch_part(false),
        Cmd::Pane1 | Cmd::Pane2 | Cmd::Pane3 | Cmd::Pane4 => {
            let tab = Tab::ALL.into_iter().find(|tab| tab.names().0 == cmd);
            screen.tab = tab.unwrap_or(screen.tab);
        }
        _ => {}
    }
    let Some(ready) = screen.comparison.ready().cloned() else {
        return;
    };
    match cmd {
        Cmd::Only => {
            screen.only = screen.only.next(&ready);
            screen.arrange();
            screen.tab = Tab::Work;
            let (only, shown, all) = (
                screen.only.word(&ready),
                screen.shown.len(),
                ready.pairs.len(),
            );
            state.say(clean!("Shown: {}, {} of {}.", only, shown, all));
        }
        Cmd::Divergence => match ready.divergence {
            Some(place) => {
                screen.tab = Tab::Work;
                screen.go_to_pair(place);
            }
            None => state.refuse("No dispatch differs."),
        },
        Cmd::NextDifferent | Cmd::PrevDifferent => {
            screen.tab = Tab::Work;
            if !screen.seek(cmd == Cmd::NextDifferent) {
                state.refuse("No other difference in that direction.");
            }
        }
        Cmd::Blocks if screen.blocks().is_empty() => {
            state.refuse("Only an experiment with two arms has blocks.");
        }
        Cmd::Blocks => screen.tab = Tab::Blocks,
        Cmd::Evidence => evidence(state, &ready),
        Cmd::Enter if screen.tab == Tab::Blocks => open_block(state, &ready),
        Cmd::RunA | Cmd::RunB => next_run(state, &ready, cmd == Cmd::RunA),
        Cmd::Enter | Cmd::TemplateDiff | Cmd::DispatchDiff | Cmd::OutputDiff | Cmd::SummaryDiff => {
            match wanted(screen, &ready, cmd) {
                Ok(what) => show(state, &ready, what),
                Err(why) => state.refuse(Clean::new(why)),
            }
        }
        _ => {}
    }
}

/// Compares the two runs of the selected block.
fn open_block(state: &mut State, ready: &Comparison) {
    let Some(screen) = state.layers.top_as::<ComparisonScreen>() else {
        return;
    };
    let Some(block) = screen.block() else { return };
    let name = |party: &Party, run: Option<usize>| {
        let run = run.and_then(|run| party.runs.get(run));
        run.map(|run| run.name.clone())
    };
    let a = name(&ready.a, block.control_run);
    let b = name(&ready.b, block.mutated_run);
    if a.is_none() || b.is_none() {
        return state.refuse(clean!(
            "A run of block {} is missing: nothing to compare.",
            block.number
        ));
    }
    open(state, screen.id.clone(), a, b);
}

/// Shows the numbers that the verdict is based on.
fn evidence(state: &mut State, ready: &Comparison) {
    let Some(statistics) = &ready.statistics else {
        return state.refuse("Only an experiment with two arms has evidence.");
    };
    let rule = "E grows with every block in which one arm beats the other. Of 100 experiments with equal templates, at \
                most 5 ever reach it, however often you look and add blocks.";
    let mut lines = vec![Clean::new(&statistics.details()), Clean::new(rule)];
    lines.extend(statistics.sentences().iter().map(|text| Clean::new(text)));
    state.push(Notice {
        title: Clean::new("Evidence"),
        lines,
    });
}

/// Shows the next run of a side. The runs of an experiment are compared block by block, so there it goes to the next
/// block, or the previous one.
fn next_run(state: &mut State, ready: &Comparison, left: bool) {
    let Some(screen) = state.layers.top_mut::<ComparisonScreen>() else {
        return;
    };
    let blocks = screen.blocks().len();
    if blocks > 0 {
        let by = if left { blocks - 1 } else { 1 };
        screen.select(Tab::Blocks, (screen.place(Tab::Blocks) + by) % blocks);
        let number = screen.block().map_or(0, |block| block.number);
        let at = screen.place(Tab::Blocks) + 1;
        return state.say(clean!("Block {}, {} of {}.", number, at, blocks));
    }
    let (letter, party, run) = if left {
        ("A", &ready.a, &mut screen.runs.0)
    } else {
        ("B", &ready.b, &mut screen.runs.1)
    };
    let len = party.runs.len();
    if len < 2 {
        return state.refuse(clean!("{} has only this run.", letter));
    }
    *run = (*run + 1) % len;
    let name = party.runs.get(*run).map_or("", |run| run.name.as_str());
    let text = clean!("{}: run {} of {}, {}.", letter, *run + 1, len, name);
    state.say(text);
}

/// Which texts a command wants of the selected row; a sentence where there are none.
fn wanted(
    screen: &ComparisonScreen,
    ready: &Comparison,
    cmd: Cmd,
) -> Result<Compared, &'static str> {
    if cmd == Cmd::TemplateDiff {
        return template(screen, ready).map(Compared::Template);
    }
    match screen.tab {
        Tab::Files => {
            let artifacts = ready.artifacts.as_ref();
            let files = artifacts.map_or(0, |artifacts| artifacts.files.len());
            let place = screen.place(Tab::Files);
            let what = (place < files).then_some(Compared::Artifact(place));
            return what.ok_or(match artifacts {
                Some(_) => "No files differ.",
                None => "Files are not compared: one side has no readable work tree.",
            });
        }
        Tab::Metrics | Tab::About if cmd == Cmd::Enter => {
            return Err("No details here; the dispatches have them.");
        }
        Tab::Blocks | Tab::Metrics | Tab::About | Tab::Work => {}
    }
    let place = screen.pair().ok_or("No row to open.")?;
    let (pair, (a, b)) = (place, screen.runs);
    let dispatch = Compared::Dispatch { pair, a, b };
    let output = Compared::Output { pair, a, b };
    let summary = Compared::Summary { pair, a, b };
    let (wanted, missing): (&[Compared], _) = match cmd {
        Cmd::DispatchDiff => (&[dispatch], "Neither side has a dispatch file here."),
        Cmd::OutputDiff => (&[output], "Neither side has an output here."),
        Cmd::SummaryDiff => (&[summary], "Neither side has a summary here."),
        _ => (
            &[output, dispatch, summary],
            "Neither side has a text here.",
        ),
    };
    let mut wanted = wanted.iter().copied();
    let found = wanted.find(|what| diff::is_there(ready, *what));
    found.ok_or(missing)
}

/// The template of the selected pair, else the only one that differs.
fn template(screen: &ComparisonScreen, ready: &Comparison) -> Result<usize, &'static str> {
    let pair = screen.pair().and_then(|place| ready.pairs.get(place));
    let of_pair = pair.and_then(|pair| swapped(ready, pair));
    match (of_pair, ready.templates.len()) {
        (Some(place), _) => Ok(place),
        (None, 0) => Err("No template is known to differ."),
        (None, 1) => Ok(0),
        (None, _) => Err("The template of this row is the same on both sides."),
    }
}

fn swapped(ready: &Comparison, pair: &Pair) -> Option<usize> {
    let mut works = pair.b.iter().chain(&pair.a).flatten();
    let mutation = works.find_map(|work| work.mutation.clone())?;
    let mut swaps = ready.templates.iter();
    swaps.position(|swap| swap.mutation.text() == mutation)
}

/// Opens a difference.
fn show(state: &mut State, ready: &Arc<Comparison>, what: Compared) {
    let source = DiffSource::Comparison {
        comparison: Arc::clone(ready),
        what,
    };
    state.push(DiffScreen::new(source));
    diff::request(state);
}

/// Opens the difference between a template of a plan and its replacement.
pub(crate) fn of_swap(state: &mut State, plan: &ReplayPlan, swap: usize) {
    let templates = plan.mutations.clone();
    of_plan(state, plan, (templates, swap), ["template", "replacement"]);
}

/// Opens the difference between dispatches of a plan as they are and with the paths of a run: of one, or of all.
pub(crate) fn of_paths(state: &mut State, plan: &ReplayPlan, seq: Option<u64>) {
    let texts = plan.isolation.rewritten.iter();
    let texts = texts.filter(|text| seq.is_none_or(|seq| text.seq == seq));
    let texts: Vec<_> = texts.collect();
    let all = |of: fn(&RewrittenText) -> &[u8]| -> Vec<u8> {
        let parts = texts.iter().flat_map(|text| {
            let head = format!("Dispatch {}\n", text.seq).into_bytes();
            [head, of(text).to_vec(), b"\n".to_vec()]
        });
        parts.flatten().collect()
    };
    let swap = TemplateSwap {
        mutation: Mutation {
            original: "paths of the original".into(),
            replacement: "paths of the run".into(),
        },
        template: Some(all(|text| &text.before)),
        template_from: Foreign::default(),
        replacement: all(|text| &text.after),
        dispatches: texts.len(),
    };
    of_plan(state, plan, (vec![swap], 0), ["original", "run"]);
}

/// Opens the difference between two texts of a plan. Nothing has run yet: of a comparison only its templates are there.
fn of_plan(
    state: &mut State,
    plan: &ReplayPlan,
    (templates, shown): (Vec<TemplateSwap>, usize),
    names: [&str; 2],
) {
    let [a, b] = names.map(|name| Party {
        name: name.to_owned(),
        title: Foreign::default(),
        runs: Vec::new(),
    });
    let comparison = Comparison {
        templates,
        ..Comparison::new(plan.pipeline.clone(), a, b)
    };
    let what = Compared::Template(shown);
    show(state, &Arc::new(comparison), what);
}
