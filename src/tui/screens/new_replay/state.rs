//! The form of a new experiment, with the templates that the pipeline used.

use std::path::Path;

use crate::model::{
    Experiment, Foreign, Mutation, OwnMetric, PipelineId, ReplayAsk, ReplayFrom, ReplayPart,
    ReplayPlan, ReplayStart, RunnerAsk, RunsOn,
};
use crate::tui::data::{EngineError, Load, PRESETS};
use crate::tui::msg::Ticket;
use crate::tui::state::field::Field;

/// Runners that can be chosen: the configured one, the presets, none.
pub(crate) fn runners() -> Vec<&'static str> {
    let presets = PRESETS.iter().copied();
    let all = std::iter::once("configured").chain(presets);
    all.chain(["none"]).collect()
}

/// Numbers of blocks, and of what runs side by side, that the form offers.
const NUMBERS: [usize; 18] = [
    1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 99,
];

/// Blocks of a new experiment: with fewer a verdict is rarely reached.
const BLOCKS: usize = 10;

/// A template that may be swapped.
#[derive(Debug, Clone, Default)]
pub(crate) struct TemplateField {
    /// Its file name; empty for one that the person names.
    pub(crate) original: Foreign,
    /// Dispatches that were made from it.
    pub(crate) dispatches: u64,
    /// The file that is used instead; `ORIGINAL=REPLACEMENT` where the person names both.
    pub(crate) field: Field,
}

/// A row of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormRow {
    Template(usize),
    Blocks,
    Control,
    Metric,
    On,
    Parallel,
    All,
    Fresh,
    From,
    Jobs,
    Runner,
    Folder,
    Pin,
    Go,
}

/// The rows after the templates.
const ROWS: [FormRow; 13] = [
    FormRow::Blocks,
    FormRow::Control,
    FormRow::Metric,
    FormRow::On,
    FormRow::Parallel,
    FormRow::All,
    FormRow::Fresh,
    FormRow::From,
    FormRow::Jobs,
    FormRow::Runner,
    FormRow::Folder,
    FormRow::Pin,
    FormRow::Go,
];

/// The form.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a choice of the person's, made in a row of its own"
)]
pub(crate) struct NewReplay {
    /// The pipeline.
    pub(crate) id: PipelineId,
    /// The newest plan for a valid form: it tells which templates and boundaries exist.
    pub(crate) plan: Load<ReplayPlan>,
    /// Why the current form gives no plan.
    pub(crate) problem: Option<EngineError>,
    /// The request for a plan that is under way.
    pub(crate) ticket: Option<Ticket>,
    /// Whether the form changed since that request.
    pub(crate) again: bool,
    /// The request for paths that is under way.
    pub(crate) completing: Option<Ticket>,
    /// The completions of the path in the open field.
    pub(crate) candidates: Vec<String>,
    /// The templates; the last is one that the person names.
    pub(crate) templates: Vec<TemplateField>,
    /// Blocks.
    pub(crate) blocks: usize,
    /// Whether the control arm is run.
    pub(crate) control: bool,
    /// What decides: 0 for the outcome of the run, else a metric of the configuration and 1.
    pub(crate) metric: usize,
    /// Where the runs are executed.
    pub(crate) on: RunsOn,
    /// Runs side by side.
    pub(crate) parallel: usize,
    /// Whether every block is run, whatever the verdict.
    pub(crate) all: bool,
    /// Whether the evidence of earlier experiments is left out.
    pub(crate) fresh: bool,
    /// Where it begins: 0 for the boundary of the first affected dispatch, else a start and 1.
    pub(crate) from: usize,
    /// Dispatches of one wave that run at the same time.
    pub(crate) jobs: usize,
    /// A place in [`runners`].
    pub(crate) runner: usize,
    /// Where the templates lie; empty for the installed plugin.
    pub(crate) folder: Field,
    /// A commit of the templates' repository; empty for none.
    pub(crate) pin: Field,
    /// The selected row.
    pub(crate) place: usize,
}

