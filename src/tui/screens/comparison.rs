//! Two runs side by side: the verdict, the confounders, then the figures, the work and the files.
//!
//! ```text
//!  ▼ worse   A 1795248000-control   B 1795248000-mutated
//!    what was seen, and what to do next
//!  ! what makes it less than fair
//!    control  o o x      the blocks, one of them selected
//!  ╭ 1 Metrics ────────────╮╭ 3 Files ───────────────╮      (tabs instead of panes below 150 columns)
//!  ╰───────────────────────╯╰────────────────────────╯
//!  ╭ 2 Dispatches ──────────────────────────────────╮
//!  ╰────────────────────────────────────────────────╯
//! ```

mod parts;
mod state;
mod update;
mod work;

use crate::model::{
    Block, Bucket, ComparisonVerdict, RunTree, RunValue, Sign, Statistics, VerdictText,
};
use crate::tui::prelude::*;
use crate::tui::view::tabs::{self, Part};

pub(crate) use parts::strip;
pub(crate) use state::{ComparisonScreen, Only, Tab};
pub(crate) use update::{of_paths, of_swap, open, request, take};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Comparison");

commands! {
    Only, Blocks, Evidence, RunA, RunB, Divergence, NextDifferent, PrevDifferent, TemplateDiff,
    DispatchDiff, OutputDiff, SummaryDiff,
}

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "comparison-open", CONTEXT, ["enter"], "open", "Compare the two runs of the selected block; or show the difference of the selected row: outputs, else dispatch files, else summaries; or the file.", foot 1),
    row!(Only => "only", CONTEXT, ["v"], "which rows", "Show all pairs, then only different ones, then those of each outcome.", foot 2),
    row!(Blocks => "comparison-blocks", CONTEXT, ["b"], "blocks", "Go to the blocks of the experiment; h and l move along them.", foot 3),
    row!(Evidence => "evidence", CONTEXT, ["E"], "evidence", "Show the evidence behind the verdict in numbers.", foot 6),
    row!(NextPane => "comparison-next-part", CONTEXT, ["tab", "]"], "next part", "Go to the next part: blocks, metrics, dispatches, files, about.", foot 3),
    row!(PrevPane => "comparison-previous-part", CONTEXT, ["shift-tab", "["], "previous part", "Go to the previous part."),
    row!(Pane1 => "comparison-metrics", CONTEXT, ["1"], "metrics", "Go to the metrics of both sides."),
    row!(Pane2 => "comparison-dispatches", CONTEXT, ["2"], "dispatches", "Go to the dispatches of both sides, aligned by phase."),
    row!(Pane3 => "comparison-files", CONTEXT, ["3"], "files", "Go to the files that differ."),
    row!(Pane4 => "comparison-about", CONTEXT, ["4"], "about", "Go to the details of both sides."),
    row!(Divergence => "divergence", CONTEXT, ["f"], "first difference", "Jump to the first difference. With several runs per side, the first pair where the majority outcome differs, or where only one side has a status.", foot 4),
    row!(NextDifferent => "next-different", CONTEXT, ["n"], "next different", "Go to the next pair with a different outcome."),
    row!(PrevDifferent => "previous-different", CONTEXT, ["N"], "previous different", "Go to the previous pair with a different outcome."),
    row!(TemplateDiff => "template-difference", CONTEXT, ["t"], "template", "Show the difference between the template of the selected row and its replacement.", foot 5),
    row!(DispatchDiff => "dispatch-difference", CONTEXT, ["i"], "dispatch", "Show the difference between the dispatch files of the selected row.", foot 6),
    row!(OutputDiff => "output-difference", CONTEXT, ["O"], "output", "Show the difference between the outputs of the selected row.", foot 7),
    row!(SummaryDiff => "summary-difference", CONTEXT, ["s"], "summary", "Show the difference between the summaries of the selected row."),
    row!(RunA => "run-a", CONTEXT, ["<"], "run of A", "Show the next run of A, if it has several; of an experiment the previous block.", foot 8),
    row!(RunB => "run-b", CONTEXT, [">"], "run of B", "Show the next run of B, if it has several; of an experiment the next block.", foot 8),
];

