//! The order of recoveries: by the recorded sequence, whatever the clock said.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::entries;
use crate::apply::disk::sim::SimDisk;
use crate::apply::history::next_number;

const HOME: &str = "/state/relight/0123456789abcdef";

/// Writes the folder of a recovery that was completed.
fn done(disk: &SimDisk, id: &str, number: Option<u64>, undoes: Option<&str>) {
    let folder = std::path::Path::new(HOME).join(id);
    let text = |text: &str| STANDARD.encode(text);
    let mut record = serde_json::json!({
        "pipeline": "p",
        "root": text("/p"),
        "label": text("a label"),
        "started_at": "2026-11-21T07:00:00+00:00",
        "undoes": undoes,
        "actions": [],
        "handoff": {"cwd": "", "argv": [], "prompt": "", "briefing": ""},
    });
    if let Some(number) = number {
        record["number"] = number.into();
    }
    disk.folder(folder.join("slots"));
    disk.file(folder.join("record.json"), record.to_string());
    disk.file(folder.join("DONE"), "");
}

fn order(disk: &SimDisk) -> Vec<String> {
    let all = entries(disk);
    all.into_iter().map(|entry| entry.recovery.id.0).collect()
}

#[test]
fn w8_the_latest_deed_comes_first_though_the_clock_was_set_back() {
    let disk = SimDisk::new();
    done(&disk, "20261121T070000000-aaaa", Some(1), None);
    done(&disk, "20261121T080000000-bbbb", Some(2), None);
    // The clock was set back by a day.
    done(
        &disk,
        "20261120T070000000-cccc",
        Some(3),
        Some("20261121T080000000-bbbb"),
    );
    let latest = [
        "20261120T070000000-cccc",
        "20261121T080000000-bbbb",
        "20261121T070000000-aaaa",
    ];
    assert_eq!(order(&disk), latest);
    assert_eq!(next_number(&disk, "/state".as_ref()), 4);
    let all = entries(&disk);
    let undone_by = all[1].recovery.undone_by.clone();
    assert_eq!(undone_by, Some(all[0].recovery.id.clone()));
}

#[test]
fn w8_records_of_older_versions_come_before_and_go_by_their_ids() {
    let disk = SimDisk::new();
    done(&disk, "20261121T070000000-aaaa", None, None);
    done(&disk, "20261121T080000000-bbbb", None, None);
    done(&disk, "20261120T070000000-cccc", Some(1), None);
    let latest = [
        "20261120T070000000-cccc",
        "20261121T080000000-bbbb",
        "20261121T070000000-aaaa",
    ];
    assert_eq!(order(&disk), latest);
    assert_eq!(next_number(&SimDisk::new(), "/state".as_ref()), 1);
}
