//! The conversations of Claude Code that worked on a pipeline.

use std::path::{Path, PathBuf};

use chrono::TimeDelta;

use super::files::{Candidate, End, Head, TAIL, end, file, files, slug, tail};
use super::matching::Subject;
use super::{ASKED, Depth, Found, Index, KEPT_DAYS, LISTED, Project, SLACK, Unread, judged};
use crate::foreign;
use crate::model::{Cause, CauseKind, Client, Conversation, Stamp, Sure};
use crate::text::format::{longest_unit, short_uuid};
use crate::world::World;
use crate::world::files::ReadError;

/// How many conversations of directories above a pipeline's are read for one row of a list.
const ABOVE: usize = 30;

/// The id of a conversation in which another one continued, and why its end is not known.
struct Lost(String, &'static str);

/// The files whose directory and time fit, in order, and what of them was not read.
type Candidates<'a> = (Vec<&'a Candidate>, Vec<Unread>);

impl Index {
    pub(super) fn of_claude(
        &self,
        subject: &Subject<'_>,
        depth: Depth,
        world: &dyn World,
    ) -> Found {
        let fits = fits(subject);
        let (candidates, hidden) = self.candidates(subject, &fits, depth, world);
        let most = if depth == Depth::List { LISTED } else { ASKED };
        let mut found = Found {
            conversations: Vec::new(),
            unread: hidden,
        };
        let mut followed: Vec<String> = Vec::new();
        let mut above = 0;
        for candidate in candidates {
            let answered = found.conversations.iter().any(|one| {
                let rivals = judged::rivals_end(one, subject.reading());
                rivals.is_some_and(|oldest| candidate.modified < oldest)
            });
            if found.conversations.len() >= most || depth == Depth::List && answered {
                break;
            }
            if followed.contains(&candidate.id) {
                continue;
            }
            let head = match candidate.head(world) {
                Ok(head) => head,
                Err(why) => {
                    let file = candidate.place.path();
                    // As with a whole project: what another one hides is rarely of this pipeline.
                    if file.parent().is_some_and(&fits) {
                        found.unread.extend(unread(world, file, why));
                    }
                    continue;
                }
            };
            if depth == Depth::List && !subject.may_be(head) {
                above += 1;
                if above > ABOVE {
                    continue;
                }
            }
            let Some(own) = self.end_of(subject, candidate, head, depth, world) else {
                continue;
            };
            let one = match self.followed(candidate, &own, depth, world) {
                Ok(None) => self.conversation(subject, candidate, head, own, world),
                Ok(Some((last, end))) => {
                    let end = joined(own, end);
                    let one = self.conversation(subject, &last, head, end, world);
                    let one = one.map(|one| continuing(one, &candidate.id));
                    found
                        .conversations
                        .retain(|known| one.is_none() || known.id.lossy() != last.id);
                    followed.extend(one.is_some().then_some(last.id));
                    one
                }
                Err(missing) => {
                    let one = self.conversation(subject, candidate, head, own, world);
                    one.map(|one| lost(one, &missing))
                }
            };
            found.conversations.extend(one);
        }
        found
    }

    /// The last conversation that one continues in, over all projects, or one that is missing.
    fn followed(
        &self,
        first: &Candidate,
        own: &End,
        depth: Depth,
        world: &dyn World,
    ) -> Result<Option<(Candidate, End)>, Lost> {
        let mut seen = vec![first.id.clone()];
        let mut last: Option<(Candidate, End)> = None;
        // One that is open has come back to its terminal.
        let moved = own.transcript.moved_to.clone();
        let mut next = moved.filter(|_| !self.register.is_open(&first.id));
        let mut ended = own.transcript.last_at;
        while let Some(id) = next.take() {
            if seen.contains(&id) {
                break;
            }
            let places = self.projects.iter();
            let places = places.filter_map(|one| file(world, &one.root, &one.dir, &id));
            let newest = places.max_by_key(|one| one.modified);
            let Some(one) = newest else {
                return Err(Lost(id, "was not found"));
            };
            let Some(end) = end(world, &one.place, one.size, depth) else {
                return Err(Lost(id, "cannot be read"));
            };
            // The name of an older one is that of another conversation.
            let times = end.transcript.last_at.zip(ended);
            if times.is_some_and(|(last, ended)| last.at + SLACK < ended.at) {
                return Err(Lost(id, "ended before"));
            }
            ended = end.transcript.last_at;
            next.clone_from(&end.transcript.moved_to);
            seen.push(id);
            last = Some((one, end));
        }
        Ok(last)
    }

