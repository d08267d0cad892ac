//! Stories of the difference screen: looking for something, folds, files, sides, long lines.

mod long_lines;
mod properties;

use super::harness::{Breaks, Console, hold, top_as};
use super::made_up::MadeUp;
use crate::diff::{Diff, Options, rows};
use crate::model::{FileForm, Foreign, Forms, PathChange, Plan};
use crate::tui::msg::{MouseAction, Msg};
use crate::tui::prelude::{Arc, Bits, Load};
use crate::tui::screens::diff::DiffScreen;
use crate::tui::screens::plan::{PlanScreen, totals};
use crate::tui::theme::Palette;

/// The screen with the difference of a path of a plan.
fn opened(width: u16, height: u16) -> Console {
    opened_as(Palette::Sixteen, width, height)
}

fn opened_as(palette: Palette, width: u16, height: u16) -> Console {
    let mut console = Console::over(MadeUp::default(), palette, width, height);
    console.press("/ p r i c e enter p j j j j j j j j j j j enter");
    console
}

/// The same screen over two texts.
fn over(old: &[u8], new: &[u8], width: u16, height: u16) -> Console {
    let mut console = opened(width, height);
    let Some(screen) = console.state.layers.top_mut::<DiffScreen>() else {
        panic!("no difference");
    };
    let options = Options {
        indent_json: true,
        ..Options::default()
    };
    let diff = rows(Some(old.to_vec()), Some(new.to_vec()), options);
    screen.take(Ok((Foreign::from("a/file"), diff)), width);
    console.draw();
    console
}

fn screen(console: &Console) -> &DiffScreen {
    top_as::<DiffScreen>(console)
}

fn numbered(lines: usize) -> String {
    let lines: Vec<String> = (1..=lines).map(|line| format!("line {line}\n")).collect();
    lines.concat()
}

fn has(console: &Console, text: &str) {
    let all = console.text();
    assert!(all.contains(text), "{text:?} is not in\n{all}");
}

/// Looks at the difference by name, with the keys that lead there.
const LOOKS: &[(&str, &str)] = &[
    ("search", "/ p a g e enter n n"),
    ("searching", "/ w a s"),
    ("words", "| |"),
    ("swapped", "x"),
    ("fold-opened", "enter"),
];

#[test]
fn every_look_at_every_size() {
    let breaks = Breaks {
        narrow: &["search", "words", "fold-opened"],
        wide: &[],
    };
    for (name, keys) in LOOKS {
        hold("diff-", name, &breaks, &|palette, width, height| {
            let mut console = opened_as(palette, width, height);
            console.press(if width == 80 && *name == "words" {
                "|"
            } else {
                keys
            });
            console
        });
    }
}

#[test]
fn a_text_is_looked_for_and_found_in_folds_too() {
    let mut console = opened(120, 40);
    console.press("/ l i n e space 1");
    has(&console, "/line 1  1 of 11");
    has(&console, "Enter keep the search");
    console.press("enter n");
    has(&console, "2 of 11");
    assert_eq!(screen(&console).search.row(), Some(9));
    // The third hit is in a fold, which opens.
    assert!(!console.text().contains("line 11 of"));
    console.press("n");
    has(&console, "line 11 of the page");
    has(&console, "3 of 11");
    assert!(
        console
            .text()
            .lines()
            .any(|line| line.starts_with("›   11"))
    );
    console.press("N N N");
    has(&console, "11 of 11");
    // Differences have their own keys meanwhile.
    console.press(". .");
    assert_eq!(screen(&console).current, 2);
    console.press("esc n");
    assert!(screen(&console).search.hits.is_empty());
    has(&console, "This is the last change");
}

#[test]
fn jumps_begin_where_the_person_looks() {
    let old = numbered(1_000);
    let new = old
        .replace("line 100\n", "other\n")
        .replace("line 500\n", "other\n")
        .replace("line 900\n", "other\n");
    let mut console = over(old.as_bytes(), new.as_bytes(), 120, 40);
    console.press("= G .");
    has(&console, "This is the last change");
    console.press(",");
    has(&console, "  900 + other");
    console.press("g / 7 0 0 enter G N");
    has(&console, "›  700   line 700");
    console.press("esc .");
    has(&console, "  900 + other");
}

#[test]
fn ignoring_blanks_keeps_the_place() {
    let mut console = opened(120, 20);
    console.press("= . .");
    let top = screen(&console).lines[screen(&console).top].rows().start;
    assert!(top > 40);
    console.press("b");
    has(&console, "whitespace ignored");
    let after = screen(&console).lines[screen(&console).top].rows().start;
    assert_eq!((after, screen(&console).current), (top, 2));
}

