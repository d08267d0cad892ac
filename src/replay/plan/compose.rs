//! The text of each dispatch to write: the original's header and injected context, with the swapped or pinned text of
//! the template.

use super::header;
use super::merge;
use super::mutation::Loaded;
use super::templates::{Library, Text, Versions};
use crate::foreign;
use crate::model::{
    Dispatch, EngineError, Experiment, Foreign, Merge, MergePiece, Place, Result, StepBody,
};
use crate::text::format::count;
use crate::world::World;
use crate::world::files::{ReadError, SMALL_CAP};

/// A composed dispatch, and what it was composed from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Composed {
    /// The text, or what is in conflict.
    pub(super) body: StepBody,
    /// The template's text that was the base of the merge.
    pub(super) base: Option<Text>,
    /// Whether its file was missing, so that the injected context is lost.
    pub(super) regenerated: bool,
    /// Whether the template was changed after the run, and that matters here.
    pub(super) newer: bool,
    /// What else a person should know.
    pub(super) note: Option<Foreign>,
}

impl Composed {
    fn plain(body: Vec<u8>) -> Self {
        Self {
            body: StepBody::Ready(body),
            base: None,
            regenerated: false,
            newer: false,
            note: None,
        }
    }
}

/// Composes one dispatch.
pub(super) fn compose(
    dispatch: &Dispatch,
    mutation: Option<&Loaded>,
    library: &mut Library<'_>,
    experiment: &Experiment,
    world: &dyn World,
) -> Result<Composed> {
    let original = read(dispatch, world)?;
    let swaps = mutation.is_some() || library.is_pinned();
    let versions = if swaps || original.is_none() {
        let asked = mutation.map(|one| &one.mutation.original);
        library.versions(&dispatch.template, asked)
    } else {
        Versions::default()
    };
    match original {
        None => regenerate(dispatch, mutation, &versions, experiment),
        Some(original) if swaps => Ok(swap(dispatch, &original, mutation, &versions, library)),
        Some(original) => Ok(Composed::plain(original)),
    }
}

/// The text of a dispatch in the control arm of a mutation: composed without it, by the same templates otherwise.
pub(super) fn without_swap(
    dispatch: &Dispatch,
    library: &mut Library<'_>,
    experiment: &Experiment,
    world: &dyn World,
) -> Result<Option<Vec<u8>>> {
    match compose(dispatch, None, library, experiment, world)?.body {
        StepBody::Ready(text) => Ok(Some(text)),
        // The pinned text does not fit, and a person can resolve only the swap of a mutation.
        StepBody::Conflict(_) => read(dispatch, world),
    }
}

/// The dispatch file; `None` if it is missing.
pub(super) fn read(dispatch: &Dispatch, world: &dyn World) -> Result<Option<Vec<u8>>> {
    let Some(place) = dispatch.path.as_deref().and_then(Place::of) else {
        return Ok(None);
    };
    match world.files().read(&place, SMALL_CAP) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(ReadError::NotFound) => Ok(None),
        Err(error) => {
            let text = foreign!("{} cannot be read: {error}.", &place.path());
            Err(EngineError::refused(text))
        }
    }
}

/// Merges the replacement, or the pinned text, into a dispatch.
fn swap(
    dispatch: &Dispatch,
    original: &[u8],
    mutation: Option<&Loaded>,
    versions: &Versions,
    library: &mut Library<'_>,
) -> Composed {
    let pinned = versions.pinned.as_ref().map(|text| text.bytes.as_slice());
    let as_it_was = |note: Foreign| Composed {
        note: Some(note),
        ..Composed::plain(original.to_vec())
    };
    let seq = dispatch.seq;
    let Some(theirs) = mutation.map(|one| one.text.as_slice()).or(pinned) else {
        return as_it_was(foreign!(
            "The pinned commit has no template for dispatch {seq} ({}), which is sent as it was.",
            &dispatch.template
        ));
    };
    let (head, body) = header::split(original);
    let (base, mut note) = base_of(dispatch, body, versions, library);
    let merged = if let Some(base) = &base {
        merge::inject(&base.bytes, body, theirs)
    } else if versions.bases().any(|text| text.bytes == theirs) {
        return as_it_was(foreign!(
            "The replacement for dispatch {seq} is its template, unchanged; it is sent as it was."
        ));
    } else {
        let unknown = versions.bases().next().is_none();
        note = Some(unfit(dispatch, unknown));
        let any = versions.bases().last();
        merge::all_in_conflict(any.map_or(&[], |text| &text.bytes), body, theirs)
    };
    let whole = with_header(head, merged);
    Composed {
        body: merge::text(&whole).map_or(StepBody::Conflict(whole), StepBody::Ready),
        base,
        regenerated: false,
        newer: versions.newer && versions.pinned.is_none(),
        note,
    }
}

