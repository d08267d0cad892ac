//! A book in a folder of its own that remembers what it was told.

use std::fs;

use super::super::*;
use crate::model::StepState;

/// The book.
pub(super) struct MadeUp {
    dir: tempfile::TempDir,
    waves: Vec<usize>,
    /// How the steps stand when the run begins.
    pub(super) states: Vec<StepState>,
    /// What it was told: `begin STEP.ATTEMPT` and `end STEP STATUS SUMMARY`.
    pub(super) log: Vec<String>,
    /// The step that there is no room for.
    pub(super) full_at: Option<usize>,
}

impl MadeUp {
    /// A step for each wave that is named. Step 0 has the number 100.
    pub(super) fn new(waves: &[usize]) -> Self {
        Self {
            dir: crate::world::temporary::directory(),
            waves: waves.to_vec(),
            states: vec![StepState::Waiting; waves.len()],
            log: Vec::new(),
            full_at: None,
        }
    }

    /// What a step printed.
    pub(super) fn output(&self, step: usize) -> String {
        fs::read_to_string(self.dir.path().join(format!("{}.txt", 100 + step))).unwrap()
    }
}

impl Book for MadeUp {
    fn session(&self) -> Option<SessionId> {
        Some(SessionId("17-2".to_owned()))
    }

    fn steps(&self) -> Vec<RunStep> {
        let steps = (0_u64..).zip(self.waves.iter().zip(&self.states));
        steps
            .map(|(of, (wave, state))| RunStep {
                wave: *wave,
                progress: StepProgress {
                    of,
                    seq: None,
                    label: "work".into(),
                    state: *state,
                    attempt: 0,
                    begun_at: None,
                    duration_s: None,
                    original_s: None,
                    summary: None,
                    output: None,
                },
            })
            .collect()
    }

    fn begin(&mut self, step: usize, attempt: u32) -> io::Result<Begun> {
        if self.full_at == Some(step) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.log.push(format!("begin {step}.{attempt}"));
        let seq = 100 + u64::try_from(step).unwrap();
        let dispatch = self.dir.path().join(format!("{seq}-x.md"));
        fs::write(&dispatch, format!("dispatch {seq}\n")).unwrap();
        let output_path = self.dir.path().join(format!("{seq}.txt"));
        Ok(Begun {
            seq,
            dispatch,
            prompt: "Read it.".to_owned(),
            tree: self.dir.path().to_owned(),
            output: Box::new(fs::File::create(&output_path).unwrap()),
            output_path,
            launch: Launch::default(),
        })
    }

    fn end(&mut self, step: usize, ended: &Ended) -> io::Result<()> {
        let (status, summary) = (ended.status.word(), ended.summary.lossy().into_owned());
        self.log.push(format!("end {step} {status} {summary}"));
        Ok(())
    }
}

/// A runner that is a script of `/bin/sh`.
pub(super) fn sh(script: &str) -> Runner {
    Runner {
        name: "sh".into(),
        argv: ["/bin/sh", "-c", script].map(OsString::from).to_vec(),
        timeout_s: 60,
        retries: 0,
        models: std::collections::BTreeMap::new(),
    }
}
