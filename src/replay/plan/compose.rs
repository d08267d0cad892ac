//! The text of each dispatch to write: the original's header and injected context, with the swapped or pinned text of
//! the template.

use super::merge;
use super::mutation::Loaded;
use super::templates::{Library, Text, Versions};
use super::{Refused, header};
use crate::model::{Dispatch, Experiment, Foreign, Merge, MergePiece, Place, StepBody};
use crate::text::Shown as _;
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
) -> Result<Composed, Refused> {
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

/// The text of a dispatch in the control arm where all templates are swapped for a pinned commit's: the original's.
pub(super) fn as_it_was(
    dispatch: &Dispatch,
    world: &dyn World,
) -> Result<Option<Vec<u8>>, Refused> {
    read(dispatch, world)
}

/// The text of a dispatch in the control arm of a mutation: composed without it, by the same templates otherwise.
pub(super) fn without_swap(
    dispatch: &Dispatch,
    library: &mut Library<'_>,
    experiment: &Experiment,
    world: &dyn World,
) -> Result<Option<Vec<u8>>, Refused> {
    match compose(dispatch, None, library, experiment, world)?.body {
        StepBody::Ready(text) => Ok(Some(text)),
        // The pinned text does not fit, and a person can resolve only the swap of a mutation.
        StepBody::Conflict(_) => read(dispatch, world),
    }
}

/// The dispatch file; `None` if it is missing.
fn read(dispatch: &Dispatch, world: &dyn World) -> Result<Option<Vec<u8>>, Refused> {
    let Some(path) = &dispatch.path else {
        return Ok(None);
    };
    let Some(place) = Place::of(path) else {
        return Ok(None);
    };
    match world.files().read(&place, SMALL_CAP) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(ReadError::NotFound) => Ok(None),
        Err(error) => {
            let shown = Foreign::from(path);
            let text = format!("{} cannot be read: {error}.", shown.shown());
            Err(Refused::disk(text))
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
    let Some(theirs) = mutation.map(|one| one.text.as_slice()).or(pinned) else {
        let text = format!(
            "The pinned commit has no template for dispatch {} ({}), which is sent as it was.",
            dispatch.seq,
            dispatch.template.shown()
        );
        return Composed {
            note: Some(text.into()),
            ..Composed::plain(original.to_vec())
        };
    };
    let (head, body) = header::split(original);
    let (base, mut note) = base_of(dispatch, body, versions, library);
    let merged = if let Some(base) = &base {
        merge::inject(&base.bytes, body, theirs)
    } else if versions.bases().any(|text| text.bytes == theirs) {
        let text = format!(
            "The replacement for dispatch {} is its template, unchanged; it is sent as it was.",
            dispatch.seq
        );
        return Composed {
            note: Some(text.into()),
            ..Composed::plain(original.to_vec())
        };
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
    let note = format!(
        "Dispatch {} matches no known version of its template; it is merged with the closest ({}), from which it lacks {}.",
        dispatch.seq,
        text.from.shown(),
        count(missing, "line")
    );
    (Some(text.clone()), Some(note.into()))
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

fn with_header(head: &[u8], merged: Merge) -> Merge {
    let mut pieces = merged.pieces;
    if head.is_empty() {
        return Merge { pieces };
    }
    if let Some(MergePiece::Resolved(first)) = pieces.first_mut() {
        first.splice(0..0, head.iter().copied());
    } else {
        pieces.insert(0, MergePiece::Resolved(head.to_vec()));
    }
    Merge { pieces }
}

/// Writes a dispatch again whose file is missing.
fn regenerate(
    dispatch: &Dispatch,
    mutation: Option<&Loaded>,
    versions: &Versions,
    experiment: &Experiment,
) -> Result<Composed, Refused> {
    let base = versions.bases().next().cloned();
    let text = mutation
        .map(|one| &one.text)
        .or_else(|| base.as_ref().map(|base| &base.bytes));
    let Some(text) = text else {
        return Err(Refused::disk(format!(
            "The file of dispatch {} and its template {} are missing.",
            dispatch.seq,
            dispatch.template.shown()
        ))
        .hint("Name the templates with --templates DIR, so that it can be written again."));
    };
    let newline: &[u8] = if text.last().is_none_or(|last| *last == b'\n') {
        b""
    } else {
        b"\n"
    };
    let whole = [
        header::anew(dispatch, experiment).as_slice(),
        text,
        newline,
        &header::known(dispatch),
    ]
    .concat();
    Ok(Composed {
        regenerated: true,
        newer: versions.newer && versions.pinned.is_none(),
        base,
        ..Composed::plain(whole)
    })
}
