//! The repository's text files, and what its pages link to: files, sections, and pages of the documents.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A file with text.
pub(crate) struct Page {
    /// Its path from the package's root.
    pub(crate) path: String,
    pub(crate) text: String,
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every text file of the repository, without what is built and what git keeps.
pub(crate) fn all() -> Vec<Page> {
    let mut folders = vec![root().to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root()).unwrap().to_str().unwrap();
            if matches!(name, "target" | ".git" | "Cargo.lock") {
                continue;
            }
            let kind = path.symlink_metadata().unwrap().file_type();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                // Fixtures hold bytes that are no text, too.
                let Ok(text) = std::fs::read_to_string(&path) else {
                    continue;
                };
                let path = name.to_owned();
                found.push(Page { path, text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 500, "the repository was not found");
    found
}

/// Whether somebody reads it as a page: its links must lead somewhere.
fn is_read(page: &Page) -> bool {
    let of_fixture = page.path.starts_with("fixtures/") && page.path != "fixtures/README.md";
    let of_tests = page.path.starts_with("tests/");
    has_extension(&page.path, "md") && !of_fixture && !of_tests
}

/// What the links of a Markdown text lead to, with their lines. Fenced code holds none.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        let inline = line.split("](").skip(1);
        let inline = inline.filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
        let defined = line
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("]: "));
        let defined = defined.map(|(_, target)| target.trim());
        found.extend(inline.chain(defined).map(|target| (number + 1, target)));
    }
    found
}

/// The anchors of a page's headings, as GitHub and rustdoc make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut fenced = false;
    let mut found = BTreeSet::new();
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        let heading = line.trim_start_matches('#');
        if fenced || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let kept = heading.trim().chars().filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            _ => c.is_alphanumeric().then(|| c.to_ascii_lowercase()),
        });
        found.insert(kept.collect());
    }
    found
}

/// The file of a page of the documents: `crate::docs::how_to::check` is `src/docs/how_to/check.md`, and
/// `crate::docs::formats::nine_step` is `src/docs/formats/nine-step.md`.
fn document(item: &str) -> Option<PathBuf> {
    let place = item.strip_prefix("crate::docs::")?.replace("::", "/");
    [place.clone(), place.replace('_', "-")]
        .into_iter()
        .map(|place| root().join(format!("src/docs/{place}.md")))
        .find(|file| file.is_file())
}

/// Why a link of a page leads nowhere.
fn broken(page: &Page, target: &str) -> Option<String> {
    if ["https://", "http://", "mailto:"]
        .iter()
        .any(|scheme| target.starts_with(scheme))
    {
        return None;
    }
    let (place, section) = target.split_once('#').unwrap_or((target, ""));
    let file = if place.starts_with("crate::docs::") {
        document(place)?
    } else if place.contains("::") {
        // An item of the code: `cargo doc` checks it.
        return None;
    } else if place.is_empty() {
        root().join(&page.path)
    } else {
        let folder = Path::new(&page.path)
            .parent()
            .unwrap_or_else(|| Path::new(""));
        root().join(folder).join(place)
    };
    if !file.exists() {
        return Some(format!("{target}: there is no such file"));
    }
    if section.is_empty() {
        return None;
    }
    let text = std::fs::read_to_string(&file).ok()?;
    let known = anchors(&text).contains(section);
    (!known).then(|| format!("{target}: {place} has no such section"))
}

