//! Decisions, pure: facts in; status, resume points and plans out. The clock is an argument.

pub mod assess;
pub mod failed_checks;
pub mod fingerprint;
pub mod guards;
pub mod handoff;
pub mod plan;
pub mod resume_points;
pub mod undo_plan;
