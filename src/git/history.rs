//! Commits and their history.

use std::path::Path;

use chrono::DateTime;
use git2::{BranchType, ErrorCode, ObjectType, Oid, Sort};

use crate::model::Foreign;
use crate::world::git::{Commit, GitError};

use super::objects::{BLOB_CAP, Repo};
use super::path_history::Entries;

/// The id of a commit by all of its 40 digits.
pub(super) fn full_id(commit: &str) -> Result<Oid, GitError> {
    Oid::from_str(commit)
        .ok()
        // git2 pads a shorter id with zeros, and that would name no object, or another one.
        .filter(|_| commit.len() == 40)
        .ok_or_else(|| GitError::Missing(format!("commit {commit}")))
}

/// Converts a commit to the world's type.
pub(super) fn commit(found: &git2::Commit<'_>) -> Commit {
    let at = |time: git2::Time| DateTime::from_timestamp(time.seconds(), 0).unwrap_or_default();
    let message = found.message_bytes();
    let end = message.iter().position(|byte| *byte == b'\n');
    let (subject, rest) = message.split_at(end.unwrap_or(message.len()));
    Commit {
        id: found.id().to_string(),
        time: at(found.time()),
        authored: at(found.author().when()),
        subject: subject.trim_ascii_end().into(),
        body: rest.trim_ascii().into(),
        parents: found.parent_ids().map(|id| id.to_string()).collect(),
        cut: found.parent_count() == 0 && names_parents(found.raw_header_bytes()),
    }
}

/// Whether a commit names parents, also those that are hidden because a shallow clone lacks them.
fn names_parents(header: &[u8]) -> bool {
    memchr::memmem::find(header, b"\nparent ").is_some()
}

/// The object of a full id or a branch name. An id wins over a branch of the same name.
pub(super) fn resolve(repo: &Repo, revision: &str) -> Result<Oid, GitError> {
    if revision.len() == 40
        && let Ok(id) = Oid::from_str(revision)
    {
        return Ok(id);
    }
    let full = if revision.starts_with("refs/") {
        revision.to_owned()
    } else {
        format!("refs/heads/{revision}")
    };
    at(repo, &full)?.ok_or_else(|| GitError::Missing(format!("branch {revision}")))
}

/// The commit that HEAD is at; `None` before the first commit.
pub(super) fn head(repo: &Repo) -> Result<Option<Oid>, GitError> {
    at(repo, "HEAD")
}

/// What a full reference name is at; `None` if there is no such reference. A crash leaves one empty or full of NULs, which
/// is no reason to take it for one that was never made.
pub(super) fn at(repo: &Repo, name: &str) -> Result<Option<Oid>, GitError> {
    match repo.refname_to_id(name) {
        Ok(id) => Ok(Some(id)),
        Err(e) if e.code() == ErrorCode::NotFound || e.code() == ErrorCode::InvalidSpec => {
            repo.objects.packed_refs_are_whole()?;
            Ok(None)
        }
        Err(e) => Err(GitError::Hostile(format!(
            "`{name}` in the git directory, or what it names, cannot be read: {}",
            e.message()
        ))),
    }
}

/// The commit of a full id, a branch name or a full reference name; of a tag, the commit that it points to.
pub(super) fn find<'repo>(
    repo: &'repo Repo,
    revision: &str,
) -> Result<git2::Commit<'repo>, GitError> {
    let mut id = resolve(repo, revision)?;
    repo.check(id)?;
    if revision.starts_with("refs/tags/")
        && let Ok(tag) = repo.find_tag(id)
    {
        // A tag may be annotated; tags of tags are not supported.
        id = tag.target_id();
        repo.check(id)?;
    }
    repo.find_commit(id).map_err(|e| {
        // Only where the id itself was asked for may there never have been such a commit.
        if e.code() == ErrorCode::NotFound && revision == id.to_string() {
            not_found(repo, revision, &e)
        } else {
            repo.objects.error("commit", id, &e)
        }
    })
}

