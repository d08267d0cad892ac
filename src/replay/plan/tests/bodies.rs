//! The text that each dispatch is written with.

use super::kit::{self, Kit, dispatched, ready, template};

use crate::git::testing::{git_is_there, git_with};
use crate::model::{ErrorKind, MergePiece, Resolution, Resolved, StepBody};

#[test]
fn a_swapped_dispatch_keeps_its_header_and_its_context() {
    let kit = Kit::new();
    let plan = kit
        .plan(&kit.ask(&[("red-team-prompt.md", "new.md")]))
        .unwrap();
    let original = dispatched(6, "red-team");
    let (header, _) = original.split_at(original.find("# red-team\n").unwrap());
    let want = format!(
        "{header}# Swapped\n\nDo it otherwise.\n\n## Context\n- for 6 alone\n\n## Output\n- Be brief.\n- Be exact.\n"
    );
    assert_eq!(ready(&plan, 6), want);
    let swap = &plan.mutations[0];
    assert_eq!(
        swap.template.as_deref(),
        Some(template("red-team").as_bytes())
    );
    let short = kit::short(&kit.template_commits[0]);
    assert_eq!(
        swap.template_from,
        format!("skills/build/red-team-prompt.md at {short}").as_str()
    );
}

#[test]
fn an_identity_mutation_changes_no_byte() {
    let kit = Kit::new();
    let plan = kit
        .plan(&kit.ask(&[("red-team-prompt.md", "identity.md")]))
        .unwrap();
    assert_eq!(ready(&plan, 6), dispatched(6, "red-team"));
    // Also where the dispatch holds the template in no recognisable way.
    std::fs::write(kit.path("dd/6-red-team.md"), "quite other words\n").unwrap();
    let plan = kit
        .plan(&kit.ask(&[("red-team-prompt.md", "identity.md")]))
        .unwrap();
    assert_eq!(ready(&plan, 6), "quite other words\n");
    assert!(kit::says(&plan.notes, "is its template, unchanged"));
}

#[test]
fn the_base_is_the_template_as_it_was_when_the_run_began() {
    let kit = Kit::new();
    let plan = kit
        .plan(&kit.ask(&[("reviewer-prompt.md", "new.md")]))
        .unwrap();
    assert!(ready(&plan, 4).contains("- for 4 alone\n\n## Output\n- Be brief.\n- Be exact.\n"));
    let short = kit::short(&kit.template_commits[0]);
    assert!(plan.mutations[0].template_from.lossy().ends_with(&short));
}

#[test]
fn a_base_that_does_not_fit_gives_way_to_the_next() {
    let kit = Kit::new();
    let later = dispatched(4, "reviewer").replace("- Be brief.", "- Be thorough.");
    std::fs::write(kit.path("dd/4-reviewer.md"), later).unwrap();
    let plan = kit.plan(&kit.ask(&[("reviewer.md", "new.md")])).unwrap();
    let from = plan.mutations[0].template_from.lossy().into_owned();
    assert_eq!(from, "reviewer-prompt.md as it is");
    assert!(ready(&plan, 4).contains("- for 4 alone"));
}

#[test]
fn with_no_text_that_fits_the_whole_dispatch_is_in_conflict() {
    let kit = Kit::new();
    std::fs::write(
        kit.path("dd/6-red-team.md"),
        "# Dispatch: red-team\n\n---\nother words\n",
    )
    .unwrap();
    let mut ask = kit.ask(&[("red-team.md", "new.md")]);
    let plan = kit.plan(&ask).unwrap();
    assert_eq!(plan.conflicts().count(), 1);
    let StepBody::Conflict(merge) = &plan.steps[0].body else {
        panic!("ready");
    };
    let [
        MergePiece::Resolved(header),
        MergePiece::Conflict { dispatch, .. },
    ] = &merge.pieces[..]
    else {
        panic!("{merge:?}");
    };
    assert_eq!(header, b"# Dispatch: red-team\n\n---\n");
    assert_eq!(dispatch, b"other words\n");
    assert_eq!(plan.mutations[0].template, None);
    let how = Resolved::Replacement;
    ask.resolutions = vec![Resolution { seq: None, how }];
    let text = ready(&kit.plan(&ask).unwrap(), 6);
    assert!(text.starts_with("# Dispatch: red-team\n\n---\n# Swapped\n"));
}

