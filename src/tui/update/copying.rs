//! What `y` copies and what `o` opens.

use crate::tui::prelude::*;

pub(crate) const NOTHING: &str = "There is nothing to copy here.";
pub(crate) const UNSAFE: &str =
    "Not copied: it contains characters that are not safe to paste into a shell.";

/// Copies what the selected row is known by.
pub(crate) fn copy(state: &mut State) {
    match state.top().copyable(state) {
        Ok(text) => {
            let text = state.found_by.line(&text);
            let marks = state.layers.is_empty().then(|| state.browser.left_out());
            let what = match marks.flatten() {
                Some(left) => clean!("{} ({})", text, left),
                None => text.clone(),
            };
            state.effects.push(Effect::Copy(vec![text], what));
        }
        Err(why) => state.refuse(Clean::new(why)),
    }
}

/// A text whose presentable form is the text itself; any other would be copied as something else.
pub(crate) fn true_text(text: &Foreign) -> Result<Clean, &'static str> {
    let clean = text.clean();
    let same = text == clean.as_str();
    same.then_some(clean).ok_or(UNSAFE)
}

/// Opens the file of the selected row.
pub(crate) fn open(state: &mut State) {
    match state.top().origin(state) {
        Some(origin) => {
            state.note(clean!("Opened {}.", origin.file));
            state.effects.push(Effect::Open(origin));
        }
        None => state.refuse("This row has no file to open."),
    }
}
