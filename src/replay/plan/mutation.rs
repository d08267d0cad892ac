//! Which dispatches a mutation applies to, and the text it inserts.

use std::path::Path;

use super::templates::Library;
use crate::foreign;
use crate::model::{
    Dispatch, EngineError, Foreign, Mutation, Place, ReplayPart, ReplayStep, Result,
};
use crate::world::World;
use crate::world::files::ReadError;

/// The largest template, in bytes.
pub(super) const CAP: u64 = 1 << 20;

/// A mutation with the text of its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Loaded {
    /// What was asked.
    pub(super) mutation: Mutation,
    /// The replacement's text.
    pub(super) text: Vec<u8>,
}

/// The two names that a template's file may have.
pub(super) fn file_names(template: &Foreign) -> [Vec<u8>; 2] {
    let named = |end: &[u8]| [template.as_bytes(), end].concat();
    [named(b"-prompt.md"), named(b".md")]
}

/// Whether a mutation's original is the template of a dispatch.
pub(super) fn matches(mutation: &Mutation, dispatch: &Dispatch) -> bool {
    file_names(&dispatch.template)
        .iter()
        .any(|name| name == mutation.original.as_bytes())
}

/// Reads the replacements. Each original is a bare name and is named once.
pub(super) fn load(asked: &[Mutation], world: &dyn World) -> Result<Vec<Loaded>> {
    let mut loaded: Vec<Loaded> = Vec::with_capacity(asked.len());
    for mutation in asked {
        let text = usable(mutation, &loaded, world)
            .map_err(|refused| refused.about(ReplayPart::Mutation(mutation.original.clone())))?;
        loaded.push(Loaded {
            mutation: mutation.clone(),
            text,
        });
    }
    Ok(loaded)
}

/// The text of a replacement, where its original is named rightly.
fn usable(mutation: &Mutation, loaded: &[Loaded], world: &dyn World) -> Result<Vec<u8>> {
    let name = mutation.original.lossy();
    if name.is_empty() || name.contains('/') {
        let text = format!("“{name}” is not a plain file name of a template.");
        return Err(EngineError::usage(text)
            .hint("Name the template without its directory: --mutate red-team-prompt.md=FILE."));
    }
    let is_same = |one: &Loaded| one.mutation.original == mutation.original;
    if loaded.iter().any(is_same) {
        let text = format!("{name} is replaced more than once.");
        return Err(EngineError::usage(text).hint("Name each template once."));
    }
    replacement(&mutation.replacement, world)
}

/// The mutation that applies to a dispatch: its place. Two that apply are a slip.
pub(super) fn of(loaded: &[Loaded], dispatch: &Dispatch) -> Result<Option<usize>> {
    let all = loaded.iter().enumerate();
    let mut fits = all.filter(|(_, one)| matches(&one.mutation, dispatch));
    let first = fits.next();
    if let (Some((_, one)), Some((_, other))) = (first, fits.next()) {
        let text = foreign!(
            "{} and {} both name the template of dispatch {}.",
            &one.mutation.original,
            &other.mutation.original,
            dispatch.seq.to_string()
        );
        return Err(EngineError::usage(text).hint("Name each template once."));
    }
    Ok(first.map(|(at, _)| at))
}

/// Pinned templates as mutations: of the templates that dispatches were made from, those whose text at the commit
/// changes a dispatch. Sets the mutation of these steps.
pub(super) fn of_pin(steps: &mut [ReplayStep], library: &mut Library<'_>) -> Vec<Loaded> {
    let mut loaded: Vec<Loaded> = Vec::new();
    for step in steps.iter_mut().filter(|step| step.is_swapped()) {
        let template = &step.original.template;
        let Some(pinned) = library.versions(template, None).pinned else {
            continue;
        };
        let replacement = pinned.from.as_path().to_owned();
        let mut known = loaded.iter();
        let place = known.position(|one| one.mutation.replacement == replacement);
        step.mutation = place.or(Some(loaded.len()));
        if place.is_none() {
            let [original, _] = file_names(template);
            loaded.push(Loaded {
                mutation: Mutation {
                    original: original.into(),
                    replacement,
                },
                text: pinned.bytes,
            });
        }
    }
    loaded
}

/// A replacement's text: a regular file of at most 1 MiB in UTF-8.
fn replacement(path: &Path, world: &dyn World) -> Result<Vec<u8>> {
    let refuse = |why: &str| {
        let text = foreign!("The replacement {} cannot be used: {why}.", path);
        EngineError::usage(text).hint("Name an existing file (UTF-8 text of at most 1 MiB, not a link): --mutate ORIGINAL=REPLACEMENT")
    };
    let bytes = read(path, world).map_err(|error| refuse(&error.to_string()))?;
    if std::str::from_utf8(&bytes).is_err() || bytes.contains(&0) {
        return Err(refuse("it is not UTF-8 text"));
    }
    Ok(bytes)
}

/// Reads a file that the person named.
fn read(path: &Path, world: &dyn World) -> Result<Vec<u8>, ReadError> {
    let name = path.file_name().ok_or(ReadError::NotRegular)?;
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or_else(|| Path::new("."));
    let folder = world.files().canonical(parent).ok_or(ReadError::NotFound)?;
    let place = Place::known(folder, name).map_err(|why| ReadError::Other(why.to_string()))?;
    world.files().read(&place, CAP)
}