#[test]
fn what_is_nowhere_is_said_and_escape_ends_the_search() {
    let mut console = opened(120, 40);
    console.press("/ z z z");
    has(&console, "/zzz  not found");
    console.press("enter n");
    has(&console, "Not found.");
    console.press("esc");
    assert!(screen(&console).search.field.is_empty());
    console.press("esc");
    assert!(!console.state.layers.is_top::<DiffScreen>());
}

#[test]
fn hits_are_lit_on_both_sides() {
    let mut console = opened(120, 40);
    console.press("/ 日 本 enter");
    let lit = |console: &Console| {
        let cells = console.buffer().content.iter();
        let bold = ratatui::style::Modifier::UNDERLINED;
        cells
            .filter(|cell| cell.symbol() == "日" && cell.modifier.contains(bold))
            .count()
    };
    // On the line itself, and in the search line.
    assert_eq!(lit(&console), 1);
    console.press("esc / o f space t h e enter");
    let text = console.text();
    let on_screen = text
        .lines()
        .filter(|line| line.matches("of the page").count() == 2);
    assert!(on_screen.count() > 10);
}

#[test]
fn a_fold_opens_by_key_and_by_click() {
    let mut console = opened(120, 40);
    has(&console, "16 lines unchanged  Enter shows them");
    console.press("enter");
    has(&console, "line 20 of the page");
    has(&console, "13 lines unchanged  Enter shows them");
    console.press("shift-tab");
    has(&console, "3 lines unchanged  Enter shows them");
    console.press("enter");
    has(&console, "line 2 of the page");
    console.press("-");
    has(&console, "16 lines unchanged");
    let row = console
        .text()
        .lines()
        .position(|line| line.contains("7 lines unchanged"));
    let row = u16::try_from(row.unwrap()).unwrap();
    console.send(Msg::Mouse(MouseAction::Press, 8, row));
    has(&console, "line 60 of the page");
    console.press("= enter");
    has(&console, "No fold on this screen");
}

#[test]
fn files_of_the_plan_follow_each_other() {
    let mut console = opened(120, 40);
    has(&console, "src/page.rs   file 2 of 7");
    console.press("x | ]");
    has(&console, "file 3 of 7");
    has(&console, "sides swapped");
    has(&console, "unified");
    console.press("[ [ [");
    has(&console, "This is the first file.");
    console.press("] ] ] ] ] ] ]");
    has(&console, "file 7 of 7");
    has(&console, "This is the last file.");
}

#[test]
fn rows_of_a_comparison_follow_each_other() {
    let table = [
        ("enter", "output 2 of ", "original "),
        ("i", "dispatch 2 of ", "original "),
        ("3 j enter", "file 2 of ", "original "),
    ];
    for (keys, place, side) in table {
        let mut console = Console::new(120, 40);
        console.press("/ p r i c e enter V j j j enter").press(keys);
        has(&console, place);
        has(&console, side);
        let before = screen(&console).source.clone();
        console.press("[");
        has(&console, &place.replace('2', "1"));
        console.press("]");
        assert_eq!(screen(&console).source, before, "{keys}");
    }
}

#[test]
fn swapping_exchanges_everything() {
    let mut console = opened(120, 40);
    let before = console.text();
    console.press("x");
    has(&console, "after 1.7 KiB → now 1.7 KiB");
    has(&console, "   30 - line 30 日本語");
    console.press("x");
    assert_eq!(console.text().lines().nth(9), before.lines().nth(9));
    assert!(!console.text().contains("swapped"));
}

#[test]
fn words_that_go_and_come_stand_in_one_line() {
    let mut console = opened(120, 40);
    console.press("| |");
    has(&console, "    7 ~ line 7 of the page, as it [-is-]{+was+}");
    has(&console, "   31 + and a new line");
    has(&console, "   50 - line 50 of the page, as it is");
    console.press("|");
    has(&console, "│    7 + line 7");
}

#[test]
fn endings_tabs_and_invisible_signs_are_visible() {
    let old = b"a\tb\nsame\nlast";
    let new = "a\tc\nsame\nlast\u{200b}\u{202e}\n".as_bytes();
    let console = over(old, new, 120, 40);
    has(&console, "a␉      b");
    has(&console, "last \\ no newline at the end");
    has(&console, "last<U+200B><U+202E>");
    has(&console, "no newline at the end of now");
    let console = over(b"a\nb\n", b"a\r\nb\r\n", 120, 40);
    has(&console, "only line endings differ");
    has(&console, "+ a␍");
    let console = over(b"a\nb\n", b"a\nb", 120, 40);
    has(&console, "only line endings differ");
    has(&console, "no newline at the end of after");
}

