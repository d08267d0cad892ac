//! The form of a new experiment, with the templates that the pipeline used.

use crate::model::{
    Experiment, Mutation, OwnMetric, ReplayFrom, ReplayPart, ReplayStart, RunnerAsk,
};
use crate::tui::data::PRESETS;
use crate::tui::prelude::*;
use crate::tui::state::field::completed;

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
const ROWS: [FormRow; 13] = {
    use FormRow::{
        All, Blocks, Control, Folder, Fresh, From, Go, Jobs, Metric, On, Parallel, Pin, Runner,
    };
    [
        Blocks, Control, Metric, On, Parallel, All, Fresh, From, Jobs, Runner, Folder, Pin, Go,
    ]
};

/// The form.
#[derive(Debug, Clone, Default)]
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
    /// What else is chosen: blocks, arms, where and how they run.
    pub(crate) chosen: ReplayAsk,
    /// What decides: 0 for the outcome of the run, else a metric of the configuration and 1.
    pub(crate) metric: usize,
    /// Where it begins: 0 for the boundary of the first affected dispatch, else a start and 1.
    pub(crate) from: usize,
    /// A place in [`runners`].
    pub(crate) runner: usize,
    /// Where the templates are; empty for the installed plugin.
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
            templates: vec![TemplateField::default()],
            chosen: ReplayAsk {
                repeat: BLOCKS,
                ..ReplayAsk::default()
            },
            ..Self::default()
        }
    }

    /// Handles the plan for the form, or the reason why there is none.
    pub(crate) fn take(&mut self, result: Result<ReplayPlan>) {
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
            let mut known = found.iter_mut();
            match known.find(|known| known.original == field.original) {
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

    /// Whether the text field of the selected row is open.
    pub(crate) fn is_typing(&self) -> bool {
        let mut form = self.clone();
        form.selected_field().is_some_and(|field| field.open)
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
        let row = self.row();
        let slurm = self.no_slurm().is_none();
        let chosen = &mut self.chosen;
        match row {
            FormRow::Blocks => chosen.repeat = number(chosen.repeat),
            FormRow::Control => chosen.no_control = !chosen.no_control,
            FormRow::Metric => self.metric = round(self.metric, self.metrics().len() + 1),
            FormRow::On if chosen.on == RunsOn::Slurm => chosen.on = RunsOn::Local,
            FormRow::On if slurm => chosen.on = RunsOn::Slurm,
            FormRow::Parallel => chosen.parallel = number(chosen.parallel),
            FormRow::All => chosen.all = !chosen.all,
            FormRow::Fresh => chosen.fresh = !chosen.fresh,
            FormRow::From => self.from = round(self.from, self.starts().len() + 1),
            FormRow::Jobs => chosen.jobs = number(chosen.jobs),
            FormRow::Runner => self.runner = round(self.runner, runners().len()),
            FormRow::On | FormRow::Template(_) | FormRow::Folder | FormRow::Pin | FormRow::Go => {
                return false;
            }
        }
        true
    }

    /// The request, with paths relative to `cwd`; a sentence if the form has an error.
    pub(crate) fn ask(&self, cwd: &Path) -> Result<ReplayAsk> {
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
            metrics: self.metric().cloned().into_iter().collect(),
            ..self.chosen.clone()
        })
    }
}

fn about(part: ReplayPart, text: &str) -> EngineError {
    EngineError {
        part: Some(part),
        ..EngineError::usage(text)
    }
}

impl NewReplay {
    /// The path in the open field and what is before it; `None` where no path is typed.
    fn typed_path(&self) -> Option<(&str, &str)> {
        let (field, names_original) = match self.row() {
            FormRow::Template(place) => {
                let one = self.templates.get(place)?;
                (&one.field, one.original.is_empty())
            }
            FormRow::Folder => (&self.folder, false),
            _ => return None,
        };
        let text = field.text();
        match text.split_once('=') {
            Some((original, _)) if names_original => Some(text.split_at(original.len() + 1)),
            _ if names_original => None,
            _ => Some(("", text)),
        }
    }

    /// The request for completions of the path. The search covers the current folder, the project, the folders next to
    /// it, and the templates; for a plain name also the folders in the project and next to it.
    pub(crate) fn to_complete(&self, cwd: &Path) -> Option<Query> {
        let (_, typed) = self.typed_path()?;
        let experiment = self.plan.ready().map(|plan| &plan.experiment);
        let tree = experiment.and_then(|one| one.work_tree.as_deref());
        let beside = tree.and_then(Path::parent);
        let around: Vec<PathBuf> = tree.into_iter().chain(beside).map(Path::to_owned).collect();
        let templates = experiment.into_iter().flat_map(|one| &one.plugin_templates);
        let folders = std::iter::once(cwd.to_owned()).chain(around.iter().cloned());
        Some(Query::CompletePath {
            typed: typed.to_owned(),
            folders: folders.chain(templates.cloned()).collect(),
            around,
        })
    }

    /// Completes the path: to the only candidate, else to the common beginning of all candidates.
    pub(crate) fn completed(&mut self, found: Vec<String>) {
        self.completing = None;
        let Some((before, typed)) = self.typed_path() else {
            return;
        };
        let text = completed(typed, &found).map(|path| format!("{before}{path}"));
        if let (Some(text), Some(field)) = (text, self.selected_field()) {
            field.set(&text);
        }
        self.candidates = found;
    }
}
