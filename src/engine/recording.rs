//! Records: what an orchestrator reports while it runs. No discovery: the operand names the files.

mod interrupted;
mod ledger;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(super) use interrupted::InterruptedRecords;

use chrono::{DateTime, FixedOffset, SubsecRound as _};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Engine, EngineError, ErrorKind, Opened, Request, Result};
use crate::apply::disk::RealDisk;
use crate::apply::recording::Recording;
use crate::formats::stamp;
use crate::model::text::hex;
use crate::model::{
    Action, Badge, Cancel, Place, Preview, RecordAsk, Recorded, RecordedFile, Step, SystemName,
};
use crate::systems::kit::forms::{Ask, Form, Recorder, Site, Written, choose};
use crate::text::Shown as _;

/// How long a record waits for others.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

impl Engine {
    /// Records what an orchestrator did. Nothing is written unless it is valid. `cancel` stops it until the project is
    /// locked; afterwards it is finished.
    pub fn record(&self, ask: &RecordAsk, request: &Request, cancel: &Cancel) -> Result<Recorded> {
        let (recorder, site) = self.site(&ask.pipeline, &ask.words, request)?;
        let (form, words) = choose(recorder.forms, &ask.words)
            .ok_or_else(|| EngineError::new(ErrorKind::Bug, "The system has no forms."))?;
        let now = self.now();
        let at = self.record_time(ask, now)?;
        let form_ask = Ask {
            world: self.world.as_ref(),
            site: &site,
            form,
            words,
            values: &ask.values,
            at,
            dated: ask.at.is_some(),
        };
        form_ask.known_options()?;
        let record = Record {
            site: &site,
            form,
            ask,
            at,
            now,
        };
        if ask.dry_run {
            let written = (form.write)(&form_ask)?;
            let actions = changes(&written.steps);
            let files = self.written_files(&actions)?;
            return Ok(record.recorded(written, actions, files));
        }
        cancel.open();
        RealDisk::available().map_err(EngineError::refused)?;
        let place = self.write_place(site.root.clone())?;
        let disk = RealDisk::new();
        let context = place.context(self, &disk, cancel);
        let recording = Recording::begin(&context, PATIENCE)?;
        if recording.has_finished_another() {
            let same = recording.finished().and_then(|line| record.made_by(line));
            let again = recording.after_another(|| self.record(ask, request, cancel));
            // What was just finished may be this very record, which cannot be made twice.
            return again.or_else(|why| same.ok_or(why));
        }
        let ledger = recording.ledger(ask.once.is_some());
        let ledger = ledger.map_err(|why| unread(&why))?;
        if let Some(earlier) = self.earlier(&ledger, &record)? {
            return Ok(earlier);
        }
        let written = match (form.write)(&form_ask) {
            Ok(written) => written,
            Err(refusal) => return self.ended(&record)?.ok_or(refusal),
        };
        let actions = changes(&written.steps);
        let files = self.written_files(&actions)?;
        let line = record.line(&self.caller(), &files, &written);
        let lasting = ask.once.is_some();
        recording.write(&actions, self.world.git(), &line, (at, lasting))?;
        Ok(record.recorded(written, actions, files))
    }

