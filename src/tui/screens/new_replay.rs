//! The form of a new replay, and what it will cost.

mod state;
mod update;

use super::replay_plan::cost;
use crate::model::Arm;
use crate::tui::prelude::*;

pub(crate) use state::{FormRow, NewReplay, runners};
pub(crate) use update::{open, request, take, take_paths};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("New replay");

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "form-edit", CONTEXT, ["enter"], "fill in", "Edit the selected field, or take its next value; on the last row, show the plan.", foot 1),
    row!(ShowPlan => "form-plan", CONTEXT, ["p"], "replay plan", "Show what the replay would do. Nothing is written and nothing runs.", cli "relight replay PIPELINE --mutate ORIGINAL=REPLACEMENT --dry-run", foot 2),
];

/// Width of the labels.
const LABEL: usize = 33;

/// From this width on the cost is beside the form.
const SIDE: u16 = 130;

impl Screen for NewReplay {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("new replay", CONTEXT)
            .named_on_top()
            .runs(update::run)
            .awaits(self.ticket)
            .reloads(request)
            .about(&self.id)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let what = "Reading the templates and resume points …";
        let Some(plan) = loaded(canvas, area, &self.plan, what) else {
            return;
        };
        let (form, side) = if area.width >= SIDE {
            split_left(area, area.width * 3 / 5)
        } else {
            let lines = summary(self, plan, usize::from(area.width).saturating_sub(2)).len();
            let below = u16::try_from(lines + 1).unwrap_or(u16::MAX);
            split_top(area, area.height - below.min(area.height / 2))
        };
        rows(canvas, form, self);
        let lines = summary(self, plan, usize::from(side.width).saturating_sub(2));
        let head = if self.ticket.is_some() {
            Bits::of(Role::Accent, look::spinner(canvas.state.beat))
                .dim(" computing what it will cost ")
        } else {
            Bits::of(Role::Title, " What it will cost ")
        };
        let (rule, below) = split_top(side, 1);
        canvas.rule(rule, &head);
        canvas.lines(inset(below), &lines);
    }

    fn is_waiting(&self, _: DateTime<FixedOffset>) -> bool {
        self.ticket.is_some() || self.completing.is_some()
    }

    fn position(&self, _: &State) -> Position {
        Position::row(Some(self.place), self.rows().len())
    }

    fn go(&mut self, to: usize, _: &mut State) {
        self.select(to);
    }

    fn copyable(&self, state: &State) -> Result<Clean, &'static str> {
        let ask = self.ask(&state.browser.request.cwd);
        let ask = ask.map_err(|_shown| "The form has an error; its plan shows which.")?;
        command_lines::replaying(&self.id, &ask, true).ok_or(UNSAFE)
    }

    fn field(&mut self) -> Option<&mut Field> {
        self.selected_field()
    }

    fn field_changed(&self) -> Follow {
        update::changed
    }

    fn tab(&self) -> Follow {
        update::complete
    }

    fn typing_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        self.is_typing().then_some(&[
            ("Tab", "complete the path"),
            ("Enter", "keep it"),
            ("↑ ↓", "other rows"),
            ("Esc", "clear it"),
        ])
    }
}

/// The confounders, what it will cost, and what it can show.
fn summary(screen: &NewReplay, plan: &ReplayPlan, width: usize) -> Vec<Bits> {
    if screen.problem.is_some() {
        let text = Clean::new("Unknown until the fields above can be read.");
        return paragraph(&Bits::new(), Role::Dim, &text, width);
    }
    let mut lines = facts::lines(&cost(plan), width);
    for note in &plan.notes {
        let lead = Bits::of(Role::Dim, "· ");
        lines.extend(paragraph(&lead, Role::Text, &note.clean(), width));
    }
    lines
}

