//! Keeps the runs of a replay apart from the original: paths in dispatches, the sandbox and environment of runners,
//! and the check that no run changed the original.

pub(crate) mod guard;
pub(crate) mod paths;
pub(crate) mod sandbox;

use std::path::{Path, PathBuf};

use crate::model::{NamedFolder, ReplayPlan, ReplayStep, RewrittenText, StepBody};
use crate::world::World;
use paths::{Folders, Spellings};

/// How often dispatches name the folders of the original, and what runs are sent instead. Their headers do not count:
/// those are written anew.
pub(crate) fn named(
    folders: Folders<'_>,
    home: Option<&Path>,
    steps: &[ReplayStep],
) -> (Vec<NamedFolder>, Vec<RewrittenText>) {
    let own = ["RUN/tree", "RUN/scratch", "RUN/dispatch"].map(|path| Some(Path::new(path)));
    let mut rewritten = Vec::new();
    let spellings = Spellings::of(folders, home);
    let mut counts = [(0, 0); 3];
    for step in steps {
        let StepBody::Ready(text) = &step.body else {
            continue;
        };
        let (_, body) = super::plan::header::split(text);
        let mentions = spellings.mentions(body);
        for (folder, (all, dispatches)) in counts.iter_mut().enumerate() {
            let of_it = mentions.iter().filter(|mention| mention.folder == folder);
            let of_it = of_it.count();
            *all += of_it;
            *dispatches += usize::from(of_it > 0);
        }
        if !mentions.is_empty() {
            rewritten.push(RewrittenText {
                seq: step.original.seq,
                before: body.to_vec(),
                after: spellings.rewrite(body, own),
            });
        }
    }
    let named = |(path, (mentions, dispatches)): (Option<&Path>, (usize, usize))| {
        Some(NamedFolder {
            path: path.filter(|_| mentions > 0)?.to_owned(),
            mentions,
            dispatches,
        })
    };
    (
        folders.into_iter().zip(counts).filter_map(named).collect(),
        rewritten,
    )
}

/// The folders of the original, each once: the project and its repository, the store of the checkpoint, the folders
/// of its notes and dispatches, and the plugin's templates. None is in another. No run may change anything in them.
fn of_the_original(plan: &ReplayPlan, world: &dyn World) -> Vec<PathBuf> {
    let experiment = &plan.experiment;
    let project = experiment.work_tree.as_deref();
    let repository = project.and_then(|tree| world.git().repo(tree).ok());
    let repository = repository.map(|facts| facts.common_dir);
    let checkpoint = plan.begin().and_then(|start| start.checkpoint.as_ref());
    let named = [
        project,
        repository.as_deref(),
        checkpoint
            .and_then(|checkpoint| checkpoint.kind.repository())
            .map(PathBuf::as_path),
        experiment.scratch_dir.as_deref(),
        experiment.dispatch_dir.as_deref(),
        experiment.manifest.parent(),
        plan.ask.templates.as_deref(),
    ];
    let templates = experiment.plugin_templates.iter().map(PathBuf::as_path);
    let named = named.into_iter().flatten().chain(templates);
    let mut all: Vec<PathBuf> = named
        .filter_map(|path| world.files().canonical(path))
        .collect();
    all.sort();
    // A folder comes right before what is in it.
    all.dedup_by(|inner, outer| inner.starts_with(outer));
    all
}
