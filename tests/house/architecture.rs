//! Which module may import which, and what only some modules may do. A broken rule fails with a sentence that
//! names the file, the line and what to do.
//!
//! Tests inside `src` are left out: they may make files and reach across.

mod lexer;
mod phrases;
mod source;

use std::path::Path;

use source::{Source, all};

/// Modules and the modules they may name. A row for part of a module comes before the module's own. Every module may
/// name itself and `text`, which is the phrase book.
const IMPORTS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("model", &[]),
    ("diff", &["model"]),
    ("formats", &["model"]),
    ("world", &["model"]),
    ("git", &["model", "formats", "world"]),
    ("conversations", &["model", "formats", "world"]),
    ("systems", &["model", "formats", "world", "conversations"]),
    ("recover", &["model"]),
    ("discover", &["model", "formats", "world", "systems"]),
    ("config", &["model"]),
    ("apply", &["model", "formats", "world", "git", "recover"]),
    (
        "replay",
        &[
            "model", "formats", "world", "git", "systems", "recover", "apply", "diff",
        ],
    ),
    (
        "engine",
        &[
            "model",
            "diff",
            "formats",
            "world",
            "git",
            "systems",
            "recover",
            "discover",
            "config",
            "apply",
            "replay",
            "conversations",
        ],
    ),
    ("demo", &["model", "git", "engine"]),
    ("cli", &["engine", "config", "model", "diff", "demo"]),
    ("tui/screens", &["model", "diff"]),
    ("tui/state", &["model", "diff"]),
    ("tui/update", &["model", "diff"]),
    ("tui/view", &["model", "diff"]),
    ("tui", &["engine", "config", "model", "diff"]),
    ("main", &["cli", "tui"]),
    ("docs", &[]),
    ("lib", &[]),
];

/// What only some modules may do: the words that do it, the modules, and what to do instead.
const DEEDS: &[(&[&str], &[&str], &str)] = &[
    (
        &["git2::", "use git2", "git2_"],
        &["git"],
        "ask through world::git::Git, or put the question into src/git",
    ),
    (
        &[
            "fs::write",
            "File::create",
            "OpenOptions",
            "File::options",
            "fs::rename",
            "fs::remove_",
            "fs::create_dir",
            "fs::copy",
            "fs::hard_link",
            "fs::symlink",
            "fs::set_permissions",
            "renameat",
            "unlinkat",
            "mkdirat",
            "symlinkat",
            "linkat",
            "ftruncate",
            "OFlags::CREATE",
        ],
        &["apply", "git/scratch", "demo"],
        "state it as a Step and let apply write it",
    ),
    (
        &[
            "std::fs",
            "rustix::fs",
            ".symlink_metadata()",
            ".read_dir()",
            ".metadata()",
            ".canonicalize()",
        ],
        // The walk opens directories by itself: a stat of each entry would be most of its time.
        &["world", "git", "apply", "demo", "config", "discover"],
        "read through world::files::Files, beneath an opened root",
    ),
    (
        &["Command::new", "process::Command"],
        &["world"],
        "start programs through world::command, which knows no shell and scrubs GIT_*",
    ),
    (
        &[
            "println!",
            "print!",
            "eprintln!",
            "eprint!",
            "io::stdout()",
            "io::stderr()",
        ],
        &["cli/print", "tui/terminal"],
        "print through cli::print, which takes only clean text",
    ),
    (
        &["SystemTime::now", "Utc::now", "Local::now"],
        // The sandbox is built before there is an engine to ask.
        &["world", "cli/commands/demo"],
        "take the time from world::Clock or as an argument",
    ),
];

/// The most lines of a file.
const LINES: usize = 400;

