//! Interns the texts that repeat in a manifest.

use std::collections::HashMap;

use super::Sym;
use super::line::Word;

/// The size of the small table that is checked before the map.
const RECENT: usize = 256;

/// A vocabulary.
#[derive(Debug, Clone)]
pub(crate) struct Vocabulary {
    by_text: HashMap<Box<str>, Sym>,
    texts: Vec<Box<str>>,
    /// The text last seen for each value of a cheap hash. Only a cache: on a collision the map is used.
    recent: Vec<Sym>,
    /// The symbols of small numbers.
    numbers: Vec<Sym>,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self {
            by_text: HashMap::new(),
            texts: Vec::new(),
            recent: vec![Sym::NONE; RECENT],
            numbers: vec![Sym::NONE; RECENT],
        }
    }
}

impl Vocabulary {
    /// The symbol of a word.
    pub(crate) fn word(&mut self, word: &Word<'_>) -> Sym {
        match word {
            Word::None => Sym::NONE,
            Word::Int(number) => self.number(*number),
            Word::Text(text) => self.text(text.trim()),
        }
    }

    /// The symbol of a number; small ones, such as tasks, are written out once.
    fn number(&mut self, number: i64) -> Sym {
        let small = usize::try_from(number).ok().filter(|at| *at < RECENT);
        let known = small.and_then(|at| self.numbers.get(at).copied());
        if let Some(sym) = known.filter(|sym| *sym != Sym::NONE) {
            return sym;
        }
        let sym = self.text(&number.to_string());
        if let Some(slot) = small.and_then(|at| self.numbers.get_mut(at)) {
            *slot = sym;
        }
        sym
    }

    /// The symbol of a text.
    pub(crate) fn text(&mut self, text: &str) -> Sym {
        if text.is_empty() {
            return Sym::NONE;
        }
        let place = place(text);
        let recent = self.recent.get(place).copied();
        if let Some(sym) = recent.filter(|sym| self.get(*sym) == Some(text)) {
            return sym;
        }
        let sym = self.by_text.get(text).copied().unwrap_or_else(|| {
            self.texts.push(text.into());
            let sym = Sym(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
            self.by_text.insert(text.into(), sym);
            sym
        });
        if let Some(slot) = self.recent.get_mut(place) {
            *slot = sym;
        }
        sym
    }

    /// The text of a symbol; `None` for [`Sym::NONE`].
    pub(crate) fn get(&self, sym: Sym) -> Option<&str> {
        let index = usize::try_from(sym.0).ok()?.checked_sub(1)?;
        self.texts.get(index).map(AsRef::as_ref)
    }

    /// All texts, by symbol.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(AsRef::as_ref)
    }
}

fn place(text: &str) -> usize {
    let bytes = text.as_bytes();
    let byte = |at: Option<&u8>| at.map_or(0, |b| usize::from(*b));
    (bytes.len() * 31 + byte(bytes.first()) * 7 + byte(bytes.last())) % RECENT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_symbol_whatever_collides_with_it() {
        let mut words = Vocabulary::default();
        let texts: Vec<String> = (0..2_000).map(|n| format!("a{}z", n * 13)).collect();
        let first: Vec<Sym> = texts.iter().map(|text| words.text(text)).collect();
        let again: Vec<Sym> = texts.iter().map(|text| words.text(text)).collect();
        assert_eq!(first, again);
        assert_eq!(words.get(first[7]), Some("a91z"));
        assert_eq!(words.word(&Word::Int(12)), words.text("12"));
        assert_eq!(words.text(""), Sym::NONE);
    }
}
