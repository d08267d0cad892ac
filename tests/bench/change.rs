//! A tree that has changed since its checkpoint.

use std::fs;
use std::path::PathBuf;

use super::dice::Dice;

impl Dice {
    /// 2,000 files changed in a tenth of their lines, 500 removed, 500 added.
    pub(crate) fn change(&mut self, files: &mut Vec<PathBuf>, round: i64) {
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
            let path = files[n].with_file_name(format!("added_{round}_{n:03}.txt"));
            fs::write(&path, self.text(60)).expect("a file");
            files.push(path);
        }
    }
}
