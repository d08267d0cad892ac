//! What nearly every command uses: to be imported as a whole.

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
pub(super) use crate::model::{Clean, Foreign, PipelineId};
pub(super) use crate::text::format::count;
