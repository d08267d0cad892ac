//! The plan document: its location and its phases.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::formats::markdown;
use crate::model::Place;
use crate::systems::kit::odd_files::{OddFile, closed, no_file, odd_file};
use crate::systems::nine_step::shape::{PLAN_DIR, feature_names};
use crate::world::World;
use crate::world::files::{SMALL_CAP, file_names};

/// How a plan was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlanFound {
    /// At the path in the state.
    AsReferred,
    /// By another notation of the feature's name.
    ByName,
    /// Something is in its place and cannot be read; what, as a clause without a subject.
    Unreadable(OddFile),
    /// Not found.
    Missing,
    /// The state's path leads outside the project and was not opened; why.
    Refused(String),
}

/// The plan of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// How it was found.
    pub(crate) found: PlanFound,
    /// Where it is.
    pub(crate) place: Option<Place>,
    /// Its phases with their names, by number.
    pub(crate) phases: BTreeMap<i64, String>,
}

impl Plan {
    /// No plan.
    pub(crate) fn missing(found: PlanFound) -> Self {
        Self {
            found,
            place: None,
            phases: BTreeMap::new(),
        }
    }

    /// Its path, for display.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        self.place.as_ref().map(Place::path)
    }

    /// The number of phases, if it numbers them.
    pub(crate) fn total(&self) -> Option<i64> {
        self.phases.keys().next_back().copied()
    }
}

/// Finds the plan: by the state's reference (from the worktree, then from the project), else by any of the feature's
/// names in the plan folder.
pub(crate) fn find(
    world: &dyn World,
    reference: Option<&str>,
    dir: &Path,
    top: &Path,
    aliases: &[String],
) -> Plan {
    let (mut refused, mut odd) = (None, None);
    for root in reference.iter().flat_map(|_| [dir, top]) {
        match Place::foreign(&[root, top, dir], reference.unwrap_or_default().as_bytes()) {
            Ok(place) if world.files().has_content(&place) => {
                return read(world, place, PlanFound::AsReferred);
            }
            Ok(place) => odd = odd.or_else(|| no_file(&place, world)),
            Err(why) => refused = Some(why.to_string()),
        }
    }
    let roots = [top, dir].into_iter();
    let named = roots.clone().find_map(|root| by_name(world, root, aliases));
    let closed = || roots.clone().find_map(|root| closed_in(world, root));
    let odd = odd.or_else(closed);
    match (named, odd, refused) {
        (Some(place), _, _) => read(world, place, PlanFound::ByName),
        (None, Some(odd), _) => Plan::missing(PlanFound::Unreadable(odd)),
        (None, None, Some(why)) => Plan::missing(PlanFound::Refused(why)),
        (None, None, None) => Plan::missing(PlanFound::Missing),
    }
}

/// Why the plan folder of a project cannot be listed, if there is one.
fn closed_in(world: &dyn World, top: &Path) -> Option<OddFile> {
    let folder = Place::known(top, PLAN_DIR).ok()?;
    closed(&folder, &world.files().list(&folder).err()?)
}

/// The names of a project's plan files.
pub(crate) fn names_in(world: &dyn World, top: &Path) -> Vec<String> {
    let names = file_names(world.files().entries(top, PLAN_DIR));
    let plans = names.filter(|name| feature_names::of_plan(name).is_some());
    plans.collect()
}

/// What has one of these names in a project's plan folder, a file before anything else in the place of one.
fn by_name(world: &dyn World, top: &Path, aliases: &[String]) -> Option<Place> {
    let is_it = |plan: &str| aliases.iter().any(|name| feature_names::same(plan, name));
    let entries = world.files().entries(top, PLAN_DIR).into_iter();
    let named = entries.filter(|entry| {
        let name = entry.name.to_str().and_then(feature_names::of_plan);
        name.is_some_and(is_it)
    });
    let found = named.min_by_key(|entry| entry.is_dir || entry.is_link)?;
    Place::known(top, Path::new(PLAN_DIR).join(found.name)).ok()
}

