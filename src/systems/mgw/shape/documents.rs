//! The Markdown documents of the agents: the result of a verification, the files that a plan requires, the phases of a
//! roadmap.

/// The result in a VERIFICATION document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verified {
    Passed,
    Skipped,
    /// Gaps or issues, in the document's words.
    Gaps(String),
    /// None of these.
    Unclear,
}

/// Reads a VERIFICATION document: its front matter's status, else its headings.
pub(crate) fn verified(text: &str) -> Verified {
    let mut lines = front_matter(text).lines();
    let status = lines.find_map(|line| line.strip_prefix("status:"));
    let status = status.map(|status| status.trim().trim_matches(['"', '\'']).to_lowercase());
    match status.as_deref() {
        Some("passed") => return Verified::Passed,
        Some("skipped") => return Verified::Skipped,
        Some(other) if !other.is_empty() => return Verified::Gaps(other.to_owned()),
        _ => {}
    }
    for heading in text.lines().filter_map(|line| line.strip_prefix("## ")) {
        let heading = heading.trim().to_uppercase();
        let none = heading.contains("NO ISSUES") || heading.contains("NO GAPS");
        if !none && (heading.contains("ISSUES FOUND") || heading.contains("GAPS")) {
            return Verified::Gaps("issues found".to_owned());
        }
        if heading.contains("VERIFICATION PASSED") {
            return Verified::Passed;
        }
        if heading.contains("VERIFICATION SKIPPED") {
            return Verified::Skipped;
        }
    }
    Verified::Unclear
}

/// The text between the two rules at the top; empty without them.
fn front_matter(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}');
    let mut rules = ["---\n", "---\r\n"].into_iter();
    let rest = rules.find_map(|rule| text.strip_prefix(rule));
    let matter = rest.and_then(|rest| rest.split_once("\n---"));
    matter.map_or("", |(matter, _)| matter)
}

/// The paths under `must_haves: artifacts:` of a PLAN: plain texts in quick plans, objects with a `path` in
/// phase plans.
pub(crate) fn must_have(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let (mut within, mut listing) = (false, false);
    for line in front_matter(text).lines() {
        let indent = line.len() - line.trim_start().len();
        let body = line.trim();
        if body.is_empty() || body.starts_with('#') {
            continue;
        }
        if indent == 0 && !body.starts_with('-') {
            within = body.starts_with("must_haves:");
            listing = false;
        } else if within && !body.starts_with('-') && body.ends_with(':') {
            listing = body == "artifacts:" || (listing && indent > 4);
        } else if within && listing {
            paths.extend(artifact(body));
        } else if within && body.starts_with("artifacts:") {
            let inline = body.trim_start_matches("artifacts:").trim();
            let inner = inline.trim_start_matches('[').trim_end_matches(']');
            paths.extend(inner.split(',').filter_map(bare));
        }
    }
    paths
}

/// The path in one line of the list.
fn artifact(line: &str) -> Option<String> {
    let item = line.strip_prefix('-').map(str::trim);
    let path = item.unwrap_or(line).strip_prefix("path:");
    match (path, item) {
        (Some(path), _) => bare(path),
        // `- provides: x` is another member of an object; `- src/a.rs: text` and `- src/a.rs` name a file.
        (None, Some(item)) => {
            let word = item.split([' ', '(']).next().unwrap_or_default();
            let word = word.trim_end_matches(':');
            let path = bare(word)?;
            (path.contains('/') || path.contains('.')).then_some(path)
        }
        (None, None) => None,
    }
}

fn bare(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['"', '\'', '`']).trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// A phase of a ROADMAP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RoadmapPhase {
    /// Its number as written, without leading zeros: `2`, `2.1`.
    pub(crate) number: String,
    pub(crate) name: String,
}

