//! What a configuration file may contain, and the error for anything else.

use super::*;

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text, Path::new("/c.toml"), &|key| {
        (key == "HOME").then(|| "/h".into())
    })
}

#[test]
fn the_commented_default_is_the_built_in_configuration() {
    let uncommented: String = DEFAULT
        .lines()
        .map(|l| l.strip_prefix("#:").unwrap_or(l))
        .collect::<Vec<_>>()
        .join("\n");
    let shown: toml::Table = uncommented.parse().unwrap();
    let lines = || {
        DEFAULT
            .lines()
            .map(|line| line.trim_start_matches(['#', ':', ' ']))
    };
    for table in [
        "",
        "[check]",
        "[runner]",
        "[slurm]",
        "[[metric]]",
        "[[view]]",
    ] {
        let unknown = parse(&format!("{table}\nno_key = 1")).unwrap_err().what;
        let known = unknown.split('`').skip(3).step_by(2);
        let is_shown = |key: &str| {
            let (value, heading) = (format!("{key} = "), format!("[{key}]"));
            lines().any(|line| line.starts_with(&value) || line == heading)
        };
        let hidden: Vec<&str> = known.filter(|key| !is_shown(key)).collect();
        assert_eq!(hidden, [""; 0], "a key of {table} is not shown");
    }
    assert_eq!(shown.len(), 16);
    assert_eq!(parse(&uncommented).unwrap(), Config::default());
    assert_eq!(parse(DEFAULT).unwrap(), Config::default());
}

#[test]
fn commands_are_lists_of_words() {
    let config = parse(
        "confirm = \"typed\"\nstaleness_hours = 8\n[agent]\nmgw = [\"gemini\", \"-i\"]\n[check]\ncommand = [\"make\", \"check\"]",
    )
    .unwrap();
    assert_eq!(config.confirm, Confirm::Typed);
    assert_eq!(config.staleness_hours, 8);
    assert_eq!(config.agent["mgw"], ["gemini", "-i"]);
    assert_eq!(config.check.command, ["make", "check"]);
    let table = [
        ("[agent]\nmgw = []", "agent.mgw has no program."),
        ("[agent]\nmgw = [\"\"]", "agent.mgw has no program."),
        (
            "[agent]\nmgw = [\"./x\"]",
            "agent.mgw names a program by a relative path",
        ),
        (
            "[agent]\nmgw = [\"x\", \"a\\nb\"]",
            "agent.mgw has a control",
        ),
        (
            "[check]\ncommand = [\"bin/x\"]",
            "check.command names a program by",
        ),
        ("[agent]\nmgw = \"claude\"", "line 2: "),
        (
            "[check]\ncmd = [\"x\"]",
            "line 2: `cmd` is not a key here; expected `command`.",
        ),
        (
            "confirm = \"always\"",
            "line 1: `always` is not a value here; expected `key` or `typed`.",
        ),
        ("staleness_hours = -1", "line 1: "),
    ];
    for (text, says) in table {
        let what = parse(text).unwrap_err().what;
        assert!(what.starts_with(says), "{text}: {what}");
    }
    assert_eq!(
        parse("[check]\ncommand = []").unwrap().check.command,
        [""; 0]
    );
}

#[test]
fn an_error_has_a_line_and_a_path_its_home() {
    let config = parse("theme = \"light\"\nroots = [\"~/work\", \"/srv\"]").unwrap();
    assert_eq!(config.roots, [PathBuf::from("/h/work"), "/srv".into()]);
    assert_eq!((config.theme, config.mouse), (Theme::Light, true));
    let keys = parse("[keys]\nsort = [\"o\", \"ctrl-s\"]").unwrap().keys;
    assert_eq!(keys["sort"], ["o", "ctrl-s"]);
    assert!(
        parse("\n\nthema = 1")
            .unwrap_err()
            .what
            .starts_with("line 3: `thema` is not a key here; expected one of ")
    );
}

#[test]
fn a_wrong_type_is_said_in_the_words_of_the_configuration() {
    for (text, says) in [
        (
            "staleness_hours = 1.5",
            "line 1: `1.5` is not valid here; a whole number from 0 to 4294967295 is expected.",
        ),
        ("staleness_hours = 99999999999999999999", "line 1: "),
        (
            "staleness_hours = 4294967296",
            "line 1: `4294967296` is not valid here; a whole number from 0 to 4294967295 is expected.",
        ),
        ("theme = 1", "line 1: a word in quotes is expected"),
        (
            "staleness_hours = -1",
            "line 1: `-1` is not valid here; a whole number from 0 to 4294967295 is expected.",
        ),
        (
            "roots = \"/x\"",
            "line 1: \"/x\" is not valid here; a list in brackets is expected.",
        ),
        (
            "mouse = 1",
            "line 1: `1` is not valid here; true or false is expected.",
        ),
        (
            "\nkeys = []",
            "line 2: a list is not valid here; a table is expected.",
        ),
    ] {
        let what = parse(text).unwrap_err().what;
        assert!(what.starts_with(says), "{text}: {what}");
        for jargon in ["i128", "u32", "sequence", "floating point", "invalid type"] {
            assert!(!what.contains(jargon), "{text}: {what}");
        }
    }
}

#[test]
fn a_relative_path_is_an_error() {
    for (text, says) in [
        (
            "roots = [\"/x\", \"rel\"]",
            "roots has the relative path \"rel\"",
        ),
        ("roots = [\"\"]", "roots has the relative path \"\""),
        ("ignore = [\"a/b\"]", "ignore has the relative path \"a/b\""),
        ("ignore = [\"\"]", "ignore has \"\", which matches nothing"),
        (
            "ignore = [\"/a/../b\"]",
            "ignore has \"/a/../b\", which matches nothing",
        ),
    ] {
        let what = parse(text).unwrap_err().what;
        assert!(what.starts_with(says), "{text}: {what}");
    }
    assert!(parse("ignore = [\"mgw-57\", \"~/x/y\"]").is_ok());
}

#[test]
fn a_file_that_cannot_be_read_has_a_hint_that_helps() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let env = |key: &str| (key == "HOME").then(|| home.as_os_str().to_owned());
    let load = |named: Option<&Path>| Config::load(named, &env);
    let absent = Config {
        file: Some(home.join(".config/relight/config.toml")),
        ..Config::default()
    };
    assert_eq!(load(None).unwrap(), absent);
    let missing = load(Some(&home.join("none"))).unwrap_err();
    assert!(
        missing.hint.starts_with("Name an existing file"),
        "{missing:?}"
    );
    let directory = load(Some(home)).unwrap_err();
    assert!(
        directory.hint.starts_with("Name an existing file"),
        "{directory:?}"
    );
    let folder = home.join(".config/relight");
    std::fs::create_dir_all(folder.join("config.toml")).unwrap();
    let directory = load(None).unwrap_err();
    assert!(
        directory.hint.starts_with("Move the directory"),
        "{directory:?}"
    );
    // What the file sets, such as `read_only`, may only be unmounted.
    std::fs::remove_dir(folder.join("config.toml")).unwrap();
    std::os::unix::fs::symlink("gone", folder.join("config.toml")).unwrap();
    let dangling = load(None).unwrap_err();
    assert!(
        dangling
            .to_string()
            .ends_with("config.toml is a link, and what it leads to is missing.")
    );
    std::fs::remove_dir_all(home.join(".config")).unwrap();
    std::os::unix::fs::symlink("gone", home.join(".config")).unwrap();
    assert_eq!(load(None).unwrap_err().file, home.join(".config"));
}
