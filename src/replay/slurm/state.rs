//! What Slurm says of jobs.

use std::fmt;

use chrono::{DateTime, FixedOffset, NaiveDateTime};

use crate::text::is_digits;

/// One task of an array, or a job without tasks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaskId {
    /// The job.
    pub job: String,
    /// Its number in the array.
    pub task: Option<usize>,
}

impl TaskId {
    fn parse(text: &str) -> Option<Self> {
        let (job, task) = match text.split_once('_') {
            Some((job, task)) => (job, Some(task.parse().ok()?)),
            None => (text, None),
        };
        is_digits(job).then(|| Self {
            job: job.to_owned(),
            task,
        })
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.task {
            Some(task) => write!(f, "{}_{task}", self.job),
            None => f.write_str(&self.job),
        }
    }
}

/// The status of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobState {
    /// It has not begun, or is to begin again.
    Waiting,
    /// It has a node.
    Running,
    /// It is over.
    Ended,
}

impl JobState {
    /// The state of Slurm's word. A word that is not known is taken for a running job: nothing is done about those.
    fn of(word: &str) -> Self {
        match word {
            "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "SPECIAL_EXIT"
            | "CONFIGURING" => Self::Waiting,
            "COMPLETED" | "CANCELLED" | "FAILED" | "TIMEOUT" | "NODE_FAIL" | "PREEMPTED"
            | "OUT_OF_MEMORY" | "BOOT_FAIL" | "DEADLINE" | "REVOKED" => Self::Ended,
            _ => Self::Running,
        }
    }
}

/// One task in the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Which.
    pub id: TaskId,
    /// Its state.
    pub state: JobState,
    /// Slurm's word for that.
    word: String,
    /// Why it waits, where Slurm says so.
    reason: String,
    /// When it was submitted, by this machine's clock and zone.
    submitted: Option<NaiveDateTime>,
    /// Its node, once it has one.
    pub node: String,
}

impl Task {
    /// Reads a line of squeue.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut fields = line.trim().split('|');
        let mut next = || fields.next().unwrap_or_default().trim().to_owned();
        let (id, word, reason, submitted, node) = (next(), next(), next(), next(), next());
        Some(Self {
            id: TaskId::parse(&id)?,
            state: JobState::of(&word),
            word,
            reason,
            submitted: NaiveDateTime::parse_from_str(&submitted, "%Y-%m-%dT%H:%M:%S").ok(),
            node,
        })
    }

    /// What it waits for: `job 12_3 is pending (Resources)`. `None` for one that runs or has ended.
    pub fn waiting(&self) -> Option<String> {
        let reason = match self.reason.as_str() {
            "" | "None" => String::new(),
            reason => format!(" ({reason})"),
        };
        let word = self.word.to_lowercase().replace('_', " ");
        (self.state == JobState::Waiting).then(|| format!("job {} is {word}{reason}", self.id))
    }

    /// Seconds since it was submitted.
    pub fn waited_s(&self, now: DateTime<FixedOffset>) -> Option<u64> {
        let since = now.naive_local() - self.submitted?;
        u64::try_from(since.num_seconds()).ok()
    }
}

/// How a job ended, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobEnd {
    /// Slurm's word; empty where it knows nothing any more.
    pub word: String,
    /// Exit status and signal: `127:0`.
    exit: String,
    node: String,
    /// Its time limit: `01:00:00`.
    limit: String,
}

impl JobEnd {
    /// Reads the line of `scontrol --oneliner show job`. `None` for a job that has not ended.
    pub(super) fn of_scontrol(line: &str) -> Option<Self> {
        let field = |name: &str| {
            let mut words = line.split_whitespace();
            let value = words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            value.filter(|value| *value != "(null)").unwrap_or_default()
        };
        let end = Self {
            word: field("JobState").to_owned(),
            exit: field("ExitCode").to_owned(),
            node: field("NodeList").to_owned(),
            limit: field("TimeLimit").to_owned(),
        };
        end.known()
    }

    /// Reads the first line of `sacct`.
    pub(super) fn of_sacct(said: &str) -> Option<Self> {
        let mut fields = said.lines().next()?.split('|');
        let mut next = || fields.next().unwrap_or_default().trim().to_owned();
        let end = Self {
            // `CANCELLED by 1000`.
            word: next().split(' ').next().unwrap_or_default().to_owned(),
            exit: next(),
            node: next(),
            limit: next(),
        };
        end.known()
    }

    fn known(self) -> Option<Self> {
        (JobState::of(&self.word) == JobState::Ended).then_some(self)
    }

    /// True where the program of the job ended by itself, and not because of the cluster or of a person.
    pub fn is_own(&self) -> bool {
        matches!(self.word.as_str(), "FAILED" | "COMPLETED")
    }

    /// What happened to it, as a sentence.
    pub fn sentence(&self, task: &TaskId) -> String {
        let at = match self.node.as_str() {
            "" | "None assigned" => String::new(),
            node => format!(" on node {node}"),
        };
        let what = match self.word.as_str() {
            "" => "is no longer known to Slurm".to_owned(),
            "COMPLETED" => format!("ended{at} before its run was complete"),
            "FAILED" => {
                let status = self.exit.split(':').next().unwrap_or_default();
                format!("failed{at} with exit code {status}")
            }
            "TIMEOUT" => format!("reached its time limit of {}{at}", self.limit),
            "NODE_FAIL" => match self.node.as_str() {
                "" => "lost its node".to_owned(),
                node => format!("was interrupted: node {node} failed"),
            },
            "PREEMPTED" => format!("was preempted{at}"),
            "CANCELLED" | "REVOKED" => format!("was canceled{at}"),
            "OUT_OF_MEMORY" => format!("ran out of memory{at}"),
            "BOOT_FAIL" => format!("could not start{at}: the node did not boot"),
            "DEADLINE" => format!("missed its deadline{at}"),
            other => format!("ended{at} as {other}"),
        };
        format!("Slurm job {task} {what}.")
    }

    /// The message about a run that received a stop signal which relight did not send.
    pub fn told_to_stop(&self, task: &TaskId) -> String {
        match self.limit.as_str() {
            "" | "UNLIMITED" | "Partition_Limit" => {
                format!("Slurm job {task} was told to stop by the cluster.")
            }
            limit => {
                format!(
                    "Slurm job {task} was told to stop by the cluster; its time limit is {limit}."
                )
            }
        }
    }
}