    /// The end of a file, if its beginning allows that it worked on the pipeline.
    fn end_of(
        &self,
        subject: &Subject<'_>,
        candidate: &Candidate,
        head: &Head,
        depth: Depth,
        world: &dyn World,
    ) -> Option<End> {
        let (place, size) = (&candidate.place, candidate.size);
        let here = subject.may_be(head);
        let in_time = subject.was_written_after(head) || self.register.names(&candidate.id);
        match depth {
            Depth::List if in_time && (here || subject.is_below(head)) => {
                let end = || end(world, place, size, depth);
                candidate.end.get_or_init(end).clone()
            }
            Depth::List => None,
            Depth::All => {
                // A conversation elsewhere only counts if it wrote the pipeline's files, and parsing thousands of files
                // for that is too slow.
                let named =
                    || subject.is_named_in(&tail(world, place, size, TAIL).unwrap_or_default());
                let elsewhere = || in_time && (named() || subject.shares_repository(head));
                (here || elsewhere()).then(|| end(world, place, size, depth))?
            }
        }
    }

    /// The files whose directory and time fit.
    fn candidates(
        &self,
        subject: &Subject<'_>,
        fits: &impl Fn(&Path) -> bool,
        depth: Depth,
        world: &dyn World,
    ) -> Candidates<'_> {
        let (mut found, mut hidden) = (Vec::new(), Vec::new());
        for project in &self.projects {
            let fits = fits(&project.dir);
            if depth == Depth::List && !fits {
                continue;
            }
            match project.files(world) {
                Ok(files) => {
                    let files = files.iter();
                    found.extend(files.filter(|file| subject.began_before(file.modified)));
                }
                Err(why) if fits => {
                    hidden.extend(unread(world, project.dir.clone(), why));
                }
                // What another project hides is rarely of this one.
                Err(_) => {}
            }
        }
        // Open conversations first: one may have been waiting for days.
        found.sort_by_key(|one| {
            let open = self.register.is_open(&one.id);
            (!open, std::cmp::Reverse(one.modified))
        });
        (found, hidden)
    }

    fn conversation(
        &self,
        subject: &Subject<'_>,
        candidate: &Candidate,
        head: &Head,
        End { transcript, marks }: End,
        world: &dyn World,
    ) -> Option<Conversation> {
        let last_at = transcript
            .last_at
            .or_else(|| Some(Stamp::utc(candidate.modified)));
        let cwd = transcript.cwd.clone().or_else(|| head.cwd.clone());
        let dirs = [head.cwd.as_deref(), cwd.as_deref()];
        let reasons = subject.reasons(&dirs, (head.at, last_at), &transcript)?;
        let known = self.register.state(&candidate.id);
        let known = known.as_ref();
        let fresh = world.clock().now().to_utc() - candidate.modified < TimeDelta::minutes(2);
        let alive = judged::aliveness(known, fresh);
        let days = self
            .kept_days
            .get(&candidate.root)
            .copied()
            .unwrap_or(KEPT_DAYS);
        let expires = candidate.modified.checked_add_signed(TimeDelta::days(days));
        let configured = world.places().claude.as_ref() == Some(&candidate.root);
        // The variable would lead the client past a conversation of the usual directory.
        let argv: &[&str] = if configured {
            &[]
        } else {
            &["env", "-u", "CLAUDE_CONFIG_DIR"]
        };
        let argv = [argv, &["claude", "--resume", &candidate.id]].concat();
        let anywhere = judged::finds_from_anywhere(transcript.version.as_deref());
        let resume = judged::resume_command(world, &argv, cwd.as_deref(), anywhere);
        // An open conversation is never resumed a second time.
        let resume = resume.filter(|_| !self.register.is_open(&candidate.id));
        let file = candidate.place.path();
        let client = Client::ClaudeCode;
        let cause = judged::cause(
            client,
            (&transcript, &marks),
            &file,
            known,
            resume.as_ref(),
            world.clock().now(),
        );
        let cause = subject.about(cause, &dirs, &transcript);
        let later = subject.went_on(&cause, last_at, marks.prompted_at, &transcript);
        let cause = later.map_or_else(|| cause.clone(), |later| going_on(&cause, later));
        Some(Conversation {
            client,
            id: candidate.id.as_str().into(),
            file,
            cwd,
            branch: transcript.branch,
            started_at: head.at,
            last_at,
            tokens: transcript.context_tokens,
            alive,
            reasons,
            expires_at: expires.map(Stamp::utc),
            resume,
            cause,
            went_on: later.is_some(),
            quotes: transcript.quotes,
        })
    }
}

