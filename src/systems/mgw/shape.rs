//! The files of an issue on disk: the state file and its checkpoint, the project's shared files, and the Markdown
//! documents of the agents. Parsing is lenient: unknown members are kept, damage is a value.

pub(crate) mod cross_refs;
pub(crate) mod documents;
pub(crate) mod project;
pub(crate) mod state;
pub(crate) mod state_files;
pub(crate) mod vocabulary;

pub(crate) use documents::{RoadmapPhase, Verified};
pub(crate) use project::{Listed, Shared};
pub(crate) use state::{Checkpoint, CheckpointShape, Past, RETRIES, SCHEMA, State};
pub(crate) use state_files::{FOLDER, Home, Name, StateFile};
pub(crate) use vocabulary::{Action, PLAN, Route, SUMMARY, Stage, Step, VERIFICATION};
