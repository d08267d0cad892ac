//! No test depends on what others left on the machine.

use crate::pages;

/// A `TMPDIR` beneath `HOME` is the only place that is searched for dispatch folders; without one, relight searches the
/// machine's `/tmp`, too.
#[test]
fn a_test_that_sets_a_home_sets_its_temporary_directory() {
    let mut homes = 0;
    for page in pages::all()
        .iter()
        .filter(|page| page.path.starts_with("tests/"))
    {
        let sets = |name: &str| page.text.matches(&format!("(\"{name}\", ")).count();
        homes += sets("HOME");
        assert_eq!(
            sets("HOME"),
            sets("TMPDIR"),
            "{}: a HOME without a TMPDIR beneath it",
            page.path
        );
    }
    assert!(homes > 20, "{homes}");
}
