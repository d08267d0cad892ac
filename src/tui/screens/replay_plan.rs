//! The plan of a replay: confounders first, then what is replaced, how it runs, and every step.

mod state;
mod update;

use crate::model::{DispatchStatus, ReplayPlan, ReplayStep, Resolved};
use crate::tui::command_lines;
use crate::tui::prelude::*;

pub(crate) use state::{Part, ReplayPlanScreen, TrialRow, is_marked, marked};
pub(crate) use update::{again, edited, of_conflict, open, request, take};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Replay plan");

impl Screen for ReplayPlanScreen {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("replay plan", CONTEXT)
            .runs(update::run)
            .awaits(self.ticket)
            .reloads(request)
            .about(&self.id)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let Some(plan) = loaded(canvas, area, &self.plan, "Computing the replay plan …") else {
            return;
        };
        let width = usize::from(area.width).saturating_sub(2);
        // Each row is laid out once; the list then measures what it has.
        let laid: Vec<Vec<Bits>> = self
            .rows
            .iter()
            .map(|row| lines(self, plan, *row, width))
            .collect();
        let selected = self.cursor.place(&self.rows);
        let list = List::new(ListId::of::<Self>(), laid.len(), selected);
        list::laid(canvas, area, list, &laid);
    }

    fn offers(&self, _: &State, cmd: Cmd) -> bool {
        let made = self.plan.ready().is_some();
        match cmd {
            Cmd::StartReplay => made && self.open() == 0,
            Cmd::Enter => made,
            _ => true,
        }
    }

    fn position(&self, _: &State) -> Position {
        Position::row(self.cursor.place(&self.rows), self.rows.len())
    }

    fn go(&mut self, to: usize, _: &mut State) {
        self.cursor.go(&self.rows, to);
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        command_lines::replaying(&self.id, &self.ask, true).ok_or(UNSAFE)
    }

    fn origin(&self, _: &State) -> Option<Origin> {
        let plan = self.plan.ready()?;
        Some(Origin::file(&plan.experiment.manifest))
    }
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
            vec![Bits::of(Role::Dim, "    ").dim(text)]
        }
    }
}

fn label(text: &'static str) -> Bits {
    Bits::of(Role::Text, "  ").dim(text).pad(12)
}

fn head(screen: &ReplayPlanScreen, plan: &ReplayPlan, part: Part) -> Bits {
    let title = |text: &'static str| Bits::of(Role::Title, text);
    let number = |number: usize| clean!("  {}", number);
    match part {
        Part::Conflicts => {
            let bits = title("Conflicts").dim(number(screen.conflicts.len()));
            match screen.open() {
                0 => bits.good("  ✓ all resolved"),
                open => bits
                    .bad(clean!("  ✗ {} open", open))
                    .dim("  Enter opens one; resolve all to run"),
            }
        }
        Part::Confounders => title("Confounders").dim(number(plan.confounders.len())),
        Part::Notes => title("Notes").dim(number(plan.notes.len())),
        Part::Swaps => title("Replaced templates").dim(number(plan.mutations.len())),
        Part::How => title("How it runs"),
        Part::Steps => {
            let known = plan
                .steps
                .iter()
                .filter_map(|step| step.original.duration_s);
            let total: u64 = known.sum();
            title("Will run again")
                .dim(number(plan.steps.len()))
                .dim(clean!("  the original took {}", format::duration(total)))
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
        .text(" ")
        .cell(Role::Accent, name, 34)
        .text("  ")
        .say(role, how)
}

fn swap(plan: &ReplayPlan, place: usize, width: usize) -> Vec<Bits> {
    let Some(swap) = plan.mutations.get(place) else {
        return Vec::new();
    };
    let number = format::count(swap.dispatches, "dispatch");
    let text = clean!("{}: {}", swap.mutation.text(), number);
    let lead = Bits::of(Role::Text, "  ").accent("⇄ ");
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
        .accent(swapped)
        .cell(Role::Dim, clean!("{}", original.seq), 5)
        .cell(Role::Dim, clean!("phase {}", original.phase), 11)
        .cell(Role::Text, what, 26)
        .text(" ")
        .badge(role, sign, original.status.word(), 12)
        .cell(Role::Text, took, 8)
        .text(" ")
        .dim(original.template.clean())
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

/// How much is run, then time, space and tokens.
pub(crate) fn cost(plan: &ReplayPlan) -> Vec<Fact> {
    let blocks = format::count(plan.ask.repeat, "block");
    let what = match plan.ask.arms().as_slice() {
        _ if plan.ask.repeat < 2 => "a single look".to_owned(),
        [one] => format!("{blocks} of a {} run", one.word()),
        _ => format!("{blocks} of a control run and a mutated run"),
    };
    let mut all = vec![Fact::text("blocks", what)];
    let texts = plan.cost_texts().into_iter();
    all.extend(texts.map(|(label, text)| Fact::text(label, text)));
    if let Some(disk) = plan.cost.disk.filter(|disk| !disk.fits()) {
        let text = format!("not enough space: {} are needed", format::size(disk.all));
        all.push(Fact::new("disk", Role::Bad, text).sign(("✗", Role::Bad)));
    }
    all
}
