//! The rows of a list: what a survey found, and what else is asked of each pipeline.

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::{Engine, Request, Result, Survey};
use crate::model::{ListRow, Pipeline};

impl Engine {
    /// The rows of a list, each with the cause of its stop, and with its worst verdict where that is wanted: verifying
    /// reads far more than listing does. The survey comes without its pipelines, and nothing of them stays parsed: each is
    /// let go as its row is done, so that the next questions about it begin with a survey.
    pub fn rows(&self, request: &Request, verify: bool) -> Result<(Vec<ListRow>, Survey)> {
        let world = &self.cached();
        let mut survey = self.survey_in(world, request, &|_| true, &|_| {})?;
        let pipelines = std::mem::take(&mut survey.pipelines);
        let now = self.now();
        let row = |pipeline: Pipeline| {
            let mut row = ListRow::new(pipeline);
            if verify {
                row.verified(self.check_summary_in(&row.pipeline.id, world));
            }
            row.explained(self.cause_in(&row.pipeline.id, world), now);
            self.forget(&row.pipeline.id);
            row
        };
        let rows = || pipelines.into_par_iter().map(row).collect();
        let mut rows: Vec<ListRow> = self.telling(rows);
        ListRow::name_projects(&mut rows);
        Ok((rows, survey))
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::Request;
    use crate::engine::testing::Scene;
    use crate::model::lock;

    #[test]
    fn nothing_of_a_list_stays_parsed() {
        let scene = Scene::new();
        let request = Request {
            paths: vec![scene.path("projects")],
            all: true,
            ..Request::default()
        };
        let (rows, _) = scene.engine.rows(&request, true).unwrap();
        assert!(rows.len() > 5 && rows.iter().any(|row| row.cause.is_some()));
        assert_eq!(lock(&scene.engine.opened).len(), 0);
    }
}
