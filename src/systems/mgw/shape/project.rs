//! `project.json`: the milestone and the dependencies of an issue.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::formats::json::{self, JsonError};
use crate::model::Place;
use crate::systems::mgw::shape::FOLDER;
use crate::world::World;
use crate::world::files::ReadError;

/// A shared file of the project, as found.
#[derive(Debug, Clone, Default)]
pub(crate) enum Shared {
    #[default]
    Missing,
    /// It cannot be used: file, line and reason.
    Damaged {
        path: PathBuf,
        line: Option<u64>,
        why: String,
    },
    Read {
        path: PathBuf,
        map: Map<String, Value>,
    },
}

impl Shared {
    /// Reads one of the files of the folder.
    pub(crate) fn read(world: &dyn World, root: &Path, name: &str) -> Self {
        let Ok(place) = Place::known(root, Path::new(FOLDER).join(name)) else {
            return Self::Missing;
        };
        let path = place.path();
        let read = world.files().whole(&place);
        let (line, why) = match read.map(|bytes| json::object(&bytes)) {
            Ok(Ok(map)) => return Self::Read { path, map },
            Ok(Err(JsonError { line, text, .. })) => (Some(line), text),
            Err(ReadError::NotFound) => return Self::Missing,
            Err(why) => (None, why.to_string()),
        };
        Self::Damaged { path, line, why }
    }

    pub(crate) fn map(&self) -> Option<&Map<String, Value>> {
        match self {
            Self::Read { map, .. } => Some(map),
            Self::Missing | Self::Damaged { .. } => None,
        }
    }

    /// The entry of an issue in the project.
    pub(crate) fn listed(&self, number: &str) -> Option<Listed<'_>> {
        find(self.map()?, number.parse().ok()?)
    }
}

/// An issue as the project lists it, with its milestone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listed<'a> {
    pub(crate) milestone: &'a Map<String, Value>,
    pub(crate) issue: &'a Map<String, Value>,
    /// Index of the milestone.
    pub(crate) at: usize,
}

impl<'a> Listed<'a> {
    pub(crate) fn title(&self) -> Option<&'a str> {
        json::text(self.issue, "title").filter(|title| !title.trim().is_empty())
    }

    pub(crate) fn stage(&self) -> Option<&'a str> {
        json::text(self.issue, "pipeline_stage")
    }

    /// The members that it shares with a state file.
    pub(crate) fn known(&self) -> Map<String, Value> {
        ["title", "pipeline_stage", "gsd_route", "labels"]
            .into_iter()
            .filter_map(|key| Some((key.to_owned(), self.issue.get(key)?.clone())))
            .collect()
    }

    pub(crate) fn phase_number(&self) -> Option<String> {
        self.issue.get("phase_number").and_then(plain)
    }

    /// One line of context: `milestone v1, phase 2, Speed`, as far as it is written.
    pub(crate) fn context(&self) -> String {
        let name = json::text(self.milestone, "name");
        let name = name.or_else(|| json::text(self.milestone, "title"));
        let name = name.map_or_else(|| (self.at + 1).to_string(), str::to_owned);
        let phase = self.phase_number();
        let phase_name = json::text(self.issue, "phase_name").filter(|name| !name.is_empty());
        let parts = [
            Some(format!("milestone {name}")),
            phase.map(|number| format!("phase {number}")),
            phase_name.map(str::to_owned),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// A number or text as text.
pub(crate) fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

/// All issues of all milestones.
pub(crate) fn issues(project: &Map<String, Value>) -> impl Iterator<Item = Listed<'_>> {
    let milestones = json::list(project, "milestones").iter().enumerate();
    let milestones = milestones.filter_map(|(at, one)| Some((at, one.as_object()?)));
    milestones.flat_map(|(at, milestone)| {
        let issues = json::list(milestone, "issues").iter();
        let issues = issues.filter_map(Value::as_object);
        issues.map(move |issue| Listed {
            milestone,
            issue,
            at,
        })
    })
}

/// The entry of one issue.
pub(crate) fn find(project: &Map<String, Value>, number: i64) -> Option<Listed<'_>> {
    issues(project).find(|listed| json::int(listed.issue, "github_number") == Some(number))
}

/// The short form of a title, by which dependencies are named.
pub(crate) fn slug(title: &str) -> String {
    let slug = title.to_lowercase().replace(' ', "-");
    slug.chars().take(40).collect()
}

