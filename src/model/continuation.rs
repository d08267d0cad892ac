//! The alternative to a hand-off: the conversation that stopped is continued.

use std::fmt::Write as _;

use chrono::{DateTime, FixedOffset};

use super::{CauseKind, Client, Foreign, Handoff, ResumeCommand, Stamp, Sure, Why};
use crate::text::Shown as _;
use crate::text::format::count;

/// The alternative to a hand-off: the conversation that stopped is continued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Continuation {
    /// The program that holds it.
    pub client: Client,
    /// How it is continued. If files were changed after its last turn, the last argument says so.
    pub resume: ResumeCommand,
    /// How many tokens that reads again, if known.
    pub tokens: Option<u64>,
    /// Whether it is better than a new conversation with the briefing.
    pub recommended: bool,
    /// Why it is, or is not.
    pub reason: &'static str,
    /// The reset of a limit that stopped it.
    pub until: Option<Stamp>,
    /// What the conversation must be told first, because relight changes files after its last turn, or has done so;
    /// `None` where it does not.
    pub prompt: Option<Foreign>,
}

impl Why {
    /// How the newest conversation is continued in place of a hand-off; `None` where the hand-off does just that.
    /// `changes` says that the plan changes files, which the conversation cannot know, as little as what relight
    /// changed before.
    pub fn continuation(&self, handoff: &Handoff, changes: bool) -> Option<Continuation> {
        let newest = self.conversations.first()?;
        let mut resume = newest.resume.clone()?;
        if handoff.argv.starts_with(&resume.argv) {
            return None;
        }
        let kind = newest.cause.kind;
        let against = if kind.wants_fresh() {
            Some("its context was full, or it contains a refused turn")
        } else if handoff.starts_over {
            Some("this point starts the pipeline over")
        } else if changes {
            Some("the conversation does not know which files this plan changes")
        } else if self.outdated {
            Some("relight changed files after the last turn of the conversation")
        } else if matches!(kind, CauseKind::TurnEnded | CauseKind::Unknown) {
            Some("nothing in it is unfinished")
        } else if newest.cause.sure == Sure::Guess {
            // It may have worked on another pipeline, or have ended in another way.
            Some("it is a guess that the conversation stopped in this work")
        } else {
            None
        };
        let prompt = (changes || self.outdated).then(|| told(handoff));
        if newest.client.takes_prompt() {
            resume.argv.extend(prompt.clone());
        }
        Some(Continuation {
            client: newest.client,
            resume,
            tokens: newest.tokens,
            recommended: against.is_none(),
            reason: against.unwrap_or("it knows what it was doing, and no file is changed"),
            until: newest.cause.until,
            prompt,
        })
    }

    /// What a person must know before the newest conversation is continued.
    pub fn caution(&self) -> Option<&'static str> {
        self.outdated.then_some(
            "relight changed files after the last turn of the newest conversation: if it continues, it must read them \
             again.",
        )
    }
}

/// What a continued conversation is told about files that were changed after its last turn.
fn told(handoff: &Handoff) -> Foreign {
    let mut text = "relight changed files of this project after your last turn, so what you remember of them may be \
        outdated. Read them again before you continue."
        .to_owned();
    if let Some(file) = &handoff.briefing_file {
        let file = Foreign::from(file).clean();
        let _ = write!(text, " Read {file} first: it says where the work resumes.");
    }
    text.into()
}

impl Continuation {
    /// What a person should know about it, a sentence each, without the command.
    pub fn sentences(&self, now: DateTime<FixedOffset>) -> Vec<String> {
        let cost = self.tokens.map(|tokens| count(tokens, "token"));
        let cost = cost.map(|tokens| format!("Continuing re-reads {tokens} of context."));
        let advice = if self.recommended {
            format!("Recommended: {}.", self.reason)
        } else {
            format!("A new conversation is recommended: {}.", self.reason)
        };
        let carried = self.prompt.as_ref().map(|prompt| {
            if self.resume.argv.last() == Some(prompt) {
                "Its prompt says that relight changed files.".to_owned()
            } else {
                format!("After applying the plan, tell it first: {}", prompt.shown())
            }
        });
        let reset = self.until.map(|until| {
            let (resets, until) = (until.resets(now), until.words());
            format!("It stopped at a usage limit, which {resets} at {until}.")
        });
        let known = [cost, Some(advice), carried, reset];
        known.into_iter().flatten().collect()
    }
}
