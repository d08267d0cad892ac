//! Every crate in the graph may be used: its licence is one of those listed, and it comes from the registry.

use std::process::Command;

use serde_json::Value;

/// Licences that ask for nothing but their own text, and MPL, which asks for its own files only.
const ALLOWED: [&str; 12] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "MPL-2.0",
    "CC0-1.0",
    "BSL-1.0",
    "Unlicense",
];

/// Finding S6: this needs no package that building for this machine has not fetched. The packages of other
/// platforms are asked for only where `RELIGHT_EVERY_PLATFORM` says that they are there, as in `.ci/run`.
#[test]
fn every_crate_may_be_used() {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["metadata", "--format-version", "1", "--offline", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("RELIGHT_EVERY_PLATFORM").is_none() {
        command.args(["--filter-platform", &host().unwrap()]);
    }
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let graph: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = graph["packages"].as_array().unwrap();
    assert!(packages.len() > 50);
    let refused: Vec<String> = packages
        .iter()
        .filter(|p| p["name"] != "relight")
        .filter_map(refusal)
        .collect();
    assert!(refused.is_empty(), "\n{}", refused.join("\n"));
}

/// The platform of this machine, as cargo names it.
fn host() -> Option<String> {
    let output = Command::new(env!("CARGO")).arg("-vV").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
}

/// Why a package may not be used.
fn refusal(package: &Value) -> Option<String> {
    let name = package["name"].as_str().unwrap_or("?");
    let licence = package["license"].as_str().unwrap_or("");
    // `MIT/Apache-2.0` is the old way to write `OR`; of alternatives one is enough, of `AND` all are needed.
    let free = |one: &str| ALLOWED.contains(&one.trim().trim_matches(['(', ')']));
    let offered = licence.replace('/', " OR ");
    let usable = offered
        .split(" OR ")
        .any(|choice| choice.split(" AND ").all(free));
    let ours = package["source"]
        .as_str()
        .is_some_and(|source| source.starts_with("registry+"));
    (!usable || !ours).then(|| format!("{name}: licence {licence:?}, source {}", package["source"]))
}
