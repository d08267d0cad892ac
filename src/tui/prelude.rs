//! What every screen is made of: the state and its effects, and what draws. Imported as a whole.

pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::ops::Range;
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::sync::Arc;

pub(crate) use chrono::{DateTime, FixedOffset};
pub(crate) use ratatui::layout::Rect;

pub(crate) use super::command_lines;
pub(crate) use super::commands::{Cmd, Command, Context, commands, row};
pub(crate) use super::data::Load;
pub(crate) use super::geometry::{ListId, Page, Target};
pub(crate) use super::keys::Key;
pub(crate) use super::msg::{Effect, Query, Reply, Ticket};
pub(crate) use super::screens::question::{Answer, Ask, Question};
pub(crate) use super::screens::{Follow, Position, Profile, Screen};
pub(crate) use super::state::cursor::Cursor;
pub(crate) use super::state::field::Field;
pub(crate) use super::state::marks::RowMark;
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
pub(crate) use crate::model::{
    Action, ActionKind, Cancel, Cause, Check, CheckSummary, Clean, Comparison, Dossier,
    EngineError, ErrorKind, Foreign, Handoff, ListKey, Origin, Party, PathChange, Pipeline,
    PipelineId, Plan, PointChoice, Preview, Recovery, RecoveryId, RecoveryState, ReplayAsk,
    ReplayPlan, ReplaySession, Resolved, RestoreMode, Result, Reversal, SessionState, Status,
    Verdict, Work,
};
pub(crate) use crate::text::format;
