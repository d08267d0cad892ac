//! The list of pipelines: what was found, and which of it is shown in what order.

use std::path::PathBuf;
use std::sync::Arc;

use crate::clean;
use crate::model::filter::{self, Filter, Hits};
use crate::model::{Clean, Pipeline, PipelineId, Status};
use crate::string_enum;
use crate::tui::data::{EngineError, Request, Scope, Skipped};
use crate::tui::msg::Ticket;
use crate::tui::state::cursor::Cursor;
use crate::tui::state::field::Field;

string_enum! {
    /// What the rows are sorted by.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub(crate) enum Sort {
        #[default]
        Activity = "last activity",
        Status = "status",
        System = "system",
        Title = "title",
        Progress = "progress",
    }
}

impl Sort {
    /// The next key; the last goes round to the first.
    #[must_use]
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Activity => Self::Status,
            Self::Status => Self::System,
            Self::System => Self::Title,
            Self::Title => Self::Progress,
            Self::Progress => Self::Activity,
        }
    }
}

string_enum! {
    /// What the rows are grouped by.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub(crate) enum Group {
        #[default]
        Nothing = "nothing",
        Status = "status",
        System = "system",
        Project = "project",
    }
}

impl Group {
    /// The next way; the last goes round to the first.
    #[must_use]
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Nothing => Self::Status,
            Self::Status => Self::System,
            Self::System => Self::Project,
            Self::Project => Self::Nothing,
        }
    }

    fn heading(self, row: &Row) -> Option<Clean> {
        match self {
            Self::Nothing => None,
            Self::Status => Some(Clean::new(row.pipeline.standing.status.word())),
            Self::System => Some(Clean::new(row.pipeline.reading.system.0)),
            Self::Project => Some(row.project.clone()),
        }
    }
}

/// A pipeline with its presentable cells, made once.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// The pipeline.
    pub(crate) pipeline: Arc<Pipeline>,
    /// Its goal.
    pub(crate) title: Clean,
    /// Where it stopped.
    pub(crate) place: Clean,
    /// Its badges in words.
    pub(crate) badges: Clean,
    /// Its project root.
    pub(crate) project: Clean,
}

impl Row {
    fn new(pipeline: Pipeline) -> Self {
        Self {
            title: if pipeline.reading.title.is_empty() {
                clean!("({})", pipeline.reading.native)
            } else {
                pipeline.reading.title.clean()
            },
            place: pipeline.reading.stopped_where.clean(),
            badges: pipeline.flags(),
            project: clean!("{}", pipeline.reading.root),
            pipeline: Arc::new(pipeline),
        }
    }

    /// The text of each column that a filter looks at, in the order of [`filter::Column`].
    pub(crate) fn columns(&self) -> [&str; filter::COLUMNS] {
        [
            self.pipeline.standing.status.word(),
            self.pipeline.reading.system.0,
            self.title.as_str(),
            self.place.as_str(),
            self.badges.as_str(),
            self.pipeline.id.0.as_str(),
        ]
    }
}

/// A row of the screen.
#[derive(Debug, Clone)]
pub(crate) struct ShownRow {
    /// Its place in [`Browser::rows`].
    pub(crate) row: usize,
    /// The letters that the filter matched.
    pub(crate) hits: Hits,
    /// The heading above it, where a group begins.
    pub(crate) heading: Option<Clean>,
}

/// The list of pipelines.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own, and all combinations exist"
)]
pub(crate) struct Browser {
    /// What is looked for.
    pub(crate) request: Request,
    /// The scope that was searched last.
    pub(crate) scope: Option<Scope>,
    /// The survey under way.
    pub(crate) ticket: Option<Ticket>,
    /// Whether something changed on disk while it was under way.
    pub(crate) again: bool,
    /// True once a survey has ended.
    pub(crate) surveyed: bool,
    /// All that was found.
    pub(crate) rows: Vec<Row>,
    /// Whether rows came or went since they were put in order.
    pub(crate) outdated: bool,
    /// What was found and is no pipeline.
    pub(crate) skipped: Vec<Skipped>,
    /// Pipelines outside the scope.
    pub(crate) elsewhere: u64,
    /// Places that were searched.
    pub(crate) searched: Vec<PathBuf>,
    /// Why the last survey failed.
    pub(crate) trouble: Option<EngineError>,
    /// The filter.
    pub(crate) filter: Field,
    /// Order of the rows.
    pub(crate) sort: Sort,
    /// Whether the order is turned round.
    pub(crate) reverse: bool,
    /// Grouping of the rows.
    pub(crate) group: Group,
    /// Whether complete pipelines are shown.
    pub(crate) complete: bool,
    /// The rows of the screen.
    pub(crate) shown: Vec<ShownRow>,
    /// Ids of those rows, in the same order.
    pub(crate) ids: Vec<PipelineId>,
    /// How many complete ones are hidden.
    pub(crate) hidden_complete: usize,
    /// How many rows the filter hides.
    pub(crate) hidden_filter: usize,
    /// The selection.
    pub(crate) cursor: Cursor<PipelineId>,
    /// Whether the person chose it; until then it is the first row, whatever arrives.
    pub(crate) chosen: bool,
}

