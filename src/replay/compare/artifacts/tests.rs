use crate::model::FileForm;

use super::*;

fn text(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

#[test]
fn lines_are_added_up_and_what_has_none_is_counted() {
    let mut tally = Tally::new("git diff a..b".into());
    let table: Vec<(&str, ArtifactChange, Option<Contents>)> = vec![
        (
            "b",
            ArtifactChange::Modified,
            Some((Some(text("1\n2\n3\n")), Some(text("1\nx\n3\n4\n")))),
        ),
        (
            "a",
            ArtifactChange::Added,
            Some((None, Some(text("1\n2\n")))),
        ),
        (
            "c",
            ArtifactChange::Removed,
            Some((Some(text("1\n")), None)),
        ),
        (
            "image",
            ArtifactChange::Modified,
            Some((Some(text("\0\n")), Some(text("\0\n\n")))),
        ),
        ("unreadable", ArtifactChange::Modified, None),
    ];
    for (path, change, contents) in table {
        tally.push(path.into(), change, Forms::default(), || contents);
    }
    let sum = tally.done();
    assert_eq!((sum.insertions, sum.deletions, sum.unmeasured), (4, 2, 2));
    let rows: Vec<_> = sum
        .files
        .iter()
        .map(|one| (one.path.lossy().into_owned(), one.insertions, one.deletions))
        .collect();
    let row = |path: &str, insertions, deletions| (path.to_owned(), insertions, deletions);
    assert_eq!(
        rows,
        [
            row("a", Some(2), Some(0)),
            row("b", Some(2), Some(1)),
            row("c", Some(0), Some(1)),
            row("image", None, None),
            row("unreadable", None, None),
        ]
    );
}

#[test]
fn beyond_the_cap_nothing_is_read() {
    let mut tally = Tally::new(Foreign::default());
    for at in 0..=MOST {
        let read = || {
            assert!(at < MOST, "the file beyond the cap was read");
            Some((None, Some(text("x\n"))))
        };
        let path = format!("{at:05}").into();
        tally.push(path, ArtifactChange::Added, Forms::default(), read);
    }
    let sum = tally.done();
    assert_eq!(sum.files.len(), MOST + 1);
    assert_eq!((sum.insertions, sum.unmeasured), (MOST as u64, 1));
}

#[test]
fn a_file_under_another_name_is_renamed_and_its_lines_are_those_that_differ() {
    let old = text("a\nb\nc\nd\n");
    let new = text("a\nb\nc\ne\n");
    let mut tally = Tally::new(Foreign::default());
    let none = Forms::default();
    tally.push("new.rs".into(), ArtifactChange::Added, none, || {
        Some((None, Some(new)))
    });
    tally.push("old.rs".into(), ArtifactChange::Removed, none, || {
        Some((Some(old), None))
    });
    tally.push("other.rs".into(), ArtifactChange::Added, none, || {
        Some((None, Some(text("x\ny\n"))))
    });
    tally.push(
        "run.sh".into(),
        ArtifactChange::Modified,
        Forms::new(Some(FileForm::File), Some(FileForm::Executable)),
        || Some((Some(text("x\n")), Some(text("x\n")))),
    );
    let sum = tally.done();
    assert_eq!((sum.insertions, sum.deletions, sum.unmeasured), (3, 1, 0));
    let rows: Vec<_> = sum
        .files
        .iter()
        .map(|one| (one.path.lossy().into_owned(), one.change.word()))
        .collect();
    let expected = [
        ("new.rs", "renamed"),
        ("other.rs", "added"),
        ("run.sh", "modified"),
    ];
    assert_eq!(rows, expected.map(|(path, word)| (path.to_owned(), word)));
    let remarks: Vec<_> = sum.files.iter().filter_map(Artifact::remark).collect();
    assert_eq!(
        remarks,
        [
            "renamed from old.rs".into(),
            Foreign::from("mode 644 → 755")
        ]
    );
}
