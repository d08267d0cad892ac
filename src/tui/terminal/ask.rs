//! What the terminal is asked before the first frame: the color of its background (OSC 11). A question that every
//! terminal answers (DA1) follows as a fence, so that a terminal without the first answer costs no wait.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::tui::theme::{Background, Palette};

/// How long the answers may take.
const PATIENCE: Duration = Duration::from_millis(50);

/// The questions: OSC 11, then DA1.
const QUESTIONS: &[u8] = b"\x1b]11;?\x1b\\\x1b[c";

/// The answers of the terminal, and what the person typed meanwhile.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::tui) struct Heard {
    /// The background, if the terminal reported it.
    pub(in crate::tui) background: Option<Background>,
    /// True once the fence was answered: nothing more will come.
    pub(in crate::tui) complete: bool,
    /// Keys that were pressed meanwhile.
    pub(in crate::tui) typed: Vec<char>,
    /// The answer that had only begun: on a slow line the rest comes later.
    open: Open,
}

/// How far an answer has come.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// Not begun.
    #[default]
    Nothing,
    /// Its `ESC` is there.
    Escape,
    /// That of the color.
    Color,
    /// That of the fence.
    Fence,
}

/// The palette for this terminal, and its answers. In raw mode, before anything else reads the terminal.
pub(super) fn palette(
    out: &mut impl Write,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> (Palette, Heard) {
    let many = many_colors(env);
    let heard = if answers(env) {
        heard(out).unwrap_or_default()
    } else {
        Heard {
            complete: true,
            ..Heard::default()
        }
    };
    let background = heard.background.or_else(|| stated(env));
    (Palette::of(background, many), heard)
}

/// The background that some terminals state in `COLORFGBG`, for one that does not answer: the last of its colors, of the
/// sixteen that every terminal names.
fn stated(env: &dyn Fn(&str) -> Option<OsString>) -> Option<Background> {
    let colors = env("COLORFGBG")?;
    let last = colors.to_str()?.rsplit(';').next()?;
    Some(match last.parse().ok()? {
        0_u8..=6 | 8 => Background::Dark,
        _ => Background::Light,
    })
}

/// Asks the terminal for its background while no console has it. What is typed meanwhile is lost.
pub(in crate::tui) fn background() -> Option<Background> {
    let env = |name: &str| std::env::var_os(name);
    let asked = || {
        enable_raw_mode().ok()?;
        let heard = heard(&mut io::stdout());
        disable_raw_mode().ok()?;
        heard.ok()?.background
    };
    answers(&env).then(asked).flatten().or_else(|| stated(&env))
}

/// Whether a terminal of this name may be asked: those without escape sequences would show the question.
fn answers(env: &dyn Fn(&str) -> Option<OsString>) -> bool {
    let term = env("TERM").unwrap_or_default();
    !term.is_empty() && term != "dumb" && term != "linux"
}

/// Whether the terminal says that it has 256 colors or more.
fn many_colors(env: &dyn Fn(&str) -> Option<OsString>) -> bool {
    const NAMES: &str = "256color direct kitty alacritty ghostty foot";
    let is = |name: &str, of: &dyn Fn(&str) -> bool| {
        env(name).is_some_and(|value| value.to_str().is_some_and(of))
    };
    is("COLORTERM", &|value| matches!(value, "truecolor" | "24bit"))
        || is("TERM", &|value| {
            NAMES.split(' ').any(|name| value.contains(name))
        })
}

fn heard(out: &mut impl Write) -> io::Result<Heard> {
    out.write_all(QUESTIONS)?;
    out.flush()?;
    let stdin = io::stdin();
    let deadline = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        let ready = poll(
            &mut fds,
            Some(&Timespec::try_from(left).unwrap_or_default()),
        )?;
        if ready == 0 {
            return Ok(parse(&bytes));
        }
        let mut chunk = [0; 256];
        let read = rustix::io::read(stdin.as_fd(), &mut chunk)?;
        bytes.extend(chunk.iter().take(read));
        let heard = parse(&bytes);
        if heard.complete || read == 0 {
            return Ok(heard);
        }
    }
}

