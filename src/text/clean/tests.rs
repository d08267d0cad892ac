use super::*;
use proptest::prelude::*;

#[test]
fn control_and_invisible_characters_are_shown() {
    let table: &[(&str, &str)] = &[
        ("plain text", "plain text"),
        ("a\tb", "a␉b"),
        ("a\nb", "a␊b"),
        ("a\rb", "a␍b"),
        ("\u{1b}[31mred", "␛[31mred"),
        ("\u{1b}]52;c;aGk=\u{7}", "␛]52;c;aGk=␇"),
        ("\u{7f}", "␡"),
        ("\u{9b}31m", "<U+009B>31m"),
        ("a\u{202e}b", "a<U+202E>b"),
        ("\u{200b}", "<U+200B>"),
        ("x\u{fe0f}", "x<U+FE0F>"),
        ("\u{e0041}", "<U+E0041>"),
        ("\u{3164}", "<U+3164>"),
        ("<U+202E>", "<U+003C>U+202E>"),
        ("\\xFF", "<U+005C>xFF"),
        ("␛", "<U+241B>"),
        ("a<b \\n", "a<b \\n"),
        (
            "e\u{301}\u{301}\u{301}\u{301}\u{301}",
            "e\u{301}\u{301}\u{301}\u{301}<U+0301>",
        ),
        ("\u{301}a", "<U+0301>a"),
        ("日本", "日本"),
        ("a\u{a0}b", "a<U+00A0>b"),
    ];
    for (raw, shown) in table {
        assert_eq!(Clean::new(raw).as_str(), *shown);
    }
    assert_eq!(Clean::from_bytes(b"a\xff\xfeb").as_str(), "a\\xFF\\xFEb");
}

#[test]
fn clipped_texts_fit_and_still_differ() {
    let a = Clean::new(&format!("{}a", "日".repeat(50)));
    let b = Clean::new(&format!("{}b", "日".repeat(50)));
    for cells in 0..60 {
        assert!(a.clip(cells).width() <= cells, "{cells}");
        assert!(a.clip_start(cells).width() <= cells, "{cells}");
        assert!(a.clip_middle(cells).width() <= cells, "{cells}");
    }
    assert_ne!(a.clip(30), b.clip(30));
    assert_ne!(a.clip_middle(8), b.clip_middle(8));
    assert_eq!(Clean::new("pricing-eu").clip_middle(8).as_str(), "prici…eu");
    // Two projects of one name are told apart by the directory above them.
    for (path, short) in [
        ("svc-01/polymer-ring", "svc-01/…"),
        ("w/shop/prices", "w/shop/…"),
        ("backend/ring", "backend…"),
        ("services/ring", "service…"),
        ("services-01/ring", "servi…01"),
        ("services-02/ring", "servi…02"),
    ] {
        assert_eq!(Clean::new(path).clip_middle(8).as_str(), short);
    }
}

#[test]
fn any_part_is_clean() {
    let text = Clean::new("ae\u{301}日x");
    assert_eq!(text.part(0..1).as_str(), "a");
    assert_eq!(text.part(2..4).as_str(), "");
    assert_eq!(text.part(4..7).as_str(), "日");
    assert_eq!(text.part(5..7).as_str(), "");
    assert_eq!(text.part(0..99).as_str(), "");
}

#[test]
fn the_macro_cleans_its_arguments() {
    let branch = Foreign::from("x\u{1b}[2J");
    assert_eq!(clean!("on {} ({})", branch, 3_u64).as_str(), "on x␛[2J (3)");
}

proptest! {
    #[test]
    fn never_lets_a_dangerous_character_through(bytes in proptest::collection::vec(any::<u8>(), 0..64), text in any::<String>()) {
        for clean in [Clean::from_bytes(&bytes), Clean::new(&text)] {
            prop_assert!(clean.as_str().chars().all(|c| !c.is_control() && !is_hidden(c)));
        }
    }

    #[test]
    fn different_texts_look_different(a in "[a-c<>U+x\\\\0-2\u{0}-\u{1f}\u{200b}\u{202e}\u{301}\u{2400}-\u{2426}]{0,8}", b in "[a-c<>U+x\\\\0-2\u{0}-\u{1f}\u{200b}\u{202e}\u{301}\u{2400}-\u{2426}]{0,8}") {
        prop_assert_eq!(a == b, Clean::new(&a) == Clean::new(&b));
    }

    #[test]
    fn different_bytes_look_different(a in proptest::collection::vec(prop_oneof![Just(b'\\'), Just(b'x'), Just(b'F'), Just(0xff_u8), Just(0xe2_u8), Just(0x90_u8), Just(0x80_u8)], 0..8),
                                      b in proptest::collection::vec(prop_oneof![Just(b'\\'), Just(b'x'), Just(b'F'), Just(0xff_u8), Just(0xe2_u8), Just(0x90_u8), Just(0x80_u8)], 0..8)) {
        prop_assert_eq!(a == b, Clean::from_bytes(&a) == Clean::from_bytes(&b));
    }
}
