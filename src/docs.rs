//! The documents: what relight does, why it works that way, and how to change it.
//!
//! The chapters, in the order in which they are best read:
//!
//! 1. the [overview]: the modules of the code, and how one pipeline passes through them
//! 2. [recovery]: how files are replaced so that nothing is lost
//! 3. the [contract]: everything that a script may depend on
//! 4. [formats]: the files of each system, and what relight concludes from them
//! 5. [experiments]: how replays run, and how they are compared
//! 6. [record]: how an orchestrator writes files that can be resumed
//! 7. [performance]: how long operations take, compared with other programs
//! 8. [how_to]: how to change something
//!
//! The pages are Markdown files beside this one, so that they can also be read without rustdoc.

#![allow(
    clippy::doc_markdown,
    reason = "prose for people, checked by the tests for its links"
)]

#[doc = include_str!("docs/overview.md")]
pub mod overview {}

#[doc = include_str!("docs/contract.md")]
pub mod contract {}

#[doc = include_str!("docs/recovery.md")]
pub mod recovery {}

#[doc = include_str!("docs/experiments.md")]
pub mod experiments {}

#[doc = include_str!("docs/record.md")]
pub mod record {
    /// An orchestrator for each system, in at most sixty lines of shell.
    ///
    /// Each runs a small pipeline and does nothing but its work and `relight record`. It can be killed at any moment: the
    /// recommended point of `relight points` is then its second argument. The demo has them in `orchestrators`, and the
    /// tests kill them at every call of a record.
    pub mod orchestrators {
        #[doc = "```sh"]
        #[doc = include_str!("../assets/demo/orchestrators/crucible.sh")]
        #[doc = "```"]
        pub mod crucible {}

        #[doc = "```sh"]
        #[doc = include_str!("../assets/demo/orchestrators/mgw.sh")]
        #[doc = "```"]
        pub mod mgw {}

        #[doc = "```sh"]
        #[doc = include_str!("../assets/demo/orchestrators/superscientist.sh")]
        #[doc = "```"]
        pub mod superscientist {}

        #[doc = "```sh"]
        #[doc = include_str!("../assets/demo/orchestrators/nine-step.sh")]
        #[doc = "```"]
        pub mod nine_step {}

        #[doc = "```sh"]
        #[doc = include_str!("../assets/demo/orchestrators/autoconference.sh")]
        #[doc = "```"]
        pub mod autoconference {}
    }
}

#[doc = include_str!("docs/performance.md")]
pub mod performance {}

/// The files of each system: what relight reads, verifies and writes.
pub mod formats {
    #[doc = include_str!("docs/formats/crucible.md")]
    pub mod crucible {}

    #[doc = include_str!("docs/formats/autoconference.md")]
    pub mod autoconference {}

    #[doc = include_str!("docs/formats/mgw.md")]
    pub mod mgw {}

    #[doc = include_str!("docs/formats/superscientist.md")]
    pub mod superscientist {}

    #[doc = include_str!("docs/formats/nine-step.md")]
    pub mod nine_step {}

    #[doc = include_str!("docs/formats/claude-workflow.md")]
    pub mod claude_workflow {}

    #[doc = include_str!("docs/formats/claude-code.md")]
    pub mod claude_code {}
}

/// Step by step: adding a system, a check, a key, a screen or a fixture, and where each small change begins.
pub mod how_to {
    #[doc = include_str!("docs/how_to/system.md")]
    pub mod system {}

    #[doc = include_str!("docs/how_to/check.md")]
    pub mod check {}

    #[doc = include_str!("docs/how_to/screen.md")]
    pub mod screen {}

    #[doc = include_str!("docs/how_to/key.md")]
    pub mod key {}

    #[doc = include_str!("docs/how_to/fixture.md")]
    pub mod fixture {}

    #[doc = include_str!("docs/how_to/small_changes.md")]
    pub mod small_changes {}
}
