//! The whole plan for a person: exact counts, capped lists, and what would be lost at the end, next to the prompt.

use super::actions;
use crate::cli::commands::handoff;
use crate::cli::prelude::*;
use crate::model::{GuardKind, LossKind};

/// Rows of a list before the rest is only counted.
pub(in crate::cli::commands) const CAP: usize = 12;

pub(in crate::cli::commands) fn plan(
    plan: &Plan,
    upstream: Option<&Foreign>,
    ledger: &[Irreversible],
    now: DateTime<FixedOffset>,
    page: &mut Page,
) {
    page.most = CAP;
    let boundary = &plan.point.boundary;
    let resumes = plan.asked.reversal().is_none() && !plan.is_of_files();
    page.line([Tone::Strong.of(title(plan))]);
    for guard in plan.guards.iter().filter(|guard| guard.refuses()) {
        page.under(Tone::Bad.of("Refused: "), Tone::Plain, &guard.text);
    }
    let text = clean!("{}. {}", boundary.label, plan.point.reason);
    page.say(Tone::Plain, text);
    if let Some(cause) = &plan.cause {
        page.say(Tone::Plain, clean!("Why it stopped: {}", cause.sentences()));
    }
    page.line([Tone::Faint.of("Dry run: nothing was written.")]);
    let known = boundary.is_counted();
    items("Kept", &plan.kept, known, page);
    items("Will run again", &plan.redone, known, page);
    page.heading(format!("Changes ({})", plan.actions.len()));
    if plan.actions.is_empty() {
        let follows = if resumes {
            " The hand-off follows."
        } else {
            ""
        };
        page.line([Tone::Plain.of(clean!("  None.{}", follows))]);
    }
    for action in &plan.actions {
        actions::action((action, plan.phrase(action)), CAP, page);
    }
    if resumes {
        handoff::brief(&plan.handoff, plan.handoff.limit(now), page);
    }
    if let Some(upstream) = upstream {
        page.blank();
        report(upstream, page);
    }
    guards(plan, page);
    irreversible(ledger, CAP, page);
    warnings(plan, page);
    page.blank();
    let kind = if plan.destructive {
        "Destructive: relight replaces, truncates or moves existing files. It keeps backups."
    } else {
        "Not destructive: relight replaces, truncates and moves no existing file."
    };
    page.say(Tone::Faint, kind);
    page.fact("fingerprint", &plan.fingerprint.0);
}

/// A report in the system's own words. Its tables are capped like every list; JSON has them whole.
fn report(text: &Foreign, page: &mut Page) {
    const HEAD: usize = 2;
    let mut rows = 0;
    for line in text.lines() {
        let in_table = line.as_bytes().starts_with(b"|");
        if !in_table {
            page.rest(0, usize::saturating_sub(rows, HEAD), CAP);
        }
        rows = if in_table { rows + 1 } else { 0 };
        if rows <= HEAD + CAP {
            page.line([Span::plain(&line)]);
        }
    }
    page.rest(0, usize::saturating_sub(rows, HEAD), CAP);
}

/// Everything a person must know before they agree, the worst last and next to the prompt.
pub(in crate::cli::commands) fn warnings(plan: &Plan, page: &mut Page) {
    page.warnings("Warnings", &plan.warnings);
    page.warnings("Not restored", plan.losses_of(LossKind::NotRestored));
    page.warnings("Overwritten", plan.losses_of(LossKind::Overwritten));
}

/// What cannot be undone, each with what could be done about it.
pub(in crate::cli::commands) fn irreversible(all: &[Irreversible], cap: usize, page: &mut Page) {
    if !all.is_empty() {
        page.heading("Actions of the pipeline that cannot be undone");
    }
    for entry in all.iter().take(cap) {
        page.warn(clean!("{}: {}", entry.kind, entry.text));
        if !entry.remedy.is_empty() {
            page.indent(4, Tone::Faint, clean!("→ {}", entry.remedy));
        }
    }
    page.rest(2, all.len(), cap);
}

fn items(title: &str, items: &[WorkItem], known: bool, page: &mut Page) {
    if items.is_empty() {
        if !known {
            page.heading(format!("{title} (unknown)"));
        }
        return;
    }
    let time = match WorkItem::recorded_time(items) {
        None | Some(0) => String::new(),
        Some(seconds) => format!(", {}", duration(seconds)),
    };
    let known = if known { "" } else { " known" };
    page.heading(format!("{title} ({}{known}{time})", items.len()));
    for item in items.iter().take(CAP) {
        let text = clean!("{}  {}  {}", item.id, item.label, item.detail);
        page.row(2, Tone::Plain, &text);
    }
    page.rest(2, items.len(), CAP);
}

