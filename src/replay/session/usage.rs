//! Tokens and money of a session's dispatches, `usage.jsonl`: a line for each attempt whose runner reported them.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::folder::{self, Folder};
use crate::apply::disk::{Disk as _, RealDisk};
use crate::formats::jsonl;
use crate::model::{PipelineId, ReplaySession, Usage};

/// The file in a session's folder.
const NAME: &str = "usage.jsonl";

/// The most that is read of it.
const CAP: u64 = 64 << 20;

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    seq: u64,
    replay_of: u64,
    #[serde(flatten)]
    usage: Usage,
}

/// Adds what one attempt at a dispatch used.
pub(super) fn add(folder: &Folder, (seq, replay_of): (u64, u64), usage: Usage) -> io::Result<()> {
    let line = Line {
        seq,
        replay_of,
        usage,
    };
    let mut bytes = serde_json::to_vec(&line).map_err(io::Error::other)?;
    bytes.push(b'\n');
    if folder.has(NAME)? {
        folder.disk.append(&folder.dir, NAME.as_ref(), &bytes)
    } else {
        folder.put(NAME, &bytes)
    }
}

fn lines(disk: &RealDisk, path: &Path) -> Vec<Line> {
    let bytes = disk
        .root(path)
        .and_then(|dir| disk.read(&dir, NAME.as_ref(), CAP));
    let bytes = bytes.unwrap_or_default();
    // What a crash tore is a line that nothing is known of.
    let parsed = jsonl::lines(&bytes).filter_map(|line| serde_json::from_slice(line.bytes).ok());
    parsed.collect()
}

/// What a session used, by the number of the dispatch, all attempts together.
pub fn usage(session: &ReplaySession) -> HashMap<u64, Usage> {
    let mut sums: HashMap<u64, Usage> = HashMap::new();
    let folder = session.folder.as_deref();
    for line in folder.map_or_else(Vec::new, |folder| lines(&RealDisk::new(), folder)) {
        *sums.entry(line.seq).or_default() += line.usage;
    }
    sums
}

/// What replays of a pipeline used for each dispatch of the original, on average of the runs that reported it.
pub fn usual(state: &Path, pipeline: &PipelineId) -> HashMap<u64, Usage> {
    let disk = RealDisk::new();
    let home = folder::home_of(state, pipeline);
    let mut sums: HashMap<u64, (u32, Usage)> = HashMap::new();
    for id in folder::ids(state, pipeline).unwrap_or_default() {
        let mut of_run: HashMap<u64, Usage> = HashMap::new();
        for line in lines(&disk, &home.join(&id.0)) {
            *of_run.entry(line.replay_of).or_default() += line.usage;
        }
        for (of, usage) in of_run {
            let sum = sums.entry(of).or_default();
            sum.0 += 1;
            sum.1 += usage;
        }
    }
    let mean = |(runs, sum): (u32, Usage)| Usage {
        input: sum.input / u64::from(runs),
        output: sum.output / u64::from(runs),
        cost_usd: sum.cost_usd.map(|cost| cost / f64::from(runs)),
    };
    sums.into_iter().map(|(of, sum)| (of, mean(sum))).collect()
}
