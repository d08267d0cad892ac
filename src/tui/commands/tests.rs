//! The table itself is under test: what it promises the person must hold for every row.

use std::collections::BTreeMap;

use super::*;
use crate::tui::keys::Key;

/// The contexts that can listen together, the most special first.
const CHAINS: &[&[Context]] = &[
    &[Context::Browser, Context::Everywhere],
    &[Context::Timeline, Context::Pipeline, Context::Everywhere],
    &[Context::Picker, Context::Everywhere],
    &[Context::Plan, Context::Everywhere],
    &[Context::Diff, Context::Everywhere],
];

#[test]
fn no_key_means_two_things_where_both_are_heard() {
    for chain in CHAINS {
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
    for command in COMMANDS {
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
        assert!(command.label.len() <= 16, "{}", command.name);
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
fn what_writes_needs_a_key_that_does_nothing_else() {
    let apply: Vec<_> = COMMANDS.iter().filter(|c| c.id == Cmd::Apply).collect();
    assert_eq!(apply.len(), 1);
    assert_eq!(apply[0].context, Context::Plan);
    assert_eq!(apply[0].keys, ["A"]);
    let elsewhere = COMMANDS
        .iter()
        .filter(|c| c.id != Cmd::Apply && c.keys.contains(&"A"));
    assert_eq!(elsewhere.count(), 0);
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
    let chain = CHAINS[0];
    let sort = Key::parse("ctrl-s").unwrap();
    assert_eq!(keymap.command(sort, chain).unwrap().id, Cmd::Sort);
    assert!(keymap.command(Key::letter('s'), chain).is_none());
    assert_eq!(refused.len(), 2, "{refused:?}");
}