/// Everything that is wrong with one file.
fn wrongs(source: &Source) -> Vec<String> {
    let mut wrongs = Vec::new();
    let mut say =
        |line: usize, what: String| wrongs.push(format!("{}:{line}: {what}", source.path));
    let module = source.module();
    let allowed = IMPORTS.iter().find(|(name, _)| source.within(name));
    match allowed {
        None => say(
            1,
            format!("the module `{module}` is not in the table; add it to IMPORTS and say why"),
        ),
        Some((_, allowed)) => {
            for (line, named) in source.rooms_named() {
                if named != module && named != "text" && !allowed.contains(&named.as_str()) {
                    say(
                        line,
                        format!(
                            "`{module}` may not import `{named}`; hand the data over from a module that may, \
                             or change IMPORTS in the same commit and say why"
                        ),
                    );
                }
            }
        }
    }
    for (words, modules, instead) in DEEDS {
        if modules.iter().any(|module| source.within(module)) {
            continue;
        }
        for (line, text) in source.code() {
            if let Some(word) = words.iter().find(|word| source::has_word(text, word)) {
                say(
                    line,
                    format!(
                        "`{word}` belongs to {} alone; {instead}",
                        modules.join(", ")
                    ),
                );
            }
        }
    }
    if source.lines.len() > LINES {
        say(
            LINES,
            format!(
                "{} lines, more than {LINES}; split the file by noun",
                source.lines.len()
            ),
        );
    }
    if source.path.ends_with("/mod.rs") {
        say(
            1,
            "modules are named for themselves: x.rs beside x/".to_owned(),
        );
    }
    wrongs
}

#[test]
fn every_room_keeps_to_its_imports_and_its_deeds() {
    let sources = all("src");
    assert!(sources.len() > 20, "the sources were not found");
    let wrongs: Vec<String> = sources.iter().flat_map(wrongs).collect();
    assert!(wrongs.is_empty(), "\n{}\n", wrongs.join("\n"));
}

/// The systems by their folders, without separators and case: `ninestep` is also `NineStep` and `nine-step`.
fn system_names() -> Vec<String> {
    let systems = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/systems");
    let folders = std::fs::read_dir(systems).unwrap();
    let folders = folders.map(|entry| entry.unwrap().path());
    let shaped = folders.filter(|folder| folder.join("shape.rs").exists());
    shaped
        .map(|folder| plain(folder.file_name().unwrap().to_str().unwrap()))
        .collect()
}

fn plain(text: &str) -> String {
    text.to_lowercase().replace(['-', '_', ' '], "")
}

/// The lines that name a system outside its own folder. Comments may: they give examples.
fn systems_named(source: &Source, systems: &[String]) -> Vec<String> {
    let registers = ["systems", "docs", "demo"];
    if registers.contains(&source.place()) || source.within("demo") {
        return Vec::new();
    }
    let own = plain(source.place());
    let mut named = Vec::new();
    for (line, _) in source.code() {
        let text = source.lines[line - 1].trim();
        let text = if text.starts_with("//") {
            String::new()
        } else {
            plain(text)
        };
        for system in systems.iter().filter(|name| text.contains(*name)) {
            if !own.contains(&format!("systems/{system}")) {
                named.push(format!(
                    "{}:{line}: names the system `{system}`; a new system is one directory and its lines in \
                     src/systems.rs, so ask through System, Case or Recorder",
                    source.path
                ));
            }
        }
    }
    named
}

#[test]
fn no_system_is_named_outside_its_folder() {
    let systems = system_names();
    assert!(systems.len() > 5, "{systems:?}");
    let sources = all("src");
    let named = sources.iter().flat_map(|one| systems_named(one, &systems));
    let named: Vec<String> = named.collect();
    assert!(named.is_empty(), "\n{}\n", named.join("\n"));
    for (path, text, count) in [
        ("src/engine/x.rs", "if system.0 == \"nine-step\" {}", 1),
        ("src/systems/kit.rs", "use super::NineStep;", 1),
        ("src/systems/mgw/x.rs", "let a = \"nine_step\";", 1),
        ("src/systems/nine_step/x.rs", "let a = \"nine_step\";", 0),
        ("src/engine/x.rs", "// As nine-step does.", 0),
    ] {
        let found = systems_named(&Source::new(path, text), &systems);
        assert_eq!(found.len(), count, "{path}: {text}");
    }
}

