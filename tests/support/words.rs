//! The placeholders of fixtures: `@R@`, `@DH:rel@`, `@PH:rel@`, `@OID:name@`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::Trouble;

/// What placeholders stand for.
pub(crate) struct Words {
    /// The folder that the case lives in.
    pub(crate) root: PathBuf,
    /// Full commit ids by the names of the case.
    pub(crate) ids: BTreeMap<String, String>,
}

impl Words {
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            ids: BTreeMap::new(),
        }
    }

    /// Fills the placeholders of a content. What looks like one and is not stays.
    pub(crate) fn bytes(&self, content: &[u8]) -> Result<Vec<u8>, Trouble> {
        let mut filled = Vec::with_capacity(content.len());
        let mut rest = content;
        while let Some(at) = rest.iter().position(|b| *b == b'@') {
            let (before, from) = rest.split_at(at);
            filled.extend_from_slice(before);
            let end = from.iter().skip(1).position(|b| matches!(b, b'@' | b'\n'));
            let word = end.and_then(|end| from.get(1..=end));
            let value = match word.and_then(|word| std::str::from_utf8(word).ok()) {
                Some(word) => self.value(word)?,
                None => None,
            };
            if let (Some(value), Some(word)) = (value, word) {
                filled.extend_from_slice(value.as_bytes());
                rest = from.get(word.len() + 2..).unwrap_or_default();
            } else {
                filled.push(b'@');
                rest = from.get(1..).unwrap_or_default();
            }
        }
        filled.extend_from_slice(rest);
        Ok(filled)
    }

    /// The same for text.
    pub(crate) fn text(&self, text: &str) -> Result<String, Trouble> {
        let filled = self.bytes(text.as_bytes())?;
        String::from_utf8(filled).map_err(|why| Trouble(why.to_string()))
    }

    /// A path of the case: beneath its folder unless it is absolute.
    pub(crate) fn path(&self, path: &str) -> Result<PathBuf, Trouble> {
        let rel = self.text(path)?;
        if rel == "." {
            return Ok(self.root.clone());
        }
        Ok(self.root.join(rel))
    }

    fn value(&self, word: &str) -> Result<Option<String>, Trouble> {
        if word == "R" {
            return Ok(Some(shown(&self.root)));
        }
        let Some((kind, name)) = word.split_once(':') else {
            return Ok(None);
        };
        let path = || shown(&self.root.join(name));
        Ok(match kind {
            "DH" => Some(
                hex(&Sha256::digest(path().as_bytes()))
                    .chars()
                    .take(16)
                    .collect(),
            ),
            "PH" => Some(folded(&path())),
            "OID" => {
                let id = self.ids.get(name).cloned();
                Some(id.ok_or_else(|| Trouble(format!("no commit has the ref `{name}`")))?)
            }
            _ => None,
        })
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Claude's name of a project folder.
fn folded(path: &str) -> String {
    let fold = |b: u8| {
        if b.is_ascii_alphanumeric() {
            char::from(b)
        } else {
            '-'
        }
    };
    path.bytes().map(fold).collect()
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}
