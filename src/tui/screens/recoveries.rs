//! The history: what has been applied, newest first, and everything about the selected recovery.

mod update;

use crate::model::{CheckpointNeed, Fingerprint, PointKind, ResumePoint};
use crate::tui::prelude::*;
use crate::tui::screens::plan;

pub(crate) use update::{
    DELETED, ask_purge, export, found, look, of_record, open, record, redo, request, take, undo,
};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("History");

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "recovery-open", CONTEXT, ["enter"], "open", "Show what the recovery did, and compare its backups with the files now.", foot 1),
    row!(Undo => "recovery-undo", CONTEXT, ["u", "z"], "undo", "Show what an undo of the recovery would do. Nothing is written.", cli "relight undo RECOVERY --dry-run", foot 2),
    row!(Redo => "recovery-redo", CONTEXT, ["ctrl-r", "Z"], "redo", "Show what a redo of the undone recovery would do. Nothing is written.", cli "relight redo RECOVERY --dry-run", foot 3),
    row!(Recover => "recovery-recover", CONTEXT, ["s"], "recover", "Show an interrupted recovery, and ask how to recover it.", cli "relight recover RECOVERY", foot 4),
    row!(Handoff => "recovery-hand-off", CONTEXT, ["H"], "hand-off", "Show how the orchestrator resumes after the recovery.", foot 5),
    row!(Export => "recovery-export", CONTEXT, ["e"], "export", "Copy the backups of a pending recovery to a directory that you name.", cli "relight recover RECOVERY --export DIR"),
    row!(Purge => "purge", CONTEXT, ["P"], "purge", "Ask whether to delete the backups of the recovery. It cannot be undone then.", cli "relight purge RECOVERY", foot 6),
];

/// Why nothing is done with one that is under way.
const RUNNING: &str = "Another relight is applying it now.";

/// Whether a command can do anything about a recovery now.
pub(crate) fn offers(recovery: &Recovery, cmd: Cmd) -> bool {
    let pending = recovery.state == RecoveryState::NeedsAttention;
    match cmd {
        Cmd::Recover | Cmd::Include => not_recoverable(recovery).is_none(),
        Cmd::Undo => not_undoable(recovery).is_none(),
        Cmd::Redo => recovery.can_redo(),
        Cmd::Purge => !pending && !recovery.purged,
        Cmd::Handoff => !recovery.handoff.argv.is_empty(),
        _ => true,
    }
}

/// Of how many recoveries the backups are watched: a machine has a limited number of watches.
const WATCHED: usize = 100;

/// From this width on the explanation is beside the list.
const SIDE: u16 = 130;

impl Screen for RecoveriesScreen {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("history", CONTEXT)
            .runs(update::run)
            .awaits(self.ticket)
            .reloads(request)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let Some(all) = loaded(canvas, area, &self.all, "Reading the history …") else {
            return;
        };
        if all.recoveries.is_empty() && all.unreadable.is_empty() {
            return nothing(
                canvas,
                area,
                clean!(
                    "No recovery in this scope yet. A plan that is applied ({} on a pipeline, then {}) is listed here; {} undoes it.",
                    canvas.state.key(Cmd::Plan),
                    canvas.state.keymap.name(Cmd::Apply, [plan::CONTEXT]),
                    canvas.state.key(Cmd::Undo)
                ),
            );
        }
        let area = unreadable(canvas, area, self);
        let (table, side) = split_table(area, SIDE, 11, self.rows().len());
        rows_of(canvas, table, self);
        if let Some(recovery) = self.selected() {
            explain(canvas, side, recovery);
        }
    }

    fn subject(&self, _: &State) -> Option<PipelineId> {
        self.selected().map(|row| row.pipeline.clone())
    }

    // The list is of the scope, not of one pipeline.
    fn names_subject(&self) -> bool {
        false
    }

    fn offers(&self, _: &State, cmd: Cmd) -> bool {
        self.selected().is_some_and(|one| offers(one, cmd))
    }

    fn position(&self, _: &State) -> Position {
        self.cursor.position(&self.keys())
    }

    fn go(&mut self, to: usize, _: &mut State) {
        self.cursor.go(&self.keys(), to);
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        Ok(clean!("{}", self.selected().ok_or(NOTHING)?.id.0))
    }

    fn command_words(&self) -> Vec<(&'static str, String)> {
        let selected = self.selected();
        Vec::from_iter(selected.map(|one| ("RECOVERY", one.id.0.clone())))
    }
}

/// Entries of the history that cannot be read, in the last rows; returns the area above.
fn unreadable(canvas: &mut Canvas<'_>, area: Rect, screen: &RecoveriesScreen) -> Rect {
    const MOST: usize = 3;
    let all = screen.unreadable();
    if all.is_empty() {
        return area;
    }
    let number = format::count(all.len(), "entry");
    let text = clean!("{} skipped: not a readable recovery", number);
    let mut page = TextPage::of(area);
    page.line(Bits::of(Role::Warn, " ! ").text(text));
    for entry in all.iter().take(MOST) {
        let text = clean!("   {}: {}", entry.path, entry.reason);
        page.line(Bits::of(Role::Dim, text));
    }
    page.more(3, all.len(), MOST);
    let rows = u16::try_from(page.lines.len()).unwrap_or(0);
    let (above, below) = split_top(area, area.height.saturating_sub(rows));
    canvas.lines(below, &page.lines);
    above
}

