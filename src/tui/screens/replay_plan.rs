//! The plan of a replay: confounders first, then what is replaced, how it runs, and every step.

mod state;
mod update;

use crate::model::{DispatchStatus, ReplayStep, TemplateSwap};
use crate::tui::prelude::*;

pub(crate) use state::{Part, ReplayPlanScreen, TrialRow, is_marked, marked};
pub(crate) use update::{again, edited, of_conflict, open, request, take};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Replay plan");

commands! { acting: StartReplay }

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "trial-open", CONTEXT, ["enter"], "open", "Open a conflict, or the difference between a template and its replacement.", foot 1),
    row!(StartReplay => "trial-start", CONTEXT, ["A"], "run", "Ask whether to run the replay, how often and where. Nothing runs before you answer.", cli "relight replay PIPELINE --mutate ORIGINAL=REPLACEMENT", foot 2),
];

impl Screen for ReplayPlanScreen {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("replay plan", CONTEXT)
            .runs(update::run)
            .awaits(self.ticket)
            .reloads(request)
            .about(&self.id)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        if loaded(canvas, area, &self.plan, "Computing the replay plan …").is_none() {
            return;
        }
        let width = usize::from(area.width).saturating_sub(2);
        let enter = canvas.state.key(Cmd::Enter);
        let rows = rows(self, &enter, width);
        let selected = self.cursor.place(&self.rows);
        let list = List::new(ListId::of::<Self>(), rows.len(), selected);
        list::laid(canvas, area, list, &|place| {
            rows.get(place).map_or_else(Vec::new, |(_, lay)| lay())
        });
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
        self.cursor.position(&self.rows)
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

/// A row, and what lays out its lines.
type Row<'a> = (TrialRow, Box<dyn Fn() -> Vec<Bits> + 'a>);

fn row<'a>(row: TrialRow, lay: impl Fn() -> Vec<Bits> + 'a) -> Row<'a> {
    (row, Box::new(lay))
}

/// The rows of the screen in order.
fn rows<'a>(screen: &'a ReplayPlanScreen, enter: &'a Clean, width: usize) -> Vec<Row<'a>> {
    let Some(plan) = screen.plan.ready() else {
        return Vec::new();
    };
    let mut all = Vec::new();
    let mut part = |of: Part, head: Bits, rows: Vec<Row<'a>>, nothing: &'static str| {
        all.push(row(TrialRow::Text(of, 0), move || vec![head.clone()]));
        if rows.is_empty() {
            let nothing = Bits::of(Role::Dim, "    ").dim(nothing);
            all.push(row(TrialRow::Text(of, 1), move || vec![nothing.clone()]));
        }
        all.extend(rows);
    };
    let counted =
        |text: &'static str, number| Bits::of(Role::Title, text).dim(clean!("  {}", number));
    let said = |of: Part, (role, sign): (Role, &'static str), texts: &'a [Foreign]| -> Vec<_> {
        let lead = move || Bits::of(role, sign);
        let lines = move |text: &Foreign| paragraph(&lead(), Role::Text, &text.clean(), width);
        let texts = texts.iter().enumerate();
        texts
            .map(|(at, text)| row(TrialRow::Text(of, at + 1), move || lines(text)))
            .collect()
    };
    if !screen.conflicts.is_empty() {
        let head = counted("Conflicts", screen.conflicts.len());
        let head = match screen.open() {
            0 => head.good("  ✓ all resolved"),
            open => head
                .bad(clean!("  ✗ {} open", open))
                .dim(clean!("  {} opens one; resolve all to run", enter)),
        };
        let one = |seq: &u64| {
            let seq = *seq;
            let lay = move || vec![conflict(screen, plan, seq)];
            row(TrialRow::Conflict(seq), lay)
        };
        let rows = screen.conflicts.keys().map(one);
        part(Part::Conflicts, head, rows.collect(), "");
    }
    let head = counted("Confounders", plan.confounders.len());
    let rows = said(Part::Confounders, (Role::Warn, "  ! "), &plan.confounders);
    part(Part::Confounders, head, rows, "None.");
    if !plan.notes.is_empty() {
        let head = counted("Notes", plan.notes.len());
        let rows = said(Part::Notes, (Role::Dim, "  · "), &plan.notes);
        part(Part::Notes, head, rows, "");
    }
    let head = counted("Replaced templates", plan.mutations.len());
    let swaps = plan.mutations.iter().enumerate();
    let swaps = swaps.map(|(at, one)| row(TrialRow::Swap(at), move || swap(one, width)));
    let nothing = "No template is replaced: the same dispatches run again.";
    part(Part::Swaps, head, swaps.collect(), nothing);
    let head = Bits::of(Role::Title, "How it runs");
    part(Part::How, head, how(plan, enter, width), "");
    let known = plan.steps.iter();
    let known = known.filter_map(|step| step.original.duration_s);
    let took = clean!("  the original took {}", format::duration(known.sum()));
    let head = counted("Will run again", plan.steps.len()).dim(took);
    let steps = plan.steps.iter().enumerate();
    let steps = steps.map(|(at, one)| row(TrialRow::Step(at), move || vec![step(plan, at, one)]));
    let nothing = "No dispatches after that point.";
    part(Part::Steps, head, steps.collect(), nothing);
    all
}

/// What it costs, where it begins, what runs it, and the paths that are replaced.
fn how<'a>(plan: &'a ReplayPlan, enter: &'a Clean, width: usize) -> Vec<Row<'a>> {
    let said = move |label: &'static str, text: &Clean| {
        let lead = Bits::new().gap(2).label(label, facts::LABEL);
        paragraph(&lead, Role::Text, text, width)
    };
    let costs = move || {
        let costs = facts::lines(&cost(plan), width.saturating_sub(2)).into_iter();
        costs.map(|line| Bits::new().gap(2).join(line)).collect()
    };
    let at = |at| TrialRow::Text(Part::How, at);
    let mut rows = vec![
        row(at(1), costs),
        row(at(2), move || said("from", &start(plan))),
        row(at(3), move || said("runner", &runner(plan))),
    ];
    if !plan.isolation.rewritten.is_empty() {
        let lay = move || said("paths", &paths(plan, enter));
        rows.push(row(TrialRow::Paths, lay));
    }
    rows
}

