//! Sentences that name options and commands, with the keys that do the same: nobody types them here.

use super::of;
use crate::clean;
use crate::model::Clean;
use crate::tui::commands::{Cmd, Keymap};
use crate::tui::prelude::{Context, Screen};
use crate::tui::screens::plan;

/// What stands for the id of a recovery in a command.
const RECOVERY: &str = "RECOVERY";

/// A sentence with the key after each option, and after a command, that a key of this context stands for. A command with
/// other arguments does something else, so it has none.
pub(crate) fn keyed(keymap: &Keymap, text: &Clean, context: Context) -> Clean {
    with_keys(keymap, text, (context, None), &|key| clean!("key {}", key))
}

/// The same with the keys of a screen, which are of the recovery that it shows, too.
pub(crate) fn keyed_on(keymap: &Keymap, text: &Clean, screen: &dyn Screen) -> Clean {
    of_screen(keymap, text, screen, &|key| clean!("key {}", key))
}

/// The same on a screen that shows nothing but this: with the keys of the screen that Esc leads back to.
pub(crate) fn keyed_below(keymap: &Keymap, text: &Clean, below: &dyn Screen) -> Clean {
    let back = keymap.name(Cmd::Back, []);
    of_screen(keymap, text, below, &|key| clean!("{}, then {}", back, key))
}

/// A sentence as it is read aloud. A digit chooses a row there, so a command with no other key is named by its label,
/// which is typed instead.
pub(crate) fn named(keymap: &Keymap, text: Clean, contexts: &[Context]) -> Clean {
    let back = keymap.name(Cmd::Back, []);
    let rows = contexts.iter().copied().flat_map(of);
    rows.fold(text, |said, row| {
        let key = keymap.name_of(row);
        if !key.as_str().starts_with(|sign: char| sign.is_ascii_digit()) {
            return said;
        }
        let said = said.replace(&format!("(key {key})"), &clean!("({})", row.label));
        let label = clean!("({}, then {})", back, row.label);
        said.replace(&format!("({back}, then {key})"), &label)
    })
}

/// A sentence with the keys of a screen, some of which are of the recovery that it shows.
fn of_screen(
    keymap: &Keymap,
    text: &Clean,
    screen: &dyn Screen,
    name: &dyn Fn(&Clean) -> Clean,
) -> Clean {
    let mut words = screen.command_words().into_iter();
    let recovery = words.find_map(|(word, id)| (word == RECOVERY).then_some(id));
    let of = (screen.profile().context, recovery.as_deref());
    with_keys(keymap, text, of, name)
}

fn with_keys(
    keymap: &Keymap,
    text: &Clean,
    (context, recovery): (Context, Option<&str>),
    name: &dyn Fn(&Clean) -> Clean,
) -> Clean {
    let mut said = text.clone();
    for row in of(context) {
        let Some(cli) = row.cli else { continue };
        let key = keymap.name_of(row);
        // A dry run is of the same command.
        let cli = cli.trim_end_matches(" --dry-run");
        let of_another = cli.ends_with(RECOVERY)
            && recovery.is_none_or(|id| !said.as_str().contains(&cli.replace(RECOVERY, id)));
        if !cli.contains("--") {
            let place = place_of_key(said.as_str(), cli).filter(|_| !of_another);
            if let Some(place) = place {
                let (before, after) = (said.part(0..place), said.part(place..said.as_str().len()));
                said = Clean::concat([&before, &clean!(" ({})", name(&key)), &after]);
            }
        } else if context == plan::CONTEXT {
            // A plan is changed by the options of its command; elsewhere they are a part of another command.
            let mut words = cli.split(' ');
            let option = words.find(|word| word.starts_with("--") && *word != "--point");
            if let Some(option) = option {
                said = said.replace(option, &clean!("{} ({})", option, name(&key)));
            }
        }
    }
    for (option, cmd) in ANSWERS.iter().filter(|_| context == plan::CONTEXT) {
        let key = keymap.name(*cmd, [context]);
        said = said.replace(option, &clean!("{} ({})", option, name(&key)));
    }
    said
}

/// Options that answer a question of a plan, and the keys that ask it. No command of the console has them.
const ANSWERS: [(&str, Cmd); 2] = [
    ("--assume-stopped", Cmd::Apply),
    ("--keep PATH", Cmd::Include),
];

