//! What an experiment has shown: its blocks, the evidence they add up to, and the verdict.

use crate::model::{Foreign, SessionId};
use crate::{foreign, string_enum};

string_enum! {
    /// One of the two sides of an experiment.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Arm {
        /// Every dispatch as it was.
        Control = "control",
        /// With the templates swapped.
        Mutated = "mutated",
    }
}

/// Where a run belongs in its experiment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RunPlace {
    /// The experiment.
    pub experiment: SessionId,
    /// Its arm.
    pub arm: Arm,
    /// Its block, from 1.
    pub block: usize,
}

/// The result of a run by the primary metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RunValue {
    /// It passed.
    Pass,
    /// It ended by itself without success: an error, a timeout, no verdict. Ranks below every number.
    Fail,
    /// A number, as it was measured.
    Number(f64),
    /// It was cut short by relight, a person or the machine, and says nothing.
    Missing,
}

/// How one complete block ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// The mutated run was better.
    Win,
    /// The mutated run was worse.
    Loss,
    /// Both were the same: shown, but no evidence.
    Tie,
}

/// One control run and one mutated run.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// The experiment it was run in.
    pub experiment: SessionId,
    /// Its number there, from 1.
    pub number: usize,
    /// The run in the control arm: a place in the runs of A.
    pub control_run: Option<usize>,
    /// The run in the mutated arm: a place in the runs of B.
    pub mutated_run: Option<usize>,
    /// The result of the control run.
    pub control: RunValue,
    /// The result of the mutated run.
    pub mutated: RunValue,
    /// How it ended; `None` where a run is missing.
    pub sign: Option<Sign>,
}

/// How many blocks ended how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlockTally {
    /// The mutated run was better.
    pub wins: u32,
    /// The mutated run was worse.
    pub losses: u32,
    /// Both were the same.
    pub ties: u32,
}

impl BlockTally {
    /// The tally with one more block.
    #[must_use]
    pub fn with(mut self, sign: Sign) -> Self {
        match sign {
            Sign::Win => self.wins += 1,
            Sign::Loss => self.losses += 1,
            Sign::Tie => self.ties += 1,
        }
        self
    }

    /// The complete blocks.
    pub fn blocks(self) -> u32 {
        self.wins + self.losses + self.ties
    }
}

/// The numbers of an experiment whose metric is a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberSummary {
    /// The median of the differences, mutated less control.
    pub median: f64,
    /// Their mean, turned so that more is better.
    pub mean: f64,
    /// The least and the greatest.
    pub range: (f64, f64),
    /// The blocks in which both runs have a number.
    pub blocks: u32,
}

/// What the blocks of an experiment add up to.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// What was measured: `acceptance tests`, `work completed`, or the name of a metric.
    pub metric: String,
    /// The blocks, in the order they were planned; those of earlier experiments of the same question first.
    pub blocks: Vec<Block>,
    /// The complete ones.
    pub tally: BlockTally,
    /// The evidence against "no difference"; a verdict needs `enough`.
    pub evidence: f64,
    /// The evidence that decides.
    pub enough: f64,
    /// The tally at which the verdict fell, where it is better or worse.
    pub decided_at: Option<BlockTally>,
    /// The number of blocks at which "no meaningful change" was reached, where that was before any other verdict.
    pub equal_at: Option<u32>,
    /// Runs of the control and of the mutated arm that passed, of those that ended by themselves, as the strip shows them;
    /// `None` for numbers.
    pub passed: Option<[(u32, u32); 2]>,
    /// Runs of each arm that are missing.
    pub missing: [u32; 2],
    /// The differences, where the metric is a number.
    pub numbers: Option<NumberSummary>,
    /// The differences of the two pass rates that the blocks do not rule out; from six blocks on.
    pub interval: Option<(f64, f64)>,
    /// The lowest pass rate of the mutated arm, in percent, that as many blocks as were planned call better in 80 of
    /// 100 experiments; `None` where it is unknown, `Some(None)` where no rate will do.
    pub can_show: Option<Option<u32>>,
    /// Blocks that count: those that were planned, and the complete ones of earlier experiments.
    pub planned: u32,
    /// Earlier experiments of the same question whose blocks are counted.
    pub earlier: u32,
    /// Earlier experiments of the same question whose blocks are left out (`--fresh`).
    pub left_out: u32,
    /// True where no verdict can be reached with the blocks left.
    pub unreachable: bool,
    /// How many blocks must be added at least before a verdict can be reached; zero where it can be reached without.
    pub lacking: u32,
}

