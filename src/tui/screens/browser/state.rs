//! The list of pipelines: what was found, and which of it is shown in what order.

use std::collections::HashMap;

use crate::model::filter::{Filter, Hits};
use crate::model::{Group, LIST_COLUMNS, ListRow, SORT_ORDER, SavedView};
use crate::tui::prelude::*;

/// The heading of the group that a row is in.
fn heading(group: Group, row: &Row) -> Option<Clean> {
    match group {
        Group::Nothing => None,
        Group::Status => Some(Clean::new(row.pipeline.standing.status.word())),
        Group::System => Some(Clean::new(row.pipeline.reading.system.0)),
        Group::Project => Some(format::shorten_path(&row.pipeline.reading.root, usize::MAX)),
    }
}

/// A pipeline with the texts of its cells.
pub(crate) type Row = ListRow;

/// A row of the screen.
#[derive(Debug, Clone)]
pub(crate) struct ShownRow {
    /// Its place in [`Browser::rows`].
    pub(crate) row: usize,
    /// The letters that the filter matched.
    pub(crate) hits: Hits,
    /// The heading above it, where a group begins, and how many are in the group.
    pub(crate) heading: Option<(Clean, usize)>,
    /// The number of pipelines that it stands for, where its group is folded.
    pub(crate) folded: Option<String>,
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
    /// How many pipelines are outside the scope, if any is known of.
    pub(crate) elsewhere: Option<String>,
    /// Places that were searched.
    pub(crate) searched: Vec<PathBuf>,
    /// Why the last survey failed.
    pub(crate) trouble: Option<EngineError>,
    /// The filter.
    pub(crate) filter: Field,
    /// Order of the rows.
    pub(crate) sort: ListKey,
    /// Whether the best hits of the filter come first: from each change of it until another order is chosen.
    pub(crate) ranked: bool,
    /// What is wrong with the filter.
    pub(crate) filter_trouble: Option<Clean>,
    /// The widest text of each column that is shown.
    pub(crate) widest: [usize; LIST_COLUMNS.len()],
    /// Whether some rows are being verified.
    pub(crate) verifying: bool,
    /// Headings of the groups that are folded.
    pub(crate) folded: BTreeSet<Clean>,
    /// Whether the order is turned round.
    pub(crate) reverse: bool,
    /// Grouping of the rows.
    pub(crate) group: Group,
    /// Saved views.
    pub(crate) views: Vec<SavedView>,
    /// The one that was chosen last, by its place.
    pub(crate) view: Option<usize>,
    /// Rows that were marked.
    pub(crate) marked: BTreeSet<PipelineId>,
    /// Rows that were hidden until the console ends.
    pub(crate) put_away: BTreeSet<PipelineId>,
    /// Whether those are shown nevertheless.
    pub(crate) show_put_away: bool,
    /// Whether complete pipelines are shown.
    pub(crate) complete: bool,
    /// The rows of the screen.
    pub(crate) shown: Vec<ShownRow>,
    /// Ids of those rows, in the same order.
    pub(crate) ids: Vec<PipelineId>,
    /// How many complete ones are hidden.
    pub(crate) hidden_complete: usize,
    /// How many rows the person has hidden and does not see.
    pub(crate) hidden_put_away: usize,
    /// How many rows the filter hides.
    pub(crate) hidden_filter: usize,
    /// The selection.
    pub(crate) cursor: Cursor<PipelineId>,
    /// Whether the person chose it; until then it is the first row, whatever arrives.
    pub(crate) chosen: bool,
}

impl Browser {
    /// The selected row; `None` where it stands for a folded group, so that nothing acts on a row that is not shown.
    pub(crate) fn selected(&self) -> Option<&Row> {
        self.under_cursor().filter(|_| !self.is_folded())
    }

    fn shown_under_cursor(&self) -> Option<&ShownRow> {
        self.shown.get(self.cursor.place(&self.ids)?)
    }

    fn under_cursor(&self) -> Option<&Row> {
        self.rows.get(self.shown_under_cursor()?.row)
    }

    /// A pipeline by its id, shown or not.
    pub(crate) fn pipeline(&self, id: &PipelineId) -> Option<&Arc<Pipeline>> {
        let mut pipelines = self.rows.iter().map(|row| &row.pipeline);
        pipelines.find(|pipeline| pipeline.id == *id)
    }

    /// The rows of the screen.
    pub(super) fn shown_rows(&self) -> impl Iterator<Item = &Row> {
        let shown = self.shown.iter();
        shown.filter_map(|shown| self.rows.get(shown.row))
    }

