//! What every screen is made of: the state and its effects, and what draws. Imported as a whole.

pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::ops::Range;
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::sync::Arc;

pub(crate) use chrono::{DateTime, FixedOffset, TimeDelta};
pub(crate) use ratatui::layout::Rect;

pub(crate) use super::command_lines;
pub(crate) use super::commands::{Cmd, Command, Context, Keymap, commands, keyed_below, row};
pub(crate) use super::data::Load;
pub(crate) use super::geometry::{ListId, Page, Target};
pub(crate) use super::keys::Key;
pub(crate) use super::msg::{Effect, Query, Reply, Ticket};
pub(crate) use super::screens::diff::{DiffScreen, DiffSource};
pub(crate) use super::screens::pipeline::PipelineScreen;
pub(crate) use super::screens::plan::{About, PlanScreen};
pub(crate) use super::screens::question::{Answer, Ask, Question};
pub(crate) use super::screens::{Follow, Position, Profile, Screen};
pub(crate) use super::state::cursor::Cursor;
pub(crate) use super::state::field::Field;
pub(crate) use super::state::marks::{Marks, RowMark};
pub(crate) use super::state::{State, switch};
pub(crate) use super::theme::Role;
pub(crate) use super::update::copying::{NOTHING, UNSAFE, true_text};
pub(crate) use super::update::motion::Motion;
pub(crate) use super::update::pop;
pub(crate) use super::view::facts::{self, Fact};
pub(crate) use super::view::list::{self, List};
pub(crate) use super::view::page::TextPage;
pub(crate) use super::view::pen::{Bits, ellipsis};
pub(crate) use super::view::table::{self, Column, Table};
pub(crate) use super::view::{
    Canvas, capped, dialog, indented, inset, loaded, look, nothing, paragraph, split_left,
    split_table, split_top, wrap,
};
pub(crate) use crate::clean;
pub(crate) use crate::diff::{Diff, Stats};
pub(crate) use crate::model::{
    Action, ActionKind, Asked, Cancel, Cause, Check, CheckSummary, Checkpoint, Clean, Compared,
    Comparison, Conversation, Dossier, Drift, EngineError, ErrorKind, Foreign, Guard, Handoff,
    History, Irreversible, ListKey, Operand, Origin, Outcome, Party, PathChange, Phase, Pipeline,
    PipelineId, Plan, PlanOptions, PointChoice, PointId, Preview, PurgeLoss, RecoverMode,
    Recovered, Recovery, RecoveryId, RecoveryState, Rehearsal, ReplayAsk, ReplayDetails,
    ReplayList, ReplayPlan, ReplayProgress, ReplaySession, Request, Resolved, RestoreMode, Result,
    Resumed, Reversal, RunsOn, Scope, SessionId, SessionState, Skipped, StageProgress, Stamp,
    Status, Survey, Timeline, UndoOptions, Verdict, Work,
};
pub(crate) use crate::text::format;