/// The phases that a ROADMAP names, each once, in order.
pub(crate) fn roadmap(text: &str) -> Vec<RoadmapPhase> {
    let mut phases: Vec<RoadmapPhase> = Vec::new();
    for line in text.lines() {
        let Some((before, rest)) = line.split_once("Phase ") else {
            continue;
        };
        if before.chars().any(char::is_alphanumeric) && !before.contains("[x]") {
            continue;
        }
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        let split = digits.and_then(|digits| rest.split_at_checked(digits));
        let (number, name) = split.unwrap_or((rest, ""));
        let number = phase_number(number.trim_end_matches('.'));
        let known = phases.iter().any(|phase| phase.number == number);
        if number.starts_with(|c: char| c.is_ascii_digit()) && !known {
            let name = name.trim_start_matches([':', '.', ' ', '-', '–', '—']);
            let name = name.split("**").next().unwrap_or_default().trim();
            phases.push(RoadmapPhase {
                number,
                name: name.to_owned(),
            });
        }
    }
    phases
}

/// A phase's number as it is compared: `02` and `2` are the same.
pub(crate) fn phase_number(text: &str) -> String {
    let text = text.trim();
    let trimmed = text.trim_start_matches('0');
    let bare = trimmed.is_empty() || trimmed.starts_with('.');
    let zero = if bare && !text.is_empty() { "0" } else { "" };
    format!("{zero}{trimmed}")
}

/// The number in the name of a phase's folder, `02-speed`.
pub(crate) fn folder_number(name: &str) -> Option<String> {
    let number = name.split('-').next()?;
    let numbered = number.starts_with(|c: char| c.is_ascii_digit());
    numbered.then(|| phase_number(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_kinds_of_verification() {
        let gaps = |text: &str| Verified::Gaps(text.to_owned());
        for (text, verdict) in [
            ("# V\n\n## VERIFICATION PASSED\n", Verified::Passed),
            ("## VERIFICATION SKIPPED", Verified::Skipped),
            ("x\n## ISSUES FOUND\n", gaps("issues found")),
            ("## NO ISSUES FOUND\n", Verified::Unclear),
            ("## No gaps\n## VERIFICATION PASSED\n", Verified::Passed),
            ("---\r\nstatus: gaps_found\r\n---\r\n", gaps("gaps_found")),
            ("---\nstatus: passed\nscore: 10/10\n---\n", Verified::Passed),
            (
                "---\nstatus: gaps_found\n---\n## VERIFICATION PASSED",
                gaps("gaps_found"),
            ),
            ("---\nstatus: \"human_needed\"\n---\n", gaps("human_needed")),
            ("", Verified::Unclear),
            ("---\nstatus: pas", Verified::Unclear),
        ] {
            assert_eq!(verified(text), verdict, "{text}");
        }
    }

    #[test]
    fn reads_the_artifacts_of_quick_and_phase_plans() {
        let quick = "---\nphase: q\nmust_haves:\n  truths:\n    - \"x.y works\"\n  artifacts:\n    - \"src/cache.rs\"\n    - src/b.rs (new)\n  key_links:\n    - \"src/a.rs -> src/b.rs\"\n---\n";
        assert_eq!(must_have(quick), ["src/cache.rs", "src/b.rs"]);
        let phase = "---\nmust_haves:\n  artifacts:\n    - path: \"lib/x.cjs\"\n      provides: \"a.b\"\n      exports: [\"y\"]\n    - path: lib/z.cjs\n  key_links: []\nfiles_modified: [q]\n---\n";
        assert_eq!(must_have(phase), ["lib/x.cjs", "lib/z.cjs"]);
        let inline = "---\nmust_haves:\n  artifacts: [a.rs, \"b/c\"]\n---\n";
        assert_eq!(must_have(inline), ["a.rs", "b/c"]);
        assert_eq!(must_have("no front matter"), [""; 0]);
    }

    #[test]
    fn reads_the_phases_of_a_roadmap_once_each() {
        let text = "# Roadmap\n- [x] **Phase 1: Base** - done\n- [ ] **Phase 2: Speed**\n\n### Phase 1: Base\n**Depends on**: Phase 9\n### Phase 02: Speed\n### Phase 2.1: Inserted\n";
        let phases = roadmap(text);
        let seen: Vec<(&str, &str)> = phases
            .iter()
            .map(|p| (p.number.as_str(), p.name.as_str()))
            .collect();
        assert_eq!(seen, [("1", "Base"), ("2", "Speed"), ("2.1", "Inserted")]);
        assert_eq!(folder_number("02-speed").as_deref(), Some("2"));
        assert_eq!(folder_number("speed"), None);
        assert_eq!(phase_number("00"), "0");
    }
}