#[test]
fn every_link_of_a_page_leads_somewhere() {
    let mut wrong = Vec::new();
    for page in all() {
        // Comments may link to sections of the documents, which `cargo doc` does not check.
        let of_code = page.path.starts_with("src/") && has_extension(&page.path, "rs");
        if !is_read(&page) && !of_code {
            continue;
        }
        for (line, target) in links(&page.text) {
            if of_code && !(target.starts_with("crate::docs::") && target.contains('#')) {
                continue;
            }
            let why = broken(&page, target);
            wrong.extend(why.map(|why| format!("{}:{line}: {why}", page.path)));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// Words that cite pages which are not in the repository.
const CITED: [&str; 13] = [
    "contract.md",
    "safety.md",
    "product.md",
    "findings.md",
    "record.md",
    "why.md",
    "experiments.md",
    "house.md",
    "style.md",
    "ux-lessons.md",
    "english.md",
    "format note",
    "the seed",
];

/// Whether a line cites a page that is not there.
fn cites(line: &str) -> bool {
    let line = line.to_lowercase();
    CITED.iter().any(|word| {
        line.match_indices(word).any(|(at, _)| {
            let before = line.get(..at).unwrap_or_default();
            // The documents have pages of these names.
            !before.ends_with("docs/")
                && !before.ends_with(|c: char| c.is_alphanumeric() || c == '-')
        })
    })
}

#[test]
fn nothing_cites_a_page_that_is_not_in_the_repository() {
    let mut files: BTreeMap<String, usize> = BTreeMap::new();
    for page in all() {
        let lines = page.text.lines().filter(|line| cites(line)).count();
        if lines > 0 && page.path != "tests/house/pages.rs" {
            files.insert(page.path, lines);
        }
    }
    let list: Vec<String> = files
        .iter()
        .map(|(path, lines)| format!("{lines:4} {path}"))
        .collect();
    assert!(
        list.is_empty(),
        "state the rule itself, or link to a page in src/docs:\n{}\n",
        list.join("\n")
    );
}

/// The names of the fields in a JSON text: the strings before a colon.
fn fields(text: &str) -> BTreeSet<&str> {
    let mut parts = text.split('"');
    let mut found = BTreeSet::new();
    parts.next();
    while let (Some(string), Some(after)) = (parts.next(), parts.next()) {
        if after.starts_with(':') {
            found.insert(string);
        }
    }
    found
}

#[test]
fn the_contract_names_every_field_of_the_json() {
    let contract = std::fs::read_to_string(root().join("src/docs/contract.md")).unwrap();
    // What `doctor` counts by, and variables of the environment.
    let names = ["interrupted", "waiting", "TZ", "COLUMNS"];
    let shapes = all().into_iter();
    let shapes = shapes.filter(|page| page.path.contains("snapshots/program__golden__json-"));
    let mut missing = Vec::new();
    for page in shapes {
        let (_, shape) = page.text.split_once("\n{").unwrap();
        for field in fields(shape) {
            if !contract.contains(&format!("\"{field}\"")) && !names.contains(&field) {
                missing.push(format!("{field} ({})", page.path));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
    assert_eq!(fields("{\"a\": \"b\", \"c\": 1}").len(), 2);
}

/// The strings in the code of these files for which this holds.
fn strings(pages: &[Page], under: &str, wanted: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let code = pages.iter().filter(|page| page.path.starts_with(under));
    let lines = code.flat_map(|page| page.text.lines());
    let quoted = lines.flat_map(|line| line.split('"').skip(1).step_by(2));
    let found = quoted.filter(|string| wanted(string));
    found.map(str::to_owned).collect()
}

/// The questions that a plan of a system can have, as far as they are fixed: what a person types after `--accept`.
fn asks(pages: &[Page], folder: &str) -> BTreeSet<String> {
    let kinds = ["gate:", "override:", "repeat-failure:"];
    let is_ask = |string: &str| {
        let named = kinds.iter().find_map(|kind| string.strip_prefix(kind));
        named.is_some_and(|name| !name.starts_with(' ')) || string == "convergence"
    };
    let found = strings(pages, folder, is_ask).into_iter();
    let fixed = |ask: String| {
        let fixed = ask.split('{').next().unwrap_or_default();
        fixed
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .to_owned()
    };
    found.map(fixed).collect()
}

/// Whether a text has this as a word of its own.
fn has_word(text: &str, word: &str) -> bool {
    let apart = |c: char| !c.is_alphanumeric() && c != '_';
    text.split(apart).any(|one| one == word)
}

#[test]
fn every_system_has_a_page_with_its_checks_and_a_row_in_the_readme() {
    let pages = all();
    let text = |path: &str| {
        let mut found = pages.iter().filter(|page| page.path == path);
        found.next().map_or("", |page| &page.text)
    };
    let is_check = |string: &str| {
        let number = string.strip_prefix(|c: char| c.is_ascii_uppercase());
        number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let systems = pages.iter().filter_map(|page| {
        let rest = page.path.strip_prefix("src/systems/")?;
        rest.strip_suffix("/shape.rs")
    });
    let mut missing = Vec::new();
    for system in systems {
        let name = system.replace('_', "-");
        let page = text(&format!("src/docs/formats/{name}.md"));
        let rows = page.lines().filter_map(|line| line.split('|').nth(1));
        let rows: Vec<&str> = rows.collect();
        let row = format!("\n| `{name}` |");
        missing.extend((!text("README.md").contains(&row)).then(|| format!("{name} (README)")));
        let checks = strings(&pages, &format!("src/systems/{system}/"), is_check);
        assert!(!checks.is_empty(), "{system} has no check");
        let absent = checks
            .into_iter()
            .filter(|id| !rows.iter().any(|row| has_word(row, id)));
        missing.extend(absent.map(|id| format!("{id} ({name})")));
        let asks = asks(&pages, &format!("src/systems/{system}/")).into_iter();
        let unsaid = asks.filter(|ask| !page.contains(&format!("`{ask}")));
        missing.extend(unsaid.map(|ask| format!("{ask} ({name})")));
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn every_variable_of_relight_is_on_a_page() {
    let pages = all();
    // The completion script and the tests set these themselves.
    let inner = [
        "RELIGHT_COMPLETE",
        "RELIGHT_TEST_AGAIN",
        "RELIGHT_LAUNCH_PART",
    ];
    let ours = strings(&pages, "src/", |string| string.starts_with("RELIGHT_"));
    let documents = pages
        .iter()
        .filter(|page| page.path.starts_with("src/docs/"));
    let documents: String = documents.map(|page| page.text.as_str()).collect();
    let known = |name: &String| has_word(&documents, name) || inner.contains(&name.as_str());
    let unknown: Vec<String> = ours.into_iter().filter(|name| !known(name)).collect();
    assert_eq!(unknown, Vec::<String>::new());
}

/// Whether a text in backticks that looks like a path of the source, from the root or below `src`, is there. What comes
/// after a part that stands for several names is not looked for.
fn is_there(span: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-<>".contains(c);
    let parts: Vec<&str> = span.trim_end_matches('/').split('/').collect();
    let first = parts.first().copied().filter(|part| !part.is_empty());
    let first = first.unwrap_or(".");
    let ours =
        ["src", "tests", "assets"].contains(&first) || root().join("src").join(first).is_dir();
    if parts.len() < 2 || !span.chars().all(plain) || !ours || first.starts_with('.') {
        return true;
    }
    let known = parts.iter().take_while(|part| !part.contains('<'));
    let known = known.copied().collect::<Vec<_>>().join("/");
    let bases = [root().to_owned(), root().join("src")];
    let found =
        |base: &PathBuf| base.join(&known).exists() || base.join(format!("{known}.rs")).exists();
    bases.iter().any(found)
}

#[test]
fn a_path_that_a_page_names_is_there() {
    let mut missing = Vec::new();
    for page in all()
        .iter()
        .filter(|page| is_read(page) && page.path != "CHANGELOG.md")
    {
        for (number, line) in page.text.lines().enumerate() {
            let spans = line.split('`').skip(1).step_by(2);
            let wrong = spans.filter(|span| !is_there(span));
            missing.extend(wrong.map(|span| format!("{}:{}: `{span}`", page.path, number + 1)));
        }
    }
    assert_eq!(missing, Vec::<String>::new());
    assert!(is_there("src/lib.rs") && is_there("cli/commands/<command>") && is_there("and/or"));
    assert!(!is_there("src/absent.rs") && !is_there("tui/absent"));
}

#[test]
fn links_and_sections_are_read_as_a_reader_follows_them() {
    let text = "# The road, back\n[a](x.md#y) and [b](z)\n```\n[c](no)\n# no\n```\n[d]: ../e.md\n";
    assert_eq!(links(text), [(2, "x.md#y"), (2, "z"), (7, "../e.md")]);
    assert!(anchors(text).contains("the-road-back"));
    assert_eq!(anchors(text).len(), 1);
    assert!(cites("as safety.md says") && cites("(Format note mgw)"));
    assert!(!cites("src/docs/contract.md") && !cites("lifestyle.md"));
}

fn has_extension(path: &str, wanted: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|found| found == wanted)
}
