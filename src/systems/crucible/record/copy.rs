//! The durable copy of a dispatch folder. Crucible makes one only at the end, so a restart that clears /tmp deletes the
//! manifest of a running build; every recorded dispatch updates this copy.

use std::path::{Path, PathBuf};

use crate::model::{Place, Result, Step};
use crate::systems::crucible::facts::{MARK, Sources};
use crate::systems::crucible::record::MANIFEST;
use crate::systems::crucible::shape::manifest::file_seq;
use crate::systems::kit::forms::{Ask, append, replace};
use crate::world::files::file_names;

/// The text of the mark for a person who finds it.
const MARK_TEXT: &[u8] =
    b"relight keeps this copy while the run continues. It does not mean that the run ended.\n";

/// The folder of a run's copy, if its scratch folder is known.
pub(super) fn folder(found: &Sources, session: &str) -> Option<PathBuf> {
    found.scratch().map(|scratch| scratch.join(name(session)))
}

/// The steps that begin the copy of a new run; none if there is a copy already.
pub(super) fn begin(ask: &Ask<'_>, scratch: &Path) -> Vec<Step> {
    let copy = scratch.join(name(&ask.site.key));
    if copy == ask.site.dir || ask.world.files().exists(&Place::root(&copy)) {
        return Vec::new();
    }
    let what = "The durable copy of the manifest.";
    vec![
        marked(&copy),
        replace(copy.join(MANIFEST), None, Vec::new(), what),
    ]
}

fn marked(copy: &Path) -> Step {
    let what = "The mark of the durable copy.";
    replace(copy.join(MARK), None, MARK_TEXT.to_vec(), what)
}

fn name(session: &str) -> String {
    format!("crucible-dispatch-{session}")
}

/// Whether relight keeps a copy: only such a copy is written.
pub(super) fn is_marked(ask: &Ask<'_>, copy: &Path) -> Result<bool> {
    Ok(ask.read(&copy.join(MARK))?.is_some())
}

/// The names of the dispatch files in a folder.
pub(super) fn dispatch_files(ask: &Ask<'_>, dir: &Path) -> Vec<String> {
    let listing = ask.world.files().list(&Place::root(dir));
    file_names(listing.unwrap_or_default())
        .filter(|name| file_seq(name).is_some())
        .collect()
}

/// Adds the line and each new dispatch file to the copy. `manifest` is the manifest before the line.
pub(super) fn keep(
    ask: &Ask<'_>,
    found: &Sources,
    manifest: &[u8],
    line: &str,
    new: Option<(&str, &[u8])>,
) -> Result<Vec<Step>> {
    let Some(copy) = folder(found, &ask.site.key).filter(|copy| *copy != ask.site.dir) else {
        return Ok(Vec::new());
    };
    let mut steps = Vec::new();
    if !is_marked(ask, &copy)? {
        if ask.world.files().exists(&Place::root(&copy)) {
            // crucible's own copy is evidence of how the run ended.
            return Ok(Vec::new());
        }
        steps.push(marked(&copy));
    }
    let what = "The durable copy of the manifest.";
    let path = copy.join(MANIFEST);
    let old = ask.read(&path)?;
    steps.push(if old.as_deref() == Some(manifest) {
        append(&path, vec![line.to_owned()], what)
    } else {
        let torn = !manifest.is_empty() && !manifest.ends_with(b"\n");
        let heal: &[u8] = if torn { b"\n" } else { b"" };
        let whole = [manifest, heal, line.as_bytes(), b"\n"].concat();
        replace(&path, old, whole, what)
    });
    let known = dispatch_files(ask, &copy);
    let what = "The durable copy of a dispatch file.";
    for name in dispatch_files(ask, &ask.site.dir) {
        if !known.contains(&name)
            && let Some(text) = ask.read(&ask.site.dir.join(&name))?
        {
            steps.push(replace(copy.join(name), None, text, what));
        }
    }
    if let Some((name, text)) = new {
        steps.push(replace(copy.join(name), None, text.to_vec(), what));
    }
    Ok(steps)
}