/// A commit by its id, which may be shortened to 7 digits.
pub(super) fn find_by_id(repo: &Repo, id: &str) -> Result<Commit, GitError> {
    let what = format!("commit {id}");
    let hex = id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !hex || !(7..=40).contains(&id.len()) {
        return Err(GitError::Missing(what));
    }
    repo.check_prefix(id)?;
    let found = if id.len() == 40 {
        Oid::from_str(id).and_then(|id| repo.find_object(id, None))
    } else {
        repo.find_object_by_prefix(id, None)
    };
    let other = |what: &str| {
        let (id, what) = (id.to_owned(), what.to_owned());
        Err(GitError::NoCommit { id, what })
    };
    match found {
        Ok(found) => match of_object(repo, &found)? {
            Some(found) => Ok(commit(&found)),
            None => other(&format!(
                "is a {}",
                found.kind().map_or("damaged object", |kind| kind.str())
            )),
        },
        Err(e) if e.code() == ErrorCode::NotFound => Err(not_found(repo, id, &e)),
        Err(e) if e.code() == ErrorCode::Ambiguous => {
            other("is ambiguous: several objects begin with it")
        }
        Err(e) => Err(e.into()),
    }
}

/// The error for a commit that was asked for by its id: one that HEAD or another reference is at was there.
fn not_found(repo: &Repo, id: &str, error: &git2::Error) -> GitError {
    let id = id.to_ascii_lowercase();
    let named = repo.named.get_or_init(|| {
        let head = repo.refname_to_id("HEAD").ok();
        let named = repo.references().into_iter().flatten().flatten();
        let named = named.filter_map(|found| found.resolve().ok()?.target());
        head.into_iter().chain(named).collect()
    });
    let mut named = named.iter();
    match named.find(|named| named.to_string().starts_with(&id)) {
        Some(named) => repo.objects.error("commit", *named, error),
        None => repo.objects.absent(&format!("commit {id}")),
    }
}

/// The commit that an object is, or that a tag of it names; `None` for anything else.
fn of_object<'repo>(
    repo: &'repo Repo,
    found: &git2::Object<'repo>,
) -> Result<Option<git2::Commit<'repo>>, GitError> {
    let mut id = found.id();
    if let Some(tag) = found.as_tag() {
        if tag.target_type() != Some(ObjectType::Commit) {
            return Ok(None);
        }
        id = tag.target_id();
        repo.check(id)?;
    } else if found.kind() != Some(ObjectType::Commit) {
        return Ok(None);
    }
    let commit = repo.find_commit(id);
    commit
        .map(Some)
        .map_err(|e| repo.objects.error("commit", id, &e))
}

/// Commits reachable from `tip` and not from `base`, newest first.
pub(super) fn log(
    repo: &Repo,
    tip: &str,
    base: Option<&str>,
    limit: usize,
) -> Result<Vec<Commit>, GitError> {
    let tip = find(repo, tip)?.id();
    repo.check_history(&[tip])?;
    let mut walk = repo.revwalk()?;
    walk.set_sorting(Sort::TIME)?;
    walk.push(tip)?;
    if let Some(base) = base {
        let base = find(repo, base)?.id();
        if !repo.graph_descendant_of(tip, base)? && tip != base {
            repo.whole_history(&[tip])?;
        }
        walk.hide(base)?;
    }
    walk.take(limit)
        .map(|id| Ok(commit(&repo.find_commit(id?)?)))
        .collect()
}

/// Two commits whose histories are safe for libgit2 to walk.
fn both(repo: &Repo, a: &str, b: &str) -> Result<(Oid, Oid), GitError> {
    let (a, b) = (find(repo, a)?.id(), find(repo, b)?.id());
    repo.check_history(&[a, b])?;
    Ok((a, b))
}

/// Whether one commit is reachable from another.
pub(super) fn is_ancestor(repo: &Repo, ancestor: &str, descendant: &str) -> Result<bool, GitError> {
    let (old, new) = both(repo, ancestor, descendant)?;
    if old == new {
        return Ok(true);
    }
    let within = repo.graph_descendant_of(new, old)?;
    if !within {
        repo.whole_history(&[new])?;
    }
    Ok(within)
}

/// The best common ancestor.
pub(super) fn merge_base(repo: &Repo, a: &str, b: &str) -> Result<Option<String>, GitError> {
    let (a, b) = both(repo, a, b)?;
    match repo.merge_base(a, b) {
        Ok(id) => Ok(Some(id.to_string())),
        Err(e) if e.code() == ErrorCode::NotFound => {
            repo.whole_history(&[a, b])?;
            Ok(None)
        }
        Err(e) => Err(e.into()),
    }
}

