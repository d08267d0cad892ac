//! Files that are large, and trees whose state is not plain.

use std::fs;
use std::io::Write as _;

use relight::model::RestoreMode;

use super::git;
use super::project::{Project, options};

/// 50 MB in which no two pieces are alike.
fn large(project: &Project, seed: u64) {
    let mut state = seed;
    let mut piece = vec![0u8; 1 << 20];
    let mut file = fs::File::create(project.path("large.bin")).unwrap();
    for _ in 0..50 {
        for eight in piece.chunks_mut(64) {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            eight[..8].copy_from_slice(&state.to_le_bytes());
        }
        file.write_all(&piece).unwrap();
    }
}

#[test]
fn a_file_of_50_mb_comes_back_and_goes_again() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    large(&project, 1);
    project.commit("work", "2031-03-02T09:30:00Z");
    let id = project
        .shadow
        .snapshot("pre-wave-1", "2031-03-02T10:00:00Z");
    project.records();
    let first = project.now();
    large(&project, 2);
    let before = project.now();
    let (_, outcome) = project.restore(&id, &options(RestoreMode::Overlay));
    let path = std::path::Path::new("large.bin");
    let content = |files: &super::picture::Picture| files.get(path).unwrap().bytes.clone();
    assert_eq!(content(&project.now().files), content(&first.files));
    assert_eq!(project.now().status, first.status);
    project.undo(Some(&outcome.recovery.unwrap().id), false);
    before.same(&project.now());
}
