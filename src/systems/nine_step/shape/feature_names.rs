//! The names of a feature: worktree, branch, plan and feature use different notations, so names are folded before they
//! are compared.

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

/// Whether a sentence names a feature, as the subject of a merge commit does.
pub(crate) fn mentions(text: &str, name: &str) -> bool {
    let wanted = fold(name);
    let text = text.to_lowercase().replace(['_', '/', ' '], "-");
    !wanted.is_empty()
        && text.match_indices(&wanted).any(|(at, found)| {
            let before = text.get(..at).and_then(|t| t.chars().next_back());
            let after = text.get(at + found.len()..).and_then(|t| t.chars().next());
            let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            !word(before) && !word(after)
        })
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
            ("merge: price-alerts 기능 완료", "price_alerts", true),
            ("merge: Price Alerts 기능 완료", "feat-price-alerts", true),
            ("merge: price-alertsv2 기능 완료", "price-alerts", false),
            ("merge: other", "price-alerts", false),
        ];
        for (subject, name, is) in table {
            assert_eq!(mentions(subject, name), is, "{subject}");
        }
    }
}
