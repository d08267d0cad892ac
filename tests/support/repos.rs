//! Builds the repositories and shadow stores of a case.

use std::fs;
use std::path::Path;

use chrono::{DateTime, Utc};
use relight::git::scratch::{Scratch, Shadow};

use super::Trouble;
use super::build::put;
use super::case::{self, Case, Commit, Repo};
use super::words::Words;

/// A repository with its worktrees.
pub(crate) fn build(words: &mut Words, repo: &Repo, case: &Case) -> Result<(), Trouble> {
    let now = case.now.utc();
    let first = repo.commits.first().map_or(now, |commit| commit.at.utc());
    let scratch = Scratch::init(&words.path(&repo.dir)?, &repo.branch, first)?;
    commits(words, &scratch, repo)?;
    for (name, at) in &repo.branches {
        scratch.branch(name, &id(words, at)?)?;
    }
    for (name, at) in &repo.upstream {
        scratch.track(name, &id(words, at)?)?;
    }
    for tree in &repo.worktrees {
        let at = tree.commits.first().map_or(first, |commit| commit.at.utc());
        let path = words.path(&tree.dir)?;
        let linked = scratch.worktree(&path, &tree.branch, at)?;
        commits(words, &linked, tree)?;
        finish(words, &linked, tree)?;
    }
    finish(words, &scratch, repo)
}

fn commits(words: &mut Words, scratch: &Scratch, repo: &Repo) -> Result<(), Trouble> {
    for (index, commit) in repo.commits.iter().enumerate() {
        let mut files: Vec<(String, Option<Vec<u8>>)> = Vec::new();
        if index == 0 && !repo.ignore.is_empty() {
            let lines = repo.ignore.join("\n") + "\n";
            files.push((".gitignore".to_owned(), Some(lines.into_bytes())));
        }
        for (path, text) in &commit.files {
            files.push((words.text(path)?, Some(words.bytes(text.as_bytes())?)));
        }
        for path in &commit.remove {
            files.push((words.text(path)?, None));
        }
        let files: Vec<(&str, Option<&[u8]>)> = files
            .iter()
            .map(|(path, bytes)| (path.as_str(), bytes.as_deref()))
            .collect();
        let subject = words.text(&commit.subject)?;
        let body = words.text(&commit.body)?;
        let made = scratch.commit(&files, &subject, &body, commit.at.utc())?;
        name(words, commit, made)?;
    }
    Ok(())
}

/// What is done to a work tree after its commits.
fn finish(words: &Words, scratch: &Scratch, repo: &Repo) -> Result<(), Trouble> {
    match repo.checkout.as_deref() {
        None => {}
        Some(target) => match target.strip_prefix("detached:") {
            None => scratch.checkout(target)?,
            Some(at) => detach(scratch, &id(words, at)?)?,
        },
    }
    let git_dir = scratch.git_dir();
    if let Some(busy) = &repo.busy {
        let (file, content) = match busy.as_str() {
            "merge" => ("MERGE_HEAD", format!("{}\n", scratch.head()?)),
            "cherry-pick" => ("CHERRY_PICK_HEAD", format!("{}\n", scratch.head()?)),
            "revert" => ("REVERT_HEAD", format!("{}\n", scratch.head()?)),
            "bisect" => ("BISECT_LOG", "git bisect start\n".to_owned()),
            "rebase" => ("rebase-merge/head-name", "refs/heads/x\n".to_owned()),
            other => return Err(Trouble(format!("git cannot be busy with `{other}`"))),
        };
        put(&git_dir.join(file), content.as_bytes())?;
    }
    if repo.index_lock {
        put(&git_dir.join("index.lock"), b"")?;
    }
    Ok(())
}

/// Detaches HEAD at a commit, by way of a branch that is gone afterwards.
fn detach(scratch: &Scratch, commit: &str) -> Result<(), Trouble> {
    let passing = "relight-fixture-passing";
    scratch.branch(passing, commit)?;
    scratch.checkout(passing)?;
    scratch.detach()?;
    fs::remove_file(scratch.common_dir().join("refs/heads").join(passing))?;
    Ok(())
}

/// A shadow store: the files of each checkpoint are written into the work tree, then it is taken.
pub(crate) fn shadow(words: &mut Words, shadow: &case::Shadow) -> Result<(), Trouble> {
    let work_tree = words.path(&shadow.work_tree)?;
    fs::create_dir_all(&work_tree)?;
    let store = Shadow::init(&words.path(&shadow.store)?, &work_tree)?;
    for commit in &shadow.commits {
        for (path, text) in &commit.files {
            let content = words.bytes(text.as_bytes())?;
            put(&work_tree.join(words.text(path)?), &content)?;
        }
        for path in &commit.remove {
            fs::remove_file(work_tree.join(words.text(path)?))?;
        }
        let made = store.snapshot(&commit.reason, &commit.source, commit.at.utc())?;
        name(words, commit, made)?;
    }
    if let Some(wanted) = &shadow.table {
        table(words, store.store(), wanted)?;
    }
    let last: Option<DateTime<Utc>> = shadow.commits.last().map(|commit| commit.at.utc());
    if let Some(at) = last {
        store.age(at)?;
    }
    Ok(())
}

/// Keeps only some rows of the checkpoint table, or no table.
fn table(words: &Words, store: &Path, wanted: &[String]) -> Result<(), Trouble> {
    let file = store.join("checkpoint-manifest.md");
    if wanted.is_empty() {
        return Ok(fs::remove_file(file)?);
    }
    let text = fs::read_to_string(&file)?;
    let mut kept = String::new();
    for name in wanted {
        let id = id(words, name)?;
        let row = text.lines().find(|row| {
            let short = row.split('|').nth(1).map(str::trim).unwrap_or_default();
            short.len() >= 7 && id.starts_with(short)
        });
        let row = row.ok_or_else(|| Trouble(format!("the table has no row for `{name}`")))?;
        kept.push_str(row);
        kept.push('\n');
    }
    Ok(fs::write(file, kept)?)
}

fn name(words: &mut Words, commit: &Commit, id: String) -> Result<(), Trouble> {
    if commit.r#ref.is_empty() {
        return Ok(());
    }
    match words.ids.insert(commit.r#ref.clone(), id) {
        None => Ok(()),
        Some(_) => Err(Trouble(format!(
            "two commits have the ref `{}`",
            commit.r#ref
        ))),
    }
}

fn id(words: &Words, name: &str) -> Result<String, Trouble> {
    let known = words.ids.get(name).cloned();
    known.ok_or_else(|| Trouble(format!("no commit has the ref `{name}`")))
}
