//! `relight export`: the results, the script and the gaps of a run that cannot continue.

use super::setup::Session;
use crate::clean;
use crate::cli::answer::{Answer, Failure, Tone};
use crate::cli::args::ExportArgs;
use crate::cli::page::Page;
use crate::cli::report;
use crate::model::Foreign;
use crate::text::format::count;

pub(super) fn run(session: &Session, args: &ExportArgs, width: usize) -> Result<Answer, Failure> {
    let dossier = super::readable(session, &args.target)?;
    let dir = session.request.cwd.join(&args.dir);
    let exported = session.engine.export_run(&dossier.pipeline.id, &dir)?;
    let mut page = Page::new(width);
    let path = Foreign::from(exported.dir.as_path());
    let what = clean!("{} in {}.", count(exported.files.len(), "file"), path);
    page.line([Tone::Good.of("Exported: "), Tone::Plain.of(what)]);
    for gap in &exported.gaps {
        page.indent(2, Tone::Plain, clean!("{}", gap));
    }
    for warning in &exported.warnings {
        page.indent(0, Tone::Warn, clean!("{}", warning));
    }
    Ok(Answer::new(report::exported(&exported), page))
}
