//! The plan screen, with its folders, its search and its numbers; marks and saved views of the list.

use std::sync::Arc;

use super::acting::word;
use super::harness::{Console, top_as};
use super::made_up::{MadeUp, error, stamp};
use crate::model::{Action, ActionKind, BranchMove, ChangeCounts, Preview, Status};
use crate::tui::data::Load;
use crate::tui::geometry::Target;
use crate::tui::keys::Key;
use crate::tui::msg::{Effect, MouseAction, Msg, Query, Reply, Ticket};
use crate::tui::screens::browser::Row;
use crate::tui::screens::diff;
use crate::tui::screens::plan::{PlanRow, PlanScreen, Section, numbers};
use crate::tui::theme::Palette;

fn opened(width: u16, height: u16) -> Console {
    let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, width, height);
    console.press("/ p r i c e enter p");
    console
}

fn plan(console: &Console) -> &PlanScreen {
    top_as(console)
}

fn has(console: &Console, text: &str) {
    assert!(
        console.text().contains(text),
        "no {text}\n{}",
        console.text()
    );
}

#[test]
fn a_folder_is_left_out_as_a_whole_and_folds() {
    let mut console = opened(80, 40);
    console.press("/ s r c / enter");
    // The first row with that text is a sentence; the folder is the next that ends so.
    while !matches!(plan(&console).cursor.key(), Some(PlanRow::Folder(..))) {
        console.press("n");
    }
    has(&console, "[x] src/  4 files  +12 −12");
    console.press("h");
    assert!(!console.text().contains("page.rs"), "{}", console.text());
    has(&console, "▸ [x] src/  4 files");
    // All paths of the plan are in it, and a plan needs one.
    console.press("space");
    has(&console, "at least one path");
    console.press("x l j space k space");
    assert_eq!(plan(&console).excluded.len(), 4);
    has(&console, "[ ] src/  0 of 4 files");
    console.press("space");
    assert_eq!(plan(&console).excluded.len(), 0);
}

#[test]
fn when_a_limit_resets_is_not_cut() {
    let limited = MadeUp {
        limited: true,
        ..MadeUp::ready()
    };
    let mut console = Console::over(limited, Palette::Sixteen, 80, 24);
    console.press("/ p r i c e enter p");
    has(
        &console,
        "why it stopped: usage limit, resets 13:00 UTC  The session",
    );
}

#[test]
fn u2_numbers_agree_after_a_path_was_left_out() {
    let mut console = opened(120, 50);
    console.press("/ 価 enter space");
    has(&console, "overwrites 3 files · recreates 1 file");
    has(&console, "1 path excluded");
    has(&console, "[-] src/  3 of 4 files  +9 −9");
    console.press("A");
    has(&console, "overwrites 3 files · recreates 1 file");
    has(&console, "keeps 1 later file");
    let names = console.text();
    assert!(
        !names.contains("~ overwritten  src/日本/価格.rs"),
        "{names}"
    );
}

#[test]
fn sections_are_jumped_to_and_what_is_folded_is_found() {
    let mut console = opened(80, 24);
    let at = |console: &Console| *plan(console).cursor.key().unwrap();
    console.press("tab ]");
    assert_eq!(at(&console), PlanRow::Head(Section::Guards));
    console.press("tab");
    assert_eq!(at(&console), PlanRow::Head(Section::Actions));
    console.press("h [ shift-tab shift-tab [ [");
    has(&console, "No section above.");
    console.press("/ a p p e n d enter");
    assert!(
        matches!(at(&console), PlanRow::Action(_)),
        "{:?}",
        at(&console)
    );
    has(&console, "append");
    console.press("esc");
    assert!(plan(&console).search.hits.is_empty());
    console.press("/ x y z z y");
    has(&console, "not found");
}

#[test]
fn a_wide_screen_shows_the_difference_of_the_selected_row() {
    let mut console = opened(120, 40);
    // Before a file is selected it is the first one's.
    has(&console, "src/cache.rs   file 1 of 7");
    console.press("/ s t a t e . j enter");
    has(&console, "state.json   file 5 of 7");
    // It stays while a row without a difference is selected.
    console.press("G");
    has(&console, "state.json   file 5 of 7");
    assert!(!opened(119, 40).text().contains("file 1 of 7"));
}

