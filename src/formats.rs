//! The file formats of state files, parsed leniently and with line numbers: JSON Lines, JSON, TSV, Markdown,
//! timestamps. They find byte ranges; `systems` knows what a range means.

pub mod json;
pub mod jsonl;
pub mod markdown;
pub mod stamp;
pub mod tsv;
