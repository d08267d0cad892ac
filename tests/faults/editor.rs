//! Somebody saves a file while it is being restored.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::deeds::DEEDS;
use super::full;
use super::ground::Ground;
use super::races::{learn, slowed, wait_for_lock};

#[test]
fn w2_an_editor_that_saves_during_a_restore_leaves_nothing_stuck() {
    if !super::calls::strace() {
        return;
    }
    let ground = Ground::new();
    let deed = DEEDS[0];
    let judge = learn(&ground, &deed);
    let replaced = |path: &&PathBuf| {
        let both = judge.before.get(*path).zip(judge.after.get(*path));
        let changed = both.is_some_and(|(before, after)| before != after);
        changed && path.is_file() && !path.iter().any(|part| part == ".git")
    };
    let path = judge.before.keys().find(replaced).cloned().unwrap();
    let (mut rounds, mut back) = (0, 0);
    for round in 0..if full() { 60 } else { 4 } {
        ground.reset();
        let mut slow = slowed(&ground, &deed);
        wait_for_lock(&ground);
        std::thread::sleep(Duration::from_millis(150 * (round % 12)));
        let beside = path.with_extension("swp");
        fs::write(&beside, "theirs\n").unwrap();
        fs::rename(&beside, &path).unwrap();
        let code = slow.wait().unwrap().code();
        assert!(matches!(code, Some(0 | 3 | 6)), "round {round}: {code:?}");
        rounds += 1;
        back += usize::from(code == Some(6));
        let after = ground.run(
            deed.project,
            &["recover", "--assume-stopped", "--yes", "--json"],
        );
        assert_eq!(after.code, 1, "nothing is pending: {after:?}");
        assert!(ground.locks().is_empty(), "{:?}", ground.locks());
        if code != Some(0) {
            assert_eq!(fs::read(&path).unwrap(), b"theirs\n", "round {round}");
        }
    }
    println!("an editor saves meanwhile: Figures {rounds} rounds, {back} rolled back");
}
