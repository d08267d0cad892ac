//! Two copies of one manifest (format note, e.0): both are read, a copy that is the beginning of the other is
//! dropped, and of two that differ the one with more usable lines is taken.

use super::unusable;
use crate::model::{Finding, Origin, Place, Severity};
use crate::systems::crucible::shape::manifest::{BadLine, Manifest};
use crate::world::World;
use crate::world::files::Files;

/// Bytes compared at once.
const BLOCK: usize = 2 << 20;

/// Reads the copy to go by. `places` are in the note's order; of equals the last, which is the live one, wins.
pub(crate) fn read_best(
    places: &[Place],
    world: &dyn World,
    findings: &mut Vec<Finding>,
) -> Option<Manifest> {
    let mut kept: Vec<(Place, u64)> = Vec::new();
    for place in places {
        let size = match world.files().stat(place) {
            Ok(stat) => stat.size,
            Err(error) => {
                findings.push(unusable(place.path(), error));
                continue;
            }
        };
        if kept
            .iter()
            .any(|(longer, len)| size < *len && begins(world.files(), longer, place, size))
        {
            continue;
        }
        kept.retain(|(shorter, len)| *len > size || !begins(world.files(), place, shorter, *len));
        kept.push((place.clone(), size));
    }
    let mut best: Option<Manifest> = None;
    let several = kept.len() > 1;
    for (place, _) in &kept {
        match Manifest::read(world.files(), place) {
            Ok(manifest) => {
                let better = best
                    .as_ref()
                    .is_none_or(|b| manifest.rows.len() >= b.rows.len());
                if better {
                    best = Some(manifest);
                }
            }
            Err(error) => findings.push(unusable(place.path(), error)),
        }
    }
    let best = best?;
    if several {
        findings.push(diverging(&best, &kept));
    }
    findings.extend(bad_lines(&best));
    Some(best)
}

fn diverging(best: &Manifest, kept: &[(Place, u64)]) -> Finding {
    let others: Vec<String> = kept
        .iter()
        .filter(|(place, _)| *place != best.place)
        .map(|(place, _)| place.path().display().to_string())
        .collect();
    Finding::new(
        Severity::Warn,
        "diverging-copies",
        Origin::file(best.path()),
        format!(
            "The copies of this manifest differ; this one has the most usable lines. The other: {}.",
            others.join(", ")
        ),
    )
}

/// True where the first `len` bytes of both are the same.
fn begins(files: &dyn Files, whole: &Place, part: &Place, len: u64) -> bool {
    let mut at = 0;
    while at < len {
        let want = usize::try_from(len - at).unwrap_or(usize::MAX).min(BLOCK);
        let (Ok(a), Ok(b)) = (
            files.read_range(whole, at, want),
            files.read_range(part, at, want),
        ) else {
            return false;
        };
        if a != b || a.len() < want {
            return false;
        }
        at += want as u64;
    }
    true
}

/// A finding for each line that was skipped, as far as they are kept one by one.
fn bad_lines(manifest: &Manifest) -> Vec<Finding> {
    let one = |bad: &BadLine| {
        let (severity, code) = if bad.torn {
            (Severity::Info, "torn-line")
        } else {
            (Severity::Warn, "bad-line")
        };
        let origin = Origin::line(manifest.path(), bad.number);
        Finding::new(
            severity,
            code,
            origin,
            format!("This line is skipped: {}.", bad.why),
        )
    };
    let mut all: Vec<Finding> = manifest.bad.iter().map(one).collect();
    let left = manifest.bad_count.saturating_sub(manifest.bad.len() as u64);
    if left > 0 {
        all.push(Finding::new(
            Severity::Warn,
            "bad-line",
            Origin::file(manifest.path()),
            format!("{left} more lines are skipped."),
        ));
    }
    if manifest.rows.is_empty() {
        all.push(Finding::new(
            Severity::Error,
            "empty-manifest",
            Origin::file(manifest.path()),
            "Manifest is empty or entirely corrupted. Cannot resume.",
        ));
    }
    all
}
