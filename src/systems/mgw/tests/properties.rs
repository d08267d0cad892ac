use proptest::prelude::*;

use crate::systems::mgw::tests::*;

/// A project whose state file varies.
fn project() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.git(1);
    sandbox.doc("4-PLAN.md", "x").doc("4-SUMMARY.md", "x");
    sandbox
}

/// Steps done and points offered with this state file; calls every method of the case.
fn done(sandbox: &Sandbox, bytes: &[u8]) -> (u64, usize) {
    sandbox.file(FILE, bytes);
    let case = sandbox.open();
    let checks = case.verify(&sandbox.world);
    let points = case.boundaries(&checks, &sandbox.world);
    for point in &points {
        let intent = case.intent(&point.id, &PlanOptions::default(), &sandbox.world);
        assert!(intent.is_some(), "{:?}", point.id);
    }
    (case.reading().progress.done.unwrap(), points.len())
}

fn sample() -> String {
    format!(
        "{{\n  \"issue\": {{\"number\": 57, \"title\": \"Ü\"}},\n  {},\n  \"retry_count\": 1\n}}\n",
        after("execute", "spawn-verifier")
    )
}

#[test]
fn a_truncated_file_never_reads_as_more_done_than_the_whole() {
    let sandbox = project();
    let whole = sample();
    let (all, _) = done(&sandbox, whole.as_bytes());
    assert_eq!(all, 3);
    for cut in (0..whole.len()).step_by(7) {
        let (part, points) = done(&sandbox, &whole.as_bytes()[..cut]);
        let closed = whole.trim_end().len() <= cut;
        // Records next to the truncated file show work, so a point is offered.
        assert!(part <= all && (!closed || part == all), "cut at {cut}");
        assert!(points > 0, "cut at {cut}");
    }
}

#[test]
fn the_order_of_members_does_not_matter() {
    let value: serde_json::Value = serde_json::from_str(&sample()).unwrap();
    let object = value.as_object().unwrap();
    let reversed: serde_json::Map<_, _> = object
        .iter()
        .rev()
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect();
    let text = serde_json::to_string(&reversed).unwrap();
    let sandbox = project();
    assert_eq!(
        done(&sandbox, text.as_bytes()),
        done(&sandbox, sample().as_bytes())
    );
}

#[test]
fn each_member_may_be_missing_or_of_any_type() {
    let value: serde_json::Value = serde_json::from_str(&sample()).unwrap();
    let sandbox = project();
    let others = [
        serde_json::json!(null),
        serde_json::json!(-1),
        serde_json::json!(1e300),
        serde_json::json!("x\u{1b}[2J\u{202e}"),
        serde_json::json!([[]]),
        serde_json::json!({"a": {}}),
    ];
    let paths = [
        "",
        "/checkpoint",
        "/checkpoint/resume",
        "/checkpoint/resume/context",
    ];
    for path in paths {
        let keys: Vec<String> = value
            .pointer(path)
            .unwrap()
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        for key in keys {
            let mut gone = value.clone();
            gone.pointer_mut(path)
                .unwrap()
                .as_object_mut()
                .unwrap()
                .remove(&key);
            done(&sandbox, gone.to_string().as_bytes());
            for other in &others {
                let mut changed = value.clone();
                changed.pointer_mut(path).unwrap()[&key] = other.clone();
                done(&sandbox, changed.to_string().as_bytes());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        done(&project(), &bytes);
    }
}
