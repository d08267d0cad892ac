//! The reasons for which a conversation matches a pipeline.

use super::*;
use crate::world::fake::FakeRepo;

pub(super) const DURING: [Option<&str>; 2] =
    [Some("2026-11-22T07:30:00Z"), Some("2026-11-22T08:00:00Z")];
const AFTER: [Option<&str>; 2] = [Some("2026-11-23T07:30:00Z"), Some("2026-11-23T08:00:00Z")];

/// A pipeline with its own worktree, another one of the repository, and another project.
pub(super) struct Place {
    pub(super) scene: Scene,
    pub(super) reading: Reading,
    pub(super) own: PathBuf,
    other: PathBuf,
    elsewhere: PathBuf,
}

impl Place {
    fn new() -> Self {
        let mut scene = Scene::new();
        let own = scene.project.join(".worktrees/57");
        let other = scene.project.join(".worktrees/58");
        let elsewhere = scene.dir.path().canonicalize().unwrap().join("elsewhere");
        for dir in [&own, &other, &elsewhere] {
            std::fs::create_dir_all(dir).unwrap();
        }
        let project = scene.project.clone();
        let repo = FakeRepo::default();
        scene.world.git.repos.insert(project.clone(), repo);
        let reading = Reading {
            native: "57".into(),
            state_files: vec![
                project.join(".mgw/active/57-pay.json"),
                project.join("runs/57/state.json"),
            ],
            work_tree: Some(own.clone()),
            pull_request: Some(12),
            ..scene.reading()
        };
        Self {
            scene,
            reading,
            own,
            other,
            elsewhere,
        }
    }

    /// The same with the state files of three issues.
    pub(super) fn of_issues() -> Self {
        let place = Self::new();
        for name in [
            "active/57-pay.json",
            "active/58-search.json",
            "done/55-old.json",
        ] {
            let file = place.scene.project.join(".mgw").join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "{}").unwrap();
        }
        place
    }

    pub(super) fn reasons(
        &self,
        cwd: &Path,
        times: [Option<&str>; 2],
        transcript: &Transcript,
    ) -> Option<Vec<String>> {
        let [first, last] = times.map(|time| time.map(at));
        let subject = Subject::of(&self.reading, &self.scene.world);
        let found = subject.reasons(&[Some(cwd)], (first, last), transcript)?;
        Some(found.iter().map(|one| one.lossy().into_owned()).collect())
    }
}

/// A conversation that ran a skill with arguments.
pub(super) fn skill(name: &str, words: &str) -> Transcript {
    Transcript {
        skills: vec![name.to_owned()],
        asked: vec![(name.to_owned(), words.to_owned())],
        ..Transcript::default()
    }
}

fn ran(command: &str) -> Transcript {
    Transcript {
        commands: vec![command.to_owned()],
        ..Transcript::default()
    }
}

/// Where a conversation was, when, what it did, and the expected first reason.
type Case<'a> = (
    &'a str,
    &'a Path,
    [Option<&'a str>; 2],
    Transcript,
    Option<&'a str>,
);

#[test]
#[expect(clippy::too_many_lines, reason = "it is one table")]
fn the_strongest_reason_is_first_and_the_weak_ones_never_suffice() {
    let place = Place::new();
    let project = place.scene.project.clone();
    let absolute = format!(
        "cat '{}'",
        project.join(".mgw/active/57-pay.json").display()
    );
    let on_branch = |transcript: Transcript| Transcript {
        branch: Some("feat/pay".into()),
        ..transcript
    };
    let with = |change: fn(&mut Transcript, &Place)| {
        let mut transcript = Transcript::default();
        change(&mut transcript, &place);
        transcript
    };
    let plain = Transcript::default;
    let cases: Vec<Case<'_>> = vec![
        (
            "an edit of the state",
            &place.elsewhere,
            AFTER,
            with(|t, p| t.written = vec![p.reading.state_files[0].clone()]),
            Some("It wrote .mgw/active/57-pay.json, which belongs to this pipeline."),
        ),
        (
            "a file in a directory of its own",
            &place.elsewhere,
            AFTER,
            with(|t, p| t.written = vec![p.scene.project.join("runs/57/notes.md")]),
            Some("It wrote runs/57/notes.md, which belongs to this pipeline."),
        ),
        (
            "the state of another pipeline of the same directory",
            &place.elsewhere,
            DURING,
            with(|t, p| t.written = vec![p.scene.project.join(".mgw/active/58-x.json")]),
            None,
        ),
        (
            "a launch of this run",
            &place.elsewhere,
            AFTER,
            with(|t, _| t.workflows = vec!["57".to_owned()]),
            Some("It launched this run."),
        ),
        (
            "the worktree of the pipeline",
            &place.elsewhere,
            AFTER,
            with(|t, p| t.worktrees = vec![p.own.clone()]),
            Some("It worked in the pipeline's own worktree."),
        ),
        (
            "another worktree",
            &place.elsewhere,
            DURING,
            with(|t, p| t.worktrees = vec![p.other.clone()]),
            None,
        ),
        (
            "a command that names the state, in the time",
            &place.elsewhere,
            DURING,
            ran(&absolute),
            Some("It ran a command on the pipeline's state files."),
        ),
        (
            "the same afterward, from elsewhere",
            &place.elsewhere,
            AFTER,
            ran(&absolute),
            None,
        ),
        (
            "the same afterward, from inside: somebody may only look",
            &place.own,
            AFTER,
            ran("cat .mgw/active/57-pay.json"),
            None,
        ),
        (
            "a relative name from inside",
            &place.own,
            DURING,
            ran("jq . ./.mgw/active/57-pay.json | head"),
            Some("It ran a command on the pipeline's state files."),
        ),
        (
            "a relative name from elsewhere",
            &place.elsewhere,
            DURING,
            ran("cat .mgw/active/57-pay.json"),
            None,
        ),
        (
            "a longer name",
            &place.own,
            DURING,
            ran("cat .mgw/active/57-pay.json.tmp x.mgw/active/57-pay.json"),
            Some("It ran in this project's directory."),
        ),
        (
            "another worktree of the repository alone",
            &place.other,
            DURING,
            plain(),
            None,
        ),
        (
            "another worktree and the branch",
            &place.other,
            DURING,
            on_branch(plain()),
            Some("It ran in another worktree of this repository."),
        ),
        (
            "the same afterward",
            &place.other,
            AFTER,
            on_branch(plain()),
            None,
        ),
        (
            "another worktree and the pull request",
            &place.other,
            DURING,
            with(|t, _| t.pull_requests = vec![12]),
            Some("It is linked to the pipeline's pull request #12."),
        ),
        (
            "another pull request",
            &place.other,
            DURING,
            with(|t, _| t.pull_requests = vec![13]),
            None,
        ),
        (
            "the number of a pull request of another repository",
            &place.elsewhere,
            DURING,
            with(|t, _| t.pull_requests = vec![12]),
            None,
        ),
        (
            "the branch and the time",
            &place.elsewhere,
            DURING,
            on_branch(plain()),
            None,
        ),
        (
            "the directory and the time",
            &place.own,
            DURING,
            plain(),
            Some("It ran in this project's directory."),
        ),
        ("the directory alone", &place.own, AFTER, plain(), None),
    ];
    for (name, cwd, times, transcript, expected) in &cases {
        let found = place.reasons(cwd, *times, transcript);
        let first = found.as_ref().map(|all| all[0].as_str());
        assert_eq!(first, *expected, "{name}: {found:?}");
    }
    let all = place.reasons(&place.own, DURING, &on_branch(ran(&absolute)));
    assert_eq!(
        all.unwrap(),
        [
            "It ran a command on the pipeline's state files.",
            "It ran in this project's directory.",
            "It was on the pipeline's branch.",
            "It ran while the pipeline's files were being written.",
        ]
    );
}

