//! A project of many files in which a crucible run died, for the benches.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use relight::engine::{Engine, Request, Scope};
use relight::git::RealGit;
use relight::model::PipelineId;
use relight::world::Places;
use relight::world::clock::FixedClock;
use relight::world::real_files::RealFiles;
use sha2::{Digest as _, Sha256};

use crate::dice::Dice;
use crate::fake::{FakeProcesses, FakeWorld};

pub(crate) const BRANCH: &str = "feat/bench";
pub(crate) const START: i64 = 1_775_600_000;

/// relight in the made-up world beneath `base`, so many seconds after the run died.
pub(crate) fn engine(base: &Path, second: i64) -> Engine {
    let now = DateTime::<Utc>::from_timestamp(START + 90_000 + second, 0).expect("a time");
    let world = FakeWorld {
        clock: FixedClock(now.fixed_offset()),
        files: RealFiles,
        git: RealGit,
        processes: FakeProcesses::default(),
        places: Places {
            claude: Some(base.join("claude")),
            state: Some(base.join("state")),
            temp: vec![base.join("tmp")],
            home: Some(base.join("home")),
            uid: rustix::process::geteuid().as_raw(),
            ..Places::default()
        },
    };
    Engine::new(Box::new(world), Vec::new()).with_quiet(Duration::ZERO)
}

/// The run.
pub(crate) fn pipeline(work: &Path, engine: &Engine) -> PipelineId {
    let request = Request {
        cwd: work.to_owned(),
        scope: Some(Scope::Machine),
        all: true,
        ..Request::default()
    };
    let survey = engine.survey(&request, &|_| {}).expect("a survey");
    let mut found = survey.pipelines.into_iter();
    let found = found.find(|p| p.reading.system.0 == "crucible");
    found.expect("a pipeline").id
}

/// So many files, fifty to a folder.
pub(crate) fn tree(work: &Path, dice: &mut Dice, count: usize) -> Vec<PathBuf> {
    let mut files = Vec::with_capacity(count);
    for n in 0..count {
        let path = work.join(format!(
            "d{:02}/s{:02}/f{n:05}.txt",
            n / 2500,
            (n / 50) % 50
        ));
        if n % 50 == 0 {
            fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        }
        let lines = 10 + dice.roll(100);
        fs::write(&path, dice.text(lines)).expect("a file");
        files.push(path);
    }
    files
}

/// A run that died in phase 3.
pub(crate) fn records(base: &Path, claude: &Path, baseline: &str) {
    let memory = claude.join("memory");
    let dispatch = base.join(format!("tmp/crucible-dispatch-{START}"));
    fs::create_dir_all(&memory).expect("a directory");
    fs::create_dir_all(&dispatch).expect("a directory");
    let marker = format!(
        "{{\"pipeline_id\":\"{START}\",\"skill\":\"build\",\"phase\":\"3\",\"start_time\":\"2026-04-07T22:13:20Z\",\"scratch_dir\":\"{}/\",\"dispatch_dir\":\"{}/\",\"branch\":\"{BRANCH}\",\"baseline_sha\":\"{baseline}\"}}",
        memory.display(),
        dispatch.display()
    );
    fs::write(memory.join(".pipeline-active"), marker).expect("a marker");
    let row = "{\"seq\":1,\"file\":\"1-build-implementer.md\",\"role\":\"implementer\",\"phase\":\"3\",\"task\":1,\"status\":\"dispatched\",\"duration_s\":null,\"summary\":null}\n";
    fs::write(dispatch.join("manifest.jsonl"), row).expect("a manifest");
}

/// Claude's own name for a project folder.
pub(crate) fn claude_name(path: &Path) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    path.to_string_lossy().chars().map(plain).collect()
}

/// Crucible's name for a project's checkpoint store.
pub(crate) fn directory_hash(path: &Path) -> String {
    let sum = Sha256::digest(path.to_string_lossy().as_bytes());
    let mut name = String::new();
    for byte in sum.iter().take(8) {
        write!(name, "{byte:02x}").expect("a string");
    }
    name
}
