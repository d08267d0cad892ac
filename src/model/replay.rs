//! Re-running a pipeline's dispatches with templates swapped: what is asked, what is planned, and the outcome.
//!
//! Plain data. `systems` state the facts ([`Experiment`]), `replay` makes the plan and runs it, front ends show it.

mod ask;
mod blocks;
mod cost;
mod experiment;
mod isolation;
mod listed;
mod progress;
mod session;

pub use ask::{
    Mutation, ReplayAsk, ReplayFrom, ReplayPart, Resolution, Resolved, Runner, RunnerAsk, RunsOn,
    STUB_RUNNER, STUB_SAYS_NOTHING, runner_title,
};
pub use blocks::{ExperimentEnd, ExperimentRun, ReplayExperiment};
pub use cost::{DiskCost, ReplayCost, Usage};
pub use experiment::{Dispatch, DispatchStatus, Experiment, ReplayStart};
pub use isolation::{
    Isolation, IsolationAsk, NamedFolder, OutsideChange, OutsideKind, OutsideWriter, RewrittenText,
    Sandbox, SandboxAsk,
};
pub use listed::{JudgedExperiment, ReplayDetails, ReplayExtension, ReplayList};
pub use progress::{ReplayProgress, SessionProgress, StepProgress, StepState};
pub use session::{
    DispatchCounts, ReplaySession, SessionId, SessionState, Unnumbered, rejection, troubles_of,
};

use serde::{Deserialize, Serialize};

use crate::text::format::count;
use crate::text::stored::{self, AsForeign};

use super::{Arm, Fingerprint, Foreign, Handoff, OwnMetric, PipelineId};

/// What a replay would do, validated; nothing was written for it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayPlan {
    /// Digest of everything it was made from: dispatches, templates, checkpoint, mutations; never a clock.
    pub fingerprint: Fingerprint,
    /// The pipeline.
    pub pipeline: PipelineId,
    /// What was asked.
    pub ask: ReplayAsk,
    /// The facts it was made from.
    pub experiment: Experiment,
    /// Where it begins: a place in [`Experiment::starts`].
    pub start: usize,
    /// The commit of the repository of the replay's own tree; `None` where the project has none.
    pub commit: Option<String>,
    /// The dispatches that are run, in manifest order; a wave is a stretch of the same [`ReplayStep::wave`].
    pub steps: Vec<ReplayStep>,
    /// The templates that are swapped.
    pub mutations: Vec<TemplateSwap>,
    /// What confounds its answer, worst first. Of an experiment with two arms that is only what the arms do not share.
    pub confounders: Vec<Foreign>,
    /// What makes a comparison with the original less than fair, worst first. The arms of an experiment share it, so
    /// there it is among the notes.
    pub unlike_original: Vec<Foreign>,
    /// What else a person should know, a sentence each: a mutation without effect, files that are not covered.
    pub notes: Vec<Foreign>,
    /// The program that is given each dispatch; `None` where the files are only written and handed over.
    pub runner: Option<Runner>,
    /// How a person continues without a runner.
    pub handoff: Option<Handoff>,
    /// How its runs are kept apart from the original.
    pub isolation: Isolation,
    /// What it will cost.
    pub cost: ReplayCost,
    /// What a form may offer beside it.
    pub offered: Offered,
    /// What its experiment begins with; `None` where its question was not asked before.
    pub earlier: Option<EarlierEvidence>,
}

/// The evidence of earlier experiments of the same question, which a new one continues.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EarlierEvidence {
    /// The experiments.
    pub experiments: usize,
    /// Their complete blocks: what is counted.
    pub blocks: usize,
    /// Their missing runs: a verdict must hold with each of them counted against it.
    pub missing: usize,
    /// Whether they have a verdict already, so that no further block is run.
    pub is_decided: bool,
    /// What confounds them, and so the new one.
    pub confounders: Vec<Foreign>,
}

/// What can be chosen of a replay on this machine.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Offered {
    /// The metrics of the configuration.
    pub metrics: Vec<OwnMetric>,
    /// Why runs cannot be jobs of Slurm: `sbatch is not installed`. `None` where they can.
    pub no_slurm: Option<String>,
}

impl ReplayPlan {
    /// Where it begins.
    pub fn begin(&self) -> Option<&ReplayStart> {
        self.experiment.starts.get(self.start)
    }