fn rows_of(canvas: &mut Canvas<'_>, area: Rect, screen: &RecoveriesScreen) {
    const COLUMNS: &[Column] = &[
        Column::cells("STATE", 15),
        Column::cells("AGE", 7),
        Column::share("WHAT", 1),
        Column::cells("FILES", 6).right(),
        Column::cells("BACKUPS", 9).right(),
    ];
    let now = canvas.state.now;
    let (len, selected) = screen.cursor.extent(&screen.keys());
    let list = List::new(ListId::of::<RecoveriesScreen>(), len, selected);
    table::each(canvas, area, (list, COLUMNS), screen.rows(), &|one| {
        cells(one, now)
    });
}

fn cells(recovery: &Recovery, now: DateTime<FixedOffset>) -> Vec<Bits> {
    let kept = if recovery.purged {
        "–".to_owned()
    } else {
        format::size(recovery.kept_bytes)
    };
    vec![
        Bits::signed(state_of(recovery), recovery.state_word()),
        Bits::of(Role::Text, format::age(now, Some(recovery.started_at))),
        Bits::of(Role::Text, recovery.label.clean())
            .gap(2)
            .dim(recovery.pipeline.0.as_str()),
        Bits::of(Role::Text, files(recovery).to_string()),
        Bits::of(Role::Text, kept),
    ]
}

/// How many files it changed, or would have.
fn files(recovery: &Recovery) -> usize {
    // Several actions may change one file; a branch that is reset is none.
    let mut files = BTreeSet::new();
    for action in &recovery.actions {
        if action.paths.is_empty() && !action.kind.touches_tree() {
            files.insert(action.target.clone());
        }
        let paths = action.paths.iter().enumerate();
        let paths = paths.filter(|(at, _)| action.changes_file(*at));
        files.extend(paths.map(|(_, path)| action.target.join(path.path.as_path())));
    }
    files.len()
}

/// Its state: a sign and a role.
pub(crate) fn state_of(recovery: &Recovery) -> (&'static str, Role) {
    match recovery.state {
        RecoveryState::NeedsAttention if recovery.running => ("►", Role::Warn),
        RecoveryState::NeedsAttention | RecoveryState::HalfApplied => ("!", Role::Bad),
        RecoveryState::RolledBack => ("–", Role::Dim),
        RecoveryState::Committed if recovery.undone_by.is_some() => ("↺", Role::Warn),
        RecoveryState::Committed if recovery.purged => ("·", Role::Dim),
        RecoveryState::Committed => ("✓", Role::Good),
    }
}

fn explain(canvas: &mut Canvas<'_>, area: Rect, recovery: &Recovery) {
    let title = Bits::of(Role::Title, recovery.label.clean());
    let inside = inset(canvas.pen.frame(area, &title, false));
    let mut page = TextPage::new(usize::from(inside.width));
    for text in &recovery.trouble {
        page.signed(Role::Bad, "! ", text);
    }
    for left in &recovery.left {
        page.signed(Role::Warn, "! ", &left.text);
    }
    let started = format::time_full(recovery.started_at);
    let ended = recovery.ended_at.map(format::time_full);
    let ended = ended.unwrap_or_else(|| "not ended".to_owned());
    let text = |label, text: Clean| Fact::text(label, text);
    let mut facts = vec![
        Fact::new("state", state_of(recovery).1, recovery.state_word()),
        text("id", clean!("{}", recovery.id.0)),
        text("pipeline", clean!("{}", recovery.pipeline.0)),
        Fact::file("project", Role::Text, &recovery.root),
        text("when", clean!("{} to {}", started, ended)),
    ];
    if let Some(undoes) = &recovery.undoes {
        facts.push(text("undoes", clean!("{}", undoes.0)));
    }
    if let Some(undone) = &recovery.undone_by {
        facts.push(text("by", clean!("undone by {}", undone.0)));
    }
    if recovery.purged || recovery.undo_purged {
        let lost = match recovery.lost_by_purge() {
            Some(Reversal::Undo) => "Deleted; cannot undo.",
            Some(Reversal::Redo) => "Deleted; cannot redo.",
            None => "Deleted.",
        };
        facts.push(Fact::new("backups", Role::Warn, lost));
    }
    for folder in &recovery.kept_in {
        facts.push(Fact::file("backups in", Role::Text, folder));
    }
    for action in &recovery.actions {
        let (label, said) = match recovery.state {
            RecoveryState::Committed => ("action", action.done()),
            RecoveryState::RolledBack
            | RecoveryState::NeedsAttention
            | RecoveryState::HalfApplied => ("planned", action.summary.clean()),
        };
        if !said.as_str().is_empty() {
            facts.push(text(label, said).most(2));
        }
    }
    let above = canvas.lines(inside, &page.lines);
    let size = (usize::from(above.width), usize::from(above.height));
    canvas.lines(above, &facts::each_within(&facts, size.0, size.1));
}

