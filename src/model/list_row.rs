//! A row of the list of pipelines, for both front ends.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use super::{
    Badge, Cause, CauseKind, CheckSummary, Clean, LIST_COLUMNS, ListKey, Pipeline, Status,
};
use crate::clean;
use crate::text::format;

/// A pipeline with the texts of its columns, made once.
#[derive(Debug, Clone)]
pub struct ListRow {
    /// The pipeline.
    pub pipeline: Arc<Pipeline>,
    /// The result of its checks; `None` while it is not verified.
    pub checks: Option<CheckSummary>,
    /// Why it stopped; `None` while that is not known.
    pub cause: Option<Arc<Cause>>,
    /// The texts by [`ListKey`]; the age depends on the clock and is empty.
    pub texts: [Clean; LIST_COLUMNS.len()],
}

impl ListRow {
    /// A row that is not verified.
    pub fn new(pipeline: Pipeline) -> Self {
        let mut row = Self {
            pipeline: Arc::new(pipeline),
            checks: None,
            cause: None,
            texts: Default::default(),
        };
        row.texts = LIST_COLUMNS.map(|column| (column.text)(&row));
        row
    }

    /// Adds the result of the checks.
    pub fn verified(&mut self, checks: CheckSummary) {
        self.checks = Some(checks);
        for column in LIST_COLUMNS.iter().filter(|column| column.of_checks) {
            let known = (column.text)(self);
            if let Some(text) = self.texts.get_mut(column.key as usize) {
                *text = known;
            }
        }
    }

    /// Adds why it stopped. The cause is shown in place of where it stopped, unless the pipeline's own records already
    /// say it there. A cause that certainly awaits a person makes an interrupted pipeline a waiting one.
    pub fn explained(&mut self, cause: Option<Cause>, now: DateTime<FixedOffset>) {
        let Some(cause) = cause else { return };
        if cause.makes_waiting(self.pipeline.standing.status) {
            Arc::make_mut(&mut self.pipeline).standing.wait_for(&cause);
            if let Some(text) = self.texts.get_mut(ListKey::Status as usize) {
                *text = Clean::new(Status::Waiting.word());
            }
        }
        self.cause = Some(Arc::new(cause));
        if let Some(cause) = self.shown_cause().map(|cause| cause.in_column(now))
            && let Some(text) = self.texts.get_mut(ListKey::Stopped as usize)
        {
            *text = Clean::new(&cause);
        }
    }

    /// The cause, where it says more than where the pipeline stopped.
    fn shown_cause(&self) -> Option<&Cause> {
        use CauseKind::{Running, ScriptFailed, Unknown};
        let cause = self.cause.as_deref()?;
        let says_less = matches!(cause.kind, Unknown | ScriptFailed | Running);
        let waits = self.pipeline.reading.claim.status == Status::Waiting;
        (!says_less && !waits).then_some(cause)
    }

    /// Names the projects of a list so that two of one name are told apart by the folders they are in: `work/shop` and
    /// `private/shop`.
    pub fn name_projects(rows: &mut [Self]) {
        let mut named: HashMap<OsString, BTreeSet<PathBuf>> = HashMap::new();
        for root in rows.iter().map(|row| &row.pipeline.reading.root) {
            if let Some(name) = root.file_name() {
                let roots = named.entry(name.to_owned()).or_default();
                roots.insert(root.clone());
            }
        }
        let alike = named.values();
        let texts =
            alike.flat_map(|roots| roots.iter().map(|root| (root, told_apart(root, roots))));
        let texts: HashMap<&PathBuf, Clean> = texts.collect();
        for row in rows {
            let known = texts.get(&row.pipeline.reading.root);
            let text = row.texts.get_mut(ListKey::Project as usize);
            if let (Some(known), Some(text)) = (known, text) {
                text.clone_from(known);
            }
        }
    }

    /// The text of a column, as it was when it became known; empty for the age.
    pub fn text(&self, key: ListKey) -> Clean {
        self.texts.get(key as usize).cloned().unwrap_or_default()
    }

    /// The text of a column, now.
    pub fn cell(&self, key: ListKey, now: DateTime<FixedOffset>) -> Clean {
        let last = self.pipeline.reading.last_activity_at.map(|last| last.at);
        match (key, self.shown_cause()) {
            (ListKey::Age, _) => Clean::new(&format::age(now, last)),
            (ListKey::Stopped, Some(cause)) => Clean::new(&cause.in_column(now)),
            _ => self.text(key),
        }
    }

    /// The order of two rows by a column.
    pub fn compare(&self, other: &Self, key: ListKey) -> Ordering {
        let order = LIST_COLUMNS.get(key as usize).and_then(|one| one.order);
        order.map_or_else(
            || self.text(key).cmp(&other.text(key)),
            |order| order(self, other),
        )
    }
}

/// As many of the last names of a path as no other has.
fn told_apart(root: &Path, roots: &BTreeSet<PathBuf>) -> Clean {
    let folders = root.ancestors().skip(1);
    let mut tails = folders.filter_map(|folder| root.strip_prefix(folder).ok());
    let is_own = |tail: &&Path| roots.iter().filter(|other| other.ends_with(tail)).count() == 1;
    clean!("{}", tails.find(is_own).unwrap_or(root))
}

