//! The phase numbers in commit messages, Korean ones included.

use std::collections::BTreeSet;

use crate::world::git::Commit;

/// The highest accepted phase number, and the longest range.
const MOST: i64 = 200;

/// Starts of subjects that name phases without being the commit of a phase.
const NOT_PHASES: [&str; 4] = ["merge:", "delete:", "revert", "merge branch"];

/// How a commit names its phases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    /// The phases, ascending.
    pub(crate) phases: Vec<i64>,
    /// True for a range or a list: one commit covers several phases.
    pub(crate) shared: bool,
}

/// The phases in a commit's subject, else in a body line that starts with one.
pub(crate) fn phases(commit: &Commit) -> Option<Named> {
    let subject = commit.subject.lossy();
    let lower = subject.trim_start().to_lowercase();
    if NOT_PHASES.iter().any(|start| lower.starts_with(start)) {
        return None;
    }
    in_text(&subject).or_else(|| {
        let body = commit.body.lossy();
        let mut lines = body.lines().map(str::trim_start);
        lines.find_map(|line| {
            let word = line.get(..5).unwrap_or_default();
            let begins = word.eq_ignore_ascii_case("phase");
            in_text(line).filter(|_| begins && line.contains(':'))
        })
    })
}

/// The first `phase N`, `phase N-M` or `phase N, M` in a text. A range is written without spaces, so
/// `Phase 2 - 3 new fields` is phase 2.
fn in_text(text: &str) -> Option<Named> {
    let chars: Vec<char> = text.chars().collect();
    (0..chars.len()).find_map(|at| {
        let mut word = chars.get(at..at + 5)?.iter().zip("phase".chars());
        let before = at.checked_sub(1).and_then(|i| chars.get(i));
        let inside = before.is_some_and(|c| c.is_alphanumeric() || *c == '_');
        let fits = !inside && word.all(|(c, p)| c.eq_ignore_ascii_case(&p));
        fits.then(|| numbers(chars.get(at + 5..)?))?
    })
}

fn numbers(rest: &[char]) -> Option<Named> {
    let start = skip_spaces(rest, 0);
    let (first, mut at) = number(rest, start)?;
    if matches!(rest.get(at), Some('-' | '~'))
        && let Some((last, _)) = number(rest, at + 1)
        && last >= first
    {
        return Some(Named {
            phases: (first..=last).collect(),
            shared: last > first,
        });
    }
    let mut phases = BTreeSet::from([first]);
    let after_comma = |at: usize| {
        let comma = skip_spaces(rest, at);
        let follows = rest.get(comma) == Some(&',');
        follows.then(|| number(rest, skip_spaces(rest, comma + 1)))?
    };
    while let Some((next, end)) = after_comma(at) {
        phases.insert(next);
        at = end;
    }
    let shared = phases.len() > 1;
    Some(Named {
        phases: phases.into_iter().collect(),
        shared,
    })
}

fn skip_spaces(chars: &[char], from: usize) -> usize {
    let rest = chars.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|c| c.is_whitespace()).count()
}

/// A phase number and where it ends.
fn number(chars: &[char], from: usize) -> Option<(i64, usize)> {
    let rest = chars.get(from..)?;
    let digits = rest.iter().take_while(|c| c.is_ascii_digit());
    let digits: String = digits.take(4).collect();
    let number: i64 = digits.parse().ok()?;
    ((1..=MOST).contains(&number)).then(|| (number, from + digits.len()))
}

#[cfg(test)]
mod tests {
    use crate::model::Foreign;

    use super::*;

    fn commit(subject: &str, body: &str) -> Commit {
        Commit {
            id: String::new(),
            time: chrono::DateTime::default(),
            authored: chrono::DateTime::default(),
            subject: Foreign::from(subject),
            body: Foreign::from(body),
            parents: Vec::new(),
        }
    }

    #[test]
    fn finds_the_phases_of_real_subjects() {
        let table: &[(&str, &str, &[i64])] = &[
            ("feat: Phase 1 - 데이터 모델 추가", "", &[1]),
            ("feat(ui): Phase 4-6 - 화면 구현", "", &[4, 5, 6]),
            ("feat: 알림 - Phase 1, 2 완료", "", &[1, 2]),
            ("feat(phase2): service", "", &[2]),
            ("fix: 실시간 시세 (Phase 2)", "", &[2]),
            ("feat: add service", "Phase 3: service\nRefs: #4", &[3]),
            ("feat: add service", "see phase 3", &[]),
            ("Phase 2 - 3 new fields", "", &[2]),
            ("phase 2~3", "", &[2, 3]),
            ("Phase 5-3 odd", "", &[5]),
            ("PHASE 7", "", &[7]),
            ("multiphase 2", "", &[]),
            ("merge: x 기능 완료", "- Phase 1: a", &[]),
            ("delete: Phase 2 draft", "", &[]),
            ("Revert \"feat: Phase 2\"", "", &[]),
            ("phase zero", "", &[]),
            ("phase 99999", "", &[]),
            ("feat: phase", "", &[]),
        ];
        for (subject, body, phases_) in table {
            let named = phases(&commit(subject, body)).map_or_else(Vec::new, |n| n.phases);
            assert_eq!(named, *phases_, "{subject}");
        }
        assert!(phases(&commit("Phase 4-6", "")).is_some_and(|n| n.shared));
        assert!(phases(&commit("Phase 4", "")).is_some_and(|n| !n.shared));
    }
}
