//! The text of the `index.lock` that relight holds in git directories: it names the recovery.

/// How the text of an `index.lock` begins that relight holds.
const HELD: &str = "Held by relight while it ";

/// The text of the `index.lock` that relight holds while it exchanges files.
pub fn lock_text(id: &str) -> String {
    format!("{HELD}applies recovery {id}. If relight is not running: relight recover {id}\n")
}

/// The recovery whose lock has this text; `None` for the lock of another program. Other versions of relight may use
/// another verb.
pub fn lock_holder(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?.strip_prefix(HELD)?;
    let (id, _) = text.split_once(" recovery ")?.1.split_once('.')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    (!id.is_empty() && id.chars().all(plain)).then(|| id.to_owned())
}