impl Pipeline {
    /// Progress in thousandths, nothing where the whole is unknown.
    pub(super) fn permille(&self) -> u64 {
        let progress = self.reading.progress;
        match (progress.done, progress.total) {
            (Some(done), Some(total)) if total > 0 => done.saturating_mul(1000) / total,
            _ => 0,
        }
    }

    /// Its title, or the system's own key where it has none.
    pub fn title_or_key(&self) -> Clean {
        if self.reading.title.is_empty() {
            self.reading.native.clean()
        } else {
            self.reading.title.clean()
        }
    }

    /// Its badges in words, the alarming ones first.
    pub fn flags_in_order(&self) -> Vec<(Badge, String)> {
        let mut badges = self.reading.badges.clone();
        badges.sort_by_key(|badge| !badge.is_alarming());
        let words = |badge: Badge| (badge, badge.word().replace('_', " "));
        badges.into_iter().map(words).collect()
    }

    /// Its flags as text: `branch mismatch, stale`.
    pub fn flags(&self) -> Clean {
        let words = self.flags_in_order().into_iter().map(|(_, word)| word);
        Clean::new(&words.collect::<Vec<_>>().join(", "))
    }

    /// The branch of its work tree; where it recorded another one, that too.
    pub(super) fn branch_text(&self) -> Clean {
        let branch = self.reading.branch.as_ref();
        match branch.map(|branch| (&branch.actual, &branch.expected)) {
            Some((Some(actual), Some(expected))) if actual != expected => {
                clean!("{}, expected {}", actual, expected)
            }
            Some((Some(one), _) | (None, Some(one))) => one.clean(),
            Some((None, None)) | None => Clean::empty(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::model::{
        Aliveness, Claim, LifeEvidence, Liveness, PipelineId, Progress, Reading, Stamp, Standing,
        SystemName,
    };

    /// A row with hardly any text.
    pub(in crate::model) fn row() -> ListRow {
        let reading = Reading {
            system: SystemName("crucible"),
            native: "1".into(),
            title: "t".into(),
            root: "/work/shop".into(),
            state_files: vec![],
            work_tree: None,
            branch: None,
            pull_request: None,
            started_at: None,
            last_activity_at: None,
            claim: Claim {
                status: Status::Interrupted,
                reason: "r".into(),
            },
            life: LifeEvidence::default(),
            stopped_where: "s".into(),
            progress: Progress::new(Some(0), None, "phases"),
            badges: vec![],
            phases: vec![],
            findings: vec![],
        };
        ListRow::new(Pipeline {
            id: PipelineId("crucible-1~0000".into()),
            standing: Standing {
                status: Status::Interrupted,
                reason: "r".into(),
                liveness: Liveness {
                    verdict: Aliveness::Unknown,
                    evidence: vec![],
                },
            },
            reading,
        })
    }

    #[test]
    fn projects_of_one_name_are_told_apart_and_alone_have_their_name() {
        let table: &[(&str, &str)] = &[
            ("/home/me/work/shop", "work/shop"),
            ("/home/me/private/shop", "private/shop"),
            ("/a/src/notes", "a/src/notes"),
            ("/b/src/notes", "b/src/notes"),
            ("/b/old/notes", "old/notes"),
            ("/lab", "lab"),
            ("/tmp/trader", "trader"),
            ("/tmp/trader", "trader"),
        ];
        let at = |root: &str| {
            let mut row = row();
            Arc::make_mut(&mut row.pipeline).reading.root = root.into();
            row
        };
        let mut rows: Vec<ListRow> = table.iter().map(|(root, _)| at(root)).collect();
        ListRow::name_projects(&mut rows);
        let named: Vec<Clean> = rows.iter().map(|row| row.text(ListKey::Project)).collect();
        let expected: Vec<Clean> = table.iter().map(|(_, name)| Clean::new(name)).collect();
        assert_eq!(named, expected);
        // Once the other is gone, its name is enough again.
        rows.remove(0);
        ListRow::name_projects(&mut rows);
        assert_eq!(rows[0].text(ListKey::Project), Clean::new("shop"));
    }

    #[test]
    fn a_reset_is_ahead_or_past_by_the_clock_of_the_reader() {
        let stamp = |text: &str| Stamp::stated(DateTime::parse_from_rfc3339(text).unwrap());
        let cause = Cause {
            kind: CauseKind::UsageLimit,
            until: Some(stamp("2026-11-22T17:50:00Z")),
            ..Cause::unknown("a limit")
        };
        let now = |text: &str| stamp(text).at;
        let mut row = row();
        let before = now("2026-11-22T10:00:00Z");
        row.explained(Some(cause), before);
        for (at, text) in [
            (before, "usage limit, resets 17:50"),
            (now("2026-11-21T17:51:00Z"), "usage limit, resets 17:50"),
            (
                now("2026-11-20T17:50:00Z"),
                "usage limit, resets 2026-11-22",
            ),
            (now("2026-11-22T17:50:30Z"), "usage limit, reset just now"),
            (now("2026-11-24T00:00:00Z"), "usage limit, reset 30 h ago"),
        ] {
            assert_eq!(row.cell(ListKey::Stopped, at), Clean::new(text));
        }
    }
}
