//! The world of crucible's tests: home, temporary directory, one project with a shadow store.

use super::*;

/// A world in a folder of its own: home, temporary directory, one project with a shadow store.
pub(crate) struct Kit {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) world: FakeWorld,
    pub(crate) resumes: Vec<crate::model::OwnResume>,
    pub(crate) undone: Vec<crate::model::UndoneWork>,
}

pub(crate) const SID: &str = "1775642282";
pub(crate) const START: &str = "2026-04-08T09:58:02Z";
pub(crate) const BASE: &str = "5f0c9e2d7b1a4c3e8f6d9a0b2c4e6f8091a3b5c7";

pub(crate) fn at(text: &str) -> chrono::DateTime<chrono::Utc> {
    text.parse().unwrap()
}

impl Kit {
    pub(crate) fn new() -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let dir = crate::world::temporary::directory();
        let root = dir.path().canonicalize().unwrap();
        let mut world = FakeWorld::from("2026-04-08T15:00:00Z");
        world.places.home = Some(root.join("home"));
        world.places.claude = Some(root.join("home/.claude"));
        world.places.temp = vec![root.join("tmp")];
        world.places.uid = std::fs::metadata(&root).unwrap().uid();
        std::fs::create_dir_all(root.join("proj")).unwrap();
        std::fs::create_dir_all(root.join("tmp")).unwrap();
        let mut kit = Self {
            dir,
            world,
            resumes: Vec::new(),
            undone: Vec::new(),
        };
        let repo = FakeRepo {
            branch: Some("feat/cache".to_owned()),
            ..FakeRepo::default()
        };
        kit.world.git.repos.insert(kit.proj(), repo);
        kit.commit(BASE, "2026-04-08T09:00:00Z", "init");
        kit
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    pub(crate) fn proj(&self) -> PathBuf {
        self.root().join("proj")
    }

    pub(crate) fn project(&self) -> PathBuf {
        let name = crate::systems::crucible::facts::project::claude_name(&self.proj());
        self.root().join("home/.claude/projects").join(name)
    }

    pub(crate) fn memory(&self) -> PathBuf {
        self.project().join("memory")
    }

    pub(crate) fn dispatch(&self) -> PathBuf {
        self.root()
            .join("tmp")
            .join(format!("crucible-dispatch-{SID}"))
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.project()
            .join("checkpoints")
            .join(crate::systems::crucible::facts::project::dir_hash(
                &self.proj(),
            ))
    }

    /// Writes a file with its own time.
    #[expect(
        clippy::unused_self,
        reason = "all that a test writes goes through its kit"
    )]
    pub(crate) fn write(&self, path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(at("2026-04-08T11:00:00Z").into())
            .unwrap();
    }

    pub(crate) fn marker(&self, phase: &str) {
        let text = format!(
            r#"{{"pipeline_id":"{SID}","skill":"build","phase":"{phase}","start_time":"{START}","scratch_dir":"{}/","dispatch_dir":"{}/","branch":"feat/cache","baseline_sha":"{BASE}"}}"#,
            self.memory().display(),
            self.dispatch().display()
        );
        self.write(&self.memory().join(".pipeline-active"), &text);
    }

    pub(crate) fn manifest(&self, lines: &[String]) {
        self.write(
            &self.dispatch().join("manifest.jsonl"),
            &(lines.join("\n") + "\n"),
        );
    }

    /// A dispatch file that started at this time of the day.
    pub(crate) fn header(&self, seq: u64, role: &str, time: &str) {
        let text = format!(
            "# Dispatch: {role}\n**Pipeline:** build\n**Timestamp:** 2026-04-08T{time}Z\n---\nx\n"
        );
        self.write(&self.dispatch().join(format!("{seq}-{role}.md")), &text);
    }

    pub(crate) fn commit(&mut self, id: &str, time: &str, subject: &str) {
        let proj = self.proj();
        add(&mut self.world, &proj, "feat/cache", id, time, subject);
    }

    /// Checkpoints of the shadow store: reason and time of the day.
    pub(crate) fn checkpoints(&mut self, all: &[(&str, &str)]) {
        let store = self.store();
        let mut table = String::new();
        for (number, (reason, time)) in (1..).zip(all) {
            let id = format!("{number:040x}");
            let time = format!("2026-04-08T{time}Z");
            add(
                &mut self.world,
                &store,
                "master",
                &id,
                &time,
                &format!("{reason} | {time} | build"),
            );
            let repo = self.world.git.repos.get_mut(&store).unwrap();
            repo.blobs
                .insert((id.clone(), PathBuf::from("a.txt")), b"x".to_vec());
            let row = format!("| {id} | {time} | {reason} | build |\n");
            table.push_str(&row);
        }
        let repo = self.world.git.repos.entry(store.clone()).or_default();
        repo.shadow_work_tree = Some(self.dir.path().canonicalize().unwrap().join("proj"));
        self.write(&store.join("HEAD"), "ref: refs/heads/master\n");
        std::fs::create_dir_all(store.join("objects")).unwrap();
        self.write(&store.join("checkpoint-manifest.md"), &table);
    }

    pub(crate) fn hit(&self, path: &Path) -> Hit {
        let found = if path.starts_with(self.root().join("tmp")) {
            Found::Temp {
                dir: self.root().join("tmp"),
            }
        } else {
            Found::ClaudeProject {
                project: self.project(),
            }
        };
        let marker = if path.is_dir() {
            Marker::Prefix("crucible-dispatch-")
        } else {
            Marker::File("manifest.jsonl")
        };
        Hit {
            marker,
            path: path.to_owned(),
            found,
        }
    }

    pub(crate) fn open(&self) -> CrucibleCase {
        self.open_from(vec![self.dispatch().join("manifest.jsonl")])
    }

    /// The same when these files were found.
    pub(crate) fn open_from(&self, sources: Vec<PathBuf>) -> CrucibleCase {
        let candidate = Candidate {
            system: NAME,
            native: SID.into(),
            anchor: PathBuf::new(),
            sources,
            work_tree: None,
            resumes: self.resumes.clone(),
            undone: self.undone.clone(),
        };
        CrucibleCase::open(&candidate, &self.world)
    }

    pub(crate) fn boundaries(&self, case: &CrucibleCase) -> Vec<Boundary> {
        let checks = case.verify(&self.world);
        case.boundaries(&checks, &self.world)
    }

    /// The hand-off of a point, from the work that its plan keeps and runs again.
    pub(crate) fn handoff(&self, case: &CrucibleCase, point: &str) -> crate::model::Handoff {
        let point = PointId(point.to_owned());
        let options = PlanOptions::default();
        let checks = case.verify(&self.world);
        let intent = case.intent(&point, &options, &self.world).unwrap();
        let prospect = Prospect {
            kept: &intent.kept,
            redone: &intent.redone,
            ..Prospect::new(&point, &checks)
        };
        case.handoff(&prospect, &self.world)
    }

    /// The ids of the points, and the recommended one.
    pub(crate) fn points(&self, case: &CrucibleCase) -> (String, Vec<String>) {
        let all = self.boundaries(case);
        let mut chosen = all
            .iter()
            .filter(|b| matches!(b.preference, Preference::Chosen(_)));
        let one = chosen.next().map_or("-", |b| &b.id.0).to_owned();
        assert!(chosen.next().is_none(), "two points are chosen");
        (one, all.into_iter().map(|b| b.id.0).collect())
    }
}

