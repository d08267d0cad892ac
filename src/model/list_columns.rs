//! The columns of the list of pipelines, one table for both front ends: what they show, how they are sorted, and which
//! of them a width has room for.

use std::cmp::Ordering;
use std::path::Path;

use super::{Badge, Clean, ListRow, Status, Verdict};
use crate::{clean, string_enum};

string_enum! {
    /// A column. Its word is its name in `--columns`, in `--sort`, and before the `:` of a filter.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ListKey {
        /// What it is waiting for, if for anything.
        Status = "status",
        /// The worst verdict of its checks.
        Check = "check",
        /// The name of its project's folder.
        Project = "project",
        /// Its goal.
        Title = "title",
        /// Where it stopped.
        Stopped = "stopped",
        /// The branch of its work tree.
        Branch = "branch",
        /// The system that wrote it.
        System = "system",
        /// Its badges.
        Flags = "flags",
        /// Its progress.
        Done = "done",
        /// The time since its last write.
        #[default]
        Age = "age",
        /// Its id.
        Id = "id",
    }
}

/// A column of the list of pipelines.
#[derive(Debug, Clone, Copy)]
pub struct ListColumn {
    /// Which one.
    pub key: ListKey,
    /// Its heading.
    pub heading: &'static str,
    /// Whether it is aligned to the right.
    pub right: bool,
    /// Whether it is empty until the pipeline is verified.
    pub of_checks: bool,
    /// All values that it can have; empty where there are many.
    pub values: &'static [&'static str],
    /// How `FIELD:VALUE` of a filter compares it.
    pub filter: FilterBy,
    /// Its text; empty where it depends on the clock.
    pub text: fn(&ListRow) -> Clean,
    /// The order of two rows by it; `None` for that of their texts.
    pub order: Option<fn(&ListRow, &ListRow) -> Ordering>,
}

/// How a filter compares a value with the text of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterBy {
    /// The text begins with it.
    Start,
    /// The text contains it.
    Part,
    /// It cannot be filtered by value.
    Nothing,
}

const fn column(key: ListKey, heading: &'static str, text: fn(&ListRow) -> Clean) -> ListColumn {
    ListColumn {
        key,
        heading,
        right: false,
        of_checks: false,
        values: &[],
        filter: FilterBy::Part,
        text,
        order: None,
    }
}

/// The columns, in the order of [`ListKey`]. The newest, the most complete and the worst verdict come first.
pub const LIST_COLUMNS: [ListColumn; ListKey::Id as usize + 1] = [
    ListColumn {
        values: &[
            Status::Live.word(),
            Status::Waiting.word(),
            Status::Interrupted.word(),
            Status::Unreadable.word(),
            Status::Complete.word(),
        ],
        order: Some(|a, b| {
            let status = |row: &ListRow| row.pipeline.standing.status;
            status(a).cmp(&status(b))
        }),
        filter: FilterBy::Start,
        ..column(ListKey::Status, "STATUS", |row| {
            Clean::new(row.pipeline.standing.status.word())
        })
    },
    ListColumn {
        values: &[
            Verdict::Pass.word(),
            Verdict::Skipped.word(),
            Verdict::Warn.word(),
            Verdict::Fail.word(),
        ],
        order: Some(|a, b| {
            let worst = |row: &ListRow| row.checks.map(|checks| checks.worst);
            worst(b).cmp(&worst(a))
        }),
        of_checks: true,
        filter: FilterBy::Start,
        ..column(ListKey::Check, "CHECKS", |row| {
            let worst = row.checks.map(|checks| checks.worst.word());
            Clean::new(worst.unwrap_or_default())
        })
    },
    column(ListKey::Project, "PROJECT", |row| {
        let root = &row.pipeline.reading.root;
        match root.file_name() {
            Some(name) => clean!("{}", Path::new(name)),
            None => clean!("{}", root),
        }
    }),
    column(ListKey::Title, "TITLE", |row| row.pipeline.title_or_key()),
    column(ListKey::Stopped, "STOPPED AT", |row| {
        row.pipeline.reading.stopped_where.clean()
    }),
    column(ListKey::Branch, "BRANCH", |row| row.pipeline.branch_text()),
    ListColumn {
        filter: FilterBy::Start,
        ..column(ListKey::System, "SYSTEM", |row| {
            Clean::new(row.pipeline.reading.system.0)
        })
    },
    ListColumn {
        values: &[
            Badge::Stale.word(),
            Badge::BranchMismatch.word(),
            Badge::Dirty.word(),
            Badge::Orphan.word(),
            Badge::NotStarted.word(),
            Badge::NoStateFile.word(),
            Badge::CleanupPending.word(),
            Badge::Inferred.word(),
            Badge::Damaged.word(),
        ],
        ..column(ListKey::Flags, "FLAGS", |row| row.pipeline.flags())
    },
    ListColumn {
        right: true,
        order: Some(|a, b| b.pipeline.permille().cmp(&a.pipeline.permille())),
        filter: FilterBy::Nothing,
        ..column(ListKey::Done, "DONE", |row| {
            let progress = row.pipeline.reading.progress;
            progress.fraction().into()
        })
    },
    ListColumn {
        right: true,
        order: Some(|a, b| {
            let newest = |row: &ListRow| row.pipeline.reading.last_activity_at;
            newest(b).cmp(&newest(a))
        }),
        filter: FilterBy::Nothing,
        ..column(ListKey::Age, "LAST WRITE", |_| Clean::empty())
    },
    column(ListKey::Id, "ID", |row| Clean::new(&row.pipeline.id.0)),
];

