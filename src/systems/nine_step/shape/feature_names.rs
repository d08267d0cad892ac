//! The names of a feature: worktree, branch, plan and feature use different notations, so names are folded before they
//! are compared.

use crate::text::is_digits;

/// Prefixes that parts of the plugin put before a feature's name.
const PREFIXES: [&str; 4] = ["feature-", "feat-", "fix-", "refactor-"];

/// The folded name: lower case, `-` for `_` and `/`, without prefixes.
pub(crate) fn fold(name: &str) -> String {
    let mut folded = name.trim().to_lowercase().replace(['_', '/', ' '], "-");
    while let Some(rest) = PREFIXES.iter().find_map(|p| folded.strip_prefix(p)) {
        if rest.is_empty() {
            break;
        }
        folded = rest.to_owned();
    }
    folded
}

/// Whether two names mean the same feature.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let (a, b) = (fold(a), fold(b));
    !a.is_empty() && a == b
}

/// The feature of a plan's file name: `price_alerts_plan.md` is `price_alerts`.
pub(crate) fn of_plan(file: &str) -> Option<&str> {
    let stem = file.strip_suffix(".md")?;
    if stem.eq_ignore_ascii_case("readme") {
        return None;
    }
    let short = stem.strip_suffix("_plan");
    let short = short.or_else(|| stem.strip_suffix("-plan"));
    Some(short.unwrap_or(stem))
}

/// The feature of a branch: what follows the last `/`.
pub(crate) fn of_branch(branch: &str) -> &str {
    branch.rsplit('/').next().unwrap_or(branch)
}

/// What follows the feature in the subject of a merge commit: "feature done".
const DONE: &str = "기능 완료";

/// Words that may stand before a feature in such a subject.
const LEADING: [&str; 11] = [
    "branch",
    "close",
    "complete",
    "completed",
    "end",
    "feature",
    "finish",
    "finished",
    "merge",
    "of",
    "the",
];

/// Whether what follows `merge:` in a subject names a feature: alone, in a list, as its first words, or with its
/// separators anywhere. A name inside a longer one is of another feature: `alerts` is not `price-alerts`,
/// `Price Alerts` or `alerts v2`.
pub(crate) fn mentions(text: &str, name: &str) -> bool {
    let whole = text.find(DONE).and_then(|end| text.get(..end));
    let mut listed = whole.unwrap_or(text).split([',', '&', '+']);
    listed.any(|one| {
        let words = words(one.split('(').next().unwrap_or(one));
        let is_next =
            |at: usize| begins(words.get(at..).unwrap_or_default(), name, whole.is_some());
        let is_leading = |word: &&&str| LEADING.iter().any(|one| word.eq_ignore_ascii_case(one));
        let leading = words.iter().take_while(is_leading).count();
        let is_joined = |at: usize| {
            words
                .get(at)
                .is_some_and(|word| word.contains(['-', '_', '/']))
        };
        let mut places = 0..words.len();
        (0..=leading).any(is_next)
            || places.any(|at| {
                is_joined(at)
                    && begins(words.get(at..at + 1).unwrap_or_default(), name, true)
                    && !is_version(words.get(at + 1..).unwrap_or_default())
            })
    })
}

/// Whether words begin with a feature's name, or are all of it.
fn begins(words: &[&str], name: &str, is_all: bool) -> bool {
    let counts = [1, fold(name).split('-').count()];
    counts.iter().any(|count| {
        let Some((first, rest)) = words.split_at_checked(*count) else {
            return false;
        };
        let ends = rest.is_empty() || !is_all && !is_version(rest);
        ends && same(&first.join(" "), name)
    })
}

/// Whether what follows a name makes it that of another feature: `v2`, or a number at the end.
fn is_version(rest: &[&str]) -> bool {
    let Some((word, behind)) = rest.split_first() else {
        return false;
    };
    let digits = word.strip_prefix(['v', 'V']);
    digits.is_some_and(is_digits) || behind.is_empty() && is_digits(word)
}

/// The words of a text, each with its separators.
fn words(text: &str) -> Vec<&str> {
    let is_inside = |c: char| c.is_alphanumeric() || "-_/.".contains(c);
    let words = text.split(|c| !is_inside(c));
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spellings_of_one_feature_are_the_same() {
        let table = [
            ("feat-real-time-quotes", "real_time_quotes", true),
            ("feature/feat-real-time-quotes", "real-time-quotes", true),
            ("feature-auth", "feature/auth", true),
            ("fix-auth", "auth", true),
            ("price-alerts", "price-alert", false),
            ("feature-", "x", false),
            ("", "", false),
        ];
        for (a, b, is) in table {
            assert_eq!(same(a, b), is, "{a} {b}");
        }
        assert_eq!(of_plan("price_alerts_plan.md"), Some("price_alerts"));
        assert_eq!(of_plan("README.md"), None);
        assert_eq!(of_branch("feature/feat-x"), "feat-x");
    }

    #[test]
    fn a_merge_subject_names_its_feature_as_a_whole_word() {
        let table = [
            ("price-alerts 기능 완료", "price_alerts", true),
            ("Price Alerts 기능 완료", "feat-price-alerts", true),
            ("feature/price-alerts 기능 완료", "price-alerts", true),
            ("feat-price-alerts", "price-alerts", true),
            ("quotes, price alerts 기능 완료", "price-alerts", true),
            (
                "branch 'feature/price-alerts' into main",
                "price-alerts",
                true,
            ),
            ("the end of price_alerts.", "price-alerts", true),
            ("alerts into main", "alerts", true),
            ("Price Alerts into main", "price-alerts", true),
            ("branch 'alerts' into main", "alerts", true),
            ("finish alerts", "alerts", true),
            ("finish Price Alerts", "price-alerts", true),
            ("alerts (5 phases) 기능 완료", "alerts", true),
            ("Price Alerts phase 5", "price-alerts", true),
            ("price-alerts v2 기능 완료", "price-alerts", false),
            ("Price Alerts v2", "price-alerts", false),
            ("finish price-alerts v2", "price-alerts", false),
            ("branch 'price alerts 2'", "price-alerts", false),
            ("price-alertsv2 기능 완료", "price-alerts", false),
            ("other", "price-alerts", false),
            // Features of which this one's name is a part.
            ("price-alerts 기능 완료", "alerts", false),
            ("price-alerts 기능 완료", "price", false),
            ("Price Alerts 기능 완료", "price", false),
            ("Price Alerts 기능 완료", "alerts", false),
            ("price-alerts-v2 기능 완료", "price-alerts", false),
            ("price_alerts_v2", "price-alerts", false),
            ("feature/price-alerts/v2", "price-alerts", false),
            ("old-price-alerts into main", "price-alerts", false),
            ("the branch of old price alerts", "alerts", false),
        ];
        for (subject, name, is) in table {
            assert_eq!(mentions(subject, name), is, "{subject}");
        }
    }
}
