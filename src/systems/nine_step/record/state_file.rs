//! The file actions of the points that change the state: the state file with its backup, or the backup put
//! back in place of a damaged file (format note, sections h and k).

use crate::model::{ClockStyle, Foreign, Guard, Intent, Step};
use crate::systems::nine_step::facts::{Facts, Source};
use crate::systems::nine_step::record::{self, Change};
use crate::systems::nine_step::sentence;
use crate::systems::nine_step::shape::Doc;

/// Writes a changed state, or says why it cannot be.
pub(crate) fn state(facts: &Facts, change: &Change, intent: &mut Intent) {
    let Some((doc, base)) = target(facts) else {
        intent.losses.push(
            "There is no usable state file, so none is written: the briefing carries everything."
                .into(),
        );
        return;
    };
    let Some(state) = &facts.state else {
        return;
    };
    match record::apply(&base.bytes, state, change) {
        Ok(content) => {
            intent.guards.push(Guard::holds(
                "state_file",
                "The state file can be changed in place.",
            ));
            let clock = change.dates().then(|| dated(&base.bytes, intent));
            put(facts, doc, content, clock, &says(change), intent);
        }
        Err(why) => intent.guards.push(Guard::fails(
            "state_file",
            sentence(format!("The state file is not written: {why}.")),
            "The file is mended by hand.",
        )),
    }
}

fn says(change: &Change) -> String {
    match &change.resume_plan {
        Some((phase, step, _)) => format!(
            "The state then says: continue at phase {phase}, step {}. {} is replaced by the time of writing.",
            step.word(),
            record::NOW
        ),
        None => "The state then says how many phases there are.".to_owned(),
    }
}

/// The file to write and the bytes to start from: its own, or its backup's where it is damaged.
fn target(facts: &Facts) -> Option<(&Doc, &Doc)> {
    let doc = facts.doc()?;
    match facts.source {
        Source::State => Some((doc, doc)),
        Source::Backup => Some((doc, facts.backup.as_ref()?)),
        Source::Inferred => None,
    }
}

/// How the clock is written into new content; refused where the file itself holds the placeholder, because
/// whoever writes fills it in wherever it stands.
fn dated(old: &[u8], intent: &mut Intent) -> ClockStyle {
    if memchr::memmem::find(old, record::NOW.as_bytes()).is_some() {
        intent.guards.push(Guard::fails(
            "placeholder",
            sentence(format!(
                "The state file holds the text {} itself.",
                record::NOW
            )),
            "That text is removed from it by hand.",
        ));
    }
    ClockStyle::LocalNaive
}

/// The actions that give the state file new content and keep what it had. They belong into one transaction:
/// a new state without its `.backup` would break the format's own rule.
fn put(
    facts: &Facts,
    doc: &Doc,
    content: Vec<u8>,
    clock: Option<ClockStyle>,
    summary: &str,
    intent: &mut Intent,
) {
    if unreadable(doc) || facts.backup.as_ref().is_some_and(unreadable) {
        intent.guards.push(Guard::fails(
            "state_file",
            "The state file or its backup cannot be read, so what it holds could not be kept.",
            "Both are regular files that may be read.",
        ));
        return;
    }
    let old = doc.modified.map(|_| doc.bytes.clone());
    if let Some(old) = &old {
        intent.steps.push(keep(facts, doc, old.clone()));
    }
    intent.steps.push(Step::ReplaceFile {
        path: doc.path(),
        expect: old,
        content,
        clock,
        summary: sentence(summary),
    });
}

fn unreadable(doc: &Doc) -> bool {
    doc.content
        .as_ref()
        .is_err_and(|damage| damage.code == "unreadable-file")
}

/// The old state goes to `.backup`; a damaged one goes to a file of its own, because the backup is the good
/// copy then.
fn keep(facts: &Facts, doc: &Doc, old: Vec<u8>) -> Step {
    if facts.source == Source::State {
        return Step::ReplaceFile {
            path: doc.dir.join(format!("{}.backup", doc.name)),
            expect: facts.backup.as_ref().map(|backup| backup.bytes.clone()),
            content: old,
            clock: None,
            summary: "The state file as it is now, byte for byte.".into(),
        };
    }
    let when = doc
        .modified
        .map(|at| at.format("%Y%m%d_%H%M%S").to_string())
        .unwrap_or_default();
    Step::ReplaceFile {
        path: doc.dir.join(format!("{}.corrupt-{when}", doc.name)),
        expect: None,
        content: old,
        clock: None,
        summary: "The damaged state file, byte for byte; the time in its name is its last write."
            .into(),
    }
}

/// The backup's bytes become the state file.
pub(crate) fn from_backup(facts: &Facts, intent: &mut Intent) {
    let Some((doc, backup)) = facts.doc().zip(facts.backup.as_ref()) else {
        return;
    };
    let other = doc
        .state()
        .zip(backup.state())
        .is_some_and(|(new, old)| new.feature != old.feature);
    if other {
        intent.guards.push(Guard::fails(
            "backup",
            "The backup is of another feature.",
            "The backup names the same feature.",
        ));
    } else {
        intent
            .guards
            .push(Guard::holds("backup", "The backup is of this work."));
    }
    put(
        facts,
        doc,
        backup.bytes.clone(),
        None,
        "The state file is its backup again, byte for byte.",
        intent,
    );
    let lost: Foreign = "What was saved last is no longer in the state file.".into();
    intent.losses.push(lost);
}