#[test]
fn u3_the_question_says_how_many_replaced_names_are_not_seen() {
    let mut console = opened(80, 24);
    console.press("A");
    has(&console, "src/page.rs");
    assert!(!console.text().contains("not shown"));
    console.press("up up up up up");
    has(&console, "2 of 6 replaced items not shown");
    has(&console, "↑ 7 lines above · ↓ 5 lines below");
    let mut tall = opened(80, 60);
    tall.press("A");
    assert!(!tall.text().contains("not shown"));
}

#[test]
fn marked_rows_are_hidden_together_and_the_line_that_ignores_them_is_copied() {
    let mut console = Console::new(120, 40);
    let all = console.state.browser.ids.clone();
    console.press("g space space X");
    let left = &console.state.browser.ids;
    assert_eq!(left.len(), all.len() - 2);
    assert!(!left.contains(&all[0]) && !left.contains(&all[1]));
    let copied = format!("{:?}", console.outside);
    assert!(
        copied.contains("ignore = [") && copied.contains(&all[1].0),
        "{copied}"
    );
    assert!(console.text().contains("2 hidden"));
    // A mark is set and removed, and y copies all of the marked.
    console.press("g space y");
    assert!(console.text().contains('*'), "{}", console.text());
    console.press("k space");
    assert!(console.state.browser.marked.is_empty());
}

#[test]
fn saved_views_follow_each_other_and_end_with_none() {
    let mut console = Console::new(120, 40);
    console.press("v");
    assert!(
        console.text().contains("No saved view"),
        "{}",
        console.text()
    );
    let view = |name: &str, filter: &str, group| crate::model::SavedView {
        name: name.to_owned(),
        filter: filter.to_owned(),
        group,
        ..Default::default()
    };
    console.state.browser.views = vec![
        view("waiting", "status:waiting", crate::model::Group::Nothing),
        view("by system", "", crate::model::Group::System),
    ];
    let all = console.state.browser.ids.len();
    console.press("v");
    assert!(console.state.browser.ids.len() < all);
    assert!(console.text().contains("View waiting"));
    console.press("v");
    assert!(
        console.text().contains("── crucible ("),
        "{}",
        console.text()
    );
    console.press("v");
    assert_eq!(console.state.browser.ids.len(), all);
    assert!(console.text().contains("No view"));
    let open = |row: &&Row| row.pipeline.standing.status != Status::Complete;
    assert_eq!(all, console.state.browser.rows.iter().filter(open).count());
    assert_eq!(
        word(&console),
        "No view: every pipeline that is not complete, newest first."
    );
    console.press("X v v v");
    assert_eq!(console.state.browser.ids.len(), all - 1);
    assert!(
        word(&console).contains("nor hidden (1)"),
        "{}",
        word(&console)
    );
}

#[test]
fn the_difference_beside_the_outline_has_the_mouse() {
    let mut console = opened(160, 24);
    let shown = |console: &Console| {
        let shown = plan(console).beside.as_ref().unwrap();
        (shown.top, shown.lines.len())
    };
    let selected = |console: &Console| plan(console).cursor.key().copied();
    let (before, (top, lines)) = (selected(&console), shown(&console));
    console.send(Msg::Mouse(MouseAction::WheelDown, 120, 15));
    assert_eq!((selected(&console), shown(&console).0), (before, top + 3));
    console.send(Msg::Mouse(MouseAction::WheelUp, 120, 15));
    assert_eq!(shown(&console).0, top);
    let text = console.text();
    let fold = text.lines().position(|line| line.contains("unchanged"));
    let y = u16::try_from(fold.unwrap_or_else(|| panic!("{text}"))).unwrap();
    let of = console.state.geometry.at(120, y).unwrap();
    assert!(matches!(of, Target::Row(list, _) if diff::is_of(list)));
    console.send(Msg::Mouse(MouseAction::Press, 120, y));
    assert!(shown(&console).1 > lines);
    assert_eq!(selected(&console), before);
}

/// A state file of a directory, which has content before or is created.
fn state_file(dir: &str, before: Option<&str>) -> Action {
    Action {
        kind: ActionKind::ReplaceFile,
        target: format!("/p/{dir}/state.json").into(),
        summary: "".into(),
        changes: None,
        paths: Vec::new(),
        preview: Preview::Content {
            before: before.map(Vec::from),
            after: b"{}".to_vec(),
            clock: None,
        },
    }
}

