//! A question before anything is written. Its keys are its own, and it prints them itself. The text may scroll; the
//! prompt and its keys stay.

mod plan;
mod replay;
mod update;

use super::replays::{Continuation, Doomed};
use crate::tui::prelude::*;

pub(crate) use update::{paste, press};

/// What a destructive plan wants typed.
pub(crate) const YES: &str = "yes";

/// What answers an unknown liveness.
pub(crate) const NOT_RUNNING: &str = "not running";

/// What answers a question of a plan.
pub(crate) const ACCEPT: &str = "accept";

/// The word that confirms a purge.
pub(crate) const PURGE: &str = "purge";

/// The least lines below the head: one that says how much is not shown, and one of the text.
const LEAST: usize = 2;

impl Screen for Question {
    fn profile(&self) -> Profile<'_> {
        Profile::dialog("question").runs(|_, _| {})
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let width = canvas.at_most(area, 100);
        let room = usize::from(width).saturating_sub(5);
        let most = usize::from(area.height).saturating_sub(2 + 2);
        let mut page = TextPage::new(room);
        let (mut head, mut names) = (Vec::new(), plan::Replaced::default());
        if let Ask::Apply {
            plan,
            command,
            kept_in,
            ..
        } = &self.ask
        {
            head = plan::head(canvas.state, plan, (room, most.saturating_sub(LEAST)));
            let (state, command) = (canvas.state, command.as_ref());
            (page.lines, names) = plan::lines(state, plan, command, kept_in.as_deref(), room);
        } else {
            explain(canvas.state, &self.ask, &mut page);
        }
        let (title, _) = words(&self.ask);
        let height = (head.len() + page.lines.len()).min(most) + 4;
        let place = canvas.centered(area, width, u16::try_from(height).unwrap_or(u16::MAX));
        canvas.pen.clear(place);
        let inside = canvas.pen.frame(place, &Bits::of(Role::Title, title), true);
        let inside = inset(inside);
        canvas.map.spot(place, Target::List(ListId::of::<Self>()));
        let (body, below) = split_top(inside, inside.height.saturating_sub(2));
        if usize::from(body.height) < head.len() + page.lines.len().min(LEAST) {
            canvas.map.page(self.list(), 0, 0, page.lines.len());
            let text = "This window is too small for the question. Enlarge it to answer.";
            canvas.lines(
                body,
                &paragraph(&Bits::new(), Role::Bad, &Clean::new(text), room),
            );
        } else {
            let body = canvas.lines(body, &head);
            said(canvas, body, self.top, &page.lines, &names);
        }
        canvas.pen.rule(Rect::new(below.x, below.y, below.width, 1));
        let (_, last) = split_top(below, 1);
        prompt(canvas, last, self);
    }

    fn position(&self, state: &State) -> Position {
        let page = state.geometry.page_of(self.list());
        if page.total <= page.height {
            return Position::Fixed;
        }
        // Not the line that was drawn last: several keys may come before the next frame.
        Position::Text(self.top.min(page.total - page.height))
    }

    fn go(&mut self, to: usize, _: &mut State) {
        self.top = to;
    }

    fn typing_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        Some(&[])
    }
}

/// The text. If it is too long, its end is shown first, because the worst is last, and a separate line says how much is
/// not shown, and how many of the `names` of replaced files.
fn said(canvas: &mut Canvas<'_>, area: Rect, top: usize, all: &[Bits], names: &plan::Replaced) {
    let id = ListId::of::<Question>();
    let fits = all.len() <= usize::from(area.height);
    let (mark, body) = split_top(area, u16::from(!fits));
    let height = usize::from(body.height);
    let first = top.min(all.len().saturating_sub(height));
    let total = all.len();
    canvas.map.page(id, first, height, total);
    canvas.lines(body, all.get(first..).unwrap_or_default());
    if fits {
        return;
    }
    let end = first + height;
    let beside = Rect::new(body.x, body.y, body.width + 1, body.height);
    list::scrollbar(canvas, beside, total, first..end, &|_| None, id);
    let total_names = names.lines.len() + names.more;
    let seen = names.lines.clone().filter(|at| (first..end).contains(at));
    let hidden = total_names - seen.count();
    let beyond = [
        ("↑", first, "above"),
        ("↓", total.saturating_sub(end), "below"),
    ];
    let beyond = beyond.into_iter().filter(|(_, lines, _)| *lines > 0);
    let mut bits = Bits::dotted(beyond.map(|(arrow, lines, place)| {
        let lines = format::count(lines, "line");
        Bits::of(Role::Key, clean!("{} {} {}", arrow, lines, place))
    }));
    if hidden > 0 {
        let of = format::count(total_names, "replaced item");
        bits = bits.warn(clean!("   {} of {} not shown", hidden, of));
    }
    let hint = "   Up and Down scroll";
    if bits.width() + hint.len() <= usize::from(mark.width) {
        bits = bits.dim(hint);
    }
    canvas.pen.line(mark, &bits);
}

