//! The hand-off as the orchestrator reads it: a small transcription of the resume protocols of mgw and nine-step gets
//! the prompt and the files after the plan, and must arrive where the plan says, with the work kept that the plan
//! keeps. And every state file is lost in every way: work that other records show is never started over.

mod mgw;
mod nine_step;
mod sweep;

use crate::act_systems::site;
use crate::support;

mod every_point {
    use std::path::Path;

    use relight::apply::Consent;
    use relight::engine::Engine;
    use relight::model::{
        Cancel, Guard, Handoff, Pipeline, Plan, PlanOptions, PointChoice, UndoOptions,
    };

    use super::site::Site;
    use super::support::{Trouble, build, case};
    use super::{mgw, nine_step};
    use crate::act_systems::round;

    /// Reads a hand-off after its plan; why it does not lead where the plan says otherwise.
    type Reader = fn(&Pipeline, &Plan, &Handoff) -> Result<(), String>;

    /// What was read and what a guard refused.
    #[derive(Debug, Default, PartialEq, Eq)]
    struct Seen {
        read: usize,
        refused: usize,
    }

    /// The points of every fixture of a system; every third of a pipeline that has many.
    fn every(system: &str, reader: Reader) -> Result<Seen, Trouble> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let mut seen = Seen::default();
        let mut wrong = Vec::new();
        for fixture in case::all(&root)? {
            if !fixture.name.starts_with(&format!("{system}::")) {
                continue;
            }
            let case = fixture.case()?;
            let built = build::build(&fixture, &case)?;
            let site = Site::of_case(built.root(), &built.words, &case);
            std::fs::create_dir_all(site.kept())?;
            let engine = site.engine()?;
            for pipeline in engine.survey(&site.request, &|_| {})?.pipelines {
                if pipeline.reading.system.0 != system {
                    continue;
                }
                let points = engine.dossier(&pipeline.id)?.points;
                let every = round::stride(points.len());
                for point in points.into_iter().step_by(every) {
                    let choice = PointChoice::Id(point.boundary.id.clone());
                    let name = format!(
                        "{} {} {}",
                        fixture.name,
                        pipeline.reading.native.lossy(),
                        point.boundary.id
                    );
                    match one(&site, &pipeline, &choice, reader) {
                        Ok(true) => seen.read += 1,
                        Ok(false) => seen.refused += 1,
                        Err(why) => wrong.push(format!("{name}: {}", why.0)),
                    }
                }
            }
        }
        if wrong.is_empty() {
            return Ok(seen);
        }
        Err(Trouble(wrong.join("\n")))
    }

    /// One point: planned, done, read, undone. False where a guard refuses it.
    fn one(
        site: &Site<'_>,
        pipeline: &Pipeline,
        choice: &PointChoice,
        reader: Reader,
    ) -> Result<bool, Trouble> {
        let engine = site.engine()?;
        engine.survey(&site.request, &|_| {})?;
        let plan = answered(&engine, pipeline, choice)?;
        if plan.guards.iter().any(Guard::refuses) {
            return Ok(false);
        }
        let done = engine.apply(&plan, &Consent::yes(&plan), &|_| {}, &Cancel::new())?;
        let handoff = done.handoff.unwrap_or_else(|| plan.handoff.clone());
        let read = reader(pipeline, &plan, &handoff);
        if let Some(recovery) = done.recovery {
            let undoing = site.engine()?;
            let undo = undoing.undo_plan(
                Some(&recovery.id.0),
                false,
                &UndoOptions {
                    assume_stopped: true,
                    ..UndoOptions::default()
                },
                &site.everywhere(),
            )?;
            undoing.apply(&undo, &Consent::yes(&undo), &|_| {}, &Cancel::new())?;
        }
        let prompt = handoff.prompt.lossy();
        read.map_err(|why| Trouble(format!("{why}\n    prompt: {prompt}")))?;
        Ok(true)
    }

    /// A plan whose every question the person has accepted.
    fn answered(
        engine: &Engine,
        pipeline: &Pipeline,
        choice: &PointChoice,
    ) -> Result<Plan, Trouble> {
        let mut options = PlanOptions {
            assume_stopped: true,
            ..PlanOptions::default()
        };
        let plan = engine.plan(&pipeline.id, choice, &options)?;
        let asks = plan.guards.iter().filter(|guard| guard.is_open());
        options.accept = asks.map(|guard| guard.id.to_string()).collect();
        Ok(engine.plan(&pipeline.id, choice, &options)?)
    }

    #[test]
    fn h7_h8_mgw_goes_on_where_the_plan_says() -> Result<(), Trouble> {
        let seen = every("mgw", mgw::read)?;
        assert!(seen.read >= 20 && seen.refused >= 2, "{seen:?}");
        Ok(())
    }

    #[test]
    fn nine_step_goes_on_where_the_plan_says() -> Result<(), Trouble> {
        let seen = every("nine-step", nine_step::read)?;
        assert!(seen.read >= 40 && seen.refused >= 3, "{seen:?}");
        Ok(())
    }
}
