//! The columns of the list of pipelines, one table for both faces.

use chrono::{DateTime, FixedOffset};

use super::{Clean, Pipeline};
use crate::clean;
use crate::text::format;

/// A column of the list of pipelines.
#[derive(Debug, Clone, Copy)]
pub struct ListColumn {
    /// Its heading.
    pub heading: &'static str,
    /// Its least width, at first and at worst, where the list is narrow; `None` is never narrowed.
    pub least: Option<[usize; 2]>,
    /// Columns with a greater number are narrowed first.
    pub order: u8,
    /// Whether it is aligned to the right.
    pub right: bool,
    /// The width of the list from which on it is shown.
    pub from: usize,
    /// What it shows of a pipeline, now.
    pub cell: fn(&Pipeline, DateTime<FixedOffset>) -> Clean,
}

const FIXED: ListColumn = ListColumn {
    heading: "",
    least: None,
    order: 0,
    right: false,
    from: 0,
    cell: |_, _| Clean::empty(),
};

/// The columns, in order. The id comes before the title because it is typed next; it is never cut.
pub const LIST_COLUMNS: [ListColumn; 8] = [
    ListColumn {
        heading: "STATUS",
        cell: |pipeline, _| Clean::new(pipeline.standing.status.word()),
        ..FIXED
    },
    ListColumn {
        heading: "SYSTEM",
        // Every id begins with its system.
        from: 130,
        cell: |pipeline, _| Clean::new(pipeline.reading.system.0),
        ..FIXED
    },
    ListColumn {
        heading: "ID",
        cell: |pipeline, _| Clean::new(&pipeline.id.0),
        ..FIXED
    },
    ListColumn {
        heading: "TITLE",
        least: Some([20, 8]),
        order: 2,
        cell: |pipeline, _| pipeline.title_or_key(),
        ..FIXED
    },
    ListColumn {
        heading: "STOPPED AT",
        least: Some([22, 10]),
        order: 3,
        cell: |pipeline, _| pipeline.reading.stopped_where.clean(),
        ..FIXED
    },
    ListColumn {
        heading: "FLAGS",
        least: Some([12, 8]),
        order: 4,
        from: 150,
        cell: |pipeline, _| pipeline.flags(),
        ..FIXED
    },
    ListColumn {
        heading: "DONE",
        right: true,
        cell: |pipeline, _| match pipeline.reading.progress.total {
            Some(total) => clean!("{}/{}", pipeline.reading.progress.done, total),
            None => clean!("{}", pipeline.reading.progress.done),
        },
        ..FIXED
    },
    ListColumn {
        heading: "LAST WRITE",
        right: true,
        cell: |pipeline, now| {
            let last = pipeline.reading.last_activity_at.map(|last| last.at);
            Clean::new(&format::age(now, last))
        },
        ..FIXED
    },
];

impl Pipeline {
    /// Its title, or the system's own key where it has none.
    pub fn title_or_key(&self) -> Clean {
        if self.reading.title.is_empty() {
            self.reading.native.clean()
        } else {
            self.reading.title.clean()
        }
    }

    /// Its flags as text: `stale, branch mismatch`.
    pub fn flags(&self) -> Clean {
        let words: Vec<&str> = self
            .reading
            .badges
            .iter()
            .map(|badge| badge.word())
            .collect();
        Clean::new(&words.join(", ").replace('_', " "))
    }

    /// What a filter searches, in the order of [`filter::Column`](super::filter::Column).
    pub fn searched(&self) -> [Clean; super::filter::COLUMNS] {
        [
            Clean::new(self.standing.status.word()),
            Clean::new(self.reading.system.0),
            self.title_or_key(),
            self.reading.stopped_where.clean(),
            self.flags(),
            Clean::new(&self.id.0),
        ]
    }
}
