//! Made-up files for the benches, the same in every run.

use std::fmt::Write as _;

/// A small generator, so that every run has the same tree.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 24
    }

    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        usize::try_from(self.next()).expect("64 bits") % sides
    }

    pub(crate) fn text(&mut self, lines: usize) -> String {
        let mut text = String::new();
        for line in 0..lines {
            let (a, b, c) = (self.next(), self.next(), self.next());
            writeln!(
                text,
                "{line:4} let value_{a:08x} = compute({b}, \"{c:x}\");"
            )
            .expect("a string");
        }
        text
    }
}
