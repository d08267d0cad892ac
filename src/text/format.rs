//! How a number, size, duration, time, id, path or command is written.
//!
//! Both faces, the engine and the systems use it, so that a value looks the same everywhere. Machine formats (JSON, the
//! pipelines' own files) are not written here.

mod count;
mod id;
mod path;
mod shell;
mod time;

pub(in crate::text) use id::hash_suffix;

pub use count::{
    capital, clean_list, count, count_of, digits_for, list, list_first, list_or, number, number_to,
    numbered, or_unknown, plural, signed, size,
};
pub use id::{hex, short_id, short_uuid};
pub use path::{file_url, link, shorten_path, shorten_paths_in, show_home_as_tilde, url_path};
pub(crate) use shell::quoted;
pub use shell::{shell_line, shell_line_within, shell_path, shell_word, split_words};
pub use time::{
    Zone, age, ago, brief_duration, clock, clock_minute, date, duration, local, longest_unit,
    show_times_in, time, time_full, zone,
};
