//! A one-line text field: a filter, a search in the help, a command.

use crossterm::event::KeyCode;
use tui_input::{Input, InputRequest};

use crate::tui::prelude::*;
use crate::tui::screens::diff::wrap::window;

/// The most characters that a paste may have.
const LONGEST: usize = 1_000;

/// A text field. While it is open, letters go to it.
#[derive(Debug, Clone, Default)]
pub struct Field {
    input: Input,
    /// Whether letters go to it.
    pub open: bool,
}

impl Field {
    /// An open, empty field.
    pub fn opened() -> Self {
        Self {
            input: Input::default(),
            open: true,
        }
    }

    /// What was written.
    pub fn text(&self) -> &str {
        self.input.value()
    }

    /// True with nothing written.
    pub fn is_empty(&self) -> bool {
        self.text().is_empty()
    }

    /// The column of the cursor, in cells from the beginning of the text as it is shown: `<U+200B>` takes eight.
    pub fn column(&self) -> usize {
        let before: String = self.text().chars().take(self.input.cursor()).collect();
        Clean::new(&before).width()
    }

    /// What is shown of it in so many cells, the cursor among them.
    pub(crate) fn visible(&self, room: usize) -> Bits {
        let away = (self.column() + 1).saturating_sub(room);
        let text = Clean::new(self.text());
        let (blanks, part) = window(&text, away, room);
        Bits::new()
            .gap(blanks)
            .title(text.part(part).clip(room - blanks.min(room)))
            .cursor(Some(self.column().saturating_sub(away + blanks)))
    }

    /// Writes a text in the place of what was written.
    pub fn set(&mut self, text: &str) {
        self.input = Input::new(text.to_owned());
    }

    /// Deletes the text. False if there was none.
    pub fn clear(&mut self) -> bool {
        let written = !self.is_empty();
        self.input.reset();
        written
    }

    /// What a search for the text found: so many, of which one is selected.
    pub(crate) fn found(&self, number: usize, at: Option<usize>, noun: &str) -> Clean {
        match (self.is_empty(), number, at) {
            (true, ..) => Clean::empty(),
            (false, 0, _) => Clean::new("not found"),
            (false, of, Some(at)) => clean!("{} of {}", at + 1, of),
            (false, of, None) => format::count(of, noun).into(),
        }
    }

    /// Writes pasted text; line breaks and other controls become blanks. Says why nothing was written.
    pub fn paste(&mut self, text: &str) -> Result<(), &'static str> {
        // Part of a path or a reason is not what the person meant.
        if text.chars().nth(LONGEST).is_some() {
            return Err("Nothing was pasted: the text is longer than 1,000 characters.");
        }
        for letter in text.chars() {
            let letter = if letter.is_control() { ' ' } else { letter };
            self.input.handle(InputRequest::InsertChar(letter));
        }
        Ok(())
    }

    /// Takes a key; true if it was one for a text field.
    pub fn take(&mut self, key: Key) -> bool {
        let request = request(key);
        request.map(|request| self.input.handle(request)).is_some()
    }
}

fn request(key: Key) -> Option<InputRequest> {
    if let Some(letter) = key.written() {
        return Some(InputRequest::InsertChar(letter));
    }
    let request = match (key.code, key.ctrl) {
        (KeyCode::Backspace, false) => InputRequest::DeletePrevChar,
        (KeyCode::Delete, false) => InputRequest::DeleteNextChar,
        (KeyCode::Left, false) => InputRequest::GoToPrevChar,
        (KeyCode::Right, false) => InputRequest::GoToNextChar,
        (KeyCode::Home, _) | (KeyCode::Char('a'), true) => InputRequest::GoToStart,
        (KeyCode::End, _) | (KeyCode::Char('e'), true) => InputRequest::GoToEnd,
        (KeyCode::Char('w'), true) => InputRequest::DeletePrevWord,
        (KeyCode::Char('k'), true) => InputRequest::DeleteTillEnd,
        (KeyCode::Char('u'), true) => InputRequest::DeleteLine,
        (KeyCode::Left, true) => InputRequest::GoToPrevWord,
        (KeyCode::Right, true) => InputRequest::GoToNextWord,
        _ => return None,
    };
    Some(request)
}

/// What a typed path becomes: the only one that it may be, else as much as all of them have in common; `None` where
/// that is no more than what was typed.
pub(crate) fn completed(typed: &str, found: &[String]) -> Option<String> {
    let common = common_beginning(found);
    // A name of another folder is longer than what was typed, though it does not begin with it.
    (common.len() > typed.len()).then_some(common)
}

/// What all of these begin with.
fn common_beginning(all: &[String]) -> String {
    let Some((first, others)) = all.split_first() else {
        return String::new();
    };
    let alike = |(at, letter): &(usize, char)| {
        let mut ends = others.iter().map(|other| other.get(*at..));
        ends.all(|end| end.is_some_and(|end| end.starts_with(*letter)))
    };
    let common = first.char_indices().take_while(alike);
    common.map(|(_, letter)| letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_paths_begin_with_ends_between_letters() {
        let table: &[(&[&str], &str)] = &[
            (&[], ""),
            (&["red-v2.md"], "red-v2.md"),
            (&["red-v2.md", "red-v3.md"], "red-v"),
            (&["赤い.md", "赤く.md"], "赤"),
            (&["日/", "本/"], ""),
            (&["a", "ab"], "a"),
        ];
        for (all, expected) in table {
            let all: Vec<String> = all.iter().map(|one| (*one).to_owned()).collect();
            assert_eq!(common_beginning(&all), *expected, "{all:?}");
        }
    }

    #[test]
    fn a_field_without_any_room_is_drawn() {
        let mut field = Field::default();
        field.set("日本 and more");
        for room in 0..4 {
            assert!(field.visible(room).width() <= room.max(1), "{room}");
        }
    }
}
