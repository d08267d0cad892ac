use super::*;
use crate::engine::ErrorKind;

fn words(words: &[&str]) -> Vec<Foreign> {
    words.iter().map(|word| Foreign::from(*word)).collect()
}

#[test]
fn the_configured_command_replaces_the_program_and_its_arguments() {
    let agents = [
        ("crucible", vec!["npx", "claude"]),
        ("autoconference", vec!["claude", "--model", "opus"]),
    ];
    let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect();
    let agents = agents.map(|(system, words)| (system.to_owned(), owned(words)));
    let settings = Settings {
        agents: agents.into_iter().collect(),
        ..Settings::default()
    };
    let table: &[(&str, &[&str], &[&str])] = &[
        ("crucible", &["claude", "--verbose"], &["npx", "claude"]),
        ("crucible", &["claude"], &["npx", "claude"]),
        ("crucible", &[], &[]),
        ("mgw", &["gemini"], &["gemini"]),
        (
            "crucible",
            &["claude", "--resume", "1f0c"],
            &["claude", "--resume", "1f0c"],
        ),
        (
            "autoconference",
            &["claude", "--resume", "1f0c"],
            &["claude", "--model", "opus", "--resume", "1f0c"],
        ),
    ];
    for (system, own, expected) in table {
        let mut handoff = Handoff {
            argv: words(own),
            prompt: "typed".into(),
            ..Handoff::default()
        };
        settings.command(SystemName(system), &mut handoff);
        assert_eq!(handoff.argv, words(expected), "{system} {own:?}");
        assert_eq!(handoff.prompt, "typed");
    }
}

#[test]
fn w7_the_configured_agents_and_runner_are_signs_of_life() {
    let runner = Runner {
        name: "own".into(),
        argv: ["/opt/own-runner", "{prompt}"].map(OsString::from).to_vec(),
        timeout_s: 60,
        retries: 3,
        models: BTreeMap::new(),
    };
    let agents = [(
        "mgw".to_owned(),
        vec!["npx".to_owned(), "own-agent".to_owned()],
    )];
    let settings = Settings {
        agents: agents.into_iter().collect(),
        runner: Some(runner),
        ..Settings::default()
    };
    let world = crate::world::fake::FakeWorld::from("2026-01-01T00:00:00Z");
    let engine = Engine::new(Box::new(world), Vec::new()).with_settings(settings);
    let agents = engine.world.processes().agents();
    for (name, is_agent) in [("own-agent", true), ("own-runner", true), ("own", false)] {
        let process = crate::world::process::Process {
            name: name.into(),
            ..crate::world::process::Process::default()
        };
        assert_eq!(agents.program(&process).is_some(), is_agent, "{name}");
    }
}

#[test]
fn a_system_that_there_is_not_is_an_error() {
    let mut config = Config::default();
    assert_eq!(Settings::of(&config).unwrap(), Settings::default());
    config.agent.insert("crucibel".into(), vec!["x".into()]);
    let error = Settings::of(&config).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage);
    assert!(error.text.lossy().contains("crucibel"));
}

#[test]
fn the_sandbox_has_a_runner_where_the_configuration_names_none() {
    use crate::engine::testing::Scene;
    let runner = |name: &str, argv: &[&str]| Runner {
        name: name.into(),
        argv: argv.iter().map(OsString::from).collect(),
        timeout_s: 60,
        retries: 3,
        models: BTreeMap::new(),
    };
    let scene = Scene::new();
    let mut engine = Some(scene.engine);
    let mut chosen = |runner: Option<Runner>| {
        let set = engine.take().unwrap().with_settings(Settings {
            runner,
            ..Settings::default()
        });
        let runner = engine.insert(set).settings().runner.clone().unwrap();
        (runner.name.lossy().into_owned(), runner.retries)
    };
    assert_eq!(chosen(None), ("stand-in".to_owned(), 0));
    assert_eq!(chosen(Some(runner("", &[]))), ("stand-in".to_owned(), 3));
    assert_eq!(chosen(Some(runner("own", &["x"]))), ("own".to_owned(), 3));
}