/// Where the key belongs in a text, if it names this command with at most the id of a pipeline, at its end or before its
/// verb: after the command.
fn place_of_key(text: &str, cli: &str) -> Option<usize> {
    let mut words = cli.split(' ');
    let name = [words.next()?, words.next()?].join(" ");
    let (before, arguments) = text.rsplit_once(&name)?;
    let said = arguments.trim_end_matches(['.', ')', '`']);
    let verb = VERBS.iter().find_map(|verb| said.find(verb));
    let said = said.get(..verb.unwrap_or(said.len()))?;
    let is_id = |word: &str| word.contains(|sign: char| sign == '~' || sign.is_ascii_digit());
    // A pipeline elsewhere is found by its root.
    let id = said.split(" --root ").next().unwrap_or_default();
    let id = id.strip_prefix(' ').unwrap_or(id);
    if !id.is_empty() && (id.contains(' ') || !is_id(id) || !said.starts_with(' ')) {
        return None;
    }
    let quote = arguments.get(said.len()..)?.starts_with('`');
    Some(before.len() + name.len() + said.len() + usize::from(quote))
}

/// The verbs of sentences whose subject is a command.
const VERBS: [&str; 4] = [" says ", " shows ", " lists ", " describes "];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::screens::{browser, pipeline};

    #[test]
    fn an_option_that_answers_a_question_has_the_key_that_asks_it() {
        for (said, key) in [
            ("Make sure, then add --assume-stopped", "A"),
            ("To leave it: relight undo 1-a --keep PATH", "Space"),
        ] {
            let shown = keyed(&Keymap::default(), &Clean::new(said), plan::CONTEXT);
            assert_eq!(shown, clean!("{} (key {})", said, key));
        }
    }

    #[test]
    fn what_a_key_does_has_the_key_beside_it() {
        let table = [
            (
                plan::CONTEXT,
                "--rewind-branch removes them.",
                "--rewind-branch (key b) removes them.",
            ),
            (plan::CONTEXT, "Omit --exact.", "Omit --exact (key x)."),
            (
                plan::CONTEXT,
                "Name it with --work-tree PATH.",
                "Name it with --work-tree PATH.",
            ),
            (
                pipeline::CONTEXT,
                "List them with relight timeline.",
                "List them with relight timeline (key 2).",
            ),
            (
                pipeline::CONTEXT,
                "Choose another: relight checkpoints.",
                "Choose another: relight checkpoints (key 4).",
            ),
            (
                pipeline::CONTEXT,
                "Choose: relight points mgw-57~ab12",
                "Choose: relight points mgw-57~ab12 (key r)",
            ),
            (
                pipeline::CONTEXT,
                "See `relight plan mgw-57~ab12`.",
                "See `relight plan mgw-57~ab12` (key p).",
            ),
            (
                browser::CONTEXT,
                "Choose: relight points mgw-57~ab12",
                "Choose: relight points mgw-57~ab12 (key r)",
            ),
            (
                pipeline::CONTEXT,
                "Choose: relight points mgw-57~ab12 --root /srv/notes",
                "Choose: relight points mgw-57~ab12 --root /srv/notes (key r)",
            ),
            (
                pipeline::CONTEXT,
                "There is none; relight show a~1 says why.",
                "There is none; relight show a~1 (key 1) says why.",
            ),
            (
                browser::CONTEXT,
                "relight show a~1 shows what is still readable.",
                "relight show a~1 (key Enter) shows what is still readable.",
            ),
            // Each of these does something else than a key.
            (
                pipeline::CONTEXT,
                "relight points PIPELINE shows what can be done.",
                "relight points PIPELINE shows what can be done.",
            ),
            (
                pipeline::CONTEXT,
                "relight showcase shows it.",
                "relight showcase shows it.",
            ),
            (
                pipeline::CONTEXT,
                "Open it: relight show PATH.",
                "Open it: relight show PATH.",
            ),
            (
                pipeline::CONTEXT,
                "`relight plan 57 --point a:rerun`",
                "`relight plan 57 --point a:rerun`",
            ),
            (
                pipeline::CONTEXT,
                "Choose: relight plan a~1 POINT",
                "Choose: relight plan a~1 POINT",
            ),
            (
                pipeline::CONTEXT,
                "relight restore a~1 --checkpoint b",
                "relight restore a~1 --checkpoint b",
            ),
        ];
        for (context, said, shown) in table {
            let keymap = Keymap::default();
            assert_eq!(keyed(&keymap, &Clean::new(said), context).as_str(), shown);
        }
        // What was escaped is not escaped again.
        let said = Clean::new("a\u{200d}b: relight timeline");
        let shown = clean!("{} (key 2)", said);
        let keymap = Keymap::default();
        assert_eq!(keyed(&keymap, &said, pipeline::CONTEXT), shown);
        let named = named(&keymap, shown, &pipeline::CONTEXT.chain());
        assert_eq!(named, clean!("{} (timeline)", said));
    }
}
