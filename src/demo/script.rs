//! Runs the scripts in `assets/demo/pipelines`, each of which builds the pipelines of one system.
//!
//! A line that begins with `== ` is a step; the lines up to the next one belong to it. What is above the first step
//! says what the script builds. The steps:
//!
//! ```text
//! == # COMMENT
//! == let NAME VALUE                       ${NAME} is VALUE from here on
//! == file AGE PATH                        a file; its content follows
//! == file-without-newline AGE PATH        the same, without a newline at the end
//! == repo PATH BRANCH AGE                 a repository; what follows is about it
//! == worktree PATH BRANCH AGE             a worktree of that repository; commits are made there
//! == commit AGE SUBJECT                   the message's body, then a line `-- PATH` above each file's content
//! == branch NAME                          a branch at the last commit, checked out
//! == shadow STORE PATH                    a shadow store for the checkpoints of a folder
//! == snapshot AGE REASON                  a checkpoint in it
//! == age AGE PATH                         the time of the git directory of a work tree or store
//! ```
//!
//! Paths are under the sandbox. An age is before now, such as `3d` or `5h40m`. Everywhere stand for themselves
//! `${root}` (the sandbox, as a string of JSON has it), `${plain-root}` (as it is), `${head}` (the last commit),
//! `${folder-name PATH}` and `${store-name PATH}` (what Claude and Crucible call a project), and times: `${iso AGE}`,
//! `${iso-ms AGE}`, `${offset AGE}` (with `+00:00`), `${naive AGE}` (local, without a zone), `${date AGE}` and
//! `${unix AGE}`.

use std::collections::BTreeMap;

use super::kit::{DAY, DemoError, HOUR, Kit, in_json};
use crate::git::scratch::{Scratch, Shadow};

/// Runs a script.
pub(super) fn run(kit: &Kit, script: &str) -> Result<(), DemoError> {
    let mut stage = Stage {
        kit,
        names: BTreeMap::new(),
        trees: BTreeMap::new(),
        repo: None,
        here: None,
        shadow: None,
    };
    let script = script.strip_suffix('\n').unwrap_or(script);
    for step in script.split("\n== ").skip(1) {
        let (head, body) = step.split_once('\n').unwrap_or((step, ""));
        stage.step(&stage.expand(head)?, &stage.expand(body)?)?;
    }
    Ok(())
}

/// What the steps so far have made.
struct Stage<'a> {
    kit: &'a Kit,
    names: BTreeMap<String, String>,
    /// Work trees by their paths.
    trees: BTreeMap<String, Scratch>,
    repo: Option<Scratch>,
    /// Where commits are made.
    here: Option<Scratch>,
    /// The store with its path.
    shadow: Option<(String, Shadow)>,
}

