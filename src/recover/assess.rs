//! Weighs what the files claim against the signs of life.

use chrono::{DateTime, TimeDelta, Utc};

use crate::model::{
    Aliveness, Foreign, LifeEvidence, Liveness, Pipeline, PipelineId, Reading, SignVerdict,
    Standing, Status,
};
use crate::text::format::longest_unit;

/// Judges the evidence of life, with the sentences for it: what makes the verdict comes before what was found beside it.
pub fn liveness(evidence: &LifeEvidence, now: DateTime<Utc>) -> Liveness {
    let said = |verdict: SignVerdict| {
        let signs = evidence.signs.iter();
        let signs = signs.filter(move |s| s.verdict == verdict);
        signs.map(|s| s.text.clone())
    };
    let notes = said(SignVerdict::Note);
    let verdict = evidence.verdict(now);
    if verdict == Aliveness::Alive {
        let evidence = said(SignVerdict::Positive).chain(notes).collect();
        return Liveness { verdict, evidence };
    }
    let unreadable: Vec<Foreign> = said(SignVerdict::Unreadable).collect();
    let negative: Vec<Foreign> = said(SignVerdict::Negative).collect();
    let blind = unreadable.is_empty() && negative.is_empty();
    let silent = blind.then(|| Foreign::from("No source could be read."));
    let write = last_write(evidence, now);
    let (first, last) = if evidence.is_young(now) {
        (write, None)
    } else {
        (None, write)
    };
    let first = first.into_iter().chain(silent).chain(negative);
    let last = last.into_iter().chain(notes);
    Liveness {
        verdict,
        evidence: unreadable.into_iter().chain(first).chain(last).collect(),
    }
}

/// A sentence about the last write.
fn last_write(evidence: &LifeEvidence, now: DateTime<Utc>) -> Option<Foreign> {
    let at = evidence.newest_write()?;
    let what = if evidence.last_write == Some(at) {
        "The last write"
    } else {
        "The last write of a conversation in this project"
    };
    let age = now - at;
    if age < TimeDelta::zero() {
        let text = format!("{what} is dated in the future, so its age proves nothing.");
        return Some(text.into());
    }
    let quiet = TimeDelta::seconds(evidence.quiet_after_s);
    let old = longest_unit(age);
    let text = if evidence.is_young(now) {
        let quiet = longest_unit(quiet);
        format!(
            "{what} is {old} old; a pipeline counts as stopped only after {quiet} without a write."
        )
    } else {
        format!("{what} is {old} old.")
    };
    Some(text.into())
}

/// The status: positive evidence of life overrides a claim of having stopped.
pub fn standing(reading: &Reading, life: &LifeEvidence, now: DateTime<Utc>) -> Standing {
    let liveness = liveness(life, now);
    // A complete pipeline stays complete while its agent still runs: only a claim of having stopped is contradicted.
    let stopped = matches!(reading.claim.status, Status::Interrupted | Status::Waiting);
    let (status, reason) = if stopped && liveness.verdict == Aliveness::Alive {
        let reason = liveness.evidence.first().cloned().unwrap_or_default();
        (Status::Live, reason)
    } else {
        (reading.claim.status, reading.claim.reason.clone())
    };
    Standing {
        status,
        reason,
        liveness,
    }
}

/// The pipeline, judged by this evidence.
pub fn pipeline(
    reading: &Reading,
    life: &LifeEvidence,
    id: PipelineId,
    now: DateTime<Utc>,
) -> Pipeline {
    let mut read = reading.clone();
    read.badges.sort();
    read.badges.dedup();
    Pipeline {
        id,
        standing: standing(reading, life, now),
        reading: read,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LifeSign, SignKind};

    fn sign(verdict: SignVerdict) -> LifeSign {
        LifeSign::new(SignKind::Process, verdict, "x")
    }

    #[test]
    fn age_alone_never_proves_death() {
        use Aliveness::{Alive, Dead, Unknown};
        use SignVerdict::{Negative, Note, Positive, Unreadable};
        let now = DateTime::from_timestamp(1_000_000, 0).unwrap();
        let table: &[(&[SignVerdict], Option<i64>, Aliveness)] = &[
            (&[], Some(999_999_999), Unknown),
            (&[], None, Unknown),
            (&[Note], Some(9_999), Unknown),
            (&[Negative], Some(9_999), Dead),
            (&[Negative], None, Dead),
            (&[Negative, Note], Some(601), Dead),
            (&[Negative], Some(599), Unknown),
            (&[Negative], Some(-5), Unknown),
            (&[Negative, Unreadable], Some(9_999), Unknown),
            (&[Positive, Unreadable, Negative], Some(9_999_999), Alive),
            (&[Positive], None, Alive),
        ];
        for (signs, age, verdict) in table {
            let evidence = LifeEvidence {
                signs: signs.iter().map(|v| sign(*v)).collect(),
                last_write: age.map(|age| now - TimeDelta::seconds(age)),
                last_talk: None,
                quiet_after_s: 600,
                of_conversation: false,
            };
            assert_eq!(
                liveness(&evidence, now).verdict,
                *verdict,
                "{signs:?} {age:?}"
            );
        }
    }

    #[test]
    fn an_age_is_that_of_what_it_is_said_of() {
        let now = DateTime::from_timestamp(1_000_000, 0).unwrap();
        let ago = |hours| Some(now - TimeDelta::hours(hours));
        let table = [
            (ago(3), None, "The last write is 3 h old."),
            (ago(3), ago(5), "The last write is 3 h old."),
            (
                ago(5),
                ago(3),
                "The last write of a conversation in this project is 3 h old.",
            ),
        ];
        for (last_write, last_talk, expected) in table {
            let evidence = LifeEvidence {
                signs: vec![sign(SignVerdict::Negative)],
                last_write,
                last_talk,
                ..LifeEvidence::default()
            };
            let said = liveness(&evidence, now).evidence;
            assert_eq!(said, [Foreign::from("x"), expected.into()]);
        }
    }
}
