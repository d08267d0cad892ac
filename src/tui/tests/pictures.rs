//! The pictures of the README: screens of the console as they are, on a dark and on a light background.

use std::fmt::Write as _;
use std::path::Path;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr as _;

use super::harness::Console;
use super::made_up::MadeUp;
use crate::tui::theme::Palette;
use crate::tui::theme::tests::shade;

/// A synthetic machine.
type Machine = fn() -> MadeUp;

/// Pictures by name, with the keys that lead there.
const PICTURES: [(&str, Machine, &str); 3] = [
    ("console", tame, ""),
    ("confirm", tame, "/ p r i c e enter p A"),
    ("comparison", tame, "/ p r i c e enter V enter"),
];

const SIZE: (u16, u16) = (112, 36);

fn tame() -> MadeUp {
    MadeUp {
        tame: true,
        ..MadeUp::ready()
    }
}

/// Pixels of a cell.
const CELL: (f64, f64) = (8.4, 18.0);

/// Pixels around the cells, and above them for the bar of a window.
const MARGIN: (f64, f64) = (12.0, 40.0);

/// Set `INSTA_UPDATE=always` to draw them anew, as for every other snapshot.
#[test]
fn the_pictures_of_the_readme_are_the_screens() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let renew = std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always");
    for (name, machine, keys) in PICTURES {
        for (palette, suffix, [back, text]) in [
            (Palette::Dark, "dark", ["#16181d", "#d0d0d0"]),
            (Palette::Light, "light", ["#ffffff", "#262626"]),
        ] {
            let mut console = Console::over(machine(), palette, SIZE.0, SIZE.1);
            console.press(keys);
            let drawn = picture(console.buffer(), back, text);
            let path = assets.join(format!("{name}-{suffix}.svg"));
            if renew {
                std::fs::write(&path, &drawn).unwrap();
            }
            let held = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                held == drawn,
                "{} is another screen; INSTA_UPDATE=always draws it anew.",
                path.display()
            );
        }
    }
}

fn picture(buffer: &Buffer, back: &str, text: &str) -> String {
    let (columns, rows) = (buffer.area.width, buffer.area.height);
    let width = f64::from(columns).mul_add(CELL.0, 2.0 * MARGIN.0);
    let height = f64::from(rows).mul_add(CELL.1, MARGIN.1 + MARGIN.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"ui-monospace,\
         SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace\" font-size=\"14\" fill=\"{text}\" xml:space=\"preserve\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{back}\"/>\n"
    );
    for x in [18, 36, 54] {
        writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"18\" r=\"5.5\" opacity=\".25\"/>"
        )
        .unwrap();
    }
    for y in 0..rows {
        let cells: Vec<(u16, &Cell)> = (0..columns).map(|x| (x, &buffer[(x, y)])).collect();
        for run in cells.chunk_by(|(_, one), (_, other)| look(one) == look(other)) {
            self::run(&mut out, y, run);
        }
    }
    out.push_str("</svg>\n");
    out
}

/// What must be equal in a run of cells.
fn look(cell: &Cell) -> (Color, Color, Modifier) {
    (cell.fg, cell.bg, cell.modifier)
}

/// Draws cells of one look: what is behind them, then their text in exactly their width.
fn run(out: &mut String, y: u16, cells: &[(u16, &Cell)]) {
    let Some((x, first)) = cells.first() else {
        return;
    };
    let left = f64::from(*x).mul_add(CELL.0, MARGIN.0);
    let top = f64::from(y).mul_add(CELL.1, MARGIN.1);
    let wide = |cells: usize| f64::from(u16::try_from(cells).unwrap()) * CELL.0;
    if first.bg != Color::Reset {
        let (width, height, color) = (wide(cells.len()), CELL.1, hex(first.bg));
        writeln!(
            out,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height}\" fill=\"{color}\"/>"
        )
        .unwrap();
    }
    // A wide sign is followed by a cell without one.
    let text: String = cells.iter().map(|(_, cell)| cell.symbol()).collect();
    let blank = text.len() - text.trim_start().len();
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    let (left, baseline) = (left + wide(blank), top + 13.5);
    let length = wide(text.width());
    let mut style = String::new();
    if first.fg != Color::Reset {
        write!(style, " fill=\"{}\"", hex(first.fg)).unwrap();
    }
    if first.modifier.contains(Modifier::BOLD) {
        style.push_str(" font-weight=\"bold\"");
    }
    if first.modifier.contains(Modifier::UNDERLINED) {
        style.push_str(" text-decoration=\"underline\"");
    }
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    writeln!(
        out,
        "<text x=\"{left:.1}\" y=\"{baseline:.1}\" textLength=\"{length:.1}\" lengthAdjust=\"spacingAndGlyphs\"{style}>{text}</text>"
    )
    .unwrap();
}

fn hex(color: Color) -> String {
    let [red, green, blue] = shade(color);
    format!("#{red:02x}{green:02x}{blue:02x}")
}
