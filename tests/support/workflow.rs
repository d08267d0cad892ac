//! A reader that does what superscientist's published protocol says (seed 003 and its session-resume skill), with
//! nothing of relight's: after every plan of every case it must arrive at the plan's stage and action, with the
//! same stages kept.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use relight::engine::{Dossier, Engine};
use relight::model::{Foreign, Plan, PlanOptions, PointChoice, Preview, ResumePoint};
use serde_json::Value;

use super::Trouble;
use super::build::build;
use super::case::{Case, Fixture};
use super::runner::request;
use super::world::world;

/// What an orchestrator does next with a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Monitor,
    Verify,
    Run,
    Retry,
    /// A person is asked: retries used up, or nothing can go on.
    Ask,
    Complete,
}

/// Every point of a case.
pub(crate) fn arrives(fixture: &Fixture) -> Result<(), Trouble> {
    let case = fixture.case()?;
    let count = points(fixture, &case)?.len();
    for at in 0..count {
        // Each plan is applied to a folder of its own.
        let built = build(fixture, &case)?;
        let engine = Engine::new(Box::new(world(&built.words, &case)?), Vec::new());
        let dossiers = dossiers(&engine, &built, &case)?;
        let all = dossiers
            .iter()
            .flat_map(|d| d.points.iter().map(move |p| (d, p)));
        let Some((dossier, point)) = all.into_iter().nth(at) else {
            continue;
        };
        let plan = planned(&engine, dossier, point)?;
        if plan.guards.iter().any(|g| !g.holds && g.id != "liveness") {
            continue;
        }
        let now = case
            .now
            .0
            .to_rfc3339_opts(chrono::SecondsFormat::Secs, false);
        apply(&plan, &now)?;
        let sessions = case
            .tmux
            .iter()
            .map(|s| Ok((s.name.clone(), built.words.path(&s.cwd)?)));
        let sessions: Result<Vec<(String, PathBuf)>, Trouble> = sessions.collect();
        let prompt = plan.handoff.prompt.lossy().into_owned();
        let reader = Reader::open(&dossier.pipeline.root, &prompt, sessions?)?;
        let wrongs = reader.wrongs(&plan, point);
        if !wrongs.is_empty() {
            let id = &point.boundary.id;
            return Err(Trouble(format!("{id}: {}\n{prompt}", wrongs.join("; "))));
        }
    }
    Ok(())
}

fn points(fixture: &Fixture, case: &Case) -> Result<Vec<String>, Trouble> {
    let built = build(fixture, case)?;
    let engine = Engine::new(Box::new(world(&built.words, case)?), Vec::new());
    let all = dossiers(&engine, &built, case)?;
    let all = all.iter().flat_map(|dossier| &dossier.points);
    Ok(all.map(|point| point.boundary.id.0.clone()).collect())
}

fn dossiers(
    engine: &Engine,
    built: &super::build::Built,
    case: &Case,
) -> Result<Vec<Dossier>, Trouble> {
    let survey = engine
        .survey(&request(built, case)?, &|_| {})
        .map_err(|why| Trouble(why.to_string()))?;
    let ours = survey.pipelines.iter();
    let ours = ours.filter(|p| p.system.0 == "superscientist");
    ours.map(|p| {
        engine
            .dossier(&p.id)
            .map_err(|why| Trouble(why.to_string()))
    })
    .collect()
}

fn planned(engine: &Engine, dossier: &Dossier, point: &ResumePoint) -> Result<Plan, Trouble> {
    let choice = PointChoice::Id(point.boundary.id.clone());
    engine
        .plan(&dossier.pipeline.id, &choice, &PlanOptions::default())
        .map_err(|why| Trouble(why.to_string()))
}

/// Applies a plan by what it shows.
fn apply(plan: &Plan, now: &str) -> Result<(), Trouble> {
    for action in &plan.actions {
        match &action.preview {
            Preview::Content { after, clock, .. } => {
                let text = String::from_utf8(after.clone())?;
                let text = if clock.is_some() {
                    text.replace("{now}", now)
                } else {
                    text
                };
                fs::write(&action.target, text)?;
            }
            Preview::Lines { appended, .. } => {
                let mut bytes = fs::read(&action.target).unwrap_or_default();
                for line in appended {
                    let line = line.lossy().replace("{now}", now);
                    bytes.extend_from_slice(line.as_bytes());
                    bytes.push(b'\n');
                }
                fs::write(&action.target, bytes)?;
            }
            Preview::Rename { to } => fs::rename(&action.target, to)?,
            Preview::Tree { .. } | Preview::Rows { .. } | Preview::Kept { .. } => {
                let text = format!("an action that no point has: {:?}", action.preview);
                return Err(Trouble(text));
            }
        }
    }
    Ok(())
}