pub(crate) fn add(
    world: &mut FakeWorld,
    repo: &Path,
    branch: &str,
    id: &str,
    time: &str,
    subject: &str,
) {
    let repo = world.git.repos.entry(repo.to_owned()).or_default();
    let commits = repo.branches.entry(branch.to_owned()).or_default();
    let parents = commits.first().map(|c| c.id.clone());
    let commit = Commit {
        id: id.to_owned(),
        time: at(time),
        authored: at(time),
        subject: subject.into(),
        body: Foreign::default(),
        parents: parents.into_iter().collect(),
        cut: false,
    };
    commits.insert(0, commit);
}

/// A manifest line.
pub(crate) fn line(
    seq: u64,
    role: &str,
    phase: &str,
    task: u64,
    status: &str,
    more: &str,
) -> String {
    let task = if task == 0 {
        "null".to_owned()
    } else {
        task.to_string()
    };
    let (duration, summary) = if status == "dispatched" {
        ("null", "null")
    } else {
        ("60", "\"did it\"")
    };
    format!(
        r#"{{"seq":{seq},"file":"{seq}-{role}.md","role":"{role}","phase":"{phase}","task":{task},"status":"{status}","duration_s":{duration},"summary":{summary}{more}}}"#
    )
}

/// The two lines of a finished dispatch.
pub(crate) fn done(seq: u64, role: &str, phase: &str, task: u64) -> [String; 2] {
    [
        line(seq, role, phase, task, "dispatched", ""),
        line(seq, role, phase, task, "completed", ""),
    ]
}

/// Design, plan and wave 1 are done, wave 2 was interrupted; its checkpoints exist.
pub(crate) fn interrupted() -> Kit {
    let mut kit = Kit::new();
    kit.marker("3");
    let mut lines = Vec::new();
    lines.extend(done(1, "design-writer", "1", 0));
    lines.extend(done(2, "planner", "2", 0));
    lines.extend(done(3, "implementer", "3", 1));
    lines.push(line(4, "implementer", "3", 2, "dispatched", ""));
    kit.manifest(&lines);
    kit.header(1, "design-writer", "10:00:00");
    kit.header(2, "planner", "10:10:00");
    kit.header(3, "implementer", "10:20:00");
    kit.header(4, "implementer", "10:40:00");
    kit.commit(
        "a".repeat(40).as_str(),
        "2026-04-08T10:10:30Z",
        "docs: the plan",
    );
    kit.commit(
        "b".repeat(40).as_str(),
        "2026-04-08T10:20:50Z",
        "feat: cache",
    );
    kit.checkpoints(&[
        ("pre-design-gate", "10:05:00"),
        ("pre-wave-1", "10:15:00"),
        ("pre-wave-2", "10:30:00"),
    ]);
    kit
}

pub(crate) fn repo(kit: &mut Kit) -> &mut FakeRepo {
    let proj = kit.proj();
    kit.world.git.repos.get_mut(&proj).unwrap()
}