/// Finds the answers in what was read. Other sequences, as of arrow keys, are dropped.
fn parse(bytes: &[u8]) -> Heard {
    let mut heard = Heard::default();
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        rest = match (first, after.first()) {
            (0x1b, Some(b']')) => {
                let (body, after) = until(after, |at| matches!(at, [0x07, ..] | [0x1b, b'\\', ..]));
                heard.background = heard.background.or_else(|| background_of(body));
                match after {
                    [0x1b, _, after @ ..] | [_, after @ ..] => after,
                    [] => {
                        heard.open = Open::Color;
                        after
                    }
                }
            }
            (0x1b, Some(b'[')) => {
                let is_last = |at: &[u8]| matches!(at, [0x40..=0x7e, ..]);
                let (body, after) = until(after.get(1..).unwrap_or_default(), is_last);
                heard.complete |= body.first() == Some(&b'?') && after.first() == Some(&b'c');
                if after.is_empty() {
                    heard.open = Open::Fence;
                }
                after.get(1..).unwrap_or_default()
            }
            (0x1b, next) => {
                if next.is_none() {
                    heard.open = Open::Escape;
                }
                after
            }
            (byte, _) => {
                let key = char::from(*byte);
                let is_key = key.is_ascii_graphic() || matches!(key, ' ' | '\r' | '\t');
                heard.typed.extend(is_key.then_some(key));
                after
            }
        };
    }
    heard
}

/// What comes before the first place at which something begins, and the rest from there.
fn until(bytes: &[u8], begins: impl Fn(&[u8]) -> bool) -> (&[u8], &[u8]) {
    let places = 0..bytes.len();
    let at = places
        .into_iter()
        .find(|at| bytes.get(*at..).is_some_and(&begins));
    bytes.split_at(at.unwrap_or(bytes.len()))
}

/// `]11;rgb:RRRR/GGGG/BBBB`, each part of one to four hexadecimal digits.
fn background_of(body: &[u8]) -> Option<Background> {
    let text = std::str::from_utf8(body).ok()?;
    let (_, parts) = text.strip_prefix("]11;rgb")?.split_once(':')?;
    let part = |digits: &str| {
        let most = 16_u32
            .checked_pow(u32::try_from(digits.len()).ok()?)?
            .checked_sub(1)?;
        let value = u32::from_str_radix(digits, 16).ok()?;
        Some((f64::from(value) / f64::from(most)).powf(2.2))
    };
    let mut parts = parts.split('/').map(part);
    let (red, green, blue) = (parts.next()??, parts.next()??, parts.next()??);
    // From this luminance on, black has more contrast than white.
    let luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    Some(if luminance > 0.179 {
        Background::Light
    } else {
        Background::Dark
    })
}

/// Keeps an answer that comes late from being taken for keys: `ESC ]` reads as Alt and a bracket.
#[derive(Debug)]
pub(super) struct Late {
    /// How far one has come; `None` once nothing more can come.
    open: Option<Open>,
    /// Until when one may come.
    until: Instant,
}

/// No answer is later than this: what looks like one then was typed.
const LATEST: Duration = Duration::from_secs(3);

impl Late {
    pub(super) fn new(heard: &Heard, now: Instant) -> Self {
        Self {
            open: (!heard.complete).then_some(heard.open),
            until: now + LATEST,
        }
    }