/// Whether the folder of a project may hold conversations that began in or above a pipeline's directories, as far as
/// its name tells.
fn fits(subject: &Subject<'_>) -> impl Fn(&Path) -> bool + use<> {
    let slugs: Vec<String> = subject.dirs().map(slug).collect();
    let above = subject.dirs().flat_map(|dir| dir.ancestors().skip(1));
    let above: Vec<String> = above.map(slug).collect();
    move |dir| {
        let name = dir.file_name().unwrap_or_default().to_string_lossy();
        // A name that the client would not generate was set by the person.
        !name.starts_with('-')
            || slugs.iter().any(|slug| name.starts_with(slug))
            || above.iter().any(|slug| name == *slug)
    }
}

impl Project {
    fn files(&self, world: &dyn World) -> Result<&[Candidate], &ReadError> {
        let listed = || files(world, &self.root, &self.dir);
        let listed = self.files.get_or_init(listed);
        listed.as_deref()
    }

    /// What of it cannot be read.
    pub(super) fn unread(&self, world: &dyn World) -> Vec<Unread> {
        let files = match self.files(world) {
            Ok(files) => files.iter(),
            Err(why) => return unread(world, self.dir.clone(), why).into_iter().collect(),
        };
        let closed = files.filter_map(|one| {
            let why = one.head(world).err()?;
            unread(world, one.place.path(), why)
        });
        closed.collect()
    }
}

/// What could not be read, unless it is gone or nothing of the client's.
fn unread(world: &dyn World, path: PathBuf, why: &ReadError) -> Option<Unread> {
    let is_there = why.leaves_unknown();
    is_there.then(|| Unread::new(world, Client::ClaudeCode, path, why.to_string()))
}

/// Puts what was done first before the rest.
fn before<T>(own: Vec<T>, later: &mut Vec<T>) {
    later.splice(0..0, own);
}

/// The end of a conversation that continued in another one, with what both did.
fn joined(own: End, mut last: End) -> End {
    let (own, end) = (own.transcript, &mut last.transcript);
    before(own.written, &mut end.written);
    before(own.skills, &mut end.skills);
    before(own.asked, &mut end.asked);
    before(own.commands, &mut end.commands);
    before(own.worktrees, &mut end.worktrees);
    before(own.workflows, &mut end.workflows);
    before(own.pull_requests, &mut end.pull_requests);
    last
}

/// A cause that may be about other work.
pub(super) fn going_on(cause: &Cause, later: TimeDelta) -> Cause {
    let later = longest_unit(later);
    let text = "so this may be about other work.";
    Cause {
        text: foreign!(
            "{} It ended {} after the pipeline's last write, {}",
            &cause.text,
            later,
            text
        ),
        sure: Sure::Guess,
        ..cause.clone()
    }
}

fn continuing(mut one: Conversation, first: &str) -> Conversation {
    let text = format!("It continues conversation {}.", short_uuid(first));
    one.reasons.push(text.into());
    one
}

/// A conversation whose end is in another one that is missing.
fn lost(one: Conversation, Lost(id, why): &Lost) -> Conversation {
    let text = foreign!("It continued in {}, which {}.", short_uuid(id), *why);
    Conversation {
        resume: None,
        cause: Cause {
            kind: CauseKind::Unknown,
            text,
            until: None,
            sure: Sure::Guess,
            next: Vec::new(),
            ..one.cause
        },
        ..one
    }
}
