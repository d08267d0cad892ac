//! What a difference is of, and which others are beside it.

use crate::model::{ArtifactChange, Run};
use crate::tui::prelude::*;

/// What a difference is of.
#[derive(Debug, Clone, PartialEq)]
pub enum DiffSource {
    /// An action of a plan, or one of its paths.
    Plan {
        /// The plan.
        plan: Arc<Plan>,
        /// Which action.
        action: usize,
        /// Which of its paths.
        path: Option<usize>,
    },
    /// Two texts of a comparison.
    Comparison {
        /// The comparison.
        comparison: Arc<Comparison>,
        /// Which.
        what: Compared,
    },
}

impl DiffSource {
    /// The differences of the same kind beside this one, itself among them, in the order of their list.
    pub(crate) fn beside(&self) -> Vec<Self> {
        match self {
            Self::Plan { plan, .. } => {
                let places = (0..plan.actions.len()).flat_map(|action| of_action(plan, action));
                let source = |(action, path)| Self::Plan {
                    plan: Arc::clone(plan),
                    action,
                    path,
                };
                places.map(source).collect()
            }
            Self::Comparison { comparison, what } => {
                let source = |what| Self::Comparison {
                    comparison: Arc::clone(comparison),
                    what,
                };
                let all = of_comparison(comparison, *what).into_iter();
                all.map(source).collect()
            }
        }
    }

    /// Its place among those beside it, and their number.
    pub(crate) fn place(&self) -> (usize, usize) {
        let beside = self.beside();
        let is_self = |other: &Self| self.key() == other.key();
        let at = beside.iter().position(is_self).unwrap_or(0);
        (at, beside.len())
    }

    /// The difference beside this one that many places on; `None` past the ends.
    pub(crate) fn step(&self, by: isize) -> Option<Self> {
        let (at, _) = self.place();
        let to = at.checked_add_signed(by)?;
        self.beside().into_iter().nth(to)
    }

    /// What tells it from those beside it; comparing whole plans would be slow.
    pub(crate) fn key(&self) -> (usize, Option<usize>, Option<Compared>) {
        match self {
            Self::Plan { action, path, .. } => (*action, *path, None),
            Self::Comparison { what, .. } => (0, None, Some(*what)),
        }
    }

    /// What one of them is called.
    pub(crate) fn noun(&self) -> &'static str {
        match self {
            Self::Plan { .. } => "file",
            Self::Comparison { what, .. } => match what {
                Compared::Template(_) => "template",
                Compared::Dispatch { .. } => "dispatch",
                Compared::Output { .. } => "output",
                Compared::Summary { .. } => "summary",
                Compared::Artifact(_) => "file",
            },
        }
    }

    /// True where the list it is from says that something differs, be it only the mode or the kind of a file.
    pub(crate) fn says_it_changes(&self) -> bool {
        match self {
            Self::Plan { plan, action, path } => {
                let action = plan.actions.get(*action);
                let path = path.and_then(|at| action.and_then(|action| action.paths.get(at)));
                path.is_some_and(|path| path.change == PathChange::Write)
            }
            Self::Comparison { comparison, what } => match what {
                Compared::Artifact(at) => {
                    let files = comparison.artifacts.as_ref().map(|all| &all.files);
                    let file = files.and_then(|files| files.get(*at));
                    file.is_some_and(|file| match file.change {
                        ArtifactChange::Modified | ArtifactChange::Renamed => true,
                        ArtifactChange::Added | ArtifactChange::Removed => false,
                    })
                }
                _ => false,
            },
        }
    }

    /// What the old side and the new one are called.
    pub(crate) fn sides(&self) -> [Clean; 2] {
        match self {
            // A plan that cannot be applied is the record of one: its other side is what is kept.
            Self::Plan { plan, action, path } if plan.fingerprint.0.is_empty() => {
                let action = plan.actions.get(*action);
                let planned = action.is_some_and(|action| action.is_only_planned(*path));
                ["now", if planned { "planned" } else { "backup" }].map(Clean::new)
            }
            Self::Plan { .. } => ["now", "after"].map(Clean::new),
            Self::Comparison { comparison, what } => {
                let (a, b) = match what {
                    // Before anything has run the sides are two texts, with names of their own.
                    Compared::Template(_) if comparison.a.runs.is_empty() => {
                        return [&comparison.a, &comparison.b].map(|one| Clean::new(&one.name));
                    }
                    Compared::Template(_) => return ["template", "replacement"].map(Clean::new),
                    Compared::Dispatch { a, b, .. }
                    | Compared::Output { a, b, .. }
                    | Compared::Summary { a, b, .. } => (*a, *b),
                    Compared::Artifact(_) => (0, 0),
                };
                let name = |party: &Party, run: usize, letter: &str| match party.runs.get(run) {
                    None => Clean::new(letter),
                    Some(Run {
                        name,
                        place: Some(place),
                        ..
                    }) => {
                        clean!("{} {}", place.arm.word(), name)
                    }
                    Some(run) => Clean::new(&run.name),
                };
                [name(&comparison.a, a, "A"), name(&comparison.b, b, "B")]
            }
        }
    }

    /// Whether it is text that people write: its lines are long, and end where a paragraph does.
    pub(crate) fn is_prose(&self, title: &Foreign) -> bool {
        let ends = [&b".md"[..], b".markdown", b".txt", b".rst"];
        let of_title = || ends.iter().any(|end| title.as_bytes().ends_with(end));
        match self {
            Self::Comparison {
                what: Compared::Artifact(_),
                ..
            }
            | Self::Plan { .. } => of_title(),
            Self::Comparison { .. } => true,
        }
    }
}

