//! A person's own keys: what a screen names is what works, wherever a key is named.

use std::path::Path;

use super::harness::{Console, role};
use super::screens;
use crate::model::Clean;
use crate::tui::commands::{COMMANDS, Keymap};
use crate::tui::keys::Key;
use crate::tui::msg::Msg;
use crate::tui::prelude::Question;
use crate::tui::theme::{Palette, Role};
use crate::tui::update::keys;
use crate::tui::view::speak;

/// A keymap in which no command has a key that it has by default.
fn moved() -> Keymap {
    let wish = |keys: &[&str]| keys.iter().map(|key| format!("alt-{key}")).collect();
    let commands = COMMANDS.iter();
    let wishes = commands.map(|command| (command.name.to_owned(), wish(command.keys)));
    let (keymap, said) = Keymap::new(&wishes.collect::<Vec<_>>());
    assert_eq!(said, Vec::<String>::new());
    keymap
}

/// Whether letters go to a field or to a question now: their keys are in no keymap.
fn types(console: &mut Console) -> bool {
    let asked = console.state.layers.is_top::<Question>();
    asked || keys::open_field(&mut console.state).is_some()
}

/// Every screen, reached by the moved keys, with its name.
fn every(palette: Palette, (width, height): (u16, u16), mut look: impl FnMut(&str, &mut Console)) {
    for (name, machine, list, keys) in screens::of_all() {
        let mut console = Console::over(machine(), palette, width, height);
        console.state.keymap = moved();
        for key in list.split_whitespace().chain(keys.split_whitespace()) {
            let key = Key::parse(key).unwrap();
            let alt = !types(&mut console);
            console.send(Msg::Key(Key { alt, ..key }));
        }
        console.draw();
        look(name, &mut console);
    }
}

/// Whether a word is how a key of the table is shown, which no command has any more.
fn is_old(word: &str) -> bool {
    let mut names = COMMANDS.iter().flat_map(|command| command.keys);
    Key::shown(word).is_some_and(|key| names.any(|name| Key::parse(name) == Some(key)))
}

/// Sentences of ours that say what a key does that is in no keymap, as those of fields and questions are, or no key.
const NO_KEY: [&str; 9] = [
    "Tab completes",
    "press Enter",
    "press y.",
    "Esc shows the plan.",
    "Enter runs the selected command, Esc closes",
    "marks A, then B;",
    "E grows",
    "B in ",
    "press Tab, or type",
];

/// The keys that a sentence says to press, or says what they do, and that are no moved ones.
fn old_keys(text: &str) -> Vec<&str> {
    let signs = ['(', ')', '.', ',', ';', ':', '`'];
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let at = |place: Option<usize>| place.and_then(|place| words.get(place)).copied();
    let named = (0..words.len()).filter(|place| {
        let before = at(place.checked_sub(1)).unwrap_or(";");
        let pressed = matches!(
            before.trim_matches(signs),
            "press" | "Press" | "key" | "then"
        );
        let begins = before.ends_with([';', ':', ',', '.']) || matches!(before, "and" | "or");
        let figure = words[*place].starts_with(|sign: char| sign.is_ascii_digit());
        let after = at(place.checked_add(1))
            .unwrap_or_default()
            .trim_matches(signs);
        let verb = after.len() > 2 && after.ends_with('s') && after.is_ascii() || after == "in";
        pressed || begins && verb && !figure
    });
    let old = named.map(|place| words[place].trim_matches(signs));
    let old = old.filter(|word| is_old(word));
    let known = NO_KEY.iter().any(|sentence| text.contains(sentence));
    old.filter(|_| !known).collect()
}

#[test]
fn every_key_that_is_lit_is_one_that_works() {
    let mut wrong = Vec::new();
    every(Palette::Roles, (120, 40), |name, console| {
        if types(console) {
            return;
        }
        let buffer = console.buffer();
        for y in 0..buffer.area.height {
            let lit = (0..buffer.area.width).map(|x| &buffer[(x, y)]);
            let lit: String = lit
                .map(|cell| match role(cell.fg) {
                    Some(Role::Key) => cell.symbol(),
                    _ => " ",
                })
                .collect();
            let words = lit.split_whitespace();
            let old: Vec<&str> = words.filter(|word| is_old(word)).collect();
            if !old.is_empty() {
                wrong.push(format!("{name}, row {y}: {old:?}"));
            }
        }
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_sentence_names_a_key_that_was_moved() {
    let mut wrong = Vec::new();
    every(Palette::None, (120, 40), |name, console| {
        if types(console) {
            return;
        }
        let spoken = speak(&console.state).0;
        let lines = spoken.lines.iter().chain(&spoken.selected);
        for line in lines
            .chain(&spoken.word)
            .chain(&spoken.keys)
            .map(Clean::as_str)
        {
            let old = old_keys(line);
            if !old.is_empty() {
                wrong.push(format!("{name}: {old:?} in {line}"));
            }
        }
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What is said where no screen of these tests gets to.
#[test]
fn no_sentence_of_ours_has_a_key_in_it() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tui")];
    let mut wrong = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("tests") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let ours = text
                    .split("#[cfg(test)]\nmod tests")
                    .next()
                    .unwrap_or_default();
                let lines = ours.lines().filter(|line| !line.trim().starts_with("//"));
                let said = lines.flat_map(|line| line.split('"').skip(1).step_by(2));
                let old = said.filter(|said| !old_keys(said).is_empty());
                wrong.extend(old.map(|said| format!("{}: {said}", path.display())));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// It is named as the palette runs it, which a line may do, too.
#[test]
fn a_command_without_a_key_is_named_and_can_be_run() {
    let mut console = Console::new(120, 40);
    console.state.keymap = Keymap::new(&[("scope".to_owned(), Vec::new())]).0;
    console.draw();
    assert!(
        console.text().contains("outside the scope :scope"),
        "{}",
        console.text()
    );
    console.send(Msg::Line(":scope".to_owned()));
    assert!(console.text().contains("Scope: "), "{}", console.text());
}