#[test]
fn what_has_no_lines_is_explained() {
    let table: &[(&[u8], &[u8], &[&str])] = &[
        (
            b"\0\x01",
            b"x",
            &[
                "only the sizes are compared",
                "now: 2 bytes",
                "after: 1 byte",
            ],
        ),
        (
            b"x\n",
            b"x\n",
            &["identical; only permissions or the owner differ"],
        ),
        (b"\0", b"\0", &["only permissions or the owner differ"]),
    ];
    for (old, new, said) in table {
        let console = over(old, new, 120, 40);
        said.iter().for_each(|said| has(&console, said));
    }
}

#[test]
fn a_mode_and_a_type_are_said_whether_the_bytes_differ_or_not() {
    use FileForm::{Executable, File, Link};
    let mode = Forms::new(Some(Executable), Some(File));
    let kind = Forms::new(Some(File), Some(Link));
    let table = [
        ("x", "x", mode, "mode 755 → 644", "mode 644 → 755"),
        ("x", "y", mode, "mode 755 → 644", "mode 644 → 755"),
        (
            "\0",
            "x",
            kind,
            "file → symbolic link",
            "symbolic link → file",
        ),
        (
            "x",
            "x",
            kind,
            "file → symbolic link",
            "symbolic link → file",
        ),
        (
            "x",
            "y",
            Forms::new(None, Some(Link)),
            "symbolic link",
            "symbolic link",
        ),
    ];
    for (old, new, forms, said, swapped) in table {
        let mut console = opened(120, 40);
        let diff = rows(Some(old.into()), Some(new.into()), Options::default());
        let screen = console.state.layers.top_mut::<DiffScreen>().unwrap();
        screen.take(Ok((Foreign::from("a"), Diff { forms, ..diff })), 120);
        console.draw();
        has(&console, said);
        let same = console.text().contains("only the mode or type differs");
        assert_eq!(same, old == new);
        console.press("x");
        has(&console, swapped);
    }
}

#[test]
fn the_plan_and_its_question_say_what_becomes_of_a_mode() {
    let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, 120, 60);
    console.press("/ p r i c e enter p");
    let screen = console.state.layers.top_mut::<PlanScreen>().unwrap();
    let mut plan = Plan::clone(screen.plan.ready().unwrap());
    let action = plan.actions.iter_mut().find(|one| !one.paths.is_empty());
    let paths = action.unwrap().paths.iter_mut();
    let mut written = paths.filter(|path| path.change == PathChange::Write);
    let forms = Forms::new(Some(FileForm::Executable), Some(FileForm::File));
    written.next().unwrap().forms = forms;
    let totals = totals(&Bits::new(), &plan, 200);
    let totals = totals[0].written();
    assert!(
        totals.as_str().contains("changes mode or type of 1 file"),
        "{totals:?}"
    );
    let plan = Arc::new(plan);
    let screen = console.state.layers.top_mut::<PlanScreen>().unwrap();
    (screen.whole, screen.plan) = (Load::Ready(plan.clone()), Load::Ready(plan));
    console.draw();
    // Beside the difference the row is narrow: its name is there all the same.
    has(&console, "mode 755 → 644  page.rs");
    console.press("A");
    has(&console, "Apply this plan?");
    let asked = console.text();
    let asked = asked.split_once("Apply this plan?").unwrap().1;
    assert!(
        asked.contains("overwritten") && asked.contains("mode 755 → 644  src/page.rs"),
        "{asked}"
    );
}

#[test]
fn the_map_is_clicked_to_go_there() {
    let old = numbered(1_000);
    let new = old.replace("line 900\n", "other\n");
    let mut console = over(old.as_bytes(), new.as_bytes(), 80, 24);
    console.press("= g");
    let text = console.text();
    let marked: Vec<_> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.ends_with('~'))
        .collect();
    assert_eq!(marked.len(), 1, "{text}");
    let row = u16::try_from(marked[0].0).unwrap();
    console.send(Msg::Mouse(MouseAction::Press, 79, row));
    assert!(screen(&console).top > 800);
    console.press("G");
    has(&console, "line 1000");
}