/// True for an action whose own content can be compared.
pub(crate) fn has_sides(plan: &Plan, action: usize) -> bool {
    let action = plan.actions.get(action);
    action.is_some_and(|action| match action.preview {
        Preview::Content { .. } | Preview::Rows { .. } | Preview::Lines { .. } => true,
        Preview::Kept { .. } => action.paths.is_empty() && !action.keeps_nothing(None),
        Preview::Tree { .. } | Preview::Rename { .. } | Preview::Appended { .. } => false,
    })
}

/// True for a path of an action whose content can be compared: it changes, and what it had or was to get is there.
pub(crate) fn path_has_sides(action: &Action, path: usize) -> bool {
    action.changes_file(path) && !action.keeps_nothing(Some(path))
}

/// What can be compared of an action: itself, or those of its paths that change.
fn of_action(plan: &Plan, action: usize) -> Vec<(usize, Option<usize>)> {
    if has_sides(plan, action) {
        return vec![(action, None)];
    }
    let Some(of) = plan.actions.get(action) else {
        return Vec::new();
    };
    let paths = (0..of.paths.len()).filter(|path| path_has_sides(of, *path));
    paths.map(|path| (action, Some(path))).collect()
}

fn of_comparison(comparison: &Comparison, what: Compared) -> Vec<Compared> {
    let files = comparison.artifacts.as_ref().map(|all| all.files.len());
    let number = match what {
        Compared::Template(_) => comparison.templates.len(),
        Compared::Artifact(_) => files.unwrap_or(0),
        _ => comparison.pairs.len(),
    };
    let at = |at: usize| match what {
        Compared::Template(_) => Compared::Template(at),
        Compared::Artifact(_) => Compared::Artifact(at),
        Compared::Dispatch { a, b, .. } => Compared::Dispatch { pair: at, a, b },
        Compared::Output { a, b, .. } => Compared::Output { pair: at, a, b },
        Compared::Summary { a, b, .. } => Compared::Summary { pair: at, a, b },
    };
    let all = (0..number).map(at);
    all.filter(|what| is_there(comparison, *what)).collect()
}

/// Whether at least one side of a pair has such a text.
pub(crate) fn is_there(comparison: &Comparison, what: Compared) -> bool {
    let (pair, a, b, has): (_, _, _, fn(&Work) -> bool) = match what {
        Compared::Template(_) | Compared::Artifact(_) => return true,
        Compared::Dispatch { pair, a, b } => (pair, a, b, |work| work.dispatch.is_some()),
        Compared::Output { pair, a, b } => (pair, a, b, |work| work.output.is_some()),
        Compared::Summary { pair, a, b } => (pair, a, b, |work| work.summary.is_some()),
    };
    let side = |works: &[Option<Work>], run: usize| {
        let work = works.get(run).and_then(Option::as_ref);
        work.is_some_and(has)
    };
    let pair = comparison.pairs.get(pair);
    pair.is_some_and(|pair| side(&pair.a, a) || side(&pair.b, b))
}
