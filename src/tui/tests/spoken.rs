//! The screens as lines that are read aloud, and lines that are typed instead of keys.

use std::sync::Arc;

use super::harness::{Console, top_as};
use super::made_up::MadeUp;
use super::screens;
use crate::model::{Clean, Group, Verdict};
use crate::tui::data::Load;
use crate::tui::msg::{Effect, Msg};
use crate::tui::screens::diff::DiffScreen;
use crate::tui::screens::pipeline::PipelineScreen;
use crate::tui::terminal::Plain;
use crate::tui::theme::Palette;
use crate::tui::view::{Spoken, speak};

/// The size that the plain console tells its screens.
const SIZE: (u16, u16) = Plain::SIZE;

/// Screens whose whole text is held.
const HELD: [&str; 10] = [
    "browser",
    "several-verified",
    "pipeline-phases",
    "pipeline-cause",
    "points",
    "plan",
    "confirm",
    "outcome-done",
    "help",
    "comparison",
];

fn over(machine: MadeUp) -> Console {
    Console::over(machine, Palette::None, SIZE.0, SIZE.1)
}

fn spoken(console: &Console) -> Spoken {
    speak(&console.state).0
}

fn text(spoken: &Spoken) -> String {
    let lines = [&spoken.title]
        .into_iter()
        .chain(&spoken.lines)
        .chain(&spoken.selected);
    let lines = lines.chain(&spoken.word).chain(&spoken.keys);
    let lines: Vec<&str> = lines.map(Clean::as_str).collect();
    lines.join("\n")
}

/// Types lines, and takes over how much was read, as the loop does.
fn type_lines(console: &mut Console, lines: &[&str]) {
    for line in lines {
        console.state.geometry = speak(&console.state).1;
        console.send(Msg::Line((*line).to_owned()));
    }
}

/// Every screen, with where it was reached.
fn every(mut look: impl FnMut(&str, &Console)) {
    for (name, machine, list, keys) in screens::of_all() {
        let mut console = over(machine());
        console.press(list).press(keys);
        look(name, &console);
    }
}

#[test]
fn no_screen_is_read_with_boxes_signs_or_columns() {
    every(|name, console| {
        let spoken = spoken(console);
        assert!(!spoken.title.as_str().is_empty(), "{name}");
        assert!(!spoken.lines.is_empty(), "{name}");
        for line in text(&spoken).lines() {
            let odd = |sign: char| {
                matches!(sign, '\u{2500}'..='\u{25ff}' | '\u{2800}'..='\u{28ff}')
                    || "✓✗·›⋯±".contains(sign)
            };
            assert!(
                !line.contains(odd) && !line.contains("[-]"),
                "{name}: {line}"
            );
            // The text of a file is read as it is.
            let of_file = line.starts_with(|sign: char| sign.is_ascii_digit() || sign == '⋮');
            let diff = console.state.layers.is_top::<DiffScreen>() && of_file;
            assert!(
                diff || !line.contains("  ") && !line.contains(", ,"),
                "{name}: {line}"
            );
        }
        if HELD.contains(&name) {
            insta::assert_snapshot!(format!("spoken-{name}"), text(&spoken));
        }
    });
}

/// No width limits a spoken line.
#[test]
fn nothing_is_cut_that_is_read_aloud() {
    let mut cut = Vec::new();
    every(|name, console| {
        for line in text(&spoken(console)).lines() {
            // A sentence of what is still being read ends in it.
            if line.trim_end_matches(" …").contains('…') {
                cut.push(format!("{name}: {line}"));
            }
        }
    });
    assert!(cut.is_empty(), "{cut:#?}");
}

/// A number is what a person types: those of a list have no gaps.
#[test]
fn rows_are_numbered_without_gaps() {
    let mut gaps = Vec::new();
    every(|name, console| {
        let spoken = spoken(console);
        let number = |line: &Clean| line.as_str().split_once(". ")?.0.parse::<usize>().ok();
        let numbers: Vec<usize> = spoken.lines.iter().filter_map(number).collect();
        if numbers.windows(2).any(|two| two[0] + 1 != two[1]) {
            gaps.push(format!("{name}: {numbers:?}"));
        }
    });
    assert_eq!(gaps, Vec::<String>::new());
}

