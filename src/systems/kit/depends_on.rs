//! Which checks a resume point depends on, as data. The worst of their verdicts is the point's `verified`.

use crate::model::{Check, CheckId, Subject, Verdict};

/// Which of a check's subjects count for a point. Each system defines what a scope means for its points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Every subject.
    Any,
    /// Only this aspect of the pipeline as a whole.
    Topic(&'static str),
    /// Only documents of this kind.
    Document(&'static str),
    /// Only the point's own subjects: its stage, its checkpoint, the work that it keeps.
    Own,
    /// Only subjects before the point: earlier phases, upstream stages.
    Earlier,
}

/// One row of a system's table: these points depend on these checks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DependsOn<P: 'static> {
    /// The kinds of point.
    pub(crate) points: &'static [P],
    /// The ids of the checks.
    pub(crate) checks: &'static [&'static str],
    /// Which of their subjects count.
    pub(crate) scope: Scope,
}

impl<P> DependsOn<P> {
    pub(crate) const fn new(
        points: &'static [P],
        checks: &'static [&'static str],
        scope: Scope,
    ) -> Self {
        Self {
            points,
            checks,
            scope,
        }
    }
}

/// The verdicts of the checks for a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verified {
    /// The worst verdict; a skipped check is worse than a pass.
    pub(crate) worst: Verdict,
    /// The worst verdict of the checks that could run; `None` if none could.
    pub(crate) made: Option<Verdict>,
    /// The checks that warn or fail, in order and without repeats, each with its worst verdict.
    pub(crate) failing: Vec<(CheckId, Verdict)>,
}

impl Verified {
    /// The verdict of these checks.
    pub(crate) fn of<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Self {
        let mut all = Self {
            worst: Verdict::Pass,
            made: None,
            failing: Vec::new(),
        };
        for check in checks {
            all.worst = all.worst.max(check.verdict);
            all.made = all
                .made
                .max(Some(check.verdict).filter(|it| *it != Verdict::Skipped));
            if check.verdict <= Verdict::Skipped {
                continue;
            }
            let mut known = all.failing.iter_mut();
            match known.find(|(id, _)| *id == check.id) {
                Some((_, verdict)) => *verdict = check.verdict.max(*verdict),
                None => all.failing.push((check.id.clone(), check.verdict)),
            }
        }
        all
    }
}

/// The checks of a table's rows for a point. `in_scope` decides [`Scope::Own`] and [`Scope::Earlier`], which only the
/// system knows.
pub(crate) fn verified<P: PartialEq>(
    table: &[DependsOn<P>],
    point: &P,
    checks: &[Check],
    in_scope: impl Fn(Scope, &Subject) -> bool,
) -> Verified {
    let rows: Vec<&DependsOn<P>> = table
        .iter()
        .filter(|row| row.points.contains(point))
        .collect();
    let counts = |check: &&Check| {
        rows.iter().any(|row| {
            row.checks.contains(&check.id.0.as_str())
                && match (row.scope, &check.about) {
                    (Scope::Any, _) => true,
                    (Scope::Topic(wanted), Subject::Topic(topic)) => wanted == *topic,
                    (Scope::Document(wanted), Subject::Document { kind, .. }) => wanted == kind,
                    (Scope::Topic(_) | Scope::Document(_), _) => false,
                    (scope, about) => in_scope(scope, about),
                }
        })
    };
    Verified::of(checks.iter().filter(counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_depends_on_the_checks_of_its_rows_alone() {
        let table = [
            DependsOn::new(&["run", "retry"], &["X1"], Scope::Topic("workflow")),
            DependsOn::new(&["run"], &["X2", "X3"], Scope::Own),
        ];
        let phase = |number: &str| Subject::Phase(number.into());
        let checks = [
            Check::new("X1", "workflow", Verdict::Skipped, ""),
            Check::new("X1", "log", Verdict::Fail, ""),
            Check::new("X2", phase("1"), Verdict::Warn, ""),
            Check::new("X2", phase("1"), Verdict::Warn, ""),
            Check::new("X2", phase("2"), Verdict::Fail, ""),
        ];
        let of = |point| {
            let found = verified(&table, &point, &checks, |_, about| *about == phase("1"));
            let ids: Vec<String> = found.failing.iter().map(|(id, _)| id.0.clone()).collect();
            (found.worst, found.made, ids.join(" "))
        };
        assert_eq!(
            of("run"),
            (Verdict::Warn, Some(Verdict::Warn), "X2".to_owned())
        );
        assert_eq!(of("retry"), (Verdict::Skipped, None, String::new()));
        assert_eq!(of("other"), (Verdict::Pass, None, String::new()));
    }
}
