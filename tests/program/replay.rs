//! Replays and comparisons with the binary, each on a sandbox of its own: finished, refused, interrupted and
//! continued, compared. Runners are shell scripts and the stub runner: no agent, no network.

mod compared;
mod cut_short;
mod dry_run;
mod evidence;
mod experiment;
mod in_place;
mod isolated;
mod killed;
mod kit;
mod measured;
mod outside;
mod refused;
mod runners;
mod slurm;
mod to_the_end;
mod verdicts;

use crate::cli_acting::sandbox;
use crate::terminal::tty;
