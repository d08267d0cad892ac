//! A list without rows: what was searched, why nothing is there, and which keys show more.

use crate::tui::prelude::*;

/// Draws it.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect) {
    let browser = &canvas.state.browser;
    let key = |cmd| canvas.state.key(cmd);
    let mut out = Vec::new();
    let width = usize::from(area.width).saturating_sub(2);
    let plain = |text: &Clean| paragraph(&Bits::new(), Role::Text, text, width);
    if let Some(trouble) = &browser.trouble {
        out.push(Bits::of(Role::Bad, "✗ ").title(trouble.text.clean()));
        out.extend(trouble.hints.iter().flat_map(|hint| plain(&hint.clean())));
        out.push(key_line(key(Cmd::Reload), Clean::new("try again")));
    } else if !browser.surveyed {
        let spinner = Bits::of(Role::Accent, look::spinner(canvas.state.beat));
        out.push(spinner.title(" Searching for pipelines …"));
        out.push(Bits::of(Role::Dim, "Rows appear here as they are found."));
    } else if browser.hidden_filter > 0 {
        out.push(Bits::of(Role::Title, "No pipeline matches the filter."));
        let filter = browser.filter.text();
        let number = browser.hidden_filter;
        let number = format::count_of(number, "pipeline does", "pipelines do");
        out.extend(plain(&clean!("{} not match \"{}\".", number, filter)));
        out.extend(browser.filter_trouble.iter().flat_map(plain));
        out.push(key_line(key(Cmd::Back), Clean::new("clear the filter")));
        out.extend(hidden_keys(canvas.state));
    } else {
        out.push(match browser.hidden_put_away {
            0 => Bits::of(Role::Title, "No interrupted pipeline found."),
            number => {
                let number = format::count_of(number, "pipeline is", "pipelines are");
                Bits::of(Role::Title, clean!("{} hidden.", number))
            }
        });
        if browser.scope == Some(Scope::Machine) {
            let text =
                "Scope machine: Claude's directories and temporary directories were searched, too.";
            out.push(Bits::of(Role::Dim, text));
        }
        if !browser.searched.is_empty() {
            out.push(Bits::of(Role::Dim, "Searched:"));
            let width = usize::from(area.width).saturating_sub(8);
            for path in browser.searched.iter().take(6) {
                let path = clean!("{}", path).clip_start(width);
                out.push(Bits::new().gap(2).text(path));
            }
            if let Some(more @ 1..) = browser.searched.len().checked_sub(6) {
                out.push(Bits::of(Role::Dim, clean!("  (+{} more)", more)));
            }
        }
        out.push(Bits::new());
        out.extend(hidden_keys(canvas.state));
        out.push(key_line(key(Cmd::Help), Clean::new("show every key")));
        if browser.count(Status::Complete) == 0 {
            out.push(Bits::new());
            let text = "relight demo builds a sandbox to try everything.";
            out.push(Bits::of(Role::Dim, text));
        }
    }
    let cells = |number: usize| u16::try_from(number).unwrap_or(0);
    let wide = out.iter().map(Bits::width).max().unwrap_or(0);
    let (_, below) = split_top(area, area.height.saturating_sub(cells(out.len())) / 3);
    let (_, place) = split_left(below, area.width.saturating_sub(cells(wide)) / 2);
    canvas.lines(place, &out);
}

/// A key in the middle of the screen, and what it does.
fn key_line(key: Clean, text: Clean) -> Bits {
    Bits::new().gap(2).key(key).gap(1).pad(8).text(text)
}

/// The keys that show what is hidden, with how much of it there is.
fn hidden_keys(state: &State) -> Vec<Bits> {
    let browser = &state.browser;
    let mut out = Vec::new();
    if browser.hidden_put_away > 0 {
        out.push(key_line(
            state.key(Cmd::ShowHidden),
            Clean::new("show hidden pipelines"),
        ));
    }
    if browser.hidden_complete > 0 {
        let hidden = format::count(browser.hidden_complete, "complete pipeline");
        out.push(key_line(
            state.key(Cmd::Complete),
            clean!("show {}", hidden),
        ));
    }
    if browser.scope != Some(Scope::Machine) {
        let elsewhere = match &browser.elsewhere {
            Some(outside) => clean!("widen the scope: {} outside", outside),
            None if browser.scope == Some(Scope::Repository) => {
                Clean::new("widen the scope: the machine")
            }
            None => Clean::new("widen the scope: the repository, then the machine"),
        };
        out.push(key_line(state.key(Cmd::Scope), elsewhere));
    }
    out
}