    /// The words with which a record of a pipeline can begin; of one that is not there yet, the word that begins it.
    pub fn record_words(
        &self,
        pipeline: &OsStr,
        request: &Request,
    ) -> impl Iterator<Item = &'static str> + use<> {
        let found = self.site(pipeline, &[], request).ok();
        let forms = found.map_or(&[][..], |(recorder, _)| recorder.forms);
        let begins = forms.is_empty().then_some("init");
        // The first form needs no word.
        let words = forms.iter().skip(1).map(|form| form.name);
        begins.into_iter().chain(words)
    }

    /// The system and the files that the operand means.
    pub(super) fn site(
        &self,
        pipeline: &OsStr,
        words: &[String],
        request: &Request,
    ) -> Result<(&'static Recorder, Site)> {
        let wanted = |name: &SystemName| request.system.as_deref().is_none_or(|one| one == name.0);
        let systems = self.systems.iter().filter(|system| wanted(&system.name()));
        let recorders: Vec<_> = systems.filter_map(|system| system.recorder()).collect();
        let world = self.world.as_ref();
        let first = |path: &Path, new: bool| {
            let mut all = recorders.iter();
            all.find_map(|one| Some((*one, (one.at)(path, new, world)?)))
        };
        let real = self.real_path(&request.cwd.join(pipeline));
        let typed = pipeline.to_str().unwrap_or_default();
        let new = request.system.is_some();
        let named = || {
            let named = |one: &'static Recorder| one.named?(typed, &request.cwd, new, world);
            let mut all = recorders.iter();
            all.find_map(|one| Some((*one, named(one)?)))
        };
        // Named with its system, a place may still be empty.
        let begun = || new.then(|| first(&real, true)).flatten();
        let known = first(&real, false).or_else(named).or_else(begun);
        if let Some(found) = known {
            return Ok(found);
        }
        let id = self.select(pipeline, request).map_err(|error| {
            let begins = !new && words.first().is_some_and(|word| word == "init");
            let hint = "A new pipeline needs the name of its system: --system NAME";
            if begins { error.hint(hint) } else { error }
        })?;
        let opened = self.recall(&id)?;
        if opened.case.is_read_only() {
            return Err(opened.read_only("records nothing for"));
        }
        let files = &opened.case.reading().state_files;
        let mut found = files.iter().filter_map(|file| first(file, false));
        // Its system is known without being named, so that its first file need not exist.
        let first_file = || self.first_file(&opened);
        if let Some(found) = found.next().or_else(first_file) {
            return Ok(found);
        }
        let unread = files.iter().find_map(|file| {
            let why = self.world.files().whole(&Place::of(file)?).err()?;
            Some(format!("{} cannot be read: {why}.", file.shown()))
        });
        if let Some(text) = unread {
            return Err(EngineError::unreadable(text));
        }
        let text = format!("{id} has no state file to record in.");
        Err(EngineError::new(ErrorKind::NotFound, text)
            .hint("Name the path of its state file or of its directory."))
    }

    /// Where the first record of a pipeline without a state file goes.
    fn first_file(&self, opened: &Opened) -> Option<(&'static Recorder, Site)> {
        let reading = opened.case.reading();
        let dir = reading.work_tree.as_ref()?;
        let begins = reading.badges.contains(&Badge::NoStateFile);
        let mut all = self.systems.iter();
        let own = all.find(|one| one.name() == reading.system)?;
        let recorder = own.recorder().filter(|_| begins)?;
        Some((recorder, (recorder.at)(dir, true, self.world.as_ref())?))
    }

    /// A path with the links of its folder resolved, and of the file where it exists.
    pub(super) fn real_path(&self, path: &Path) -> PathBuf {
        let files = self.world.files();
        let in_folder = || Some(files.canonical(path.parent()?)?.join(path.file_name()?));
        let real = files.canonical(path).or_else(in_folder);
        real.unwrap_or_else(|| path.to_owned())
    }

    /// Now, or the time that was given.
    fn record_time(
        &self,
        ask: &RecordAsk,
        now: DateTime<FixedOffset>,
    ) -> Result<DateTime<FixedOffset>> {
        let Some(text) = &ask.at else {
            // No format writes more than milliseconds.
            return Ok(now.trunc_subsecs(3));
        };
        let at = stamp::parse(text, self.world.clock()).ok_or_else(|| {
            EngineError::usage("--at is not a time.").hint("For example 2026-11-22T10:48:00+01:00")
        })?;
        if at.at > now {
            return Err(EngineError::refused("--at is in the future."));
        }
        Ok(at.at.with_timezone(now.offset()))
    }

    /// The files that actions write, with the digests before and after.
    fn written_files(&self, actions: &[Action]) -> Result<Vec<RecordedFile>> {
        let mut files = Vec::new();
        for action in actions {
            let now = self.current_content(&action.target)?;
            let after = match &action.preview {
                Preview::Content { after, .. } => Some(after.clone()),
                Preview::Lines { appended, .. } => {
                    let lines = appended.iter();
                    let lines = lines.flat_map(|line| [line.as_bytes(), b"\n"].concat());
                    let block: Vec<u8> = lines.collect();
                    let old = now.as_deref().unwrap_or_default();
                    Some(crate::apply::appends::after(old, &block))
                }
                Preview::Rename { to } => {
                    files.push(RecordedFile {
                        path: to.clone(),
                        before: None,
                        after: now.as_deref().map(digest),
                    });
                    None
                }
                Preview::Rows { .. }
                | Preview::Tree { .. }
                | Preview::Appended { .. }
                | Preview::Kept { .. } => continue,
            };
            files.push(RecordedFile {
                path: action.target.clone(),
                before: now.as_deref().map(digest),
                after: after.as_deref().map(digest),
            });
        }
        Ok(files)
    }

    /// The process that called relight.
    pub(super) fn caller(&self) -> Value {
        let pid = std::os::unix::process::parent_id();
        let name = Place::known(format!("/proc/{pid}"), "comm").ok();
        let name = name.and_then(|place| self.world.files().read(&place, 64).ok());
        let name = name.map(|name| String::from_utf8_lossy(name.trim_ascii()).into_owned());
        json!({"pid": pid, "program": name})
    }

    pub(super) fn current_content(&self, path: &Path) -> Result<Option<Vec<u8>>> {
        let Some(place) = Place::of(path) else {
            return Ok(None);
        };
        // A folder that is moved has no content of its own.
        if self.world.files().is_dir(&place) {
            return Ok(None);
        }
        self.side_of(&place)
    }
}