    /// Adds a pipeline, or replaces its earlier state.
    pub(crate) fn take(&mut self, pipeline: Pipeline) {
        let mut rows = self.rows.iter_mut();
        match rows.find(|row| row.pipeline.id == pipeline.id) {
            Some(row) if *row.pipeline == pipeline => return,
            // The verdict was about an earlier state.
            Some(row) => *row = Row::new(pipeline),
            None => self.rows.push(Row::new(pipeline)),
        }
        self.outdated = true;
    }

    /// Rebuilds the list from a finished survey.
    pub(crate) fn replace(&mut self, pipelines: Vec<Pipeline>) {
        let known = std::mem::take(&mut self.rows).into_iter();
        let known: HashMap<PipelineId, Row> =
            known.map(|row| (row.pipeline.id.clone(), row)).collect();
        let row = |pipeline: Pipeline| match known.get(&pipeline.id) {
            Some(row) if *row.pipeline == pipeline => row.clone(),
            _ => Row::new(pipeline),
        };
        self.rows = pipelines.into_iter().map(row).collect();
        self.outdated = true;
    }

    /// Takes in what a pipeline's checks came to, and why it stopped.
    pub(crate) fn verified(
        &mut self,
        id: &PipelineId,
        (checks, cause): (CheckSummary, Option<Cause>),
        now: DateTime<FixedOffset>,
    ) {
        let mut rows = self.rows.iter_mut();
        if let Some(row) = rows.find(|row| row.pipeline.id == *id) {
            self.outdated |= row.checks != Some(checks) || cause.is_some();
            row.verified(checks);
            row.explained(cause, now);
        }
    }

    /// The pipelines to verify next: those that are shown first.
    pub(crate) fn unverified(&self, most: usize) -> Vec<PipelineId> {
        let mut seen = BTreeSet::new();
        let open = self.shown_rows().chain(&self.rows);
        let open = open.filter(|row| row.checks.is_none() && seen.insert(&row.pipeline.id));
        open.take(most).map(|row| row.pipeline.id.clone()).collect()
    }

    /// The filter was changed: its best hit is selected.
    pub(crate) fn filtered(&mut self) {
        self.ranked = true;
        self.arrange();
        if self.is_ranked() {
            self.cursor.go(&self.ids, 0);
        }
    }

    /// Whether the best hit of the filter comes first, whatever the rows are sorted by.
    pub(crate) fn is_ranked(&self) -> bool {
        self.ranked && Filter::parse(self.filter.text()).ranks()
    }

    /// The order of the rows in words, where it is not the usual one and no arrow at a heading that is shown says it.
    pub(crate) fn order_words(&self, is_shown: impl Fn(ListKey) -> bool) -> Option<Clean> {
        if self.is_ranked() {
            return Some(Clean::new(" by match"));
        }
        // The usual order, with little room beside it.
        if self.sort == ListKey::Age && !self.reverse {
            return None;
        }
        let sorted = LIST_COLUMNS.get(self.sort as usize);
        let heading = sorted.filter(|one| !is_shown(one.key))?.heading;
        let reversed = if self.reverse { ", reversed" } else { "" };
        Some(clean!(" by {}{}", heading.to_lowercase(), reversed))
    }

    /// Sorts by the next column; the last goes round to the first.
    pub(crate) fn sort_next(&mut self) {
        let now = SORT_ORDER.iter().position(|key| *key == self.sort);
        let next = now.map_or(0, |now| (now + 1) % SORT_ORDER.len());
        self.sort = SORT_ORDER.get(next).copied().unwrap_or_default();
        self.ranked = false;
    }

    /// Filters and sorts the rows again, if rows were added or removed.
    pub(crate) fn rearrange(&mut self) {
        if std::mem::take(&mut self.outdated) {
            Row::name_projects(&mut self.rows);
            self.arrange();
        }
    }

    /// How many pipelines are not hidden by anything but a folded group.
    pub(crate) fn passing(&self) -> usize {
        let hidden = self.hidden_complete + self.hidden_put_away + self.hidden_filter;
        self.rows.len().saturating_sub(hidden)
    }

    /// How many pipelines have a status.
    pub(crate) fn count(&self, status: Status) -> usize {
        let statuses = self.rows.iter().map(|row| row.pipeline.standing.status);
        statuses.filter(|of| *of == status).count()
    }

