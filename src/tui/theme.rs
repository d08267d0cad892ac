//! The meaning of colors. Views name a [`Role`]; a theme says how it looks on this terminal.
//!
//! Where the background is known, text has a contrast of at least 4.5 on it. The sixteen colors are the terminal's own:
//! sentences in them have the terminal's own text color, and colored words what its palette gives them. Color is never the only sign.

use ratatui::style::{Color, Style};

use crate::string_enum;

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Ordinary text.
    Text,
    /// Text that may be overlooked.
    Dim,
    /// A heading.
    Title,
    /// A word to notice that is neither good nor bad: ids, the recommended mark.
    Accent,
    /// Something that is ok, done or added.
    Good,
    /// Something a person should look at.
    Warn,
    /// Something that failed, refuses or is removed.
    Bad,
    /// Something that is running.
    Live,
    /// Something that waits for a person.
    Wait,
    /// A key in the footer and in dialogs.
    Key,
    /// A letter that the filter matched.
    Hit,
    /// A line around a pane.
    Border,
    /// A line around the pane with the focus.
    Focus,
    /// The selected row of the pane with the focus.
    Selected,
    /// The selected row of another pane.
    Resting,
    /// A removed line.
    Removed,
    /// An added line.
    Added,
    /// The removed words of a line.
    RemovedWord,
    /// The added words of a line.
    AddedWord,
}

/// The palettes a person can choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Palette {
    /// For a dark background, with 256 colors or more.
    #[default]
    Dark,
    /// For a light background, with 256 colors or more.
    Light,
    /// The sixteen colors that every terminal names, on a background of which nothing is known.
    Sixteen,
    /// The sixteen colors on a dark background.
    SixteenDark,
    /// The sixteen colors on a light background.
    SixteenLight,
    /// No color at all (`NO_COLOR`): bold, underlined, reversed.
    None,
    /// A color of its own for each role, so that a test reads the role of a cell.
    #[cfg(test)]
    Roles,
}

impl Palette {
    /// The palette for a background, `None` where it is not known, and for whether the terminal has 256 colors.
    pub fn of(background: Option<Background>, many: bool) -> Self {
        match (background, many) {
            (Some(Background::Dark), true) => Self::Dark,
            (Some(Background::Light), true) => Self::Light,
            (Some(Background::Dark), false) => Self::SixteenDark,
            (Some(Background::Light), false) => Self::SixteenLight,
            (None, _) => Self::Sixteen,
        }
    }
}

string_enum! {
    /// What a terminal's text is shown on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Background {
        /// Light text is readable on it.
        Dark = "dark",
        /// Dark text is readable on it.
        Light = "light",
    }
}

/// How every role looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Theme {
    palette: Palette,
}

impl Theme {
    /// The theme of a palette.
    pub fn new(palette: Palette) -> Self {
        Self { palette }
    }

    /// How a role looks.
    pub fn style(self, role: Role) -> Style {
        match self.palette {
            Palette::Dark => shaded(role, &DARK),
            Palette::Light => shaded(role, &LIGHT),
            Palette::Sixteen => sixteen(role),
            Palette::SixteenDark => sixteen_on(role, Background::Dark),
            Palette::SixteenLight => sixteen_on(role, Background::Light),
            Palette::None => plain(role),
            #[cfg(test)]
            Palette::Roles => roles(role),
        }
    }
}

/// The shades of a palette that knows its background. They are fixed: what a terminal calls yellow may be unreadable.
struct Shades {
    text: Color,
    dim: Color,
    border: Color,
    accent: Color,
    good: Color,
    warn: Color,
    bad: Color,
    live: Color,
    wait: Color,
    /// The background of the selected row.
    selected: Color,
    /// The background of the selected row of another pane.
    resting: Color,
    /// The backgrounds of a removed line and an added one.
    lines: [Color; 2],
    /// The backgrounds of a removed word and an added one.
    words: [Color; 2],
    /// The text of a removed or added word.
    word: Color,
}

const DARK: Shades = Shades {
    text: Color::Indexed(252),
    dim: Color::Indexed(249),
    border: Color::Indexed(246),
    accent: Color::Indexed(80),
    good: Color::Indexed(114),
    warn: Color::Indexed(221),
    bad: Color::Indexed(217),
    live: Color::Indexed(117),
    wait: Color::Indexed(183),
    selected: Color::Indexed(237),
    resting: Color::Indexed(235),
    lines: [Color::Indexed(52), Color::Indexed(22)],
    words: [Color::Indexed(88), Color::Indexed(28)],
    word: Color::Indexed(231),
};
const LIGHT: Shades = Shades {
    text: Color::Indexed(235),
    dim: Color::Indexed(240),
    border: Color::Indexed(243),
    accent: Color::Indexed(24),
    good: Color::Indexed(22),
    warn: Color::Indexed(58),
    bad: Color::Indexed(124),
    live: Color::Indexed(19),
    wait: Color::Indexed(90),
    selected: Color::Indexed(253),
    resting: Color::Indexed(255),
    lines: [Color::Indexed(224), Color::Indexed(194)],
    words: [Color::Indexed(217), Color::Indexed(157)],
    word: Color::Indexed(16),
};

