//! What a configuration file may contain, and the error for anything else.

use super::*;

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text, Path::new("/c.toml"), &|key| {
        (key == "HOME").then(|| "/h".into())
    })
}

/// The same configuration with every value marked as built in.
fn as_built_in(mut config: Config) -> Config {
    fn reset<T>(sourced: &mut Sourced<T>) {
        sourced.source = Source::Default;
    }
    reset(&mut config.roots);
    reset(&mut config.ignore);
    reset(&mut config.theme);
    reset(&mut config.mouse);
    reset(&mut config.plain);
    reset(&mut config.notify);
    reset(&mut config.read_only);
    reset(&mut config.keys);
    reset(&mut config.confirm);
    reset(&mut config.staleness_hours);
    reset(&mut config.agent);
    reset(&mut config.check);
    reset(&mut config.runner);
    reset(&mut config.metric);
    reset(&mut config.slurm);
    reset(&mut config.view);
    config
}

#[test]
fn the_commented_default_is_the_built_in_configuration() {
    let uncommented: String = DEFAULT
        .lines()
        .map(|l| l.strip_prefix("#:").unwrap_or(l))
        .collect::<Vec<_>>()
        .join("\n");
    let written = parse(&uncommented).unwrap();
    let sources = [
        &written.roots.source,
        &written.ignore.source,
        &written.theme.source,
        &written.mouse.source,
        &written.plain.source,
        &written.notify.source,
        &written.read_only.source,
        &written.keys.source,
        &written.confirm.source,
        &written.staleness_hours.source,
        &written.agent.source,
        &written.check.source,
        &written.runner.source,
        &written.metric.source,
        &written.slurm.source,
        &written.view.source,
    ];
    let file = Source::File("/c.toml".into());
    assert!(
        sources.iter().all(|source| **source == file),
        "a key is not shown"
    );
    assert_eq!(as_built_in(written), Config::built_in());
    assert_eq!(parse(DEFAULT).unwrap(), Config::built_in());
}

#[test]
fn commands_are_lists_of_words() {
    let config = parse(
        "confirm = \"typed\"\nstaleness_hours = 8\n[agent]\nmgw = [\"gemini\", \"-i\"]\n[check]\ncommand = [\"make\", \"check\"]",
    )
    .unwrap();
    assert_eq!(config.confirm.value, Confirm::Typed);
    assert_eq!(config.staleness_hours.value, 8);
    assert_eq!(config.agent.value["mgw"], ["gemini", "-i"]);
    assert_eq!(config.check.value, ["make", "check"]);
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
        ("[check]\ncmd = [\"x\"]", "line 2: unknown field"),
        ("confirm = \"always\"", "line 1: unknown variant"),
        ("staleness_hours = -1", "line 1: "),
    ];
    for (text, says) in table {
        let what = parse(text).unwrap_err().what;
        assert!(what.starts_with(says), "{text}: {what}");
    }
    assert_eq!(parse("[check]\ncommand = []").unwrap().check.value, [""; 0]);
}

#[test]
fn an_error_has_a_line_and_a_value_its_origin() {
    let config = parse("theme = \"light\"\nroots = [\"~/work\", \"/srv\"]").unwrap();
    assert_eq!(
        config.roots.value,
        [PathBuf::from("/h/work"), "/srv".into()]
    );
    assert_eq!(config.theme.source, Source::File("/c.toml".into()));
    assert_eq!(config.mouse.source, Source::Default);
    let keys = parse("[keys]\nsort = [\"o\", \"ctrl-s\"]").unwrap().keys;
    assert_eq!(keys.value["sort"], ["o", "ctrl-s"]);
    assert!(
        parse("\n\nthema = 1")
            .unwrap_err()
            .what
            .starts_with("line 3: unknown field")
    );
}
