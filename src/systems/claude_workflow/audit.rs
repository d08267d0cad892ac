//! What the agents that will run again did outside the conversation, because a second run may repeat it. Commands are
//! classified by their first words, and never run or quoted. Whether they succeeded is known only if the agent's file
//! has their result.

pub(crate) mod commands;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

use crate::conversations::claude::written_path;
use crate::formats::jsonl;
use crate::formats::{json, stamp};
use crate::model::{Irreversible, Origin, Place, Stamp};
use crate::string_enum;
use crate::systems::claude_workflow::facts::{Agent, Facts};
use crate::systems::claude_workflow::shape::label;
use crate::systems::irreversible::{of_command, stated};
use crate::text::Shown as _;
use crate::text::format::{count, short_id};
use crate::world::World;
use crate::world::git::{StatusPath, Worktree};

/// A file that was modified this long after the agent's write was modified by somebody else.
const WRITE_SLACK_S: i64 = 5;

string_enum! {
    /// The kind of an effect.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) enum Kind {
        File = "file",
        Worktree = "worktree",
        Command = "command",
        Mcp = "mcp",
    }
}

/// An effect of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Effect {
    pub(crate) kind: Kind,
    /// The agent's number.
    pub(crate) agent: usize,
    /// A path, the first words of a command, or the name of a tool.
    pub(crate) what: String,
    /// Its current state: `exists`, `missing`, `may have happened`.
    pub(crate) state: String,
    pub(crate) at: Option<Stamp>,
    /// The line of the agent's file.
    pub(crate) line: Option<u64>,
}

impl Effect {
    /// An effect of an agent, by a call if one is known to have had it.
    fn of(agent: &Agent, call: Option<&Call>, kind: Kind, what: String, state: String) -> Self {
        Self {
            kind,
            agent: agent.number,
            what,
            state,
            at: call.and_then(|call| call.at),
            line: call.map(|call| call.line),
        }
    }

    /// The effect as one line of a list.
    pub(crate) fn words(&self) -> String {
        let what = label(&self.what);
        format!("{what} ({}, agent {})", self.state, self.agent)
    }
}

/// The uncommitted changes of each work tree, queried once.
type Repos = HashMap<PathBuf, Option<Vec<StatusPath>>>;

/// What each agent did, by its number: a check and a hand-off ask for the same, and the files of agents are large.
pub(crate) type Known = Mutex<HashMap<usize, Vec<Effect>>>;

/// The effects of agents that run again, in their order.
pub(crate) fn effects<'a>(
    world: &dyn World,
    facts: &Facts,
    again: impl Iterator<Item = &'a Agent>,
) -> Vec<Effect> {
    let trees = world.git().worktrees(&facts.root).unwrap_or_default();
    let mut repos = Repos::new();
    let known = facts.effects.lock();
    let mut known = known.unwrap_or_else(PoisonError::into_inner);
    let mut all = Vec::new();
    for agent in again {
        let own = known.entry(agent.number).or_insert_with(|| {
            let calls = calls(world, agent);
            let mut own = files(world, facts, agent, &calls, &mut repos);
            own.extend(worktree(world, &trees, agent));
            own.extend(calls.iter().flat_map(|call| command(agent, call)));
            own
        });
        all.extend_from_slice(own);
    }
    all
}

/// The commands of all agents whose effects cannot be undone.
pub(crate) fn irreversible(world: &dyn World, facts: &Facts) -> Vec<Irreversible> {
    let mut found = Vec::new();
    for agent in &facts.agents {
        let Some(file) = agent.file.as_deref() else {
            continue;
        };
        for call in calls(world, agent) {
            for effect in command(agent, &call) {
                if let Some(kind) = of_command(&effect.what) {
                    let origin = Origin::line(file, call.line);
                    let (number, what, state) = (&agent.number, &effect.what, &effect.state);
                    let text = format!("Agent {number} ran {what}: {state}.");
                    found.push(stated(kind, text, origin));
                }
            }
        }
    }
    found
}

/// A call of a tool in the file of an agent.
struct Call {
    name: String,
    input: Map<String, Value>,
    at: Option<Stamp>,
    line: u64,
    /// Whether its result is an error; `None` without a result.
    failed: Option<bool>,
}

impl Call {
    fn path(&self) -> Option<PathBuf> {
        let path = written_path(&self.name, &self.input).map(PathBuf::from);
        path.filter(|_| self.failed != Some(true))
    }

    const fn outcome(&self) -> &'static str {
        match self.failed {
            Some(false) => "reported success",
            Some(true) => "reported an error, may have happened in part",
            None => "no result recorded, may have happened",
        }
    }
}

/// All calls of an agent, with their results.
fn calls(world: &dyn World, agent: &Agent) -> Vec<Call> {
    let place = agent.file.as_deref().and_then(Place::of);
    let bytes = place.and_then(|place| world.files().whole(&place).ok());
    let bytes = bytes.unwrap_or_default();
    let mut calls: Vec<Call> = Vec::new();
    let mut by_id: HashMap<String, usize> = HashMap::new();
    for (line, map) in jsonl::objects(&bytes) {
        let message = json::child(&map, "message");
        let blocks = message.map_or(&[][..], |message| json::list(message, "content"));
        for block in blocks.iter().filter_map(Value::as_object) {
            match json::text(block, "type") {
                Some("tool_use") => {
                    if let Some(id) = json::owned(block, "id") {
                        by_id.insert(id, calls.len());
                    }
                    calls.push(Call {
                        name: json::owned(block, "name").unwrap_or_default(),
                        input: json::child(block, "input").cloned().unwrap_or_default(),
                        at: json::text(&map, "timestamp")
                            .and_then(|text| stamp::parse(text, world.clock())),
                        line,
                        failed: None,
                    });
                }
                Some("tool_result") => {
                    let id = json::text(block, "tool_use_id").and_then(|id| by_id.get(id));
                    if let Some(call) = id.and_then(|index| calls.get_mut(*index)) {
                        call.failed = Some(json::flag(block, "is_error").unwrap_or(false));
                    }
                }
                Some(_) | None => {}
            }
        }
    }
    calls
}