/// Commits on `a` alone and on `b` alone.
pub(super) fn ahead_behind(repo: &Repo, a: &str, b: &str) -> Result<(u64, u64), GitError> {
    let (a, b) = both(repo, a, b)?;
    if repo.merge_base(a, b).is_err() {
        repo.whole_history(&[a, b])?;
    }
    let (ahead, behind) = repo.graph_ahead_behind(a, b)?;
    Ok((ahead as u64, behind as u64))
}

/// The local branches, short, sorted by bytes. A dangling reference is left out.
pub(super) fn branches(repo: &Repo) -> Result<Vec<Foreign>, GitError> {
    repo.objects.packed_refs_are_whole()?;
    let found = repo.branches(Some(BranchType::Local))?;
    let mut names: Vec<Vec<u8>> = found
        .filter_map(|branch| {
            let (branch, _) = branch.ok()?;
            branch.name_bytes().ok().map(<[u8]>::to_vec)
        })
        .collect();
    names.sort();
    Ok(names.into_iter().map(Foreign::from).collect())
}

/// The upstream tip of a local branch.
pub(super) fn upstream(repo: &Repo, branch: &str) -> Result<Option<String>, GitError> {
    let local = repo
        .find_branch(branch, BranchType::Local)
        .ok()
        .ok_or_else(|| GitError::Missing(format!("branch {branch}")))?;
    match local.upstream() {
        Ok(found) => {
            let tip = found.get().resolve()?;
            Ok(tip.target().map(|id| id.to_string()))
        }
        Err(e) if e.code() == ErrorCode::NotFound => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// The main branch: origin's, else `main`, else `master`.
pub(super) fn default_branch(repo: &Repo) -> Option<Foreign> {
    let origin = repo.find_reference("refs/remotes/origin/HEAD").ok();
    let named = origin.as_ref().and_then(|found| {
        let target = found.symbolic_target_bytes()?;
        target.strip_prefix(b"refs/remotes/origin/")
    });
    if let Some(name) = named {
        return Some(name.into());
    }
    ["main", "master"]
        .into_iter()
        .find(|name| repo.find_reference(&format!("refs/heads/{name}")).is_ok())
        .map(Foreign::from)
}

/// The paths in which each commit differs from its first parent; `None` where they cannot be told.
pub(super) fn changed_paths(repo: &Repo, commits: &[&str]) -> Vec<Option<Vec<Foreign>>> {
    let all = commits.iter();
    all.map(|commit| changed(repo, commit).ok()).collect()
}

fn changed(repo: &Repo, commit: &str) -> Result<Vec<Foreign>, GitError> {
    let here = find(repo, commit)?;
    let tree = |commit: &git2::Commit<'_>| {
        repo.check_tree(commit.tree_id())?;
        Ok::<_, GitError>(repo.find_tree(commit.tree_id())?)
    };
    let parent = here.parent_ids().next();
    let parent = parent.map(|id| find(repo, &id.to_string())).transpose()?;
    let old = parent.as_ref().map(tree).transpose()?;
    let diff = repo.diff_tree_to_tree(old.as_ref(), Some(&tree(&here)?), None)?;
    // Renames are not searched for, so both sides of a change have one name.
    let paths = diff.deltas().filter_map(|delta| {
        let path = delta.new_file().path_bytes();
        path.or_else(|| delta.old_file().path_bytes())
            .map(Foreign::from)
    });
    Ok(paths.collect())
}

/// The object and mode at a path of a commit.
pub(super) fn entry_at(
    repo: &Repo,
    revision: &str,
    path: &Path,
) -> Result<Option<(Oid, i32)>, GitError> {
    let commit = find(repo, revision)?;
    Entries::default().at(repo, commit.tree_id(), path)
}

/// The content of a path in a commit.
pub(super) fn blob_at(repo: &Repo, revision: &str, path: &Path) -> Result<Vec<u8>, GitError> {
    let missing = || GitError::Missing(path.to_string_lossy().into_owned());
    let (id, mode) = entry_at(repo, revision, path)?.ok_or_else(missing)?;
    if mode == 0o040_000 || mode == 0o160_000 {
        return Err(missing());
    }
    blob(repo, id)
}

/// The content of a blob that a tree or an index names.
pub(super) fn blob(repo: &Repo, id: Oid) -> Result<Vec<u8>, GitError> {
    let odb = repo.odb()?;
    let read = repo
        .objects
        .read_within(&odb, ObjectType::Blob, id, BLOB_CAP)?;
    Ok(read.data().to_vec())
}
