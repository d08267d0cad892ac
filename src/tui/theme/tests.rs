//! Shades, their contrast, and what a terminal gets.

use ratatui::style::Modifier;

use super::*;

/// All of them.
pub(in crate::tui) const ROLES: [Role; 19] = [
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
];

const PALETTES: [Palette; 6] = [
    Palette::Dark,
    Palette::Light,
    Palette::Sixteen,
    Palette::SixteenDark,
    Palette::SixteenLight,
    Palette::None,
];

/// Backgrounds that people use: black, Solarized, Nord, One, Gruvbox, Dracula, Ubuntu.
const DARK_BACKGROUNDS: [u32; 7] = [
    0x00_00_00, 0x00_2b_36, 0x2e_34_40, 0x28_2c_34, 0x28_28_28, 0x28_2a_36, 0x30_0a_24,
];
/// White, Solarized, Gruvbox, One, paper.
const LIGHT_BACKGROUNDS: [u32; 5] = [0xff_ff_ff, 0xfd_f6_e3, 0xfb_f1_c7, 0xfa_fa_fa, 0xee_ee_ee];

/// A color as xterm shows it.
pub(in crate::tui) fn shade(color: Color) -> [u8; 3] {
    const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let of = |red: u8, green: u8, blue: u8| [red, green, blue];
    match color {
        Color::Indexed(at @ 16..=231) => {
            let at = usize::from(at - 16);
            of(CUBE[at / 36], CUBE[at / 6 % 6], CUBE[at % 6])
        }
        Color::Indexed(at @ 232..) => {
            let grey = 8 + 10 * (at - 232);
            of(grey, grey, grey)
        }
        Color::Red => of(205, 0, 0),
        Color::Blue => of(0, 0, 238),
        Color::Green => of(0, 205, 0),
        Color::Yellow => of(205, 205, 0),
        Color::Cyan => of(0, 205, 205),
        Color::Magenta => of(205, 0, 205),
        Color::LightRed => of(255, 0, 0),
        Color::LightGreen => of(0, 255, 0),
        Color::LightYellow => of(255, 255, 0),
        Color::LightMagenta => of(255, 0, 255),
        Color::LightCyan => of(0, 255, 255),
        Color::Rgb(red, green, blue) => of(red, green, blue),
        other => panic!("{other:?}"),
    }
}

/// The contrast of two colors, 1 to 21, as the accessibility guidelines of the web define it.
fn contrast(a: Color, b: Color) -> f64 {
    ratio(shade(a), shade(b))
}

