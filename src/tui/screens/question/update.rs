//! A question before anything is written: it has its own keys, and everything except the one answer means no.

use crossterm::event::KeyCode;

use crate::model::one_line_reason;
use crate::tui::commands::COMMANDS;
use crate::tui::prelude::*;
use crate::tui::screens::batch::{BatchScreen, Task};
use crate::tui::screens::plan::{self, Then, is_stale};
use crate::tui::screens::{handoff, progress, replay_plan, replaying};
use crate::tui::update::motion;
use crate::tui::view::is_too_small;

/// The question on top.
fn asked(state: &mut State) -> Option<&mut Question> {
    state.layers.top_mut::<Question>()
}

/// Takes a key.
pub(crate) fn press(state: &mut State, key: Key) {
    let page = state.geometry.page_of(ListId::of::<Question>());
    let is_shown = !is_too_small(state.size) && (page.height > 0 || page.total == 0);
    let Some(question) = asked(state) else { return };
    let letters = question.answer != Answer::Key;
    let leaves = key.code == KeyCode::Esc || key == Key::ctrl('c');
    // What nobody can read is not agreed to.
    let is_read = question.seen && is_shown;
    if !is_read && !leaves {
        return;
    }
    let scroll = match key.code {
        KeyCode::Up => Some(Motion::By(-1)),
        KeyCode::Down => Some(Motion::By(1)),
        KeyCode::Char('k') if !letters => Some(Motion::By(-1)),
        KeyCode::Char('j') if !letters => Some(Motion::By(1)),
        KeyCode::PageUp => Some(Motion::Pages(-2)),
        KeyCode::PageDown => Some(Motion::Pages(2)),
        // In a text that is typed these move the cursor.
        KeyCode::Home if question.answer != Answer::Text => Some(Motion::First),
        KeyCode::End if question.answer != Answer::Text => Some(Motion::Last),
        _ => None,
    };
    if let Some(motion) = scroll {
        motion::go(state, motion);
    } else if leaves {
        no(state);
    } else {
        answer(state, key);
    }
}

/// Whether a key opens a question: such a key never answers it (lazygit lost hours to doubled keys).
fn opens(state: &State, key: Key) -> bool {
    let openers = [Cmd::Apply, Cmd::Launch, Cmd::StartReplay, Cmd::Purge];
    let openers = COMMANDS.iter().filter(|one| openers.contains(&one.id));
    let mut keys = openers.flat_map(|command| state.keymap.keys(command));
    keys.any(|own| own == key)
}

fn answer(state: &mut State, key: Key) {
    let opener = opens(state, key);
    let Some(question) = asked(state) else { return };
    match question.answer {
        Answer::Key if key == Key::letter('y') => yes(state, "y"),
        Answer::Key if opener => {
            state.refuse(clean!("{} does not confirm: press y.", key.to_string()));
        }
        Answer::Word(word) if opener && key.written().is_none_or(|one| !word.contains(one)) => {
            state.refuse(clean!(
                "{} does not confirm: type {} and press Enter.",
                key.to_string(),
                word
            ));
        }
        Answer::Key => no(state),
        Answer::Word(word) => {
            let text = question.field.text().to_owned();
            let refuses = matches!(key.code, KeyCode::Char('n' | 'q'));
            let begins = key.written().is_some_and(|letter| word.starts_with(letter));
            match key.code {
                KeyCode::Enter if text.trim() == word => yes(state, &text),
                KeyCode::Enter => no(state),
                _ if text.is_empty() && refuses && !begins => no(state),
                _ => {
                    question.field.take(key);
                }
            }
        }
        Answer::Text => {
            let text = question.field.text().trim().to_owned();
            match key.code {
                KeyCode::Enter if text.is_empty() => no(state),
                KeyCode::Enter => yes(state, &text),
                _ => {
                    question.field.take(key);
                }
            }
        }
    }
}

/// Handles pasted text: a folder or a branch may be pasted, a confirmation never.
pub(crate) fn paste(state: &mut State, text: &str) {
    let Some(question) = asked(state) else { return };
    match question.answer {
        Answer::Text => {
            if let Err(why) = question.field.paste(text) {
                state.refuse(why);
            }
        }
        Answer::Key | Answer::Word(_) => {
            state.refuse("Type the confirmation by hand; pasted text does not count.");
        }
    }
}

/// Everything but the one answer.
fn no(state: &mut State) {
    let word = match asked(state).map(|question| &question.ask) {
        Some(Ask::StopReplay | Ask::Leave) => "Not confirmed: the replay keeps running.",
        _ => "Not confirmed: nothing was changed.",
    };
    pop(state);
    state.say(Clean::new(word));
}

fn yes(state: &mut State, typed: &str) {
    let Some(question) = state.layers.top_as::<Question>().cloned() else {
        return;
    };
    pop(state);
    match question.ask {
        Ask::Apply { plan, made_at, .. } => {
            if is_stale(made_at, state.now) {
                plan::again(state, plan);
            } else {
                progress::apply(state, plan, typed);
            }
        }
        Ask::Stopped { .. } => {
            plan::change(state, Then::Ask, |chosen| chosen.assume_stopped = true);
        }
        Ask::Accept { id, .. } => plan::change(state, Then::Ask, |chosen| chosen.accept.push(id)),
        Ask::Branch { .. } => {
            let branch = Some(typed.to_owned());
            plan::change(state, Then::Ask, |chosen| chosen.branch = branch);
        }
        Ask::Reason => {
            let reason = one_line_reason(typed);
            plan::change(state, Then::Show, |chosen| chosen.reason = reason);
        }
        Ask::Purge(recoveries, loss) => {
            let number = format::count(recoveries.len(), "recovery");
            let title = clean!("Deletion of the backups of {}", number);
            let query = |cancel| Query::Purge(recoveries, loss, cancel);
            progress::purge(state, title, query);
        }
        Ask::PurgeReplay(one) => {
            let title = clean!("Deletion of {}", one.title);
            let query = |cancel| Query::PurgeReplays(one.pipeline, one.id, cancel);
            progress::purge(state, title, query);
        }
        ask @ (Ask::Export(_) | Ask::ExportReports(_)) if typed.starts_with('~') => {
            state.push(Question::new(ask, Answer::Text));
            state.refuse("~ is not expanded; type the full path.");
        }
        Ask::Export(recovery) => {
            let folder = state.browser.request.cwd.join(typed);
            let title = clean!("Copy of the backups of {} to {}", recovery.id.0, folder);
            let how = RecoverMode::Export(folder);
            progress::recover(state, &recovery, how, Vec::new(), title);
        }
        Ask::ExportReports(ids) => {
            let folder = state.browser.request.cwd.join(typed);
            state.push(BatchScreen::new(Task::Export(folder), ids));
        }
        Ask::Launch(id, handoff) => handoff::launch(state, id, handoff),
        Ask::Replay { plan, made_at, .. } => {
            if is_stale(made_at, state.now) {
                replay_plan::again(state);
            } else {
                replaying::start(state, plan);
            }
        }
        Ask::Continue(session) => replaying::go_on(state, session),
        Ask::StopReplay => replaying::stop(state),
        Ask::Leave => {
            if !replaying::leave(state) {
                state.effects.push(Effect::Quit);
            }
        }
    }
}
