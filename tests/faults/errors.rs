//! System calls that fail: once, and from then on.

use super::calls::{Call, changing, looking, strace};
use super::deeds::{DEEDS, Deed};
use super::ground::{Ground, Ran};
use super::judge::{Judge, State};
use super::tally::Tally;
use super::{full, slice, spread};

/// The errors, and whether a call may fail so for ever: after `EINTR` it is tried again.
const ERRORS: &[(&str, &[&str])] = &[
    ("ENOSPC", &["", "+"]),
    ("EIO", &["", "+"]),
    ("EACCES", &["", "+"]),
    ("EROFS", &["", "+"]),
    ("EMFILE", &["", "+"]),
    ("EINTR", &[""]),
    ("EDQUOT", &["", "+"]),
];

/// What was reached.
#[derive(Debug, Default)]
struct Figures {
    runs: usize,
    harmless: usize,
    refused: usize,
    rolled_back: usize,
    unclear: usize,
    other: usize,
}

impl Figures {
    fn add(&mut self, code: i32) {
        self.runs += 1;
        match code {
            0 => self.harmless += 1,
            3 => self.refused += 1,
            6 => self.rolled_back += 1,
            7 => self.unclear += 1,
            _ => self.other += 1,
        }
    }
}

fn learn(ground: &Ground, deed: &Deed) -> (Judge, Vec<Call>, Vec<Call>) {
    ground.reset();
    let (_, reading) = looking(ground, deed.project, &deed.resume(ground));
    ground.reset();
    let logs = deed.logs(ground);
    let before = ground.persons();
    let all = ground.everything();
    let (ran, writing) = changing(ground, deed.project, &deed.resume(ground));
    assert_eq!(ran.code, 0, "{deed:?}: {ran:?}");
    let judge = Judge {
        before,
        after: ground.persons(),
        logs,
        all,
    };
    (judge, writing, reading)
}

/// Every call with every error, once and for ever.
fn cases(calls: &[Call]) -> Vec<(Call, &'static str, &'static str)> {
    let mut cases = Vec::new();
    for call in calls {
        for (errno, ways) in ERRORS {
            for on in *ways {
                cases.push((call.clone(), *errno, *on));
            }
        }
    }
    cases
}

/// A refusal says what happened in a sentence, and names no error that only a programmer knows.
pub(crate) fn says_so(ran: &Ran, case: &str) {
    let value = ran.json();
    let text = value["error"]["text"].as_str().unwrap_or_default();
    assert!(text.ends_with('.') && text.len() > 15, "{case}: {ran:?}");
    assert!(
        !text.contains("Os {") && !text.contains("panicked"),
        "{case}: {text}"
    );
}

fn strike(
    ground: &Ground,
    deed: &Deed,
    judge: &Judge,
    case: &(Call, &str, &str),
    figures: &mut Figures,
    codes: &[i32],
) {
    let (call, errno, on) = case;
    let on = *on;
    let case = format!("{:?} {call:?} {errno}{on}", deed.what);
    ground.reset();
    let ran = call.fail(ground, errno, on, deed.project, &deed.resume(ground));
    figures.add(ran.code);
    // What cannot be opened to be read is 5. Which open has which number depends on the machine.
    let blind = call.name == "openat" && ran.code == 5;
    // Where nothing can be written any more, the answer cannot be either; its code is as good.
    let mute = call.name == "write" && on == "+" && ran.out.is_empty();
    assert!(blind || codes.contains(&ran.code), "{case}: {ran:?}");
    // What was interrupted while it was made durable is tried again (libgit2 flushes by `fsync` and does not).
    let flushes = matches!(call.name.as_str(), "fdatasync" | "syncfs");
    assert!(
        !flushes || *errno != "EINTR" || ran.code == 0,
        "{case}: {ran:?}"
    );
    if ran.code == 7 && on.is_empty() {
        println!(
            "unclear after one error: {case}: {}",
            ran.json()["error"]["text"]
        );
    }
    if ran.code != 0 && !mute {
        says_so(&ran, &case);
    }
    // Where nothing can be removed, the empty probes of the checks stay until the next run removes them.
    let stuck = call.name == "unlinkat" && on == "+";
    match ran.code {
        3 | 6 if stuck => {}
        0 => assert_eq!(judge.state(ground, &case), State::After, "{case}"),
        7 => {}
        _ => assert_eq!(judge.state(ground, &case), State::Before, "{case}"),
    }
    Judge::recover(ground, deed.project, &case);
    judge.settled(ground, 0, &case);
}

#[test]
fn a_write_that_fails_leaves_before_or_after_and_says_so() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let mut figures = Figures::default();
    for deed in slice(DEEDS.to_vec(), 3) {
        let (judge, writing, _) = learn(&ground, &deed);
        // What the shell sees of a run that cannot print its answer is another matter.
        let calls: Vec<Call> = writing.into_iter().collect();
        for case in slice(cases(&calls), 4) {
            strike(&ground, &deed, &judge, &case, &mut figures, &[0, 3, 6, 7]);
        }
    }
    println!("failing writes: {figures:?}");
    Tally::new("failing calls").add(figures.runs);
}

#[test]
fn a_look_that_fails_leaves_before_or_after() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let mut figures = Figures::default();
    for deed in slice(DEEDS.to_vec(), 2) {
        let (judge, _, reading) = learn(&ground, &deed);
        let mut cases = cases(&reading);
        cases.retain(|(_, errno, _)| matches!(*errno, "EIO" | "EACCES" | "EMFILE"));
        let codes = [0, 1, 2, 3, 5, 6, 7];
        // A run looks some thousand times, mostly in the same way: all of it would take days.
        for case in spread(cases, if full() { 250 } else { 4 }) {
            strike(&ground, &deed, &judge, &case, &mut figures, &codes);
        }
    }
    println!("failing looks: {figures:?}");
    Tally::new("failing calls").add(figures.runs);
}
