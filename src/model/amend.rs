//! What `relight amend` is asked.

use std::path::PathBuf;

use crate::string_enum;

string_enum! {
    /// The types of amendment that the protocol knows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, clap::ValueEnum)]
    #[value(rename_all = "snake_case")]
    pub enum AmendKind {
        /// Change inputs, parameters or the backend; what was computed from them runs again.
        ParameterChange = "parameter_change",
        /// Change the success criteria; the stage itself runs again.
        CriteriaChange = "criteria_change",
        /// Insert a new stage.
        StageInsert = "stage_insert",
        /// Run a completed stage, and what depends on it, again.
        StageRerun = "stage_rerun",
        /// Skip a stage.
        StageSkip = "stage_skip",
    }
}

/// A new stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewStage {
    /// As JSON.
    Json(Vec<u8>),
    /// In a file, by its full path. Read when the plan is made, so that a change of it is a change of the plan.
    File(PathBuf),
}

/// An amendment of a workflow's plan. Why it is made is the plan's reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amendment {
    /// Its type.
    pub kind: AmendKind,
    /// The stage; of an inserted one the id is given by the workflow.
    pub stage: Option<String>,
    /// `PATH=VALUE` as typed, relative to the stage.
    pub set: Vec<String>,
    /// The stage that a new one comes after.
    pub after: Option<String>,
    /// The new stage.
    pub new_stage: Option<NewStage>,
    /// Who approved it.
    pub approved_by: Option<String>,
}