    /// The plan of one arm. In the control nothing is swapped; in the mutated arm only what the swap changes counts
    /// as swapped.
    #[must_use]
    pub fn arm(&self, arm: Arm) -> Self {
        let mut plan = self.clone();
        for step in &mut plan.steps {
            let control = step.control.take();
            match (arm, control) {
                (Arm::Control, Some(text)) => {
                    step.body = StepBody::Ready(text);
                    step.mutation = None;
                }
                (Arm::Control | Arm::Mutated, None) => step.mutation = None,
                (Arm::Mutated, Some(_)) => {}
            }
        }
        if arm == Arm::Control {
            plan.mutations.clear();
        }
        plan
    }

    /// The steps whose merge has an unresolved conflict.
    pub fn conflicts(&self) -> impl Iterator<Item = &ReplayStep> {
        let open = |step: &&ReplayStep| matches!(step.body, StepBody::Conflict(_));
        self.steps.iter().filter(open)
    }
}

/// The steps of a plan that were to be swapped and are sent the same text in both arms. Where all templates are pinned
/// alone, a template that did not change is no such case unless none did.
pub fn unswapped_steps(ask: &ReplayAsk, steps: &[ReplayStep]) -> usize {
    let pinned_alone = ask.template_ref.is_some() && ask.mutations.is_empty();
    if pinned_alone && steps.iter().all(|step| step.control.is_none()) {
        return steps.len();
    }
    steps.iter().filter(|step| step.is_unswapped()).count()
}

/// Said where a swap was asked for and so many dispatches are sent the same text in both arms.
pub fn unswapped(dispatches: usize) -> Option<Foreign> {
    (dispatches > 0).then(|| {
        let dispatches = count(dispatches, "dispatch");
        format!("Nothing was replaced in {dispatches}: the replacement changes nothing there, so both arms were sent the same text.").into()
    })
}

/// One dispatch that is run again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayStep {
    /// The dispatch it re-executes.
    pub original: Dispatch,
    /// Dispatches of the same wave may run at the same time; waves run in order, counted from 0.
    pub wave: usize,
    /// The mutation that applies to it: a place in [`ReplayPlan::mutations`].
    pub mutation: Option<usize>,
    /// The text of its dispatch file.
    #[serde(rename = "text", with = "stored")]
    pub body: StepBody,
    /// The text of its dispatch file in the control arm, where that is another one.
    #[serde(default, with = "stored", skip_serializing_if = "Option::is_none")]
    pub control: Option<Vec<u8>>,
}

impl ReplayStep {
    /// True where a swap was asked for and both arms are sent the same text.
    pub fn is_unswapped(&self) -> bool {
        self.mutation.is_some() && !self.is_swapped()
    }

    /// True where the arms are sent different texts, or will be once a conflict is resolved.
    pub fn is_swapped(&self) -> bool {
        self.control.is_some() || matches!(self.body, StepBody::Conflict(_))
    }
}

/// The text of a dispatch file that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepBody {
    /// The whole text. The header's timestamp and folder are set when it is written; every other byte stays.
    Ready(Vec<u8>),
    /// Template and dispatch changed in the same lines; a person must resolve it before anything runs.
    Conflict(Merge),
}

/// Only a text that is ready is stored: a plan with an open conflict is never run.
impl AsForeign for StepBody {
    type Form = Foreign;

    fn form(&self) -> Foreign {
        match self {
            Self::Ready(text) => text.form(),
            Self::Conflict(_) => Foreign::default(),
        }
    }

    fn of_form(form: Foreign) -> Self {
        Self::Ready(Vec::of_form(form))
    }
}

/// A three-way merge, in pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// In order; their bytes one after the other are the merged text.
    pub pieces: Vec<MergePiece>,
}

/// One piece of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergePiece {
    /// Resolved text.
    Resolved(Vec<u8>),
    /// Text that both sides changed, each in its own way.
    Conflict {
        /// As the template has it.
        template: Vec<u8>,
        /// As the original dispatch has it: the template with the context injected.
        dispatch: Vec<u8>,
        /// As the replacement has it.
        replacement: Vec<u8>,
    },
}

/// A template that is swapped, as it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateSwap {
    /// What was asked.
    #[serde(flatten)]
    pub mutation: Mutation,
    /// The template's text that the merge has as its base; `None` where no text of it fits the dispatches.
    #[serde(default, with = "stored")]
    pub template: Option<Vec<u8>>,
    /// Where that text is from, for a person: `skills/build/x-prompt.md at 3fa91c02`.
    pub template_from: Foreign,
    /// The replacement's text.
    #[serde(rename = "replacement_text", with = "stored")]
    pub replacement: Vec<u8>,
    /// How many dispatches it changes.
    pub dispatches: usize,
}
