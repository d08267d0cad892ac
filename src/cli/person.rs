//! Asks the person at the terminal before anything is written; no answer means no. The answer is a typed line, which
//! the caller interprets.

use super::answer::Line;
use crate::model::Clean;

/// Somebody at a terminal, or nobody.
pub(super) trait Person {
    /// Whether somebody can be asked: stdin and stderr both are terminals.
    fn present(&self) -> bool;

    /// The width of the terminal in cells.
    fn width(&self) -> usize;

    /// Shows lines above a question; where nobody can be asked, what the refusal that follows is about.
    fn show(&mut self, lines: &[Line]);

    /// Asks, and returns the typed line without its newline; `None` if the input ended or was interrupted.
    fn ask(&mut self, prompt: &Clean) -> Option<String>;
}

/// A person who types prepared lines, for tests.
#[cfg(test)]
pub(super) struct Scripted {
    /// What is typed, in order; nothing more is the end of input.
    pub(super) types: std::collections::VecDeque<String>,
    /// All that was shown, prompts too.
    pub(super) saw: String,
}

#[cfg(test)]
impl Scripted {
    /// Somebody who types these lines.
    pub(super) fn typing(lines: &[&str]) -> Self {
        Self {
            types: lines.iter().map(|line| (*line).to_owned()).collect(),
            saw: String::new(),
        }
    }
}

#[cfg(test)]
impl Person for Scripted {
    fn present(&self) -> bool {
        true
    }

    fn width(&self) -> usize {
        80
    }

    fn show(&mut self, lines: &[Line]) {
        for line in lines {
            self.saw.extend(line.iter().map(|span| span.1.as_str()));
            self.saw.push('\n');
        }
    }

    fn ask(&mut self, prompt: &Clean) -> Option<String> {
        self.saw.push_str(prompt.as_str());
        self.saw.push('\n');
        self.types.pop_front()
    }
}

/// Nobody, for tests.
#[cfg(test)]
pub(super) struct Nobody;

#[cfg(test)]
impl Person for Nobody {
    fn present(&self) -> bool {
        false
    }

    fn width(&self) -> usize {
        80
    }

    fn show(&mut self, _lines: &[Line]) {}

    fn ask(&mut self, _prompt: &Clean) -> Option<String> {
        None
    }
}
