use super::*;
use TestOutcome::{Fail, Pass, Unknown};

#[test]
fn a_whole_output_is_read_and_not_its_last_line_alone() {
    let table: &[(&str, TestOutcome)] = &[
        ("12 passed, 3 failed\nAll done, everything passed.\n", Fail),
        (
            "3 failed, 9 passed\nfixed them\n12 passed, 0 failed\n",
            Pass,
        ),
        ("**Verdict:** FAIL\n\nThank you for the work.\n", Fail),
        ("## Result: PASS\nI committed the files.\n", Pass),
        ("FAIL: 2 findings\n1. One\n2. Two\n", Fail),
        (
            "test 1 ... failed\ntest 2 ... ok\nPASS: all of them now\n",
            Pass,
        ),
        ("test result: FAILED. 5 passed; 1 failed\n", Fail),
        ("9 of 12 acceptance tests passed\nall done, PASS\n", Fail),
        ("12 passed, 3 errors in 4s\nPASS\n", Fail),
        ("12 tests passed, 3 tests failed\nPASS, all done\n", Fail),
        (
            "Final verdict: FAIL\nAs a reminder, the unit tests passed.\n",
            Fail,
        ),
        ("FAIL: 4 of 5 tests passed\n", Fail),
        ("I wrote the file.\n", Unknown),
        ("nothing\nthe tests passed\n", Pass),
        (" \n", Fail),
    ];
    for (output, expected) in table {
        assert_eq!(of_output(output.as_bytes()), *expected, "{output}");
    }
}

#[test]
fn the_last_statement_of_a_summary_is_its_verdict() {
    let table: &[(&str, TestOutcome)] = &[
        ("", Unknown),
        ("Task 4: cache layer, 9 tests", Unknown),
        ("PASS", Pass),
        ("gate: FAIL", Fail),
        ("FAIL in round 1, PASS in round 2", Pass),
        ("Round 2: PASS after FAIL", Fail),
        ("first pass over the plan", Unknown),
        ("Pass 2 of the review", Unknown),
        ("the fail-safe is kept", Unknown),
        ("fixed the failed login", Unknown),
        ("failed to reproduce it", Unknown),
        ("acceptance tests failed", Fail),
        ("acceptance tests passed.", Pass),
        ("Tests Passed", Pass),
        ("2 tests failed in cache_test", Fail),
        ("passed with 2 warnings", Pass),
        ("12 passed, 0 failed", Pass),
        ("0 failed", Pass),
        ("no failed tests", Unknown),
        ("none failed", Pass),
        ("3 failed, 12 passed", Fail),
        ("1 failed, 2 skipped, 12 passed in 3.10s", Fail),
        ("1 failed, 2 skipped and 12 passed", Fail),
        ("3 failed, then 12 passed", Pass),
        ("0 passed, 3 failed", Fail),
        ("3 failed, 0 passed", Fail),
        ("0 passed", Unknown),
        ("passed: 12, failed: 0", Pass),
        ("failed=2 passed=7", Fail),
        ("PASS: 0 findings", Pass),
        ("FAIL: 3 findings", Fail),
        ("FAILED: 0", Pass),
        ("test result: ok. 5 passed; 0 failed; 1 ignored", Pass),
        ("test result: FAILED. 5 passed; 1 failed", Fail),
        ("not passed", Fail),
        ("did not FAIL", Pass),
        ("bestanden: Prüfung PASS ✔", Pass),
        ("COMPASS and FAILOVER", Unknown),
        ("9 of 12 acceptance tests passed", Fail),
        ("12 of 12 acceptance tests passed", Pass),
        ("12/15 tests passed", Fail),
        ("15/15 tests passed", Pass),
        ("9 out of the 12 tests passed", Fail),
        ("0 of 12 passed", Fail),
        ("passed: 9/12", Fail),
        ("Passed 12 of 12", Pass),
        ("0 of 12 tests failed", Pass),
        ("2 of 12 tests failed", Fail),
        ("12/15 PASSED", Fail),
        ("FAILED: 0 of 3 criteria", Fail),
        ("phase 2 of 3 passed", Pass),
        ("Round 2/3: passed", Pass),
        ("12 passed, 3 errors in 4s", Fail),
        ("3 errors, 12 passed", Fail),
        ("3 errors and 12 passed", Fail),
        ("0 errors, 12 passed", Pass),
        ("12 passed, no errors", Pass),
        ("1 error in 0.4s", Fail),
        ("Tests run: 12, Failures: 0, Errors: 2", Fail),
        ("Tests run: 12, Failures: 1, Errors: 0", Fail),
        ("fixed 3 errors, 12 passed", Pass),
        ("3 errors found and corrected", Unknown),
        ("errors are logged; PASS", Pass),
    ];
    for (summary, expected) in table {
        assert_eq!(verdict(summary.as_bytes()), *expected, "{summary}");
    }
    assert_eq!(verdict(b"\xff\xfe FAIL \xff"), Fail);
}