/// Which milestone the project says is active.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Active {
    /// This one, counted from 0.
    Milestone(usize),
    /// All are done.
    AllDone,
    /// No pointer is set.
    Unset,
    /// A pointer names no existing milestone.
    Dangling(String),
}

/// The active milestone by the orchestrator's rule: the new pointer if it is set, without a fallback; else the old one,
/// counted from 1.
pub(crate) fn active(project: &Map<String, Value>) -> Active {
    let milestones = json::list(project, "milestones");
    if let Some(id) = json::text(project, "active_gsd_milestone").filter(|id| !id.is_empty()) {
        let dangling = || Active::Dangling(format!("active_gsd_milestone {id}"));
        return by_id(milestones, id).map_or_else(dangling, Active::Milestone);
    }
    match json::int(project, "current_milestone") {
        None => Active::Unset,
        Some(number) => by_number(milestones, number),
    }
}

/// The two pointers if both are set and name different milestones.
pub(crate) fn pointers_differ(project: &Map<String, Value>) -> Option<(String, i64)> {
    let id = json::text(project, "active_gsd_milestone").filter(|id| !id.is_empty())?;
    let number = json::int(project, "current_milestone")?;
    let milestones = json::list(project, "milestones");
    let new = by_id(milestones, id).map(Active::Milestone);
    (new != Some(by_number(milestones, number))).then(|| (id.to_owned(), number))
}

fn by_id(milestones: &[Value], id: &str) -> Option<usize> {
    let mut ids = milestones.iter().map(|one| one.get("gsd_milestone_id"));
    ids.position(|own| own.and_then(Value::as_str) == Some(id))
}

fn by_number(milestones: &[Value], number: i64) -> Active {
    let at = usize::try_from(number - 1).ok();
    match at {
        Some(at) if at < milestones.len() => Active::Milestone(at),
        Some(at) if at == milestones.len() && at > 0 => Active::AllDone,
        _ => Active::Dangling(format!("current_milestone {number}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(text: &str) -> Map<String, Value> {
        json::object(text.as_bytes()).unwrap()
    }

    #[test]
    fn the_new_pointer_wins_and_never_falls_back() {
        for (text, expected) in [
            (r#""current_milestone":2"#, Active::Milestone(1)),
            (r#""current_milestone":3"#, Active::AllDone),
            (
                r#""current_milestone":9"#,
                Active::Dangling("current_milestone 9".into()),
            ),
            (
                r#""current_milestone":0"#,
                Active::Dangling("current_milestone 0".into()),
            ),
            (
                r#""active_gsd_milestone":null,"current_milestone":1"#,
                Active::Milestone(0),
            ),
            (
                r#""active_gsd_milestone":"v2","current_milestone":1"#,
                Active::Milestone(1),
            ),
            (
                r#""active_gsd_milestone":"v9","current_milestone":1"#,
                Active::Dangling("active_gsd_milestone v9".into()),
            ),
            (r#""x":1"#, Active::Unset),
        ] {
            let project = map(&format!(
                r#"{{"milestones":[{{"name":"A"}},{{"title":"B","gsd_milestone_id":"v2"}}],{text}}}"#
            ));
            assert_eq!(active(&project), expected, "{text}");
        }
    }

    #[test]
    fn the_pointers_are_compared_where_both_are_set() {
        let project = |tail: &str| {
            map(&format!(
                r#"{{"milestones":[{{"name":"A"}},{{"gsd_milestone_id":"v2"}}],{tail}}}"#
            ))
        };
        let same = project(r#""active_gsd_milestone":"v2","current_milestone":2"#);
        let other = project(r#""active_gsd_milestone":"v2","current_milestone":1"#);
        let one = project(r#""current_milestone":1"#);
        assert_eq!(pointers_differ(&same), None);
        assert_eq!(pointers_differ(&other), Some(("v2".into(), 1)));
        assert_eq!(pointers_differ(&one), None);
    }

    #[test]
    fn an_issue_is_found_with_its_milestone_and_phase() {
        let project = map(
            r#"{"milestones":[7,{"name":"v1","issues":[{"github_number":null},{"github_number":57,
                "title":"Cache","phase_number":2,"phase_name":"Speed"}]}]}"#,
        );
        let listed = find(&project, 57).unwrap();
        assert_eq!(listed.context(), "milestone v1, phase 2, Speed");
        assert_eq!(listed.at, 1);
        assert!(find(&project, 5).is_none());
        assert_eq!(slug("Add The Store"), "add-the-store");
    }
}
