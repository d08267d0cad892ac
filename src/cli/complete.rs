//! Completions: the shell scripts ask relight itself for candidates. It only reads, and after a short time it answers
//! with what it has found so far.

mod known;

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use clap::{Arg, ValueHint};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use clap_complete::env::Shells;

use known::{Kind, Typed};

/// The variable in which the script passes the name of its shell.
pub(super) const VARIABLE: &str = "RELIGHT_COMPLETE";

/// The variable in which some shells pass the index of the completed word.
const INDEX: &str = "_CLAP_COMPLETE_INDEX";

/// The script of a shell.
pub(super) fn script(shell: clap_complete::Shell) -> Vec<u8> {
    if shell == clap_complete::Shell::Bash {
        return include_bytes!("complete/relight.bash").to_vec();
    }
    let mut out = Vec::new();
    if let Some(shell) = Shells::builtins().completer(&shell.to_string()) {
        // Writing into memory does not fail.
        drop(shell.write_registration(VARIABLE, "relight", "relight", "relight", &mut out));
    }
    out
}

/// The candidates, in the form that the shell's script expects.
pub(super) fn answer(shell: &OsStr, args: &[OsString]) -> Vec<u8> {
    let mut words = args.iter().skip_while(|word| *word != "--").skip(1);
    let mut words: Vec<OsString> = words.by_ref().cloned().collect();
    if words.is_empty() {
        return Vec::new();
    }
    let told = std::env::var(INDEX).ok().and_then(|at| at.parse().ok());
    let at = told.unwrap_or(words.len() - 1).min(words.len());
    words.truncate(at + 1);
    if words.len() == at {
        words.push(OsString::new());
    }
    let bash = shell == "bash";
    let before = words.get(..at).unwrap_or_default();
    let mut command = command(&Arc::new(Typed(before.to_vec())), bash);
    let here = std::env::current_dir().ok();
    let mut out = Vec::new();
    if bash {
        let found = clap_complete::engine::complete(&mut command, words, at, here.as_deref());
        for candidate in found.unwrap_or_default() {
            out.extend_from_slice(candidate.get_value().as_encoded_bytes());
            out.push(b'\n');
        }
        return out;
    }
    let shells = Shells::builtins();
    if let Some(shell) = shell.to_str().and_then(|name| shells.completer(name)) {
        drop(shell.write_complete(&mut command, words, here.as_deref(), &mut out));
    }
    out
}

/// The command line with what is known about each of its words.
fn command(typed: &Arc<Typed>, bash: bool) -> clap::Command {
    super::command()
        .mut_args(|arg| attach("", arg, typed, bash))
        .mut_subcommands(|one| {
            let name = one.get_name().to_owned();
            one.mut_args(|arg| attach(&name, arg, typed, bash))
        })
}

fn attach(command: &str, arg: Arg, typed: &Arc<Typed>, bash: bool) -> Arg {
    let Some(kind) = kind(command, arg.get_id().as_str()) else {
        // Bash inserts a candidate as it is, and quotes only the file names that it finds itself.
        return if bash && arg.get_value_hint() != ValueHint::Unknown {
            arg.value_hint(ValueHint::Other)
        } else {
            arg
        };
    };
    let typed = Arc::clone(typed);
    arg.add(ArgValueCompleter::new(move |current: &OsStr| {
        let mut found: Vec<CompletionCandidate> = typed.candidates(kind, current);
        let word = current.to_str();
        let path = word.is_some_and(|word| word.contains(['/', '.']));
        if kind == Kind::Pipeline && path && !bash {
            found.extend(PathCompleter::any().complete(current));
        }
        found
    }))
}

/// What an argument of a command names.
fn kind(command: &str, id: &str) -> Option<Kind> {
    match id {
        "system" => Some(Kind::System),
        "pipeline" => Some(Kind::Pipeline),
        "of" if command == "hooks" => Some(Kind::System),
        "words" if command == "record" => Some(Kind::Word),
        // A record has another option of this name.
        "stage" | "after" if command != "record" => Some(Kind::Stage),
        "word" | "id" => Some(Kind::Point),
        // A complete pipeline has no points there, and is replayed from any phase.
        "from_phase" if command == "replay" => Some(Kind::Stage),
        "from_phase" => Some(Kind::Phase),
        "checkpoint" => Some(Kind::Checkpoint),
        "recovery" => Some(Kind::Recovery),
        "recoveries" => Some(Kind::Purgeable),
        "resumed" => Some(Kind::Replay),
        "a" | "b" => Some(Kind::Operand),
        "page" => Some(Kind::Command),
        "filter" => Some(Kind::Filter),
        "view" => Some(Kind::View),
        "preset" => Some(Kind::Runner),
        "accept" => Some(Kind::Question),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without this test, a renamed argument would lose its candidates unnoticed.
    #[test]
    fn s5_every_argument_that_names_something_has_candidates() {
        let mut with = Vec::new();
        for one in super::super::command().get_subcommands() {
            let args = one.get_arguments().chain([]);
            let known = args.filter(|arg| kind(one.get_name(), arg.get_id().as_str()).is_some());
            with.extend(known.map(|arg| format!("{} {}", one.get_name(), arg.get_id())));
        }
        for expected in [
            "show pipeline",
            "plan word",
            "plan id",
            "plan from_phase",
            "restore checkpoint",
            "undo recovery",
            "purge recoveries",
            "recover recovery",
            "replay resumed",
            "compare a",
            "compare b",
            "man page",
            "list filter",
            "list view",
            "hooks of",
            "record words",
            "wait stage",
            "amend stage",
            "amend after",
            "replay preset",
            "resume accept",
        ] {
            assert!(
                with.iter().any(|one| one == expected),
                "{expected} in {with:?}"
            );
        }
        assert!(kind("", "system").is_some());
    }
}
