//! Lines that are longer than the screen is wide, or taller than it is high.

use super::{has, over, screen};

#[test]
fn wrapped_lines_taller_than_the_screen_can_be_scrolled_through() {
    let words: Vec<String> = (0..400).map(|n| format!("word{n} ")).collect();
    let long = words.concat();
    let old = format!("first\n{long}\nlast\n");
    let new = old.replace("word399", "other399");
    let mut console = over(old.as_bytes(), new.as_bytes(), 80, 24);
    console.press("W = g");
    has(&console, "word0 ");
    let mut seen = String::new();
    for _ in 0..200 {
        seen += &console.text();
        console.press("j");
    }
    for word in ["word100 ", "word399", "other399", "last"] {
        assert!(seen.contains(word), "{word}");
    }
    let end = console.text();
    console.press("G");
    assert_eq!(console.text(), end);
    console.press("pgup pgup pgup pgup pgup pgup pgup pgup pgup pgup pgup pgup pgup");
    has(&console, "first");
    console.press("W");
    assert_eq!(screen(&console).within, 0);
}

#[test]
fn a_hit_far_to_the_right_comes_into_view() {
    let old = format!("{}needle\n", "x".repeat(500));
    let mut console = over(old.as_bytes(), b"y\n", 120, 40);
    assert!(!console.text().contains("needle"));
    console.press("/ n e e d l e");
    assert_eq!(console.text().matches("needle").count(), 2);
    has(&console, "scrolled");
    console.press("enter l l l l l l l l");
    has(&console, "Nothing to scroll.");
}

#[test]
fn what_lies_far_to_the_right_is_the_same_when_scrolled_to() {
    let marked = "e\u{301}\u{300}\u{301}\u{300}日".repeat(900);
    let old = format!("{marked}\tend {}\n", "x".repeat(900));
    let new = old.replace("end", "END");
    let mut console = over(old.as_bytes(), new.as_bytes(), 80, 24);
    console.press("/ e n d enter");
    has(&console, "日␉");
    let text = console.text();
    assert!(
        text.contains("end xxx") && text.contains("END xxx"),
        "{text}"
    );
    console.press("esc G");
    let cut = console.text();
    assert!(cut.contains('…') && !cut.contains("no newline"), "{cut}");
}

#[test]
fn what_is_not_text_of_a_line_is_never_lost_on_the_way_to_the_screen() {
    let line = "e\u{301}日本 \t<U+200B> \u{200b}word ".repeat(40);
    let mut console = over(line.as_bytes(), b"", 100, 60);
    console.press("| W");
    let expected = crate::model::text::Tabbed::new(&crate::model::Clean::new(&line), 8).text;
    let text = console.text();
    let of_it = |line: &&str| line.starts_with("▌    1 - ") || line.starts_with("     ⋮   ");
    let rows = text.lines().filter(of_it);
    // Behind mark, number and sign.
    let shown: String = rows.flat_map(|line| line.chars().skip(9)).collect();
    let blank = |text: &str| text.replace(' ', "");
    assert!(
        blank(&shown).starts_with(&blank(expected.as_str())),
        "{shown}\n{expected}"
    );
}

#[test]
fn one_long_line_of_json_is_shown_indented_and_says_so() {
    let numbers: Vec<String> = (0..60).map(|n| format!("\"key_{n}\":{n}")).collect();
    let old = format!("{{{}}}\n", numbers.join(","));
    let new = old.replace(":42", ":43");
    let mut console = over(old.as_bytes(), new.as_bytes(), 120, 40);
    has(&console, "indented; the file is one line");
    has(&console, "   44 -   \"key_42\": 42,");
    has(&console, "   44 +   \"key_42\": 43,");
    console.press("i");
    assert!(!screen(&console).asked.indent_json);
}

#[test]
fn the_next_change_is_scrolled_to_also_to_the_side() {
    let old = format!(
        "{}same one\nbetween\n{}same two\n",
        "x ".repeat(300),
        "y ".repeat(400)
    );
    let new = old.replace("one", "other").replace("two", "third");
    let mut console = over(old.as_bytes(), new.as_bytes(), 80, 24);
    has(&console, "same one");
    has(&console, "same other");
    console.press("n");
    has(&console, "same two");
    has(&console, "same third");
}

#[test]
fn a_line_of_a_megabyte_is_shown_at_its_change() {
    let half = "0123456789abcdef".repeat(40_000);
    let old = format!("{half} before {half}\n");
    let new = old.replace("before", "behind");
    let mut console = over(old.as_bytes(), new.as_bytes(), 120, 40);
    let text = console.text();
    assert!(
        text.contains(" before ") && text.contains(" behind "),
        "{text}"
    );
    // The rest of it can be reached in both directions.
    for _ in 0..60 {
        console.press("h");
    }
    assert!(screen(&console).skip < half.len());
    console.press("n");
    console.press("N");
    console.press("W");
    has(&console, "wrapped");
}

#[test]
fn prose_is_wrapped_at_word_ends_unless_the_person_says_otherwise() {
    let sentence = "A sentence of many words that is longer than the screen is wide. ".repeat(4);
    let diff = |name: &str, console: &mut super::Console| {
        let options = crate::diff::Options::default();
        let rows = crate::diff::rows(None, Some(sentence.clone().into_bytes()), options);
        let top = console.state.layers.top_mut::<super::DiffScreen>().unwrap();
        top.take(Ok((name.into(), rows)), 80);
        console.draw();
    };
    let mut console = super::opened(80, 24);
    diff("docs/guide.md", &mut console);
    assert!(screen(&console).wrap);
    for line in console.text().lines() {
        assert!(!line.trim_end().ends_with("sentenc"), "{line}");
    }
    diff("src/main.rs", &mut console);
    assert!(!screen(&console).wrap);
    console.press("W");
    diff("src/lib.rs", &mut console);
    assert!(screen(&console).wrap);
}
