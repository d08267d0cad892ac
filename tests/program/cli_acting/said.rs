//! What is said, and that it is said once.

use super::sandbox::Sandbox;

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn each_time_of_a_timeline_has_its_zone() {
    let sandbox = Sandbox::new();
    for id in sandbox.ids() {
        let page = sandbox.run_with(&[("TZ", "Asia/Tokyo")], &["timeline", &id]);
        let page = text(page.stdout);
        let times = page.lines().filter(|line| line.starts_with("20"));
        for line in times {
            let zone = line.get(19..23).unwrap();
            assert_eq!(zone, " JST", "{id}: {line}");
        }
        let assumed = page.lines().any(|line| line.get(23..24) == Some("?"));
        let explained = page.contains("\n? zone assumed: ");
        assert_eq!(assumed, explained, "{id}: {page}");
    }
}
