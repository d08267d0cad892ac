//! Stable ids: `<system>-<native>~<hex>`.

use std::os::unix::ffi::OsStrExt as _;

use sha2::{Digest as _, Sha256};

use crate::model::text::hex;
use crate::model::{Foreign, PipelineId, Reading, SystemName};

/// Hex digits of an id that is not ambiguous.
pub(super) const USUAL: usize = 4;

/// All that there are.
pub(super) const ALL: usize = 64;

/// The id of a reading with so many hex digits. The native key is shown in characters that every terminal
/// and shell takes; the hash is of its true bytes, so that two keys never share an id by that.
pub(super) fn id(reading: &Reading, digits: usize) -> PipelineId {
    let mut hash = Sha256::new();
    for field in [
        reading.system.0.as_bytes(),
        reading.native.as_bytes(),
        reading.root.as_os_str().as_bytes(),
    ] {
        hash.update((field.len() as u64).to_le_bytes());
        hash.update(field);
    }
    let hash = hex(&hash.finalize());
    let hash: String = hash.chars().take(digits).collect();
    PipelineId(format!(
        "{}-{}~{hash}",
        reading.system,
        slug(reading.native.as_bytes())
    ))
}

/// Whether an id is that of a pipeline, in any length: it is longer where it was ambiguous when it was written down.
pub(super) fn any_length(known: &PipelineId, reading: &Reading) -> impl Fn(&PipelineId) -> bool {
    let (known, longest) = (known.clone(), id(reading, ALL));
    move |one| *one == known || longest.0.starts_with(&one.0)
}

/// Whether a word on the command line may be the id or the native key of a pipeline, or the beginning of one. True of
/// some that it is not, never false of one that it is.
pub(super) fn may_mean(word: &[u8], system: SystemName, native: &Foreign) -> bool {
    // A reader may write a key that is not UTF-8 in its own way.
    let lossy = native.lossy();
    [native.as_bytes(), lossy.as_bytes()]
        .into_iter()
        .any(|native| {
            let slug_of_native = slug(native);
            let name = format!("{system}-{slug_of_native}~");
            name.as_bytes().starts_with(word)
                || word.starts_with(name.as_bytes())
                || slug_of_native.starts_with(&slug(word))
        })
}

/// Letters, digits, `.`, `_` and `-` as they are, everything else as `-`; at most 60.
fn slug(native: &[u8]) -> String {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"._-".contains(b);
    let text: String = native
        .iter()
        .take(60)
        .map(|b| if plain(b) { char::from(*b) } else { '-' })
        .collect();
    if text.is_empty() {
        "-".to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_mean_what_its_id_or_key_begins_with() {
        let means = |word: &str, native: &[u8]| {
            may_mean(word.as_bytes(), SystemName("mgw"), &Foreign::from(native))
        };
        for word in ["mgw-57~8832", "mgw-57~", "mgw-57", "mgw", "m", "57", "5"] {
            assert!(means(word, b"57"), "{word}");
        }
        for word in ["mgw-5~8832", "mgw-58", "nine-step-57~8832", "7", "57~8832"] {
            assert!(!means(word, b"57"), "{word}");
        }
        assert!(means("a b", b"a b c") && means("mgw-a-b~1", b"a b"));
        assert!(means("mgw-x-~1", b"x\xff") && means("mgw-x---~1", b"x\xff"));
        let long = "n".repeat(80);
        assert!(
            means(&long, long.as_bytes())
                && means(&format!("mgw-{}~12", "n".repeat(60)), long.as_bytes())
        );
    }

    #[test]
    fn a_slug_is_safe_everywhere() {
        assert_eq!(slug(b"1775430161"), "1775430161");
        assert_eq!(
            slug("$(id);\u{202e} \u{1b}x/..".as_bytes()),
            "--id-------x-.."
        );
        assert_eq!(slug(b""), "-");
    }
}