fn read(world: &dyn World, place: Place, found: PlanFound) -> Plan {
    let read = world.files().read(&place, SMALL_CAP);
    let why = read.as_ref().err();
    let odd = why.and_then(|why| odd_file(&place, why, world));
    let phases = phases(&String::from_utf8_lossy(&read.unwrap_or_default()));
    Plan {
        found: odd.map_or(found, PlanFound::Unreadable),
        place: Some(place),
        phases,
    }
}

/// The headings that number a phase: `### Phase 2: Alert service (1.5 h)`, outside fenced code.
fn phases(text: &str) -> BTreeMap<i64, String> {
    let mut phases = BTreeMap::new();
    let sections = markdown::sections(text).into_iter();
    for section in sections.filter(|section| section.level > 1) {
        if let Some((number, name)) = numbered(section.title) {
            phases.entry(number).or_insert(name);
        }
    }
    phases
}

/// `Phase 2: Alert service (1.5 h)` as number and name.
fn numbered(title: &str) -> Option<(i64, String)> {
    let (word, rest) = title.split_at_checked(5)?;
    let rest = rest.trim_start();
    let digits = rest.chars().take_while(char::is_ascii_digit);
    let digits: String = digits.take(4).collect();
    let number = digits.parse().ok().filter(|number| *number >= 1)?;
    if !word.eq_ignore_ascii_case("phase") {
        return None;
    }
    let name = rest.get(digits.len()..)?;
    let name = name.trim_start_matches([':', '-', '.', '–', '—', ' ']);
    let bare = name.strip_suffix(')').and_then(|it| it.rsplit_once('('));
    let name = bare.map_or(name, |(name, _)| name).trim();
    Some((number, name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_phases_of_a_plan() {
        let text = "# Plan\n## Phases\n### Phase 1: Schema (1 h)\n- [ ] done\n### Phase 2 - 알림 서비스\n```\n### Phase 9: no\n```\n## Phase 3\n###Phase 4: no space\n### Phases\n";
        let found: Vec<(i64, String)> = phases(text).into_iter().collect();
        assert_eq!(
            found,
            [
                (1, "Schema".into()),
                (2, "알림 서비스".into()),
                (3, String::new())
            ]
        );
    }

    #[test]
    fn finds_the_plan_by_reference_by_name_or_not_at_all() {
        let dir = crate::world::temporary::directory();
        let top = dir.path();
        let wt = top.join(".worktree/feat-price-alerts");
        std::fs::create_dir_all(&wt).unwrap();
        std::fs::create_dir_all(top.join(".plan")).unwrap();
        std::fs::write(top.join(".plan/price_alerts_plan.md"), "### Phase 1: a\n").unwrap();
        std::fs::write(top.join(".plan/README.md"), "x").unwrap();
        let world = crate::world::fake::FakeWorld::from("2026-01-01T00:00:00Z");
        let table = [
            (
                Some(".plan/price_alerts_plan.md"),
                "x",
                PlanFound::AsReferred,
            ),
            (
                Some(".plan/price-alerts_plan.md"),
                "feat-price-alerts",
                PlanFound::ByName,
            ),
            (None, "feat-price-alerts", PlanFound::ByName),
            (None, "other", PlanFound::Missing),
            (
                Some("../../etc/passwd"),
                "other",
                PlanFound::Refused("the path climbs with `..`".to_owned()),
            ),
        ];
        for (reference, alias, found) in table {
            let plan = find(&world, reference, &wt, top, &[alias.to_owned()]);
            assert_eq!(plan.found, found, "{reference:?} {alias}");
        }
        // What is in the place of the file is not passed over where only its name is known.
        std::fs::remove_file(top.join(".plan/price_alerts_plan.md")).unwrap();
        std::fs::create_dir(top.join(".plan/price_alerts_plan.md")).unwrap();
        let plan = find(&world, None, &wt, top, &["feat-price-alerts".to_owned()]);
        let PlanFound::Unreadable(odd) = plan.found else {
            panic!("{:?}", plan.found);
        };
        assert_eq!(odd.problem, "is a directory");
    }
}