/// The template's text that a dispatch was made from: the likeliest version that fits, else one of its history that
/// does, else the closest. With the closest, a line that the orchestrator changed is one difference of many, and a
/// conflict only if the replacement changes it, too.
fn base_of(
    dispatch: &Dispatch,
    body: &[u8],
    versions: &Versions,
    library: &mut Library<'_>,
) -> (Option<Text>, Option<Foreign>) {
    let fits = |text: &&Text| merge::fits(&text.bytes, body);
    if let Some(text) = versions.bases().find(fits) {
        return (Some(text.clone()), None);
    }
    let older = library.history_texts(&dispatch.template);
    if let Some(text) = older.iter().find(fits) {
        return (Some(text.clone()), None);
    }
    let measured = versions.bases().chain(older).map(|text| {
        let (missing, all) = merge::missing(&text.bytes, body);
        (missing, all, text)
    });
    // A text with less than half of its lines in the dispatch is probably not its template.
    let near = measured.filter(|(missing, all, _)| missing * 2 < *all);
    let Some((missing, _, text)) = near.min_by_key(|(missing, ..)| *missing) else {
        return (None, None);
    };
    let note = foreign!(
        "Dispatch {} matches no known version of its template; it is merged with the closest ({}), from which it lacks {}.",
        dispatch.seq.to_string(),
        &text.from,
        count(missing, "line")
    );
    (Some(text.clone()), Some(note))
}

fn unfit(dispatch: &Dispatch, unknown: bool) -> Foreign {
    let (seq, template) = (dispatch.seq, dispatch.template.lossy());
    let text = if unknown {
        format!(
            "No text of the template {template} was found, so the whole of dispatch {seq} conflicts with the replacement; name the templates with --templates DIR."
        )
    } else {
        format!(
            "No known text of the template {template} is found in dispatch {seq}, so all of it conflicts with the replacement."
        )
    };
    text.into()
}

fn with_header(head: &[u8], mut merged: Merge) -> Merge {
    if let Some(MergePiece::Resolved(first)) = merged.pieces.first_mut() {
        first.splice(0..0, head.iter().copied());
    } else if !head.is_empty() {
        merged.pieces.insert(0, MergePiece::Resolved(head.to_vec()));
    }
    merged
}

/// Writes a dispatch again whose file is missing.
fn regenerate(
    dispatch: &Dispatch,
    mutation: Option<&Loaded>,
    versions: &Versions,
    experiment: &Experiment,
) -> Result<Composed> {
    let base = versions.bases().next().cloned();
    let text = mutation
        .map(|one| &one.text)
        .or_else(|| base.as_ref().map(|base| &base.bytes));
    let Some(text) = text else {
        let text = foreign!(
            "The file of dispatch {} and its template {} are missing.",
            dispatch.seq.to_string(),
            &dispatch.template
        );
        return Err(EngineError::refused(text)
            .hint("Name the templates with --templates DIR, so that it can be written again."));
    };
    let mut whole = header::anew(dispatch, experiment);
    whole.extend_from_slice(text);
    if text.last().is_some_and(|last| *last != b'\n') {
        whole.push(b'\n');
    }
    whole.extend(header::known(dispatch));
    Ok(Composed {
        regenerated: true,
        newer: versions.newer && versions.pinned.is_none(),
        base,
        ..Composed::plain(whole)
    })
}
