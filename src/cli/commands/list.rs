//! `relight list`.

use super::{console, cut_record};
use crate::cli::args::ListArgs;
use crate::cli::prelude::*;
use crate::engine::Survey;
use crate::foreign;
use crate::model::filter::Filter;
use crate::model::{
    CauseKind, FoundBy, LIST_COLUMNS, LIST_DEFAULT, ListKey, ListRow, SavedView, list_widths,
};
use crate::text::distinct;
use crate::text::format::zone;

/// Paths that cannot be read that are named.
const UNREAD: usize = 5;

/// Cells of a column that was named and has no room.
const LEAST: usize = 20;

pub(super) fn run(session: &Session, args: &ListArgs) -> Result<Answer> {
    let view = match args.view.as_deref() {
        Some(name) => view(session, name)?,
        None => SavedView::default(),
    };
    let request = Request {
        paths: args.paths.clone(),
        all: args.all || view.complete,
        ..session.request.clone()
    };
    let typed = args.filter.as_deref().unwrap_or_default();
    let filter = Filter::parse(&format!("{} {typed}", view.filter));
    if let Some(trouble) = filter.trouble() {
        let error = EngineError::usage(trouble.text.as_str());
        return Err(error.hints(trouble.hint.clone()));
    }
    let saved = Some(view.columns).filter(|keys| !keys.is_empty());
    let columns = args.chosen().or(saved).map(distinct);
    let sort = args.sorted().or(view.sort);
    // Verifying reads far more than listing does, so it is done only if a column, the order or a filter needs it.
    let of_checks = |key: &ListKey| {
        LIST_COLUMNS
            .iter()
            .any(|one| one.key == *key && one.of_checks)
    };
    let mut keys = columns.iter().flatten().chain(&sort);
    let asked = keys.any(of_checks) || filter.needs_checks();
    let (mut rows, survey) = found(session, &request, asked)?;
    let absent = filter.absent(&rows);
    let all = rows.len();
    rows.retain(|row| filter.hits(row).is_some());
    if let Some(key) = sort {
        rows.sort_by(|a, b| a.compare(b, key));
    }
    let lines = if args.brief {
        rows.iter().map(brief).collect()
    } else {
        let summary = summary(rows.len(), &survey, all, &request);
        page(session, &rows, summary, (columns, asked))
    };
    let waiting = |row: &ListRow| row.pipeline.standing.status == Status::Waiting;
    let mut answer = with_pending(session, &request, (&rows, &survey), lines);
    answer.notes.extend(absent);
    if args.fail && rows.iter().any(waiting) {
        return Ok(answer.exit(Exit::No));
    }
    Ok(answer)
}

/// The saved view of a name.
fn view(session: &Session, name: &str) -> Result<SavedView> {
    let views = &session.config.view;
    if let Some(view) = views.iter().find(|view| view.name == name) {
        return Ok(view.clone());
    }
    let names: Vec<&str> = views.iter().map(|view| view.name.as_str()).collect();
    let error =
        EngineError::usage(format!("There is no view {name}.")).near(name, names.iter().copied());
    let hint = if names.is_empty() {
        "The configuration has none: [[view]] adds one.".to_owned()
    } else {
        format!("The views are {}.", names.join(", "))
    };
    Err(error.hint(hint))
}

/// The rows, with the commands in them as they work from here.
fn found(session: &Session, request: &Request, verify: bool) -> Result<(Vec<ListRow>, Survey)> {
    let (mut rows, survey) = session.engine.rows(request, verify)?;
    let by = FoundBy::of(request);
    for row in rows.iter_mut().filter(|_| by != FoundBy::default()) {
        let next = row.cause.iter_mut();
        let next = next.flat_map(|cause| &mut Arc::make_mut(cause).next);
        next.for_each(|text| by.tell(text, Some(&row.pipeline.id)));
    }
    Ok((rows, survey))
}