/// The orchestrator: the files, the prompt, tmux.
struct Reader<'a> {
    wf: &'a Path,
    prompt: &'a str,
    sessions: Vec<(String, PathBuf)>,
    state: Value,
}

impl<'a> Reader<'a> {
    fn open(
        wf: &'a Path,
        prompt: &'a str,
        sessions: Vec<(String, PathBuf)>,
    ) -> Result<Self, Trouble> {
        let bytes = fs::read(wf.join("workflow-state.json"))?;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        Ok(Self {
            wf,
            prompt,
            sessions,
            state: serde_json::from_slice(bytes)?,
        })
    }

    fn stages(&self) -> &[Value] {
        self.state["stages"].as_array().map_or(&[], Vec::as_slice)
    }

    fn id(stage: &Value) -> &str {
        stage["id"].as_str().unwrap_or_default()
    }

    fn status<'b>(&self, stage: &'b Value) -> &'b str {
        let status = stage["status"].as_str().unwrap_or_default();
        let early =
            self.after("Set back to pending what says ready before its dependencies are done: ");
        let named = early
            .split(['.', ','])
            .any(|id| id.trim() == Self::id(stage));
        if named && status == "ready" {
            "pending"
        } else {
            status
        }
    }

    /// What the prompt says after some words.
    fn after(&self, words: &str) -> &str {
        self.prompt.split_once(words).map_or("", |(_, rest)| rest)
    }

    /// Step 5 of session-resume: what becomes of a stage that was in hand.
    fn in_hand(&self, stage: &Value) -> Option<Deed> {
        let (id, status) = (Self::id(stage), self.status(stage));
        if status == "post_processing"
            || self.prompt.contains(&format!("erify the results of {id} "))
        {
            return Some(Deed::Verify);
        }
        if status != "running" && status != "preparing" {
            return None;
        }
        let job = &stage["running_process"];
        if !job.is_object() {
            return Some(self.failed(stage));
        }
        let of = |key: &str, default: String| job[key].as_str().map_or(default, str::to_owned);
        let name = of("tmux_session", format!("dpdisp_{id}")).replace(['.', ':'], "_");
        if self
            .sessions
            .iter()
            .any(|(n, cwd)| *n == name && cwd.starts_with(self.wf))
        {
            return Some(Deed::Monitor);
        }
        let done = self.wf.join(of("done_marker", format!("{id}/DPDISP_DONE")));
        let distrusted = self
            .prompt
            .contains(&format!("Do not trust the done marker of {id}"));
        if done.exists() && !distrusted {
            let code = self
                .wf
                .join(of("exit_code_file", format!("{id}/DPDISP_EXIT_CODE")));
            let code = fs::read_to_string(code).unwrap_or_default();
            let verified = code.trim() == "0";
            return Some(if verified {
                Deed::Verify
            } else {
                self.failed(stage)
            });
        }
        if distrusted || job["recovery_attempted"] != Value::Bool(true) {
            return Some(Deed::Monitor);
        }
        Some(self.failed(stage))
    }

    fn failed(&self, stage: &Value) -> Deed {
        let default = self.state["default_backend"].as_str().unwrap_or("local");
        let backend = stage["backend"].as_str().unwrap_or(default);
        let remote = self.state["backend_profiles"][backend]["type"] == "remote";
        let retries = stage["retry_count"].as_i64().unwrap_or(0);
        if retries < if remote { 5 } else { 3 } {
            Deed::Retry
        } else {
            Deed::Ask
        }
    }

    /// Dependency resolution, with what the prompt adds to it.
    fn is_ready(&self, stage: &Value) -> bool {
        let status = self.status(stage);
        let like_pending = self
            .prompt
            .contains("promote an invalidated stage to ready exactly like a pending one");
        let promoted = status == "pending" || (status == "invalidated" && like_pending);
        let skips_count = self
            .prompt
            .contains(&format!("promote {} to ready and run it", Self::id(stage)))
            && self.prompt.contains("counts as done");
        let needs = stage["depends_on"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let met = needs.iter().all(|need| {
            let of = self.stages().iter().find(|s| s["id"] == *need);
            let status = of.map_or("", |s| self.status(s));
            status == "completed" || (skips_count && status == "skipped")
        });
        status == "ready" || (promoted && met)
    }

    /// Everything the protocol may do now, the first choice first.
    fn deeds(&self) -> Vec<(String, Deed)> {
        let of = |each: &dyn Fn(&Value) -> Option<Deed>| -> Vec<(String, Deed)> {
            let stages = self.stages().iter();
            stages
                .filter_map(|s| Some((Self::id(s).to_owned(), each(s)?)))
                .collect()
        };
        if self.state["workflow_status"] == "completed" {
            return Vec::new();
        }
        let in_hand = of(&|s| self.in_hand(s));
        let held: Vec<_> = in_hand
            .iter()
            .filter(|(_, deed)| matches!(deed, Deed::Monitor | Deed::Verify))
            .cloned()
            .collect();
        if !held.is_empty() {
            return held;
        }
        let ready = of(&|s| self.is_ready(s).then_some(Deed::Run));
        let mut failed = of(&|s| (self.status(s) == "failed").then(|| self.failed(s)));
        failed.extend(in_hand);
        failed.sort_by_key(|(_, deed)| *deed == Deed::Ask);
        let rest: Vec<_> = ready.into_iter().chain(failed).collect();
        if !rest.is_empty() {
            return rest;
        }
        let done = |s: &Value| matches!(self.status(s), "completed" | "skipped");
        if self.stages().iter().all(done) {
            return vec![(String::new(), Deed::Complete)];
        }
        of(&|s| (!done(s)).then_some(Deed::Ask))
    }

    fn kept(&self) -> BTreeSet<String> {
        let done = self.stages().iter();
        let done = done.filter(|s| matches!(self.status(s), "completed" | "skipped"));
        done.map(|s| Self::id(s).to_owned()).collect()
    }

    /// Where this reader arrives elsewhere than the plan says.
    fn wrongs(&self, plan: &Plan, point: &ResumePoint) -> Vec<String> {
        let mut wrongs = Vec::new();
        let kept: BTreeSet<String> = plan.kept.iter().map(|k| text(&k.id)).collect();
        if kept != self.kept() {
            wrongs.push(format!(
                "the plan keeps {kept:?}, the files {:?}",
                self.kept()
            ));
        }
        let id = &point.boundary.id.0;
        let (stage, verb) = id.split_once(':').unwrap_or(("", id));
        let deeds = self.deeds();
        let fits = |deed: Deed| match verb {
            "monitor" => deed == Deed::Monitor,
            "verify" => deed == Deed::Verify,
            "retry" if plan.actions.is_empty() => matches!(deed, Deed::Retry | Deed::Ask),
            "retry" | "rerun" => matches!(deed, Deed::Run | Deed::Ask),
            "fail" => matches!(deed, Deed::Retry | Deed::Ask),
            "completion" => deed == Deed::Complete,
            _ => false,
        };
        let is_there = |(of, deed): &&(String, Deed)| of == stage && fits(*deed);
        if point.recommended && !deeds.first().iter().any(is_there) && !in_step(&deeds, is_there) {
            wrongs.push(format!("the protocol goes on with {deeds:?}"));
        }
        // What a person chose beside the recommendation is reached as soon as nothing else is in hand.
        let busy = deeds
            .iter()
            .any(|(_, d)| matches!(d, Deed::Monitor | Deed::Verify));
        let waits = verb == "skip" || (busy && !deeds.iter().any(|(of, _)| of == stage));
        if !point.recommended
            && !waits
            && !deeds.iter().any(|d| is_there(&d))
            && !self.depends(stage)
        {
            wrongs.push(format!("the protocol never comes to it: {deeds:?}"));
        }
        let named = verb == "completion"
            || self.prompt.contains(stage)
            || self.prompt.contains("Nothing can go on");
        if !named {
            wrongs.push("the prompt does not name the stage".to_owned());
        }
        wrongs
    }

    /// A stage that waits for others to be done first.
    fn depends(&self, id: &str) -> bool {
        let stage = self.stages().iter().find(|s| Self::id(s) == id);
        stage.is_some_and(|s| {
            !self.is_ready(s) && matches!(self.status(s), "invalidated" | "pending")
        })
    }
}

/// Jobs in hand are all settled before anything new, so their order does not matter.
fn in_step(deeds: &[(String, Deed)], is_there: impl Fn(&&(String, Deed)) -> bool) -> bool {
    let held = |deed: Deed| matches!(deed, Deed::Monitor | Deed::Verify);
    deeds.iter().any(|one| held(one.1) && is_there(&one))
}

fn text(foreign: &Foreign) -> String {
    foreign.lossy().into_owned()
}
