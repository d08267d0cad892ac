//! What nearly every command uses: to be imported as a whole.

pub(super) use std::ffi::{OsStr, OsString};
pub(super) use std::path::{Path, PathBuf};
pub(super) use std::sync::Arc;

pub(super) use chrono::{DateTime, FixedOffset};
pub(super) use serde_json::Value;

pub(super) use super::Exit;
pub(super) use super::answer::{Answer, Line, Span, Tone};
pub(super) use super::args::Target;
pub(super) use super::commands::setup::Session;
pub(super) use super::page::Page;
pub(super) use super::print::Printer;
pub(super) use super::report;
pub(super) use super::table::Column;
pub(super) use crate::clean;
pub(super) use crate::engine::{EngineError, ErrorKind, Result};
pub(super) use crate::model::{
    Action, Asked, Cancel, Cause, Checkpoint, Clean, Comparison, Dispatch, Foreign, Guard, Handoff,
    History, Irreversible, Outcome, Pipeline, PipelineId, Plan, PlanOptions, PointChoice, Recovery,
    RecoveryId, RecoveryState, ReplayAsk, ReplayPlan, ReplaySession, Request, Reversal, Scope,
    SessionState, Skipped, Stamp, Status, UndoOptions, Verdict, WorkItem,
};
pub(super) use crate::text::format::{
    clean_list, count, count_of, duration, list, plural, shell_word, short_id, size, time_full,
};
pub(super) use crate::text::{Naming, Present};
