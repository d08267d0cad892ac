//! A recovery that a crash interrupted: what was found, what can be done, and the keys that do it. Nothing is done
//! before one of them.

use super::{plan, progress, recoveries};
use crate::tui::prelude::*;

/// The dialog.
#[derive(Debug, Clone)]
pub(crate) struct PendingScreen {
    /// The recovery.
    pub(crate) recovery: Recovery,
    /// Paths that stay as they are now.
    pub(crate) keep: Vec<PathBuf>,
    /// How many others are pending, too.
    pub(crate) others: usize,
}

fn run(state: &mut State, cmd: Cmd) {
    let Some(screen) = state.layers.top_as::<PendingScreen>() else {
        return;
    };
    let (recovery, keep) = (screen.recovery.clone(), screen.keep.clone());
    let (how, what) = match cmd {
        Cmd::Recover => (RecoverMode::Auto, "Recovery"),
        Cmd::Finish => (RecoverMode::Finish, "Completion"),
        Cmd::RollBack => (RecoverMode::RollBack, "Rollback"),
        Cmd::Export => return recoveries::export(state, recovery),
        Cmd::Enter | Cmd::Include => return recoveries::record(state, recovery, &keep),
        _ => return,
    };
    let title = clean!("{} of {}", what, recovery.id.0);
    progress::recover(state, &recovery, how, keep, title);
}

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Pending recovery");

commands! { acting: Finish, RollBack }

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Recover => "recover", CONTEXT, ["S"], "recover", "Recover it: roll back what was not committed, finish what was.", cli "relight recover RECOVERY", foot 1),
    row!(RollBack => "roll-back", CONTEXT, ["B"], "roll back", "Restore every file to its state before the recovery; refused if it was committed.", cli "relight recover RECOVERY --roll-back", foot 2),
    row!(Finish => "finish", CONTEXT, ["F"], "finish", "Finish what was committed; refused if nothing was.", cli "relight recover RECOVERY --finish", foot 3),
    row!(Export => "export", CONTEXT, ["e"], "export", "Copy the backups to a directory that you name. Nothing is recovered.", cli "relight recover RECOVERY --export DIR", foot 4),
    row!(Enter => "pending-open", CONTEXT, ["enter"], "open", "Show what the recovery did so far; there, a path can be kept as it is now.", foot 5),
];

impl Screen for PendingScreen {
    fn profile(&self) -> Profile<'_> {
        Profile::dialog("interrupted recovery")
            .heard_in(CONTEXT)
            .runs(run)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let width = canvas.at_most(area, 88);
        let page = said(canvas.state, self, usize::from(width).saturating_sub(5));
        let keys = keys(canvas.state).into_iter();
        let room = usize::from(width).saturating_sub(4);
        let keys: Vec<Bits> = keys.flat_map(|line| line.wrapped(room, 2)).collect();
        let title = Bits::of(Role::Bad, "! ").title("A recovery was interrupted");
        let whole = page.lines.len() + keys.len() + 1;
        let inside = dialog(canvas, area, width, whole, &title);
        let below = u16::try_from(keys.len() + 1).unwrap_or(u16::MAX);
        let (body, rest) = split_top(inside, inside.height.saturating_sub(below));
        page.draw(canvas, body, ListId::of::<Self>());
        let (_, rest) = split_top(rest, 1);
        canvas.lines(rest, &keys);
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        Ok(clean!("relight recover {}", self.recovery.id.0))
    }

    fn parting(&self, state: &State) -> Option<Clean> {
        let list = state.key(Cmd::Recoveries);
        let text = "The recovery is still pending; nothing was changed.";
        Some(clean!("{} {} lists it.", text, list))
    }

    fn command_words(&self) -> Vec<(&'static str, String)> {
        vec![("RECOVERY", self.recovery.id.0.clone())]
    }
}

fn said(state: &State, screen: &PendingScreen, room: usize) -> TextPage {
    let mut page = TextPage::new(room);
    let recovery = &screen.recovery;
    page.text(clean!(
        "{} of {} started at {} and was interrupted. It has not been recovered yet.",
        recovery.label,
        recovery.pipeline.0,
        format::time_full(recovery.started_at)
    ));
    page.blank();
    if recovery.trouble.is_empty() {
        page.text("Recovering rolls back what was not committed and finishes what was.");
    }
    for text in &recovery.trouble {
        page.signed(Role::Warn, "! ", text);
    }
    let kept = format::size(recovery.kept_bytes);
    for folder in recovery.kept_in.iter().filter(|_| recovery.kept_bytes > 0) {
        page.indented(0, Role::Dim, clean!("{} of backups in {}", kept, folder));
    }
    if !screen.keep.is_empty() {
        let paths = format::count(screen.keep.len(), "path");
        let text = clean!(
            "{} will stay as now: {} shows them.",
            paths,
            state.key(Cmd::Enter)
        );
        page.line(Bits::of(Role::Accent, text));
    }
    if screen.others > 0 {
        let others = format::count_of(screen.others, "other recovery is", "other recoveries are");
        page.line(Bits::of(Role::Dim, clean!("{} also pending.", others)));
    }
    page
}

fn keys(state: &State) -> Vec<Bits> {
    let key = |keys: Clean, what: &'static str| Bits::new().key(keys).gap(1).pad(7).text(what);
    let one = |cmd| state.key(cmd);
    let keep = state.keymap.name(Cmd::Include, [plan::RECORD]);
    vec![
        key(
            one(Cmd::Recover),
            "recover: roll back what was not committed, finish what was",
        ),
        key(
            clean!("{}  {}", one(Cmd::RollBack), one(Cmd::Finish)),
            "only roll back  ·  only finish (refused if not possible)",
        ),
        key(
            one(Cmd::Export),
            "copy the backups to a directory, recover nothing",
        ),
        key(one(Cmd::Enter), "show what it did so far; ")
            .text(clean!("{} there keeps a path as it is now", keep)),
        key(one(Cmd::Back), "later: nothing is changed"),
    ]
}