/// The title, and what a yes does.
fn words(ask: &Ask) -> (&'static str, &'static str) {
    match ask {
        Ask::Apply { plan, .. } => (plan::title(plan), "apply"),
        Ask::Stopped { .. } => ("Is it still running?", "continue"),
        Ask::Accept { .. } => ("Continue anyway?", "continue"),
        Ask::Reason => ("Why resume at this point?", "add it"),
        Ask::Branch { .. } => ("On which branch did it run?", "continue"),
        Ask::Purge(..) => ("Delete the backups?", "delete the backups"),
        Ask::Export(_) => ("Copy the backups", "copy"),
        Ask::ExportReports(_) => ("Export the pipelines", "export"),
        Ask::Launch(..) => ("Launch the orchestrator here?", "launch"),
        Ask::Replay { .. } => ("Run the replay?", "run"),
        Ask::Continue(_) => ("Continue the replay?", "continue"),
        Ask::PurgeReplay(_) => ("Delete the replay?", "delete it"),
        Ask::StopReplay => ("Stop the replay?", "stop"),
        Ask::Leave => ("A replay is running. Stop it and quit?", "stop and quit"),
    }
}

/// What a no means.
fn no(ask: &Ask) -> &'static str {
    match ask {
        Ask::StopReplay | Ask::Leave => " no: keep running",
        _ => " no: nothing is written",
    }
}

/// The prompt, with the keys that answer it.
fn prompt(canvas: &mut Canvas<'_>, area: Rect, question: &Question) {
    let (_, verb) = words(&question.ask);
    let bits = match question.answer {
        Answer::Key => {
            let bits = Bits::of(Role::Key, "y")
                .gap(1)
                .text(verb)
                .gap(4)
                .key("n Esc Enter")
                .text(no(&question.ask));
            canvas.pen.line(area, &bits);
            return;
        }
        Answer::Word(word) => Bits::of(Role::Text, "Type ")
            .key(word)
            .text(" and press Enter: "),
        Answer::Text => match &question.ask {
            Ask::Export(_) | Ask::ExportReports(_) => Bits::of(Role::Text, "Directory: "),
            Ask::Reason => Bits::of(Role::Text, "Reason: "),
            _ => Bits::of(Role::Text, "Branch: "),
        },
    };
    let start = bits.width();
    let short = Bits::of(Role::Key, "Esc").dim(" no");
    let long = match question.answer {
        Answer::Key | Answer::Word(_) => Bits::of(Role::Key, "Esc").dim(" or anything else: no"),
        // Anything else is the answer, and the line itself does not name the key that gives it.
        Answer::Text => Bits::of(Role::Key, "Enter")
            .gap(1)
            .dim(verb)
            .gap(3)
            .join(short.clone()),
    };
    // What is typed needs its room.
    let needed = match question.answer {
        Answer::Key => 0,
        Answer::Word(word) => word.len() + 2,
        Answer::Text => 30,
    };
    let tight = usize::from(area.width) < start + long.width() + 3 + needed;
    let hint = if tight { short } else { long };
    let room = usize::from(area.width).saturating_sub(start + hint.width() + 3);
    let typed = question.field.visible(room).pad(room);
    canvas.pen.line(area, &bits.join(typed).gap(3).join(hint));
}

/// What a person should know before the answer.
fn explain(state: &State, ask: &Ask, page: &mut TextPage) {
    match ask {
        // A plan is explained by its own lines.
        Ask::Apply { .. } => {}
        Ask::Stopped { evidence } => {
            for text in evidence {
                page.signed(Role::Warn, "? ", text.clone());
            }
            page.blank();
            page.text(
                "relight cannot tell whether it is still running. Check the terminal it ran in. If it has stopped, type \
                 the words below; the answer is recorded with the plan.",
            );
        }
        Ask::Accept {
            question, recorded, ..
        } => {
            page.signed(Role::Warn, "? ", question.clone());
            if *recorded {
                page.blank();
                page.text("The answer is recorded with the recovery.");
            }
        }
        Ask::Reason => page.text(
            "The reason is included in the hand-off, and recorded in the orchestrator's own files where it has a place for one.",
        ),
        Ask::Branch { seen } => {
            page.signed(Role::Warn, "? ", seen.clone());
            page.blank();
            page.text(
                "Type the branch it ran on. The plan continues only if the work tree is on that branch.",
            );
        }
        Ask::Purge(recoveries, loss) => purge(recoveries, loss, page),
        Ask::Export(recovery) => page.text(clean!(
            "Copies all backups of {} to a directory. Nothing is recovered.",
            recovery.id.0
        )),
        Ask::ExportReports(ids) => {
            let text = clean!(
                "Writes what show, verify and points report of {}, as JSON, and the results of runs that have some. Each \
                 pipeline gets a new directory of its own in the one you name; nothing is overwritten.",
                format::count(ids.len(), "pipeline")
            );
            page.text(text);
        }
        Ask::Launch(id, handoff) => {
            page.text(clean!("For {}:", id.0));
            let line = handoff.command_line().unwrap_or_default();
            page.indented(2, Role::Accent, line);
            page.blank();
            if let Some(limit) = handoff.limit(state.now) {
                page.signed(Role::Warn, "! ", Clean::new(&limit));
            }
            page.text("It has the terminal until it ends; then the console returns.");
        }
        Ask::Replay { plan, command, .. } => {
            let command = command.as_ref().map(|line| state.found_by.line(line));
            replay::run(plan, command.as_ref(), page);
        }
        Ask::Continue(one) => replay::go_on(one, page),
        Ask::PurgeReplay(one) => replay::purge(one, page),
        Ask::StopReplay => replay::stop(state, false, page),
        Ask::Leave => replay::stop(state, true, page),
    }
}

