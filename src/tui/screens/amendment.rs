//! The form of an amendment: what changes in the pipeline's own plan, and why. Its plan follows; nothing is written
//! here.

use super::new_replay::written;
use super::plan;
use crate::model::{AmendKind, Amendment, NewStage, one_line_reason};
use crate::text::format::list;
use crate::tui::prelude::*;
use crate::tui::state::field;

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Amendment");

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "amendment-edit", CONTEXT, ["enter"], "fill in", "Edit the selected field, or take its next value; on the last row, show the plan.", foot 1),
    row!(ShowPlan => "amendment-plan", CONTEXT, ["p"], "plan", "Show what the amendment would do. Nothing is written.", foot 2),
];

/// A row of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Row {
    Kind,
    Stage,
    Change,
    Reason,
    ApprovedBy,
    Go,
}

impl Row {
    /// The place of what is written in it among the texts of the form.
    fn place_of_text(self) -> Option<usize> {
        let written = [Self::Change, Self::Reason, Self::ApprovedBy];
        written.iter().position(|row| *row == self)
    }
}

/// The form.
#[derive(Debug, Clone, Default)]
pub(crate) struct AmendForm {
    pub(crate) id: PipelineId,
    /// The ids of the stages.
    pub(crate) stages: Vec<String>,
    kind: usize,
    stage: usize,
    /// What is written: the change (`PATH=VALUE`, the new criteria, or a new stage: JSON, or the path of a file with it),
    /// the reason, who approved it.
    texts: [Field; 3],
    place: usize,
    /// The request for completions of the typed path.
    completing: Option<Ticket>,
}

impl AmendForm {
    pub(crate) fn kind(&self) -> AmendKind {
        let kind = AmendKind::ALL.get(self.kind).copied();
        kind.unwrap_or(AmendKind::StageSkip)
    }

    fn stage(&self) -> Option<&String> {
        self.stages.get(self.stage)
    }

    /// A rerun and a skip need only the stage.
    fn rows(&self) -> Vec<Row> {
        use Row::{ApprovedBy, Change, Go, Kind, Reason, Stage};
        let plain = matches!(self.kind(), AmendKind::StageRerun | AmendKind::StageSkip);
        let rows = [Kind, Stage, Change, Reason, ApprovedBy, Go].into_iter();
        rows.filter(|row| !(plain && *row == Change)).collect()
    }

    fn row(&self) -> Row {
        self.rows().get(self.place).copied().unwrap_or(Row::Go)
    }

    fn field_of(&self, row: Row) -> Option<&Field> {
        self.texts.get(row.place_of_text()?)
    }

    fn selected_field(&mut self) -> Option<&mut Field> {
        let place = self.row().place_of_text()?;
        self.texts.get_mut(place)
    }

    fn text(&self, row: Row) -> &str {
        self.field_of(row).map_or("", Field::text)
    }

    /// Selects the next or the previous value of the selected row. False if it has no choices.
    fn cycle(&mut self, forward: bool) -> bool {
        let (value, len) = match self.row() {
            Row::Kind => (&mut self.kind, AmendKind::ALL.len()),
            Row::Stage => (&mut self.stage, self.stages.len()),
            Row::Change | Row::Reason | Row::ApprovedBy | Row::Go => return false,
        };
        let by = if forward { 1 } else { len.saturating_sub(1) };
        *value = (*value + by) % len.max(1);
        true
    }

    /// The path that is being typed.
    fn typed_path(&self) -> Option<&str> {
        let inserts = self.kind() == AmendKind::StageInsert && self.row() == Row::Change;
        let text = self.text(Row::Change);
        (inserts && !text.trim_start().starts_with('{')).then_some(text)
    }

