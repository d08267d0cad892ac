//! Ids and hashes.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Length of a shortened id.
const SHORT: usize = 8;

/// The first eight digits of a hash (of a commit, blob or plan). Any other id is returned whole: the first characters
/// of a time, a counter or a name do not identify it.
pub fn short_id(id: &str) -> &str {
    // Shorter strings of hex digits are counters or Unix times.
    let is_hash = id.len() >= 12 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    id.get(..SHORT).filter(|_| is_hash).unwrap_or(id)
}

/// The first eight digits of a UUID, which is how clients name their conversations.
pub fn short_uuid(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    let text = String::with_capacity(bytes.len() * 2);
    bytes.iter().fold(text, |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Four hex digits that keep two clipped texts different.
pub(in crate::text) fn hash_suffix(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    hex(digest.get(..2).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hashes_are_shortened() {
        for (id, short) in [
            ("0123456789abcdef0123456789abcdef01234567", "01234567"),
            ("89abcdef0123", "89abcdef"),
            ("89abcdef", "89abcdef"),
            ("1775431900", "1775431900"),
            ("20261122T101500123", "20261122T101500123"),
            ("phase-3", "phase-3"),
            ("", ""),
            ("日本日本日本日本日本", "日本日本日本日本日本"),
        ] {
            assert_eq!(short_id(id), short);
        }
        assert_eq!(hex(&[0, 0xab]), "00ab");
    }
}
