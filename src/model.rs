//! The vocabulary of relight: plain data that every module shares.
//!
//! What it may not do: no reading, no writing, no clock, no git type. A model value describes itself and
//! is handed on.

pub mod action_done;
mod amend;
pub mod asked;
pub mod basis;
mod cancel;
pub mod cause;
mod change;
pub mod check;
pub mod checkpoint;
pub mod commands_again;
pub mod comparison;
pub mod continuation;
mod conversation;
pub mod dossier;
pub mod error;
pub mod export;
mod file_form;
pub mod filter;
pub mod finding;
pub mod guard;
pub mod handoff;
pub mod history;
mod in_parts;
pub mod index_lock;
pub mod intent;
mod kept_pair;
pub mod launch;
pub mod line_ends;
pub mod list_columns;
pub mod list_row;
pub mod liveness;
mod lock;
mod loss;
pub mod nearest;
pub mod origin;
mod own_past;
pub mod path;
pub mod pipeline;
pub mod plan;
pub mod point;
mod purge_loss;
pub mod reading;
pub mod record;
pub mod recovery;
pub mod replay;
pub mod request;
pub mod saved_view;
pub mod stamp;
pub mod timeline;
pub mod waiting;

pub use crate::text;
pub use crate::text::format::{shell_word, short_id};
pub use crate::text::{Clean, Foreign};
pub use action_done::{REFORMED, actions_done};
pub use amend::{AmendKind, Amendment, NewStage};
pub use asked::{Asked, PointChoice, Reversal, UndoOptions};
pub use basis::Basis;
pub use cancel::{Cancel, Reach};
pub use cause::{Cause, CauseEvidence, CauseKind, Sure, Why};
pub(crate) use change::above;
pub use change::{BranchMove, ChangeCounts, PathChange, PlanPath, files_of};
pub use check::{Check, CheckId, CheckSummary, Subject, Verdict};
pub use checkpoint::{
    CHECKPOINT_SOURCE, Checkpoint, CheckpointAsk, CheckpointKind, Drift, DriftPath, LeftOut,
    PathState, TakenCheckpoint,
};
pub use commands_again::FoundBy;
pub use comparison::{
    Arm, Artifact, ArtifactChange, Artifacts, Beside, Block, BlockTally, Bucket, Compared,
    Comparison, ComparisonVerdict, ExperimentFacts, MARGIN, Measure, MeasureUnit, Metric,
    MetricJudged, MetricValue, NumberSummary, OwnMetric, Pair, Party, RoleFindings, Run,
    RunConditions, RunKind, RunPlace, RunTree, RunValue, STILL_OPEN, STRIP_ROWS, Said, Sign,
    StartAnew, Statistics, TestOutcome, VerdictText, Work, WorkStatus, strip_fit,
};
pub use continuation::Continuation;
pub use conversation::{Client, Conversation, Quote, ResumeCommand};
pub use dossier::{Dossier, Operand, Sides};
pub use error::{EngineError, ErrorKind, Result};
pub use export::{Export, ExportFile, Exported};
pub use file_form::{FileForm, Forms};
pub use finding::{Finding, Severity};
pub use guard::{Guard, GuardKind};
pub use handoff::{Handoff, said};
pub use history::{History, PurgeReport, RecoverMode, Recovered};
pub use in_parts::in_parts;
pub use intent::{DATED, Intent, Prospect, Step, WorkItem, covered_seconds};
pub use kept_pair::{KeptContent, KeptPair};
pub use launch::{LaunchEnd, Next, Resumed, StepMode, StepNews, after_step};
pub use line_ends::{Blob, LineEnds};
pub use list_columns::{
    CONSOLE_DEFAULT, FilterBy, LIST_COLUMNS, LIST_DEFAULT, ListColumn, ListKey, SORT_ORDER,
    list_widths,
};
pub use list_row::ListRow;
pub use liveness::{Aliveness, LifeEvidence, LifeSign, Liveness, SignKind, SignVerdict};
pub use lock::lock;
pub use loss::{Loss, LossKind};
pub use origin::Origin;
pub use own_past::{OwnResume, OwnWrites, RestoredFiles, UndoneWork};
pub use path::{PathRefusal, Place, RelPath};
pub use pipeline::{
    Badge, Branch, Phase, PhaseStatus, Pipeline, PipelineId, Progress, Standing, Status, SystemName,
};
pub use plan::{
    Action, ActionKind, ClockStyle, Fingerprint, Plan, PlanOptions, Preview, RestoreMode,
    one_line_reason,
};
pub use point::{Boundary, CheckpointNeed, PointId, PointKind, Preference, Readiness, ResumePoint};
pub use purge_loss::{LastCommits, PurgeLoss};
pub use reading::{Claim, Reading, TreeFacts, TreeNeed};
pub use record::{NextStep, RecordAsk, RecordOption, RecordOptionKind, Recorded, RecordedFile};
pub use recovery::{
    CheckRun, Irreversible, LeftPath, Outcome, PendingPath, PendingState, Recovery, RecoveryId,
    RecoveryState, Rehearsal, Stage, StageProgress, VOID_HANDOFF,
};
pub use replay::{
    DiskCost, Dispatch, DispatchCounts, DispatchStatus, EarlierEvidence, Experiment, ExperimentEnd,
    ExperimentRun, Isolation, IsolationAsk, JudgedExperiment, Merge, MergePiece, Mutation,
    NamedFolder, Offered, OutsideChange, OutsideKind, OutsideWriter, ReplayAsk, ReplayCost,
    ReplayDetails, ReplayExperiment, ReplayExtension, ReplayFrom, ReplayList, ReplayPart,
    ReplayPlan, ReplayProgress, ReplaySession, ReplayStart, ReplayStep, Resolution, Resolved,
    RewrittenText, Runner, RunnerAsk, RunsOn, STUB_RUNNER, STUB_SAYS_NOTHING, Sandbox, SandboxAsk,
    SessionId, SessionProgress, SessionState, StepBody, StepProgress, StepState, TemplateSwap,
    Unnumbered, Usage, rejection, runner_title, troubles_of, unswapped, unswapped_steps,
};
pub use request::{Hidden, Request, Scope, Skipped, Survey};
pub use saved_view::{Group, SavedView};
pub use stamp::{LocalTime, Stamp, Zone};
pub use timeline::{Event, EventMark, EventRows, Timeline, by_parts, in_order};
pub use waiting::{JobMarker, WaitOutcome, Waited};
