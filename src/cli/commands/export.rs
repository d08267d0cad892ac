//! `relight export`: the results, the script and the gaps of a run that cannot continue; reports of any pipelines.

use std::collections::BTreeSet;

use super::act::{Desk, done_for_good};
use crate::cli::args::ExportArgs;
use crate::cli::prelude::*;
use crate::model::Exported;

pub(super) fn run(session: &Session, args: &ExportArgs, desk: &Desk<'_>) -> Result<Answer> {
    let dir = session.request.cwd.join(&args.dir);
    let mut page = session.page();
    if args.report {
        let write = |id: PipelineId| {
            let exported = session.engine.export_report(&id, &dir);
            (id, exported)
        };
        let ids = super::selected(session, &args.targets)?;
        begin(desk)?;
        let all: Vec<_> = ids.into_iter().map(write).collect();
        return Ok(reported(&dir, &all, page, desk));
    }
    let targets: Vec<Target> = args.targets.each().collect();
    let [target] = targets.as_slice() else {
        let text = "Only one pipeline is exported at a time, unless with --report.";
        return Err(EngineError::usage(text));
    };
    let dossier = super::readable(session, target)?;
    begin(desk)?;
    let exported = session.engine.export_run(&dossier.pipeline.id, &dir)?;
    written(&exported, &mut page);
    warned(&exported.warnings, &mut page);
    let done = done(&dir, [&exported]);
    let report = report::exported(&exported);
    Ok(done_for_good(report, page, done, desk.cancel))
}

/// From here on a signal waits until the export is whole: half of one would stay as a hidden directory that nobody
/// looks for, with what was said in clear text.
fn begin(desk: &Desk<'_>) -> Result<()> {
    if desk.cancel.commit() {
        return Ok(());
    }
    Err(EngineError::cancelled())
}

/// What was exported, for the case that the answer cannot be printed.
fn done<'a>(dir: &Path, all: impl IntoIterator<Item = &'a Exported>) -> Option<Clean> {
    let files: usize = all.into_iter().map(|one| one.files.len()).sum();
    let (exported, were) = (count(files, "file"), plural(files, "was", "were"));
    (files > 0).then(|| clean!("{} {} exported to {}", exported, were, dir))
}

/// The reports of several pipelines, each written or refused by itself.
fn reported(
    dir: &Path,
    all: &[(PipelineId, Result<Exported>)],
    mut page: Page,
    desk: &Desk<'_>,
) -> Answer {
    let mut exit = Exit::Done;
    for (id, exported) in all {
        match exported {
            Ok(exported) => written(exported, &mut page),
            Err(error) => {
                exit = Exit::from(error.kind);
                let text = clean!("{}: {}", id.0, error.text);
                page.under(Tone::Bad.of("Refused: "), Tone::Plain, text);
                for hint in &error.hints {
                    page.indent(2, Tone::Faint, clean!("hint: {}", hint));
                }
            }
        }
    }
    let exported = || all.iter().flat_map(|(_, exported)| exported);
    let warnings: BTreeSet<&Foreign> = exported().flat_map(|one| &one.warnings).collect();
    warned(warnings, &mut page);
    let report = report::exported_reports(dir, all);
    done_for_good(report, page, done(dir, exported()), desk.cancel).exit(exit)
}

fn written(exported: &Exported, page: &mut Page) {
    let what = clean!("{} in ", count(exported.files.len(), "file"));
    page.line([
        Tone::Good.of("Exported: "),
        Tone::Plain.of(what),
        Tone::Plain.of(&exported.dir),
        Tone::Plain.of("."),
    ]);
    for gap in &exported.gaps {
        page.indent(2, Tone::Plain, clean!("{}", gap));
    }
}

fn warned<'a>(warnings: impl IntoIterator<Item = &'a Foreign>, page: &mut Page) {
    for warning in warnings {
        page.indent(0, Tone::Warn, clean!("{}", warning));
    }
}
