//! The part of a long sweep that is tried by default.

/// The variable that asks for all.
const ALL: &str = "RELIGHT_TEST_ALL_POINTS";

/// One of so many points of a pipeline.
pub(crate) const SOME: usize = 4;

/// Whether nothing is left out of a sweep.
pub(crate) fn all_is_tried() -> bool {
    std::env::var_os(ALL).is_some()
}

/// Whether one case of a sweep is tried: one of `every`, unless all are asked for.
pub(crate) fn is_tried(nth: usize, every: usize) -> bool {
    all_is_tried() || nth.is_multiple_of(every)
}

/// One of `every` points of a pipeline, at least one, and others of the next pipeline.
pub(crate) fn tried<T>(points: Vec<T>, pipeline: usize, every: usize) -> impl Iterator<Item = T> {
    let every = points.len().clamp(1, every);
    let numbered = points.into_iter().enumerate();
    numbered.filter_map(move |(nth, point)| is_tried(nth + pipeline, every).then_some(point))
}
