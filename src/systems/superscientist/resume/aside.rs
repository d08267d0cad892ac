//! What is renamed out of the way before work is done again: output folders, and markers of an earlier attempt
//! (format note, section g).

use crate::model::{Place, Step};
use crate::systems::superscientist::facts::Facts;
use crate::systems::superscientist::files::Stage;
use crate::systems::superscientist::paths;
use crate::world::World;
use crate::world::files::FileKind;

/// A stage's output folder, renamed to the lowest unused `.v<k>`.
pub(super) fn folder(facts: &Facts, stage: &Stage, world: &dyn World) -> Option<Step> {
    let folder = stage.folder()?;
    let place = Place::known(&facts.wf, folder).ok()?;
    let stat = world.files().stat(&place).ok()?;
    (stat.kind == FileKind::Dir).then(|| Step::MoveAside {
        from: place.path(),
        to: facts.wf.join(facts.unused(folder)),
        summary: format!("Keeps the outputs of {folder}, its done marker with them.").into(),
    })
}

/// The done marker and the exit code of an earlier attempt, renamed in their folder.
pub(super) fn markers(facts: &Facts, stage: &Stage, world: &dyn World) -> Vec<Step> {
    let files = match (&stage.job, stage.folder()) {
        (Some(job), _) => [job.done_marker.clone(), job.exit_code_file.clone()],
        (None, Some(folder)) => {
            ["DPDISP_DONE", "DPDISP_EXIT_CODE"].map(|n| format!("{folder}/{n}"))
        }
        (None, None) => return Vec::new(),
    };
    files
        .iter()
        .filter_map(|path| paths::beneath(&facts.wf, path).ok())
        .filter(|place| world.files().exists(place))
        .filter_map(|place| {
            let from = place.path();
            let name = from.file_name()?.to_owned();
            let free = (1_u32..1000).find_map(|k| {
                let mut kept = name.clone();
                kept.push(format!(".v{k}"));
                let to = from.with_file_name(kept);
                let rel = to.strip_prefix(&facts.wf).ok()?;
                let there =
                    Place::known(&facts.wf, rel).is_ok_and(|p| world.files().stat(&p).is_ok());
                (!there).then_some(to)
            })?;
            Some(Step::MoveAside {
                from,
                to: free,
                summary: "Keeps what an earlier attempt left, so that no wait ends at once.".into(),
            })
        })
        .collect()
}
