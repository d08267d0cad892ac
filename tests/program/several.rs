//! Commands that take several pipelines at once.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::exporting::{RUN, machine};

#[test]
fn reports_of_several_pipelines_are_written_and_each_refusal_is_said() {
    let machine = machine();
    let (_, list) = machine.json("", &["list", "--all", "--scope", "machine"]);
    let all = list["pipelines"].as_array().unwrap();
    let id = |system: &str| {
        let one = all.iter().find(|one| one["system"] == system);
        one.unwrap()["id"].as_str().unwrap().to_owned()
    };
    let (run, other) = (id("claude-workflow"), id("autoconference"));
    let args = ["export", "--report", &run, &other, "out"];
    let (code, answer) = machine.json("", &args);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(answer["export"]["refused"], serde_json::json!([]));
    let read = |id: &str, name: &str| {
        let text = fs::read_to_string(machine.path(&format!("out/{id}/{name}")));
        serde_json::from_str::<Value>(&text.unwrap()).unwrap()
    };
    for id in [&run, &other] {
        assert_eq!(read(id, "show.json")["pipeline"]["id"], **id);
        for (name, command) in [("verify.json", "verify"), ("points.json", "points")] {
            let (_, printed) = machine.json("", &[command, id]);
            assert_eq!(read(id, name), printed, "{id} {name}");
        }
    }
    // What the system exports is there, too.
    assert_eq!(read(&run, "results.json")["runId"], RUN);
    let mode = |path: &str| {
        fs::metadata(machine.path(path))
            .unwrap()
            .permissions()
            .mode()
    };
    assert_eq!(mode("out") & 0o777, 0o700);
    // One that is there already is refused, the other is written all the same.
    fs::remove_dir_all(machine.path(&format!("out/{other}"))).unwrap();
    let (code, answer) = machine.json("", &args);
    assert_eq!(code, 3, "{answer}");
    let refused = answer["export"]["refused"].as_array().unwrap();
    assert_eq!(refused.len(), 1, "{answer}");
    assert_eq!(refused[0]["id"], *run);
    assert!(machine.path(&format!("out/{other}/show.json")).exists());
    let (code, answer) = machine.json("", &["export", &run, &other, "else"]);
    assert_eq!(code, 2, "{answer}");
}

#[test]
fn several_pipelines_are_verified_at_once() {
    let machine = machine();
    let (_, list) = machine.json("", &["list", "--all", "--scope", "machine"]);
    let all = list["pipelines"].as_array().unwrap().iter();
    let ids: Vec<&str> = all.map(|one| one["id"].as_str().unwrap()).collect();
    assert!(ids.len() > 1, "{ids:?}");
    let args: Vec<&str> = [&["verify"][..], &ids].concat();
    let (code, answer) = machine.json("", &args);
    let each = answer["pipelines"].as_array().unwrap();
    let mut worst = 0;
    for (one, id) in each.iter().zip(&ids) {
        assert_eq!(one["id"], **id, "the order of the command line");
        let (alone, answer) = machine.json("", &["verify", id]);
        if alone < 2 {
            assert_eq!(one["checks"], answer["checks"]);
            assert_eq!(one["verdict"], answer["verdict"]);
        } else {
            assert_eq!(one["error"], answer["error"]);
        }
        worst = worst.max(alone);
    }
    assert_eq!(code, worst, "{answer}");
    let (code, _) = machine.json("", &["verify", ids[0], "no-such"]);
    assert_eq!(code, 2);
}
