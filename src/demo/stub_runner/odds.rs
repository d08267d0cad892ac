//! Chance without a clock: numbers that follow from a dispatch's text and from which run it is.

use sha2::{Digest as _, Sha256};

/// Words of a template and how they change the chance that a gate passes, in percent.
const WORDS: &[(&str, i32)] = &[
    ("at most", 20),
    ("blocking finding is open", 20),
    ("- [ ]", 10),
    ("the file and the line", 10),
    ("its file and line", 10),
    ("worst first", 5),
    ("however small", -30),
    ("anything at all", -35),
];

/// The chance of a gate whose template has none of them.
const USUAL: i32 = 85;

/// The numbers of one dispatch in one run.
pub(super) struct Odds {
    seed: Vec<u8>,
}

impl Odds {
    pub(super) fn new(text: &str, repeat: u64) -> Self {
        let mut hash = Sha256::new();
        for line in text.lines().filter(|line| !is_circumstance(line)) {
            hash.update(line.as_bytes());
            hash.update(b"\n");
        }
        hash.update(repeat.to_le_bytes());
        Self {
            seed: hash.finalize().to_vec(),
        }
    }

    /// A number below `below` for a question.
    pub(super) fn draw(&self, question: &str, below: u64) -> u64 {
        let mut hash = Sha256::new();
        hash.update(&self.seed);
        hash.update(question.as_bytes());
        let digest = hash.finalize();
        let bytes = digest.first_chunk().copied().unwrap_or_default();
        u64::from_le_bytes(bytes) % below.max(1)
    }

    /// Whether a gate with this text passes.
    pub(super) fn passes(&self, text: &str) -> bool {
        self.draw("pass", 100) < chance(text)
    }
}

/// In percent; never certain either way.
pub(super) fn chance(text: &str) -> u64 {
    let text = text.to_lowercase();
    let said = WORDS.iter().filter(|(words, _)| text.contains(words));
    let sum: i32 = said.map(|(_, by)| by).sum();
    u64::try_from((USUAL + sum).clamp(5, 92)).unwrap_or_default()
}

/// Whether a line of the header tells when or where, and not what.
fn is_circumstance(line: &str) -> bool {
    line.starts_with("**Timestamp:**") || line.starts_with("**Dispatch-Dir:**")
}
