//! The checkpoints, each with how far the work tree has moved from it.

use super::PipelineScreen;
use crate::model::{Checkpoint, CheckpointKind, Drift};
use crate::tui::prelude::*;

/// Draws the checkpoints.
pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &PipelineScreen,
    list: List<'_>,
    dossier: &Dossier,
) {
    let list = List {
        height: &|_| 2,
        ..list
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
                .dim(kind(checkpoint))
                .dim(" · ")
                .dim(format::ago(now, checkpoint.taken_at.map(|at| at.at)))
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
    if checkpoint.is_own() || checkpoint.kind.repository().is_some() {
        format::short_id(&checkpoint.id).into()
    } else {
        Clean::new(&checkpoint.id).clip(10)
    }
}

fn kind(checkpoint: &Checkpoint) -> &'static str {
    match checkpoint.kind {
        _ if checkpoint.is_own() => "by relight",
        CheckpointKind::Shadow { .. } => "checkpoint store",
        CheckpointKind::Commit { .. } => "commit",
        CheckpointKind::File { .. } => "file",
        CheckpointKind::Folder { .. } => "directory",
        CheckpointKind::Record { .. } => "record",
    }
}

fn drift(checkpoint: &Checkpoint, load: Option<&Load<Option<Drift>>>, beat: usize) -> Bits {
    match load {
        None | Some(Load::Pending) => {
            Bits::of(Role::Dim, look::spinner(beat)).dim(" measuring drift")
        }
        Some(Load::Failed(trouble)) => Bits::of(Role::Warn, "! ").text(trouble.text.clean()),
        Some(Load::Ready(drift)) => match drift.as_ref() {
            None => Bits::of(Role::Dim, "– ").dim(checkpoint.brings_back.clean()),
            Some(drift) => numbers(drift),
        },
    }
}

/// The four numbers; those that are nothing are dim.
fn numbers(drift: &Drift) -> Bits {
    if drift.modified + drift.missing + drift.created + drift.not_covered == 0 {
        return Bits::of(Role::Good, "✓ the work tree is unchanged");
    }
    let parts = [
        (drift.modified, "modified", Role::Warn),
        (drift.missing, "deleted", Role::Bad),
        (drift.created, "created", Role::Text),
        (drift.not_covered, "not covered", Role::Dim),
    ];
    Bits::dotted(parts.into_iter().map(|(number, word, role)| {
        let role = if number == 0 { Role::Dim } else { role };
        Bits::of(role, clean!("{} {}", number, word))
    }))
}