#[test]
fn a_line_that_the_orchestrator_tailored_is_one_conflict_and_only_where_it_is_swapped() {
    let kit = Kit::new();
    let tailored = dispatched(6, "red-team").replace("- Be brief.", "- Be brief, in German.");
    std::fs::write(kit.path("dd/6-red-team.md"), &tailored).unwrap();
    let plan_with = |replacement: &str| {
        std::fs::write(kit.path("tailored.md"), replacement).unwrap();
        kit.plan(&kit.ask(&[("red-team.md", "tailored.md")]))
            .unwrap()
    };
    let template = kit::template("red-team");
    let elsewhere = plan_with(&template.replace("Do the work", "Do all the work"));
    assert_eq!(
        ready(&elsewhere, 6),
        tailored.replace("Do the work", "Do all the work")
    );
    assert!(kit::says(&elsewhere.notes, "from which it lacks 1 line."));
    let there = plan_with(&template.replace("- Be brief.", "- Be thorough."));
    let StepBody::Conflict(merge) = &there.steps[0].body else {
        panic!("both changed the line");
    };
    let conflicts: Vec<&MergePiece> = merge
        .pieces
        .iter()
        .filter(|piece| matches!(piece, MergePiece::Conflict { .. }))
        .collect();
    assert_eq!(
        conflicts,
        [&MergePiece::Conflict {
            template: b"- Be brief.\n".to_vec(),
            dispatch: b"- Be brief, in German.\n".to_vec(),
            replacement: b"- Be thorough.\n".to_vec(),
        }]
    );
}

#[test]
fn templates_pinned_to_a_commit_are_merged_into_every_dispatch() {
    let kit = Kit::new();
    let mut ask = kit.ask(&[]);
    ask.template_ref = Some(kit::short(&kit.template_commits[1]));
    let plan = kit.plan(&ask).unwrap();
    // It begins before the first dispatch whose template is another one there.
    assert_ne!(plan.begin().unwrap().point.0, "start");
    assert!(plan.steps.len() > 1);
    for step in plan.steps.iter().filter(|step| step.original.seq != 4) {
        let name = step.original.template.lossy().into_owned();
        let seq = step.original.seq;
        assert_eq!(ready(&plan, seq), dispatched(seq, &name));
    }
    let want = dispatched(4, "reviewer").replace("- Be brief.", "- Be thorough.");
    assert_eq!(ready(&plan, 4), want);
    ask.mutations = kit.ask(&[("reviewer.md", "new.md")]).mutations;
    let text = ready(&kit.plan(&ask).unwrap(), 4);
    assert!(text.contains("# Swapped\n") && text.contains("- for 4 alone\n"));
}

#[test]
fn what_a_pinned_commit_changes_is_a_swap_like_any_other() {
    let kit = Kit::new();
    let mut ask = kit.ask(&[]);
    let pin = kit::short(&kit.template_commits[1]);
    ask.template_ref = Some("main".to_owned());
    for repeat in [1, 10] {
        ask.repeat = repeat;
        let plan = kit.plan(&ask).unwrap();
        let [swap] = plan.mutations.as_slice() else {
            panic!("{:?}", plan.mutations);
        };
        let text = format!("reviewer-prompt.md -> reviewer-prompt.md at {pin}");
        assert_eq!(swap.mutation.text(), text.as_str());
        assert_eq!(swap.dispatches, 1);
        assert_eq!(
            swap.template.as_deref(),
            Some(template("reviewer").as_bytes())
        );
        let swapped = plan.steps.iter().filter(|step| step.mutation == Some(0));
        assert_eq!(
            swapped.map(|step| step.original.seq).collect::<Vec<_>>(),
            [4]
        );
    }
}

#[test]
fn the_top_of_the_templates_repository_may_be_named() {
    let kit = Kit::new();
    let mut ask = kit.ask(&[]);
    ask.template_ref = Some("main".to_owned());
    for folder in ["plugin", "plugin/skills", "plugin/skills/build"] {
        ask.templates = Some(kit.path(folder));
        let plan = kit.plan(&ask).unwrap();
        assert!(ready(&plan, 4).contains("- Be thorough."), "{folder}");
    }
    ask.templates = Some(kit.path("plugin/skills"));
    ask.template_ref = Some(kit::short(&kit.template_commits[0]));
    assert_eq!(
        ready(&kit.plan(&ask).unwrap(), 4),
        dispatched(4, "reviewer")
    );
}

