//! A racer that swaps a folder of the project for a link and back, as fast as it can.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::census;
use super::deeds::DEEDS;
use super::full;
use super::ground::Ground;
use super::judge::{Judge, State};
use super::races::learn;

#[test]
fn a_racer_that_swaps_a_folder_for_a_link_gets_nothing_outside_touched() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    let ground = Ground::new();
    let deed = DEEDS[1];
    let judge = learn(&ground, &deed);
    let outside = ground.beside("outside");
    let (mut codes, swaps) = (std::collections::BTreeMap::new(), AtomicUsize::new(0));
    let mut swapped_by_plan = 0;
    for round in 0..if full() { 200 } else { 3 } {
        ground.reset();
        drop(fs::remove_dir_all(&outside));
        census::copy(&ground.root().join("projects/shop/src"), &outside);
        let canary = census::take(&outside, &|_| true);
        let real = ground.root().join("projects/shop/src");
        // The other name lies outside of the project, so that nothing but the swap is to be seen.
        let link = ground.beside("link");
        drop(fs::remove_file(&link).or_else(|_| fs::remove_dir_all(&link)));
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        let stop = AtomicBool::new(false);
        let ran = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    for wait in [1, 3] {
                        renameat_with(CWD, &real, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                        swaps.fetch_add(1, Ordering::Relaxed);
                        let pause = Duration::from_micros(wait * (150 + round * 37 % 400));
                        std::thread::sleep(pause);
                    }
                }
            });
            let ran = deed.act(&ground);
            stop.store(true, Ordering::Relaxed);
            ran
        });
        let case = format!("round {round}: {ran:?}");
        assert_eq!(canary, census::take(&outside, &|_| true), "{case}");
        assert!(matches!(ran.code, 0 | 2 | 3 | 5 | 6 | 7), "{case}");
        *codes.entry(ran.code).or_insert(0) += 1;
        assert!(real.is_dir() && !real.is_symlink(), "{case}");
        Judge::recover(&ground, deed.project, &case);
        // The plan saw the link and put a folder in its place; the racer then swapped the two folders.
        if link.is_dir() && !link.is_symlink() {
            if real.join("cache.rs").exists() {
                renameat_with(CWD, &real, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
            let aside = census::take(&link, &|_| true);
            let beneath = |tree: &census::Tree, root: &Path| -> Vec<_> {
                let entries = tree.iter();
                entries
                    .map(|(path, entry)| {
                        (path.strip_prefix(root).unwrap().to_owned(), entry.clone())
                    })
                    .collect()
            };
            assert_eq!(beneath(&aside, &link), beneath(&canary, &outside), "{case}");
            swapped_by_plan += 1;
            let expected = if ran.code == 0 {
                State::After
            } else {
                State::Before
            };
            assert_eq!(judge.state(&ground, &case), expected, "{case}");
            continue;
        }
        judge.settled(&ground, 0, &case);
    }
    println!("plans that replaced the link: Figures {swapped_by_plan}");
    println!("directory swapped for a link: Figures {swaps:?} swaps, exit codes {codes:?}");
}
