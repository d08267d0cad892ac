//! The files that a running session writes. Their order makes a crash harmless: a dispatch file before the line that
//! names it, the output of a runner before the line that says how it ended.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;

use super::continuation::of_manifest;
use super::folder::{self, OUTPUTS, Out};
use super::line::Entry;
use super::steps::{Step, characters};
use super::{Session, header, summary, usage};
use crate::apply::disk::{Disk as _, RealDir, RealDisk, RealFile};
use crate::model::{DispatchStatus, Foreign, SessionId};
use crate::replay::run::{AgentReport, Begun, Book, Ended, Launch, RunStep};
use crate::text::Shown as _;
use crate::world::runner::{End, KEPT, Outcome};

/// The longest template's name in the name of a dispatch file; a file's name has at most 255 bytes.
const TEMPLATE: usize = 200;

/// There once the setup command of a session has succeeded.
pub(super) const SET_UP: &str = "setup.json";

/// What the setup command printed, among the outputs.
const SETUP_OUTPUT: &str = "setup.txt";

impl Book for Session<'_> {
    fn session(&self) -> Option<SessionId> {
        Some(self.about.id.clone())
    }

    fn setup(&mut self) -> io::Result<Option<(Vec<OsString>, Begun)>> {
        let words = self.plan.ask.isolation.setup.clone();
        if words.is_empty() || self.folder.has(SET_UP)? {
            return Ok(None);
        }
        let file = fresh(&self.folder.disk, &self.outputs, SETUP_OUTPUT)?;
        let vars = vec![("RELIGHT_RUN".into(), OsString::from(&self.about.id.0))];
        let begun = Begun {
            seq: 0,
            dispatch: self.dispatch.1.clone(),
            prompt: String::new(),
            tree: self.about.tree.clone().unwrap_or_default(),
            output: Box::new(self.output(file)),
            output_path: self.folder.path.join(OUTPUTS).join(SETUP_OUTPUT),
            launch: Launch {
                wrapper: self.wrapper.clone(),
                vars,
                tier: String::new(),
            },
        };
        Ok(Some((words, begun)))
    }

    fn set_up(&mut self, outcome: &Outcome) -> io::Result<bool> {
        if outcome.end == End::Exited(0) {
            self.folder.put(SET_UP, b"{\"schema\":1}\n")?;
            return Ok(true);
        }
        let how = match &outcome.end {
            End::Exited(status) => format!("it ended with status {status}"),
            End::Signalled(signal) => format!("it was ended by signal {signal}"),
            End::TimedOut => format!("it was stopped after {} s", outcome.took.as_secs()),
            End::Cancelled => "it was canceled".to_owned(),
            End::Missing(why) | End::NotStarted(why) => why.clone(),
        };
        let output = self.folder.path.join(OUTPUTS).join(SETUP_OUTPUT);
        self.closing.push(format!(
            "The setup command failed: {how}. Its output is in {}.",
            output.shown()
        ));
        Ok(false)
    }

    fn steps(&self) -> Vec<RunStep> {
        self.steps.all.iter().map(Step::run_step).collect()
    }

    fn begin(&mut self, step: usize, attempt: u32) -> io::Result<Begun> {
        let seq = self.steps.seq(step);
        let name = format!("{seq}.txt");
        self.ready_tree(step)?;
        let file = fresh(&self.folder.disk, &self.outputs, &name)?;
        self.dispatch_as(step, attempt)?;
        self.count();
        let tree = self.about.tree.clone().unwrap_or_default();
        let one = self.steps.get(step)?;
        let dispatch = self.dispatch.1.join(file_name(seq, one));
        Ok(Begun {
            seq,
            prompt: summary::prompt(&self.about, &self.plan, one, &dispatch, &self.own_paths),
            launch: self.launch(one),
            dispatch,
            tree,
            output: Box::new(self.output(file)),
            output_path: self.folder.path.join(OUTPUTS).join(name),
        })
    }

    fn report(&mut self, step: usize) -> io::Result<Option<AgentReport>> {
        let seq = self.steps.seq(step);
        let disk = &self.folder.disk;
        let name = format!("{seq}.txt");
        let output = disk.read(&self.outputs, OsStr::new(&name), KEPT)?;
        let Some(report) = AgentReport::of(&output) else {
            return Ok(None);
        };
        let of = self.steps.get(step)?.original.seq;
        let whole = format!("{seq}.report.txt");
        folder::put(disk, &self.outputs, whole.as_ref(), &output)?;
        folder::put(disk, &self.outputs, name.as_ref(), report.text.as_bytes())?;
        usage::add(&self.folder, (seq, of), report.usage)?;
        Ok(Some(report))
    }

    fn cut_short(&mut self, step: usize, why: &str) {
        self.about.cut_short = true;
        if let Ok(one) = self.steps.get(step) {
            let of = one.original.seq;
            self.closing.push(format!(
                "The runner of dispatch {of} was {why}, so it has no result and is missing."
            ));
        }
    }

    fn end(&mut self, step: usize, ended: &Ended) -> io::Result<()> {
        let (disk, output) = (&self.folder.disk, format!("{}.txt", self.steps.seq(step)));
        if disk.look(&self.outputs, output.as_ref())?.is_some() {
            disk.harden(&self.outputs, output.as_ref())?;
        }
        let input_chars = self.steps.get(step)?.input_chars;
        self.append(step, input_chars, Some(ended))?;
        self.steps.ended(step, ended);
        self.count();
        Ok(())
    }
}

