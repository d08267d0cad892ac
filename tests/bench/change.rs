//! A tree that has changed since its checkpoint.

use std::fs;
use std::path::{Path, PathBuf};

use super::dice::Dice;

impl Dice {
    /// 2,000 files changed in a tenth of their lines, 500 removed, 500 added.
    pub(crate) fn change(&mut self, work: &Path, files: &mut Vec<PathBuf>, round: i64) {
        for n in 0..2500 {
            let pick = n + self.roll(files.len() - n);
            files.swap(n, pick);
        }
        for path in &files[..2000] {
            let text = fs::read_to_string(path).expect("a file");
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            for _ in 0..(lines.len() / 10).max(1) {
                let at = self.roll(lines.len());
                lines[at] = format!("     let changed_{round} = {:x};", self.next());
            }
            fs::write(path, lines.join("\n")).expect("a file");
        }
        for path in files.drain(2000..2500) {
            fs::remove_file(path).expect("a file");
        }
        for n in 0..500 {
            let name = format!("d{:02}/s{:02}/added_{round}_{n:03}.txt", n % 20, n % 50);
            let path = work.join(name);
            fs::write(&path, self.text(60)).expect("a file");
            files.push(path);
        }
    }
}
