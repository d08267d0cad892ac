//! The table itself is under test: what it promises the person must hold for every row.

use std::collections::BTreeMap;

use super::*;
use crate::tui::keys::Key;

#[test]
fn no_key_means_two_things_where_both_are_heard() {
    for chain in COMMANDS.iter().map(|command| command.context.chain()) {
        let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
        for command in COMMANDS.iter().filter(|c| chain.contains(&c.context)) {
            for key in command.keys {
                if let Some(other) = seen.insert(key, command.name) {
                    panic!("`{key}` means {other} and {} in {chain:?}", command.name);
                }
            }
        }
    }
}

#[test]
fn every_command_has_keys_that_exist_and_a_help_sentence() {
    for command in COMMANDS.iter() {
        assert!(!command.keys.is_empty(), "{}", command.name);
        for key in command.keys {
            assert!(Key::parse(key).is_some(), "{key} of {}", command.name);
        }
        assert!(command.help.ends_with('.'), "{}", command.name);
        assert!(
            command.help.starts_with(char::is_uppercase),
            "{}",
            command.name
        );
        assert!(command.label.len() <= 20, "{}", command.name);
    }
}

#[test]
fn names_are_unique_and_can_be_typed() {
    let mut names: Vec<_> = COMMANDS.iter().map(|command| command.name).collect();
    names.sort_unstable();
    let before = names.len();
    names.dedup();
    assert_eq!(before, names.len());
    assert!(
        names
            .iter()
            .all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
    );
}

#[test]
fn keys_that_slip_are_bound_to_nothing() {
    for key in ["d", "D", "delete", "backspace"] {
        assert!(
            COMMANDS.iter().all(|c| !c.keys.contains(&key)),
            "{key} must stay free"
        );
    }
}

#[test]
fn what_leads_to_writing_needs_a_capital_that_does_nothing_else() {
    // What writes after a question, and what acts on a dialog that has explained itself.
    let writes = [
        (Cmd::Apply, "A"),
        (Cmd::Launch, "A"),
        (Cmd::StartReplay, "A"),
        (Cmd::Purge, "P"),
        (Cmd::RollBack, "B"),
        (Cmd::Finish, "F"),
    ];
    for (id, key) in writes {
        let rows: Vec<_> = COMMANDS.iter().filter(|c| c.id == id).collect();
        assert!(!rows.is_empty(), "{id:?}");
        assert!(rows.iter().all(|row| row.keys == [key]), "{id:?}");
    }
    let recovers =
        |c: &&Command| c.id == Cmd::Recover && c.context == crate::tui::screens::pending::CONTEXT;
    let recover = COMMANDS.iter().find(recovers).unwrap();
    assert_eq!(recover.keys, ["S"]);
    let with_a = COMMANDS.iter().filter(|c| c.keys.contains(&"A"));
    assert_eq!(with_a.count(), 3);
    let enter = COMMANDS.iter().filter(|c| c.keys.contains(&"enter"));
    assert!(enter.into_iter().all(|c| c.id == Cmd::Enter));
}

#[test]
fn a_wish_replaces_the_keys_and_a_bad_one_is_named() {
    let wishes = [
        ("sort".to_owned(), vec!["ctrl-s".to_owned()]),
        ("jump".to_owned(), vec!["J".to_owned()]),
        ("scope".to_owned(), vec!["hyper".to_owned()]),
    ];
    let (keymap, refused) = Keymap::new(&wishes);
    let chain = &COMMANDS[0].context.chain();
    let sort = Key::parse("ctrl-s").unwrap();
    assert_eq!(keymap.command(sort, chain).unwrap().id, Cmd::Sort);
    assert!(keymap.command(Key::letter('s'), chain).is_none());
    assert_eq!(refused.len(), 2, "{refused:?}");
    // Nothing usable was wished for, so nothing changes; no key at all can be wished for too.
    let scope = |keymap: &Keymap| Some(keymap.command(Key::letter('a'), chain)?.id);
    assert_eq!(scope(&keymap), Some(Cmd::Scope));
    let (keymap, said) = Keymap::new(&[("scope".to_owned(), Vec::new())]);
    assert_eq!((scope(&keymap), said), (None, Vec::new()));
    // A key has the name that the console shows, too.
    let shown = [("sort".to_owned(), vec!["Ctrl-S".to_owned()])];
    let (keymap, said) = Keymap::new(&shown);
    assert_eq!(keymap.command(sort, chain).unwrap().id, Cmd::Sort);
    assert_eq!(said, Vec::<String>::new());
}

/// Wishes of command and key; then a key, what it does, and what is said.
type Wish = (
    &'static [(&'static str, &'static str)],
    &'static str,
    Cmd,
    &'static str,
);

#[test]
fn a_wished_key_is_taken_from_what_had_it_and_that_is_said() {
    let wish = |name: &str, key: &str| (name.to_owned(), vec![key.to_owned()]);
    let browser = &COMMANDS[0].context.chain();
    let table: &[Wish] = &[
        // In the same place, the wish wins over the table, whichever comes first there.
        (&[("group", "s")], "s", Cmd::Group, "takes `s` from sort"),
        (&[("open", "b")], "b", Cmd::Enter, "takes `b` from group"),
        // On every screen, a screen's own key would hide it: the wish still wins.
        (&[("down", "a")], "a", Cmd::Down, "takes `a` from scope"),
        (&[("sort", "j")], "j", Cmd::Sort, "takes `j` from down"),
        // Of two wishes the first in the table holds.
        (
            &[("sort", "i"), ("group", "i")],
            "i",
            Cmd::Sort,
            "`i` is sort",
        ),
    ];
    for (wishes, key, means, said) in table {
        let wishes: Vec<_> = wishes.iter().map(|(name, key)| wish(name, key)).collect();
        let (keymap, refused) = Keymap::new(&wishes);
        let key = Key::parse(key).unwrap();
        assert_eq!(
            keymap.command(key, browser).unwrap().id,
            *means,
            "{wishes:?}"
        );
        assert_eq!(refused.len(), 1, "{refused:?}");
        assert!(refused[0].contains(said), "{refused:?}");
    }
    let swapped = [wish("sort", "b"), wish("group", "s")];
    assert_eq!(Keymap::new(&swapped).1, Vec::<String>::new());
}

/// Every command as a row of the README's table.
fn readme_rows() -> Vec<String> {
    let row = |command: &Command| {
        let keys = command.keys.iter().filter_map(|name| Key::parse(name));
        // A bar would end the cell.
        let keys: Vec<_> = keys
            .map(|key| format!("`{}`", key.to_string().replace('|', "\\|")))
            .collect();
        let title = command.context.title;
        format!("| {title} | {} | {} |", keys.join(" "), command.help)
    };
    COMMANDS.iter().map(row).collect()
}

#[test]
fn the_readme_shows_fifteen_keys_as_the_table_has_them() {
    let readme = include_str!("../../../README.md");
    let section = readme.split("\n## The console\n").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let written: Vec<_> = section
        .lines()
        .filter(|line| line.starts_with('|'))
        .skip(2)
        .collect();
    assert_eq!(written.len(), 15, "the README shows fifteen keys");
    let rows = readme_rows();
    let wrong: Vec<_> = written
        .iter()
        .filter(|row| !rows.iter().any(|known| known == *row))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?} not in\n{}", rows.join("\n"));
}