fn rows(canvas: &mut Canvas<'_>, area: Rect, screen: &NewReplay) {
    let width = usize::from(area.width).saturating_sub(3);
    let label = LABEL.min(width / 2);
    let (rows, plan) = (screen.rows(), canvas.state.key(Cmd::ShowPlan));
    let lead = |place: usize| rows.get(place).map_or(0, |row| heading(*row).iter().len());
    let list = List {
        lead: &lead,
        ..List::new(ListId::of::<NewReplay>(), rows.len(), Some(screen.place))
    };
    let state = canvas.state;
    list::laid(canvas, area, list, &|place| {
        let Some(row) = rows.get(place).copied() else {
            return Vec::new();
        };
        let mut lines: Vec<Bits> = heading(row).into_iter().collect();
        lines.push(form_row(screen, row, &plan, (label, width)));
        lines.extend(beneath(state, screen, (row, label, width)));
        lines
    });
}

/// The line above the first row of a part.
fn heading(row: FormRow) -> Option<Bits> {
    let (title, note) = match row {
        FormRow::Template(0) => ("Templates", "  a file for each that is replaced"),
        FormRow::Blocks => ("Experiment", ""),
        FormRow::From => ("How it runs", ""),
        _ => return None,
    };
    Some(Bits::of(Role::Title, title).dim(note))
}

/// The lines below a row: the completions of its path, or its error.
fn beneath(
    state: &State,
    screen: &NewReplay,
    (row, label, width): (FormRow, usize, usize),
) -> Vec<Bits> {
    if screen.row() == row && screen.candidates.len() > 1 {
        let names = screen.candidates.iter().map(|path| {
            let folders = path.trim_end_matches('/').rfind('/');
            Clean::new(path.get(folders.map_or(0, |at| at + 1)..).unwrap_or(path))
        });
        let names: Vec<Clean> = names.collect();
        let listed = format::clean_list(&names, names.len());
        let text = clean!("{}: {}", names.len(), listed);
        return capped(&Bits::new().gap(label), Role::Dim, &text, width, 2);
    }
    let problem = screen.problem.as_ref();
    let Some(problem) = problem.filter(|one| screen.row_of(one) == row) else {
        return Vec::new();
    };
    // A path that is still being typed is not wrong yet.
    if screen.row() == row && screen.is_typing() {
        return Vec::new();
    }
    let lead = Bits::of(Role::Bad, "  ✗ ");
    let mut lines = paragraph(&lead, Role::Text, &problem.text.clean(), width);
    let hints = problem.hints.iter().map(|hint| state.keyed(hint));
    lines.extend(hints.flat_map(|hint| paragraph(&Bits::new().gap(4), Role::Dim, &hint, width)));
    lines
}

