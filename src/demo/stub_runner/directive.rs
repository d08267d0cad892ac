//! Ways to misbehave that a dispatch may ask of the stub runner, by a line `stand-in: …` anywhere in its text.

/// The behavior that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Directive {
    /// `exit N`: exits with a status, without an answer.
    Exit(u8),
    /// `hang`: never ends.
    Hang,
    /// `flood`: prints more than is kept.
    Flood,
    /// `garbage`: prints bytes that are not text.
    Garbage,
    /// `leave a child`: leaves a program running.
    Stray,
    /// `crash`: is killed by a signal.
    Crash,
}

/// The first directive; an unknown word is ignored.
pub(super) fn of(text: &str) -> Option<Directive> {
    text.lines().find_map(|line| {
        let line = line.trim().trim_start_matches("- ");
        match line.strip_prefix("stand-in:")?.trim() {
            "hang" => Some(Directive::Hang),
            "flood" => Some(Directive::Flood),
            "garbage" => Some(Directive::Garbage),
            "leave a child" => Some(Directive::Stray),
            "crash" => Some(Directive::Crash),
            other => {
                let status = other.strip_prefix("exit ")?.trim();
                Some(Directive::Exit(status.parse().ok()?))
            }
        }
    })
}