impl ComparisonScreen {
    /// The file that is selected among those that differ.
    fn file(&self) -> Option<&Foreign> {
        let artifacts = self.comparison.ready()?.artifacts.as_ref()?;
        let place = (self.tab == Tab::Files).then(|| self.place(Tab::Files))?;
        artifacts.files.get(place).map(|file| &file.path)
    }
}

/// What is unknown.
const UNKNOWN: &str = "n/a";

/// From this size on the parts are side by side.
const GRID: (u16, u16) = (150, 36);

/// Below this height the head is as short as it can be; `4` shows all of it.
const LOW: u16 = 26;

impl Screen for ComparisonScreen {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("comparison", CONTEXT)
            .runs(update::run)
            .awaits(self.ticket)
            .reloads(request)
            .about(&self.id)
    }

    fn list(&self) -> ListId {
        self.tab.list()
    }

    fn focus(&mut self, list: ListId) {
        self.tab = Tab::of(list).unwrap_or(self.tab);
    }

    fn lists(&self) -> Vec<ListId> {
        Tab::ALL.map(Tab::list).to_vec()
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let Some(ready) = loaded(canvas, area, &self.comparison, "Comparing …") else {
            return;
        };
        let width = usize::from(area.width).saturating_sub(3);
        let lines = head(canvas.state, self, ready, (width, area.height));
        let body = canvas.lines(area, &lines);
        if self.tab == Tab::About || !canvas.shows_all(area, GRID) {
            let parts = self.tabs().map(|tab| part(tab, self, ready));
            let body = tabs::bar(canvas, body, parts);
            content(canvas, body, self, ready, self.tab);
            return;
        }
        let (above, below) = split_top(body, body.height * 2 / 5);
        let (left, right) = split_left(above, above.width / 2);
        pane(canvas, left, self, ready, Tab::Metrics);
        pane(canvas, right, self, ready, Tab::Files);
        pane(canvas, below, self, ready, Tab::Work);
    }

    fn offers(&self, _: &State, cmd: Cmd) -> bool {
        let Some(ready) = self.comparison.ready() else {
            return false;
        };
        match cmd {
            Cmd::Blocks | Cmd::Evidence => ready.statistics.is_some(),
            Cmd::RunA => ready.a.runs.len() > 1,
            Cmd::RunB => ready.b.runs.len() > 1,
            Cmd::TemplateDiff => !ready.templates.is_empty(),
            Cmd::Divergence => ready.divergence.is_some(),
            Cmd::Only | Cmd::DispatchDiff | Cmd::OutputDiff => !ready.pairs.is_empty(),
            _ => true,
        }
    }

    fn position(&self, _: &State) -> Position {
        let (at, of) = (self.place(self.tab), self.rows(self.tab));
        match self.tab {
            Tab::About => Position::Text(at),
            _ if at < of => Position::Row { at, of },
            _ => Position::Fixed,
        }
    }

    fn go(&mut self, to: usize, _: &mut State) {
        self.select(self.tab, to);
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        if let Some(path) = self.file() {
            return true_text(path);
        }
        let (a, b) = self.names();
        command_lines::comparing(&self.id, a.as_deref(), b.as_deref()).ok_or(UNSAFE)
    }

    /// The output of the selected pair, of B where it has one; or the selected file of B.
    fn origin(&self, _: &State) -> Option<Origin> {
        let ready = self.comparison.ready()?;
        if let Some(path) = self.file() {
            // The files are those of the first runs, whichever are looked at.
            let run = ready.b.runs.first()?;
            let folder = match &run.tree {
                RunTree::WorkTree(folder) => folder,
                RunTree::None | RunTree::Commit { .. } | RunTree::Files(_) => return None,
            };
            return Some(Origin::file(folder.join(path.as_str()?)));
        }
        let pair = ready.pairs.get(self.pair()?)?;
        let of = |works: &[Option<Work>], run: usize| {
            let work = works.get(run)?.as_ref()?;
            work.output.clone().or_else(|| work.dispatch.clone())
        };
        let found = of(&pair.b, self.runs.1).or_else(|| of(&pair.a, self.runs.0));
        found.map(Origin::file)
    }
}