impl Browser {
    /// The selected row.
    pub(crate) fn selected(&self) -> Option<&Row> {
        let place = self.cursor.place(&self.ids)?;
        self.rows.get(self.shown.get(place)?.row)
    }

    /// A pipeline by its id, shown or not.
    pub(crate) fn pipeline(&self, id: &PipelineId) -> Option<&Arc<Pipeline>> {
        self.rows
            .iter()
            .find(|row| row.pipeline.id == *id)
            .map(|row| &row.pipeline)
    }

    /// Takes in a pipeline that was found, in place of what was known of it.
    pub(crate) fn take(&mut self, pipeline: Pipeline) {
        match self
            .rows
            .iter_mut()
            .find(|row| row.pipeline.id == pipeline.id)
        {
            Some(row) if *row.pipeline == pipeline => return,
            Some(row) => *row = Row::new(pipeline),
            None => self.rows.push(Row::new(pipeline)),
        }
        self.outdated = true;
    }

    /// Makes the whole list anew from an ended survey.
    pub(crate) fn replace(&mut self, pipelines: Vec<Pipeline>) {
        self.rows = pipelines.into_iter().map(Row::new).collect();
        self.outdated = true;
    }

    /// Decides anew what is shown, if rows came or went since.
    pub(crate) fn rearrange(&mut self) {
        if std::mem::take(&mut self.outdated) {
            self.arrange();
        }
    }

    /// How many pipelines have a status.
    pub(crate) fn count(&self, status: Status) -> usize {
        self.rows
            .iter()
            .filter(|row| row.pipeline.standing.status == status)
            .count()
    }

    /// Decides anew what is shown, and finds the selection again.
    pub(crate) fn arrange(&mut self) {
        let filter = Filter::parse(self.filter.text());
        let asked = |row: &Row| self.complete || row.pipeline.standing.status != Status::Complete;
        self.hidden_complete = self.rows.iter().filter(|row| !asked(row)).count();
        let mut shown: Vec<ShownRow> = Vec::new();
        let mut hidden = 0;
        for (place, row) in self.rows.iter().enumerate().filter(|(_, row)| asked(row)) {
            match filter.hits(&row.columns()) {
                Some(hits) => shown.push(ShownRow {
                    row: place,
                    hits,
                    heading: None,
                }),
                None => hidden += 1,
            }
        }
        self.hidden_filter = hidden;
        self.order(&mut shown);
        self.head(&mut shown);
        self.ids = shown
            .iter()
            .filter_map(|shown| self.rows.get(shown.row))
            .map(|row| row.pipeline.id.clone())
            .collect();
        self.shown = shown;
        if self.chosen {
            self.cursor.reselect(&self.ids);
        } else {
            self.cursor.go(&self.ids, 0);
        }
    }

    fn order(&self, shown: &mut [ShownRow]) {
        let key = |shown: &ShownRow| self.rows.get(shown.row);
        shown.sort_by(|a, b| {
            let (Some(a), Some(b)) = (key(a), key(b)) else {
                return std::cmp::Ordering::Equal;
            };
            let grouped = self.group_key(a).cmp(&self.group_key(b));
            let sorted = self.compare(a, b);
            let sorted = if self.reverse {
                sorted.reverse()
            } else {
                sorted
            };
            // The id last, so that rows never change places among themselves.
            grouped
                .then(sorted)
                .then_with(|| a.pipeline.id.cmp(&b.pipeline.id))
        });
    }

    fn group_key(&self, row: &Row) -> (Status, Clean) {
        let heading = self.group.heading(row).unwrap_or_default();
        match self.group {
            Group::Status => (row.pipeline.standing.status, heading),
            Group::Nothing | Group::System | Group::Project => (Status::Live, heading),
        }
    }

    fn compare(&self, a: &Row, b: &Row) -> std::cmp::Ordering {
        let newest = b
            .pipeline
            .reading
            .last_activity_at
            .cmp(&a.pipeline.reading.last_activity_at);
        let by = match self.sort {
            Sort::Activity => newest,
            Sort::Status => a.pipeline.standing.status.cmp(&b.pipeline.standing.status),
            Sort::System => a.pipeline.reading.system.cmp(&b.pipeline.reading.system),
            Sort::Title => a.title.cmp(&b.title),
            Sort::Progress => permille(&b.pipeline).cmp(&permille(&a.pipeline)),
        };
        by.then(newest)
    }

    /// Puts a heading above the first row of every group.
    fn head(&self, shown: &mut [ShownRow]) {
        let mut above = None;
        for row in shown {
            let Some(known) = self.rows.get(row.row) else {
                continue;
            };
            let heading = self.group.heading(known);
            if heading != above {
                row.heading.clone_from(&heading);
                above = heading;
            }
        }
    }
}

/// Progress in thousandths, nothing where the whole is unknown.
fn permille(pipeline: &Pipeline) -> u64 {
    let progress = pipeline.reading.progress;
    match progress.total {
        Some(total) if total > 0 => progress.done.saturating_mul(1000) / total,
        _ => 0,
    }
}
