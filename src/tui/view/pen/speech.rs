//! A line as it is read aloud: words and pauses instead of signs, columns and boxes.

use crate::tui::prelude::*;
use crate::tui::view::pen::bits::{Bit, Bits};

/// What was read aloud.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// One item a line.
    pub(crate) lines: Vec<Clean>,
    /// The selected row, with its number.
    pub(crate) selected: Option<Clean>,
}

impl Said {
    pub(super) fn line(&mut self, bits: &Bits) {
        let line = bits.spoken();
        if !line.as_str().is_empty() {
            self.lines.push(line);
        }
    }

    /// Says a row with the number that chooses it.
    pub(super) fn row(&mut self, number: usize, selected: bool, bits: &Bits) {
        let line = bits.spoken();
        if line.as_str().is_empty() {
            return;
        }
        let line = clean!("{}. {}", number, line);
        if selected {
            self.selected = Some(line.clone());
        }
        self.lines.push(line);
    }
}

impl Bits {
    /// The line as it is read aloud. Two blanks or more are the gap between two columns. The text of a file comes last,
    /// as it is: a blank or a sign may be all that differs.
    pub(crate) fn spoken(&self) -> Clean {
        let words: Vec<&Bit> = self.0.iter().filter(|bit| !bit.verbatim).collect();
        let mut line = String::new();
        for (at, bit) in words.iter().enumerate() {
            let next = words.get(at + 1).map_or("  ", |next| next.whole().as_str());
            // A key that nothing is said of leads to what is said before it.
            let leads = line.ends_with(' ') && !line.ends_with("  ");
            let said = bit.spoken();
            if bit.role == Role::Key && bit.aloud.is_none() && leads && next.starts_with("  ") {
                line.extend(["(key ", &said, ")"]);
            } else {
                line.push_str(&said);
            }
        }
        let mut said = String::new();
        for part in line.split("  ").map(str::trim) {
            let begins = part.starts_with([',', ';', '.', ':', ')']);
            let ended = said.ends_with([',', ';', ':', '(', '.', '?']) || said.is_empty();
            match (part.is_empty() || part == ",", said.is_empty()) {
                (true, _) => continue,
                (false, false) if ended || begins => said.push(' '),
                (false, false) => said.push_str(", "),
                (false, true) => {}
            }
            said.push_str(part);
        }
        let said = said.replace(": , ", ": ").replace(" , ", ", ");
        let said = said.replace(" ; ", "; ");
        let said = said.trim_matches([' ', ',', ';']);
        // It was clean, and only words of ours were added.
        let said = Clean::from_clean_parts(format_args!("{said}"));
        match self.0.iter().find(|bit| bit.verbatim) {
            Some(bit) => clean!("{} {}", said, bit.whole()),
            None => said,
        }
    }
}

impl Bit {
    fn spoken(&self) -> String {
        let text = self.whole().as_str();
        // A sign that leads a sentence says how bad it is. Beside a word it says the same as the word.
        let leads = text.ends_with(' ');
        match text.trim() {
            "" if self.label => String::new(),
            label if self.label => format!("{label}: "),
            "✗" if leads => "Error: ".to_owned(),
            "!" if leads => "Warning: ".to_owned(),
            "!" | "?" if self.role != Role::Key => "  ".to_owned(),
            // The word beside it says the same.
            "+" | "-" if !leads && self.role != Role::Key => String::new(),
            "±" => "difference, ".to_owned(),
            "▸" => "folded, ".to_owned(),
            "▾" => "unfolded, ".to_owned(),
            "★" => "recommended, ".to_owned(),
            "→" if leads && self.role == Role::Accent => "What to do: ".to_owned(),
            // Before what is renamed, whose new name follows the same sign.
            "→" if text == "→ " => String::new(),
            "[x]" => "checked, ".to_owned(),
            "[ ]" => "unchecked, ".to_owned(),
            "[-]" => "partly checked, ".to_owned(),
            word => match (counted(word, '✗'), counted(word, '!')) {
                (Some(number), _) => format!("  {number} failed  "),
                (_, Some(number)) => format!("  {number} with a warning  "),
                _ => text
                    .trim_start_matches(['!', '~'])
                    .replace(" × ", " times ")
                    .chars()
                    .map(|sign| aloud(sign, self.role))
                    .collect(),
            },
        }
    }
}

