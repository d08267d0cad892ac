//! What is done with each pipeline, and its result.

use std::cmp::Reverse;

use crate::model::{CheckId, Exported, Subject};
use crate::tui::prelude::*;

/// What is done with each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Task {
    /// Its checks are verified.
    Verify,
    /// Its reports are written into a folder of its own in this one.
    Export(PathBuf),
}

/// The result of one pipeline.
#[derive(Debug, Clone, PartialEq)]
pub enum Done {
    /// Its checks, the worst first.
    Verified(Vec<Check>),
    /// What was written.
    Exported(Exported),
}

impl Done {
    fn verdict(&self) -> Verdict {
        match self {
            Self::Verified(checks) => Verdict::overall(checks),
            Self::Exported(_) => Verdict::Pass,
        }
    }
}

/// A pipeline with its result.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) id: PipelineId,
    pub(crate) result: Load<Done>,
}

impl Item {
    /// How bad its result is; what has none yet comes last.
    fn rank(&self) -> u8 {
        match &self.result {
            Load::Failed(_) => u8::MAX,
            Load::Ready(done) => 1 + done.verdict() as u8,
            Load::Pending => 0,
        }
    }

    /// The checks that did not pass.
    pub(crate) fn problems(&self) -> &[Check] {
        match self.result.ready().map(AsRef::as_ref) {
            Some(Done::Verified(checks)) => {
                let bad = checks.iter().take_while(|one| one.verdict >= Verdict::Warn);
                checks.get(..bad.count()).unwrap_or_default()
            }
            Some(Done::Exported(_)) | None => &[],
        }
    }
}

/// A row: a check that did not pass, or a pipeline that has none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BatchRow<'a> {
    pub(crate) item: &'a Item,
    pub(crate) check: Option<&'a Check>,
    /// Whether it is the first row of its pipeline.
    pub(crate) first: bool,
}

/// What a row is known by.
pub(crate) type RowKey = (PipelineId, Option<(CheckId, Subject)>);

/// The screen.
#[derive(Debug, Clone)]
pub(crate) struct BatchScreen {
    pub(crate) task: Task,
    /// The pipelines, in the order in which they are taken.
    pub(crate) items: Vec<Item>,
    /// The one under way.
    pub(crate) ticket: Option<Ticket>,
    /// The selected row.
    pub(crate) cursor: Cursor<RowKey>,
    /// Whether the person chose it; until then it is the first row, whatever arrives.
    pub(crate) chosen: bool,
}

impl BatchScreen {
    pub(crate) fn new(task: Task, ids: Vec<PipelineId>) -> Self {
        let item = |id| Item {
            id,
            result: Load::Pending,
        };
        let mut screen = Self {
            task,
            items: ids.into_iter().map(item).collect(),
            ticket: None,
            cursor: Cursor::default(),
            chosen: false,
        };
        screen.arrange();
        screen
    }

    /// The rows, the worst pipeline first.
    pub(crate) fn rows(&self) -> Vec<BatchRow<'_>> {
        let mut items: Vec<&Item> = self.items.iter().collect();
        items.sort_by_key(|item| Reverse(item.rank()));
        let mut rows = Vec::new();
        for item in items {
            let none = item.problems().is_empty().then_some(None);
            let checks = item.problems().iter().map(Some).chain(none);
            rows.extend(checks.enumerate().map(|(at, check)| BatchRow {
                item,
                check,
                first: at == 0,
            }));
        }
        rows
    }

    /// What the rows are known by.
    pub(crate) fn keys(&self) -> Vec<RowKey> {
        let key = |row: BatchRow<'_>| {
            let check = row.check.map(|one| (one.id.clone(), one.about.clone()));
            (row.item.id.clone(), check)
        };
        self.rows().into_iter().map(key).collect()
    }

    /// The selected row.
    pub(crate) fn selected(&self) -> Option<BatchRow<'_>> {
        let place = self.cursor.place(&self.keys())?;
        self.rows().get(place).copied()
    }

    /// Finds the selection again after a result came.
    pub(crate) fn arrange(&mut self) {
        let keys = self.keys();
        if self.chosen {
            self.cursor.reselect(&keys);
        } else {
            self.cursor.go(&keys, 0);
        }
    }

    /// The pipelines without a result.
    pub(crate) fn waiting(&self) -> usize {
        let waits = |item: &&Item| matches!(item.result, Load::Pending);
        self.items.iter().filter(waits).count()
    }

    /// The pipeline to take next, unless one is under way.
    pub(crate) fn next(&self) -> Option<&PipelineId> {
        let mut items = self.items.iter().filter(|_| self.ticket.is_none());
        let next = items.find(|item| matches!(item.result, Load::Pending));
        next.map(|item| &item.id)
    }

    /// How many have this verdict.
    pub(crate) fn count(&self, verdict: Verdict) -> usize {
        let is = |item: &&Item| {
            let done = item.result.ready();
            done.is_some_and(|done| done.verdict() == verdict)
        };
        self.items.iter().filter(is).count()
    }

    /// How many failed to have a result.
    pub(crate) fn failed(&self) -> usize {
        let failed = |item: &&Item| matches!(item.result, Load::Failed(_));
        self.items.iter().filter(failed).count()
    }
}
