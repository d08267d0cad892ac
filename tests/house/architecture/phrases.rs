//! Only `src/text` writes counts, times, sizes, short ids and shell words. What is left elsewhere may only
//! become less.

use super::source::{Source, all};

/// How such a thing is written by hand, and what to use instead.
const BY_HAND: &[(&str, &str)] = &[
    ("fn plural", "text::format::count or plural"),
    (" == 1 { \"", "text::format::count or plural"),
    (" and {more} more", "text::format::list_first"),
    (" and {rest} more", "text::format::list_first"),
    ("fn quoted(", "text::format::shell_word"),
    ("fn quote(", "text::format::shell_word"),
    ("fn shell_word(", "text::format::shell_word"),
    (r"'\\''", "text::format::shell_word"),
    (r#"r"'\''""#, "text::format::shell_word"),
    (".format(\"%", "text::format::time, date or clock"),
    ("KiB\"", "text::format::size"),
    ("MiB\"", "text::format::size"),
    (" KiB", "text::format::size"),
    ("get(..7)", "text::format::short_id"),
    ("get(..8)", "text::format::short_id"),
    ("get(..10)", "text::format::short_id"),
    ("take(7)", "text::format::short_id"),
    ("take(10).collect()", "text::format::short_id"),
    ("take(12).collect()", "text::format::short_id"),
];

/// How many such lines each module still has: lower a number when a module has fewer. Machine formats stay: names
/// of files, and times as the pipelines' own files have them.
const LEFT: &[(&str, usize)] = &[
    ("apply", 2),
    ("demo", 5),
    ("engine", 2),
    ("git", 1),
    ("model", 5),
    ("recover", 2),
    ("replay", 4),
    ("systems", 12),
];

fn by_hand(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    for (number, code) in source.code() {
        // Strings are blanked in the code; comments are in neither.
        let raw = &source.lines[number - 1];
        let written = raw.split("//").next().unwrap_or_default();
        for (pattern, instead) in BY_HAND {
            if !code.trim().is_empty() && written.contains(pattern) {
                found.push(format!("{}:{number}: use {instead}", source.path));
            }
        }
    }
    found
}

#[test]
fn values_are_written_in_one_place() {
    let mut wrong = Vec::new();
    let mut counted: Vec<(&str, usize)> = LEFT.iter().map(|(place, _)| (*place, 0)).collect();
    for source in all("src").iter().filter(|source| !source.within("text")) {
        let found = by_hand(source);
        match counted.iter_mut().find(|(place, _)| source.within(place)) {
            Some((_, count)) => *count += found.len(),
            None => wrong.extend(found),
        }
    }
    for ((place, most), (_, count)) in LEFT.iter().zip(&counted) {
        if count > most {
            wrong.push(format!(
                "src/{place} has {count} such lines, more than {most}"
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn values_written_by_hand_are_noticed() {
    for line in [
        "fn plural(n: u64) -> String {",
        "let s = if n == 1 { \"\" } else { \"s\" };",
        "at.format(\"%Y\").to_string()",
        "id.get(..7)",
    ] {
        assert_eq!(by_hand(&Source::new("src/x.rs", line)).len(), 1, "{line}");
    }
    assert!(by_hand(&Source::new("src/x.rs", "count(n, \"file\")")).is_empty());
}

/// What writes another sign in the place of each byte that is no text, inside a sentence.
const LOSSY: [&str; 3] = [".lossy()", ".to_string_lossy()", "from_utf8_lossy("];

/// The macros that write sentences.
const SENTENCES: [&str; 5] = ["format!(", "write!(", "writeln!(", "clean!(", "foreign!("];

/// Where names become a part of data: records of the systems, names of files, paths that are typed.
const DATA: [&str; 8] = [
    "apply/bytes",
    "apply/locks",
    "apply/purge",
    "demo",
    "engine/template_paths",
    "model/conversation",
    "text",
    "world/fake",
];

/// The lines in which a sentence loses bytes of a name.
fn loses(source: &Source) -> Vec<String> {
    let of_data = DATA.iter().any(|place| source.within(place));
    if of_data || source.place().contains("/record/") || source.within("apply/disk/sim") {
        return Vec::new();
    }
    let lines: Vec<(usize, &str)> = source.code().collect();
    let mut found = Vec::new();
    let mut depth = 0_usize;
    for (number, line) in lines {
        let mut begins = 0;
        for (at, sign) in line.char_indices() {
            let (before, rest) = line.split_at(at);
            let within = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let opens = SENTENCES.iter().any(|name| rest.starts_with(name)) && !within;
            begins = if opens { at + 1 } else { begins };
            match sign {
                '(' if depth > 0 || begins > 0 => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            let lossy = LOSSY.iter().any(|word| rest.starts_with(word));
            if depth > 0 && lossy || rest.starts_with(".display()") {
                found.push(format!(
                    "{}:{number}: say it with `shown()`, which keeps every byte",
                    source.path
                ));
            }
            if depth == 0 && sign == ')' {
                begins = 0;
            }
        }
    }
    found
}

#[test]
fn no_name_in_a_sentence_loses_a_byte() {
    let found: Vec<String> = all("src").iter().flat_map(loses).collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
    for (text, count) in [
        ("let a = format!(\"{}\", path.display());", 1),
        ("let a = path.display();", 1),
        ("let a = format!(\n    \"{}\",\n    one.name.lossy()\n);", 1),
        ("let a = foreign!(\"{}\", of(path.to_string_lossy()));", 1),
        ("write!(f, \"{}\", String::from_utf8_lossy(&name))", 1),
        ("let a = one.lossy();", 0),
        ("let a = format!(\"{}\", one.clean()) + &one.lossy();", 0),
        ("is_format!(one.lossy())", 0),
    ] {
        let found = loses(&Source::new("src/engine/x.rs", text));
        assert_eq!(found.len(), count, "{text}: {found:?}");
    }
}