    /// The amendment and its reason, or a sentence about what the form lacks.
    fn ask(&self, cwd: &Path) -> Result<(Amendment, String), (Row, &'static str)> {
        let reason = one_line_reason(self.text(Row::Reason));
        let reason = reason.ok_or((Row::Reason, "Write why the plan changes."))?;
        let kind = self.kind();
        let change = self.text(Row::Change).trim();
        let typed = || match change {
            "" => Err((Row::Change, "Write what changes.")),
            change => Ok(change.to_owned()),
        };
        let stage = self.stage().cloned();
        let inserts = kind == AmendKind::StageInsert;
        let new_stage = |text: String| {
            if text.starts_with('{') {
                NewStage::Json(text.into_bytes())
            } else {
                NewStage::File(cwd.join(text))
            }
        };
        Ok((
            Amendment {
                kind,
                set: match kind {
                    AmendKind::ParameterChange => vec![typed()?],
                    AmendKind::CriteriaChange => vec![format!("success_criteria={}", typed()?)],
                    _ => Vec::new(),
                },
                new_stage: inserts.then(typed).transpose()?.map(new_stage),
                after: stage.clone().filter(|_| inserts),
                stage: stage.filter(|_| !inserts),
                approved_by: one_line_reason(self.text(Row::ApprovedBy)),
            },
            reason,
        ))
    }
}

/// Opens the form, with the stage that is selected among the phases.
pub(crate) fn open(state: &mut State, id: PipelineId) {
    let dossier = state.dossier(&id).filter(|dossier| dossier.amendable);
    let Some(dossier) = dossier else {
        return state.refuse("This pipeline has no plan that can be amended.");
    };
    let phases = dossier.pipeline.reading.phases.iter();
    let stages: Vec<String> = phases.map(|phase| phase.id.lossy().into_owned()).collect();
    let first = |point: &crate::model::ResumePoint| point.boundary.phase.clone();
    let current = dossier.recommended().and_then(first);
    let current = current.and_then(|id| stages.iter().position(|stage| id == *stage.as_str()));
    state.push(AmendForm {
        id,
        stage: current.unwrap_or(0),
        stages,
        ..AmendForm::default()
    });
}

/// Completes the path of the file with the new stage.
fn complete(state: &mut State) {
    let cwd = state.browser.request.cwd.clone();
    let Some(form) = state.layers.top_mut::<AmendForm>() else {
        return;
    };
    let Some(typed) = form.typed_path() else {
        return state.refuse("Tab completes the path of a file with a new stage.");
    };
    let query = Query::CompletePath {
        typed: typed.to_owned(),
        folders: vec![cwd],
        around: Vec::new(),
    };
    form.completing = Some(state.effects.ask(query));
}

/// Handles the completions of the path. False if this form did not ask for them.
pub(crate) fn take_paths(state: &mut State, ticket: Ticket, found: &[String]) -> bool {
    let mut forms = state.layers.all_mut::<AmendForm>();
    let Some(form) = forms.find(|form| form.completing == Some(ticket)) else {
        return false;
    };
    form.completing = None;
    let typed = form.text(Row::Change).to_owned();
    let path = field::completed(&typed, found);
    if let (Some(path), Some(change)) = (path, form.texts.first_mut()) {
        change.set(&path);
    }
    drop(forms);
    match found {
        [] => state.refuse(clean!("No file begins with {} here.", typed.as_str())),
        [_] => {}
        many => state.say(clean!("{}", list(many).as_str())),
    }
    true
}

fn run(state: &mut State, cmd: Cmd) {
    let Some(form) = state.layers.top_mut::<AmendForm>() else {
        return;
    };
    match cmd {
        Cmd::ShowPlan => show_plan(state),
        Cmd::Enter if form.row() == Row::Go => show_plan(state),
        Cmd::Enter | Cmd::Left | Cmd::Right if form.cycle(cmd != Cmd::Left) => {}
        Cmd::Enter => {
            if let Some(field) = form.selected_field() {
                field.open = true;
            }
        }
        Cmd::Left | Cmd::Right => state.refuse_with(Cmd::Enter, "Press {} to edit this field."),
        _ => {}
    }
}