fn ratio(a: [u8; 3], b: [u8; 3]) -> f64 {
    let luminance = |color: [u8; 3]| {
        let linear = |part: u8| match f64::from(part) / 255.0 {
            low if low <= 0.039_28 => low / 12.92,
            part => ((part + 0.055) / 1.055).powf(2.4),
        };
        let [red, green, blue] = color.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn text_has_contrast_on_every_background() {
    let of = |color: &u32| {
        let [_, red, green, blue] = color.to_be_bytes();
        Color::Rgb(red, green, blue)
    };
    let (dark, light): (Vec<Color>, Vec<Color>) = (
        DARK_BACKGROUNDS.iter().map(of).collect(),
        LIGHT_BACKGROUNDS.iter().map(of).collect(),
    );
    // The sixteen colors are the terminal's own, tuned to its background: xterm's are measured on black and white.
    let table = [
        (Palette::Dark, &dark[..]),
        (Palette::Light, &light[..]),
        (Palette::SixteenDark, &dark[..1]),
        (Palette::SixteenLight, &light[..1]),
    ];
    for (palette, backgrounds) in table {
        let theme = Theme::new(palette);
        let rows = [Role::Selected, Role::Resting].map(|role| theme.style(role).bg);
        let rows = rows.into_iter().flatten().filter(|bg| *bg != Color::Reset);
        let backgrounds: Vec<Color> = rows.chain(backgrounds.iter().copied()).collect();
        for role in ROLES {
            let style = theme.style(role);
            let least = if role == Role::Border { 3.0 } else { 4.5 };
            let own = style.bg.map(|own| vec![own]);
            // A shade that is fixed wants text that is fixed: Solarized's is gray. A selection is drawn over other roles.
            let fixed = matches!(style.bg, Some(Color::Indexed(_)));
            let over = matches!(role, Role::Selected | Role::Resting);
            assert!(!fixed || over || style.fg.is_some(), "{palette:?} {role:?}");
            for background in own.as_ref().unwrap_or(&backgrounds) {
                let text = style.fg.or_else(|| theme.style(Role::Text).fg);
                let Some(text) = text.filter(|fg| *fg != Color::Reset) else {
                    continue;
                };
                let found = contrast(text, *background);
                assert!(
                    found >= least,
                    "{palette:?} {role:?} on {background:?}: {found:.2}"
                );
            }
        }
    }
}

/// What a terminal calls the sixteen colors, then its background and its text, once dark and once light.
struct Usual {
    colors: [u32; 16],
    grounds: [[u32; 2]; 2],
}

const XTERM: Usual = Usual {
    colors: [
        0x00_00_00, 0xcd_00_00, 0x00_cd_00, 0xcd_cd_00, 0x00_00_ee, 0xcd_00_cd, 0x00_cd_cd,
        0xe5_e5_e5, 0x7f_7f_7f, 0xff_00_00, 0x00_ff_00, 0xff_ff_00, 0x5c_5c_ff, 0xff_00_ff,
        0x00_ff_ff, 0xff_ff_ff,
    ],
    grounds: [[0x00_00_00, 0xe5_e5_e5], [0xff_ff_ff, 0x00_00_00]],
};
const VGA: Usual = Usual {
    colors: [
        0x00_00_00, 0xaa_00_00, 0x00_aa_00, 0xaa_55_00, 0x00_00_aa, 0xaa_00_aa, 0x00_aa_aa,
        0xaa_aa_aa, 0x55_55_55, 0xff_55_55, 0x55_ff_55, 0xff_ff_55, 0x55_55_ff, 0xff_55_ff,
        0x55_ff_ff, 0xff_ff_ff,
    ],
    grounds: [[0x00_00_00, 0xaa_aa_aa], [0xff_ff_ff, 0x00_00_00]],
};
const SOLARIZED: Usual = Usual {
    colors: [
        0x07_36_42,
        0xdc_32_2f,
        0x85_99_00,
        0xb5_89_00,
        0x26_8b_d2,
        0xd3_36_82,
        0x2a_a1_98,
        0xee_e8_d5,
        0x00_2b_36,
        0x00cb_4b16,
        0x58_6e_75,
        0x65_7b_83,
        0x83_94_96,
        0x6c_71_c4,
        0x93_a1_a1,
        0xfd_f6_e3,
    ],
    grounds: [[0x00_2b_36, 0x83_94_96], [0xfd_f6_e3, 0x65_7b_83]],
};

/// The place of a color among the sixteen.
fn place(color: Color) -> Option<usize> {
    let named = [
        (Color::Red, 1),
        (Color::Green, 2),
        (Color::Yellow, 3),
        (Color::Blue, 4),
        (Color::Magenta, 5),
        (Color::Cyan, 6),
        (Color::LightRed, 9),
        (Color::LightMagenta, 13),
        (Color::LightCyan, 14),
    ];
    let found = named.into_iter().find(|(name, _)| *name == color);
    found.map(|(_, place)| place)
}

/// No color of Solarized has a contrast of 4.5 on its light background, not even its text.
#[test]
fn the_sixteen_colors_have_contrast_in_the_usual_palettes() {
    let of = |color: u32| {
        let [_, red, green, blue] = color.to_be_bytes();
        [red, green, blue]
    };
    let halfway = |a: [u8; 3], b: [u8; 3]| [0, 1, 2].map(|part| a[part].midpoint(b[part]));
    let sides = [Palette::SixteenDark, Palette::SixteenLight];
    for usual in [XTERM, VGA, SOLARIZED] {
        for (known, [ground, text]) in sides.into_iter().zip(usual.grounds) {
            let (ground, text) = (of(ground), of(text));
            for (palette, role) in [known, Palette::Sixteen, Palette::None]
                .into_iter()
                .flat_map(|palette| ROLES.map(|role| (palette, role)))
            {
                let style = Theme::new(palette).style(role);
                let own = style.fg.and_then(place);
                // Where nothing is known of the background, some colors vanish on some.
                if palette == Palette::Sixteen && own.is_some() {
                    continue;
                }
                let mut shown = own.map_or(text, |place| of(usual.colors[place]));
                if style.add_modifier.contains(Modifier::DIM) {
                    shown = halfway(shown, ground);
                }
                let least = if own.is_some() {
                    3.0
                } else {
                    ratio(text, ground).min(4.5)
                };
                let found = ratio(shown, ground);
                assert!(
                    found >= least,
                    "{palette:?} {role:?} on {ground:x?}: {found:.2}"
                );
            }
        }
    }
}

#[test]
fn a_palette_fits_its_terminal() {
    let of = Palette::of;
    assert_eq!(of(Some(Background::Dark), true), Palette::Dark);
    assert_eq!(of(Some(Background::Light), true), Palette::Light);
    assert_eq!(of(Some(Background::Dark), false), Palette::SixteenDark);
    assert_eq!(of(Some(Background::Light), false), Palette::SixteenLight);
    assert_eq!(of(None, true), Palette::Sixteen);
}

/// The only place where a test holds shades: pictures of screens name roles.
#[test]
fn every_role_in_every_palette() {
    let rows = PALETTES
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
fn without_color_there_is_none() {
    for role in ROLES {
        let style = Theme::new(Palette::None).style(role);
        assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
    }
}

#[test]
fn sixteen_colors_are_enough() {
    for palette in [
        Palette::Sixteen,
        Palette::SixteenDark,
        Palette::SixteenLight,
    ] {
        for role in ROLES {
            let style = Theme::new(palette).style(role);
            for color in [style.fg, style.bg].into_iter().flatten() {
                assert!(
                    !matches!(color, Color::Indexed(_) | Color::Rgb(..)),
                    "{palette:?} {role:?}"
                );
            }
        }
    }
}

#[test]
fn a_selection_can_be_seen_in_every_palette() {
    for palette in PALETTES {
        let theme = Theme::new(palette);
        assert_ne!(theme.style(Role::Selected), theme.style(Role::Text));
        assert_ne!(theme.style(Role::Selected), theme.style(Role::Resting));
    }
}