fn unread(why: &std::io::Error) -> EngineError {
    let text = format!("The list of records cannot be read: {why}.");
    EngineError::unreadable(text)
}

/// What the steps of a record change.
fn changes(steps: &[Step]) -> Vec<Action> {
    steps.iter().filter_map(Step::change).cloned().collect()
}

fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// One record, as the ledger knows it.
struct Record<'a> {
    site: &'a Site,
    form: &'a Form,
    ask: &'a RecordAsk,
    at: DateTime<FixedOffset>,
    now: DateTime<FixedOffset>,
}

impl Record<'_> {
    fn form(&self) -> String {
        format!("{} {}", self.site.system, self.form.name)
    }

    /// What makes two records equal.
    fn digest(&self) -> String {
        let ask = self.ask;
        let all = json!([self.form(), self.site.file, ask.words, ask.values, ask.at]);
        digest(all.to_string().as_bytes())
    }

    /// Its line in the ledger.
    fn line(&self, caller: &Value, files: &[RecordedFile], written: &Written) -> Vec<u8> {
        let file = |file: &RecordedFile| json!({"path": file.path, "before": file.before, "after": file.after});
        let files: Vec<Value> = files.iter().map(file).collect();
        let line = json!({
            "form": self.form(),
            "at": written.at.unwrap_or(self.at).to_rfc3339(),
            "written_at": self.now.to_rfc3339(),
            "caller": caller,
            "file": self.site.file.to_string_lossy(),
            "root": self.site.root.to_string_lossy(),
            "key": self.site.key,
            "files": files,
            "args": self.digest(),
            "once": self.ask.once,
            "seq": written.seq,
            "made": written.file,
            "next": written.next.as_ref().map(|next| json!([next.id, next.label, next.phase])),
        });
        format!("{line}\n").into_bytes()
    }

    fn recorded(
        &self,
        written: Written,
        actions: Vec<Action>,
        files: Vec<RecordedFile>,
    ) -> Recorded {
        Recorded {
            form: self.form(),
            at: written.at.unwrap_or(self.at),
            files,
            seq: written.seq,
            file: written.file,
            next: written.next,
            actions,
            repeated: false,
            notes: written.notes,
        }
    }
}