fn title(plan: &Plan) -> Clean {
    let (id, point) = (&plan.pipeline.0, &plan.point.boundary.id.0);
    if let Asked::Resume {
        choice: PointChoice::Checkpoint(checkpoint),
        ..
    } = &plan.asked
    {
        let checkpoint = short_id(checkpoint);
        return clean!(
            "Plan: restore files of {} from checkpoint {}",
            id,
            checkpoint
        );
    }
    match plan.asked.reversal() {
        None => clean!("Plan: resume {} at {}", id, point),
        Some((reversal, recovery)) => {
            let (verb, of_it) = (reversal.noun(), plan.pipeline.of_it());
            clean!("Plan: {} {}{}", verb, recovery.0, of_it)
        }
    }
}

/// The guards: those that are ok by name in one line, then those that are not, next to the prompt.
fn guards(plan: &Plan, page: &mut Page) {
    page.heading("Guards");
    if let Some(text) = plan.guards_ok() {
        page.under(Tone::Good.of("  ✓ "), Tone::Plain, text);
    }
    for guard in plan.guards.iter().filter(|guard| !guard.holds).rev() {
        let head = match guard.kind {
            GuardKind::Must => Tone::Bad.of("  ✗ "),
            GuardKind::Ask => Tone::Warn.of("  ? "),
        };
        page.under(head, Tone::Plain, &guard.text);
        if let Some(cure) = &guard.would_hold_if {
            page.indent(4, Tone::Faint, clean!("→ {}", cure));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::act::testdata::plan as plan_of;
    use crate::cli::page::testing::text;

    #[test]
    fn a_long_text_of_a_plan_is_cut_and_counted() {
        let mut plan = plan_of(3, true);
        let long = "what was tried\n".repeat(7_000);
        plan.point.reason = long.as_str().into();
        plan.warnings = vec![long.as_str().into()];
        plan.kept = vec![WorkItem::new("B", long.as_str(), "")];
        for width in [80, usize::MAX] {
            let mut page = Page::new(width);
            super::plan(&plan, None, &[], DateTime::default(), &mut page);
            let text = text(page);
            assert!(text.len() < 10_000, "{}", text.len());
            assert_eq!(text.matches(" more lines)").count(), 2, "{text}");
        }
    }

    #[test]
    fn a_mode_and_a_type_are_in_rows_counts_and_json() {
        use crate::model::{FileForm, Forms};
        let mut plan = plan_of(12, true);
        let path = &mut plan.actions[0].paths[0];
        path.forms = Forms::new(Some(FileForm::Executable), Some(FileForm::File));
        path.path = "a/".repeat(60).into();
        let path = &mut plan.actions[0].paths[1];
        path.forms = Forms::new(None, Some(FileForm::Link));
        let mut page = Page::new(80);
        super::plan(&plan, None, &[], DateTime::default(), &mut page);
        let text = text(page);
        // The path may be cut, and what becomes of it may not.
        assert!(text.contains("M mode 755 → 644  a/a/"), "{text}");
        assert!(text.contains("M symbolic link  src/"), "{text}");
        assert!(text.contains(", 1 with another mode or type"), "{text}");
        let paths = crate::cli::report::plan(&plan, None, &[], None);
        let paths = &paths["plan"]["actions"][0]["paths"];
        let forms = serde_json::json!(["executable", "file"]);
        assert_eq!(paths[0]["forms"], forms);
        assert_eq!(paths[1]["forms"], serde_json::json!([null, "link"]));
        assert_eq!(paths[2].get("forms"), None);
        let done = plan.actions[0].done();
        assert!(done.as_str().contains("with another mode or type"));
    }

    #[test]
    fn a_long_table_of_a_report_is_counted_like_every_list() {
        let row = |n: usize| format!("| {n} |\n");
        let table = |rows: usize| (1..=rows).map(row).collect::<String>();
        let report_of = |rows| {
            let mut page = Page::new(80);
            let head = "| Seq |\n|-----|\n";
            let whole = format!("# A\n{head}{}\n# B\n{head}{}", table(rows), table(1));
            report(&whole.into(), &mut page);
            text(page)
        };
        assert!(report_of(CAP).contains(&row(CAP)) && !report_of(CAP).contains("more"));
        let long = report_of(CAP + 3);
        assert!(long.contains(&row(CAP)) && !long.contains(&row(CAP + 1)));
        assert!(long.contains("(+3 more)\n") && long.contains("# B"));
    }
}