#[test]
fn what_a_plan_creates_is_not_counted_as_replaced_and_names_tell_files_apart() {
    let mut console = opened(120, 60);
    let mut changed = plan(&console).plan.ready().unwrap().as_ref().clone();
    let removed = Action {
        changes: Some(ChangeCounts {
            removed: 1,
            ..ChangeCounts::default()
        }),
        preview: Preview::Kept { pairs: Vec::new() },
        ..state_file("d", None)
    };
    changed.kept_newer.clear();
    changed.actions = vec![
        state_file("a", None),
        state_file("b", None),
        state_file("c", Some("")),
        removed,
    ];
    let numbers = numbers(&changed).into_iter();
    let said: Vec<String> = numbers
        .map(|(number, verb, noun, _)| format!("{verb} {number} {noun}"))
        .collect();
    assert_eq!(
        said,
        ["overwrites 1 file", "creates 2 file", "removes 1 file"]
    );
    let screen = console.state.layers.find_mut::<PlanScreen>().unwrap();
    screen.take(Load::Ready(Arc::new(changed)), stamp(0).at);
    console.press("A");
    let text = console.text();
    for name in [
        "removes a/state.json",
        "removes b/state.json",
        "restores c/state.json",
    ] {
        assert!(text.contains(name), "no {name}\n{text}");
    }
}

#[test]
fn a_branch_that_moves_is_numbered_beside_the_files_that_change() {
    let console = opened(120, 60);
    let mut changed = plan(&console).plan.ready().unwrap().as_ref().clone();
    changed.kept_newer.clear();
    let counts = ChangeCounts {
        modified: 2,
        ..ChangeCounts::default()
    };
    let moved = |removed, restored| Some(BranchMove { removed, restored });
    for (files, branch, said) in [
        (0, None, &["resets 1 index"][..]),
        (2, None, &["overwrites 2 file"]),
        (0, moved(1, 0), &["resets 1 branch", "removes 1 commit"]),
        (
            2,
            moved(3, 0),
            &["resets 1 branch", "removes 3 commit", "overwrites 2 file"],
        ),
        (
            2,
            moved(0, 3),
            &["resets 1 branch", "restores 3 commit", "overwrites 2 file"],
        ),
    ] {
        changed.actions = vec![Action {
            kind: ActionKind::ResetWorktree,
            changes: Some(ChangeCounts {
                modified: files,
                branch,
                ..counts
            }),
            preview: Preview::Kept { pairs: Vec::new() },
            ..state_file("wt", None)
        }];
        let numbers = numbers(&changed).into_iter();
        let named = numbers.map(|(number, verb, noun, _)| format!("{verb} {number} {noun}"));
        assert_eq!(named.collect::<Vec<_>>(), said);
    }
}

#[test]
fn every_number_of_a_plan_is_seen_on_a_narrow_screen() {
    for width in [60, 80] {
        let mut console = opened(width, 24);
        let mut changed = plan(&console).plan.ready().unwrap().as_ref().clone();
        changed.actions = vec![
            Action {
                kind: ActionKind::ResetWorktree,
                changes: Some(ChangeCounts {
                    modified: 2,
                    added: 4,
                    removed: 5,
                    branch: Some(BranchMove {
                        removed: 3,
                        restored: 1,
                    }),
                }),
                preview: Preview::Kept { pairs: Vec::new() },
                ..state_file("wt", None)
            },
            state_file("a", None),
            state_file("b", Some("")),
        ];
        let screen = console.state.layers.find_mut::<PlanScreen>().unwrap();
        screen.take(Load::Ready(Arc::new(changed)), stamp(0).at);
        console.draw();
        for said in [
            "resets 1 branch",
            "removes 3 commits",
            "restores 1 commit",
            // The file of the state and those of the work tree are lost alike.
            "overwrites 3 files",
            "moves aside 5 files",
            "recreates 4 files",
            "creates 1 file",
        ] {
            has(&console, said);
        }
    }
}

#[test]
fn only_the_engine_says_whether_the_branch_can_be_reset() {
    fn asked(effects: &[Effect]) -> (Ticket, bool) {
        let asked = effects.iter().find_map(|effect| match effect {
            Effect::Ask(ticket, Query::Plan(_, _, options)) => {
                Some((*ticket, options.rewind_branch))
            }
            _ => None,
        });
        asked.expect("a plan is asked for")
    }
    // This plan restores no files; those of mgw reset a worktree all the same.
    let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, 120, 40);
    console.press("/ p r i c e enter r j j enter");
    let (ticket, resets) = asked(&console.ask(Msg::Key(Key::parse("b").unwrap())));
    assert!(resets);
    let refused = Reply::Plan(Err(error("There is no commit to go back to.")));
    let (_, resets) = asked(&console.ask(Msg::Reply(ticket, refused)));
    assert!(!resets);
    has(&console, "There is no commit to go back to.");
}
