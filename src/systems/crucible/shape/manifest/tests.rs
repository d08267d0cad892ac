use proptest::prelude::*;

use super::*;
use crate::model::EventRows as _;
use crate::world::real_files::RealFiles;

fn read(bytes: &[u8]) -> (tempfile::TempDir, Manifest) {
    let dir = crate::world::temporary::directory();
    std::fs::write(dir.path().join("m"), bytes).unwrap();
    let manifest = Manifest::read(&RealFiles, &Place::known(dir.path(), "m").unwrap()).unwrap();
    (dir, manifest)
}

fn entry(seq: u64, status: &str) -> String {
    format!(
        "{{\"seq\":{seq},\"file\":\"{seq}-x.md\",\"role\":\"r{}\",\"phase\":\"3\",\"status\":\"{status}\"}}\n",
        seq % 7
    )
}

#[test]
fn the_last_good_line_of_a_seq_wins() {
    let text = "{\"seq\":1,\"role\":\"a\",\"phase\":2,\"status\":\"dispatched\"}\n{\"seq\":1,\"status\":\"completed\",\"duration_s\":\"7\"}\n{\"seq\":1,\"status\":\n{\"seq\":1}\n[1]\n{\"seq\":0,\"status\":\"failed\"}\n";
    let (_dir, manifest) = read(text.as_bytes());
    assert_eq!((manifest.rows.len(), manifest.bad_count), (2, 4));
    let entry = manifest.entry(1).unwrap();
    assert_eq!(entry.status, DispatchStatus::Completed);
    assert_eq!(
        (
            manifest.role(entry),
            manifest.word(entry.phase),
            entry.duration_s()
        ),
        ("a", Some("2"), Some(7))
    );
    assert!(!manifest.only_torn);
    assert_eq!(
        manifest
            .bad
            .iter()
            .map(|bad| bad.number)
            .collect::<Vec<_>>(),
        [3, 4, 5, 6]
    );
}

#[test]
fn a_truncated_last_line_is_an_interrupted_write() {
    let (_dir, manifest) = read((entry(1, "completed") + "{\"seq\":2,\"fi").as_bytes());
    assert!(manifest.only_torn && !manifest.ended);
    let bom = format!("\u{feff}{}", entry(1, "completed"));
    let (_dir, manifest) = read(bom.as_bytes());
    let mut lines = manifest.reread(&RealFiles);
    assert!(lines.members(manifest.entry(1).unwrap()).is_some());
    let (_dir, manifest) = read(entry(1, "completed").trim_end().as_bytes());
    assert_eq!(
        (manifest.rows.len(), manifest.bad_count, manifest.ended),
        (1, 0, false)
    );
}

#[test]
fn blocks_and_threads_do_not_change_the_result() {
    // Lines of all lengths, so that they cross every kind of block border; one exceeds the parse limit.
    let mut text = String::from("\u{feff}");
    let mut good = 0_usize;
    for seq in 1..=60_000_u64 {
        let pad = "é".repeat(usize::try_from(seq % 97).unwrap());
        text += &entry(seq, "dispatched").replacen('{', &format!("{{\"x\":\"{pad}\","), 1);
        text += &entry(seq, if seq % 3 == 0 { "failed" } else { "completed" });
        good += 2;
        if seq == 30_000 {
            text += "{\"x\":\"";
            text += &"y".repeat(5 << 20);
            text += "\"}

";
        }
    }
    let (_dir, manifest) = read(text.as_bytes());
    assert_eq!(
        (
            manifest.rows.len(),
            manifest.entries.len(),
            manifest.bad_count
        ),
        (good, 60_000, 1)
    );
    assert_eq!(manifest.bad[0].number, 60_001);
    assert_eq!(u64::from(manifest.rows.last().unwrap().number), 120_002);
    let mut lines = manifest.reread(&RealFiles);
    for seq in [1, 29_999, 30_001, 60_000] {
        let entry = manifest.entry(seq).unwrap();
        assert_eq!(manifest.role(entry), format!("r{}", seq % 7));
        assert_eq!(
            lines.members(entry).unwrap().int("seq"),
            Some(seq.cast_signed())
        );
    }
    let failed = manifest
        .entries
        .iter()
        .filter(|e| e.status == DispatchStatus::Failed)
        .count();
    assert_eq!(failed, 20_000);
}

#[test]
fn a_hostile_seq_costs_no_more_than_any_other() {
    let (_dir, manifest) = read(
        format!(
            "{}{}",
            entry(u64::MAX / 2, "completed"),
            entry(u64::MAX, "completed")
        )
        .as_bytes(),
    );
    assert_eq!((manifest.rows.len(), manifest.bad_count), (1, 1));
}

#[test]
fn the_timeline_reads_its_lines_again() {
    let (dir, manifest) = read((entry(1, "dispatched") + &entry(1, "error")).as_bytes());
    let clock = [(1, crate::model::Stamp::from_unix(1_000).unwrap())].into();
    let rows = ManifestRows::new(manifest.into(), std::sync::Arc::new(clock));
    assert_eq!(rows.len(), 2);
    let first = rows.get(0).unwrap();
    assert_eq!(
        (first.kind.lossy().as_ref(), first.origin.line),
        ("dispatched", Some(1))
    );
    assert_eq!(first.at.unwrap().unix(), 1_000);
    assert_eq!(rows.mark(1), EventMark::Error);
    std::fs::remove_file(dir.path().join("m")).unwrap();
    assert_eq!(rows.get(0), None);
}

#[test]
fn a_line_that_cannot_be_read_is_at_its_place_in_the_timeline() {
    let text = format!(
        "{{\"seq\":\n{}not a line\n\n{}{{\"seq\": 3, \"sta",
        entry(1, "dispatched"),
        entry(1, "completed")
    );
    let (_dir, manifest) = read(text.as_bytes());
    let manifest = std::sync::Arc::new(manifest);
    let rows = ManifestRows::new(manifest.clone(), std::sync::Arc::default());
    let events: Vec<_> = (0..rows.len())
        .map(|place| rows.get(place).unwrap())
        .collect();
    let kinds: Vec<_> = events.iter().map(|e| e.kind.lossy()).collect();
    assert_eq!(
        kinds,
        [
            "bad line",
            "dispatched",
            "bad line",
            "completed",
            "truncated line"
        ]
    );
    assert!(
        events[2]
            .text
            .lossy()
            .starts_with("line 3 cannot be read: ")
    );
    assert_eq!(events[2].origin.line, Some(3));
    for (place, event) in events.iter().enumerate() {
        assert_eq!(rows.mark(place), event.mark, "{place}");
    }
    assert_eq!(rows.get(5), None);
    let last = manifest.entry(1).unwrap();
    assert_eq!(manifest.event_of(last), Some(3));
}

proptest! {
    #[test]
    fn any_truncation_reads_and_adds_nothing(cut in 0_usize..900) {
        let text: String = (1..=10).map(|seq| entry(seq, "completed")).collect();
        let bytes = text.as_bytes();
        let kept = &bytes[..cut.min(bytes.len())];
        let (_dir, manifest) = read(kept);
        let whole = memchr::memchr_iter(b'\n', kept).count();
        // A line is complete when only its newline is missing.
        let complete = whole + usize::from(kept.ends_with(b"}"));
        prop_assert_eq!(manifest.entries.len(), complete);
    }

    #[test]
    fn any_bytes_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let (_dir, manifest) = read(&bytes);
        prop_assert!(manifest.rows.len() <= 300);
    }
}
