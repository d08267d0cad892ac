//! Signs and roles for what the model says. The word is always next to the sign: nothing is said by
//! color or shape alone.

use crate::model::{Aliveness, EventMark, PhaseStatus, Progress};
use crate::tui::prelude::*;

/// A status: its sign and its role.
pub(crate) fn status(status: Status) -> (&'static str, Role) {
    match status {
        Status::Live => ("►", Role::Live),
        Status::Waiting => ("?", Role::Wait),
        Status::Interrupted => ("■", Role::Warn),
        Status::Unreadable => ("✗", Role::Bad),
        Status::Complete => ("✓", Role::Good),
    }
}

/// Whether a process is working on it.
pub(crate) fn liveness(verdict: Aliveness) -> (&'static str, Role) {
    match verdict {
        Aliveness::Alive => ("►", Role::Live),
        Aliveness::Dead => ("·", Role::Dim),
        Aliveness::Unknown => ("?", Role::Warn),
    }
}

/// A phase's status.
pub(crate) fn phase(status: PhaseStatus) -> (&'static str, Role) {
    match status {
        PhaseStatus::Done => ("✓", Role::Good),
        PhaseStatus::Active => ("►", Role::Warn),
        PhaseStatus::Failed => ("✗", Role::Bad),
        PhaseStatus::Waiting => ("?", Role::Wait),
        PhaseStatus::Pending => ("·", Role::Dim),
        PhaseStatus::Skipped => ("–", Role::Dim),
        PhaseStatus::Invalidated => ("~", Role::Warn),
    }
}

/// A verdict.
pub(crate) fn verdict(verdict: Verdict) -> (&'static str, Role) {
    match verdict {
        Verdict::Pass => ("✓", Role::Good),
        Verdict::Skipped => ("–", Role::Dim),
        Verdict::Warn => ("!", Role::Warn),
        Verdict::Fail => ("✗", Role::Bad),
    }
}

/// An event's mark.
pub(crate) fn mark(mark: EventMark) -> (&'static str, Role) {
    match mark {
        EventMark::Plain => (" ", Role::Text),
        EventMark::Warning => ("!", Role::Warn),
        EventMark::Error => ("✗", Role::Bad),
    }
}

/// The mark of a row in the scrollbar.
pub(crate) fn row_mark(mark: RowMark) -> (&'static str, Role) {
    match mark {
        RowMark::Error => ("✗", Role::Bad),
        RowMark::Warning => ("!", Role::Warn),
        RowMark::Hit => ("›", Role::Hit),
    }
}

/// What happens to a path.
pub(crate) fn change(change: PathChange) -> (&'static str, &'static str, Role) {
    match change {
        PathChange::Write => ("~", "overwritten", Role::Warn),
        PathChange::Create => ("+", "recreated", Role::Good),
        PathChange::Remove => ("-", "moved aside", Role::Bad),
        PathChange::KeepNewer => (" ", "kept (later)", Role::Dim),
        PathChange::NotCovered => (" ", "not covered", Role::Dim),
    }
}

/// The flags of a pipeline, the alarming ones lit. As wide as [`Pipeline::flags`], by which their column is measured.
pub(crate) fn badges(pipeline: &Pipeline) -> Bits {
    let flags = pipeline.flags_in_order().into_iter();
    flags.fold(Bits::new(), |line, (badge, word)| {
        let role = if badge.is_alarming() {
            Role::Warn
        } else {
            Role::Dim
        };
        let gap = if line.width() > 0 { ", " } else { "" };
        line.dim(gap).say(role, Clean::new(&word))
    })
}

/// A bar of so many cells: what is done is heavy, the rest is light, so that no color is needed.
pub(crate) fn bar(progress: Progress, cells: usize) -> Bits {
    let total = progress.total.filter(|total| *total > 0);
    let Some((finished, total)) = progress.done.zip(total) else {
        return Bits::of(Role::Dim, Clean::new(&"┄".repeat(cells)));
    };
    let cells_u64 = u64::try_from(cells).unwrap_or(0);
    let done = finished.min(total).saturating_mul(cells_u64) / total;
    // Something done is never drawn as nothing.
    let done = usize::try_from(done)
        .unwrap_or(0)
        .max(usize::from(finished > 0))
        .min(cells);
    let role = if finished >= total {
        Role::Good
    } else {
        Role::Accent
    };
    Bits::of(role, Clean::new(&"━".repeat(done))).dim(Clean::new(&"─".repeat(cells - done)))
}

/// A bar as long as a duration is in relation to the longest one, in eighths of a cell; the shortest is still visible.
pub(crate) fn duration_bar(seconds: u64, longest: u64, cells: usize) -> Bits {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let all = u128::try_from(cells * 8).unwrap_or(0);
    let eighths = u128::from(seconds.min(longest)) * all / u128::from(longest.max(1));
    let eighths = usize::try_from(eighths).unwrap_or(0).max(1);
    let part = PARTS.get(eighths % 8).copied().unwrap_or_default();
    Bits::of(Role::Accent, Clean::new(&"█".repeat(eighths / 8)))
        .accent(part)
        .pad(cells)
}

/// Progress in words: `2 of 4 phases`.
pub(crate) fn progress(progress: Progress) -> Clean {
    let done = progress.out_of();
    let open = if progress.total.is_none() {
        " so far"
    } else {
        ""
    };
    clean!("{} {}{}", done, progress.unit, open)
}

/// The value of a row of a form that Left and Right change, with what is to be known of it.
pub(crate) fn choice(text: impl Into<Clean>, note: impl Into<Clean>) -> Bits {
    Bits::of(Role::Dim, "‹ ").title(text).dim(" ›  ").dim(note)
}

/// The frame of a spinner while something is awaited.
pub(crate) fn spinner(beat: usize) -> &'static str {
    const FRAMES: [&str; 8] = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇", "⠏", "⠉"];
    FRAMES.get(beat % FRAMES.len()).copied().unwrap_or("·")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_the_duration() {
        let table = [
            (0, 60, "▏     "),
            (30, 60, "███   "),
            (35, 60, "███▌  "),
            (60, 60, "██████"),
            (90, 60, "██████"),
            (0, 0, "▏     "),
            (u64::MAX, u64::MAX, "██████"),
        ];
        for (seconds, longest, bar) in table {
            let drawn = duration_bar(seconds, longest, 6).written();
            assert_eq!(drawn.as_str(), bar, "{seconds} of {longest}");
        }
    }
}
