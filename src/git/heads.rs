//! Which branch has a commit.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use git2::{ErrorCode, Oid, Reference};

use crate::model::Foreign;
use crate::text::Shown as _;
use crate::world::git::GitError;

use super::history;
use super::objects::Repo;

/// The branches as one look found them, and what they have.
pub(super) struct Heads {
    /// Full names and commits: the main branch, the other local ones, then those of remotes.
    tips: Vec<(Vec<u8>, Oid)>,
    /// Why a branch or its history cannot be read, so that nobody knows what it has.
    unread: Option<GitError>,
    /// By commit the first branch that has it, as far as was walked for the second and later questions.
    pub(super) first: HashMap<Oid, usize>,
    /// Where that walk goes on: the branches that it began with, and commits of the last of them.
    todo: (usize, Vec<Oid>),
}

/// The first branch that has a commit, by its full name: the main branch, another local one, or one of a remote.
pub(super) fn branch_with(repo: &Repo, commit: &str) -> Result<Option<Foreign>, GitError> {
    let wanted = history::find(repo, commit)?.id();
    let mut heads = repo.heads.borrow_mut();
    let found = match &mut *heads {
        Some(known) => known.walk(repo, wanted),
        none => {
            let new = none.insert(Heads::of(repo)?);
            let found = new.search(repo, wanted);
            found.unwrap_or_else(|_damaged| new.walk(repo, wanted))
        }
    };
    let Some(known) = &*heads else {
        return Ok(None);
    };
    let name = found.and_then(|found| known.tips.get(found));
    match (name, &known.unread) {
        (Some((name, _)), _) => Ok(Some(name.clone().into())),
        (None, Some(why)) => Err(why.clone()),
        (None, None) => Ok(None),
    }
}

impl Heads {
    fn of(repo: &Repo) -> Result<Self, GitError> {
        let main = history::default_branch(repo);
        let main = main.as_ref().map(Foreign::as_bytes);
        let mut all: Vec<_> = tips(repo)?.into_iter().collect();
        all.sort_by_key(|(name, _)| match name.strip_prefix(b"refs/heads/") {
            Some(local) => u8::from(main != Some(local)),
            None => 2,
        });
        let (mut tips, mut unread) = (Vec::new(), None);
        for (name, tip) in all {
            match tip.and_then(|tip| sound(repo, tip)) {
                Ok(tip) => tips.push((name, tip)),
                Err(why) => unread = unread.or(Some(why)),
            }
        }
        let ids: Vec<Oid> = tips.iter().map(|(_, tip)| *tip).collect();
        Ok(Self {
            unread: unread.or_else(|| repo.whole_history(&ids).err()),
            tips,
            first: HashMap::new(),
            todo: (0, Vec::new()),
        })
    }

    /// Searches only as far back as the commit lies, which is all that most looks ask.
    fn search(&self, repo: &Repo, wanted: Oid) -> Result<Option<usize>, GitError> {
        let is_among = |count: usize| -> Result<bool, GitError> {
            let tips = self.tips.iter().take(count).map(|(_, tip)| *tip);
            let all: Vec<Oid> = std::iter::once(wanted).chain(tips).collect();
            match repo.merge_base_many(&all) {
                Ok(base) => Ok(base == wanted),
                Err(e) if e.code() == ErrorCode::NotFound => Ok(false),
                Err(e) => Err(e.into()),
            }
        };
        let (mut without, mut with) = (1, self.tips.len());
        if with == 0 {
            return Ok(None);
        }
        if is_among(1)? {
            return Ok(Some(0));
        }
        if !is_among(with)? {
            return Ok(None);
        }
        while without + 1 < with {
            let middle = usize::midpoint(without, with);
            if is_among(middle)? {
                with = middle;
            } else {
                without = middle;
            }
        }
        Ok(Some(with - 1))
    }

    /// Walks through the history of the branches until the commit is found, and goes on there for the next one.
    fn walk(&mut self, repo: &Repo, wanted: Oid) -> Option<usize> {
        loop {
            if let Some(branch) = self.first.get(&wanted) {
                return Some(*branch);
            }
            let (begun, todo) = &mut self.todo;
            let Some(id) = todo.pop() else {
                let (_, tip) = self.tips.get(*begun)?;
                todo.push(*tip);
                *begun += 1;
                continue;
            };
            let Entry::Vacant(new) = self.first.entry(id) else {
                continue;
            };
            new.insert(*begun - 1);
            match repo.find_commit(id) {
                Ok(commit) => todo.extend(commit.parent_ids()),
                Err(e) if self.unread.is_none() => {
                    self.unread = Some(repo.objects.error("commit", id, &e));
                }
                Err(_) => {}
            }
        }
    }
}

/// A commit that a branch is at, if its history is safe for libgit2 to walk.
fn sound(repo: &Repo, tip: Oid) -> Result<Oid, GitError> {
    repo.check_history(&[tip])?;
    let found = repo.find_commit(tip);
    found.map_err(|e| repo.objects.error("commit", tip, &e))?;
    Ok(tip)
}

/// The branches by their full names, local ones and those of remotes, each with its commit or why it cannot be read. A
/// dangling reference is left out.
fn tips(repo: &Repo) -> Result<BTreeMap<Vec<u8>, Result<Oid, GitError>>, GitError> {
    repo.objects.packed_refs_are_whole()?;
    let mut tips = BTreeMap::new();
    for of in ["refs/heads", "refs/remotes"] {
        for found in repo.references_glob(&format!("{of}/*"))?.flatten() {
            let id = found.resolve().ok().and_then(|found| found.target());
            tips.extend(id.map(|id| (found.name_bytes().to_vec(), Ok(id))));
        }
        // libgit2 passes over a reference that it cannot read.
        for name in repo.objects.loose_refs(of)? {
            if !tips.contains_key(name.as_os_str().as_bytes()) {
                let read = unlisted(repo, name.as_os_str()).transpose();
                tips.extend(read.map(|read| (name.into_os_string().into_encoded_bytes(), read)));
            }
        }
    }
    // A remote's HEAD only names one of its branches.
    let is_head = |name: &[u8]| {
        let remote = name.strip_prefix(b"refs/remotes/");
        let remote = remote.and_then(|name| name.strip_suffix(b"/HEAD"));
        remote.is_some_and(|remote| !remote.contains(&b'/'))
    };
    tips.retain(|name, _| !is_head(name));
    Ok(tips)
}

/// What a file in the place of a reference is at; `None` if it is none, such as a lock.
fn unlisted(repo: &Repo, name: &OsStr) -> Result<Option<Oid>, GitError> {
    match name.to_str() {
        Some(name) => history::at(repo, name),
        // git2 takes only UTF-8.
        None if Reference::is_valid_name(&name.to_string_lossy()) => Err(GitError::Hostile(
            format!("`{}` in the git directory cannot be read", name.shown()),
        )),
        None => Ok(None),
    }
}
