//! Several copies of one manifest: all are read, a copy that is a prefix of another is dropped, and of differing copies
//! the one with more usable lines is used.

use std::path::PathBuf;

use super::unusable;
use crate::model::{Finding, Origin, Place, Severity};
use crate::systems::crucible::shape::Manifest;
use crate::systems::crucible::shape::manifest::BadLine;
use crate::systems::kit::odd_files::{OddFile, odd_file};
use crate::text::Shown as _;
use crate::text::format::{count_of, list};
use crate::world::World;
use crate::world::files::{Files, ReadError};

/// How many bytes are compared at once.
const BLOCK: usize = 2 << 20;

/// Reads the copy to use. Of equal ones the last wins, which is the live one, because durable copies come first.
pub(crate) fn read_best(
    places: &[Place],
    world: &dyn World,
    findings: &mut Vec<Finding>,
) -> (Option<Manifest>, Option<(PathBuf, OddFile)>) {
    let mut unread = None;
    let mut odd = |place: &Place, error: &ReadError| {
        let found = odd_file(place, error, world).map(|odd| (place.path(), odd));
        unread = unread.take().or(found);
        findings.push(unusable(place.path(), error));
    };
    let mut kept: Vec<(Place, u64)> = Vec::new();
    for place in places {
        let begin = world.files().read_range(place, 0, 1);
        let size = match begin.and_then(|_| world.files().stat(place)) {
            Ok(stat) => stat.size,
            Err(error) => {
                odd(place, &error);
                continue;
            }
        };
        let mut known = kept.iter();
        if known.any(|(longer, len)| size < *len && begins(world.files(), longer, place, size)) {
            continue;
        }
        kept.retain(|(shorter, len)| *len > size || !begins(world.files(), place, shorter, *len));
        kept.push((place.clone(), size));
    }
    let read = kept.iter().filter_map(|(place, _)| {
        let read = Manifest::read(world.files(), place);
        read.map_err(|error| odd(place, &error)).ok()
    });
    let Some(best) = read.max_by_key(|manifest| manifest.rows.len()) else {
        return (None, unread);
    };
    if kept.len() > 1 {
        findings.push(diverging(&best, &kept));
    }
    findings.extend(bad_lines(&best));
    (Some(best), unread)
}

fn diverging(best: &Manifest, kept: &[(Place, u64)]) -> Finding {
    let others = kept.iter().filter(|(place, _)| *place != best.place);
    let others = others.map(|(place, _)| place.path().shown().to_string());
    let text = format!(
        "The copies of this manifest differ; this one has the most usable lines. The others: {}.",
        list(others)
    );
    let origin = Origin::file(best.path());
    Finding::warn("diverging-copies", origin, text)
}

/// True if the first `len` bytes of both are equal.
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

/// A finding for each skipped line, up to the limit.
fn bad_lines(manifest: &Manifest) -> Vec<Finding> {
    let one = |bad: &BadLine| {
        let (severity, code) = if bad.torn {
            (Severity::Info, "torn-line")
        } else {
            (Severity::Warn, "bad-line")
        };
        let origin = Origin::line(manifest.path(), bad.number);
        let text = format!("This line is skipped: {}.", bad.why);
        Finding::new(severity, code, origin, text)
    };
    let mut all: Vec<Finding> = manifest.bad.iter().map(one).collect();
    let file = || Origin::file(manifest.path());
    let left = manifest.bad_count.saturating_sub(manifest.bad.len() as u64);
    if left > 0 {
        let text = count_of(left, "more line is skipped.", "more lines are skipped.");
        all.push(Finding::warn("bad-line", file(), text));
    }
    if manifest.rows.is_empty() {
        let text = "Manifest is empty or entirely corrupted. Cannot resume.";
        all.push(Finding::error("empty-manifest", file(), text));
    }
    all
}

/// True if the copies of the manifest differ in length.
pub(crate) fn differ(places: &[Place], world: &dyn World) -> bool {
    let stats = places
        .iter()
        .filter_map(|place| world.files().stat(place).ok());
    let mut sizes = stats.map(|stat| stat.size);
    let first = sizes.next();
    sizes.any(|size| Some(size) != first)
}
