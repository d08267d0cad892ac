//! What is built from restored files is built again: a restored file is younger than what was made of it.

use std::fs;
use std::process::Command;

use relight::model::RestoreMode;

use super::git;
use super::project::{Project, options};

const RULE: &str = "product: source\n\tcp source product\n";

/// A project whose product was made after its source had changed.
fn built(project: &Project) -> String {
    project.write(".gitignore", "/product\n");
    project.write("Makefile", RULE);
    project.write("source", "first\n");
    project.commit("work", "2031-03-02T09:30:00Z");
    let id = project
        .shadow
        .snapshot("pre-wave-1", "2031-03-02T10:00:00Z");
    project.records();
    project.write("source", "then\n");
    project.write("product", "then\n");
    id
}

#[test]
fn a_restored_file_is_younger_than_what_was_made_of_it() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    let id = built(&project);
    project.restore(&id, &options(RestoreMode::Overlay));
    let changed = |path: &str| {
        fs::metadata(project.path(path))
            .unwrap()
            .modified()
            .unwrap()
    };
    assert!(changed("source") > changed("product"));
}

#[test]
fn make_makes_again_what_a_restored_file_is_the_source_of() {
    if !git::is_there() {
        return;
    }
    let make = |project: &Project| {
        let mut make = Command::new("make");
        make.arg("-s").current_dir(&project.root).status()
    };
    let project = Project::new();
    let id = built(&project);
    match make(&project) {
        Ok(done) => assert!(done.success()),
        Err(why) => {
            println!("SKIPPED: make cannot be run here: {why}.");
            return;
        }
    }
    let product = || fs::read_to_string(project.path("product")).unwrap();
    assert_eq!(product(), "then\n");
    project.restore(&id, &options(RestoreMode::Overlay));
    assert!(make(&project).unwrap().success());
    assert_eq!(product(), "first\n");
}