fn form_row(
    screen: &NewReplay,
    row: FormRow,
    plan: &Clean,
    (label, width): (usize, usize),
) -> Bits {
    let room = width.saturating_sub(label);
    let left = |bits: Bits| bits.pad(label);
    let say = |text: &'static str| left(Bits::of(Role::Text, text));
    let number = |number: usize, note: &'static str| look::choice(number.to_string(), note);
    let chosen = &screen.chosen;
    let unswapped = || {
        let ask = screen.ask(Path::new(""));
        ask.is_ok_and(|ask| ask.arms() == [Arm::Control])
    };
    match row {
        FormRow::Template(place) => {
            let Some(one) = screen.templates.get(place) else {
                return Bits::new();
            };
            let name = if one.original.is_empty() {
                Bits::of(Role::Text, "another: ORIGINAL=REPLACEMENT")
            } else {
                let times = clean!("  ×{}", one.dispatches);
                let sent = clean!("  {}", format::count(one.dispatches, "dispatch"));
                let name = one.original.clean();
                let cut = ellipsis(&name, label.saturating_sub(times.width() + 1));
                Bits::of(Role::Text, cut).aloud(name).dim(times).aloud(sent)
            };
            left(name).join(written(&one.field, "keep", room))
        }
        FormRow::Blocks => {
            let note = match chosen.repeat {
                1 => "a single look: nothing is judged",
                2..=5 => "too few for a verdict",
                _ if unswapped() => "each a control run: no template is replaced",
                _ if chosen.no_control => "runs",
                _ => "each a control run and a mutated run",
            };
            say("blocks").join(number(chosen.repeat, note))
        }
        FormRow::Control => say("arms").join(if unswapped() {
            look::choice("control alone", "no template is replaced")
        } else if chosen.no_control {
            look::choice("mutated alone", "nothing is judged")
        } else {
            look::choice("control and mutated", "")
        }),
        FormRow::Metric => say("decided by").join(metric(screen, room)),
        FormRow::On => say("runs on").join(match (chosen.on, screen.no_slurm()) {
            (RunsOn::Slurm, _) => look::choice("slurm", "each run is a job of the cluster"),
            (RunsOn::Local, None) => look::choice("local", "this machine"),
            (RunsOn::Local, Some(why)) => {
                Bits::of(Role::Title, "local").dim(clean!("  no cluster here: {}", why))
            }
        }),
        FormRow::Parallel => say("runs side by side").join(number(chosen.parallel, "")),
        FormRow::All => say("stops").join(if chosen.all {
            look::choice("after every block", "whatever the verdict")
        } else {
            look::choice("early", "on a verdict, or when none can be reached")
        }),
        FormRow::Fresh => say("earlier experiments").join(if chosen.fresh {
            look::choice("left out", "the evidence starts again")
        } else {
            look::choice("counted", "if they asked the same question")
        }),
        FormRow::From => say("from").join(look::choice(from(screen), "")),
        FormRow::Jobs => say("dispatches side by side").join(number(chosen.jobs, "within a wave")),
        FormRow::Runner => say("runner").join(look::choice(runner(screen), "")),
        FormRow::Folder => {
            say("templates in").join(written(&screen.folder, "the installed plugin", room))
        }
        FormRow::Pin => say("templates pinned to").join(written(&screen.pin, "no commit", room)),
        FormRow::Go => Bits::of(Role::Key, plan.clone())
            .title(" shows the plan")
            .dim("  nothing is written and nothing runs"),
    }
}

fn metric(screen: &NewReplay, room: usize) -> Bits {
    let (name, note) = match screen.metric() {
        None => (Clean::new("the outcome of the run"), Clean::empty()),
        Some(metric) => {
            let better = if metric.lower_is_better {
                "lower"
            } else {
                "higher"
            };
            let command = metric.command.join(" ");
            let note = clean!("{} is better: {}", better, command.as_str());
            (Clean::new(&metric.name), note)
        }
    };
    let left = room.saturating_sub(look::choice(name.clone(), "").width());
    look::choice(name, ellipsis(&note, left))
}

fn from(screen: &NewReplay) -> Clean {
    let Some(start) = screen.start() else {
        return Clean::new("the point before the first affected dispatch");
    };
    let number = format::count(start.redo.len(), "dispatch");
    match &start.unusable {
        Some(why) => clean!("{}: {} (not usable: {})", start.point.0, number, why),
        None => clean!("{}: {}, {}", start.point.0, start.label, number),
    }
}

fn runner(screen: &NewReplay) -> Clean {
    match runners().get(screen.runner) {
        None | Some(&"configured") => Clean::new("the configured one"),
        Some(&"none") => Clean::new("none: write the files, run them by hand"),
        Some(&"stub") => Clean::new("stub runner: no agent, synthetic answers"),
        Some(name) => Clean::new(name),
    }
}

/// What was written; of a long text the part around the cursor while it is open, else its end.
pub(crate) fn written(field: &Field, empty: &'static str, room: usize) -> Bits {
    if field.open {
        return field.visible(room).dim("▏");
    }
    if field.is_empty() {
        return Bits::of(Role::Dim, empty);
    }
    Bits::new().ending(Role::Accent, Clean::new(field.text()), room)
}
