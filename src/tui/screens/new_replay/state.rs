//! What a person asks of a new replay: a form, with the templates that occur in the pipeline.

use std::path::Path;

use crate::model::{
    Foreign, Mutation, PipelineId, ReplayAsk, ReplayFrom, ReplayPlan, ReplayStart, RunnerAsk,
};
use crate::tui::data::Load;
use crate::tui::msg::Ticket;
use crate::tui::state::field::Field;

/// Runners that can be chosen: the configured one, the presets, none.
pub(crate) const RUNNERS: [&str; 7] = [
    "configured",
    "claude",
    "codex",
    "gemini",
    "opencode",
    "stand-in",
    "none",
];

/// The most runs, and the most dispatches at the same time, that the form offers.
const MOST: usize = 99;

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
    From,
    Repeat,
    Jobs,
    Runner,
    Folder,
    Pin,
    Go,
}

/// The form.
#[derive(Debug, Clone)]
pub(crate) struct NewReplay {
    /// The pipeline.
    pub(crate) id: PipelineId,
    /// The plan of a replay that changes nothing: it says which templates and boundaries there are.
    pub(crate) base: Load<ReplayPlan>,
    /// The request under way.
    pub(crate) ticket: Option<Ticket>,
    /// The templates; the last is one that the person names.
    pub(crate) templates: Vec<TemplateField>,
    /// Where it begins: 0 for the boundary of the first affected dispatch, else a start and 1.
    pub(crate) from: usize,
    /// Independent runs.
    pub(crate) repeat: usize,
    /// Dispatches of one wave that run at the same time.
    pub(crate) jobs: usize,
    /// A place in [`RUNNERS`].
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
            base: Load::Pending,
            ticket: None,
            templates: vec![TemplateField::default()],
            from: 0,
            repeat: 1,
            jobs: 1,
            runner: 0,
            folder: Field::default(),
            pin: Field::default(),
            place: 0,
        }
    }

    /// Takes the plan of a replay that changes nothing.
    pub(crate) fn take(&mut self, base: Load<ReplayPlan>) {
        let mut found: Vec<TemplateField> = Vec::new();
        if let Some(plan) = base.ready() {
            for dispatch in plan.experiment.original() {
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
        }
        // What was written stays.
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
        self.base = base;
    }

    /// The boundaries.
    pub(crate) fn starts(&self) -> &[ReplayStart] {
        let plan = self.base.ready();
        plan.map_or(&[], |plan| plan.experiment.starts.as_slice())
    }

    /// The boundary that was chosen.
    pub(crate) fn start(&self) -> Option<&ReplayStart> {
        self.starts().get(self.from.checked_sub(1)?)
    }

    /// The rows.
    pub(crate) fn rows(&self) -> Vec<FormRow> {
        let templates = (0..self.templates.len()).map(FormRow::Template);
        let rest = [
            FormRow::From,
            FormRow::Repeat,
            FormRow::Jobs,
            FormRow::Runner,
            FormRow::Folder,
            FormRow::Pin,
            FormRow::Go,
        ];
        templates.chain(rest).collect()
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
        self.place = place.min(self.rows().len() - 1);
    }

    /// The text field of the selected row, if it has one.
    pub(crate) fn selected_field(&mut self) -> Option<&mut Field> {
        match self.row() {
            FormRow::Template(place) => self.templates.get_mut(place).map(|one| &mut one.field),
            FormRow::Folder => Some(&mut self.folder),
            FormRow::Pin => Some(&mut self.pin),
            FormRow::From | FormRow::Repeat | FormRow::Jobs | FormRow::Runner | FormRow::Go => None,
        }
    }

    /// Takes the next value of the selected row, or the previous one. False where there is nothing to choose.
    pub(crate) fn turn(&mut self, forward: bool) -> bool {
        let round = |value: usize, len: usize| {
            let by = if forward { 1 } else { len - 1 };
            (value + by) % len
        };
        let count = |value: usize| {
            let next = if forward {
                value + 1
            } else {
                value.saturating_sub(1)
            };
            next.clamp(1, MOST)
        };
        match self.row() {
            FormRow::From => self.from = round(self.from, self.starts().len() + 1),
            FormRow::Repeat => self.repeat = count(self.repeat),
            FormRow::Jobs => self.jobs = count(self.jobs),
            FormRow::Runner => self.runner = round(self.runner, RUNNERS.len()),
            FormRow::Template(_) | FormRow::Folder | FormRow::Pin | FormRow::Go => return false,
        }
        true
    }

    /// What is asked, with paths taken from `cwd`; a sentence where the form cannot be read.
    pub(crate) fn ask(&self, cwd: &Path) -> Result<ReplayAsk, &'static str> {
        let path = |text: &str| {
            if text.starts_with('~') {
                return Err("~ is not expanded; type the full path.");
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
                let (original, replacement) = text
                    .split_once('=')
                    .ok_or("Type another template as ORIGINAL=REPLACEMENT.")?;
                (Foreign::from(original), replacement)
            } else {
                (one.original.clone(), text)
            };
            mutations.push(Mutation {
                original,
                replacement: path(replacement)?,
            });
        }
        let folder = self.folder.text().trim();
        let pin = self.pin.text().trim();
        let first = self.start().and_then(|start| start.redo.first());
        Ok(ReplayAsk {
            mutations,
            templates: (!folder.is_empty()).then(|| path(folder)).transpose()?,
            template_ref: (!pin.is_empty()).then(|| pin.to_owned()),
            from: first.map_or(ReplayFrom::FirstAffected, |seq| ReplayFrom::Seq(*seq)),
            runner: match RUNNERS.get(self.runner) {
                None | Some(&"configured") => RunnerAsk::Configured,
                Some(&"none") => RunnerAsk::Nobody,
                Some(name) => RunnerAsk::Preset((*name).to_owned()),
            },
            jobs: self.jobs,
            repeat: self.repeat,
            ..ReplayAsk::default()
        })
    }
}
