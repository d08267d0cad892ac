//! What a point writes to the state file. Members that change get new text; every other byte stays.

pub(crate) mod rollback;
pub(crate) mod state_file;
pub(crate) mod style;
pub(crate) mod trails;

use std::ops::Range;

use crate::formats::json::{self, At};
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::points::decision::{Means, Target};
use crate::systems::nine_step::record::style::Style;
use crate::systems::nine_step::shape::step_record::Record;
use crate::systems::nine_step::shape::steps::StepNo;
use crate::systems::nine_step::shape::{self, State, spans};

/// Stands for the time of writing; whoever writes replaces it.
pub(crate) const NOW: &str = "{now}";

/// Text of the pipeline inside text that gets a time: a placeholder in it must not be replaced.
pub(crate) fn undated(text: &str) -> String {
    text.replace(NOW, "{ now }")
}

/// What changes in a state file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Change {
    /// `current_phase`, `current_step` and `last_execution`.
    pub(crate) last: Option<Last>,
    /// Completed steps at this place and after it are dropped.
    pub(crate) drop_from: Option<(i64, StepNo)>,
    /// A completed step to add.
    pub(crate) add: Option<Last>,
    /// Where to continue: `resume_plan`, with its reason.
    pub(crate) resume_plan: Option<(i64, StepNo, String)>,
    /// `total_phases`.
    pub(crate) total: Option<i64>,
}

/// A record to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Last {
    /// Its phase.
    pub(crate) phase: i64,
    /// Its step.
    pub(crate) step: StepNo,
    /// Its status.
    pub(crate) status: &'static str,
    /// Why it was written.
    pub(crate) note: Option<String>,
}

impl Change {
    /// True where a time is written.
    pub(crate) fn is_dated(&self) -> bool {
        self.last.is_some() || self.add.is_some()
    }

    /// The records end before a target, which `resume_plan` names.
    pub(crate) fn to(facts: &Facts, target: Target, means: Option<Means>) -> Self {
        let from = facts
            .ledger
            .as_ref()
            .map(|ledger| (ledger.position.phase, ledger.position.step));
        let from = from.map_or_else(String::new, |(phase, step)| {
            format!(" (it stood at phase {phase}, step {})", step.word())
        });
        let Target::Step(phase, step) = target else {
            let total = facts.ledger.as_ref().map(|ledger| ledger.position.phase);
            return Self {
                total,
                ..Self::default()
            };
        };
        let note = Some(format!(
            "Set to continue at phase {phase}, step {}{from}",
            step.word()
        ));
        let reason = format!(
            "Continue at phase {phase}, step {} as chosen by the user",
            step.word()
        );
        let (last, add) = match (means, step.previous()) {
            (Some(Means::Approve), _) => {
                let last = Last {
                    phase,
                    step: StepNo::Approval,
                    status: "approved",
                    note,
                };
                (last.clone(), Some(Last { note: None, ..last }))
            }
            (Some(Means::Skip(skipped)), _) => (
                Last {
                    phase,
                    step: skipped,
                    status: "skipped",
                    note,
                },
                None,
            ),
            (_, Some(before)) if step != StepNo::Code || phase == 1 => (
                Last {
                    phase,
                    step: before,
                    status: "completed",
                    note,
                },
                None,
            ),
            _ if phase > 1 => {
                let before = phase.saturating_sub(1);
                (
                    Last {
                        phase: before,
                        step: StepNo::Commit,
                        status: "completed",
                        note,
                    },
                    None,
                )
            }
            _ => (
                Last {
                    phase,
                    step,
                    status: "in_progress",
                    note,
                },
                None,
            ),
        };
        Self {
            last: Some(last),
            drop_from: Some((phase, step)),
            add,
            resume_plan: Some((phase, step, reason)),
            total: None,
        }
    }
}

/// The new bytes; why not otherwise.
pub(crate) fn apply(bytes: &[u8], state: &State, change: &Change) -> Result<Vec<u8>, String> {
    if let Some(twice) = state.duplicates.first() {
        return Err(format!("the key `{}` occurs twice in it", twice.key));
    }
    let body = shape::body(bytes);
    let style = Style::of(body);
    let mut splices = Splices {
        body,
        style: &style,
        list: Vec::new(),
        new: Vec::new(),
    };
    if let Some(last) = &change.last {
        splices.set(state, "current_phase", last.phase.to_string())?;
        splices.set(state, "current_step", last.step.word().to_owned())?;
        splices.set(
            state,
            "last_execution",
            style.object(&record(last, &style), 1),
        )?;
    }
    splices.completed(state, change)?;
    if let Some((phase, step, reason)) = &change.resume_plan {
        let members = [
            ("next_phase", phase.to_string()),
            ("next_step", step.word().to_owned()),
            ("next_agent", style.text(step.agent())),
            ("reason", style.text(reason)),
        ];
        splices.set(state, "resume_plan", style.object(&members, 1))?;
    }
    if let Some(total) = change.total {
        splices.set(state, "total_phases", total.to_string())?;
    }
    let bom = bytes.get(..bytes.len() - body.len()).unwrap_or_default();
    Ok([bom, &splices.done()?].concat())
}

