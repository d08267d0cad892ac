//! Where the commands look, what names a pipeline, and what is said to a word that names nothing: on a machine
//! made for the test, outside every sandbox.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test ends at the first surprise"
)]

#[path = "scope/machine.rs"]
mod machine;

#[path = "scope/completion.rs"]
mod completion;
#[path = "scope/found.rs"]
mod found;
#[path = "scope/ids.rs"]
mod ids;
#[path = "scope/options.rs"]
mod options;
#[path = "scope/words.rs"]
mod words;
