//! Plans of a small run with real repositories: what is matched, where it begins, what is written and said.

mod bodies;
mod confounding;
mod kit;
mod pure;
mod refusals;

use kit::Kit;

use crate::model::{ErrorKind, ReplayFrom, StepBody};

#[test]
fn a_mutation_begins_at_the_boundary_before_the_first_dispatch_it_changes() {
    let kit = Kit::new();
    let table: &[(&str, ReplayFrom, &str, &[u64])] = &[
        (
            "reviewer",
            ReplayFrom::FirstAffected,
            "wave-1",
            &[2, 3, 4, 5, 6],
        ),
        ("red-team", ReplayFrom::FirstAffected, "phase-4", &[6]),
        (
            "plan-writer",
            ReplayFrom::FirstAffected,
            "start",
            &[1, 2, 3, 4, 5, 6],
        ),
        (
            "red-team",
            ReplayFrom::Phase("3".to_owned()),
            "wave-1",
            &[2, 3, 4, 5, 6],
        ),
        ("red-team", ReplayFrom::Seq(5), "wave-2", &[5, 6]),
        ("red-team", ReplayFrom::Seq(1), "start", &[1, 2, 3, 4, 5, 6]),
    ];
    for (template, from, point, seqs) in table {
        let mut ask = kit.ask(&[(&format!("{template}-prompt.md"), "new.md")]);
        ask.from = from.clone();
        let plan = kit.plan(&ask).unwrap();
        assert_eq!(plan.begin().unwrap().point.0, *point, "{template} {from:?}");
        let found: Vec<u64> = plan.steps.iter().map(|step| step.original.seq).collect();
        assert_eq!(found, *seqs, "{template} {from:?}");
    }
}

#[test]
fn both_names_of_a_template_match_and_nothing_else() {
    let kit = Kit::new();
    let table: &[(&str, Option<usize>)] = &[
        ("red-team-prompt.md", Some(1)),
        ("red-team.md", Some(1)),
        ("red-team", None),
        ("team-prompt.md", None),
        ("Red-Team.md", None),
        ("red-team-prompt-prompt.md", None),
        ("implementer.md", Some(3)),
    ];
    for (original, dispatches) in table {
        let plan = kit.plan(&kit.ask(&[(original, "new.md")]));
        let found = plan.as_ref().ok().map(|plan| plan.mutations[0].dispatches);
        assert_eq!(found, *dispatches, "{original}");
        if let Err(refused) = plan {
            assert_eq!(refused.kind, ErrorKind::Usage);
            assert!(refused.text.lossy().contains("has no effect"), "{refused}");
            assert!(refused.hints[0].lossy().contains("red-team.md"));
        }
    }
}

#[test]
fn a_mutation_without_effect_beside_one_with_effect_is_a_note() {
    let kit = Kit::new();
    let ask = kit.ask(&[("red-team.md", "new.md"), ("nobody.md", "new.md")]);
    let plan = kit.plan(&ask).unwrap();
    let counts: Vec<usize> = plan.mutations.iter().map(|swap| swap.dispatches).collect();
    assert_eq!(counts, [1, 0]);
    assert!(kit::says(
        &plan.notes,
        "The mutation of nobody.md has no effect"
    ));
}

#[test]
fn waves_are_kept_and_a_review_follows_its_task() {
    let kit = Kit::new();
    let plan = kit.plan(&kit.ask(&[("plan-writer.md", "new.md")])).unwrap();
    let found: Vec<(u64, usize)> = plan
        .steps
        .iter()
        .map(|step| (step.original.seq, step.wave))
        .collect();
    assert_eq!(found, [(1, 0), (2, 1), (3, 1), (4, 2), (5, 3), (6, 4)]);
}

#[test]
fn a_dispatch_that_no_mutation_applies_to_is_sent_again_byte_for_byte() {
    let kit = Kit::new();
    let plan = kit.plan(&kit.ask(&[("plan-writer.md", "new.md")])).unwrap();
    for step in plan.steps.iter().skip(1) {
        let path = step.original.path.as_ref().unwrap();
        let bytes = std::fs::read(path).unwrap();
        assert_eq!(step.body, StepBody::Ready(bytes), "{}", step.original.seq);
        assert_eq!(step.mutation, None);
    }
}

