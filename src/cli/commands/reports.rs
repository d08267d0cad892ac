//! What `show`, `verify` and `points` print of a pipeline as JSON, a file each, for an export.

use super::show::Shown;
use crate::cli::json;
use crate::cli::prelude::*;
use crate::engine::{Engine, must_be_readable};
use crate::model::ExportFile;

/// The files. Of a pipeline that cannot be read there is only what `show` prints.
pub(super) fn reports(engine: &Engine, id: &PipelineId) -> Result<Vec<ExportFile>> {
    let dossier = engine.dossier(id)?;
    let readable = must_be_readable(&dossier.pipeline, &dossier.checks).is_ok();
    let shown = Shown::of(engine, dossier.pipeline)?;
    let mut all = vec![("show.json", shown.report(engine))];
    if readable {
        let checks = &dossier.checks;
        all.push((
            "verify.json",
            report::verify(checks, Verdict::overall(checks)),
        ));
        all.push(("points.json", report::points(&dossier.points)));
    }
    let file = |(name, value): (&str, serde_json::Value)| {
        let mut content = Vec::new();
        // Writing to memory does not fail.
        drop(json::write(&mut content, &value));
        ExportFile {
            name: name.to_owned(),
            content,
        }
    };
    Ok(all.into_iter().map(file).collect())
}
