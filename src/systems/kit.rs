//! Shared by the readers of all systems, so that each has only its own rules.
//!
//! See [how to add a system](crate::docs::how_to::system) and [how to add a check](crate::docs::how_to::check).

pub(crate) mod badges;
pub(crate) mod causes;
pub(crate) mod checks;
pub(crate) mod damage;
pub(crate) mod depends_on;
pub mod forms;
pub(crate) mod lost_root;
pub(crate) mod odd_files;
pub(crate) mod timeline;
pub mod trails;
pub(crate) mod uncommitted;

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// The sentences of a check are for people: a decision that read them would change with the wording.
    #[test]
    fn no_decision_reads_the_words_of_a_check() {
        // Briefings, warnings and exports show them.
        let show = ["/points/handoff.rs", "/failed_checks.rs", "/export.rs"];
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
                let shows = show.iter().any(|ending| name.ends_with(ending));
                if name.contains("tests") || name == "systems/kit.rs" || shows {
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