/// The number after a sign.
fn counted(word: &str, sign: char) -> Option<&str> {
    let number = word.strip_prefix(sign)?;
    let digits = !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit());
    digits.then_some(number)
}

/// What is said for a sign; a line of a box or a bar is nothing.
fn aloud(sign: char, role: Role) -> String {
    let word = match sign {
        '↑' => "Up",
        '↓' => "Down",
        '←' => "Left",
        '→' if role == Role::Key => "Right",
        '→' => "to",
        '×' => " times ",
        '−' => "-",
        '·' | '›' | '•' => ",  ",
        // Signs beside words; boxes, blocks and shapes; the dots of a spinner.
        '✓'
        | '✗'
        | '–'
        | '★'
        | '↺'
        | '↻'
        | '⇄'
        | '⋯'
        | '⋮'
        | '‹'
        | '\u{2500}'..='\u{25ff}'
        | '\u{2800}'..='\u{28ff}' => "",
        sign => return sign.to_string(),
    };
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_and_columns_become_words_and_pauses() {
        let text = |text: &'static str| Bits::of(Role::Text, text);
        let table = [
            (
                Bits::of(Role::Bad, "✗ ").text("It is gone."),
                "Error: It is gone.",
            ),
            (Bits::of(Role::Warn, "! ").text("Old."), "Warning: Old."),
            // What differs in a file may be a blank or a sign.
            (
                Bits::of(Role::Dim, "  2 ")
                    .bad("- ")
                    .say(Role::Removed, "    a,  b → c · 2 × d;")
                    .verbatim(),
                "2 -     a,  b → c · 2 × d;",
            ),
            (
                Bits::new().label("", 11).text("y copies it."),
                "y copies it.",
            ),
            (
                Bits::of(Role::Good, "✓")
                    .text(" ")
                    .good("ok")
                    .pad(9)
                    .text("C1"),
                "ok, C1",
            ),
            (
                Bits::of(Role::Wait, "?").gap(1).say(Role::Wait, "waiting"),
                "waiting",
            ),
            (Bits::of(Role::Dim, "── ").title("Lost").dim(" ──"), "Lost"),
            (
                Bits::new().label("cause", 11).text("a question"),
                "cause: a question",
            ),
            (
                text("3 Verification").gap(1).bad("✗1").gap(3).key("4"),
                "3 Verification, 1 failed, 4",
            ),
            (
                text("4 waiting").gap(1).key("w").gap(2).text("7"),
                "4 waiting (key w), 7",
            ),
            (text("+4 complete").gap(1).key("c"), "+4 complete (key c)"),
            (text("Type ").key("yes").text(" now."), "Type yes now."),
            (text("a").dim(" · ").text("b"), "a, b"),
            (text("old.md → new.md"), "old.md to new.md"),
            (text("2 runs × 3 steps"), "2 runs times 3 steps"),
            (text("build  ×3"), "build, times 3"),
            (Bits::of(Role::Key, "↑ ↓").dim(" choose"), "Up Down choose"),
            (Bits::of(Role::Key, "-").dim(" fold"), "- fold"),
            (Bits::of(Role::Key, "+").dim(" add blocks"), "+ add blocks"),
            (
                text("▸ ")
                    .warn("[-] ")
                    .title("src/")
                    .aloud("folder src/")
                    .gap(4)
                    .text("12 files"),
                "folded, partly checked, folder src/, 12 files",
            ),
            // A column limits what is drawn, and nothing that is said.
            (
                Bits::new()
                    .join(text("kept (later)").dim(" and more").pad(9))
                    .text("notes"),
                "kept (later) and morenotes",
            ),
            (text("日本語 ready?"), "日本語 ready?"),
            (text("  ").gap(3), ""),
        ];
        for (bits, expected) in table {
            assert_eq!(bits.spoken().as_str(), expected);
        }
    }
}
