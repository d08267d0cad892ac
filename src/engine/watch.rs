//! Watching for the orchestrator's first new record, after a launch or while the person starts it elsewhere.
//! The position in each file is remembered; a look compares. Started after the plan was applied, so that what
//! relight wrote itself is no news.

use std::collections::HashMap;
use std::path::PathBuf;

use super::{Engine, Opened, Result};
use crate::model::{Foreign, LocalTime, Origin, PipelineId, Place, Resumed, Stamp, StepNews};
use crate::systems::kit::trails::{Record, Trail, TrailKind};
use crate::world::files::Files;

/// Bytes before the end of a log that tell whether it only grew.
const CHECK: u64 = 4 << 10;
/// The most of a log's growth that one look reads, in bytes.
const GROWTH: usize = 4 << 20;
/// Bytes that are read at once where lines are counted.
const BLOCK: usize = 1 << 20;

/// The positions in a pipeline's records when the watch began.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Watch {
    pipeline: PipelineId,
    logs: HashMap<PathBuf, LogMark>,
    /// Keys of the records in state files, and how often each was there: a file that moves is no news.
    states: HashMap<String, usize>,
}

impl Watch {
    /// The pipeline that is watched.
    pub fn pipeline(&self) -> &PipelineId {
        &self.pipeline
    }
}

/// The position in a log when the watch began.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct LogMark {
    /// Where the next line begins: the end, or the first byte of a last line without its newline.
    next: u64,
    /// Lines before that.
    lines: u64,
    /// That last line, as far as it was written.
    torn: Vec<u8>,
    /// The bytes before `next`, at most [`CHECK`].
    before: Vec<u8>,
}

/// A new record, with where it was read.
struct New {
    record: Record,
    place: Place,
    line: Option<u64>,
}

impl Engine {
    /// Remembers the positions in the records of a pipeline.
    pub fn watch_start(&self, id: &PipelineId) -> Result<Watch> {
        let opened = self.recall(id)?;
        let mut watch = Watch {
            pipeline: id.clone(),
            logs: HashMap::new(),
            states: HashMap::new(),
        };
        for trail in opened.case.trails(self.world.as_ref()) {
            match trail.kind {
                TrailKind::Log => {
                    if let Some(mark) = mark(self.world.files(), &trail.place) {
                        watch.logs.insert(trail.place.path(), mark);
                    }
                }
                TrailKind::State => {
                    for record in self.records(&trail) {
                        *watch.states.entry(record.key).or_default() += 1;
                    }
                }
            }
        }
        Ok(watch)
    }

    /// Whether the orchestrator has written a record since. Reads only what grew; may be asked every second.
    pub fn watch_look(&self, watch: &Watch) -> Result<Resumed> {
        let opened = self.recall(&watch.pipeline)?;
        let mut news = self.news(&opened, watch);
        if news.is_empty() {
            return Ok(Resumed::No);
        }
        let mut step = StepNews::default();
        for new in &news {
            let said = new.record.step;
            step.done |= said.done;
            step.gate |= said.gate;
            step.error |= said.error;
            step.phase_done |= said.phase_done;
        }
        let first = news.swap_remove(0);
        let origin = Origin {
            file: first.place.path(),
            line: first.line,
        };
        Ok(Resumed::Yes {
            text: Foreign::from(first.record.text.as_bytes()),
            at: first.record.at.or_else(|| self.written(&first.place)),
            origin,
            step,
        })
    }

    /// Every record that was not there when the watch began, in the order of the system's files.
    fn news(&self, opened: &Opened, watch: &Watch) -> Vec<New> {
        let mut known = watch.states.clone();
        let mut news = Vec::new();
        let nothing = LogMark::default();
        for trail in opened.case.trails(self.world.as_ref()) {
            match trail.kind {
                TrailKind::Log => {
                    let mark = watch.logs.get(&trail.place.path()).unwrap_or(&nothing);
                    let zone = self.world.clock();
                    news.extend(grown(self.world.files(), &trail, mark, zone));
                }
                TrailKind::State => {
                    for record in self.records(&trail) {
                        match known.get_mut(&record.key).filter(|left| **left > 0) {
                            Some(left) => *left -= 1,
                            None => news.push(New {
                                line: record.line,
                                record,
                                place: trail.place.clone(),
                            }),
                        }
                    }
                }
            }
        }
        news
    }

    /// The records of a state file; none while it is not there or being written.
    fn records(&self, trail: &Trail) -> Vec<Record> {
        let read = self.world.files().whole(&trail.place);
        read.map_or_else(
            |_| Vec::new(),
            |bytes| (trail.read)(&bytes, self.world.clock()),
        )
    }

    fn written(&self, place: &Place) -> Option<Stamp> {
        let stat = self.world.files().stat(place).ok()?;
        Some(Stamp::utc(stat.modified))
    }
}

/// The position in a log; `None` where it is not there.
fn mark(files: &dyn Files, place: &Place) -> Option<LogMark> {
    let size = files.stat(place).ok()?.size;
    let (mut at, mut lines, mut next) = (0, 0, 0);
    while at < size {
        let block = files.read_range(place, at, BLOCK).ok()?;
        if block.is_empty() {
            break;
        }
        for end in memchr::memchr_iter(b'\n', &block) {
            lines += 1;
            next = at + end as u64 + 1;
        }
        at += block.len() as u64;
    }
    let torn = usize::try_from(at - next).ok()?.min(BLOCK);
    Some(LogMark {
        next,
        lines,
        torn: files.read_range(place, next, torn).ok()?,
        before: before(files, place, next)?,
    })
}

/// The bytes before a place of a log.
fn before(files: &dyn Files, place: &Place, next: u64) -> Option<Vec<u8>> {
    let len = next.min(CHECK);
    files
        .read_range(place, next - len, usize::try_from(len).ok()?)
        .ok()
}

/// The new records of a log. One that was written anew instead of growing has news as a whole, of which the
/// last record is told.
fn grown(files: &dyn Files, trail: &Trail, mark: &LogMark, zone: &dyn LocalTime) -> Vec<New> {
    let same = before(files, &trail.place, mark.next).is_some_and(|now| now == mark.before);
    let (from, first, torn): (u64, u64, &[u8]) = if same {
        (mark.next, mark.lines, &mark.torn)
    } else {
        (0, 0, &[])
    };
    let Ok(bytes) = files.read_range(&trail.place, from, GROWTH) else {
        return Vec::new();
    };
    let mut news: Vec<New> = (first + 1..)
        .zip(bytes.split(|b| *b == b'\n'))
        .filter(|(number, line)| *number > first + 1 || torn.is_empty() || *line != torn)
        .flat_map(|(number, line)| {
            let records = (trail.read)(line, zone);
            records.into_iter().map(move |record| (number, record))
        })
        .map(|(number, record)| New {
            record,
            place: trail.place.clone(),
            line: Some(number),
        })
        .collect();
    if !same {
        news.drain(..news.len().saturating_sub(1));
    }
    news
}

#[cfg(test)]
mod tests;