fn conflict(screen: &ReplayPlanScreen, plan: &ReplayPlan, seq: u64) -> Bits {
    let mut steps = plan.steps.iter();
    let step = steps.find(|step| step.original.seq == seq);
    let name = step.map_or_else(Clean::empty, |step| step.original.file.clean());
    let (sign, role, how) = match screen.resolved(seq) {
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

fn swap(swap: &TemplateSwap, width: usize) -> Vec<Bits> {
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

fn paths(plan: &ReplayPlan, enter: &Clean) -> Clean {
    let mentions: usize = plan.isolation.named.iter().map(|one| one.mentions).sum();
    let paths = format::count_of(mentions, "path of the original", "paths of the original");
    let rewritten = plan.isolation.rewritten.len();
    let dispatches = format::count_of(rewritten, "dispatch is", "dispatches are");
    clean!(
        "{} in {} replaced by the run's own; {} shows them",
        paths,
        dispatches,
        enter
    )
}

/// The program, or that there is none.
pub(crate) fn runner(plan: &ReplayPlan) -> Clean {
    let Some(runner) = &plan.runner else {
        return Clean::new("none: relight writes the dispatch files; run them by hand");
    };
    let words = runner.argv.iter();
    let argv: Vec<Foreign> = words.map(|word| word.as_os_str().into()).collect();
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
    let wave = new_wave.then(|| clean!("wave {}", step.wave + 1));
    let original = &step.original;
    let took = original.duration_s.map(format::brief_duration);
    let took = took.unwrap_or_else(|| "–".to_owned());
    let swapped = if step.is_swapped() { "⇄ " } else { "  " };
    let task = original.task.as_ref();
    // Some manifests have the number alone.
    let is_number = |task: &Foreign| {
        task.as_str()
            .is_some_and(|text| text.parse::<u64>().is_ok())
    };
    let what = match task {
        Some(task) if is_number(task) => clean!("{}, task {}", original.role, task),
        Some(task) => clean!("{}, {}", original.role, task),
        None => original.role.clean(),
    };
    Bits::of(Role::Text, "  ")
        .cell(Role::Dim, wave.unwrap_or_default(), 9)
        .accent(swapped)
        .cell(Role::Dim, clean!("{}", original.seq), 5)
        .cell(Role::Dim, clean!("phase {}", original.phase), 11)
        .cell(Role::Text, what, 26)
        .text(" ")
        .join(Bits::signed(status(original.status), original.status.word()).pad(12))
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
