//! `relight points`: the resume points in order, the recommended one marked.

use crate::cli::prelude::*;
use crate::model::{CheckpointNeed, Readiness, ResumePoint};

/// Cells of a point's id.
const HEAD: usize = 21;

/// A line below a point.
type Note = (Tone, Clean);

pub(super) fn run(session: &Session, target: &Target) -> Result<Answer> {
    let dossier = super::readable(session, target)?;
    let mut page = session.page();
    // Notes that many points share are said once: a person looks for what differs.
    let mut said: Option<(&ResumePoint, Vec<Note>)> = None;
    for point in &dossier.points {
        headline(point, &mut page);
        let own = notes(point);
        let less = |all: &[Note], other: &[Note]| -> Vec<Note> {
            let new = all.iter().filter(|note| !other.contains(note));
            new.cloned().collect()
        };
        let (news, shared) = match &said {
            Some((first, notes)) => {
                let (new, gone) = (less(&own, notes), less(notes, &own));
                // A note that stands in another's place says the same of other numbers.
                let kind = |note: &Note| note.1.as_str().split(' ').next().map(str::to_owned);
                let in_place = gone.is_empty() || new.iter().map(kind).eq(gone.iter().map(kind));
                let is_like = in_place && new.len() < 2 && own.len() > new.len() + 1;
                (new, is_like.then_some(first))
            }
            None => (Vec::new(), None),
        };
        let own_notes = if shared.is_some() { &news } else { &own };
        for (tone, text) in own_notes {
            page.indent(HEAD, *tone, text.clone());
        }
        match shared {
            Some(first) => {
                let otherwise = if news.is_empty() {
                    ""
                } else {
                    "otherwise the "
                };
                let text = clean!("{}same notes as {}", otherwise, first.boundary.id.0);
                page.indent(HEAD, Tone::Faint, text);
            }
            None => said = Some((point, own)),
        }
    }
    if page.is_empty() {
        let reason = &dossier.pipeline.standing.reason;
        let text = clean!("There is nothing to resume: {}", reason);
        page.say(Tone::Plain, text);
    } else {
        let id = &dossier.pipeline.id.0;
        page.blank();
        for (label, command) in [("preview", "plan"), ("resume", "resume")] {
            let line = format!("relight {command} {id} POINT");
            page.command(label, session.as_named(&line));
        }
    }
    Ok(Answer::new(report::points(&dossier.points), page))
}

fn headline(point: &ResumePoint, page: &mut Page) {
    let boundary = &point.boundary;
    let (sign, tone) = if point.recommended {
        ("▶", Tone::Strong)
    } else {
        (" ", Tone::Plain)
    };
    let again = boundary.time_lost_s.filter(|seconds| *seconds > 0);
    let again = again.map(|seconds| format!(" ({})", duration(seconds)));
    let (label, kept, redone) = (&boundary.label, boundary.kept, boundary.redone);
    let text = match (kept, redone) {
        (Some(kept), Some(redone)) => {
            clean!("{}: {} kept, {} will run again", label, kept, redone)
        }
        (Some(kept), None) => clean!(
            "{}: at least {} kept, how much will run again is not known",
            label,
            kept
        ),
        (None, _) => clean!(
            "{}: how much is kept and will run again is not known",
            label
        ),
    };
    let head = tone.of(format!("{sign} {:<18} ", boundary.id.0));
    page.under(head, tone, clean!("{}{}", text, again.unwrap_or_default()));
}

/// What a person should know of a point besides its headline.
fn notes(point: &ResumePoint) -> Vec<(Tone, Clean)> {
    let boundary = &point.boundary;
    let mut notes = Vec::new();
    let mut say = |tone: Tone, text| notes.push((tone, text));
    let failing = match boundary.failing.as_slice() {
        [] => String::new(),
        failing => format!(" ({})", list(failing.iter().map(|(id, _)| id.0.as_str()))),
    };
    let verified = boundary.verified;
    let text = clean!("verified: {}{}", verified.word(), failing);
    say(verified.into(), text);
    if let CheckpointNeed::Found(checkpoint) = &boundary.checkpoint {
        let (reason, id) = (&checkpoint.reason, short_id(&checkpoint.id));
        say(Tone::Faint, clean!("checkpoint {} ({})", reason, id));
    }
    if let Readiness::Blocked(why) = &point.readiness {
        for why in why {
            say(Tone::Bad, why.clean());
        }
    }
    if point.recommended {
        say(Tone::Good, clean!("recommended: {}", point.reason));
    } else if !point.reason.is_empty() {
        say(Tone::Faint, point.reason.clean());
    }
    let warnings = boundary.warnings.iter();
    warnings.for_each(|warning| say(Tone::Warn, warning.clean()));
    notes
}