fn purge(recoveries: &[Recovery], loss: &PurgeLoss, page: &mut TextPage) {
    for recovery in recoveries {
        let (id, of_it) = (&recovery.id.0, recovery.pipeline.of_it());
        let text = clean!("{}  {}{}", id, recovery.label, of_it);
        page.indented(2, Role::Text, text);
        for folder in &recovery.kept_in {
            page.indented(4, Role::Dim, clean!("{}", folder));
        }
    }
    page.blank();
    for text in loss.before(recoveries) {
        page.signed(Role::Bad, "! ", Clean::new(&text));
    }
}

/// What is asked.
#[derive(Debug, Clone)]
pub(crate) enum Ask {
    /// Whether to apply this plan.
    Apply {
        /// The plan.
        plan: Arc<Plan>,
        /// When it was computed.
        made_at: DateTime<FixedOffset>,
        /// The same from a shell.
        command: Option<Clean>,
        /// Where it will keep what it replaces, where that is known.
        kept_in: Option<PathBuf>,
    },
    /// Whether to treat unknown liveness of the plan's pipeline as stopped.
    Stopped {
        /// What was seen, a sentence each.
        evidence: Vec<Clean>,
    },
    /// A question of the plan that only the person answers.
    Accept {
        /// Its id.
        id: String,
        /// What is asked.
        question: Clean,
        /// Whether there will be a recovery that records the answer.
        recorded: bool,
    },
    /// The reason for resuming at this point, which the hand-off includes.
    Reason,
    /// On which branch the pipeline of the plan screen ran.
    Branch {
        /// What was seen.
        seen: Clean,
    },
    /// Whether to delete the backups of these.
    Purge(Vec<Recovery>, PurgeLoss),
    /// The folder into which the backups of a recovery are copied.
    Export(Box<Recovery>),
    /// Into which folder to write the reports of these.
    ExportReports(Vec<PipelineId>),
    /// Whether to launch the orchestrator here.
    Launch(PipelineId, Handoff),
    /// Whether to run this replay.
    Replay {
        /// The plan.
        plan: Arc<ReplayPlan>,
        /// When it was made.
        made_at: DateTime<FixedOffset>,
        /// The same from a shell.
        command: Option<Clean>,
    },
    /// Whether to continue a replay that was interrupted, or to add blocks to an experiment.
    Continue(Continuation),
    /// Whether to delete a replay.
    PurgeReplay(Doomed),
    /// Whether to stop the replay that runs.
    StopReplay,
    /// Whether to leave the console although a replay runs.
    Leave,
}

/// How it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// `y` is yes, everything else is no.
    Key,
    /// This text and Enter is yes, everything else is no.
    Word(&'static str),
    /// Any text and Enter; an empty one is no.
    Text,
}

/// A question. Its keys are its own: those of the screen below it do nothing here.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// What is asked.
    pub(crate) ask: Ask,
    /// How it is answered.
    pub(crate) answer: Answer,
    /// What was typed.
    pub(crate) field: Field,
    /// The first line that is shown, at most the one with which the text ends on the screen.
    top: usize,
    /// Whether it was drawn. One that was not can only be left.
    pub(crate) seen: bool,
}

impl Question {
    /// A question that nobody has answered.
    pub(crate) fn new(ask: Ask, answer: Answer) -> Self {
        Self {
            ask,
            answer,
            field: match answer {
                Answer::Key => Field::default(),
                Answer::Word(_) | Answer::Text => Field::opened(),
            },
            // The end first, because the worst is last.
            top: usize::MAX,
            seen: true,
        }
    }
}
