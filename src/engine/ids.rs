//! Stable ids: `<system>-<native>~<hex>`.

use std::os::unix::ffi::OsStrExt as _;

use sha2::{Digest as _, Sha256};

use crate::model::text::hex;
use crate::model::{PipelineId, Reading};

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
    fn a_slug_is_safe_everywhere() {
        assert_eq!(slug(b"1775430161"), "1775430161");
        assert_eq!(
            slug("$(id);\u{202e} \u{1b}x/..".as_bytes()),
            "--id-------x-.."
        );
        assert_eq!(slug(b""), "-");
    }
}
