//! The records of an issue. The issue is named by the path of its state file, or by its number from anywhere in the
//! repository.

use std::path::{Path, PathBuf};

use crate::formats::json;
use crate::model::{Place, RecordOption};
use crate::systems::kit::forms::{Form, Recorder, Site};
use crate::systems::mgw::NAME;
use crate::systems::mgw::facts::branch::usual_tree;
use crate::systems::mgw::record::{lifecycle, step};
use crate::systems::mgw::shape::state_files::{is_folder, main_top, state_files};
use crate::systems::mgw::shape::{FOLDER, Home, Name};
use crate::text::is_digits;
use crate::world::World;

#[rustfmt::skip]
const FORMS: &[Form] = &[
    Form::new("step", "N|FILE --step triage|plan|execute|verify|pr [--stage STAGE] …",
        &["step", "action", "context", "progress", "artifact", "agent-output",
            "history", "stage", "linked-pr", "route", "approved-by"], step::write),
    Form::new("init", "N init --title TEXT [--url URL] [--label NAME…]",
        &["title", "url", "label"], lifecycle::init),
    Form::new("complete", "N|FILE complete", &[], lifecycle::complete),
    Form::new("dead-letter", "N|FILE dead-letter --failure-class CLASS",
        &["failure-class"], lifecycle::dead_letter),
    Form::new("retry", "N|FILE retry --failure-class transient, or N|FILE retry --approved-by NAME after a failure",
        &["failure-class", "approved-by"], lifecycle::retry),
];

#[rustfmt::skip]
const OPTIONS: &[RecordOption] = &[
    RecordOption::one("stage", "STAGE", "Move the issue to this stage"),
    RecordOption::one("action", "ACTION", "Replace the resume action (its context is empty without --context)"),
    RecordOption::pairs("context", "KEY=VALUE", "Replace the context of the resume action"),
    RecordOption::pairs("progress", "KEY=VALUE", "Merge into the progress of the step"),
    RecordOption::many("artifact", "PATH:TYPE", "Add an artifact: plan, summary, verification or commit"),
    RecordOption::one("agent-output", "PATH", "Set the output of the last agent"),
    RecordOption::many("history", "AGENT:OUTPUT", "Add the step to the history"),
    RecordOption::one("linked-pr", "N", "Set the pull request"),
    RecordOption::one("failure-class", "CLASS",
        "Name the class of the failure: transient, permanent, needs-info (retry, dead-letter)"),
    RecordOption::one("title", "TEXT", "Set the title (init)"),
    RecordOption::one("url", "URL", "Set the address of the issue (init)"),
    RecordOption::many("label", "NAME", "Add a label (init)"),
    RecordOption::one("route", "ROUTE", "Set the route"),
];

/// Instructions for the prompt of its orchestrator.
const PROMPT: &str = "Never write the issue's JSON file with node or jq. Call:
relight record N --step plan --stage planning --action spawn-executor --context plan_num=4
relight record N --step execute --stage executing --progress tasks_completed=2
relight checkpoint N --reason 'before verify'
relight record N complete";

/// How issues are recorded.
pub(crate) static RECORDER: Recorder = Recorder {
    heading: "mgw: record N|FILE --step STEP …",
    forms: FORMS,
    options: OPTIONS,
    prompt: PROMPT,
    at: at_path,
    named: Some(named),
};

fn at_path(path: &Path, _new: bool, world: &dyn World) -> Option<Site> {
    let name = Name::parse(path.file_name()?).filter(|name| !name.tmp)?;
    let home = path.parent()?;
    let folder = home.parent()?;
    Home::ALL
        .iter()
        .find(|known| home.ends_with(known.word()))?;
    (folder.file_name()? == FOLDER)
        .then(|| site(folder.parent()?, path.to_owned(), &name, world))?
}

fn named(word: &str, cwd: &Path, new: bool, world: &dyn World) -> Option<Site> {
    if !is_digits(word) {
        return None;
    }
    let top = cwd.ancestors().find(|top| {
        let git = Place::root(top.join(".git"));
        world.files().stat(&git).is_ok() || is_folder(world, top)
    })?;
    let top = main_top(world, top);
    let (path, name) = existing(&top, word, world).or_else(|| {
        // A number without a state file is an issue if the repository has others.
        let folder = Path::new(FOLDER).join(Home::Active.word());
        let path = top.join(folder).join(format!("{word}-.json"));
        let name = Name::parse(path.file_name()?)?;
        (new || is_folder(world, &top)).then_some((path, name))
    })?;
    site(&top, path, &name, world)
}

/// The state file of an issue in progress: the first one by name, as for the orchestrator.
fn existing(top: &Path, number: &str, world: &dyn World) -> Option<(PathBuf, Name)> {
    let files = state_files(world, top, false, |digits| digits == number);
    let file = files.into_iter().find(|file| !file.name.tmp)?;
    Some((file.path, file.name))
}

fn site(top: &Path, file: PathBuf, name: &Name, world: &dyn World) -> Option<Site> {
    let top = world.files().canonical(top)?;
    Some(Site {
        system: NAME,
        root: worktree(&top, &file, name, world).unwrap_or_else(|| top.clone()),
        dir: top,
        file,
        key: name.number.clone(),
    })
}

/// The worktree of the issue, which a recovery of it locks: in its usual place, or where git has the branch.
fn worktree(top: &Path, file: &Path, name: &Name, world: &dyn World) -> Option<PathBuf> {
    let recorded = || {
        let bytes = world.files().content(file.parent()?, file.file_name()?)?;
        let state = json::object(&bytes).ok()?;
        let branch = json::at_keys(&state, &["checkpoint", "resume", "context", "branch"])?;
        Some(branch.as_str()?.to_owned())
    };
    let usual = format!("issue/{}-{}", name.number, name.slug.lossy());
    for branch in [Some(usual), recorded()].into_iter().flatten() {
        let tree = usual_tree(top, &branch)?;
        if world.files().is_dir(&Place::root(&tree)) {
            return world.files().canonical(&tree);
        }
        // Few projects have worktrees elsewhere, and asking git costs more than the rest of a record.
        let linked = Place::root(top.join(".git/worktrees"));
        if world.files().stat(&linked).is_err() {
            continue;
        }
        let all = world.git().worktrees(top).unwrap_or_default();
        let mut linked = all.into_iter().filter(|tree| !tree.main);
        if let Some(tree) = linked.find(|tree| tree.branch.as_ref().is_some_and(|b| *b == *branch))
        {
            return Some(tree.path);
        }
    }
    None
}