#[test]
fn entries_of_replays_and_skipped_dispatches_are_no_steps() {
    let mut kit = Kit::new();
    kit.change(4, |one| one.status = crate::model::DispatchStatus::Skipped);
    let mut replayed = kit.experiment.dispatches[5].clone();
    replayed.seq = 7;
    replayed.replay_of = Some(6);
    replayed.session = Some(crate::model::SessionId("1775500000".to_owned()));
    kit.experiment.dispatches.push(replayed);
    kit.experiment.starts[0].redo.push(7);
    let plan = kit.plan(&kit.ask(&[("plan-writer.md", "new.md")])).unwrap();
    let found: Vec<u64> = plan.steps.iter().map(|step| step.original.seq).collect();
    assert_eq!(found, [1, 2, 3, 5, 6]);
    assert!(kit::says(
        &plan.notes,
        "1 dispatch was deliberately not run"
    ));
    assert!(kit::says(&plan.notes, "1 dispatch of an earlier replay"));
}

#[test]
fn the_commit_is_where_the_branch_stood_when_the_files_were_saved() {
    let kit = Kit::new();
    let table = [
        ("plan-writer.md", 0),
        ("implementer.md", 1),
        ("red-team.md", 3),
    ];
    for (template, commit) in table {
        let plan = kit.plan(&kit.ask(&[(template, "new.md")])).unwrap();
        assert_eq!(
            plan.commit.as_ref(),
            Some(&kit.commits[commit]),
            "{template}"
        );
    }
}

#[test]
fn an_unusable_boundary_falls_back_by_itself_and_is_refused_when_named() {
    let mut kit = Kit::new();
    kit.experiment.starts[3].unusable = Some("Its checkpoint no longer exists.".into());
    let mut ask = kit.ask(&[("red-team.md", "new.md")]);
    let plan = kit.plan(&ask).unwrap();
    assert_eq!(plan.begin().unwrap().point.0, "wave-2");
    assert!(kit::says(&plan.notes, "It begins at wave-2 instead"));
    ask.from = ReplayFrom::Seq(6);
    let refused = kit.plan(&ask).unwrap_err();
    assert!(
        refused.kind == ErrorKind::Refused && refused.text.lossy().contains("no longer exists")
    );
    assert!(refused.hints[0].lossy().contains("wave-2 (--from-seq 5)"));
    for start in &mut kit.experiment.starts {
        start.unusable = Some("Gone.".into());
    }
    ask.from = ReplayFrom::FirstAffected;
    assert_eq!(kit.plan(&ask).unwrap_err().kind, ErrorKind::Refused);
}

#[test]
fn a_checkpoint_that_its_store_does_not_have_makes_a_boundary_unusable() {
    let mut kit = Kit::new();
    let checkpoint = kit.experiment.starts[3].checkpoint.as_mut().unwrap();
    checkpoint.id = "0123456789012345678901234567890123456789".to_owned();
    let plan = kit.plan(&kit.ask(&[("red-team.md", "new.md")])).unwrap();
    assert_eq!(plan.begin().unwrap().point.0, "wave-2");
}

#[test]
fn the_same_plan_has_the_same_fingerprint_and_another_has_another() {
    let kit = Kit::new();
    let ask = kit.ask(&[("red-team.md", "new.md")]);
    let one = kit.plan(&ask).unwrap().fingerprint;
    assert_eq!(kit.plan(&ask).unwrap().fingerprint, one);
    let mut others = Vec::new();
    for change in 0..5 {
        let mut ask = ask.clone();
        match change {
            0 => ask.repeat = 5,
            1 => ask.from = ReplayFrom::Seq(5),
            2 => ask.in_place = true,
            3 => ask.mutations = kit.ask(&[("red-team.md", "identity.md")]).mutations,
            _ => std::fs::write(kit.path("new.md"), "# Red team\nother\n").unwrap(),
        }
        others.push(kit.plan(&ask).unwrap().fingerprint);
    }
    for (at, other) in others.iter().enumerate() {
        assert_ne!(*other, one, "{at}");
    }
}
