//! The hand-off as the orchestrator reads it: a small transcription of the resume protocols of mgw and nine-step gets
//! the prompt and the files after the plan, and must arrive where the plan says, with the work kept that the plan
//! keeps; `act_systems` asks it at every point. And every state file is lost in every way: work that other records
//! show is never started over.

pub(crate) mod mgw;
pub(crate) mod nine_step;
mod sweep;

use crate::act_systems::site;
use crate::support;
