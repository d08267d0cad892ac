//! The demo: builds a sandbox with real repositories, worktrees and a shadow checkpoint store, in which pipelines of
//! all systems are interrupted. The sandbox has its own home, state and temporary directory, so that nothing
//! outside it is changed.
//!
//! All times in it are set relative to an injected now, so that only what should look alive does.

mod kit;
mod labels;
mod script;
pub mod stub_runner;

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

pub use kit::DemoError;
use kit::Kit;

/// What is built, a script each. [`labels`] is built by code, because its dispatch files are made from templates.
const SCRIPTS: [&str; 8] = [
    include_str!("../assets/demo/pipelines/crucible.txt"),
    include_str!("../assets/demo/pipelines/autoconference.txt"),
    include_str!("../assets/demo/pipelines/mgw.txt"),
    include_str!("../assets/demo/pipelines/superscientist.txt"),
    include_str!("../assets/demo/pipelines/nine-step.txt"),
    include_str!("../assets/demo/pipelines/unrelated.txt"),
    include_str!("../assets/demo/pipelines/conversations.txt"),
    include_str!("../assets/demo/pipelines/claude-workflow.txt"),
];

/// Scripts that run a pipeline and record each of its steps, for trying out what a kill leaves.
const ORCHESTRATORS: [(&str, &str); 5] = [
    (
        "crucible.sh",
        include_str!("../assets/demo/orchestrators/crucible.sh"),
    ),
    (
        "mgw.sh",
        include_str!("../assets/demo/orchestrators/mgw.sh"),
    ),
    (
        "superscientist.sh",
        include_str!("../assets/demo/orchestrators/superscientist.sh"),
    ),
    (
        "nine-step.sh",
        include_str!("../assets/demo/orchestrators/nine-step.sh"),
    ),
    (
        "autoconference.sh",
        include_str!("../assets/demo/orchestrators/autoconference.sh"),
    ),
];

/// A sandbox that was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// Its folder; the projects are in `projects`.
    pub root: PathBuf,
    /// Its home directory.
    pub home: PathBuf,
}

impl Sandbox {
    /// The folder of the projects.
    pub fn projects(&self) -> PathBuf {
        self.root.join("projects")
    }
}

/// Builds the sandbox in a folder that does not exist or is empty.
pub fn build(dir: &Path, now: DateTime<Utc>) -> Result<Sandbox, DemoError> {
    let kit = Kit::new(dir, now)?;
    for script in SCRIPTS {
        script::run(&kit, script)?;
    }
    labels::build(&kit)?;
    for (name, script) in ORCHESTRATORS {
        kit.file(&format!("orchestrators/{name}"), script, 0)?;
    }
    kit.file(
        crate::engine::SANDBOX_MARK,
        &kit.root().to_string_lossy(),
        0,
    )?;
    kit.set_times(kit.root())?;
    Ok(Sandbox {
        root: kit.root().to_owned(),
        home: kit.home(),
    })
}
