//! Replays and comparisons with the binary, on sandboxes of their own: to the end, refused, cut short and gone on
//! with, side by side. Runners are shell scripts and the stand-in; no agent, no network.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test ends at the first surprise"
)]

#[path = "cli_acting/sandbox.rs"]
#[expect(
    dead_code,
    reason = "replays need less of a sandbox than recoveries do"
)]
mod sandbox;

#[path = "replay/kit.rs"]
mod kit;

#[path = "replay/compared.rs"]
mod compared;

#[path = "replay/cut_short.rs"]
mod cut_short;

#[path = "replay/in_place.rs"]
mod in_place;

#[path = "replay/refused.rs"]
mod refused;

#[path = "replay/runners.rs"]
mod runners;

#[path = "terminal/tty.rs"]
#[expect(
    dead_code,
    reason = "the console needs more of a terminal than a replay does"
)]
mod tty;

#[path = "replay/to_the_end.rs"]
mod to_the_end;
