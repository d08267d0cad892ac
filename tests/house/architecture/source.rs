//! Reading sources just well enough: lines of code without inline tests, and the modules that paths name.

#![expect(
    clippy::string_slice,
    reason = "every offset comes from match_indices or char_indices of the same text"
)]

use std::path::Path;

use super::lexer::blanked;

/// Macros that `text` puts at the crate's root.
const ROOT_MACROS: &[&str] = &["clean", "foreign", "string_enum"];

/// One file.
pub(crate) struct Source {
    /// Its path from the package's root.
    pub(crate) path: String,
    /// All its lines.
    pub(crate) lines: Vec<String>,
    /// The same, comments and the insides of strings blanked.
    blanked: Vec<String>,
    /// True for a module that is compiled for tests only.
    of_tests: bool,
}

/// Every Rust file beneath a folder of the package.
pub(crate) fn all(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut todo = vec![root.join(folder)];
    let mut found = Vec::new();
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let name = path.strip_prefix(root).unwrap().to_str().unwrap();
                found.push(Source::new(name, &text));
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    let hidden: Vec<String> = found.iter().flat_map(Source::test_modules).collect();
    for source in &mut found {
        let hidden = hidden.iter().any(|module| source.within(module));
        source.of_tests = source.of_tests || hidden;
    }
    found
}

impl Source {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            lines: text.lines().map(str::to_owned).collect(),
            blanked: blanked(text).lines().map(str::to_owned).collect(),
            of_tests: path.split(['/', '.']).any(|part| part == "tests"),
        }
    }

    /// The path beneath `src` without the ending: `tui/view/help`.
    pub(crate) fn place(&self) -> &str {
        let path = self.path.strip_prefix("src/").unwrap_or(&self.path);
        path.strip_suffix(".rs").unwrap_or(path)
    }

    /// The module: the first part of the place.
    pub(crate) fn module(&self) -> &str {
        self.place().split('/').next().unwrap_or_default()
    }

    /// True for the file of a module or part of a module, and for everything beneath it.
    pub(crate) fn within(&self, part: &str) -> bool {
        let rest = self.place().strip_prefix(part);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The places of modules that this file declares for tests only.
    fn test_modules(&self) -> Vec<String> {
        let beneath = match self.place() {
            "lib" | "main" => String::new(),
            place => format!("{place}/"),
        };
        let pairs = self.blanked.windows(2);
        pairs
            .filter(|pair| pair[0].trim() == "#[cfg(test)]")
            .filter_map(|pair| pair[1].trim().strip_suffix(';')?.split("mod ").nth(1))
            .map(|name| format!("{beneath}{name}"))
            .collect()
    }

    /// Lines of code, numbered from 1, tests left out.
    pub(crate) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut inside = false;
        let lines = self.blanked.iter().enumerate();
        lines.filter_map(move |(index, line)| {
            let test = line.starts_with("#[cfg(test)]");
            let braced = self
                .blanked
                .get(index + 1)
                .is_some_and(|next| next.contains("mod ") && next.ends_with('{'));
            if test && braced {
                inside = true;
            }
            let counts = !inside && !self.of_tests;
            if inside && line == "}" {
                inside = false;
            }
            counts.then_some((index + 1, line.as_str()))
        })
    }

    /// Every module that a path names, with its line: after `crate::`, after `relight::` in the binary, and after
    /// as many `super::` as lead to the crate's root.
    pub(crate) fn rooms_named(&self) -> Vec<(usize, String)> {
        let mut named = Vec::new();
        let depth = self.place().split('/').count();
        let to_root = "super::".repeat(depth);
        let mut text = String::new();
        let mut starts = Vec::new();
        for (number, line) in self.code() {
            starts.push((text.len(), number));
            text.push_str(line);
            text.push('\n');
        }
        let line_of = |at: usize| {
            let after = starts.partition_point(|(start, _)| *start <= at);
            starts[after - 1].1
        };
        let own_name = if self.place() == "main" {
            "relight::"
        } else {
            "crate::"
        };
        for root in [own_name, "crate::", to_root.as_str()] {
            for (at, _) in text.match_indices(root) {
                let preceded =
                    text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
                if !preceded {
                    let first = at + root.len();
                    let modules = heads(&text[first..]);
                    named.extend(
                        modules
                            .into_iter()
                            .map(|(gap, module)| (line_of(first + gap), module)),
                    );
                }
            }
        }
        named.retain(|(_, module)| !ROOT_MACROS.contains(&module.as_str()));
        named.sort();
        named.dedup();
        named
    }
}

/// The first names of what follows a root, with their distance from it: one, or all those of a brace list.
fn heads(text: &str) -> Vec<(usize, String)> {
    let name = |text: &str| -> String {
        text.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    if !text.starts_with('{') {
        return vec![(0, name(text))];
    }
    let mut found = Vec::new();
    let mut depth = 0;
    let mut expecting = false;
    for (at, c) in text.char_indices() {
        match c {
            '{' => {
                depth += 1;
                expecting = depth == 1;
            }
            '}' if depth == 1 => break,
            '}' => depth -= 1,
            ',' if depth == 1 => expecting = true,
            c if expecting && !c.is_whitespace() => {
                found.push((at, name(&text[at..])));
                expecting = false;
            }
            _ => {}
        }
    }
    found
}

/// True where the word stands in the line, not as the end of a longer name.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let longer = |c: char| c.is_alphanumeric() || c == '_';
        !word.starts_with(longer) || !line[..at].ends_with(longer)
    })
}
