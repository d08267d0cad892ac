//! A checkpoint whose file has something else in its place.

use std::fs;

use serde_json::Value;

use super::checkpoint::taken;
use crate::cli_acting::sandbox::Sandbox;

/// What is in the place of a file is said before anybody agrees, and is left alone.
#[test]
fn a_directory_in_the_place_of_a_file_is_no_new_file() {
    let sandbox = Sandbox::new();
    let conference = "projects/lab/tokenizer-speed";
    let one = taken(&sandbox, &[conference, "--reason", "now"]);
    let table = sandbox
        .root()
        .join(conference)
        .join("conference_results.tsv");
    fs::remove_file(&table).unwrap();
    fs::create_dir_all(table.join("deep")).unwrap();
    fs::write(table.join("deep/own"), "own").unwrap();
    sandbox.grow_old();
    let restore = [
        "restore",
        conference,
        "--checkpoint",
        one["id"].as_str().unwrap(),
    ];
    let (_, shown) = sandbox.json(&[&restore[..], &["--dry-run"]].concat());
    let guards = shown["plan"]["guards"].as_array().unwrap().iter();
    let failed: Vec<&Value> = guards.filter(|guard| guard["holds"] == false).collect();
    let [failed] = failed.as_slice() else {
        panic!("{failed:?}");
    };
    let text = failed["text"].as_str().unwrap();
    assert!(
        text.ends_with("conference_results.tsv is a directory."),
        "{text}"
    );
    assert!(
        failed["would_hold_if"].as_str().unwrap().contains("mv "),
        "{failed}"
    );
    let (code, refused) = sandbox.json(&[&restore[..], &["--yes"]].concat());
    assert_eq!(code, 3, "{refused}");
    assert!(
        refused["error"]["guards"]
            .to_string()
            .contains("is a directory"),
        "{refused}"
    );
    assert!(table.join("deep/own").exists());
}
