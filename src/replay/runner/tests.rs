use super::*;

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

fn runner(argv: &[&str]) -> Runner {
    Runner {
        name: "x".into(),
        argv: words(argv),
        timeout_s: 9,
        retries: 2,
        models: std::collections::BTreeMap::new(),
    }
}

#[test]
fn every_preset_is_a_program_that_is_told_of_the_dispatch() {
    let own = Path::new("/opt/relight");
    for name in PRESETS {
        let ask = RunnerAsk::Preset((*name).to_owned());
        let made = chosen(&ask, None, Some(own)).unwrap().unwrap();
        let recorded = if *name == STUB { STUB_RUNNER } else { name };
        assert_eq!(made.name, Foreign::from(recorded));
        assert_eq!((made.timeout_s, made.retries), (TIMEOUT_S, 0));
        let argv = argv(&made, "Read it.", Path::new("/s/dispatch/7-x.md"), "");
        let told = argv
            .iter()
            .any(|word| word == "Read it." || word == "/s/dispatch/7-x.md");
        assert!(told, "{argv:?}");
        let signs = argv.iter().any(|word| word.to_string_lossy().contains('{'));
        assert!(!signs, "{argv:?}");
    }
    let own = chosen(&RunnerAsk::Preset("stand-in".into()), None, Some(own));
    let argv = argv(
        &own.unwrap().unwrap(),
        "Read it.",
        Path::new("/s/7-x.md"),
        "",
    );
    assert_eq!(argv, words(&["/opt/relight", "stub-runner", "/s/7-x.md"]));
}

#[test]
fn the_runner_is_the_one_that_was_asked_for() {
    let configured = runner(&["agent", "-p"]);
    let limits = runner(&[]);
    let custom = RunnerAsk::Words(words(&["/opt/my-agent", "go"]));
    let named = |ask: &RunnerAsk, configured: Option<&Runner>| {
        let chosen = chosen(ask, configured, None).unwrap();
        chosen.map(|one| (one.name.lossy().into_owned(), one.timeout_s, one.retries))
    };
    let is = |name: &str, timeout, retries| Some((name.to_owned(), timeout, retries));
    assert_eq!(named(&RunnerAsk::Configured, None), None);
    assert_eq!(
        named(&RunnerAsk::Configured, Some(&configured)),
        is("x", 9, 2)
    );
    assert_eq!(named(&RunnerAsk::Configured, Some(&limits)), None);
    assert_eq!(named(&RunnerAsk::Nobody, Some(&configured)), None);
    assert_eq!(named(&custom, None), is("my-agent", TIMEOUT_S, 0));
    assert_eq!(named(&custom, Some(&limits)), is("my-agent", 9, 2));
    let claude = RunnerAsk::Preset("claude".into());
    assert_eq!(named(&claude, Some(&configured)), is("claude", 9, 2));
}

#[test]
fn what_names_no_runner_is_an_error_that_says_what_does() {
    let table = [
        (
            RunnerAsk::Preset("cluade".into()),
            "claude, codex, gemini, opencode, stub",
        ),
        (
            RunnerAsk::Preset("stand-in".into()),
            "The path of relight itself is unknown",
        ),
        (RunnerAsk::Words(Vec::new()), "names no program"),
        (RunnerAsk::Words(words(&[""])), "names no program"),
    ];
    for (ask, says) in table {
        let error = chosen(&ask, None, None).unwrap_err();
        assert!(error.lossy().contains(says), "{ask:?}: {}", error.lossy());
    }
}

#[test]
fn signs_are_filled_in_once_and_the_prompt_comes_last_without_them() {
    let table: &[(&[&str], &[&str])] = &[
        (&["a"], &["a", "do {file}"]),
        (&["a", "-p"], &["a", "-p", "do {file}"]),
        (&["a", "{prompt}", "-v"], &["a", "do {file}", "-v"]),
        (&["a", "--in={file}"], &["a", "--in=/d/7 x.md"]),
        (
            &["a", "{file}{prompt}{dir}{"],
            &["a", "/d/7 x.mddo {file}/d{"],
        ),
        (&["a", "--see", "{dir}"], &["a", "--see", "/d", "do {file}"]),
        (
            &["a", "--model={model}", "{file}"],
            &["a", "--model=opus", "/d/7 x.md"],
        ),
        (&["{file}", "x"], &["{file}", "x", "do {file}"]),
    ];
    for (given, made) in table {
        let argv = argv(&runner(given), "do {file}", Path::new("/d/7 x.md"), "opus");
        assert_eq!(argv, words(made), "{given:?}");
    }
}

#[test]
fn bytes_that_are_no_text_pass_through() {
    let bytes = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    let mut odd = runner(&["a"]);
    odd.argv.push(bytes(b"\xff{file}"));
    let dispatch = bytes(b"/d/\xfe.md");
    let argv = argv(&odd, "", Path::new(&dispatch), "");
    assert_eq!(argv[1], bytes(b"\xff/d/\xfe.md"));
}

#[test]
fn a_tier_is_mapped_to_the_model_of_the_configuration() {
    let mut one = runner(&["agent", "--model", "{model}", "{prompt}"]);
    assert!(takes_model(&one) && !takes_model(&runner(&["{model}", "{prompt}"])));
    one.models.insert("high".into(), "claude-opus-4-5".into());
    for (tier, model) in [("high", "claude-opus-4-5"), ("haiku", "haiku")] {
        let argv = argv(&one, "Read it.", Path::new("/s/7-x.md"), tier);
        assert_eq!(argv, words(&["agent", "--model", model, "Read it."]));
    }
}
