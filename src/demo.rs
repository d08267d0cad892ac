//! The demo: builds a sandbox with real repositories, worktrees and a shadow checkpoint store, in which pipelines of
//! all systems are interrupted. The sandbox has its own home, state and temporary directory, so that nothing
//! outside it is changed.
//!
//! All times in it are set relative to an injected now, so that only what should look alive does.

/// The text of a file of the demo, by the parts of its path.
macro_rules! asset {
    ($($part:literal),+) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo/", $($part),+))
    };
}

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
    asset!("pipelines/crucible.txt"),
    asset!("pipelines/autoconference.txt"),
    asset!("pipelines/mgw.txt"),
    asset!("pipelines/superscientist.txt"),
    asset!("pipelines/nine-step.txt"),
    asset!("pipelines/unrelated.txt"),
    asset!("pipelines/conversations.txt"),
    asset!("pipelines/claude-workflow.txt"),
];

/// Scripts that run a pipeline and record each of its steps, for trying out what a kill leaves.
const ORCHESTRATORS: [(&str, &str); 5] = [
    ("crucible.sh", asset!("orchestrators/crucible.sh")),
    ("mgw.sh", asset!("orchestrators/mgw.sh")),
    (
        "superscientist.sh",
        asset!("orchestrators/superscientist.sh"),
    ),
    ("nine-step.sh", asset!("orchestrators/nine-step.sh")),
    (
        "autoconference.sh",
        asset!("orchestrators/autoconference.sh"),
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
    let root = kit.root().to_string_lossy();
    kit.file(crate::engine::SANDBOX_MARK, &root, 0)?;
    kit.set_times(kit.root())?;
    Ok(Sandbox {
        root: kit.root().to_owned(),
        home: kit.home(),
    })
}
