//! Replays and comparisons with the binary, on sandboxes of their own: to the end, refused, cut short and gone on
//! with, side by side. Runners are shell scripts and the stand-in; no agent, no network.

mod compared;
mod cut_short;
mod in_place;
mod kit;
mod refused;
mod runners;
mod to_the_end;

use crate::cli_acting::sandbox;
use crate::terminal::tty;