/// The verdict and its sentence, the confounders as far as there is room, then the blocks.
fn head(
    state: &State,
    screen: &ComparisonScreen,
    ready: &Comparison,
    (width, height): (usize, u16),
) -> Vec<Bits> {
    let low = height < LOW;
    let (sign, role) = verdict_look(ready.verdict, &ready.verdict_text);
    let title = ready.verdict_text.title(ready.verdict);
    let mut lines = vec![
        Bits::of(role, clean!(" {} {}", sign, title))
            .dim("   A ")
            .join(side(&ready.a, screen.runs.0))
            .dim("   B ")
            .join(side(&ready.b, screen.runs.1)),
    ];
    // The part below says all of it.
    if screen.tab == Tab::About {
        return lines;
    }
    // What an undecided experiment needs is in its last sentences.
    let most = if low && ready.statistics.is_none() {
        2
    } else {
        4
    };
    let text = ready.verdict_text.without_command().clean();
    lines.extend(capped(&Bits::new().gap(3), Role::Text, &text, width, most));
    lines.extend(against(ready, &state.key(Cmd::Pane4), width, low));
    if let Some(statistics) = &ready.statistics {
        let focus = screen.tab == Tab::Blocks;
        lines.extend(strip(statistics, Some(screen.place(Tab::Blocks)), width));
        lines.extend(
            screen
                .block()
                .map(|block| block_line(state, ready, block, focus)),
        );
    }
    if !low {
        lines.push(Bits::new());
    }
    lines
}

/// The confounders of the comparison.
fn against(ready: &Comparison, about: &Clean, width: usize, low: bool) -> Vec<Bits> {
    let (most, each) = if low { (1, 1) } else { (6, 2) };
    let unread = (!ready.skipped.is_empty()).then(|| {
        let inputs = format::count_of(ready.skipped.len(), "input is", "inputs are");
        clean!("{} not compared: see About (key {}).", inputs, about)
    });
    let texts = ready.confounders.iter().map(Foreign::clean);
    let texts: Vec<Clean> = texts.chain(unread).collect();
    let mut lines = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        let left = texts.len() - place;
        if lines.len() + each > most && left > 1 {
            let text = clean!(" ! {} more: see About (key {}).", left, about);
            lines.push(Bits::of(Role::Warn, text));
            break;
        }
        let lead = Bits::of(Role::Warn, " ! ");
        lines.extend(capped(&lead, Role::Text, text, width, each));
    }
    lines
}

/// The selected block in words.
fn block_line(state: &State, ready: &Comparison, block: &Block, focus: bool) -> Bits {
    let value = |value: RunValue| match value {
        RunValue::Pass => Bits::of(Role::Good, "passed"),
        RunValue::Fail => Bits::of(Role::Bad, "failed"),
        RunValue::Missing => Bits::of(Role::Warn, "is missing"),
        RunValue::Number(number) => {
            let digits = ready.statistics.as_ref().map_or(0, Statistics::digits);
            Bits::of(Role::Text, format::number_to(number, digits))
        }
    };
    let (result, role) = match block.sign {
        Some(Sign::Win) => ("better", Role::Good),
        Some(Sign::Loss) => ("worse", Role::Bad),
        Some(Sign::Tie) => ("the same", Role::Text),
        None => ("not counted", Role::Warn),
    };
    let several = ready.statistics.as_ref().is_some_and(|all| all.earlier > 0);
    let of = several.then(|| clean!(" of {}", block.experiment.0));
    let of = of.unwrap_or_default();
    let lead = Bits::of(
        if focus { Role::Focus } else { Role::Dim },
        if focus { " ▌ " } else { "   " },
    );
    let line = lead
        .text(clean!("block {}{}: control ", block.number, of))
        .join(value(block.control))
        .text(", mutated ")
        .join(value(block.mutated))
        .text(": ")
        .say(role, result);
    if focus {
        let keys = clean!("{} {}", state.key(Cmd::Left), state.key(Cmd::Right));
        return line.gap(3).key(keys).dim(" other blocks");
    }
    line
}

