//! The plan of a replay: confounders first, then what is swapped, how it runs, and every step.

use crate::tui::screens::replay_plan::{Part, ReplayPlanScreen, TrialRow, cost};
use crate::tui::view::facts;
use crate::tui::view::loaded;
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Clean, DispatchStatus, Foreign, ReplayPlan, ReplayStep, Resolved};
use crate::text::format;
use crate::tui::geometry::ListId;
use crate::tui::theme::Role;
use crate::tui::view::list::{self, List};
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, paragraph};

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &ReplayPlanScreen) {
    let Some(plan) = loaded(
        canvas,
        area,
        Some(&screen.plan),
        "Computing the replay plan …",
    ) else {
        return;
    };
    let width = usize::from(area.width).saturating_sub(2);
    // Each row is laid out once; the list then measures what it has.
    let laid: Vec<Vec<Bits>> = screen
        .rows
        .iter()
        .map(|row| lines(screen, plan, *row, width))
        .collect();
    let height = |row: usize| laid.get(row).map_or(1, Vec::len);
    let list = List {
        id: ListId::of::<ReplayPlanScreen>(),
        len: laid.len(),
        selected: screen.cursor.place(&screen.rows),
        focus: true,
        height: &height,
        lead: &|_| 0,
    };
    list::rows(canvas, area, &list, &mut |row, line| {
        let bits = laid.get(row).and_then(|lines| lines.get(line));
        bits.cloned().unwrap_or_default()
    });
}

fn lines(screen: &ReplayPlanScreen, plan: &ReplayPlan, row: TrialRow, width: usize) -> Vec<Bits> {
    let sentence = |lead: Bits, text: &Foreign| paragraph(&lead, Role::Text, &text.clean(), width);
    match row {
        TrialRow::Head(part) => vec![head(screen, plan, part)],
        TrialRow::Conflict(seq) => vec![conflict(screen, plan, seq)],
        TrialRow::Confounder(place) => plan.confounders.get(place).map_or_else(Vec::new, |text| {
            sentence(Bits::of(Role::Warn, "  ! "), text)
        }),
        TrialRow::Note(place) => plan
            .notes
            .get(place)
            .map_or_else(Vec::new, |text| sentence(Bits::of(Role::Dim, "  · "), text)),
        TrialRow::Swap(place) => swap(plan, place, width),
        TrialRow::Start => paragraph(&label("from"), Role::Text, &start(plan), width),
        TrialRow::Cost => facts::lines(&cost(plan), width.saturating_sub(2))
            .into_iter()
            .map(|line| Bits::new().gap(2).join(line))
            .collect(),
        TrialRow::Runner => paragraph(&label("runner"), Role::Text, &runner(plan), width),
        TrialRow::Paths => paragraph(&label("paths"), Role::Text, &paths(plan), width),
        TrialRow::Step(place) => plan
            .steps
            .get(place)
            .map_or_else(Vec::new, |step| vec![self::step(plan, place, step)]),
        TrialRow::Nothing(part) => {
            let text = match part {
                Part::Swaps => "No template is replaced: the same dispatches run again.",
                Part::Confounders => "None.",
                Part::Steps => "No dispatches after that point.",
                Part::Conflicts | Part::Notes | Part::How => "Nothing.",
            };
            vec![Bits::of(Role::Dim, "    ").say(Role::Dim, text)]
        }
    }
}

fn label(text: &'static str) -> Bits {
    Bits::of(Role::Text, "  ").say(Role::Dim, text).pad(12)
}

fn head(screen: &ReplayPlanScreen, plan: &ReplayPlan, part: Part) -> Bits {
    let title = |text: &'static str| Bits::of(Role::Title, text);
    let number = |number: usize| clean!("  {}", number);
    match part {
        Part::Conflicts => {
            let bits = title("Conflicts").say(Role::Dim, number(screen.conflicts.len()));
            match screen.open() {
                0 => bits.say(Role::Good, "  ✓ all resolved"),
                open => bits
                    .say(Role::Bad, clean!("  ✗ {} open", open))
                    .say(Role::Dim, "  Enter opens one; resolve all to run"),
            }
        }
        Part::Confounders => title("Confounders").say(Role::Dim, number(plan.confounders.len())),
        Part::Notes => title("Notes").say(Role::Dim, number(plan.notes.len())),
        Part::Swaps => title("Replaced templates").say(Role::Dim, number(plan.mutations.len())),
        Part::How => title("How it runs"),
        Part::Steps => {
            let known = plan
                .steps
                .iter()
                .filter_map(|step| step.original.duration_s);
            let total: u64 = known.sum();
            title("Will run again")
                .say(Role::Dim, number(plan.steps.len()))
                .say(
                    Role::Dim,
                    clean!("  the original took {}", format::duration(total)),
                )
        }
    }
}