#[test]
fn a_conversation_that_names_only_other_issues_of_the_project_is_no_evidence() {
    let place = Place::of_issues();
    let project = place.scene.project.clone();
    let wrote = |name: &str| Transcript {
        written: vec![project.join(".mgw").join(name)],
        ..Transcript::default()
    };
    let on = |branch: &str| Transcript {
        branch: Some(branch.into()),
        ..Transcript::default()
    };
    let entered = Transcript {
        worktrees: vec![project.join(".worktrees/issue/58-search")],
        ..Transcript::default()
    };
    let cases = [
        ("no issue is named", Transcript::default(), true),
        (
            "the skill for this one",
            skill("mgw:run", "57 --retry"),
            true,
        ),
        ("the skill for another one", skill("mgw:run", "#58"), false),
        ("triage of another one", skill("mgw:issue", "58"), false),
        (
            "a milestone, which has several",
            skill("mgw:milestone", "58"),
            true,
        ),
        (
            "a state file of another one",
            wrote("active/58-search.json"),
            false,
        ),
        ("its archived state file", wrote("done/55-old.json"), false),
        ("a file of all", wrote("project.json"), true),
        ("the branch of another one", on("issue/58-search"), false),
        ("an unrelated branch", on("main"), true),
        ("the worktree of another one", entered, false),
        (
            "a command on another one",
            ran("cat .mgw/active/58-search.json"),
            false,
        ),
        (
            "a command on both",
            ran("diff .mgw/active/5[78]* .mgw/active/57-pay.json .mgw/active/58-search.json"),
            true,
        ),
        ("a longer name", ran("cat notes/158-search-2.md"), true),
    ];
    for (name, transcript, belongs) in cases {
        let found = place.reasons(&project, DURING, &transcript);
        assert_eq!(found.is_some(), belongs, "{name}: {found:?}");
    }
}

/// A client looks for a conversation in the directory that it is started in.
#[test]
fn a_conversation_whose_directory_is_gone_has_a_command_only_if_its_client_finds_it() {
    let scene = Scene::new();
    let gone = scene.project.join("sub");
    scene.conversation(ONE, &gone, "2026-11-22T07:55:00Z", &[question()]);
    std::fs::create_dir(&gone).unwrap();
    let there = scene.only();
    assert!(there.resume.is_some(), "{there:?}");
    std::fs::remove_dir(&gone).unwrap();
    // From 2.1.223 on, the client finds it from any directory.
    let found = scene.only();
    let line = found.resume.as_ref().and_then(ResumeCommand::line);
    let command = format!("claude --resume {ONE}");
    assert_eq!(line.unwrap().into_string(), command);
    let next = found.cause.next[0].lossy().into_owned();
    assert!(
        next.contains("Its directory is gone, so run this in that of the project:"),
        "{next}"
    );
    assert!(next.ends_with(&command), "{next}");
    let file = std::fs::read_to_string(&found.file).unwrap();
    let file = file.replace("2.1.281", "2.1.222");
    write(
        Some(&PathBuf::from("/")),
        found.file.strip_prefix("/").unwrap().to_str().unwrap(),
        file.as_bytes(),
        "2026-11-22T07:55:00Z",
    );
    let one = scene.only();
    assert_eq!(one.resume, None);
    let next: Vec<String> = one
        .cause
        .next
        .iter()
        .map(|n| n.lossy().into_owned())
        .collect();
    assert!(next[0].contains("its directory is gone"), "{next:?}");
    assert!(!next[0].contains("claude --resume"), "{next:?}");
}
