//! The small part of Markdown that state files use: headings with their bodies, `key: value` lines in every notation
//! that the systems write, and pipe tables.

/// A heading with the lines below it, down to the next heading of the same or a higher level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section<'a> {
    /// 1 for `#`.
    pub level: usize,
    /// The heading's text.
    pub title: &'a str,
    /// The lines below, deeper headings included.
    pub body: Vec<&'a str>,
}

/// All sections of a document, in order. A heading inside fenced code is part of the body. Time and memory are linear:
/// a line is in at most six bodies, one for each level.
pub fn sections(text: &str) -> Vec<Section<'_>> {
    let mut done: Vec<Section<'_>> = Vec::new();
    // Indexes in `done` of the sections that are still open, outermost first.
    let mut open: Vec<usize> = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if is_fence(line) {
            fenced = !fenced;
        }
        let heading = if fenced { None } else { heading(line) };
        if let Some((level, _)) = heading {
            open.retain(|at| done.get(*at).is_some_and(|section| section.level < level));
        }
        for at in &open {
            if let Some(section) = done.get_mut(*at) {
                section.body.push(line);
            }
        }
        if let Some((level, title)) = heading {
            open.push(done.len());
            done.push(Section {
                level,
                title,
                body: Vec::new(),
            });
        }
    }
    done
}

/// True for a line that opens or closes a code block.
pub fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

/// The level and the text of a heading.
pub fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let rest = line.get(level..)?;
    ((1..=6).contains(&level) && rest.starts_with(' '))
        .then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

/// The first section with a title; case is ignored.
pub fn section<'a>(sections: &'a [Section<'a>], title: &str) -> Option<&'a Section<'a>> {
    sections
        .iter()
        .find(|s| s.title.eq_ignore_ascii_case(title))
}

/// A `key: value` line: `- **Key:** value`, `**Key**: value`, `* key: value`, `key: value`.
pub fn pair(line: &str) -> Option<(&str, &str)> {
    let line = line.trim().trim_start_matches(['-', '*', '+']).trim_start();
    let (key, value) = line.split_once(':')?;
    let key = key.trim().trim_matches('*').trim();
    let value = value.trim().trim_start_matches("**").trim();
    (!key.is_empty() && key.len() <= 60 && !key.contains("](")).then_some((key, value))
}

/// The value of the first pair with this key; case is ignored, and `_` equals space.
pub fn value<'a>(lines: impl IntoIterator<Item = &'a str>, key: &str) -> Option<&'a str> {
    let wanted = fold(key);
    lines
        .into_iter()
        .filter_map(pair)
        .find(|(k, _)| fold(k) == wanted)
        .map(|(_, v)| v)
}

fn fold(key: &str) -> String {
    key.trim().to_lowercase().replace('_', " ")
}

/// The cells of a pipe-table row; `None` for another line, an empty list for the `|---|` rule.
pub fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let cells: Vec<&str> = inner.split('|').map(str::trim).collect();
    let rule = cells
        .iter()
        .all(|c| !c.is_empty() && c.bytes().all(|b| b"-: ".contains(&b)));
    Some(if rule { Vec::new() } else { cells })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nests_sections_and_ignores_fences() {
        let text = "# T\nintro\n## A\na\n### A1\na1\n```\n## not\n```\n## B\nb\n";
        let all = sections(text);
        let seen: Vec<_> = all
            .iter()
            .map(|s| (s.level, s.title, s.body.len()))
            .collect();
        assert_eq!(seen, [(1, "T", 10), (2, "A", 6), (3, "A1", 4), (2, "B", 1)]);
        assert_eq!(section(&all, "b").unwrap().body, ["b"]);
    }

    #[test]
    fn a_document_of_only_headings_takes_linear_time() {
        let text = "# a\n## b\n".repeat(100_000);
        assert_eq!(sections(&text).len(), 200_000);
    }

    #[test]
    fn reads_pairs_in_every_notation() {
        let table = [
            ("- **Max rounds:** 4", Some(("Max rounds", "4"))),
            ("max_rounds: 4  # c", Some(("max_rounds", "4  # c"))),
            ("**Goal**: x: y", Some(("Goal", "x: y"))),
            (
                "* **Final confirmation:** pending",
                Some(("Final confirmation", "pending")),
            ),
            ("no pair", None),
            ("- [a](http://x)", None),
        ];
        for (line, pair_) in table {
            assert_eq!(pair(line), pair_, "{line}");
        }
        assert_eq!(
            value(["x: 1", "- **Max Rounds:** 4"], "max_rounds"),
            Some("4")
        );
    }

    #[test]
    fn reads_table_rows() {
        assert_eq!(cells("| a | b |"), Some(vec!["a", "b"]));
        assert_eq!(cells("|---|:--:|"), Some(vec![]));
        assert_eq!(cells("text"), None);
    }
}