/// The console without a terminal.
pub(super) fn of_paths(session: &Session, paths: &[PathBuf]) -> Result<Answer> {
    let request = console::request(session, paths)?;
    let (rows, survey) = found(session, &request, false)?;
    let summary = summary(rows.len(), &survey, rows.len(), &request);
    let lines = page(session, &rows, summary, (None, false));
    Ok(with_pending(session, &request, (&rows, &survey), lines))
}

/// The answer, with notes about recoveries that a crash left pending. `list` only reads, so it does not recover them.
fn with_pending(
    session: &Session,
    request: &Request,
    (rows, survey): (&[ListRow], &Survey),
    lines: Vec<Line>,
) -> Answer {
    let (past, trouble) = match session.engine.unfinished(request) {
        Ok(past) => (past, None),
        Err(error) => (History::default(), Some(error)),
    };
    let unreadable = &past.unreadable;
    let unfinished = past.recoveries.iter().rev();
    let (running, pending): (Vec<_>, Vec<_>) = unfinished.partition(|recovery| recovery.running);
    let pending: Vec<&RecoveryId> = pending.iter().map(|recovery| &recovery.id).collect();
    let mut notes = Vec::new();
    for recovery in running {
        notes.push(clean!("recovery {} is being applied now", recovery.id.0));
    }
    if let Some(id) = pending.first() {
        let more = match pending.len() {
            1 => String::new(),
            several => format!(" {several} recoveries are pending."),
        };
        let recover = session.about("recover", id);
        let text = clean!("recovery {} was interrupted; to recover", id.0);
        notes.push(clean!("{}: {}.{}", text, recover, more));
    }
    let cut = session.engine.interrupted_records(request);
    let cut = cut.unwrap_or_default();
    notes.extend(cut.iter().map(cut_record));
    let mut wire = report::list(rows, survey, (&pending, &cut), unreadable);
    if let Some(error) = trouble {
        let text = foreign!("cannot tell whether a recovery is pending: {}", &error.text);
        notes.push(text.clean());
        // Without it, `pending_recovery` would say that there is none.
        wire = report::noted(wire, &[text]);
    }
    let unread = survey.skipped.iter().filter(|one| one.unread).take(UNREAD);
    notes.extend(unread.map(|one| clean!("{} {}.", one.path, one.reason)));
    let odd = unreadable.iter();
    notes.extend(odd.map(|skipped| clean!("{}: {}.", skipped.path, skipped.reason)));
    Answer::new(wire, lines).noted(notes)
}

/// The rows in the columns that the person chose, else in those that the width has room for, with or without the checks.
fn page(
    session: &Session,
    rows: &[ListRow],
    summary: String,
    (chosen, check): (Option<Vec<ListKey>>, bool),
) -> Vec<Line> {
    let now = session.engine.now();
    let mut page = session.page();
    let mut clock = None;
    if !rows.is_empty() {
        let content = |key: ListKey| {
            let cells = rows.iter().map(|row| row.cell(key, now).width());
            let column = LIST_COLUMNS.get(key as usize);
            let heading = column.map_or(0, |one| one.heading.len());
            let widest = cells.max().unwrap_or(0);
            if widest > 0 { widest.max(heading) } else { 0 }
        };
        let is_default = chosen.is_none();
        let mut keys = chosen.unwrap_or_else(|| LIST_DEFAULT.to_vec());
        if is_default && check {
            keys.insert(1, ListKey::Check);
        }
        let widths = list_widths(&keys, &content, 0, session.width, 2);
        // A column that the person chose is shown even if the line gets longer than the terminal.
        let width = |key: ListKey| match widths.get(key as usize) {
            None | Some(0) if !is_default => content(key).clamp(1, LEAST),
            width => width.copied().unwrap_or(0),
        };
        let shown = keys.into_iter().map(|key| (key, width(key)));
        let keys: Vec<(ListKey, usize)> = shown.filter(|(_, width)| *width > 0).collect();
        if keys.iter().any(|(key, _)| *key == ListKey::Stopped) {
            let clocks = |row: &ListRow| row.cause.as_ref()?.clock(now);
            clock = rows.iter().find_map(clocks);
        }
        let column = |(key, _): &(ListKey, usize)| LIST_COLUMNS.get(*key as usize);
        let columns = keys.iter().filter_map(column);
        let columns: Vec<Column> = columns.map(Column::of_list).collect();
        let row = |row: &ListRow| -> Vec<Span> {
            let worst = row.checks.map(|checks| checks.worst.into());
            let tones = [
                (ListKey::Status, row.pipeline.standing.status.into()),
                (ListKey::Check, worst.unwrap_or(Tone::Faint)),
                (ListKey::Title, Tone::Strong),
                (ListKey::Age, Tone::Faint),
                (ListKey::Flags, Tone::Warn),
            ];
            let tone = |key: ListKey| {
                let own = tones.iter().find(|(of, _)| *of == key);
                own.map_or(Tone::Plain, |(_, tone)| *tone)
            };
            let keys = keys.iter();
            let root = row.pipeline.reading.root.as_path();
            keys.map(|(key, width)| {
                let cell = row.cell(*key, now);
                if *key == ListKey::Project {
                    tone(*key).of(Naming(&cell.clip_middle(*width), root))
                } else {
                    tone(*key).of(cell.ellipsis(*width))
                }
            })
            .collect()
        };
        let rows: Vec<Vec<Span>> = rows.iter().map(row).collect();
        let widths: Vec<usize> = keys.iter().map(|(_, width)| *width).collect();
        page.table_at(&columns, &widths, &rows);
        page.blank();
    }
    page.line([Tone::Faint.of(summary)]);
    if let Some(at) = clock {
        // A column has no room for it.
        page.line([Tone::Faint.of(format!("Times are in {}.", zone(at)))]);
    }
    page.into_iter().collect()
}