fn conflict(screen: &ReplayPlanScreen, plan: &ReplayPlan, seq: u64) -> Bits {
    let mut steps = plan.steps.iter();
    let step = steps.find(|step| step.original.seq == seq);
    let name = step.map_or_else(Clean::empty, |step| step.original.file.clean());
    let (sign, role, how) = match screen.settled(seq) {
        None => (
            "✗",
            Role::Bad,
            "open: the template and the dispatch changed the same lines",
        ),
        Some(Resolved::Replacement) => ("✓", Role::Good, "resolved: uses the replacement's text"),
        Some(Resolved::Original) => ("✓", Role::Good, "resolved: uses the original's text"),
        Some(Resolved::Edited(_)) => ("✓", Role::Good, "resolved: uses your text"),
    };
    Bits::of(Role::Text, "  ")
        .say(role, sign)
        .say(Role::Text, " ")
        .cell(Role::Accent, name, 34)
        .say(Role::Text, "  ")
        .say(role, how)
}

fn swap(plan: &ReplayPlan, place: usize, width: usize) -> Vec<Bits> {
    let Some(swap) = plan.mutations.get(place) else {
        return Vec::new();
    };
    let number = format::count(swap.dispatches, "dispatch");
    let text = clean!("{}: {}", swap.mutation.text(), number);
    let lead = Bits::of(Role::Text, "  ").say(Role::Accent, "⇄ ");
    let mut lines = paragraph(&lead, Role::Text, &text, width);
    let from = match &swap.template {
        Some(_) => clean!("merged over {}", swap.template_from),
        None => clean!("no template matches the dispatches: {}", swap.template_from),
    };
    lines.extend(paragraph(&Bits::new().pad(4), Role::Dim, &from, width));
    lines
}

fn start(plan: &ReplayPlan) -> Clean {
    let Some(start) = plan.begin() else {
        return Clean::new("unknown");
    };
    let files = match (&start.checkpoint, &plan.commit) {
        (Some(checkpoint), _) => clean!("the files of checkpoint {}", checkpoint.reason),
        (None, Some(commit)) => clean!("the files of commit {}", Clean::new(commit).clip(12)),
        (None, None) => Clean::new("no saved files"),
    };
    clean!("{} ({}), with {}", start.point.0, start.label, files)
}

fn paths(plan: &ReplayPlan) -> Clean {
    let mentions: usize = plan.isolation.named.iter().map(|one| one.mentions).sum();
    clean!(
        "{} in {} replaced by the run's own; Enter shows them",
        format::count_of(mentions, "path of the original", "paths of the original"),
        format::count_of(
            plan.isolation.rewritten.len(),
            "dispatch is",
            "dispatches are"
        )
    )
}

/// The program, or that there is none.
pub(crate) fn runner(plan: &ReplayPlan) -> Clean {
    let Some(runner) = &plan.runner else {
        return Clean::new("none: relight writes the dispatch files; run them by hand");
    };
    let argv: Vec<Foreign> = runner
        .argv
        .iter()
        .map(|word| Foreign::from(word.as_os_str()))
        .collect();
    let line = format::shell_line(&argv).unwrap_or_else(|| runner.name.clean());
    clean!(
        "{}: {}; timeout {}, up to {}",
        crate::model::runner_title(&runner.name),
        line,
        format::duration(runner.timeout_s),
        format::count(runner.retries + 1, "attempt")
    )
}

fn step(plan: &ReplayPlan, place: usize, step: &ReplayStep) -> Bits {
    let before = place.checked_sub(1).and_then(|place| plan.steps.get(place));
    let new_wave = before.is_none_or(|before| before.wave != step.wave);
    let wave = if new_wave {
        clean!("wave {}", step.wave + 1)
    } else {
        Clean::empty()
    };
    let original = &step.original;
    let (sign, role) = status(original.status);
    let took = original
        .duration_s
        .map_or_else(|| "–".to_owned(), format::brief_duration);
    let swapped = if step.mutation.is_some() {
        "⇄ "
    } else {
        "  "
    };
    let task = original.task.as_ref();
    let what = match task {
        // Some manifests have the number alone.
        Some(task)
            if task
                .as_str()
                .is_some_and(|text| text.parse::<u64>().is_ok()) =>
        {
            clean!("{}, task {}", original.role, task)
        }
        Some(task) => clean!("{}, {}", original.role, task),
        None => original.role.clean(),
    };
    Bits::of(Role::Text, "  ")
        .cell(Role::Dim, wave, 9)
        .say(Role::Accent, swapped)
        .cell(Role::Dim, clean!("{}", original.seq), 5)
        .cell(Role::Dim, clean!("phase {}", original.phase), 11)
        .cell(Role::Text, what, 26)
        .say(Role::Text, " ")
        .badge(role, sign, original.status.word(), 12)
        .cell(Role::Text, took, 8)
        .say(Role::Text, " ")
        .say(Role::Dim, original.template.clean())
}

/// A dispatch's status.
fn status(status: DispatchStatus) -> (&'static str, Role) {
    match status {
        DispatchStatus::Completed => ("✓", Role::Good),
        DispatchStatus::Failed => ("✗", Role::Bad),
        DispatchStatus::Error => ("!", Role::Warn),
        DispatchStatus::Skipped => ("–", Role::Dim),
        DispatchStatus::Dispatched | DispatchStatus::Unknown => ("·", Role::Dim),
    }
}