    /// Whether a key is part of an answer.
    pub(super) fn swallows(&mut self, key: &KeyEvent, now: Instant) -> bool {
        let Some(open) = self.open.filter(|_| now <= self.until) else {
            return false;
        };
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let of_color = |key: char| key.is_ascii_hexdigit() || "rgba:/;?".contains(key);
        let of_fence = |key: char| key.is_ascii_digit() || "?;".contains(key);
        let (open, swallowed) = match (open, key.code) {
            (Open::Nothing, KeyCode::Char(']')) if alt => (Some(Open::Color), true),
            (Open::Escape, KeyCode::Char(']')) => (Some(Open::Color), true),
            (Open::Escape, KeyCode::Char('[')) => (Some(Open::Fence), true),
            // Its `ESC` may have come before.
            (Open::Color, KeyCode::Char('\\')) | (Open::Fence, KeyCode::Char('c')) => (None, true),
            (Open::Color, KeyCode::Char('g')) if control => (None, true),
            (Open::Color, KeyCode::Char(key)) if of_color(key) => (Some(open), true),
            (Open::Fence, KeyCode::Char(key)) if of_fence(key) => (Some(open), true),
            // Any other character shows that this is no answer.
            (Open::Color | Open::Fence, KeyCode::Char(_)) => (None, false),
            _ => (Some(Open::Nothing), false),
        };
        self.open = open;
        swallowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_that_does_not_answer_may_state_its_background() {
        for (text, background) in [
            ("15;0", Some(Background::Dark)),
            ("0;15", Some(Background::Light)),
            ("0;default;7", Some(Background::Light)),
            ("12;8", Some(Background::Dark)),
            ("0;default", None),
            ("", None),
        ] {
            let env = |name: &str| (name == "COLORFGBG").then(|| OsString::from(text));
            assert_eq!(stated(&env), background, "{text}");
        }
        assert_eq!(stated(&|_| None), None);
    }

    #[test]
    fn answers_are_told_from_keys() {
        let heard = |background, complete, typed: &str| Heard {
            background,
            complete,
            typed: typed.chars().collect(),
            open: Open::Nothing,
        };
        let begun = |open| Heard {
            open,
            ..Heard::default()
        };
        let (dark, light) = (Some(Background::Dark), Some(Background::Light));
        let table: &[(&[u8], Heard)] = &[
            (b"", heard(None, false, "")),
            (
                b"\x1b]11;rgb:0000/2b2b/3636\x1b\\\x1b[?62;22c",
                heard(dark, true, ""),
            ),
            (
                b"\x1b]11;rgb:fdfd/f6f6/e3e3\x07\x1b[?1;2c",
                heard(light, true, ""),
            ),
            (b"\x1b]11;rgb:ff/ff/ff\x07", heard(light, false, "")),
            (b"\x1b]11;rgba:0/0/0/ffff\x1b\\", heard(dark, false, "")),
            (b"\x1b[?6c", heard(None, true, "")),
            (
                b"j\x1b]11;rgb:00/00/00\x07q\x1b[?6c\r",
                heard(dark, true, "jq\r"),
            ),
            (b"\x1b[A\x1b[?6c", heard(None, true, "")),
            (b"\x1b]11;rgb:xx/00/00\x07\x1b[?6c", heard(None, true, "")),
            (b"\x1b]11;rgb:0000/2b2b", begun(Open::Color)),
            (b"\x1b[?62;2", begun(Open::Fence)),
            (b"\x1b", begun(Open::Escape)),
        ];
        for (bytes, expected) in table {
            assert_eq!(parse(bytes), *expected, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn a_late_answer_is_swallowed_and_nothing_else() {
        let key = |text: &str| match text {
            "esc]" => KeyEvent::new(KeyCode::Char(']'), KeyModifiers::ALT),
            "esc\\" => KeyEvent::new(KeyCode::Char('\\'), KeyModifiers::ALT),
            "bel" => KeyEvent::new(KeyCode::Char('g'), KeyModifiers::CONTROL),
            one => KeyEvent::new(
                KeyCode::Char(one.chars().next().unwrap()),
                KeyModifiers::NONE,
            ),
        };
        let after = |heard: Heard, keys: &str| {
            let now = Instant::now();
            let mut late = Late::new(&heard, now);
            let keys = keys.split(' ');
            let left = keys.filter(|one| !late.swallows(&key(one), now));
            left.collect::<Vec<_>>().join(" ")
        };
        let mut late = Late::new(&Heard::default(), Instant::now());
        let after_all = late.until + Duration::from_millis(1);
        assert!(
            !late.swallows(&key("esc]"), after_all),
            "nobody waits for ever"
        );
        let left = |complete: bool, keys: &str| {
            let heard = Heard {
                complete,
                ..Heard::default()
            };
            after(heard, keys)
        };
        let answer = "esc] 1 1 ; r g b : 0 0 / 2 b / 3 6";
        assert_eq!(left(false, &format!("j {answer} esc\\ q")), "j q");
        assert_eq!(left(false, &format!("{answer} bel 1 esc]")), "1 esc]");
        assert_eq!(left(true, "esc] 1 1 esc\\"), "esc] 1 1 esc\\");
        // On a slow line an answer is cut anywhere, and the rest comes later.
        let whole = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\";
        for cut in 1..whole.len() {
            let (begun, rest) = whole.split_at(cut);
            let rest = rest.replace("\x1b\\", "\u{e000}");
            let keys = rest.chars().map(|sign| match sign {
                '\u{e000}' => "esc\\".to_owned(),
                sign => sign.to_string(),
            });
            let keys = keys.chain(["q".to_owned()]).collect::<Vec<_>>().join(" ");
            assert_eq!(after(parse(begun.as_bytes()), &keys), "q", "{cut}");
        }
        assert_eq!(after(parse(b"\x1b[?62"), "; 2 2 c q c"), "q c");
        assert_eq!(after(parse(b"\x1b"), "j k"), "j k");
        // A person's own Alt and bracket costs that key alone.
        assert_eq!(left(false, "esc] q r"), "q r");
    }

    #[test]
    fn depth_and_whether_to_ask_follow_the_environment() {
        let env = |term: &'static str, color: &'static str| {
            move |name: &str| match name {
                "TERM" => Some(OsString::from(term)),
                "COLORTERM" => Some(OsString::from(color)),
                _ => None,
            }
        };
        for (term, color, many, asked) in [
            ("xterm-256color", "", true, true),
            ("xterm", "truecolor", true, true),
            ("xterm", "", false, true),
            ("tmux-256color", "", true, true),
            ("linux", "", false, false),
            ("dumb", "", false, false),
            ("", "", false, false),
        ] {
            let env = env(term, color);
            assert_eq!(
                (many_colors(&env), answers(&env)),
                (many, asked),
                "{term} {color}"
            );
        }
    }
}