/// The columns of `relight list`. The id comes early because it is typed next.
pub const LIST_DEFAULT: &[ListKey] = &[
    ListKey::Status,
    ListKey::Id,
    ListKey::Project,
    ListKey::Title,
    ListKey::Stopped,
    ListKey::Branch,
    ListKey::System,
    ListKey::Flags,
    ListKey::Done,
    ListKey::Age,
];

/// The columns of the console, whose preview shows the id.
pub const CONSOLE_DEFAULT: &[ListKey] = &[
    ListKey::Status,
    ListKey::Check,
    ListKey::Project,
    ListKey::Title,
    ListKey::Stopped,
    ListKey::Branch,
    ListKey::System,
    ListKey::Flags,
    ListKey::Done,
    ListKey::Age,
];

/// The columns that the console's key sorts by, one after the other.
pub const SORT_ORDER: &[ListKey] = &[
    ListKey::Age,
    ListKey::Status,
    ListKey::System,
    ListKey::Title,
    ListKey::Done,
    ListKey::Check,
    ListKey::Project,
    ListKey::Stopped,
];

/// No column is cut at this width.
const WHOLE: usize = usize::MAX;

/// The width of the progress with a bar before its numbers.
const BAR: usize = WHOLE - 1;

/// The first width of the project where no id tells rows of one title apart.
const NAMED: usize = WHOLE - 2;

/// How the width of the list is handed out: one step after the other, each widening a column to so many cells. The
/// first step that has no room ends it, so that a wider list never shows less. Where a pipeline stopped comes before
/// the name of its system.
const STEPS: &[(ListKey, usize)] = &[
    (ListKey::Status, WHOLE),
    (ListKey::Id, WHOLE),
    (ListKey::Stopped, 12),
    (ListKey::Title, 9),
    (ListKey::Check, WHOLE),
    (ListKey::Project, NAMED),
    (ListKey::Done, WHOLE),
    (ListKey::Project, 8),
    // `usage limit, resets 17:50`. Eighty columns have no room for the age.
    (ListKey::Stopped, 25),
    (ListKey::Title, 14),
    (ListKey::Age, WHOLE),
    // `usage limit, reset 30 h ago`.
    (ListKey::Stopped, 27),
    (ListKey::Title, 20),
    (ListKey::Done, BAR),
    (ListKey::Project, 16),
    (ListKey::Stopped, 34),
    // The ends of a name tell projects apart; the rest of where a pipeline stopped rarely does.
    (ListKey::Project, 24),
    (ListKey::Stopped, 48),
    (ListKey::Title, 28),
    (ListKey::System, WHOLE),
    (ListKey::Branch, 16),
    (ListKey::Flags, 20),
    (ListKey::Project, 32),
    (ListKey::Title, 36),
    (ListKey::Branch, 24),
    (ListKey::Flags, WHOLE),
    (ListKey::Title, 60),
    // No more: the rest of a wide screen is for the preview.
    (ListKey::Project, 48),
    (ListKey::Branch, 48),
];

