//! A session as a front end sees it.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use chrono::DateTime;

use super::folder::{DISPATCH, HANDOFF, MANIFEST, TREE};
use super::header;
use super::own_paths::OwnPaths;
use super::record::Record;
use super::run_log::file_name;
use super::steps::{Step, Steps};
use crate::model::{Handoff, ReplayPlan, ReplaySession, SessionState};
use crate::text::Shown as _;
use crate::text::format::count;

/// What a record says of its session. Nothing is counted yet.
pub(super) fn of(folder: &Path, record: &Record, state: SessionState) -> ReplaySession {
    let plan = record.plan();
    let (tree, manifest) = if plan.ask.in_place {
        let work_tree = plan.experiment.work_tree.clone();
        (work_tree, plan.experiment.manifest.clone())
    } else {
        (Some(folder.join(TREE)), folder.join(MANIFEST))
    };
    let swaps = plan.mutations.iter();
    ReplaySession {
        id: record.id.clone(),
        place: record.place(),
        pipeline: plan.pipeline.clone(),
        repeat: record.repeat,
        group: record.group.clone(),
        state,
        folder: Some(folder.to_owned()),
        tree,
        manifest,
        start: plan.begin().map(|start| start.point.clone()),
        mutations: swaps.map(|swap| swap.mutation.text()).collect(),
        runner: plan.runner.map(|runner| runner.name).unwrap_or_default(),
        in_place: plan.ask.in_place,
        started_at: Some(record.begun_at),
        trouble: record.left_out.clone(),
        ..ReplaySession::default()
    }
}

/// How a person continues with the rest: which directory to use, what to read in which order, and what to write down.
/// The prompt names the file in the session's folder that says so.
pub(super) fn handoff(
    about: &ReplaySession,
    plan: &ReplayPlan,
    steps: &Steps,
    own_paths: &OwnPaths,
) -> Handoff {
    let cwd = about.tree.clone().unwrap_or_default();
    let dir = dispatch_dir(about, plan);
    let left = steps.all.iter().filter(|step| !step.has_ended());
    let left: Vec<_> = left
        .filter_map(|step| Some((step.last.as_ref()?.seq, step)))
        .collect();
    let Some((first, _)) = left.first() else {
        return Handoff::default();
    };
    let all = count(left.len(), "dispatch");
    let mut briefing = format!(
        "Run the {all} below in this order; those of one wave may run at the same time. Give each to a new agent with \
         the words after its wave, and skip one whose end {} already records.\n",
        about.manifest.shown()
    );
    for (seq, step) in &left {
        let prompt = prompt(
            about,
            plan,
            step,
            &dir.join(file_name(*seq, step)),
            own_paths,
        );
        let _ = writeln!(briefing, "wave {}: {prompt}", step.wave + 1);
    }
    let _ = writeln!(
        briefing,
        "When one has ended, append a line to {} with the number of its file:\n\
         {{\"seq\":{first},\"status\":\"completed\",\"duration_s\":60,\"summary\":\"What was done\"}}\n\
         Its status is completed, failed or error. The summary of a review or of a test begins with PASS or FAIL.",
        about.manifest.shown()
    );
    let planned = plan.handoff.as_ref();
    let argv = planned.map_or_else(Vec::new, |handoff| handoff.argv.clone());
    let prompt = format!(
        "Run the {all} of this replay in the directory {}.",
        cwd.shown()
    );
    let handoff = Handoff::new(cwd, argv, prompt, briefing);
    match &about.folder {
        Some(folder) => handoff.briefed_by(&folder.join(HANDOFF)),
        None => handoff,
    }
}

/// Where the dispatch files are.
fn dispatch_dir(about: &ReplaySession, plan: &ReplayPlan) -> PathBuf {
    match (&about.folder, about.in_place) {
        (Some(folder), false) => folder.join(DISPATCH),
        _ => plan.experiment.dispatch_dir.clone().unwrap_or_default(),
    }
}

/// The pointer prompt, one line. A dispatch may name folders of the original, which are not to be touched: each is
/// said with the one to use instead.
pub(super) fn prompt(
    about: &ReplaySession,
    plan: &ReplayPlan,
    step: &Step,
    dispatch: &Path,
    own_paths: &OwnPaths,
) -> String {
    let tree = about.tree.clone().unwrap_or_default();
    let dir = dispatch_dir(about, plan);
    let mut text = format!(
        "Read the dispatch file {} and carry it out in the directory {}.",
        dispatch.shown(),
        tree.shown()
    );
    // The header's own folder is set anew and is no mention.
    let written = header::rewrite(&step.text, DateTime::UNIX_EPOCH.fixed_offset(), &dir);
    let written = own_paths.rewrite(&written);
    let folders = [
        (plan.experiment.work_tree.as_deref(), tree.as_path()),
        (plan.experiment.dispatch_dir.as_deref(), dir.as_path()),
    ];
    for (original, own) in folders {
        let named = |path: &&Path| {
            *path != own && memchr::memmem::find(&written, path.as_os_str().as_bytes()).is_some()
        };
        if let Some(original) = original.filter(named) {
            let (original, own) = (original.to_string_lossy(), own.to_string_lossy());
            text += &[" Where it names ", &original, ", use ", &own, " instead."].concat();
        }
    }
    text
}
