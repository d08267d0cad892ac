//! The form of an amendment: what it asks for, what it lacks, and its plan.

use std::sync::Arc;

use super::acting::console;
use super::harness::top_as;
use super::made_up::MadeUp;
use crate::model::{AmendKind, Dossier, NewStage, PointChoice};
use crate::tui::data::Load;
use crate::tui::screens::amendment::AmendForm;
use crate::tui::screens::pipeline::PipelineScreen;
use crate::tui::screens::plan::{About, PlanScreen};

#[test]
fn an_amendment_is_a_plan_of_what_was_filled_in() {
    let (mut console, _) = console(MadeUp::default());
    console.press("enter M");
    assert!(
        console.text().contains("parameter_change"),
        "{}",
        console.text()
    );
    // Without a reason there is no plan, and the row that lacks it is selected.
    console.press("p");
    let _form: &AmendForm = top_as(&console);
    console.press("enter W h y enter k enter x = 1 enter j j enter A d a enter p");
    let screen: &PlanScreen = top_as(&console);
    assert_eq!(screen.chosen.reason.as_deref(), Some("Why"));
    let About::Resume {
        choice: PointChoice::Amend(ask),
        ..
    } = &screen.about
    else {
        panic!("{:?}", screen.about);
    };
    assert_eq!(ask.kind, AmendKind::ParameterChange);
    assert_eq!(ask.set, ["x=1"]);
    assert!(ask.stage.is_some() && ask.after.is_none());
    assert_eq!(ask.approved_by.as_deref(), Some("Ada"));
}

#[test]
fn a_new_stage_is_typed_or_read_from_a_file_whose_path_tab_completes() {
    let (mut console, _) = console(MadeUp::default());
    console.press("enter M j j j enter W h y enter k k k h h h");
    console.press("j j enter r t - v 2 tab enter p");
    let screen: &PlanScreen = top_as(&console);
    let About::Resume {
        choice: PointChoice::Amend(ask),
        ..
    } = &screen.about
    else {
        panic!("{:?}", screen.about);
    };
    assert_eq!(ask.kind, AmendKind::StageInsert);
    assert!(
        matches!(&ask.new_stage, Some(NewStage::File(path)) if path.ends_with("rt-v2.md")),
        "{ask:?}"
    );
    assert!(ask.after.is_some() && ask.stage.is_none());
}

#[test]
fn help_names_the_amendment_only_where_there_is_a_plan_to_amend() {
    for keys in ["", "r "] {
        for amendable in [true, false] {
            let (mut console, _) = console(MadeUp::default());
            console.press("enter");
            let id = top_as::<PipelineScreen>(&console).id.clone();
            let mut dossier = Dossier::clone(console.state.dossier(&id).unwrap());
            dossier.amendable = amendable;
            let dossier = Load::Ready(Arc::new(dossier));
            console.state.dossiers.insert(id, dossier);
            console.press(&format!("{keys}? a m e n d m e n t"));
            assert_eq!(console.text().contains("relight amend"), amendable);
        }
    }
}

#[test]
fn the_form_says_what_a_new_stage_is() {
    let (mut console, _) = console(MadeUp::default());
    console.press("enter M h h h j j");
    let text = console.text();
    assert!(text.contains("or the path of a file with it"), "{text}");
    console.press("enter");
    assert!(
        console.text().contains("complete the path"),
        "{}",
        console.text()
    );
}
