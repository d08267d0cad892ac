//! The saved states of a conference: ends of rounds, kept rows, commits of researchers. relight restores none of them
//! by itself.

use crate::model::{Checkpoint, CheckpointKind, Foreign, Stamp};
use crate::systems::kit::timeline;
use crate::world::World;
use crate::world::git::Commit;

use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::worktrees;
use crate::systems::autoconference::shape::{EVENTS, table_name};

/// How many commits of one branch are listed.
const COMMITS: usize = 200;

/// All of them, oldest first.
pub(crate) fn all(case: &Conference, world: &dyn World) -> Vec<Checkpoint> {
    let mut all = rounds(case);
    all.extend(rows(case));
    all.extend(commits(case, world));
    all.sort_by_key(|c| c.taken_at.map_or(i64::MIN, |s| s.unix()));
    let mut seen = std::collections::HashSet::new();
    all.retain(|c| seen.insert(c.id.clone()));
    all
}

fn record(
    id: String,
    path: std::path::PathBuf,
    reason: String,
    at: Option<Stamp>,
    back: &str,
) -> Checkpoint {
    Checkpoint {
        id,
        source: Foreign::from(&path),
        kind: CheckpointKind::Record { path },
        reason: reason.into(),
        taken_at: at,
        brings_back: back.into(),
        cannot: Vec::new(),
        drift: None,
    }
}

fn rounds(case: &Conference) -> Vec<Checkpoint> {
    let ends = case.raw.named("round.completed").filter_map(|e| {
        let round = e.round?;
        Some(record(
            format!("round-{round}"),
            case.raw.path(EVENTS),
            format!("end of round {round}"),
            e.at,
            "A round boundary: the next round starts from here.",
        ))
    });
    ends.collect()
}

fn rows(case: &Conference) -> Vec<Checkpoint> {
    let mut all = Vec::new();
    for (id, table) in &case.raw.tables {
        let rows = table.rows.iter();
        for row in rows.filter(|row| row.counts() && row.status == "kept") {
            let (Some(round), Some(iteration)) = (row.round, row.iteration) else {
                continue;
            };
            all.push(record(
                format!("{id}-round-{round}-iteration-{iteration}-row-{}", row.line),
                case.raw.path(&table_name(*id)),
                format!("kept state of researcher {id}, round {round}, iteration {iteration}"),
                row.at,
                "The researcher's table up to this row.",
            ));
        }
    }
    all
}

fn commits(case: &Conference, world: &dyn World) -> Vec<Checkpoint> {
    let git = world.git();
    let (dir, best) = (&case.raw.dir, case.trees.best());
    let point = |commit: Commit, branch: &str| {
        let brings_back = "The tracked files of that worktree.";
        let cannot = "Files that git does not track or ignores.";
        timeline::checkpoint(commit, dir, [branch, brings_back, cannot])
    };
    let mut all = Vec::new();
    for tree in case.trees.known() {
        let Some(tip) = tree.tip.as_deref() else {
            continue;
        };
        let base = best.filter(|best| *best != tip);
        let own = git.log(dir, tip, base, COMMITS).unwrap_or_default();
        let branch = worktrees::branch(tree.id);
        all.extend(own.into_iter().map(|commit| point(commit, &branch)));
    }
    let best = best.and_then(|id| git.find_commit(dir, id).ok());
    all.extend(best.map(|commit| point(commit, worktrees::BEST)));
    all
}
