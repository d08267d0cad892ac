//! The sections of `conference.md` and the keys inside them, in one pass, because the file is foreign and may have a
//! million headings.

use crate::formats::markdown;

/// A heading of level 1 or 2 with the lines below it; deeper headings are lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    /// 1 or 2.
    pub level: usize,
    /// The heading's text.
    pub title: &'a str,
    /// The lines below.
    pub body: Vec<&'a str>,
}

/// All sections, in order. A heading inside fenced code is part of the body.
pub(crate) fn split(text: &str) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let heading = [("# ", 1), ("## ", 2)]
            .into_iter()
            .find_map(|(mark, level)| Some((level, line.strip_prefix(mark)?)));
        if let Some((level, title)) = heading.filter(|_| !fenced) {
            parts.push(Part {
                level,
                title: title.trim(),
                body: Vec::new(),
            });
        } else if let Some(last) = parts.last_mut() {
            last.body.push(line);
        }
    }
    parts
}

/// The first section with a title; case is ignored.
pub(crate) fn find<'a>(parts: &'a [Part<'a>], title: &str) -> Option<&'a Part<'a>> {
    let named = |p: &&Part<'_>| p.title.eq_ignore_ascii_case(title);
    parts.iter().find(named)
}

/// The first line with content.
pub(crate) fn first_line<'a>(lines: &[&'a str]) -> Option<&'a str> {
    lines
        .iter()
        .map(|l| l.trim())
        .find(|l| !l.is_empty() && !l.starts_with("<!--"))
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

/// The text without everything that rounds add: the lines of the Shared Knowledge and the rows of the Conference Log
/// below its header. Everything else is kept byte for byte.
pub(crate) fn before_any_round(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut section, mut fenced, mut in_rows) = ("", false, false);
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let heading = ["# ", "## "]
            .iter()
            .find_map(|mark| line.strip_prefix(mark));
        if let Some(title) = heading.filter(|_| !fenced) {
            (section, in_rows) = (title.trim(), false);
            kept.push_str(line);
            continue;
        }
        let blank = line.trim().is_empty();
        let added = if section.eq_ignore_ascii_case("Shared Knowledge") {
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
        assert_eq!(seen, [(1, "T", 0), (2, "A", 5), (2, "C", 0)]);
        assert_eq!(find(&parts, "a").map(|p| p.body.len()), Some(5));
    }
}
