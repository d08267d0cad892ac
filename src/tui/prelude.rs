//! What every screen is made of: the state and its effects, and what draws. Imported as a whole.

pub(crate) use std::sync::Arc;

pub(crate) use chrono::{DateTime, FixedOffset};
pub(crate) use ratatui::layout::Rect;

pub(crate) use super::commands::{Cmd, Context};
pub(crate) use super::data::{Dossier, Load};
pub(crate) use super::geometry::{ListId, Page, Target};
pub(crate) use super::msg::{Effect, Query, Ticket};
pub(crate) use super::screens::{Follow, Position, Profile, Screen};
pub(crate) use super::state::State;
pub(crate) use super::state::cursor::Cursor;
pub(crate) use super::state::field::Field;
pub(crate) use super::theme::Role;
pub(crate) use super::update::copying::{NOTHING, UNSAFE, true_text};
pub(crate) use super::view::facts::{self, Fact};
pub(crate) use super::view::list::{self, List};
pub(crate) use super::view::page::TextPage;
pub(crate) use super::view::pen::Bits;
pub(crate) use super::view::table::{self, Column, Table};
pub(crate) use super::view::{
    Canvas, indented, inset, loaded, look, nothing, paragraph, split_left, split_table, split_top,
};
pub(crate) use crate::clean;
pub(crate) use crate::model::{Clean, EngineError, Foreign, Origin, PipelineId};
pub(crate) use crate::text::format;