#[test]
fn a_number_of_failed_tests_is_a_failure_wherever_it_stands() {
    let table: &[(&str, TestOutcome)] = &[
        ("2 tests failed in x, 12 passed", Fail),
        ("2 tests failed in cache.rs, 12 passed", Fail),
        (
            "2 tests failed in the cache of the store and its index, 12 tests passed",
            Fail,
        ),
        ("12 passed, 2 tests failed in x", Fail),
        ("of 14 tests 2 failed because of a timeout, 12 passed", Fail),
        ("2 failed (cache, index, store and lock), 12 passed", Fail),
        ("failed: 2 (in the cache of the store), passed: 12", Fail),
        ("0 tests failed in the cache of the store, 12 passed", Pass),
        ("1 failed, 2 rerun, 12 passed", Fail),
        ("1 failed, 2 retried, 12 passed", Fail),
        ("1 failed, 2 fixed, 12 passed", Fail),
        ("1 failed, 2 tests fixed, 12 passed", Fail),
        ("1 failed; rerun: 2; 12 passed", Fail),
        ("failed=1, fixed=2, passed=12", Fail),
        ("1 failed 2 rerun 12 passed", Fail),
        ("2 failed after 30 s, 12 passed", Fail),
        ("2 failed (after 30 s), 12 passed", Fail),
        ("2 tests failed in task 4, 12 passed", Fail),
        ("Task 1: 2 tests failed, task 2: 12 passed", Fail),
        ("2 tests failed again, 12 passed", Fail),
        ("2 tests failed after the fix, 12 passed", Fail),
        ("2 tests failed before and after the fix, 12 passed", Fail),
        ("2 tests failed as before, 12 passed", Fail),
        ("2 tests failed in the changed module, 12 passed", Fail),
        (
            "2 tests failed in a, b and the changed one, 12 passed",
            Fail,
        ),
        ("2 tests failed, which I could not fix, 12 passed", Fail),
        ("2 tests failed, to be fixed later, 12 passed", Fail),
        ("2 tests failed, both unrelated to the fix, 12 passed", Fail),
        ("2 tests failed in x, with 12 passed", Fail),
        ("Before the change 2 tests failed, 12 passed", Fail),
        ("Round 2: 2 tests failed in x, 12 passed", Fail),
        // Another run.
        (
            "2 tests failed because of a missing import, which I added, and 14 passed",
            Pass,
        ),
        (
            "Before the change 2 tests failed with timeouts, with the change 14 passed",
            Pass,
        ),
        ("2 tests failed at first, 12 passed", Pass),
        ("2 tests failed before the fix, 12 passed", Pass),
        ("2 tests failed until I fixed them, 12 passed", Pass),
        ("2 failed and I fixed them, 12 passed", Pass),
        ("2 failed and now 12 passed", Pass),
        ("2 failed, after the fix 12 passed", Pass),
        ("Round 1: 2 failed, round 2: 12 passed", Pass),
        ("2 failed, on retry 12 passed", Pass),
        ("2 failed, all fixed: 12 passed", Pass),
        ("2 tests failed in x, then 12 passed", Pass),
        ("2 tests failed in x; fixed it: 12 passed", Pass),
        ("2 tests failed in round 1 of the gate, 12 passed", Pass),
        ("2 tests failed in x. I changed the cache. 12 passed", Pass),
        ("2 tests failed in x\nI changed it\n12 passed", Pass),
    ];
    for (summary, expected) in table {
        assert_eq!(verdict(summary.as_bytes()), *expected, "{summary}");
    }
    let output = b"2 tests failed in x, 12 passed\nAll done.\n";
    assert_eq!(of_output(output), Fail);
}

