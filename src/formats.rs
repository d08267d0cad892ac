//! The shapes that state files are written in, read leniently and with line numbers: JSON Lines, JSON, TSV,
//! Markdown, timestamps. They find byte ranges; what a range means is for `systems` to say.

pub mod json;
pub mod jsonl;
pub mod markdown;
pub mod stamp;
pub mod tsv;
