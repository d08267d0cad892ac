//! The console: a terminal application over the same engine as the commands.

pub mod commands;
pub mod data;
pub mod geometry;
pub mod keys;
pub mod msg;
pub mod state;
pub mod theme;
pub mod update;
pub mod view;
mod words;