#[test]
fn a_stated_verdict_decides_whatever_its_line_says_later() {
    let table: &[(&str, TestOutcome)] = &[
        ("FAIL: 4 of 5 tests passed", Fail),
        ("FAIL: 0 tests passed", Fail),
        ("FAIL: 0 passed", Fail),
        ("FAIL: 0 failed", Fail),
        ("FAIL, 3 tests passed", Fail),
        ("FAIL - only 3 passed", Fail),
        ("FAIL (3 tests passed)", Fail),
        ("FAIL because two are red; the others passed", Fail),
        ("FAIL: 2 tests are red, all others passed", Fail),
        ("FAIL: round 1 said PASS", Fail),
        ("**FAIL**: 3 tests passed", Fail),
        ("[FAIL] 3 tests passed", Fail),
        ("Verdict: FAIL. The unit tests passed.", Fail),
        ("**Verdict:** FAIL, the unit tests passed", Fail),
        ("**Verdict**: fail, the unit tests passed", Fail),
        ("Final verdict — FAIL, the unit tests passed", Fail),
        ("Result: failed, 3 tests passed", Fail),
        ("Task 4: FAIL, 3 tests passed", Fail),
        ("FAIL: expected status: PASS", Fail),
        ("Task 4 - FAIL, 3 tests passed", Fail),
        ("FAIL in round 1; verdict: PASS", Pass),
        ("Task 4 FAIL: 3 tests passed", Fail),
        ("FAIL: 0 errors, 2 timeouts", Fail),
        ("FAIL: 0/3 criteria", Fail),
        ("FAIL: 0% of the plan", Fail),
        ("FAIL: 0.5 s too slow", Fail),
        ("FAIL: no errors in the build, but 2 tests timed out", Fail),
        ("FAIL: 2 red\nthe rest passed", Fail),
        ("FAIL: 2 red\nPASS: repaired", Pass),
        ("Round 1: FAIL, round 2: PASS", Pass),
        ("FAILED: 0, PASSED: 12", Pass),
        ("FAILED: 0. 12 passed", Pass),
        ("Verdict: pass", Pass),
        ("Verdict: PASS. What failed in round 1 is repaired.", Pass),
        ("PASS: what made round 1 FAIL is repaired", Pass),
        ("PASS: 0 errors", Pass),
        ("PASS: 12 tests passed", Pass),
        ("PASS: 3 of 5 tests passed", Fail),
        ("PASS, 3 tests failed", Fail),
        ("PASS: 0 tests passed", Unknown),
        ("Result: 0 tests passed", Unknown),
        ("0 tests passed", Unknown),
        ("No acceptance tests passed", Unknown),
        ("task 0 passed", Pass),
        ("no warnings and all tests passed", Pass),
        ("no warnings, tests passed", Pass),
        ("0 tests failed", Pass),
        ("none of the tests failed", Pass),
        ("0 FAILED: nothing to do", Pass),
        ("1 test failed, 12 tests passed", Fail),
        ("1 test failed, 2 tests skipped, 12 tests passed", Fail),
        ("1 test failed, then 12 tests passed", Pass),
    ];
    for (summary, expected) in table {
        assert_eq!(verdict(summary.as_bytes()), *expected, "{summary}");
    }
}
