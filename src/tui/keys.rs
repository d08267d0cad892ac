//! Keys: their names in the table and in a keymap file, and how they are shown.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// A key with its modifiers, in the one form that can be compared: shift is part of a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// Which key.
    pub code: KeyCode,
    /// Held together with control.
    pub ctrl: bool,
    /// Held together with alt.
    pub alt: bool,
}

/// Names of keys that are no single letter, as a keymap writes them and as a person is shown them.
const NAMES: &[(&str, KeyCode, &str)] = &[
    ("enter", KeyCode::Enter, "Enter"),
    ("esc", KeyCode::Esc, "Esc"),
    ("tab", KeyCode::Tab, "Tab"),
    ("shift-tab", KeyCode::BackTab, "Shift-Tab"),
    ("space", KeyCode::Char(' '), "Space"),
    ("backspace", KeyCode::Backspace, "Backspace"),
    ("delete", KeyCode::Delete, "Delete"),
    ("up", KeyCode::Up, "↑"),
    ("down", KeyCode::Down, "↓"),
    ("left", KeyCode::Left, "←"),
    ("right", KeyCode::Right, "→"),
    ("home", KeyCode::Home, "Home"),
    ("end", KeyCode::End, "End"),
    ("pgup", KeyCode::PageUp, "PgUp"),
    ("pgdn", KeyCode::PageDown, "PgDn"),
];

impl Key {
    /// A key without modifiers.
    pub const fn plain(code: KeyCode) -> Self {
        Self {
            code,
            ctrl: false,
            alt: false,
        }
    }

    /// A letter or sign.
    pub const fn letter(letter: char) -> Self {
        Self::plain(KeyCode::Char(letter))
    }

    /// A letter held together with control.
    pub const fn ctrl(letter: char) -> Self {
        Self {
            ctrl: true,
            ..Self::letter(letter)
        }
    }

    /// The key that a terminal reported; `None` for releases and for keys that mean nothing alone.
    pub fn from_event(event: KeyEvent) -> Option<Self> {
        if event.kind == KeyEventKind::Release || matches!(event.code, KeyCode::Modifier(_)) {
            return None;
        }
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        let code = match event.code {
            KeyCode::Tab if event.modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
            // Terminals report Ctrl-D with either case.
            KeyCode::Char(letter) if ctrl => KeyCode::Char(letter.to_ascii_lowercase()),
            code => code,
        };
        Some(Self {
            code,
            ctrl,
            alt: event.modifiers.contains(KeyModifiers::ALT),
        })
    }

    /// Reads a name: `j`, `G`, `ctrl-d`, `shift-tab`, `f5`, `space`.
    pub fn parse(name: &str) -> Option<Self> {
        if let Some((_, code, _)) = NAMES.iter().find(|(known, ..)| *known == name) {
            return Some(Self::plain(*code));
        }
        if let Some(rest) = name.strip_prefix("ctrl-") {
            return Self::parse(rest).map(|key| Self { ctrl: true, ..key });
        }
        if let Some(rest) = name.strip_prefix("alt-") {
            return Self::parse(rest).map(|key| Self { alt: true, ..key });
        }
        let mut letters = name.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) if !letter.is_control() => Some(Self::letter(letter)),
            (Some('f'), Some(_)) => {
                let number = name.get(1..)?.parse().ok()?;
                (1..=12)
                    .contains(&number)
                    .then(|| Self::plain(KeyCode::F(number)))
            }
            _ => None,
        }
    }

    /// The key that a person is shown under this name.
    pub fn shown(name: &str) -> Option<Self> {
        if let Some(rest) = name.strip_prefix("Ctrl-") {
            // Control makes no difference between capitals and small letters.
            return Self::shown(&rest.to_lowercase()).map(|key| Self { ctrl: true, ..key });
        }
        if let Some(rest) = name.strip_prefix("Alt-") {
            return Self::shown(rest).map(|key| Self { alt: true, ..key });
        }
        let named = NAMES.iter().find(|(_, _, shown)| *shown == name);
        match named {
            Some((_, code, _)) => Some(Self::plain(*code)),
            None if name.chars().count() == 1 => Self::parse(name),
            None => Self::parse(&name.to_lowercase()),
        }
    }

    /// The letter this key writes into a text field, if it writes one.
    pub fn written(self) -> Option<char> {
        match self.code {
            KeyCode::Char(letter) if !self.ctrl && !self.alt => Some(letter),
            _ => None,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("Ctrl-")?;
        }
        if self.alt {
            f.write_str("Alt-")?;
        }
        if let Some((_, _, shown)) = NAMES.iter().find(|(_, code, _)| *code == self.code) {
            return f.write_str(shown);
        }
        match self.code {
            KeyCode::Char(letter) if self.ctrl => write!(f, "{}", letter.to_ascii_uppercase()),
            KeyCode::Char(letter) => write!(f, "{letter}"),
            KeyCode::F(number) => write!(f, "F{number}"),
            other => write!(f, "{other:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_shown() {
        let table = [
            ("j", "j"),
            ("G", "G"),
            ("ctrl-d", "Ctrl-D"),
            ("alt-x", "Alt-x"),
            ("alt-G", "Alt-G"),
            ("alt-enter", "Alt-Enter"),
            ("ctrl-alt-d", "Ctrl-Alt-D"),
            ("shift-tab", "Shift-Tab"),
            ("space", "Space"),
            ("f5", "F5"),
            ("f", "f"),
            ("f12", "F12"),
            ("pgdn", "PgDn"),
            ("|", "|"),
        ];
        for (name, shown) in table {
            assert_eq!(Key::parse(name).unwrap().to_string(), shown);
            assert_eq!(Key::shown(shown), Key::parse(name));
        }
        for name in ["", "f13", "f0", "word", "ctrl-", "hyper-x"] {
            assert_eq!(Key::parse(name), None, "{name}");
        }
    }

    #[test]
    fn terminals_differ_and_keys_do_not() {
        let pressed = |code, modifiers| Key::from_event(KeyEvent::new(code, modifiers));
        assert_eq!(
            pressed(KeyCode::Char('D'), KeyModifiers::CONTROL),
            Key::parse("ctrl-d")
        );
        assert_eq!(
            pressed(KeyCode::Char('G'), KeyModifiers::SHIFT),
            Key::parse("G")
        );
        assert_eq!(
            pressed(KeyCode::Tab, KeyModifiers::SHIFT),
            Key::parse("shift-tab")
        );
    }
}
