//! Numbers with their noun, so that no sentence says "1 files".

/// `1 row`, `2 rows`.
pub(crate) fn of(count: usize, one: &str, many: &str) -> String {
    let noun = if count == 1 { one } else { many };
    format!("{count} {noun}")
}

/// `1 file`, `2 files`.
pub(crate) fn files(count: usize) -> String {
    of(count, "file", "files")
}

/// `1 commit`, `2 commits`.
pub(crate) fn commits(count: usize) -> String {
    of(count, "commit", "commits")
}

/// `one` for one thing, `many` for any other number: verbs and pronouns.
pub(crate) fn agree<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noun_follows_the_number() {
        for (count, said) in [(0, "0 files"), (1, "1 file"), (2, "2 files")] {
            assert_eq!(files(count), said);
        }
        assert_eq!(
            (commits(1).as_str(), agree(1, "is", "are")),
            ("1 commit", "is")
        );
    }
}
