//! Facts as lines: a short label, then a text that wraps below itself.

use crate::tui::prelude::*;
use crate::tui::view::wrap_most;

/// Width of the labels, their gap included.
pub(crate) const LABEL: usize = 11;

/// One fact.
pub(crate) struct Fact {
    /// What it is.
    pub(crate) label: &'static str,
    /// A sign before the text, with its role.
    pub(crate) sign: Option<(&'static str, Role)>,
    /// How the text looks.
    pub(crate) role: Role,
    /// The text.
    pub(crate) text: Clean,
    /// The most lines it may take.
    pub(crate) most: usize,
    /// The file or folder that the text names.
    pub(crate) file: Option<Arc<Path>>,
    /// Whether the text is a sentence of ours, and may name keys.
    pub(crate) ours: bool,
}

impl Fact {
    pub(crate) fn new(label: &'static str, role: Role, text: impl Into<Clean>) -> Self {
        Self {
            label,
            sign: None,
            role,
            text: text.into(),
            most: usize::MAX,
            file: None,
            ours: false,
        }
    }

    /// A fact in ordinary text.
    pub(crate) fn text(label: &'static str, text: impl Into<Clean>) -> Self {
        Self::new(label, Role::Text, text)
    }

    /// A sentence of ours, which may name keys.
    pub(crate) fn ours(self) -> Self {
        Self { ours: true, ..self }
    }

    /// A file or folder.
    pub(crate) fn file(label: &'static str, role: Role, file: &Path) -> Self {
        Self {
            file: Some(file.into()),
            ..Self::new(label, role, clean!("{}", file))
        }
    }

    pub(crate) fn sign(mut self, sign: (&'static str, Role)) -> Self {
        self.sign = Some(sign);
        self
    }

    pub(crate) fn most(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// The lines of this fact in a width, and at most so many.
    fn lines(&self, width: usize, most: usize) -> Vec<Bits> {
        let mut lead = Bits::new().label(self.label, LABEL);
        if let Some((sign, role)) = self.sign {
            lead = lead.say(role, sign).gap(1);
        }
        let room = width.saturating_sub(lead.width()).max(8);
        let texts = wrap_most(&self.text, room, self.most.min(most));
        let line = |(lead, text): (Bits, Clean)| match &self.file {
            Some(file) => lead.file(self.role, text, file),
            None if self.ours => lead.sentence(self.role, &text),
            None => lead.say(self.role, text),
        };
        lead.hanging().zip(texts).map(line).collect()
    }
}

/// The lines of several facts.
pub(crate) fn lines(facts: &[Fact], width: usize) -> Vec<Bits> {
    within(facts, width, usize::MAX)
}

/// The same in at most so many lines, of which each fact has at least one, as long as there are enough.
pub(crate) fn each_within(facts: &[Fact], width: usize, height: usize) -> Vec<Bits> {
    let mut lines = Vec::new();
    for (place, fact) in facts.iter().enumerate() {
        let left = height.saturating_sub(lines.len());
        let later = facts.len() - place - 1;
        if left > 0 {
            lines.extend(fact.lines(width, left.saturating_sub(later).max(1)));
        }
    }
    lines
}

/// The same in at most so many lines. A fact that is cut there ends in `…`.
pub(crate) fn within(facts: &[Fact], width: usize, height: usize) -> Vec<Bits> {
    let mut lines = Vec::new();
    for fact in facts {
        let left = height.saturating_sub(lines.len());
        if left > 0 {
            lines.extend(fact.lines(width, left));
        }
    }
    lines
}
