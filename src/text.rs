//! Text from outside, text that is safe for a terminal, and one way to write numbers, times, ids, paths and commands.
//!
//! [`Foreign`] keeps the original bytes of text from outside. [`Clean`] is made from it and is all that a view or a
//! printer accepts. [`mod@format`] is the only place that turns a count, size, duration, time, id, path or command into
//! text, so that both front ends and every report write them the same way.

mod clean;
mod foreign;
pub mod format;
pub(crate) mod stored;
mod string_enum;
mod tabs;
mod wrap;

pub use clean::{Clean, Naming, Present, is_hidden};
pub use foreign::{Foreign, Marked, Shown};
pub use format::hex;
pub use tabs::Tabbed;
pub use wrap::{LongWords, wrap};

/// The items in their order, each once.
pub fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in items {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// Whether a text is a plain number: one or more ASCII digits and nothing else.
pub fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
