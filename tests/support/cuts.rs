//! The property of every state file: cut anywhere, it still reads. An orchestrator may die between any two
//! bytes.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use relight::discover::{Limits, Names, claude_projects, temp_entries, walk};
use relight::model::PlanOptions;
use relight::systems::{Found, Hit, SYSTEMS, Sniffed, System};
use relight::world::World;

use super::Trouble;

/// Files larger than this are left alone.
const LARGEST: u64 = 16 << 10;
/// Files up to this size may be cut at every byte.
const SMALL: usize = 600;
/// At how many bytes a larger file may be cut.
const DRAWN: usize = 24;
/// How many cuts of a case are made, of all that may be. Cases share most of their files and each draws its own
/// cuts, so that together they come to nearly every byte. `RELIGHT_CUTS` sets another number.
const USUAL: usize = 16;

/// Cuts state files beneath the folder, one at a time, and reads everything after each cut.
pub(crate) fn cut_all(world: &dyn World, root: &Path, name: &str) -> Result<(), Trouble> {
    let hits = hits(world, root);
    let mut files = Vec::new();
    state_files(root, &mut files)?;
    files.sort();
    let mut seed = seed(name);
    let mut cuts = Vec::new();
    for file in &files {
        let len = usize::try_from(fs::metadata(file)?.len())?;
        cuts.extend(offsets(len, &mut seed).into_iter().map(|at| (file, at)));
    }
    for (file, at) in drawn(cuts, &mut seed) {
        let whole = fs::read(file)?;
        let modified = fs::metadata(file)?.modified()?;
        let put = |bytes: &[u8]| {
            fs::write(file, bytes)?;
            fs::File::open(file)?.set_modified(modified)
        };
        put(whole.get(..at).unwrap_or_default())?;
        if catch_unwind(AssertUnwindSafe(|| read(world, &hits))).is_err() {
            let shown = file.strip_prefix(root).unwrap_or(file).display();
            return Err(Trouble(format!(
                "{shown} cut at byte {at} panics the reader"
            )));
        }
        put(&whole)?;
    }
    Ok(())
}

/// Some of the cuts, drawn by the seed.
fn drawn<T>(mut cuts: Vec<T>, seed: &mut u64) -> Vec<T> {
    let wanted = std::env::var("RELIGHT_CUTS").ok();
    let wanted = wanted.and_then(|n| n.parse().ok()).unwrap_or(USUAL);
    for at in 0..cuts.len().min(wanted) {
        let other = at + below(cuts.len() - at, seed);
        cuts.swap(at, other);
    }
    cuts.truncate(wanted);
    cuts
}

/// All that a reader does.
fn read(world: &dyn World, hits: &[(&'static dyn System, Hit)]) {
    for (system, hit) in hits {
        let Sniffed::Ours(candidates) = system.sniff(hit, world) else {
            continue;
        };
        for candidate in candidates {
            let case = system.open(&candidate, world);
            let checks = case.verify(world);
            let checkpoints = case.checkpoints(world);
            let timeline = case.timeline();
            let _known = timeline.len();
            let _experiment = case.experiment(&checkpoints, world);
            let _runs = case.runs(world);
            for boundary in case.boundaries(&checks, &checkpoints, world) {
                let options = PlanOptions::default();
                let _intent = case.intent(&boundary.id, &options, &checks, &checkpoints, world);
            }
        }
    }
}

/// What discovery offers each system.
fn hits(world: &dyn World, root: &Path) -> Vec<(&'static dyn System, Hit)> {
    let found = Mutex::new(Vec::new());
    let stop = AtomicBool::new(false);
    for system in SYSTEMS {
        let one = [*system];
        let keep = |hit| {
            if let Ok(mut found) = found.lock() {
                found.push((*system, hit));
            }
        };
        let markers = Names::of(&one, System::markers);
        let walked = |root: &Path| Found::Walk {
            root: root.to_owned(),
        };
        walk(
            &[root.to_owned()],
            &markers,
            Limits::default(),
            &stop,
            &walked,
            &keep,
        );
        let markers = Names::of(&one, System::claude_markers);
        let project = |root: &Path| Found::ClaudeProject {
            project: root.to_owned(),
        };
        walk(
            &claude_projects(world),
            &markers,
            Limits::default(),
            &stop,
            &project,
            &keep,
        );
        temp_entries(world, &Names::of(&one, System::temp_markers), &keep);
    }
    found.into_inner().unwrap_or_default()
}

/// Files of the kinds that hold state, outside git directories and shadow stores.
fn state_files(dir: &Path, found: &mut Vec<PathBuf>) -> Result<(), Trouble> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let path = entry.path();
        let kind = entry.file_type()?;
        let git = entry.file_name() == ".git" || path.join("objects").is_dir();
        if kind.is_dir() && !git {
            state_files(&path, found)?;
        }
        let holds = path.extension().is_none_or(|ending| {
            ["json", "jsonl", "md", "tsv"]
                .iter()
                .any(|known| ending == *known)
        });
        if kind.is_file() && holds && entry.metadata()?.len() <= LARGEST {
            found.push(path);
        }
    }
    Ok(())
}

/// Where a file of this length is cut: everywhere, or at the ends and at places drawn by the seed.
fn offsets(len: usize, seed: &mut u64) -> Vec<usize> {
    if len <= SMALL {
        return (0..len).collect();
    }
    let inside = (0..DRAWN).map(|_| below(len, seed));
    [0, 1, len - 1].into_iter().chain(inside).collect()
}

/// A number below another.
fn below(limit: usize, seed: &mut u64) -> usize {
    usize::try_from(next(seed)).unwrap_or_default() % limit
}

/// The same cuts every time, other ones in every case.
fn seed(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A step of xorshift; a seed of 0 would stay 0.
fn next(seed: &mut u64) -> u64 {
    *seed |= 1;
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed >> 1
}