#[test]
fn checks_without_a_problem_are_said_to_have_none() {
    let mut console = over(MadeUp::default());
    console.press("/ p r i c e enter enter");
    let id = top_as::<PipelineScreen>(&console).id.clone();
    if let Some(Load::Ready(dossier)) = console.state.dossiers.get_mut(&id) {
        let checks = &mut Arc::make_mut(dossier).checks;
        checks.retain(|check| check.verdict == Verdict::Pass);
    }
    let said = text(&spoken(&console));
    assert!(said.contains("\nVerification, no problem"), "{said}");
}

/// A digit that is typed as a line chooses a row.
#[test]
fn no_sentence_that_is_read_aloud_names_a_digit_as_a_key() {
    let mut found = Vec::new();
    let names_digit = |line: &str, lead: &str| {
        let after = line.split(lead).skip(1);
        let mut digits = after.filter(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()));
        digits.next().is_some()
    };
    every(|name, console| {
        for line in text(&spoken(console)).lines() {
            if names_digit(line, "(key ") || names_digit(line, "(Esc, then ") {
                found.push(format!("{name}: {line}"));
            }
        }
    });
    assert_eq!(found, Vec::<String>::new());
    let mut console = over(MadeUp::default());
    type_lines(&mut console, &["/price", "1", "P"]);
    let word = |console: &Console| spoken(console).word.unwrap_or_default();
    assert_eq!(
        word(&console).as_str(),
        "Warning: Select one of the checkpoints first (checkpoints)."
    );
    type_lines(&mut console, &["checkpoints", "P"]);
    assert!(!word(&console).as_str().contains("Warning"));
}

