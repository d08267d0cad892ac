//! The one table of everything a key can do.
//!
//! Dispatch, the footer, the help, the palette, the README's table and the man page are all made from
//! [`COMMANDS`]; the table has its own tests.

mod keymap;
mod table;

pub use keymap::Keymap;
pub use table::COMMANDS;

/// An operation of the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the table gives every one its help sentence")]
pub enum Cmd {
    Down,
    Up,
    First,
    Last,
    HalfDown,
    HalfUp,
    PageDown,
    PageUp,
    Left,
    Right,
    Help,
    Palette,
    Back,
    Quit,
    Cancel,
    Suspend,
    Copy,
    Open,
    Reload,
    Mouse,
    Log,
    Redraw,
    Enter,
    Filter,
    NextHit,
    PrevHit,
    Sort,
    Reverse,
    Group,
    Scope,
    View,
    Hide,
    Checks,
    Complete,
    Points,
    Plan,
    NextPane,
    PrevPane,
    Pane1,
    Pane2,
    Pane3,
    Pane4,
    Pane5,
    Zoom,
    NextError,
    PrevError,
    NextWarning,
    PrevWarning,
    NextPhase,
    PrevPhase,
    Mark,
    GoMark,
    Follow,
    Include,
    Mode,
    Paths,
    Rewind,
    Rehearse,
    Reason,
    Amend,
    Apply,
    Handoff,
    Recoveries,
    Restore,
    Passages,
    Undo,
    Redo,
    Recover,
    Finish,
    RollBack,
    Export,
    Purge,
    CopyPrompt,
    CopyBriefing,
    Launch,
    WatchRecords,
    CopyContinue,
    NextStep,
    AllSteps,
    NextChange,
    PrevChange,
    NextFile,
    PrevFile,
    NextFold,
    PrevFold,
    Swap,
    Json,
    Layout,
    FoldAll,
    UnfoldAll,
    LessContext,
    MoreContext,
    Wrap,
    Blanks,
    Replays,
    Compare,
    Side,
    NewReplay,
    ContinueReplay,
    AddBlocks,
    WatchReplay,
    ShowPlan,
    StartReplay,
    StopReplay,
    TakeReplacement,
    TakeOriginal,
    EditMerge,
    Only,
    Blocks,
    Evidence,
    RunA,
    RunB,
    Divergence,
    NextDifferent,
    PrevDifferent,
    TemplateDiff,
    DispatchDiff,
    OutputDiff,
    SummaryDiff,
}

impl Cmd {
    /// Whether it asks to write something or to start a program, which `--read-only` refuses.
    pub(crate) fn acts(self) -> bool {
        matches!(
            self,
            Self::Apply
                | Self::Rehearse
                | Self::Recover
                | Self::RollBack
                | Self::Finish
                | Self::Export
                | Self::Purge
                | Self::Launch
                | Self::NextStep
                | Self::AllSteps
                | Self::StartReplay
                | Self::ContinueReplay
                | Self::AddBlocks
        )
    }
}

/// Where a command is available: a screen, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Context {
    title: &'static str,
    within: Option<&'static Self>,
}

/// Every screen.
pub const EVERYWHERE: Context = Context {
    title: "Everywhere",
    within: None,
};

impl Context {
    /// The context of a screen.
    pub const fn new(title: &'static str) -> Self {
        Self::within(title, &EVERYWHERE)
    }

    /// The context of a part of a screen.
    pub const fn within(title: &'static str, whole: &'static Self) -> Self {
        Self {
            title,
            within: Some(whole),
        }
    }

    /// The heading in the help.
    pub const fn title(self) -> &'static str {
        self.title
    }

    /// The contexts in which a key is looked up, the most specific first.
    pub fn chain(self) -> Vec<Self> {
        std::iter::successors(Some(self), |context| context.within.copied()).collect()
    }
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    /// What it does.
    pub id: Cmd,
    /// Its stable name in a keymap.
    pub name: &'static str,
    /// Where it is available.
    pub context: Context,
    /// Names of its default keys.
    pub keys: &'static [&'static str],
    /// One or two words for the footer.
    pub label: &'static str,
    /// One sentence for the help.
    pub help: &'static str,
    /// The command that gives the same without a console; `PIPELINE` and `POINT` are filled in.
    pub cli: Option<&'static str>,
    /// Its place in the footer, the smallest first; `None` keeps it to the help.
    pub footer: Option<u8>,
}

#[cfg(test)]
mod tests;
