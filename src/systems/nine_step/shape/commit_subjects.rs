//! The phase numbers in commit messages, Korean ones included.

use std::collections::BTreeSet;

use crate::world::git::Commit;

/// The highest accepted phase number, and the longest range.
const MOST: i64 = 200;

/// Starts of subjects that name phases without being the commit of a phase.
const NOT_PHASES: [&str; 4] = ["merge:", "delete:", "revert", "merge branch"];

/// The phases in a commit's subject, else in a body line that starts with one. Several are a range or a list: one
/// commit covers them all.
pub(crate) fn phases(commit: &Commit) -> Option<BTreeSet<i64>> {
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
fn in_text(text: &str) -> Option<BTreeSet<i64>> {
    let lower = text.to_ascii_lowercase();
    lower.match_indices("phase").find_map(|(at, word)| {
        let before = lower.get(..at)?.chars().next_back();
        let inside = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let rest = lower.get(at + word.len()..).filter(|_| !inside)?;
        numbers(rest.trim_start())
    })
}

fn numbers(text: &str) -> Option<BTreeSet<i64>> {
    let (first, mut rest) = number(text)?;
    let range = rest.strip_prefix(['-', '~']).and_then(number);
    if let Some((last, _)) = range.filter(|(last, _)| *last >= first) {
        return Some((first..=last).collect());
    }
    let mut phases = BTreeSet::from([first]);
    while let Some(after) = rest.trim_start().strip_prefix(',')
        && let Some((next, end)) = number(after.trim_start())
    {
        phases.insert(next);
        rest = end;
    }
    Some(phases)
}

/// A phase number at the start of a text, and the text after it.
fn number(text: &str) -> Option<(i64, &str)> {
    let digits = text.bytes().take(4).take_while(u8::is_ascii_digit);
    let (digits, rest) = text.split_at_checked(digits.count())?;
    let number: i64 = digits.parse().ok()?;
    (1..=MOST).contains(&number).then_some((number, rest))
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
            cut: false,
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
            let named = phases(&commit(subject, body)).unwrap_or_default();
            assert_eq!(Vec::from_iter(named), *phases_, "{subject}");
        }
    }
}