/// The files that it wrote, each once with its last write.
fn files(
    world: &dyn World,
    facts: &Facts,
    agent: &Agent,
    calls: &[Call],
    repos: &mut Repos,
) -> Vec<Effect> {
    let mut found: Vec<(PathBuf, &Call)> = Vec::new();
    for call in calls {
        let Some(path) = call.path() else { continue };
        found.retain(|(known, _)| *known != path);
        found.push((path, call));
    }
    let effect = |(path, call): (PathBuf, &Call)| {
        let rel = path.strip_prefix(&facts.root).unwrap_or(&path);
        let state = file_state(world, &path, call.at.as_ref(), repos);
        Effect::of(
            agent,
            Some(call),
            Kind::File,
            rel.shown().to_string(),
            state,
        )
    };
    found.into_iter().map(effect).collect()
}

fn file_state(world: &dyn World, path: &Path, at: Option<&Stamp>, repos: &mut Repos) -> String {
    let Some(stat) = Place::of(path).and_then(|place| world.files().stat(&place).ok()) else {
        return "missing".to_owned();
    };
    let changed = at.is_some_and(|at| stat.modified.timestamp() > at.unix() + WRITE_SLACK_S);
    let state = if changed { "changed since" } else { "exists" };
    let git = tracked(world, path, repos);
    git.map_or_else(|| state.to_owned(), |git| format!("{state}, {git}"))
}

/// git's status of a file; `None` outside a work tree.
fn tracked(world: &dyn World, path: &Path, repos: &mut Repos) -> Option<&'static str> {
    let git = world.git();
    let top = git.repo(path.parent()?).ok()?.work_tree?;
    let rel = path.strip_prefix(&top).ok()?;
    if git.is_ignored(&top, rel).unwrap_or(false) {
        return Some("ignored by git");
    }
    let changed = repos.entry(top);
    let changed = changed.or_insert_with_key(|top| git.status(top).ok());
    let rel_bytes = rel.as_os_str().as_encoded_bytes();
    let mut changed = changed.as_ref()?.iter();
    let found = changed.find(|one| one.path.as_bytes() == rel_bytes);
    Some(match found {
        Some(one) if one.is_untracked() => "untracked",
        Some(_) => "uncommitted",
        None => "committed",
    })
}

/// The worktree of an agent that had its own; it is named after the agent.
fn worktree(world: &dyn World, trees: &[Worktree], agent: &Agent) -> Option<Effect> {
    let name = format!("agent-{}", agent.id);
    let named = |tree: &&Worktree| tree.path.file_name().is_some_and(|last| last == &*name);
    let tree = trees.iter().find(named).filter(|_| !agent.id.is_empty());
    let effect = |what, state| Effect::of(agent, None, Kind::Worktree, what, state);
    let Some(tree) = tree else {
        let text = "a worktree of its own".to_owned();
        return agent.worktree.then(|| effect(text, "not found".to_owned()));
    };
    let git = world.git();
    let changes = match git.status(&tree.path) {
        Ok(changes) => count(changes.len(), "uncommitted change"),
        Err(_) => "its changes are not known".to_owned(),
    };
    let main = trees.iter().find(|tree| tree.main);
    let main = main.and_then(|main| main.head.as_deref());
    let heads = main.zip(tree.head.as_deref());
    let ahead = heads.and_then(|(main, own)| git.ahead_behind(&tree.path, own, main).ok());
    let commits = match ahead {
        Some((0, _)) => "no commit of its own".to_owned(),
        Some((ahead, _)) => {
            let commits = count(ahead, "commit");
            format!("{commits} not in the main work tree's branch")
        }
        None => "its commits are not known".to_owned(),
    };
    let branch = tree.branch.as_ref().map(|branch| label(&branch.lossy()));
    let on = branch.unwrap_or_else(|| tree.head.as_deref().map_or("", short_id).to_owned());
    Some(effect(
        format!("worktree {name} on {on}"),
        format!("{commits}, {changes}"),
    ))
}

/// A command or a tool with effects outside.
fn command(agent: &Agent, call: &Call) -> Vec<Effect> {
    let effect =
        |kind, what: String| Effect::of(agent, Some(call), kind, what, call.outcome().to_owned());
    if let Some(tool) = call.name.strip_prefix("mcp__") {
        let what = format!("MCP {}", tool.replace("__", " "));
        return vec![effect(Kind::Mcp, what)];
    }
    let text = json::text(&call.input, "command").filter(|_| call.name == "Bash");
    let verbs = commands::effects(text.unwrap_or_default()).into_iter();
    verbs
        .map(|verb| effect(Kind::Command, verb.to_owned()))
        .collect()
}