/// The members of a record, in upstream's order.
fn record<'a>(last: &Last, style: &Style) -> Vec<(&'a str, String)> {
    let mut members = vec![
        ("phase", last.phase.to_string()),
        ("step", last.step.word().to_owned()),
        ("agent", style.text(last.step.agent())),
        ("status", style.text(last.status)),
        ("timestamp", style.text(NOW)),
    ];
    members.extend(last.note.iter().map(|note| ("note", style.text(note))));
    members
}

/// Replacements of spans, and members to add at the end.
struct Splices<'a> {
    body: &'a [u8],
    style: &'a Style,
    list: Vec<(Range<usize>, Vec<u8>)>,
    new: Vec<(String, String)>,
}

impl Splices<'_> {
    /// Gives a member new text, or adds it.
    fn set(&mut self, state: &State, key: &str, text: String) -> Result<(), String> {
        if !state.map.contains_key(key) {
            self.new.push((key.to_owned(), text));
            return Ok(());
        }
        let span = json::span(self.body, &[At::Key(key)]);
        let span = span.ok_or_else(|| format!("{key} could not be found in it"))?;
        self.list.push((span, text.into_bytes()));
        Ok(())
    }

    /// Drops and adds completed steps; the kept ones keep their bytes.
    fn completed(&mut self, state: &State, change: &Change) -> Result<(), String> {
        let added = change
            .add
            .as_ref()
            .map(|last| self.style.object(&record(last, self.style), 2));
        let key = "completed_steps";
        let Some(value) = state.map.get(key) else {
            let list = self.style.list(&added.into_iter().collect::<Vec<_>>(), 1);
            self.new.push((key.to_owned(), list));
            return Ok(());
        };
        if !value.is_array() {
            return Err(format!("{key} is not a list in it"));
        }
        let span = json::span(self.body, &[At::Key(key)]);
        let span = span.ok_or_else(|| format!("{key} could not be found in it"))?;
        let elements = spans::elements(self.body, &span);
        if elements.len() != state.completed.len() {
            return Err(format!("{key} has entries that are no records"));
        }
        let stays = |at: usize| match (
            state.completed.get(at).and_then(Record::spot),
            change.drop_from,
        ) {
            (Some(spot), Some(from)) => spot < from,
            _ => true,
        };
        let kept: Vec<&[u8]> = elements
            .iter()
            .enumerate()
            .filter(|(at, _)| stays(*at))
            .filter_map(|(_, element)| self.body.get(element.clone()))
            .collect();
        if kept.len() == elements.len() && added.is_none() {
            return Ok(());
        }
        let mut texts: Vec<&[u8]> = kept;
        texts.extend(added.as_deref().map(str::as_bytes));
        let text = self.style.joined(self.body, &span, &elements, &texts);
        self.list.push((span, text));
        Ok(())
    }

    /// The whole document.
    fn done(mut self) -> Result<Vec<u8>, String> {
        if !self.new.is_empty() {
            let root = json::span(self.body, &[]).ok_or("it is not valid JSON")?;
            let members = spans::members(self.body, &root);
            let end = members
                .last()
                .map(|member| member.end)
                .ok_or("it has no fields")?;
            let mut text = String::new();
            for (key, value) in &self.new {
                text.push_str(&self.style.member(key, value));
            }
            self.list.push((end..end, text.into_bytes()));
        }
        self.list.sort_by_key(|(span, _)| (span.start, span.end));
        let mut out: Vec<u8> = Vec::with_capacity(self.body.len() + 512);
        let mut at = 0;
        for (span, text) in &self.list {
            let between = self.body.get(at..span.start).ok_or("its fields overlap")?;
            out.extend_from_slice(between);
            out.extend_from_slice(text);
            at = span.end;
        }
        out.extend_from_slice(self.body.get(at..).unwrap_or_default());
        Ok(out)
    }
}
