//! What colours mean. Views name a [`Role`]; a theme says how it looks on this terminal.
//!
//! Colours come from the terminal's own palette, so that light and dark both stay readable; the two shades
//! behind selections and differences are the only fixed ones. Nothing is ever said by colour alone.

use ratatui::style::{Color, Modifier, Style};

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
    /// Something that holds, is done, comes.
    Good,
    /// Something a person should look at.
    Warn,
    /// Something that failed, refuses, goes.
    Bad,
    /// Something that is at work.
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
    /// A line that goes.
    Removed,
    /// A line that comes.
    Added,
    /// The words of it that go.
    RemovedWord,
    /// The words of it that come.
    AddedWord,
    /// What a dialog lies on.
    Panel,
}

/// The palettes a person can choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Palette {
    /// For a dark background, with 256 colours or more.
    #[default]
    Dark,
    /// For a light background, with 256 colours or more.
    Light,
    /// The sixteen colours that every terminal names, on any background.
    Sixteen,
    /// No colour at all (`NO_COLOR`): bold, underlined, reversed.
    None,
    /// A color of its own for each role, so that a test reads the role of a cell.
    #[cfg(test)]
    Roles,
}

impl Palette {
    /// Reads the name a config file gives.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "dark" => Some(Self::Dark),
            "light" => Some(Self::Light),
            "16" | "sixteen" => Some(Self::Sixteen),
            "none" => Some(Self::None),
            _ => None,
        }
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
            Palette::None => plain(role),
            #[cfg(test)]
            Palette::Roles => roles(role),
        }
    }
}

/// The fixed shades of a palette that knows its background.
struct Shades {
    /// Text that may be overlooked, readable on a selected row too.
    dim: Color,
    /// Behind the selected row.
    selected: Color,
    /// Behind the selected row of another pane.
    resting: Color,
    /// Behind a removed line, an added one, a removed word, an added one.
    diff: [Color; 4],
}

const DARK: Shades = Shades {
    dim: Color::Indexed(245),
    selected: Color::Indexed(237),
    resting: Color::Indexed(235),
    diff: [
        Color::Indexed(52),
        Color::Indexed(22),
        Color::Indexed(88),
        Color::Indexed(28),
    ],
};
const LIGHT: Shades = Shades {
    dim: Color::Indexed(242),
    selected: Color::Indexed(253),
    resting: Color::Indexed(255),
    diff: [
        Color::Indexed(224),
        Color::Indexed(194),
        Color::Indexed(217),
        Color::Indexed(157),
    ],
};

fn shaded(role: Role, shades: &Shades) -> Style {
    let [removed, added, removed_word, added_word] = shades.diff;
    match role {
        Role::Dim => Style::new().fg(shades.dim),
        Role::Selected => Style::new()
            .bg(shades.selected)
            .add_modifier(Modifier::BOLD),
        Role::Resting => Style::new().bg(shades.resting),
        Role::Removed => Style::new().bg(removed),
        Role::Added => Style::new().bg(added),
        Role::RemovedWord => Style::new().bg(removed_word).add_modifier(Modifier::BOLD),
        Role::AddedWord => Style::new().bg(added_word).add_modifier(Modifier::BOLD),
        _ => sixteen(role),
    }
}

fn sixteen(role: Role) -> Style {
    let style = Style::new();
    match role {
        Role::Text | Role::Panel | Role::Resting => style,
        Role::Dim | Role::Border => style.fg(Color::DarkGray),
        Role::Title => style.add_modifier(Modifier::BOLD),
        Role::Accent | Role::Focus => style.fg(Color::Cyan),
        Role::Key => style.fg(Color::Cyan).add_modifier(Modifier::BOLD),
        Role::Good | Role::Added => style.fg(Color::Green),
        Role::Warn => style.fg(Color::Yellow),
        Role::Bad => style.fg(Color::Red).add_modifier(Modifier::BOLD),
        Role::Live => style.fg(Color::Blue).add_modifier(Modifier::BOLD),
        Role::Wait => style.fg(Color::Magenta),
        Role::Hit => style
            .fg(Color::Yellow)
            .add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
        // One look for the whole row: on a grey of which nothing else is known, the texts' own colours would
        // be blotches. The words beside the signs say the same.
        Role::Selected => style
            .fg(Color::White)
            .bg(Color::DarkGray)
            .add_modifier(Modifier::BOLD),
        Role::Removed => style.fg(Color::Red),
        Role::RemovedWord => style
            .fg(Color::Red)
            .add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
        Role::AddedWord => style
            .fg(Color::Green)
            .add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
    }
}

/// Without colour, weight says what colour would have said; the words say it in any case.
fn plain(role: Role) -> Style {
    let style = Style::new();
    match role {
        Role::Text
        | Role::Panel
        | Role::Border
        | Role::Good
        | Role::Accent
        | Role::Removed
        | Role::Added
        | Role::Resting => style,
        Role::Dim => style.add_modifier(Modifier::DIM),
        Role::Title
        | Role::Key
        | Role::Warn
        | Role::Bad
        | Role::Live
        | Role::Wait
        | Role::Focus => style.add_modifier(Modifier::BOLD),
        Role::Hit | Role::RemovedWord | Role::AddedWord => {
            style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
        }
        Role::Selected => style
            .add_modifier(Modifier::REVERSED)
            .remove_modifier(Modifier::DIM | Modifier::BOLD),
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
        | Role::AddedWord
        | Role::Panel => Style::new().bg(color),
        _ => Style::new().fg(color),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// All of them.
    pub(in crate::tui) const ROLES: [Role; 20] = [
        Role::Text,
        Role::Dim,
        Role::Title,
        Role::Accent,
        Role::Good,
        Role::Warn,
        Role::Bad,
        Role::Live,
        Role::Wait,
        Role::Key,
        Role::Hit,
        Role::Border,
        Role::Focus,
        Role::Selected,
        Role::Resting,
        Role::Removed,
        Role::Added,
        Role::RemovedWord,
        Role::AddedWord,
        Role::Panel,
    ];

    /// The only place where a test holds shades: pictures of screens name roles.
    #[test]
    fn every_role_in_every_palette() {
        let palettes = [
            Palette::Dark,
            Palette::Light,
            Palette::Sixteen,
            Palette::None,
        ];
        let rows = palettes
            .into_iter()
            .flat_map(|palette| ROLES.map(|role| (palette, role)))
            .map(|(palette, role)| {
                let style = Theme::new(palette).style(role);
                format!("{palette:?} {role:?}: {style:?}")
            });
        let table = rows.collect::<Vec<_>>().join(
            "
",
        );
        insta::assert_snapshot!("theme", table);
    }

    #[test]
    fn without_colour_there_is_none() {
        for role in ROLES {
            let style = Theme::new(Palette::None).style(role);
            assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
        }
    }

    #[test]
    fn sixteen_colours_are_enough() {
        for role in ROLES {
            let style = Theme::new(Palette::Sixteen).style(role);
            for color in [style.fg, style.bg].into_iter().flatten() {
                assert!(
                    !matches!(color, Color::Indexed(_) | Color::Rgb(..)),
                    "{role:?}"
                );
            }
        }
    }

    #[test]
    fn a_selection_can_be_seen_in_every_palette() {
        for palette in [
            Palette::Dark,
            Palette::Light,
            Palette::Sixteen,
            Palette::None,
        ] {
            let theme = Theme::new(palette);
            assert_ne!(theme.style(Role::Selected), theme.style(Role::Text));
            assert_ne!(theme.style(Role::Selected), theme.style(Role::Resting));
        }
    }
}
