//! Sentences that report an action, and many more that do not.

use proptest::prelude::*;

use super::*;

fn found(text: &str) -> Vec<(&'static str, String)> {
    in_text(text, &Origin::file("/log"))
        .into_iter()
        .map(|one| (one.kind, one.remedy.lossy().into_owned()))
        .collect()
}

#[test]
fn a_plain_sentence_in_the_past_reports_its_action() {
    let table: &[(&str, &[(&str, &str)])] = &[
        ("Pushed branch feature/x to origin.", &[("push", "")]),
        ("Committed and pushed the fix", &[("push", "")]),
        ("force-pushed to origin/main", &[("push", "")]),
        (
            "Opened PR #12 for review",
            &[("pull request", "gh pr close 12")],
        ),
        (
            "Created pull request 7",
            &[("pull request", "gh pr close 7")],
        ),
        (
            "opened https://github.com/acme/shop/pull/31",
            &[("pull request", "gh pr close 31 --repo acme/shop")],
        ),
        ("Opened MR #4", &[("pull request", "")]),
        ("created a PR", &[("pull request", "")]),
        ("Merged PR #12", &[("merge", "")]),
        ("Commented on issue #5", &[("comment", "")]),
        ("Posted a comment", &[("comment", "")]),
        ("Filed issue #9", &[("issue", "gh issue close 9")]),
        ("Closed issue #9", &[("issue", "gh issue reopen 9")]),
        ("Installed numpy and scipy", &[("install", "")]),
        ("ran `pip install numpy`", &[("install", "")]),
        ("$ git push origin main", &[("push", "")]),
        ("Deployed to staging", &[("deploy", "")]),
        ("Published version 1.2 to npm", &[("publication", "")]),
        ("Sent a Slack message", &[("message", "")]),
        ("submitted job 4711 to Slurm", &[("job", "")]),
        (
            "Tests are green. Pushed branch x; opened PR #3.",
            &[("push", ""), ("pull request", "gh pr close 3")],
        ),
        (
            "pushed branch x and opened PR #3",
            &[("pull request", "gh pr close 3"), ("push", "")],
        ),
    ];
    for (text, expected) in table {
        let expected: Vec<_> = expected
            .iter()
            .map(|(k, r)| (*k, (*r).to_owned()))
            .collect();
        assert_eq!(found(text), expected, "{text}");
    }
}

#[test]
fn doubts_plans_and_other_meanings_report_nothing() {
    for text in [
        "",
        "Not pushed to origin",
        "did not commit, open or pushed branch",
        "The branch was never pushed",
        "Will be pushed to origin later",
        "Ready to be merged into main",
        "Must be installed before the build",
        "numpy is installed",
        "The package was already installed",
        "Tests that the email is sent",
        "push to origin",
        "git push origin main",
        "Next: run git push",
        "if approved, opened PR",
        "PR #12 needs review",
        "Pushed the value onto the stack",
        "pushed back on the review",
        "Added a comment-free parser",
        "Created the issue tracker tests",
        "Merged two functions",
        "Submitted the plan for review",
        "Released the lock",
        "Uploaded handler implemented",
        "push failed: rejected by remote",
        "Dry run: pushed branch x to origin",
        "implemented the comments added by reviewers when asked",
        "Refused: pushed branch",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn nothing_foreign_becomes_part_of_a_command() {
    for text in [
        "opened PR #12;rm",
        "opened PR #$(id)",
        "opened https://github.com/a;b/c/pull/1",
        "opened https://github.com/--x/c/pull/1",
        "opened https://github.com/a/b/pull/1$(id)",
        "opened https://evil.example/a/b/pull/1",
    ] {
        for (_, remedy) in found(text) {
            assert!(
                remedy.is_empty() || remedy == "gh pr close 12",
                "{text}: {remedy}"
            );
        }
    }
}

#[test]
fn every_reporting_sentence_passes_the_cheap_test() {
    for text in [
        "Pushed branch x to origin",
        "Opened PR #12",
        "Created pull request 7",
        "raised PR #1",
        "Merged PR #12",
        "Commented on issue #5",
        "Posted a comment",
        "wrote a comment",
        "left a comment",
        "Closed issue #9",
        "ran `pip install numpy`",
        "$ git push",
        "ran terraform apply",
        "Deployed",
        "Published to npm",
        "Uploaded to s3",
        "Released version 2",
        "Sent email",
        "notified slack channel",
        "emailed a message and submitted job 1",
    ] {
        assert!(!found(text).is_empty(), "{text}");
        assert!(may_tell(text.as_bytes()), "{text}");
    }
    assert!(!may_tell(b"{\"seq\":1,\"status\":\"dispatched\"}"));
}

#[test]
fn a_long_text_is_cut_between_characters() {
    let text = format!("{}. Deployed", "\u{e9}".repeat(TEXT));
    assert_eq!(found(&text), []);
    let text = format!("Deployed. {}", "\u{e9}".repeat(TEXT));
    assert_eq!(found(&text).len(), 1);
}

/// Words of such reports, and text that an attacker would put between them.
const PIECES: &[&str] = &[
    "opened",
    "created",
    "closed",
    "merged",
    "pushed",
    "PR",
    "pull",
    "request",
    "issue",
    "#12",
    "12;id",
    "#$(id)",
    "-R",
    "--repo",
    "https://github.com/a/b/pull/3",
    "https://github.com/a/-b/pull/3",
    "https://github.com/a/b/pull/3\u{202e}",
    "https://github.com/a/b$(x)/issues/4",
    "`id`",
    "\u{1b}]52",
    ".",
    ";",
    "\n",
    "\u{301}",
    "origin",
    "'",
    "\"",
    "7\u{200b}",
];

proptest! {
    #[test]
    fn a_remedy_is_plain_words_whatever_the_record_says(
        text in proptest::collection::vec(proptest::sample::select(PIECES), 0..9)
    ) {
        for one in in_text(&text.join(" "), &Origin::file("/log")) {
            let remedy = one.remedy.lossy().into_owned();
            let words: Vec<&str> = remedy.split(' ').collect();
            let number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
            let plain = match words.as_slice() {
                [""] => true,
                ["gh", "pr" | "issue", "close" | "reopen", n] => number(n),
                ["gh", "pr" | "issue", "close" | "reopen", n, "--repo", repo] => {
                    number(n) && repo.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./".contains(&b))
                        && !repo.starts_with('-')
                }
                _ => false,
            };
            prop_assert!(plain, "{remedy:?}");
        }
    }

    #[test]
    fn any_text_is_accepted(text in ".{0,200}") {
        in_text(&text, &Origin::file("/log"));
    }
}