/// The name of a side, and which of its runs is shown.
fn side(party: &Party, run: usize) -> Bits {
    let bits = Bits::of(Role::Accent, party.name.as_str());
    match party.runs.as_slice() {
        [] => bits,
        [one] => match &one.place {
            Some(place) => bits.dim(clean!(" ({}, block {})", place.arm.word(), place.block)),
            None => bits,
        },
        runs if run < runs.len() => bits.dim(clean!(" (run {} of {})", run + 1, runs.len())),
        _ => bits.warn(" (run missing)"),
    }
}

/// A verdict: its sign and its role.
pub(crate) fn verdict_look(verdict: ComparisonVerdict, text: &VerdictText) -> (&'static str, Role) {
    if text.no_evidence.is_some() {
        return ("!", Role::Warn);
    }
    match verdict {
        ComparisonVerdict::NoMeaningfulChange => ("≈", Role::Title),
        ComparisonVerdict::Better => ("▲", Role::Good),
        ComparisonVerdict::Worse => ("▼", Role::Bad),
        ComparisonVerdict::Undecided => ("?", Role::Wait),
        ComparisonVerdict::Confounded => ("!", Role::Warn),
        ComparisonVerdict::NotJudged => ("·", Role::Title),
    }
}

/// A bucket: its sign and its role.
pub(crate) fn bucket(bucket: Bucket) -> (&'static str, Role) {
    match bucket {
        Bucket::Regressed => ("▼", Role::Bad),
        Bucket::StillFailing => ("✗", Role::Bad),
        Bucket::Fixed => ("▲", Role::Good),
        Bucket::NoAnswer => ("?", Role::Warn),
        Bucket::NotReplayed => ("–", Role::Dim),
        Bucket::New => ("+", Role::Accent),
        Bucket::Unchanged => ("✓", Role::Dim),
    }
}

/// How many pairs a bucket has, worst first; those that have none are left out.
pub(crate) fn buckets(ready: &Comparison) -> Bits {
    let mut bits = Bits::new();
    for (kind, word, number) in ready.tally() {
        let (sign, role) = bucket(kind);
        bits = bits.say(role, sign).text(clean!(" {} {}  ", number, word));
    }
    bits
}

fn part(tab: Tab, screen: &ComparisonScreen, ready: &Comparison) -> Part {
    Part {
        names: tab.names(),
        tally: tally(tab, screen, ready),
        focus: tab == screen.tab,
    }
}

/// The content of a part in a few words.
fn tally(tab: Tab, screen: &ComparisonScreen, ready: &Comparison) -> Bits {
    let bits = Bits::new();
    match tab {
        Tab::Blocks => bits.dim(screen.blocks().len().to_string()),
        Tab::Metrics => bits.dim(clean!("{}", ready.metrics.len())),
        Tab::Work => {
            let bits = bits.dim(clean!("{}", ready.pairs.len()));
            if screen.only == Only::All {
                bits
            } else {
                let (shown, only) = (screen.shown.len(), screen.only.word(ready));
                bits.accent(clean!(" ({} {})", shown, only))
            }
        }
        Tab::Files => match &ready.artifacts {
            Some(artifacts) => bits.dim(clean!("{}", artifacts.files.len())),
            None => bits.dim("n/a"),
        },
        Tab::About => Bits::new(),
    }
}

fn pane(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &ComparisonScreen,
    ready: &Comparison,
    tab: Tab,
) {
    let part = part(tab, screen, ready);
    let inside = tabs::frame(canvas, area, part, Bits::new());
    content(canvas, inside, screen, ready, tab);
}

fn content(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &ComparisonScreen,
    ready: &Comparison,
    tab: Tab,
) {
    let (tab, top) = match tab {
        // The dispatches of the selected block's runs are shown under the blocks.
        Tab::Blocks => (Tab::Work, screen.place(Tab::Work)),
        _ => (tab, screen.place(tab)),
    };
    let list = List {
        focus: screen.tab == tab,
        ..List::new(tab.list(), screen.rows(tab), Some(top))
    };
    match tab {
        Tab::Metrics => parts::metrics(canvas, area, list, ready),
        Tab::Blocks | Tab::Work => work::draw(canvas, area, screen, list, ready),
        Tab::Files => parts::files(canvas, area, list, ready),
        Tab::About => parts::about(canvas, area, top, ready),
    }
}