impl NewReplay {
    /// A form of which nothing is filled in.
    pub(crate) fn new(id: PipelineId) -> Self {
        Self {
            id,
            plan: Load::Pending,
            problem: None,
            ticket: None,
            again: false,
            completing: None,
            candidates: Vec::new(),
            templates: vec![TemplateField::default()],
            blocks: BLOCKS,
            control: true,
            metric: 0,
            on: RunsOn::Local,
            parallel: 1,
            all: false,
            fresh: false,
            from: 0,
            jobs: 1,
            runner: 0,
            folder: Field::default(),
            pin: Field::default(),
            place: 0,
        }
    }

    /// Handles the plan for the form, or the reason why there is none.
    pub(crate) fn take(&mut self, result: Result<ReplayPlan, EngineError>) {
        self.ticket = None;
        match result {
            Ok(plan) => {
                self.find_templates(&plan.experiment);
                self.plan = Ok(plan).into();
                self.problem = None;
            }
            Err(problem) if self.plan.ready().is_some() => self.problem = Some(problem),
            Err(problem) => self.plan = Load::Failed(problem),
        }
    }

    /// Lists the templates that occur. What was written stays.
    fn find_templates(&mut self, experiment: &Experiment) {
        let mut found: Vec<TemplateField> = Vec::new();
        for dispatch in experiment.original() {
            let name = [dispatch.template.as_bytes(), b"-prompt.md"].concat();
            let name = Foreign::from(name);
            match found.iter_mut().find(|known| known.original == name) {
                Some(known) => known.dispatches += 1,
                None => found.push(TemplateField {
                    original: name,
                    dispatches: 1,
                    field: Field::default(),
                }),
            }
        }
        for field in std::mem::take(&mut self.templates) {
            match found
                .iter_mut()
                .find(|known| known.original == field.original)
            {
                Some(known) => known.field = field.field,
                None => found.push(field),
            }
        }
        self.templates = found;
    }

    /// The boundaries.
    pub(crate) fn starts(&self) -> &[ReplayStart] {
        let plan = self.plan.ready();
        plan.map_or(&[], |plan| plan.experiment.starts.as_slice())
    }

    /// The boundary that was chosen.
    pub(crate) fn start(&self) -> Option<&ReplayStart> {
        self.starts().get(self.from.checked_sub(1)?)
    }

    /// The metrics that the configuration offers.
    fn metrics(&self) -> &[OwnMetric] {
        let plan = self.plan.ready();
        plan.map_or(&[], |plan| plan.offered.metrics.as_slice())
    }

    /// Why runs cannot be handed to Slurm, if they cannot.
    pub(crate) fn no_slurm(&self) -> Option<&str> {
        self.plan.ready()?.offered.no_slurm.as_deref()
    }

    /// The metric that decides; `None` for the outcome of the run.
    pub(crate) fn metric(&self) -> Option<&OwnMetric> {
        self.metrics().get(self.metric.checked_sub(1)?)
    }

    /// The rows.
    pub(crate) fn rows(&self) -> Vec<FormRow> {
        let templates = (0..self.templates.len()).map(FormRow::Template);
        templates.chain(ROWS).collect()
    }

    /// The selected row.
    pub(crate) fn row(&self) -> FormRow {
        let row = self.rows().get(self.place).copied();
        row.unwrap_or(FormRow::Go)
    }

    /// Selects a row; no field stays open.
    pub(crate) fn select(&mut self, place: usize) {
        if let Some(field) = self.selected_field() {
            field.open = false;
        }
        self.candidates.clear();
        self.place = place.min(self.rows().len() - 1);
    }

    /// The text field of the selected row, if it has one.
    pub(crate) fn selected_field(&mut self) -> Option<&mut Field> {
        match self.row() {
            FormRow::Template(place) => self.templates.get_mut(place).map(|one| &mut one.field),
            FormRow::Folder => Some(&mut self.folder),
            FormRow::Pin => Some(&mut self.pin),
            _ => None,
        }
    }

    /// The row that an error belongs to; the last one where it is about no row.
    pub(crate) fn row_of(&self, problem: &EngineError) -> FormRow {
        let named = |name: &Foreign| self.templates.iter().position(|one| one.original == *name);
        match &problem.part {
            Some(ReplayPart::Mutation(name)) => {
                FormRow::Template(named(name).unwrap_or(self.templates.len() - 1))
            }
            Some(ReplayPart::Templates) => FormRow::Folder,
            Some(ReplayPart::TemplateRef) => FormRow::Pin,
            Some(ReplayPart::From) => FormRow::From,
            Some(ReplayPart::Runner) => FormRow::Runner,
            None => FormRow::Go,
        }
    }

