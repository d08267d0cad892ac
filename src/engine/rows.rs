//! The rows of a list: each pipeline with why it stopped, and with its checks where they are asked for.

use std::collections::HashMap;
use std::sync::Mutex;

use super::survey::Keep;
use super::{Engine, Opened, Request, Result, Survey};
use crate::conversations::find::Depth;
use crate::model::{CheckSummary, ListRow, Pipeline, PipelineId, lock};

impl Engine {
    /// The rows of a list, each with the cause of its stop, and with its worst verdict where that is wanted: verifying
    /// reads far more than listing does. A row is made as soon as its pipeline is read, and nothing else of it stays, so
    /// that the next questions about it begin with a survey. The survey comes without its pipelines.
    pub fn rows(&self, request: &Request, verify: bool) -> Result<(Vec<ListRow>, Survey)> {
        let world = &self.cached();
        let now = self.now();
        let row = |opened: &Opened| {
            let mut row = ListRow::new(opened.pipeline.clone());
            if verify {
                row.verified(CheckSummary::of(&opened.verify(world)));
            }
            row.explained(self.cause_of(opened, Depth::List, world), now);
            row
        };
        let made: Mutex<HashMap<PipelineId, ListRow>> = Mutex::default();
        let found = |opened: &Opened| {
            let row = row(opened);
            lock(&made).insert(opened.pipeline.id.clone(), row);
        };
        let mut survey = self.survey_in(world, request, &|_| true, &found, Keep::Unnamed)?;
        let mut made = std::mem::take(&mut *lock(&made));
        let pipelines = std::mem::take(&mut survey.pipelines).into_iter();
        let finished = |pipeline: Pipeline| {
            let unnamed = self.recall(&pipeline.id);
            self.forget(&pipeline.id);
            if let Some(row) = made.remove(&pipeline.id) {
                return row;
            }
            if let Ok(opened) = unnamed {
                return row(&opened);
            }
            // It has gone since it was found.
            let mut row = ListRow::new(pipeline);
            if verify {
                row.verified(CheckSummary::UNREADABLE);
            }
            row
        };
        let mut rows: Vec<ListRow> = pipelines.map(finished).collect();
        ListRow::name_projects(&mut rows);
        Ok((rows, survey))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::atomic::Ordering;

    use crate::engine::testing::Scene;
    use crate::engine::{Request, ids};
    use crate::model::{Reading, lock};

    #[test]
    fn each_pipeline_of_a_list_is_read_once_and_nothing_of_it_stays_parsed() {
        let scene = Scene::new();
        let request = Request {
            paths: vec![scene.path("projects")],
            all: true,
            ..Request::default()
        };
        let read = &scene.engine.search.pipelines;
        let before = read.load(Ordering::Relaxed);
        let (rows, survey) = scene.engine.rows(&request, true).unwrap();
        let read = read.load(Ordering::Relaxed) - before;
        assert_eq!(read as u64, rows.len() as u64 + survey.hidden.scope);
        assert!(rows.len() > 5 && rows.iter().any(|row| row.cause.is_some()));
        assert_eq!(lock(&scene.engine.opened).len(), 0);
    }

    #[test]
    fn two_of_one_short_id_have_rows_of_their_own() {
        let scene = Scene::new();
        let opened = scene.engine.recall(scene.id("mgw-")).unwrap();
        let reading = &opened.pipeline.reading;
        // Among so many roots, two have the same four digits.
        let mut known = HashMap::new();
        let two = (0..2000).find_map(|n| {
            let root = reading.root.with_file_name(format!("copy-{n}"));
            let of_copy = Reading {
                root: root.clone(),
                ..reading.clone()
            };
            let other = known.insert(ids::id(&of_copy, ids::USUAL), root.clone());
            other.map(|other| vec![other, root])
        });
        let two = two.unwrap();
        for copy in &two {
            let mut cp = std::process::Command::new("cp");
            let copied = cp.arg("-a").arg(&reading.root).arg(copy).status();
            assert!(copied.unwrap().success());
        }
        let request = Request {
            paths: two.clone(),
            all: true,
            ..Request::default()
        };
        let (mut rows, _) = scene.engine.rows(&request, true).unwrap();
        rows.retain(|row| row.pipeline.reading.native == reading.native);
        assert_eq!(rows.len(), two.len());
        for row in &rows {
            assert!(two.contains(&row.pipeline.reading.root));
            assert!(row.checks.is_some() && row.cause.is_some(), "{row:?}");
            let digits = row.pipeline.id.0.rsplit('~').next().unwrap();
            assert_eq!(digits.len(), 3 * ids::USUAL, "{digits}");
        }
        assert_ne!(rows[0].pipeline.id, rows[1].pipeline.id);
    }
}