impl Statistics {
    /// Whether a verdict is reached.
    pub fn is_decided(&self) -> bool {
        self.decided_at.is_some() || self.equal_at.is_some()
    }
}

/// What an experiment has shown by a metric beside the one that comes first.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricJudged {
    /// What its blocks add up to.
    pub statistics: Statistics,
    /// What may be said; `NotJudged` for a metric that was not declared to decide.
    pub verdict: Verdict,
    /// The same in sentences.
    pub text: VerdictText,
}

/// A verdict in sentences, and the command to run next.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VerdictText {
    /// Why nothing follows from it for a template. It comes before the sentences, which then give no advice.
    pub no_evidence: Option<Foreign>,
    /// The sentences. With a command and no lead, the last one has no period: it says what the command does.
    pub sentences: Foreign,
    /// What the command does, where the sentences do not say it. Without the command it says nothing.
    pub lead: Option<String>,
    /// The command, for whoever is not in the console, where a key does the same.
    pub command: Option<Foreign>,
    /// The blocks that the command adds to the experiment, where it adds some.
    pub adds: Option<u32>,
}

impl VerdictText {
    /// Sentences and command.
    pub fn whole(&self) -> Foreign {
        self.led(match &self.command {
            Some(command) => {
                let lead = self.lead.as_ref().map(|lead| format!(" {lead}"));
                let (sentences, lead) = (self.sentences.lossy(), lead.unwrap_or_default());
                foreign!("{}{}: {}", sentences, lead, command)
            }
            None => self.sentences.clone(),
        })
    }

    /// The sentences alone.
    pub fn without_command(&self) -> Foreign {
        self.led(match &self.command {
            Some(_) if self.lead.is_none() => foreign!("{}.", &self.sentences),
            _ => self.sentences.clone(),
        })
    }

    fn led(&self, sentences: Foreign) -> Foreign {
        match &self.no_evidence {
            Some(why) => foreign!("{} {}", why, sentences),
            None => sentences,
        }
    }

    /// The heading over the sentences.
    pub fn title(&self, verdict: Verdict) -> String {
        match self.no_evidence {
            Some(_) => format!("no evidence ({})", verdict.title()),
            None => verdict.title().to_owned(),
        }
    }
}

impl<T: Into<Foreign>> From<T> for VerdictText {
    fn from(sentences: T) -> Self {
        Self {
            sentences: sentences.into(),
            ..Self::default()
        }
    }
}

string_enum! {
    /// What may be said.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Verdict {
        /// The mutated arm is better.
        Better = "better",
        /// The mutated arm is worse.
        Worse = "worse",
        /// The difference is smaller than the margin that was fixed before the first run.
        NoMeaningfulChange = "no_meaningful_change",
        /// Not enough evidence yet.
        Undecided = "undecided",
        /// The arms differ in more than the template.
        Confounded = "confounded",
        /// No experiment with two arms, so nothing is judged.
        #[default]
        NotJudged = "not_judged",
    }
}

impl Verdict {
    /// The words for a person.
    pub fn title(self) -> &'static str {
        match self {
            Self::NoMeaningfulChange => "no meaningful change",
            Self::NotJudged => "not judged",
            Self::Better | Self::Worse | Self::Undecided | Self::Confounded => self.word(),
        }
    }
}
