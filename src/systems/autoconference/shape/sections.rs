//! The sections of `conference.md` and the keys inside them.

use crate::formats::markdown::{self, Section};

/// The sections of the two upper levels, in order; deeper headings are lines of them.
pub(crate) fn split(text: &str) -> Vec<Section<'_>> {
    let mut all = markdown::sections(text);
    all.retain(|section| section.level <= 2);
    all
}

/// The first line with content.
pub(crate) fn first_line<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let mut lines = lines.iter().map(|line| line.trim());
    lines.find(|line| !line.is_empty() && !line.starts_with("<!--"))
}

/// The text without list marks, emphasis and code quotes.
pub(crate) fn bare(text: &str) -> &str {
    text.trim_start_matches(['-', '+', ' '])
        .trim_matches(['*', '`', '_', ' '])
}

/// True for a value that is still a `{…}` of the template.
pub(crate) fn is_placeholder(text: &str) -> bool {
    let text = bare(text);
    text.len() > 1 && text.starts_with('{') && text.ends_with('}')
}

/// The value of the first pair with any of these keys, without its trailing comment. Case is ignored, and `_` equals
/// space.
pub(crate) fn lookup<'a>(lines: &[&'a str], keys: &[&str]) -> Option<&'a str> {
    lines.iter().find_map(|line| {
        let (key, value) = markdown::pair(line)?;
        let key = key.to_lowercase().replace('_', " ");
        let known = keys.contains(&key.trim_matches(['`', ' ']));
        known.then(|| value.split(" #").next().unwrap_or(value).trim())
    })
}

/// The lines that add the sections of rounds to a text, as far as it has none of them. Nothing can be added to a text that
/// ends inside a code block.
pub(crate) fn lacking(text: &str) -> Vec<String> {
    let table = [
        "| Round | Researcher | Best Metric | Key Finding | Status |",
        "|---|---|---|---|---|",
    ];
    let sections = split(text);
    let is_open = text.lines().filter(|line| markdown::is_fence(line)).count() % 2 == 1;
    let wanted = [("Shared Knowledge", &[][..]), ("Conference Log", &table)].into_iter();
    let lacking =
        wanted.filter(|(title, _)| !is_open && markdown::section(&sections, title).is_none());
    let lines = lacking.flat_map(|(title, table)| {
        let heading = [String::new(), format!("## {title}")];
        heading
            .into_iter()
            .chain(table.iter().map(|line| (*line).to_owned()))
    });
    lines.collect()
}

/// The text without everything that rounds add: the lines of the Shared Knowledge and the rows of the Conference Log
/// below its header. Everything else is kept byte for byte.
pub(crate) fn before_any_round(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut section, mut fenced, mut in_rows) = ("", false, false);
    for line in text.split_inclusive('\n') {
        if markdown::is_fence(line) {
            fenced = !fenced;
        }
        let heading = markdown::heading(line).filter(|(level, _)| *level <= 2 && !fenced);
        let blank = line.trim().is_empty();
        let added = if let Some((_, title)) = heading {
            (section, in_rows) = (title, false);
            false
        } else if section.eq_ignore_ascii_case("Shared Knowledge") {
            !blank
        } else if section.eq_ignore_ascii_case("Conference Log") {
            let is_rule = line.contains("--") && !line.chars().any(char::is_alphanumeric);
            let row = in_rows && !blank;
            in_rows |= is_rule;
            row
        } else {
            false
        };
        if !added {
            kept.push_str(line);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_only_what_rounds_added() {
        let head = "# Conference: x\n\n## Goal\ng\n\n## Shared Knowledge\n";
        let log = "\n## Conference Log\n| Round | Best |\n|---|---|\n";
        let end = "\n## Guard\n| a | b |\n";
        let full =
            format!("{head}### Round 1 Validated Findings\n1. y{log}| 1 | 4 |\n| 2 | 5 |\n{end}");
        assert_eq!(
            before_any_round(&full),
            format!("{head}{log}{end}").replacen("\n\n## Con", "\n## Con", 1)
        );
        let new = format!("{head}{log}{end}");
        assert_eq!(before_any_round(&new), new);
    }

    #[test]
    fn splits_at_the_two_upper_levels_outside_fences() {
        let text = "x\n# T\n## A\n### B\nb\n```\n## no\n```\n## C\n";
        let parts = split(text);
        let seen: Vec<_> = parts
            .iter()
            .map(|p| (p.level, p.title, p.body.len()))
            .collect();
        assert_eq!(seen, [(1, "T", 7), (2, "A", 5), (2, "C", 0)]);
        let found = markdown::section(&parts, "a");
        assert_eq!(found.map(|p| p.body.len()), Some(5));
    }
}
