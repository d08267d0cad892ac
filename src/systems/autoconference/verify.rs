//! stub
use super::Conference;
use crate::model::Check;
use crate::world::World;
pub(crate) fn all(_: &Conference, _: &dyn World) -> Vec<Check> { Vec::new() }