#[test]
fn no_test_file_is_too_long_either() {
    let long: Vec<String> = all("tests")
        .into_iter()
        .filter(|source| source.lines.len() > LINES)
        .map(|source| {
            format!(
                "{}: {} lines; split it by concern",
                source.path,
                source.lines.len()
            )
        })
        .collect();
    assert!(long.is_empty(), "\n{}\n", long.join("\n"));
}

#[test]
fn each_kind_of_broken_rule_is_noticed() {
    let long = "// x\n".repeat(LINES + 1);
    let table: &[(&str, &str, &str)] = &[
        (
            "src/recover/plan.rs",
            "use crate::world::World;",
            "may not import `world`",
        ),
        (
            "src/model.rs",
            "use super::engine::Engine;",
            "may not import `engine`",
        ),
        (
            "src/tui/view/help.rs",
            "use crate::{model::Plan, engine::Engine};",
            "may not import `engine`",
        ),
        (
            "src/tui/view/help.rs",
            "use crate::{\n    model::Plan,\n    engine::Engine,\n};",
            "help.rs:3: `tui` may not",
        ),
        (
            "src/systems/mgw.rs",
            "fn f() { super::super::recover::climb(); }",
            "may not import `recover`",
        ),
        ("src/attic.rs", "", "not in the table"),
        (
            "src/main.rs",
            "use relight::engine;",
            "may not import `engine`",
        ),
        (
            "src/world/x.rs",
            "use git2::Repository;",
            "belongs to git alone",
        ),
        (
            "src/engine/x.rs",
            "std::fs::write(p, b)?;",
            "let apply write it",
        ),
        (
            "src/systems/x.rs",
            "let b = std::fs::read(p)?;",
            "through world::files::Files",
        ),
        (
            "src/git/x.rs",
            "Command::new(\"git\")",
            "belongs to world alone",
        ),
        ("src/cli/list.rs", "    println!(\"x\");", "cli::print"),
        ("src/recover/x.rs", "let now = Utc::now();", "world::Clock"),
        ("src/cli/x.rs", &long, "split the file"),
        ("src/cli/mod.rs", "", "named for themselves"),
    ];
    for (path, text, words) in table {
        let found = wrongs(&Source::new(path, text)).join("\n");
        assert!(found.contains(words), "{path}: {text:?} gave {found:?}");
    }
}

#[test]
fn what_is_allowed_is_not_complained_of() {
    let table: &[(&str, &str)] = &[
        (
            "src/recover/plan.rs",
            "use crate::model::Plan;\nuse super::ladder;",
        ),
        (
            "src/recover/plan.rs",
            "// crate::world would be wrong here.",
        ),
        ("src/demo/x.rs", "let text = \"use crate::cache;\";"),
        (
            "src/recover/plan.rs",
            "#[cfg(test)]\nmod tests {\n    use crate::world::World;\n}\n",
        ),
        ("src/recover/plan/tests.rs", "use crate::world::World;"),
        ("src/systems/mgw/read.rs", "use super::super::mgw::files;"),
        ("src/cli/print.rs", "println!(\"x\");"),
        ("src/git/scratch.rs", "std::fs::write(p, b)?;"),
        ("src/apply/vfs.rs", "rustix::fs::renameat_with(a, b)?;"),
        ("src/tui/view.rs", "let x = crate::clean!(\"x\");"),
        ("src/main.rs", "relight::cli::run()"),
    ];
    for (path, text) in table {
        assert_eq!(
            wrongs(&Source::new(path, text)),
            Vec::<String>::new(),
            "{path}"
        );
    }
}