    /// Filters and sorts the rows again, and restores the selection.
    pub(crate) fn arrange(&mut self) {
        let filter = Filter::parse(self.filter.text());
        let asked = |row: &Row| self.complete || row.pipeline.standing.status != Status::Complete;
        self.hidden_complete = self.rows.iter().filter(|row| !asked(row)).count();
        let away = |row: &Row| !self.show_put_away && self.is_put_away(row);
        let counted = self.rows.iter().filter(|row| asked(row) && away(row));
        let hidden_put_away = counted.count();
        let mut shown = Vec::new();
        let mut hidden = 0;
        let rows = self.rows.iter().enumerate();
        for (place, row) in rows.filter(|(_, row)| asked(row) && !away(row)) {
            match filter.hits(row) {
                Some(hits) => shown.push(ShownRow {
                    row: place,
                    hits,
                    heading: None,
                    folded: None,
                }),
                None => hidden += 1,
            }
        }
        self.hidden_put_away = hidden_put_away;
        self.hidden_filter = hidden;
        let trouble = filter.trouble().map(|trouble| match &trouble.hint {
            Some(hint) => clean!("{} {}", trouble.text, hint.as_str()),
            None => trouble.text.clone(),
        });
        self.filter_trouble = trouble.or_else(|| filter.absent(&self.rows));
        self.order(&mut shown, self.is_ranked());
        self.shown = self.grouped(shown);
        self.measure();
        let ids = self.shown_rows().map(|row| row.pipeline.id.clone());
        self.ids = ids.collect();
        if self.chosen {
            self.cursor.reselect(&self.ids);
        } else {
            self.cursor.go(&self.ids, 0);
        }
    }

    /// Measures the columns, so that drawing need not look at all rows.
    fn measure(&mut self) {
        let mut widest = [0; LIST_COLUMNS.len()];
        for row in self.shown_rows() {
            for (widest, text) in widest.iter_mut().zip(&row.texts) {
                *widest = text.width().max(*widest);
            }
        }
        self.widest = widest;
    }

    fn order(&self, shown: &mut [ShownRow], ranked: bool) {
        let key = |shown: &ShownRow| self.rows.get(shown.row);
        shown.sort_by(|first, second| {
            let (Some(a), Some(b)) = (key(first), key(second)) else {
                return std::cmp::Ordering::Equal;
            };
            let grouped = self.group_key(a).cmp(&self.group_key(b));
            let sorted = a.compare(b, self.sort).then(a.compare(b, ListKey::Age));
            let sorted = if self.reverse {
                sorted.reverse()
            } else {
                sorted
            };
            let best = second.hits.score.cmp(&first.hits.score);
            let sorted = if ranked { best.then(sorted) } else { sorted };
            // The id last, so that rows never change places among themselves.
            grouped
                .then(sorted)
                .then_with(|| a.pipeline.id.cmp(&b.pipeline.id))
        });
    }

    fn group_key(&self, row: &Row) -> (Status, Clean) {
        let heading = heading(self.group, row).unwrap_or_default();
        match self.group {
            Group::Status => (row.pipeline.standing.status, heading),
            Group::Nothing | Group::System | Group::Project => (Status::Live, heading),
        }
    }

    /// Puts a heading with its count above the first row of every group, and leaves one row of a folded group.
    fn grouped(&self, shown: Vec<ShownRow>) -> Vec<ShownRow> {
        let heading_of = |row: &ShownRow| heading(self.group, self.rows.get(row.row)?);
        let mut out: Vec<ShownRow> = Vec::new();
        let groups = shown.chunk_by(|a, b| heading_of(a) == heading_of(b));
        for group in groups {
            let Some(name) = group.first().and_then(heading_of) else {
                return shown;
            };
            let folded = self.folded.contains(&name);
            let first = out.len();
            let most = if folded { 1 } else { group.len() };
            out.extend(group.iter().take(most).cloned());
            if let Some(row) = out.get_mut(first) {
                row.heading = Some((name, group.len()));
                row.folded = folded.then(|| format::count(group.len(), "pipeline"));
            }
        }
        out
    }

    /// Whether the selected row stands for a folded group.
    pub(crate) fn is_folded(&self) -> bool {
        let shown = self.shown_under_cursor();
        shown.is_some_and(|shown| shown.folded.is_some())
    }

    /// Folds the group of the selected row, or unfolds it; false where there are no groups.
    pub(crate) fn fold(&mut self, fold: bool) -> bool {
        let row = self.under_cursor();
        let Some(name) = row.and_then(|row| heading(self.group, row)) else {
            return false;
        };
        let changed = switch(&mut self.folded, name.clone(), fold);
        if changed {
            self.arrange();
            let in_group = |row: &Row| heading(self.group, row).as_ref() == Some(&name);
            let first = self.shown_rows().position(in_group);
            if let Some(place) = first.filter(|_| fold) {
                self.cursor.go(&self.ids, place);
            }
        }
        changed
    }
}