impl Session<'_> {
    /// What the runner of a step is started with: a person's own runner learns from the variables what it works on.
    fn launch(&self, step: &Step) -> Launch {
        let one = &step.original;
        let text = |text: &Foreign| OsString::from(text.as_path());
        let tier = one.model_tier.as_ref().or(one.model.as_ref());
        let or_empty = |known: Option<&Foreign>| known.map(text).unwrap_or_default();
        let place = self.about.place.as_ref();
        let arm = place.map_or("", |place| place.arm.word());
        let block = place.map_or_else(String::new, |place| place.block.to_string());
        let vars = [
            ("RELIGHT_RUN", OsString::from(&self.about.id.0)),
            ("RELIGHT_OUTPUT", self.folder.path.join(OUTPUTS).into()),
            ("RELIGHT_ARM", arm.into()),
            ("RELIGHT_BLOCK", block.into()),
            ("RELIGHT_ROLE", text(&one.role)),
            ("RELIGHT_PHASE", text(&one.phase)),
            ("RELIGHT_TASK", or_empty(one.task.as_ref())),
            ("RELIGHT_ORIGINAL_SEQ", one.seq.to_string().into()),
            ("RELIGHT_MODEL_TIER", or_empty(tier)),
        ];
        // A value with a NUL byte cannot be passed on.
        let vars = vars
            .into_iter()
            .filter(|(_, value)| !value.as_bytes().contains(&0));
        Launch {
            wrapper: self.wrapper.clone(),
            vars: vars.map(|(name, value)| (name.into(), value)).collect(),
            tier: tier.map_or_else(String::new, |tier| tier.lossy().into_owned()),
        }
    }

    /// Writes the dispatch file of a step and the line that says it was dispatched, as its first attempt.
    pub(super) fn dispatch(&mut self, step: usize) -> io::Result<()> {
        self.dispatch_as(step, 1)
    }

    fn dispatch_as(&mut self, step: usize, attempt: u32) -> io::Result<()> {
        let one = self.steps.get(step)?;
        let seq = self.steps.seq(step);
        let now = self.world.clock().now();
        let text = header::rewrite(&one.text, now, &self.dispatch.1);
        let text = self.own_paths.rewrite(&text);
        let name = file_name(seq, one);
        let disk = &self.folder.disk;
        // In place, a file of a number that this session has not given out is another's.
        let foreign = self.about.in_place && one.last.is_none();
        if foreign && disk.look(&self.dispatch.0, &name)?.is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        folder::put(disk, &self.dispatch.0, &name, &text)?;
        let input_chars = characters(&text);
        self.append(step, input_chars, None)?;
        self.steps.begun(step, input_chars, attempt);
        Ok(())
    }

    /// Appends the line that says that a step was dispatched, or how it ended.
    fn append(&self, step: usize, input_chars: u64, ended: Option<&Ended>) -> io::Result<()> {
        let (seq, one) = (self.steps.seq(step), self.steps.get(step)?);
        let name = file_name(seq, one);
        let entry = Entry {
            seq,
            file: &name.to_string_lossy(),
            original: &one.original,
            status: ended.map_or(DispatchStatus::Dispatched, |ended| ended.status),
            duration_s: ended.map(|ended| ended.duration_s),
            summary: ended.map(|ended| &ended.summary),
            input_chars,
            output_chars: ended.map(|ended| ended.output_chars),
            session: &self.about.id,
            mutation: one.mutation.as_ref(),
        };
        let too_long = || io::Error::other("the manifest's line would be longer than 4095 bytes");
        let line = entry.line().ok_or_else(too_long)?;
        self.manifest
            .append(&line)
            .map_err(|error| of_manifest(&error))
    }

    /// What a runner prints, on its way to the disk.
    fn output(&self, file: RealFile) -> Out {
        let disk = self.folder.disk.clone();
        Out { disk, file }
    }
}

/// The name of a dispatch file: one plain component, whatever the template is called.
pub(super) fn file_name(seq: u64, step: &Step) -> OsString {
    let template = step.original.template.lossy();
    let plain = |sign: char| match sign {
        '/' | '\\' => '-',
        sign if sign.is_control() => '-',
        sign => sign,
    };
    let mut name = format!("{seq}-");
    for sign in template.chars().map(plain) {
        if name.len() + sign.len_utf8() > TEMPLATE {
            break;
        }
        name.push(sign);
    }
    name.push_str(".md");
    name.into()
}

/// A file for what a runner prints. What an earlier attempt printed is kept under another name.
fn fresh(disk: &RealDisk, dir: &RealDir, name: &str) -> io::Result<RealFile> {
    let at = OsStr::new(name);
    if disk.look(dir, at)?.is_some() {
        for number in 1_u32.. {
            let older = format!("{}.{number}.txt", name.trim_end_matches(".txt"));
            if disk.look(dir, OsStr::new(&older))?.is_none() {
                disk.shift((dir, at), (dir, OsStr::new(&older)))?;
                break;
            }
        }
    }
    disk.create(dir, at, 0o600)
}