/// A console that is open beside a pipeline would keep it alive, where its file is not called `relight`.
#[test]
fn the_stub_runner_is_no_agent() {
    let settings = Settings {
        runner: stub_runner(None),
        ..Settings::default()
    };
    assert!(settings.runner.is_some());
    assert_eq!(settings.programs(), Agents::default());
}

#[test]
fn the_configured_runner_is_a_preset_or_a_command_within_its_limits() {
    let of = |preset: &str, command: &[&str], retries| {
        let mut config = Config::default();
        config.runner = RunnerConfig {
            preset: preset.to_owned(),
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            retries,
            ..RunnerConfig::default()
        };
        Settings::of(&config).map(|settings| {
            let one = settings.runner;
            one.map(|one| (one.name.lossy().into_owned(), one.argv.len(), one.retries))
        })
    };
    assert_eq!(of("", &[], 0).unwrap(), None);
    assert_eq!(of("", &[], 2).unwrap(), Some((String::new(), 0, 2)));
    assert_eq!(
        of("", &["/opt/a", "b"], 2).unwrap(),
        Some(("a".into(), 2, 2))
    );
    assert_eq!(of("codex", &[], 0).unwrap().unwrap().0, "codex");
    let error = of("codecks", &[], 0).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage);
    assert!(error.text.lossy().contains("claude, codex"));
}

#[test]
fn a_briefing_names_no_other_client_than_the_configured_one() {
    use crate::engine::testing::Scene;
    use crate::model::{PlanOptions, PointChoice};
    let scene = Scene::new();
    let id = scene.id("superscientist-polymer").clone();
    let names_claude = |engine: &Engine| {
        let plan = engine.plan(&id, &PointChoice::Recommended, &PlanOptions::default());
        plan.unwrap().handoff.briefing.lossy().contains("claude")
    };
    assert!(names_claude(&scene.engine));
    let own = ["opencode", "run"].map(str::to_owned);
    let engine = scene.engine.with_settings(Settings {
        agents: [("superscientist".to_owned(), own.to_vec())].into(),
        ..Settings::default()
    });
    assert!(!names_claude(&engine));
}

#[test]
fn plans_name_the_configured_command_and_rows_go_stale_by_the_configured_hours() {
    use crate::engine::testing::Scene;
    use crate::model::{PlanOptions, PointChoice};
    let scene = Scene::new();
    let id = scene.id("nine-step-price-alerts").clone();
    let conference = scene.id("autoconference-tokenizer").clone();
    let own = |engine: &Engine| {
        let plan = engine.plan(&id, &PointChoice::Recommended, &PlanOptions::default());
        plan.unwrap()
    };
    let before = own(&scene.engine);
    let stale = |engine: &Engine, id| {
        let dossier = engine.dossier(id).unwrap();
        dossier.pipeline.reading.badges.contains(&Badge::Stale)
    };
    assert!(!stale(&scene.engine, &conference) && !stale(&scene.engine, &id));
    let agents = [(
        "nine-step".to_owned(),
        vec!["my-agent".to_owned(), "-i".to_owned()],
    )];
    let engine = scene.engine.with_settings(Settings {
        agents: agents.into_iter().collect(),
        staleness_hours: 1,
        ..Settings::default()
    });
    let after = own(&engine);
    assert_eq!(after.handoff.argv[..2], words(&["my-agent", "-i"]));
    assert_eq!(after.handoff.argv.last(), before.handoff.argv.last());
    assert!(stale(&engine, &conference) && stale(&engine, &id));
    let engine = engine.with_settings(Settings {
        staleness_hours: 24 * 365,
        ..Settings::default()
    });
    assert!(!stale(&engine, &conference));
}
