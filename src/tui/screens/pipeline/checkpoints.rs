//! The checkpoints, each with how far the work tree has moved from it.

use crate::tui::screens::pipeline::{Pane, PipelineScreen};
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Checkpoint, CheckpointKind, Clean, Drift};
use crate::text::format;
use crate::tui::data::{Dossier, Load};
use crate::tui::theme::Role;
use crate::tui::view::list::{self, List};
use crate::tui::view::nothing;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, look};

/// Draws the checkpoints.
pub(crate) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &PipelineScreen,
    dossier: &Dossier,
    focus: bool,
) {
    if dossier.checkpoints.is_empty() {
        nothing(
            canvas,
            area,
            "No checkpoint found: a resume restores no files.",
        );
        return;
    }
    let keys: Vec<_> = dossier
        .checkpoints
        .iter()
        .map(|one| one.id.clone())
        .collect();
    let list = List {
        id: Pane::Checkpoints.list(),
        len: keys.len(),
        selected: screen.checkpoints.place(&keys),
        focus,
        height: &|_| 2,
        lead: &|_| 0,
    };
    let (now, beat) = (canvas.state.now, canvas.state.beat);
    list::rows(canvas, area, &list, &mut |row, line| {
        let Some(checkpoint) = dossier.checkpoints.get(row) else {
            return Bits::new();
        };
        if line == 0 {
            Bits::new()
                .cell(Role::Text, checkpoint.reason.clean(), 22)
                .gap(1)
                .cell(Role::Accent, short_id(checkpoint), 11)
                .say(Role::Dim, kind(checkpoint))
                .say(Role::Dim, " · ")
                .say(
                    Role::Dim,
                    format::ago(now, checkpoint.taken_at.map(|at| at.at)),
                )
        } else {
            Bits::new().gap(2).join(drift(
                checkpoint,
                screen.drifts.known.get(&checkpoint.id),
                beat,
            ))
        }
    });
}

/// The first letters of a commit id; another id whole.
pub(crate) fn short_id(checkpoint: &Checkpoint) -> Clean {
    match checkpoint.kind {
        _ if checkpoint.is_own() => format::short_id(&checkpoint.id).into(),
        CheckpointKind::Shadow { .. } | CheckpointKind::Commit { .. } => {
            format::short_id(&checkpoint.id).into()
        }
        CheckpointKind::File { .. }
        | CheckpointKind::Folder { .. }
        | CheckpointKind::Record { .. } => Clean::new(&checkpoint.id).clip(10),
    }
}

fn kind(checkpoint: &Checkpoint) -> &'static str {
    match checkpoint.kind {
        _ if checkpoint.is_own() => "by relight",
        CheckpointKind::Shadow { .. } => "shadow commit",
        CheckpointKind::Commit { .. } => "commit",
        CheckpointKind::File { .. } => "file",
        CheckpointKind::Folder { .. } => "folder",
        CheckpointKind::Record { .. } => "record",
    }
}

fn drift(checkpoint: &Checkpoint, load: Option<&Load<Option<Drift>>>, beat: usize) -> Bits {
    match load {
        None | Some(Load::Pending) => {
            Bits::of(Role::Dim, look::spinner(beat)).say(Role::Dim, " measuring drift")
        }
        Some(Load::Failed(trouble)) => {
            Bits::of(Role::Warn, "! ").say(Role::Text, trouble.text.clean())
        }
        Some(Load::Ready(drift)) => match drift.as_ref() {
            None => Bits::of(Role::Dim, "– ").say(Role::Dim, checkpoint.brings_back.clean()),
            Some(drift) => numbers(drift),
        },
    }
}

/// The four numbers; those that are nothing stand back.
fn numbers(drift: &Drift) -> Bits {
    if drift.modified + drift.missing + drift.created + drift.not_covered == 0 {
        return Bits::of(Role::Good, "✓ the work tree is unchanged");
    }
    let parts = [
        (drift.modified, "modified", Role::Warn),
        (drift.missing, "missing", Role::Bad),
        (drift.created, "created", Role::Text),
        (drift.not_covered, "not covered", Role::Dim),
    ];
    let mut bits = Bits::new();
    for (place, (number, word, role)) in parts.into_iter().enumerate() {
        if place > 0 {
            bits = bits.say(Role::Dim, " · ");
        }
        let role = if number == 0 { Role::Dim } else { role };
        bits = bits.say(role, clean!("{} {}", number, word));
    }
    bits
}