#[test]
fn a_branch_and_a_tag_pin_as_well() {
    if !git_is_there() {
        return;
    }
    let kit = Kit::new();
    kit.plugin.branch("old", &kit.template_commits[0]).unwrap();
    kit.plugin
        .reference("refs/tags/v1", &kit.template_commits[0])
        .unwrap();
    let commit = &kit.template_commits[0];
    let who = [("GIT_COMMITTER_NAME", "n"), ("GIT_COMMITTER_EMAIL", "e")];
    let who = who.map(|(name, value)| (name, std::ffi::OsStr::new(value)));
    git_with(
        kit.plugin.work_tree(),
        &["tag", "-a", "v2", "-m", "Two", commit],
        &who,
    );
    for name in [
        "old", "v1", "v2", "main", "HEAD", "@", "HEAD~1", "main^", "v2^0", "HEAD~0",
    ] {
        let mut ask = kit.ask(&[]);
        ask.template_ref = Some(name.to_owned());
        let changed = ready(&kit.plan(&ask).unwrap(), 4) != dispatched(4, "reviewer");
        let newest = matches!(name, "main" | "HEAD" | "@" | "HEAD~0");
        assert_eq!(changed, newest, "{name}");
    }
}

#[test]
fn a_dispatch_whose_file_is_gone_is_written_anew() {
    let mut kit = Kit::new();
    std::fs::remove_file(kit.path("dd/3-implementer.md")).unwrap();
    kit.change(6, |one| one.path = None);
    let plan = kit
        .plan(&kit.ask(&[("red-team.md", "new.md"), ("plan-writer.md", "new.md")]))
        .unwrap();
    let text = ready(&plan, 3);
    assert!(text.starts_with("# Dispatch: implementer\n**Pipeline:** build | **Phase:** 3 | **Task:** 2\n**Timestamp:** 2026-04-08T10:21:00Z\n"), "{text}");
    assert!(text.contains("\n---\n# implementer\n"));
    assert!(text.ends_with("- Role: implementer\n- Phase: 3\n- Task: 2\n"));
    assert!(ready(&plan, 6).contains("\n---\n# Swapped\n"));
    assert!(kit::says(
        &plan.confounders,
        "The files of 2 dispatches (3 and 6) are missing"
    ));
    kit.experiment.plugin_templates.clear();
    let refused = kit.plan(&kit.ask(&[("red-team.md", "new.md"), ("plan-writer.md", "new.md")]));
    let refused = refused.unwrap_err();
    assert!(
        refused.kind == ErrorKind::Refused && refused.text.lossy().contains("dispatch 3"),
        "{refused}"
    );
}

#[test]
fn conflicts_are_resolved_one_by_one_and_all_at_once() {
    let kit = Kit::new();
    kit.write(
        "clash.md",
        "# x\n\nX.\n\n## Context\n- mine\n\n## Output\n- Be brief.\n",
    );
    let mut ask = kit.ask(&[("implementer.md", "clash.md")]);
    let open = kit.plan(&ask).unwrap();
    let seqs: Vec<u64> = open.conflicts().map(|step| step.original.seq).collect();
    assert_eq!(seqs, [2, 3, 5]);
    let resolve = |seq, how| Resolution { seq, how };
    ask.resolutions = vec![
        resolve(Some(2), Resolved::Edited(b"edited\n".to_vec())),
        resolve(None, Resolved::Original),
        resolve(Some(5), Resolved::Replacement),
    ];
    let plan = kit.plan(&ask).unwrap();
    assert_eq!(ready(&plan, 2), "edited\n");
    assert!(ready(&plan, 3).contains("- for 3 alone") && !ready(&plan, 3).contains("- mine"));
    assert!(ready(&plan, 5).contains("- mine") && !ready(&plan, 5).contains("- for 5 alone"));
    assert_ne!(plan.fingerprint, open.fingerprint);
    let words = "2 dispatches (2 and 5) lose injected context because of how";
    assert!(
        kit::says(&plan.confounders, words),
        "{:?}",
        plan.confounders
    );
    let wrong: &[(&str, Vec<Resolution>)] = &[
        ("no conflict", vec![resolve(Some(4), Resolved::Original)]),
        ("no dispatch", vec![resolve(Some(99), Resolved::Original)]),
        (
            "one text for three",
            vec![resolve(None, Resolved::Edited(b"x".to_vec()))],
        ),
        (
            "twice",
            vec![
                resolve(Some(2), Resolved::Original),
                resolve(Some(2), Resolved::Replacement),
            ],
        ),
        (
            "markers",
            vec![resolve(
                Some(2),
                Resolved::Edited(b"a\n<<<<<<< b\n".to_vec()),
            )],
        ),
    ];
    for (name, resolutions) in wrong {
        ask.resolutions.clone_from(resolutions);
        let refused = kit.plan(&ask).unwrap_err();
        assert_eq!(refused.kind, ErrorKind::Usage, "{name}: {refused}");
    }
}
