//! The sandbox for the engine's tests: newly built, with every pipeline known and files edited as an orchestrator
//! would.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::{Engine, Request};
use crate::model::PipelineId;

/// The sandbox, with an engine that knows its pipelines.
pub(crate) struct Scene {
    dir: tempfile::TempDir,
    /// The engine.
    pub(crate) engine: Engine,
    /// The ids of the pipelines.
    pub(crate) ids: Vec<PipelineId>,
}

impl Scene {
    /// Builds the sandbox.
    pub(crate) fn new() -> Self {
        Self::edited(|_| {})
    }

    /// The same for all tests that only read.
    pub(crate) fn shared() -> &'static Self {
        static SHARED: OnceLock<Scene> = OnceLock::new();
        SHARED.get_or_init(|| Self::within(tempfile::tempdir().unwrap(), |_| {}))
    }

    /// Builds the sandbox and edits it before anything is read.
    pub(crate) fn edited(edit: impl FnOnce(&Self)) -> Self {
        Self::within(crate::world::temporary::directory(), edit)
    }

    fn within(dir: tempfile::TempDir, edit: impl FnOnce(&Self)) -> Self {
        let root = dir.path().canonicalize().unwrap();
        let sandbox = crate::demo::build(&root, chrono::Utc::now()).unwrap();
        let projects = sandbox.projects();
        let engine = Engine::of_this_machine(Vec::new(), &[&projects]);
        let mut scene = Self {
            dir,
            engine,
            ids: Vec::new(),
        };
        edit(&scene);
        let request = Request {
            cwd: projects.clone(),
            paths: vec![projects],
            all: true,
            ..Request::default()
        };
        let survey = scene.engine.survey(&request, &|_| {}).unwrap();
        scene.ids = survey.pipelines.into_iter().map(|p| p.id).collect();
        scene
    }

    /// The pipeline whose id begins so.
    pub(crate) fn id(&self, begins: &str) -> &PipelineId {
        let found = self.ids.iter().find(|id| id.0.starts_with(begins));
        found.unwrap_or_else(|| panic!("no {begins} among {:?}", self.ids))
    }

    /// A path under the sandbox.
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.dir.path().join(file)
    }

    /// The name of the folder in the temporary directory that the interrupted crucible run dispatches in.
    pub(crate) fn dispatch(&self) -> String {
        let temp = self.path("home/tmp").read_dir().unwrap();
        let names = temp.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        // The finished run is older, and its session's number smaller.
        let names = names.filter(|name| name.starts_with("crucible-dispatch-"));
        names.max().unwrap()
    }

    /// Appends to a file, making it where needed.
    pub(crate) fn append(&self, file: &str, text: &str) {
        let path = self.path(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    /// Replaces a text of a file.
    pub(crate) fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.path(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
    }

    /// How many lines a file has.
    pub(crate) fn lines(&self, file: &str) -> usize {
        let text = std::fs::read_to_string(self.path(file)).unwrap();
        text.lines().count()
    }
}
