//! The scripts of jobs. They contain relight's own words and quoted paths, nothing else.

use std::path::Path;

use crate::text::format::shell_path;

/// Exit status of a check whose path is missing on the node.
pub const MISSING: i32 = 81;

/// The script of an array: each task executes one run. `sessions` are their ids in the order in which they start,
/// `home` is the folder that theirs are in. The error is the beginning of a sentence.
pub fn runs(program: &Path, home: &Path, sessions: &[String]) -> Result<String, String> {
    let (program, home) = (quoted(program)?, quoted(home)?);
    let words = sessions.join(" ");
    Ok(format!(
        "#!/bin/sh\n\
         # Written by relight. Each task of the array executes the run at its place in this list.\n\
         set -- {words}\n\
         shift \"$SLURM_ARRAY_TASK_ID\"\n\
         exec {program} replay --quiet --run-folder {home}/\"$1\"\n"
    ))
}

/// The script that checks that a node sees what runs need: every path is there, and what it writes arrives here.
pub fn check(paths: &[&Path], folder: &Path) -> Result<String, String> {
    let paths = paths
        .iter()
        .map(|path| quoted(path))
        .collect::<Result<Vec<_>, _>>()?;
    let (asked, seen) = (folder.join("check"), folder.join("check.seen"));
    let (asked, seen) = (quoted(&asked)?, quoted(&seen)?);
    Ok(format!(
        "#!/bin/sh\n\
         # Written by relight. Checks that this node sees what the runs need.\n\
         for path in {}; do\n    \
             if [ ! -e \"$path\" ]; then\n        \
                 printf 'missing: %s\\n' \"$path\"\n        \
                 exit {MISSING}\n    \
             fi\n\
         done\n\
         exec cp {asked} {seen}\n",
        paths.join(" ")
    ))
}

fn quoted(path: &Path) -> Result<String, String> {
    shell_path(path).ok_or_else(|| {
        let path = path.to_string_lossy();
        format!("{path} contains characters that a job script cannot contain")
    })
}