/// Whatever word can be read on a screen is read aloud, or the words that its sign stands for.
#[test]
fn what_is_drawn_is_said() {
    // A part is reached by its name, for numbers choose rows, and not by a key.
    let key = |word: &str| word.chars().count() == 1 || word == "key";
    let mut silent = Vec::new();
    every(|name, console| {
        // What a dialog covers was read before.
        let top = console.state.layers.last();
        if top.is_some_and(|screen| !screen.fills()) {
            return;
        }
        let said = text(&spoken(console)).to_lowercase();
        let drawn = console.text();
        let words = drawn.split(|sign: char| !sign.is_alphanumeric() && sign != '…');
        let mut missing: Vec<&str> = words.filter(|word| !word.contains('…')).collect();
        missing.retain(|word| !key(word) && !said.contains(&word.to_lowercase()));
        if !missing.is_empty() {
            silent.push(format!("{name}: {missing:?}"));
        }
    });
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn a_pipeline_is_chosen_planned_confirmed_and_undone_by_lines() {
    let mut console = over(MadeUp::ready());
    type_lines(&mut console, &["/price", "1"]);
    assert!(
        spoken(&console).title.as_str().contains("price"),
        "{}",
        text(&spoken(&console))
    );
    type_lines(&mut console, &["plan"]);
    assert!(text(&spoken(&console)).contains("fingerprint"));
    type_lines(&mut console, &["A", ""]);
    assert!(
        text(&spoken(&console)).contains("Type yes"),
        "{}",
        text(&spoken(&console))
    );
    type_lines(&mut console, &["yes"]);
    let outcome = text(&spoken(&console));
    assert!(outcome.contains("undo"), "{outcome}");
}

/// A terminal hands over whole lines, so a Tab is the end of one.
#[test]
fn a_path_is_completed_in_steps() {
    use crate::tui::screens::new_replay::NewReplay;
    // The lines, what is in the field then, and whether it is still open.
    let table: [(&[&str], &str, bool); 8] = [
        (&["rt\t"], "rt-v", true),
        (&["rt\t", "3\t"], "rt-v3.md", true),
        (&["rt\t", "3.md"], "rt-v3.md", false),
        (&["rt\t", "", "3\t", "enter"], "rt-v3.md", false),
        (&["rt", "enter", "tab", "3.md"], "rt-v3.md", false),
        (&["rt\t", "/there/x.md"], "/there/x.md", false),
        // Without a Tab before it, a line is the whole text.
        (&["rt\t", "3.md", "enter", "x.md"], "x.md", false),
        (&["b\t", "\t"], "beside/rt-v4.md", true),
    ];
    for (lines, expected, open) in table {
        let mut console = over(MadeUp::default());
        console.press(super::replays::LIST).press("n j enter");
        type_lines(&mut console, lines);
        let mut form: NewReplay = top_as::<NewReplay>(&console).clone();
        let field = form.selected_field().unwrap();
        assert_eq!((field.text(), field.open), (expected, open), "{lines:?}");
    }
}

/// The help and the palette name both.
#[test]
fn a_command_is_run_by_its_label_or_its_name_and_its_number_is_no_key() {
    for line in ["resume points", "pipeline-points"] {
        let mut console = over(MadeUp::default());
        type_lines(&mut console, &["/price", "1", line]);
        let title = spoken(&console).title;
        assert!(title.as_str().ends_with("resume points"), "{title}");
    }
    let mut console = over(MadeUp::default());
    type_lines(&mut console, &["/price", "1", "?"]);
    let said = text(&spoken(&console));
    assert!(said.contains(". timeline, Go to the timeline."), "{said}");
}

/// A word is the same however it is written.
#[test]
fn a_word_opens_the_same_place_however_it_is_written() {
    let after = |line: &str| {
        let mut console = over(MadeUp::default());
        type_lines(&mut console, &["/price", line]);
        format!("{:?}", spoken(&console))
    };
    for (word, others) in [
        ("why", ["Why", ":why"]),
        ("timeline", ["Timeline", ":timeline"]),
    ] {
        assert_ne!(after(word), after("show"), "{word}");
        for other in others {
            assert_eq!(after(other), after(word), "{other}");
        }
    }
}

/// The word of a command line does what the row does that names it, for the pipeline that is selected.
#[test]
fn the_words_of_commands_act_on_the_selected_pipeline() {
    let table: [(&[&str], &str); 11] = [
        (&["points"], "resume points"),
        (&["plan"], "plan wave-1"),
        (&["resume"], "plan wave-1"),
        (&["show"], "price"),
        (&["timeline"], "price"),
        (&["checkpoints"], "price"),
        (&["why"], "price"),
        (&["1", "points"], "resume points"),
        (&["1", "verify"], "price"),
        (&["1", "resume"], "plan wave-1"),
        (&["1", "why"], "price"),
    ];
    for (lines, expected) in table {
        let mut console = over(MadeUp::default());
        type_lines(&mut console, &["/price"]);
        type_lines(&mut console, lines);
        let now = spoken(&console);
        let word = now.word.unwrap_or_default();
        assert!(!word.as_str().contains("neither"), "{lines:?}: {word}");
        let title = now.title;
        assert!(title.as_str().contains(expected), "{lines:?}: {title}");
    }
}

#[test]
fn what_means_nothing_is_said_and_does_nothing() {
    let table = [
        ("", "An empty line changes nothing"),
        ("99", "There is no row 99"),
        ("0", "There is no row 0"),
        (
            "bananas",
            "bananas is neither a number of the list, nor a key",
        ),
        ("\u{1b}[2J", "is neither a number"),
    ];
    for (line, expected) in table {
        let mut console = over(MadeUp::default());
        let before = spoken(&console);
        type_lines(&mut console, &[line]);
        let after = spoken(&console);
        let word = after.word.clone().unwrap_or_default();
        assert!(word.as_str().contains(expected), "{word}");
        assert_eq!(before.lines, after.lines, "{line}");
    }
}

#[test]
fn every_line_but_yes_is_no() {
    for line in ["y", "no", "n", "yess", "esc", "1", "A", "yes please"] {
        let mut console = over(MadeUp::ready());
        type_lines(&mut console, &["/price", "1", "plan", "A", line]);
        let wrote = |effect: &Effect| matches!(effect, Effect::Ask(..));
        assert!(!console.outside.iter().any(wrote), "{line}");
        assert!(!text(&spoken(&console)).contains("To undo"), "{line}");
    }
}

#[test]
fn a_long_heading_of_a_group_is_cut_on_the_screen_and_read_whole() {
    let mut console = over(MadeUp::default());
    let root = format!("/srv/{}shop", "a-long-folder/".repeat(6));
    let browser = &mut console.state.browser;
    let mut pipeline = browser.rows[0].pipeline.as_ref().clone();
    pipeline.reading.root = root.clone().into();
    browser.take(pipeline);
    browser.group = Group::Project;
    browser.arrange();
    let said = spoken(&console);
    let heading = format!("{root} (1)");
    assert!(said.lines.iter().any(|line| line.as_str() == heading));
    console.draw();
    let drawn = console.text();
    assert!(drawn.contains("a-long-folder/shop (1) ──"), "{drawn}");
    assert!(!drawn.contains(&root), "{drawn}");
}
