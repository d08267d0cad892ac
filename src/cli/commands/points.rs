//! `relight points`: the ladder, in order, the recommended rung marked.

use super::setup::Session;
use super::words::{duration, fact, short, under, verdict_tone};
use crate::clean;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone};
use crate::cli::args::Target;
use crate::cli::report::PointsReport;
use crate::model::{CheckpointNeed, Clean, Readiness, ResumePoint};

pub(super) fn run(session: &Session, target: &Target, width: usize) -> Result<Answer, Failure> {
    let dossier = super::readable(session, target)?;
    let mut lines: Vec<Line> = dossier
        .points
        .iter()
        .flat_map(|point| point_lines(point, width))
        .collect();
    if lines.is_empty() {
        let text = clean!(
            "There is nothing to resume: {}",
            dossier.pipeline.standing.reason
        );
        lines.extend(under(
            Span::plain(Clean::empty()),
            Tone::Plain,
            &text,
            width,
        ));
    } else {
        lines.push(vec![]);
        let id = &dossier.pipeline.id.0;
        for (key, line) in [
            ("look first", clean!("relight plan {} POINT", id)),
            ("do it", clean!("relight resume {} POINT", id)),
        ] {
            lines.extend(fact(key, Tone::Plain, &line, width));
        }
    }
    Ok(Answer::new(PointsReport::new(&dossier.points), lines))
}

fn point_lines(point: &ResumePoint, width: usize) -> Vec<Line> {
    let boundary = &point.boundary;
    let sign = if point.recommended { "▶ " } else { "  " };
    let tone = if point.recommended {
        Tone::Strong
    } else {
        Tone::Plain
    };
    let id = Clean::new(&format!("{sign}{:<18} ", boundary.id.0));
    let lost = boundary
        .time_lost_s
        .filter(|seconds| *seconds > 0)
        .map(|s| clean!(", {} spent again", duration(Some(s))))
        .unwrap_or_default();
    let facts = clean!(
        "{} — keeps {}, redoes {}{}",
        boundary.label,
        boundary.kept,
        boundary.redone,
        lost
    );
    let mut lines = under(Span(tone, id), tone, &facts, width);
    let mut say = |tone: Tone, text: &Clean| {
        lines.extend(under(
            Span::plain(Clean::new("                     ")),
            tone,
            text,
            width,
        ));
    };
    let verified = match boundary.failing.as_slice() {
        [] => clean!("verified: {}", boundary.verified.word()),
        failing => {
            let ids: Vec<&str> = failing.iter().map(|id| id.0.as_str()).collect();
            clean!(
                "verified: {} ({})",
                boundary.verified.word(),
                ids.join(", ")
            )
        }
    };
    say(verdict_tone(boundary.verified), &verified);
    if let CheckpointNeed::Found(checkpoint) = &boundary.checkpoint {
        let short = short(&checkpoint.id);
        say(
            Tone::Faint,
            &clean!("checkpoint {} ({})", checkpoint.reason, short),
        );
    }
    if let Readiness::Blocked(why) = &point.readiness {
        for why in why {
            say(Tone::Bad, &why.clean());
        }
    }
    if point.recommended {
        say(Tone::Good, &clean!("recommended: {}", point.reason));
    } else if !point.reason.is_empty() {
        say(Tone::Faint, &point.reason.clean());
    }
    boundary
        .warnings
        .iter()
        .for_each(|warning| say(Tone::Warn, &warning.clean()));
    lines
}
