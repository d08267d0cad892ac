//! Files and folders as links (OSC 8), for terminals that open what is clicked.
//!
//! ratatui has no links, so their cells are written again, between the two marks of a link, whenever they or their
//! targets change.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use ratatui::backend::{Backend as _, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};

use crate::text::format;

/// The links on the screen.
#[derive(Default)]
pub(super) struct Links {
    shown: Vec<Link>,
}

#[derive(PartialEq)]
struct Link {
    area: Rect,
    file: Arc<Path>,
    cells: Vec<(Position, Cell)>,
}

impl Links {
    /// Writes those that changed since the last frame, and removes those that are gone.
    pub(super) fn draw<W: Write>(
        &mut self,
        out: &mut CrosstermBackend<W>,
        frame: &Buffer,
        files: &[(Rect, Arc<Path>)],
    ) -> io::Result<()> {
        let cells = |area: Rect| {
            let area = area.intersection(frame.area);
            let cells = area.positions();
            let cells = cells.filter_map(|at| Some((at, frame.cell(at)?.clone())));
            cells.collect::<Vec<_>>()
        };
        let link = |(area, file): &(Rect, Arc<Path>)| Link {
            area: *area,
            file: Arc::clone(file),
            cells: cells(*area),
        };
        let now: Vec<Link> = files.iter().map(link).collect();
        let gone = self.shown.iter().filter(|link| !now.contains(link));
        let gone: Vec<Vec<(Position, Cell)>> = gone.map(|link| cells(link.area)).collect();
        let new = now.iter().filter(|link| !self.shown.contains(link));
        let new: Vec<&Link> = new.collect();
        if gone.is_empty() && new.is_empty() {
            return Ok(());
        }
        // The cursor may be shown where a person writes.
        out.write_all(b"\x1b7")?;
        for cells in &gone {
            write(out, cells)?;
        }
        for link in new {
            let (begin, end) = format::link(&link.file);
            out.write_all(begin.as_bytes())?;
            write(out, &link.cells)?;
            out.write_all(end.as_bytes())?;
        }
        out.write_all(b"\x1b8")?;
        self.shown = now;
        io::Write::flush(out)
    }

    /// The screen was emptied.
    pub(super) fn forget(&mut self) {
        self.shown.clear();
    }
}

fn write<W: Write>(out: &mut CrosstermBackend<W>, cells: &[(Position, Cell)]) -> io::Result<()> {
    out.draw(cells.iter().map(|(at, cell)| (at.x, at.y, cell)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(links: &mut Links, frame: &Buffer, files: &[(Rect, Arc<Path>)]) -> String {
        let mut out = Vec::new();
        links
            .draw(&mut CrosstermBackend::new(&mut out), frame, files)
            .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_link_is_written_when_it_appears_changes_and_disappears() {
        let mut links = Links::default();
        let mut frame = Buffer::with_lines(["see a file here"]);
        let at = [(Rect::new(4, 0, 6, 1), Path::new("/tmp/a b;\x07").into())];
        let first = drawn(&mut links, &frame, &at);
        let name = rustix::system::uname();
        let host = name.nodename().to_string_lossy();
        let opened = format!("\x1b]8;;file://{host}/tmp/a%20b%3b%07\x1b\\");
        assert!(first.contains(&opened), "{first:?}");
        assert!(
            first.contains("a file") && first.contains("\x1b]8;;\x1b\\"),
            "{first:?}"
        );
        assert_eq!(drawn(&mut links, &frame, &at), "");
        frame.set_string(4, 0, "b", ratatui::style::Style::new());
        assert!(drawn(&mut links, &frame, &at).contains(&opened));
        let gone = drawn(&mut links, &frame, &[]);
        assert!(
            gone.contains("b file") && !gone.contains("]8;;"),
            "{gone:?}"
        );
    }
}