impl Stage<'_> {
    fn step(&mut self, head: &str, body: &str) -> Result<(), DemoError> {
        let kit = self.kit;
        let (verb, args) = head.split_once(' ').unwrap_or((head, ""));
        let (first, rest) = args.split_once(' ').unwrap_or((args, ""));
        let bad = || DemoError::Script(head.to_owned());
        let ago = |text: &str| age(text).map(|age| kit.ago(age)).ok_or_else(bad);
        match verb {
            "#" => {}
            "let" => {
                self.names.insert(first.to_owned(), rest.to_owned());
            }
            "file" => kit.file(rest, &ended(body), age(first).ok_or_else(bad)?)?,
            "file-without-newline" => kit.file(rest, body, age(first).ok_or_else(bad)?)?,
            "repo" => {
                let (branch, at) = rest.split_once(' ').ok_or_else(bad)?;
                let repo = Scratch::init(&kit.folder(first)?, branch, ago(at)?)?;
                self.repo = Some(repo.clone());
                self.enter(first, repo);
            }
            "worktree" => {
                let (branch, at) = rest.split_once(' ').ok_or_else(bad)?;
                let repo = self.repo.as_ref().ok_or_else(bad)?;
                let tree = repo.worktree(&kit.path(first), branch, ago(at)?)?;
                self.enter(first, tree);
            }
            "commit" => {
                let body = format!("\n{body}");
                let mut parts = body.split("\n-- ");
                let message = parts.next().unwrap_or_default().trim_start();
                let files = parts.map(|part| part.split_once('\n').unwrap_or((part, "")));
                let files: Vec<(&str, String)> =
                    files.map(|(path, text)| (path, ended(text))).collect();
                let files = files.iter();
                let files = files.map(|(path, text)| (*path, Some(text.as_bytes())));
                let files: Vec<(&str, Option<&[u8]>)> = files.collect();
                let here = self.here.as_ref().ok_or_else(bad)?;
                let id = here.commit(&files, rest, message, ago(first)?)?;
                self.names.insert("head".to_owned(), id);
            }
            "branch" => {
                let here = self.here.as_ref().ok_or_else(bad)?;
                here.branch(first, self.names.get("head").ok_or_else(bad)?)?;
                here.checkout(first)?;
            }
            "shadow" => {
                let store = Shadow::init(&kit.path(first), &kit.path(rest))?;
                self.shadow = Some((first.to_owned(), store));
            }
            "snapshot" => {
                let (_, store) = self.shadow.as_ref().ok_or_else(bad)?;
                store.snapshot(rest, "build", ago(first)?)?;
            }
            "age" => match (self.trees.get(rest), &self.shadow) {
                (Some(tree), _) => tree.age(ago(first)?)?,
                (None, Some((path, store))) if path == rest => store.age(ago(first)?)?,
                _ => return Err(bad()),
            },
            _ => return Err(bad()),
        }
        Ok(())
    }

    fn enter(&mut self, path: &str, tree: Scratch) {
        self.trees.insert(path.to_owned(), tree.clone());
        self.here = Some(tree);
    }

    fn expand(&self, text: &str) -> Result<String, DemoError> {
        let mut parts = text.split("${");
        let mut all = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part.split_once('}').unwrap_or((part, ""));
            let value = self.value(name);
            all += &value.ok_or_else(|| DemoError::Script(name.to_owned()))?;
            all += rest;
        }
        Ok(all)
    }

    fn value(&self, name: &str) -> Option<String> {
        let kit = self.kit;
        let (name, arg) = name.split_once(' ').unwrap_or((name, ""));
        Some(match name {
            "root" => in_json(&kit.root().to_string_lossy()),
            "plain-root" => kit.root().to_string_lossy().into_owned(),
            "folder-name" => kit.folder_name(arg),
            "store-name" => kit.store_name(arg),
            "iso" => kit.iso(age(arg)?),
            "iso-ms" => kit.iso_ms(age(arg)?),
            "offset" => kit.iso(age(arg)?).replace('Z', "+00:00"),
            "naive" => kit.naive(age(arg)?),
            "date" => kit.ago(age(arg)?).format("%Y-%m-%d").to_string(),
            "unix" => kit.ago(age(arg)?).timestamp().to_string(),
            _ => self.names.get(name)?.clone(),
        })
    }
}

/// Lines with the newline of the last, which belongs to the separator of the steps.
fn ended(lines: &str) -> String {
    match lines {
        "" => String::new(),
        _ => format!("{lines}\n"),
    }
}

/// The seconds of an age: numbers with their units, `3d` or `5h40m`.
fn age(text: &str) -> Option<i64> {
    let parts = text.split_inclusive(|sign: char| sign.is_ascii_alphabetic());
    let seconds = parts.map(|part| {
        let (number, unit) = part.split_at_checked(part.len().checked_sub(1)?)?;
        let unit = match unit {
            "d" => DAY,
            "h" => HOUR,
            "m" => 60,
            "s" => 1,
            _ => return None,
        };
        number.parse::<i64>().ok()?.checked_mul(unit)
    });
    seconds.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_has_units() {
        assert_eq!(age("5h40m"), Some(5 * HOUR + 2400));
        assert_eq!(age("3d1s"), Some(3 * DAY + 1));
        assert_eq!(age("12"), None);
        assert_eq!(age("twelve"), None);
    }

    #[test]
    fn a_script_says_what_it_cannot_do() {
        let dir = crate::world::temporary::directory();
        let kit = Kit::new(dir.path(), chrono::DateTime::default()).unwrap();
        for script in [
            "\n== dance",
            "\n== file 1x a",
            "\n== file 1h a\n${b}",
            "\n== commit 1h a",
        ] {
            assert!(run(&kit, script).is_err(), "{script}");
        }
        run(
            &kit,
            "About.\n== let b two\n== file 1h a\none\n${b}\n== file 1h c\n",
        )
        .unwrap();
        let text = |name: &str| std::fs::read_to_string(kit.path(name)).unwrap();
        assert_eq!((text("a").as_str(), text("c").as_str()), ("one\ntwo\n", ""));
    }
}