fn shaded(role: Role, shades: &Shades) -> Style {
    let style = Style::new();
    let [removed, added] = shades.lines;
    let [removed_word, added_word] = shades.words;
    let word = style.fg(shades.word).bold();
    match role {
        Role::Text => style.fg(shades.text),
        Role::Dim => style.fg(shades.dim),
        Role::Title => style.fg(shades.text).bold(),
        Role::Border => style.fg(shades.border),
        Role::Accent | Role::Focus => style.fg(shades.accent),
        Role::Key => style.fg(shades.accent).bold(),
        Role::Good => style.fg(shades.good),
        Role::Warn => style.fg(shades.warn),
        Role::Bad => style.fg(shades.bad).bold(),
        Role::Live => style.fg(shades.live).bold(),
        Role::Wait => style.fg(shades.wait),
        Role::Hit => style.fg(shades.warn).bold().underlined(),
        Role::Selected => style.bg(shades.selected).bold(),
        Role::Resting => style.bg(shades.resting),
        // The terminal's own text may be unreadable on these.
        Role::Removed => style.fg(shades.text).bg(removed),
        Role::Added => style.fg(shades.text).bg(added),
        Role::RemovedWord => word.bg(removed_word),
        Role::AddedWord => word.bg(added_word),
    }
}

/// On a background of which nothing is known. What may be overlooked looks like text: bright black is invisible on
/// Solarized Dark, and what a terminal dims is too faint to be read in every usual palette.
fn sixteen(role: Role) -> Style {
    let style = Style::new();
    match role {
        Role::Text | Role::Dim | Role::Border | Role::Resting => style,
        Role::Title => style.bold(),
        Role::Accent | Role::Focus => style.cyan(),
        Role::Key => style.cyan().bold(),
        Role::Good | Role::Added => style.green(),
        Role::Warn => style.yellow(),
        Role::Bad => style.red().bold(),
        Role::Live => style.blue().bold(),
        Role::Wait => style.magenta(),
        Role::Hit => style.yellow().bold().underlined(),
        // One look for the whole row: reversed colors of many texts would be blotches. The words beside the signs say
        // the same.
        Role::Selected => {
            let plain = style.fg(Color::Reset).bg(Color::Reset);
            plain.reversed()
        }
        Role::Removed => style.red(),
        Role::RemovedWord => style.red().bold().underlined(),
        Role::AddedWord => style.green().bold().underlined(),
    }
}

/// On a known background: bright colors on a dark one; on a light one only those that are dark enough, and weight.
fn sixteen_on(role: Role, background: Background) -> Style {
    let style = sixteen(role);
    let color = match (background, style.fg) {
        (Background::Dark, Some(Color::Blue)) => Color::LightCyan,
        (Background::Dark, Some(Color::Red)) => Color::LightRed,
        (Background::Dark, Some(Color::Magenta)) => Color::LightMagenta,
        (Background::Light, Some(Color::Cyan)) => Color::Blue,
        (Background::Light, Some(Color::Green)) => return Style { fg: None, ..style },
        (Background::Light, Some(Color::Yellow)) => Color::Magenta,
        _ => return style,
    };
    style.fg(color)
}

/// Without color, weight says what color would have said; the words say it in any case.
fn plain(role: Role) -> Style {
    let style = Style {
        fg: None,
        bg: None,
        ..sixteen(role)
    };
    if matches!(role, Role::Warn | Role::Wait | Role::Focus) {
        style.bold()
    } else if role == Role::Selected {
        style.not_bold()
    } else {
        style
    }
}

/// A highlight sets the background; the text keeps its foreground.
#[cfg(test)]
fn roles(role: Role) -> Style {
    let color = Color::Indexed(role as u8);
    match role {
        Role::Text => Style::new(),
        Role::Selected
        | Role::Resting
        | Role::Removed
        | Role::Added
        | Role::RemovedWord
        | Role::AddedWord => Style::new().bg(color),
        _ => Style::new().fg(color),
    }
}

#[cfg(test)]
pub(super) mod tests;
