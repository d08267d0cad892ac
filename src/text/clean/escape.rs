//! Which characters are control or invisible characters, and what replaces them.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar as _;

/// How many combining marks stay on one character; more are shown as code points.
const MARKS: usize = 4;

/// Appends valid text, escaped. `marks` counts the combining marks on the current character. With `own`, the characters
/// that stand for others are escaped as well.
pub(super) fn escape(text: &str, own: bool, marks: &mut usize, out: &mut String) {
    let mut rest = text.chars();
    loop {
        // Nearly all text is of such characters, which stand for themselves.
        let plain = |b: &u8| matches!(b, b' '..=b'~') && !matches!(b, b'<' | b'\\');
        let plain = rest.as_str().bytes().take_while(plain).count();
        if let Some((run, after)) = rest.as_str().split_at_checked(plain).filter(|_| plain > 0) {
            *marks = 0;
            out.push_str(run);
            rest = after.chars();
        }
        let Some(c) = rest.next() else { return };
        if is_mark(c) {
            *marks += 1;
            // A mark without a base would combine with the character printed before the text.
            if *marks > MARKS || out.is_empty() {
                code_point(c, out);
            } else {
                out.push(c);
            }
            continue;
        }
        *marks = 0;
        match c {
            '\u{0}'..='\u{1f}' => out.extend(char::from_u32(0x2400 + c as u32)),
            '\u{7f}' => out.push('\u{2421}'),
            '\u{2400}'..='\u{2426}' if own => code_point(c, out),
            '<' if own && rest.as_str().starts_with("U+") => code_point(c, out),
            '\\' if own && rest.as_str().starts_with('x') => code_point(c, out),
            _ if is_hidden(c) => code_point(c, out),
            _ => out.push(c),
        }
    }
}

fn code_point(c: char, out: &mut String) {
    let _ = write!(out, "<U+{:04X}>", c as u32);
}

/// Combining marks: they have no cell of their own but are visible.
pub(super) fn is_mark(c: char) -> bool {
    !is_hidden(c) && c.width() == Some(0) && !c.is_control()
}

/// Characters that a terminal shows as nothing or as a plain space, that change the order of others, or that terminals
/// give different widths.
pub fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return false;
    }
    matches!(c,
        '\u{80}'..='\u{9f}'                       // C1 controls.
        | '\u{ad}'                                // Soft hyphen.
        | '\u{34f}'                               // Grapheme joiner.
        | '\u{61c}'                               // Arabic letter mark.
        | '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}' // Prepended format characters.
        | '\u{115f}'..='\u{1160}' | '\u{3164}' | '\u{ffa0}' // Hangul fillers.
        | '\u{17b4}'..='\u{17b5}'                 // Khmer inherent vowels.
        | '\u{180b}'..='\u{180f}'                 // Mongolian selectors.
        | '\u{200b}'..='\u{200f}'                 // Zero width, direction marks.
        | '\u{2028}'..='\u{202e}'                 // Line separators, bidi embedding and override.
        | '\u{2060}'..='\u{206f}'                 // Word joiner, invisible operators, bidi isolates.
        | '\u{2800}'                              // Blank braille pattern.
        | '\u{fe00}'..='\u{fe0f}'                 // Variation selectors.
        | '\u{feff}'                              // Byte order mark.
        | '\u{fff0}'..='\u{fffb}'                 // Specials: unassigned and interlinear annotation.
        | '\u{110bd}' | '\u{110cd}'               // Kaithi number signs.
        | '\u{13430}'..='\u{1343f}'               // Egyptian format controls.
        | '\u{1bca0}'..='\u{1bca3}'               // Shorthand format controls.
        | '\u{1f1e6}'..='\u{1f1ff}'               // Regional indicators: terminals differ in the width of a flag.
        | '\u{1d173}'..='\u{1d17a}'               // Musical format controls.
        | '\u{e0000}'..='\u{e0fff}'               // Tags, more variation selectors.
        | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' // Spaces that are not the space.
        | '\u{fdd0}'..='\u{fdef}'                 // Noncharacters.
        | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' // Private use: any glyph of a font.
    ) || (c as u32) & 0xfffe == 0xfffe
}