fn show_plan(state: &mut State) {
    let cwd = state.browser.request.cwd.clone();
    let Some(form) = state.layers.top_mut::<AmendForm>() else {
        return;
    };
    match form.ask(&cwd) {
        Ok((amendment, reason)) => {
            let choice = PointChoice::Amend(Box::new(amendment));
            let id = form.id.clone();
            let mut screen = PlanScreen::new(About::Resume { id, choice });
            screen.chosen.reason = Some(reason);
            state.push(screen);
            plan::request(state);
        }
        Err((row, text)) => {
            let place = form.rows().iter().position(|one| *one == row);
            form.place = place.unwrap_or(form.place);
            state.refuse(text);
        }
    }
}

/// Width of the labels.
const LABEL: usize = 18;

impl Screen for AmendForm {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("amend", CONTEXT)
            .ends_with_plan()
            .runs(run)
            .about(&self.id)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let rows = self.rows();
        let list = List::new(ListId::of::<Self>(), rows.len(), Some(self.place));
        let room = usize::from(area.width).saturating_sub(LABEL + 3);
        let plan = canvas.state.key(Cmd::ShowPlan);
        list::rows(canvas, area, &list, &mut |row, _| {
            rows.get(row)
                .map_or_else(Bits::new, |row| line(self, *row, plan.clone(), room))
        });
    }

    fn position(&self, _: &State) -> Position {
        Position::row(Some(self.place), self.rows().len())
    }

    fn go(&mut self, to: usize, _: &mut State) {
        if let Some(field) = self.selected_field() {
            field.open = false;
        }
        self.place = to.min(self.rows().len() - 1);
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        Err("The plan has the command line.")
    }

    fn field(&mut self) -> Option<&mut Field> {
        self.selected_field()
    }

    fn tab(&self) -> Follow {
        complete
    }

    fn typing_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        let open = self.field_of(self.row())?.open;
        if self.typed_path().is_some() && open {
            return Some(&[
                ("Tab", "complete the path"),
                ("Enter", "keep it"),
                ("Esc", "clear it"),
            ]);
        }
        open.then_some(&[
            ("Enter", "keep it"),
            ("↑ ↓", "other rows"),
            ("Esc", "clear it"),
        ])
    }
}

fn line(form: &AmendForm, row: Row, plan: Clean, room: usize) -> Bits {
    let kind = form.kind();
    let inserts = kind == AmendKind::StageInsert;
    let typed = |empty| {
        let field = form.field_of(row);
        field.map_or_else(Bits::new, |field| written(field, empty, room))
    };
    let (label, value) = match row {
        Row::Kind => ("type", look::choice(kind.word(), meaning(kind))),
        Row::Stage => {
            let stage = form.stage().map_or("", String::as_str);
            let stage = look::choice(clean!("{}", stage), "");
            (if inserts { "after stage" } else { "stage" }, stage)
        }
        Row::Change if inserts => {
            let empty = "{\"name\": …}, or the path of a file with it";
            ("new stage", typed(empty))
        }
        Row::Change if kind == AmendKind::CriteriaChange => {
            ("criteria", typed("what the results must fulfill"))
        }
        Row::Change => {
            let empty = "parameters.NAME=VALUE, inputs=[…] or backend=NAME";
            ("change", typed(empty))
        }
        Row::Reason => ("reason", typed("why the plan changes")),
        Row::ApprovedBy => ("approved by", typed("git's user.name")),
        Row::Go => {
            return Bits::of(Role::Key, plan)
                .title(" shows the plan")
                .dim("  nothing is written");
        }
    };
    Bits::of(Role::Text, label).pad(LABEL).join(value)
}

fn meaning(kind: AmendKind) -> &'static str {
    match kind {
        AmendKind::ParameterChange | AmendKind::StageRerun => {
            "this stage and what depends on it run again"
        }
        AmendKind::CriteriaChange => "this stage runs again",
        AmendKind::StageInsert => "what depends on the stage then needs the new one too",
        AmendKind::StageSkip => "this stage is not needed",
    }
}