/// The width of each column of [`LIST_COLUMNS`] in `room` cells with `gap` between two; 0 hides it. `content` is the
/// widest text of a column; a column without content is not shown. `bar` is the width of the progress with a bar; 0 where
/// there is none. The id is never cut, even if it does not fit.
pub fn list_widths(
    keys: &[ListKey],
    content: &dyn Fn(ListKey) -> usize,
    bar: usize,
    room: usize,
    gap: usize,
) -> [usize; LIST_COLUMNS.len()] {
    let mut widths = [0_usize; LIST_COLUMNS.len()];
    // The first column needs no gap before it.
    let mut left = room.saturating_add(gap);
    for (key, step) in STEPS.iter().copied().filter(|(key, _)| keys.contains(key)) {
        let Some(width) = widths.get_mut(key as usize) else {
            continue;
        };
        let most = match step {
            BAR => bar,
            NAMED if keys.contains(&ListKey::Id) => continue,
            NAMED => content(key).min(8),
            _ => step.min(content(key)),
        };
        let more = most.saturating_sub(*width);
        if more == 0 {
            continue;
        }
        let (cost, least) = match *width {
            // A new column is shown at its first width or not at all.
            0 if key != ListKey::Id => (more + gap, more + gap),
            0 => (more + gap, 0),
            _ => (more, 0),
        };
        if left < least {
            break;
        }
        *width += if key == ListKey::Id {
            more
        } else {
            more.min(left)
        };
        if left < cost && key != ListKey::Id {
            break;
        }
        left = left.saturating_sub(cost);
    }
    widths
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: usize = LIST_COLUMNS.len();

    /// What a row shows is cut at the end, so a narrower cell is never longer.
    fn shown(keys: &[ListKey], content: &[usize], room: usize) -> [usize; ALL] {
        let bar = content[ListKey::Done as usize] + 5;
        list_widths(keys, &|key| content[key as usize], bar, room, 2)
    }

    proptest! {
        #[test]
        fn u1_a_wider_list_never_shows_less(
            content in prop::collection::vec(0_usize..90, ALL),
            console in any::<bool>(),
        ) {
            let keys = if console { CONSOLE_DEFAULT } else { LIST_DEFAULT };
            for room in 60..220 {
                let (narrow, wide) = (shown(keys, &content, room), shown(keys, &content, room + 1));
                for (at, (narrow, wide)) in narrow.into_iter().zip(wide).enumerate() {
                    prop_assert!(narrow <= wide, "{room}: {}", LIST_COLUMNS[at].heading);
                }
                let taken: usize = narrow.iter().filter(|width| **width > 0).map(|width| width + 2).sum();
                let own = content[0] + 2 + content[ListKey::Id as usize] + 2;
                prop_assert!(taken <= (room + 2).max(own), "{room}: {narrow:?}");
                // What it waits for is cut only where its system is not shown.
                let stopped = ListKey::Stopped as usize;
                if narrow[ListKey::System as usize] > 0 {
                    prop_assert!(narrow[stopped] >= content[stopped].min(48));
                }
            }
        }
    }

    #[test]
    fn flags_are_cut_only_where_there_is_no_room() {
        let mut content = [20; ALL];
        content[ListKey::Flags as usize] = 45;
        let width = |room| shown(CONSOLE_DEFAULT, &content, room)[ListKey::Flags as usize];
        assert_eq!((width(150), width(260)), (0, 45));
        let cut = (150..230)
            .map(width)
            .filter(|width| (1..20).contains(width));
        assert_eq!(cut.count(), 0, "they begin with room for a few");
    }

    #[test]
    fn the_name_of_a_project_is_whole_before_the_longest_stop() {
        let mut content = [10; ALL];
        content[ListKey::Project as usize] = 24;
        content[ListKey::Stopped as usize] = 60;
        for room in 60..400 {
            let widths = shown(CONSOLE_DEFAULT, &content, room);
            let [project, stopped] =
                [ListKey::Project, ListKey::Stopped].map(|key| widths[key as usize]);
            assert!(stopped <= 34 || project == 24, "{room}: {widths:?}");
        }
    }

    #[test]
    fn a_column_without_content_takes_no_room() {
        let mut content = [10; ALL];
        content[ListKey::Project as usize] = 0;
        assert_eq!(
            shown(LIST_DEFAULT, &content, 200)[ListKey::Project as usize],
            0
        );
    }

    #[test]
    fn the_columns_are_in_the_order_of_their_keys() {
        for (at, column) in LIST_COLUMNS.iter().enumerate() {
            assert_eq!(column.key as usize, at);
        }
    }
}