    /// Selects the next or the previous value of the selected row. False if it has no choices.
    pub(crate) fn cycle(&mut self, forward: bool) -> bool {
        let round = |value: usize, len: usize| {
            let by = if forward { 1 } else { len - 1 };
            (value + by) % len
        };
        let number = |value: usize| {
            let mut numbers = NUMBERS.into_iter();
            let next = if forward {
                numbers.find(|one| *one > value)
            } else {
                numbers.rfind(|one| *one < value)
            };
            next.unwrap_or(value)
        };
        match self.row() {
            FormRow::Blocks => self.blocks = number(self.blocks),
            FormRow::Control => self.control = !self.control,
            FormRow::Metric => self.metric = round(self.metric, self.metrics().len() + 1),
            FormRow::On if self.on == RunsOn::Slurm => self.on = RunsOn::Local,
            FormRow::On if self.no_slurm().is_none() => self.on = RunsOn::Slurm,
            FormRow::Parallel => self.parallel = number(self.parallel),
            FormRow::All => self.all = !self.all,
            FormRow::Fresh => self.fresh = !self.fresh,
            FormRow::From => self.from = round(self.from, self.starts().len() + 1),
            FormRow::Jobs => self.jobs = number(self.jobs),
            FormRow::Runner => self.runner = round(self.runner, runners().len()),
            FormRow::On | FormRow::Template(_) | FormRow::Folder | FormRow::Pin | FormRow::Go => {
                return false;
            }
        }
        true
    }

    /// The request, with paths relative to `cwd`; a sentence if the form has an error.
    pub(crate) fn ask(&self, cwd: &Path) -> Result<ReplayAsk, EngineError> {
        let path = |text: &str, part: ReplayPart| {
            if text.starts_with('~') {
                let text = "~ is not expanded; press Tab, or type the full path.";
                return Err(about(part, text));
            }
            Ok(cwd.join(text))
        };
        let mut mutations = Vec::new();
        for one in &self.templates {
            let text = one.field.text().trim();
            if text.is_empty() {
                continue;
            }
            let (original, replacement) = if one.original.is_empty() {
                let shape = "Type another template as ORIGINAL=REPLACEMENT.";
                let part = || ReplayPart::Mutation(Foreign::default());
                let (original, replacement) =
                    text.split_once('=').ok_or_else(|| about(part(), shape))?;
                (Foreign::from(original), replacement)
            } else {
                (one.original.clone(), text)
            };
            mutations.push(Mutation {
                replacement: path(replacement, ReplayPart::Mutation(one.original.clone()))?,
                original,
            });
        }
        let folder = self.folder.text().trim();
        let pin = self.pin.text().trim();
        let first = self.start().and_then(|start| start.redo.first());
        Ok(ReplayAsk {
            mutations,
            templates: (!folder.is_empty())
                .then(|| path(folder, ReplayPart::Templates))
                .transpose()?,
            template_ref: (!pin.is_empty()).then(|| pin.to_owned()),
            from: first.map_or(ReplayFrom::FirstAffected, |seq| ReplayFrom::Seq(*seq)),
            runner: match runners().get(self.runner) {
                None | Some(&"configured") => RunnerAsk::Configured,
                Some(&"none") => RunnerAsk::Nobody,
                Some(name) => RunnerAsk::Preset((*name).to_owned()),
            },
            jobs: self.jobs,
            repeat: self.blocks,
            no_control: !self.control,
            all: self.all,
            fresh: self.fresh,
            parallel: self.parallel,
            on: self.on,
            metrics: self.metric().cloned().into_iter().collect(),
            ..ReplayAsk::default()
        })
    }
}

fn about(part: ReplayPart, text: &str) -> EngineError {
    EngineError {
        part: Some(part),
        ..EngineError::new(crate::model::ErrorKind::Usage, text)
    }
}