/// How many pipelines are shown of how many, from which places, what was left out, and what finds those shown again.
fn summary(shown: usize, survey: &Survey, all: usize, request: &Request) -> String {
    let place = survey.scope.place();
    let found = match (shown, all) {
        (0, 0) if request.all => "No pipelines".to_owned(),
        (0, 0) => "No interrupted pipelines".to_owned(),
        (shown, all) if shown < all => format!("{shown} of {}", count(all, "pipeline")),
        (all, _) => count(all, "pipeline"),
    };
    let complete = survey.hidden.complete;
    let unread = survey.skipped.iter().filter(|one| one.unread).count();
    let skipped = survey.skipped.len() - unread;
    // Not the whole disk is searched, so an empty result names the searched places.
    let nowhere = all == 0 && survey.scope == Scope::Machine;
    let searched = "Searched: the current directory, Claude's directories, temporary directories and the configured roots.";
    let elsewhere = FoundBy::of(request).of_pipelines;
    let asides = [
        (shown > 0 && !elsewhere.is_empty())
            .then(|| format!("To use an id from this directory, add{elsewhere}.")),
        nowhere.then(|| searched.to_owned()),
        (complete > 0).then(|| format!("{complete} complete (show with --all).")),
        survey.hidden.outside().map(|outside| {
            format!("{outside} elsewhere (show with relight list --all --scope machine).")
        }),
        (skipped > 0).then(|| format!("{} skipped (reasons with --json).", count(skipped, "file"))),
        (unread > 0).then(|| {
            let paths = count(unread, "path");
            format!("{paths} cannot be read, so pipelines may be missing (see relight doctor).")
        }),
    ];
    let mut all = vec![format!("{found} {place}.")];
    all.extend(asides.into_iter().flatten());
    all.join(" ")
}

/// One line for a shell prompt: the next command, and the pipeline that it concerns.
fn brief(row: &ListRow) -> Line {
    let pipeline = &row.pipeline;
    let status = pipeline.standing.status;
    let cause = row.cause.as_deref();
    let cause = cause.filter(|cause| cause.kind != CauseKind::Unknown);
    vec![
        Tone::Plain.of(&pipeline.id.0),
        Tone::from(status).of(clean!("  {}  ", status.word())),
        match cause {
            Some(cause) => Tone::Plain.of(&cause.text),
            None => Tone::Plain.of(&pipeline.standing.reason),
        },
    ]
}
