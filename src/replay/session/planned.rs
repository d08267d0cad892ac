//! The recorded plan of a session, for comparisons. Reads only.

use std::io;
use std::path::Path;

use super::find;
use super::folder::Folder;
use crate::apply::disk::RealDisk;
use crate::model::{PipelineId, ReplayPlan, SessionId};

/// The plan that a session recorded, as far as it is kept. `InvalidData` where its record cannot be read.
pub fn planned(state: &Path, pipeline: &PipelineId, id: &SessionId) -> io::Result<ReplayPlan> {
    let folder = Folder::open(&RealDisk::new(), state, pipeline, id)?;
    let record =
        find::record(&folder).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why))?;
    Ok(record.plan())
}
