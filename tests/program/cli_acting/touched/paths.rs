//! What the history says about the paths of a recovery that was interrupted.

use std::fs;

use serde_json::Value;

use super::Cut;

#[test]
fn the_history_says_what_is_at_each_path_of_an_interrupted_recovery() {
    let cut = Cut::new();
    let path = cut.replaced();
    let states = || -> Vec<(String, String)> {
        let (code, past) = cut.sandbox.json(&["history"]);
        assert_eq!(code, 0, "{past}");
        let paths = past["recoveries"][0]["paths"].as_array();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let paths = paths.into_iter().flatten();
        paths
            .map(|one| (text(&one["path"]), text(&one["state"])))
            .collect()
    };
    let at = |state: &str| vec![(path.to_str().unwrap().to_owned(), state.to_owned())];
    assert_eq!(states(), at("planned"));
    let text = String::from_utf8(cut.sandbox.run(&["history"]).stdout).unwrap();
    let said = "1 path is already as planned: src/price.rs.";
    assert!(text.contains(said), "{text}");
    fs::write(&path, "// theirs\n").unwrap();
    assert_eq!(states(), at("changed"));
    let (code, _) = cut.sandbox.json(&["recover", "--yes"]);
    assert_eq!(code, 0);
    assert_eq!(states(), []);
}
