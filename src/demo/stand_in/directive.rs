//! What a dispatch may ask of the stand-in, so that the ways in which runners misbehave can be tried: a line
//! `stand-in: …` anywhere in its text.

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Directive {
    /// `exit N`: ends with a status, without an answer.
    Exit(u8),
    /// `hang`: never ends.
    Hang,
    /// `flood`: prints more than is kept.
    Flood,
    /// `garbage`: prints what is no text.
    Garbage,
    /// `leave a child`: leaves a program behind that nobody ends.
    Stray,
    /// `crash`: is ended by a signal.
    Crash,
}

/// The first thing that is asked for. A word that nobody knows asks for nothing.
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
