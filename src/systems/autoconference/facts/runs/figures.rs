//! The figures of a round and its own files.

use std::path::PathBuf;

use super::Round;
use crate::model::{Foreign, Measure, MeasureUnit};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::shape::{Judgement, poster_name, review_name};
use crate::world::World;
use crate::world::files::file_names;

/// How many files of iterations are listed for one round.
const ARTIFACTS: usize = 10_000;
/// The folder for files of single iterations, if a project has it.
const ITERATIONS: &str = "iterations";

/// The names in the folder of iterations.
pub(crate) fn artifacts(conference: &Conference, world: &dyn World) -> Vec<String> {
    file_names(world.files().entries(&conference.raw.dir, ITERATIONS)).collect()
}

impl Round<'_> {
    pub(crate) fn measures(&self) -> Vec<Measure> {
        let state = self.state();
        let iterations = || state.work.iterations(self.number);
        let with = |word: &str| iterations().filter(|one| *one.status == *word).count();
        let begun = iterations().next().is_some();
        let rows = iterations().filter(|one| one.row.is_some()).count();
        let tables = !self.conference.raw.tables.is_empty();
        let failed = iterations().filter(|one| one.status.contains("fail"));
        let review = self.conference.raw.reviews.get(&self.number);
        let said = |what| review.map(|review| review.count(what));
        let best = state
            .work
            .best(self.number, self.conference.raw.config.direction);
        let known = |count: usize| begun.then_some(count);
        let mut all = vec![Measure {
            name: "best metric".to_owned(),
            value: best.map(|(value, _)| value),
            unit: MeasureUnit::Number,
        }];
        let counts = [
            ("iterations", known(iterations().count())),
            ("rows", known(rows).filter(|_| tables)),
            ("kept", known(with("kept"))),
            ("discarded", known(with("reverted"))),
            ("failed", known(failed.count())),
            ("findings validated", said(Judgement::Validated)),
            ("findings challenged", said(Judgement::Challenged)),
            ("findings overturned", said(Judgement::Overturned)),
        ];
        let count = |count: Option<usize>| u32::try_from(count?).ok().map(f64::from);
        all.extend(counts.map(|(name, value)| Measure {
            name: name.to_owned(),
            value: count(value),
            unit: MeasureUnit::Count,
        }));
        all
    }

    /// The round's own files, each under a name without the round, so that they pair.
    pub(crate) fn files(&self, artifacts: &[String]) -> Vec<(Foreign, Option<PathBuf>)> {
        let raw = &self.conference.raw;
        let n = self.number;
        let own = |there: bool, name: String| there.then(|| raw.path(&name));
        let poster = own(raw.posters.contains_key(&n), poster_name(n));
        let review = own(raw.reviews.contains_key(&n), review_name(n));
        let mut all: Vec<(Foreign, Option<PathBuf>)> = vec![
            ("poster_session.md".into(), poster),
            ("peer_review.md".into(), review),
        ];
        let prefix = format!("R{n}_");
        let kept = artifacts.iter().filter_map(|name| {
            let rest = name.strip_prefix(&prefix)?;
            let path = raw.path(ITERATIONS).join(name);
            Some((format!("{ITERATIONS}/{rest}").into(), Some(path)))
        });
        all.extend(kept.take(ARTIFACTS));
        all
    }
}
