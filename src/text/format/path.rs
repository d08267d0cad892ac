//! Shortened paths.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::text::{Clean, Present as _};

/// The folder that is shown as `~`. It is unset until a front end sets it, so that no test depends on the machine.
static HOME: OnceLock<PathBuf> = OnceLock::new();

/// Sets, once, the folder that is shown as `~`.
pub fn show_home_as_tilde(home: PathBuf) {
    // A second call is ignored: a screen never writes a path in two ways.
    let _first = HOME.set(home);
}

/// A path in at most `cells` cells: first the home folder becomes `~`, then middle folders are left out
/// (`~/work/…/runs/17754`), then the start is cut. Not for commands: see [`shell_path`](super::shell_path).
pub fn shorten_path(path: &Path, cells: usize) -> Clean {
    shorten(path, HOME.get().map(PathBuf::as_path), cells)
}

fn shorten(path: &Path, home: Option<&Path>, cells: usize) -> Clean {
    let beneath = home.and_then(|home| path.strip_prefix(home).ok());
    let text = match beneath {
        Some(rest) if rest.as_os_str().is_empty() => Clean::new("~"),
        Some(rest) => Clean::concat([&Clean::new("~/"), &rest.present()]),
        None => path.present(),
    };
    if text.width() <= cells {
        return text;
    }
    let slashes: Vec<usize> = text.as_str().match_indices('/').map(|(at, _)| at).collect();
    // `~/` or `/home/`: the first component says where the path starts.
    let head = match slashes.as_slice() {
        [0, second, ..] => second + 1,
        [first, ..] => first + 1,
        [] => 0,
    };
    let ellipsis = Clean::new("…");
    let cut = |head: usize, tail: usize| {
        let tail = text.part(tail..text.as_str().len());
        Clean::concat([&text.part(0..head), &ellipsis, &tail])
    };
    let with_head = slashes.iter().filter(|at| **at > head);
    let with_head = with_head.map(|at| cut(head, *at));
    let without = slashes.iter().map(|at| cut(0, *at));
    let mut shorter = with_head.chain(without);
    let fits = shorter.find(|text| text.width() <= cells);
    fits.unwrap_or_else(|| text.clip_start(cells))
}

/// The escape sequences before and after a text that links to a file (OSC 8). The URL names the host, so that a
/// terminal on another host does not open a file of its own.
pub fn link(path: &Path) -> (String, &'static str) {
    let name = rustix::system::uname();
    let url = file_url(&name.nodename().to_string_lossy(), path);
    (format!("\u{1b}]8;;{url}\u{1b}\\"), "\u{1b}]8;;\u{1b}\\")
}
/// A text in which the paths beneath the home folder begin with `~`.
pub fn shorten_paths_in(text: &str) -> String {
    shorten_in(text, HOME.get().map(PathBuf::as_path))
}

fn shorten_in(text: &str, home: Option<&Path>) -> String {
    let home = home.and_then(Path::to_str).filter(|home| home.len() > 1);
    let Some(home) = home else {
        return text.to_owned();
    };
    let mut parts = text.split(home).peekable();
    let mut shown = String::with_capacity(text.len());
    while let Some(part) = parts.next() {
        shown.push_str(part);
        let Some(next) = parts.peek() else { break };
        // Not the middle of another path, and not the start of another name.
        let of_path = |sign: char| sign.is_alphanumeric() || "/-_.~".contains(sign);
        let begins = !part.ends_with(of_path);
        let ends = !next.starts_with(|sign: char| sign != '/' && of_path(sign));
        shown.push_str(if begins && ends { "~" } else { home });
    }
    shown
}

/// The URL of a file on a host.
pub fn file_url(host: &str, path: &Path) -> String {
    let odd = |sign: char| !sign.is_ascii_alphanumeric() && !"-.".contains(sign);
    let host = host.replace(odd, "");
    format!("file://{host}{}", url_path(path))
}

/// A path as the path of a URL: all characters but letters, digits and `/-_.` are percent-encoded.
pub fn url_path(path: &Path) -> String {
    let mut url = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(byte) {
            url.push(char::from(*byte));
        } else {
            url.push('%');
            url.push_str(&super::hex(&[*byte]));
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortened_path_keeps_its_start_and_end() {
        let table: &[(&str, usize, &str)] = &[
            (
                "/home/kim/work/lattice/runs/17754",
                80,
                "~/work/lattice/runs/17754",
            ),
            (
                "/home/kim/work/lattice/runs/17754",
                22,
                "~/…/lattice/runs/17754",
            ),
            ("/home/kim/work/lattice/runs/17754", 15, "~/…/runs/17754"),
            ("/home/kim/work/lattice/runs/17754", 8, "…/17754"),
            ("/home/kim/work/lattice/runs/17754", 4, "…754"),
            ("/home/kim", 9, "~"),
            ("/home/kimberly/x", 80, "/home/kimberly/x"),
            ("/srv/agents/lattice/runs/17754", 20, "/srv/…/runs/17754"),
            ("17754-a-long-name", 6, "…-name"),
            ("/a/\u{1b}x", 80, "/a/␛x"),
        ];
        let home = Path::new("/home/kim");
        for (path, cells, expected) in table {
            let shown = shorten(Path::new(path), Some(home), *cells);
            assert_eq!(shown.as_str(), *expected, "{path} in {cells}");
            assert!(shown.width() <= *cells);
        }
        assert_eq!(shorten(home, None, 80).as_str(), "/home/kim");
    }

    #[test]
    fn the_home_folder_is_a_tilde_within_a_text_too() {
        let table = [
            ("/home/kim", "~"),
            ("EDITOR=/home/kim/bin/vi -f", "EDITOR=~/bin/vi -f"),
            ("'/home/kim/a' is not /home/kim/b", "'~/a' is not ~/b"),
            ("/home/kimberly /home/kim-2", "/home/kimberly /home/kim-2"),
            ("/data/home/kim/a", "/data/home/kim/a"),
            ("read /home/kim: denied", "read ~: denied"),
            ("", ""),
        ];
        for (text, expected) in table {
            assert_eq!(shorten_in(text, Some(Path::new("/home/kim"))), expected);
            assert_eq!(shorten_in(text, None), text);
        }
    }
}
