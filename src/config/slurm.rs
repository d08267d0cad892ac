//! `[slurm]`: options that are added to the cluster jobs of a replay.

use serde::Deserialize;

/// The keys of `[slurm]`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SlurmConfig {
    /// Options for `sbatch`.
    pub options: Vec<String>,
}

/// Options that relight sets itself, so the configuration may not.
const OWN: [&str; 10] = [
    "--array",
    "--chdir",
    "--dependency",
    "--job-name",
    "--output",
    "--parsable",
    "--wrap",
    "-a",
    "-D",
    "-J",
];

impl SlurmConfig {
    /// What is wrong with it, if anything.
    pub(super) fn complaint(&self) -> Option<String> {
        self.options.iter().find_map(|option| {
            if super::is_unsafe(option) {
                return Some("slurm.options has a control or invisible character.".to_owned());
            }
            if !option.starts_with('-') {
                return Some(format!(
                    "slurm.options has `{option}`, which is not an option; write an option and its value as one word, such as \"--partition=debug\"."
                ));
            }
            let name = option.split('=').next().unwrap_or_default();
            OWN.contains(&name)
                .then(|| format!("slurm.options has {name}, which relight sets itself."))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use std::path::Path;

    #[test]
    fn only_options_that_relight_does_not_set_are_accepted() {
        let parse = |text: &str| {
            let text = format!("[slurm]\noptions = {text}");
            let config = Config::parse(&text, Path::new("/c.toml"), &|_| None);
            config.map_err(|error| error.what)
        };
        let config = parse("[\"--partition=debug\", \"-t60\"]").unwrap();
        assert_eq!(config.slurm.options, ["--partition=debug", "-t60"]);
        let table = [
            (
                "[\"debug\"]",
                "slurm.options has `debug`, which is not an option",
            ),
            (
                "[\"--array=1-9\"]",
                "slurm.options has --array, which relight sets",
            ),
            ("[\"-J\"]", "slurm.options has -J, which relight sets"),
            ("[\"--x=\\u0000\"]", "slurm.options has a control"),
            ("\"--x\"", "line 2: "),
        ];
        for (text, says) in table {
            let what = parse(text).unwrap_err();
            assert!(what.starts_with(says), "{text}: {what}");
        }
    }
}
