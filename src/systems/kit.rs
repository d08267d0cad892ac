//! What the readers of all systems share, so that each says only what is its own.
//!
//! # How to add a system
//!
//! 1. Make a folder here with five modules: `shape` (the files on disk, as types), `facts` (the files and the
//!    world read together, once), `checks` (a table of [`checks::Row`]s), `points` (where the work can resume,
//!    and what that writes) and `record` (the lines and fields that are written).
//! 2. Implement [`System`](super::System) (what to look for, and whether a hit is one) and
//!    [`Case`](super::Case) (what a pipeline that was read answers). Only [`Case`](super::Case)'s methods
//!    without a body are needed; a system that can run dispatches again also answers
//!    [`Case::replayable`](super::Case::replayable).
//! 3. Add one line to [`SYSTEMS`](super::SYSTEMS).
//!
//! # How to add a check
//!
//! Write a function from the system's scene to [`checks::Outcome`]s, and add one [`checks::Row`] to the
//! system's table: the id, its topic, what it proves, the function. An id never changes its meaning, because
//! scripts filter by it. If a resume point depends on the check, name its id in the system's `depends_on`
//! table; nothing else decides by it.

pub(crate) mod badges;
pub(crate) mod checks;
pub(crate) mod depends_on;
pub mod trails;

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// The words of a check are for people: a decision that reads them would change with the wording.
    #[test]
    fn no_decision_reads_the_words_of_a_check() {
        // Briefings show them.
        let show = [
            "systems/autoconference/points/handoff.rs",
            "systems/mgw/points/handoff.rs",
        ];
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut folders = vec![src.join("systems"), src.join("recover")];
        let mut seen = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(&src).unwrap().display().to_string();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                if name.contains("tests") || name == "systems/kit.rs" || show.contains(&&*name) {
                    continue;
                }
                seen += 1;
                let text = std::fs::read_to_string(&path).unwrap();
                let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
                for words in ["check.subject()", "check.evidence", "c.evidence"] {
                    assert!(!text.contains(words), "{name} reads {words}");
                }
            }
        }
        assert!(seen > 100, "{seen}");
    }
}