/// The recoveries of the scope, newest first; those that need attention are above the others.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecoveriesScreen {
    /// What was found.
    pub(crate) all: Load<History>,
    /// The request under way.
    pub(crate) ticket: Option<Ticket>,
    /// The question of what is lost with the backups of the selected one, under way.
    pub(crate) deletion: Option<Ticket>,
    /// The selection.
    pub(crate) cursor: Cursor<RecoveryId>,
}

impl RecoveriesScreen {
    /// Takes what was found.
    pub(crate) fn take(&mut self, all: Load<History>) {
        self.all = all;
        if let Load::Ready(found) = &mut self.all {
            // They arrive in the order in which they were applied, which may differ from the order of their times.
            let recoveries = &mut Arc::make_mut(found).recoveries;
            recoveries.sort_by_key(|one| one.state != RecoveryState::NeedsAttention);
        }
        let keys = self.keys();
        self.cursor.reselect(&keys);
        if self.cursor.key().is_none() {
            self.cursor.go(&keys, 0);
        }
    }

    /// The rows.
    pub(crate) fn rows(&self) -> &[Recovery] {
        let all = self.all.ready();
        all.map_or(&[], |all| all.recoveries.as_slice())
    }

    /// Entries of the history that cannot be read.
    pub(crate) fn unreadable(&self) -> &[Skipped] {
        let all = self.all.ready();
        all.map_or(&[], |all| all.unreadable.as_slice())
    }

    /// The folders of the backups of the latest ones, which another relight may delete.
    pub(crate) fn backups(&self) -> impl Iterator<Item = &Path> {
        let rows = self.rows().iter().take(WATCHED);
        rows.flat_map(|row| row.kept_in.iter().map(PathBuf::as_path))
    }

    /// The rows by what they are known by.
    pub(crate) fn keys(&self) -> Vec<RecoveryId> {
        self.rows().iter().map(|row| row.id.clone()).collect()
    }

    /// The selected one.
    pub(crate) fn selected(&self) -> Option<&Recovery> {
        let key = self.cursor.key()?;
        self.rows().iter().find(|row| row.id == *key)
    }
}

/// What a recovery did, in the form of a plan, so that the same outline and the same comparison can show it. It cannot
/// be applied: its fingerprint is empty.
pub(crate) fn as_plan(recovery: &Recovery) -> Plan {
    let label = &recovery.label;
    let paths = recovery.actions.iter().flat_map(|action| &action.paths);
    let newer = paths.filter(|path| path.change == PathChange::KeepNewer);
    let named = (label.lossy().into_owned(), label.clone());
    let (kind, need) = (PointKind::CurrentState, CheckpointNeed::None);
    Plan {
        asked: Asked::Undo {
            recovery: recovery.id.clone(),
            redoes: recovery.undoes.clone().filter(|_| recovery.is_undo()),
            options: UndoOptions::default(),
        },
        fingerprint: Fingerprint(String::new()),
        basis: Vec::new(),
        pipeline: recovery.pipeline.clone(),
        point: ResumePoint::by_hand(named, kind, Verdict::Skipped, need, Foreign::default()),
        cause: None,
        kept: Vec::new(),
        redone: Vec::new(),
        actions: recovery.actions.clone(),
        guards: Vec::new(),
        warnings: recovery.trouble.clone(),
        left_out: Vec::new(),
        kept_newer: newer.map(|path| path.path.clone()).collect(),
        losses: Vec::new(),
        destructive: false,
        handoff: recovery.handoff.clone(),
    }
}

/// Why a recovery cannot be recovered, if it cannot.
pub(crate) fn not_recoverable(recovery: &Recovery) -> Option<&'static str> {
    match recovery.state {
        RecoveryState::NeedsAttention if recovery.running => Some(RUNNING),
        RecoveryState::NeedsAttention => None,
        RecoveryState::HalfApplied | RecoveryState::RolledBack | RecoveryState::Committed => {
            Some("This recovery is complete; there is nothing to recover.")
        }
    }
}

/// Why a recovery cannot be undone, if it cannot.
pub(crate) fn not_undoable(recovery: &Recovery) -> Option<&'static str> {
    match recovery.state {
        RecoveryState::NeedsAttention if recovery.running => Some(RUNNING),
        RecoveryState::NeedsAttention => {
            Some("This recovery is pending: recover it first, then undo it.")
        }
        RecoveryState::HalfApplied => {
            Some("This recovery was left half-applied: its backups must be copied by hand.")
        }
        RecoveryState::RolledBack => Some("This recovery was rolled back: nothing to undo."),
        RecoveryState::Committed if recovery.purged => Some("Backups deleted; cannot undo."),
        RecoveryState::Committed if recovery.undone_by.is_some() => Some(if recovery.can_redo() {
            "Already undone; a redo brings it back."
        } else {
            "Already undone. Backups deleted; cannot redo."
        }),
        RecoveryState::Committed if recovery.is_out_of_reach() => {
            Some("What its undo needs was moved, replaced or lost; its details say what.")
        }
        RecoveryState::Committed => None,
    }
}
