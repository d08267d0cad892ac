//! A line of pieces: texts, each with its role.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::diff::find::Needle;
use crate::tui::prelude::*;

/// The most bytes of one text that are laid out: more is never visible.
const MOST: usize = 4 * 1024;

/// A piece of a line.
#[derive(Debug, Clone)]
pub(super) struct Bit {
    pub(super) text: Clean,
    /// What is read aloud in its place: all of a text that was cut, or what only a look says.
    pub(super) aloud: Option<Clean>,
    pub(super) role: Role,
    /// Bytes of the text that look different.
    pub(super) over: Vec<(Range<usize>, Role)>,
    /// Whether it names what follows.
    pub(super) label: bool,
    /// The file or folder that it names.
    pub(super) file: Option<Arc<Path>>,
    /// Whether it is the text of a file, which is read aloud as it is.
    pub(super) verbatim: bool,
    /// The column in it where a person writes.
    pub(super) cursor: Option<usize>,
}

impl Bit {
    /// What is read aloud of it.
    pub(super) fn whole(&self) -> &Clean {
        self.aloud.as_ref().unwrap_or(&self.text)
    }

    /// Replaces its last sign by `…`; false if it has none.
    fn end_as_cut(&mut self) -> bool {
        let Some((at, last)) = self.text.as_str().grapheme_indices(true).next_back() else {
            return false;
        };
        let blank = if last.width() > 1 { " " } else { "" };
        let text = clean!("{}…{}", self.text.part(0..at), blank);
        self.aloud = Some(self.whole().clone());
        self.text = text;
        true
    }
}

/// A line of pieces, one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bits(pub(super) Vec<Bit>);

impl Bits {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A line that begins with a text.
    pub(crate) fn of(role: Role, text: impl Into<Clean>) -> Self {
        Self::new().say(role, text)
    }

    /// A sign and the word beside it, in one role.
    pub(crate) fn signed((sign, role): (&'static str, Role), word: impl Into<Clean>) -> Self {
        Self::of(role, sign).gap(1).say(role, word)
    }

    /// Adds a text.
    pub(crate) fn say(self, role: Role, text: impl Into<Clean>) -> Self {
        self.marked(role, text, Vec::new())
    }

    /// Adds ordinary text.
    pub(crate) fn text(self, text: impl Into<Clean>) -> Self {
        self.say(Role::Text, text)
    }

    /// Adds text that may be overlooked.
    pub(crate) fn dim(self, text: impl Into<Clean>) -> Self {
        self.say(Role::Dim, text)
    }

    /// Adds a heading.
    pub(crate) fn title(self, text: impl Into<Clean>) -> Self {
        self.say(Role::Title, text)
    }

    /// Adds a word to notice that is neither good nor bad.
    pub(crate) fn accent(self, text: impl Into<Clean>) -> Self {
        self.say(Role::Accent, text)
    }

    /// Adds the name of a key, which can be pressed.
    pub(crate) fn key(self, text: impl Into<Clean>) -> Self {
        self.say(Role::Key, text)
    }

    /// Adds something that is ok, done or added.
    pub(crate) fn good(self, text: impl Into<Clean>) -> Self {
        self.say(Role::Good, text)
    }

    /// Adds something that a person should look at.
    pub(crate) fn warn(self, text: impl Into<Clean>) -> Self {
        self.say(Role::Warn, text)
    }

    /// Adds something that failed, refuses or is removed.
    pub(crate) fn bad(self, text: impl Into<Clean>) -> Self {
        self.say(Role::Bad, text)
    }

    /// Adds so many blanks.
    pub(crate) fn gap(self, cells: usize) -> Self {
        self.text(" ".repeat(cells))
    }

    /// Adds a text of which some bytes look different.
    pub(crate) fn marked(
        mut self,
        role: Role,
        text: impl Into<Clean>,
        over: Vec<(Range<usize>, Role)>,
    ) -> Self {
        let text = text.into();
        self.0.push(Bit {
            text,
            aloud: None,
            role,
            over,
            label: false,
            file: None,
            verbatim: false,
            cursor: None,
        });
        self
    }

    /// Changes the last piece.
    fn last(mut self, change: impl FnOnce(&mut Bit)) -> Self {
        self.0.last_mut().map(change);
        self
    }

    /// Makes the last piece the text of a file, the end of a line.
    pub(crate) fn verbatim(self) -> Self {
        self.last(|bit| bit.verbatim = true)
    }

    /// Says where in the last piece a person writes, if anywhere.
    pub(crate) fn cursor(self, column: Option<usize>) -> Self {
        self.last(|bit| bit.cursor = column)
    }

    /// Adds a sentence of ours. The keys that it names at the beginning of a part are lit, and can be pressed.
    pub(crate) fn sentence(mut self, role: Role, text: &Clean) -> Self {
        let all = text.as_str();
        let (mut at, mut said, mut begins) = (0, 0, true);
        for word in all.split_inclusive(' ') {
            let name = word.trim_end();
            let next = at + word.len();
            if begins && is_key(name) {
                self = self.say(role, text.part(said..at));
                self = self.key(text.part(at..at + name.len()));
                said = at + name.len();
            }
            begins = name.ends_with([':', ';', ',', '.']) || matches!(name, "and" | "or");
            at = next;
        }
        self.say(role, text.part(said..all.len()))
    }

    /// Gives the last piece other words for those who listen.
    pub(crate) fn aloud(self, words: impl Into<Clean>) -> Self {
        self.last(|bit| bit.aloud = Some(words.into()))
    }

    /// Adds a text in at most so many cells of which the end says most. All of it is read aloud.
    pub(crate) fn ending(self, role: Role, text: Clean, cells: usize) -> Self {
        self.say(role, text.clip_start(cells)).aloud(text)
    }

    /// Adds a text that names a file or folder, which a terminal may open.
    pub(crate) fn file(self, role: Role, text: impl Into<Clean>, file: &Arc<Path>) -> Self {
        self.say(role, text)
            .last(|bit| bit.file = Some(Arc::clone(file)))
    }

    /// Adds what names the text that follows it, in a column of a width.
    pub(crate) fn label(self, text: &'static str, width: usize) -> Self {
        let label = Self::of(Role::Dim, text).last(|bit| bit.label = true);
        self.join(label.pad(width))
    }

    /// Adds a text with some of its characters lit.
    pub(crate) fn lit(self, role: Role, text: Clean, letters: &[usize]) -> Self {
        let all = text.as_str().char_indices().enumerate();
        let lit = all.filter(|(place, _)| letters.binary_search(place).is_ok());
        let over = lit.map(|(_, (byte, letter))| (byte..byte + letter.len_utf8(), Role::Hit));
        let over = over.collect();
        self.marked(role, text, over)
    }

    /// Adds a text in at most so many cells of which both ends are needed, with some of its characters lit. All of it is
    /// read aloud.
    pub(crate) fn lit_ends(self, role: Role, text: Clean, letters: &[usize], cells: usize) -> Self {
        let short = text.clip_middle(cells);
        let [all, shown] = [&text, &short].map(|text| text.as_str().chars().count());
        let begin = short.as_str().chars().take_while(|letter| *letter != '…');
        let begin = begin.count();
        let end = short.as_str().rsplit('…').next();
        let ends = end.is_some_and(|end| text.as_str().ends_with(end));
        let placed = letters.iter().filter_map(|place| match *place {
            place if shown == all || place < begin => Some(place),
            // What is left out is not lit.
            place => (place + shown)
                .checked_sub(all)
                .filter(|at| ends && *at > begin),
        });
        let placed: Vec<usize> = placed.collect();
        self.lit(role, short, &placed).aloud(text)
    }

    /// Lights what a search is for.
    pub(crate) fn found(mut self, needle: &Needle) -> Self {
        for bit in &mut self.0 {
            let places = needle.places(&bit.text).into_iter();
            bit.over.extend(places.map(|place| (place, Role::Hit)));
        }
        self
    }

    /// What is written.
    pub(crate) fn written(&self) -> Clean {
        Clean::concat(self.0.iter().map(|bit| &bit.text))
    }

    /// Adds a text in a column of a width.
    pub(crate) fn cell(self, role: Role, text: impl Into<Clean>, width: usize) -> Self {
        self.join(Self::new().say(role, text).pad(width))
    }

    /// What is before each line of a text that begins with this: this, then blanks of its width.
    pub(crate) fn hanging(&self) -> impl Iterator<Item = Self> + use<> {
        let blanks = Self::new().pad(self.width());
        std::iter::once(self.clone()).chain(std::iter::repeat(blanks))
    }

    /// Adds another line's pieces.
    pub(crate) fn join(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Parts in a line, with dots between them.
    pub(crate) fn dotted(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = parts.into_iter();
        let first = parts.next().unwrap_or_default();
        parts.fold(first, |line, part| line.dim(" · ").join(part))
    }

    /// Adds blanks until the line is this wide, or cuts it there.
    pub(crate) fn pad(mut self, width: usize) -> Self {
        let used = self.width();
        if used > width {
            self.cut(width);
        } else if used < width {
            self = self.gap(width - used);
        }
        self
    }

    /// The line in at most so many lines of a width, broken between words. What the last one has no room for is cut when
    /// it is drawn.
    pub(crate) fn wrapped(self, width: usize, most: usize) -> Vec<Self> {
        if self.width() <= width {
            return vec![self];
        }
        let (mut lines, mut line) = (Vec::new(), Self::new());
        for bit in self.0 {
            let mut at = 0;
            for word in bit.text.as_str().split_inclusive(' ') {
                let shown = word.trim_end();
                let is_full = line.width() > 2 && line.width() + shown.width() > width;
                if is_full && lines.len() + 1 < most {
                    lines.push(std::mem::replace(&mut line, Self::new().gap(2)));
                }
                // No line ends in a blank that has no room.
                let fits = line.width() + word.width() <= width;
                let end = at + if fits { word } else { shown }.len();
                let text = bit.text.part(at..end);
                at += word.len();
                line.0.push(Bit {
                    text,
                    ..bit.clone()
                });
            }
        }
        lines.push(line);
        lines
    }

    pub(super) fn cut(&mut self, width: usize) {
        let (mut room, mut is_full) = (width, false);
        let mut is_said = false;
        let mut kept: Vec<Bit> = Vec::new();
        for mut bit in std::mem::take(&mut self.0) {
            let wide = bit.text.width();
            if wide <= room && !is_full {
                room -= wide;
                kept.push(bit);
                continue;
            }
            // What has no room for a sign of its own is missing at the end of what is before it.
            if room > 0 {
                is_said = true;
            } else if !is_said && !bit.text.as_str().trim().is_empty() {
                let mut before = kept.iter_mut().rev();
                is_said = before.any(Bit::end_as_cut);
            }
            // No width limits what is read aloud.
            let whole = bit.whole().clone();
            bit.text = if is_full {
                Clean::empty()
            } else {
                ellipsis(&bit.text, room)
            };
            bit.aloud = Some(whole);
            let short = bit.text.width();
            kept.push(bit);
            if !is_full && short < room {
                kept.extend(Self::new().gap(room - short).0);
            }
            is_full = true;
        }
        self.0 = kept;
    }

    /// Width in cells.
    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|bit| bit.text.width()).sum()
    }
}

/// Whether a word of a sentence names a key. Digits and the letters that are words are left alone.
fn is_key(word: &str) -> bool {
    let is_word = matches!(word, "a" | "A" | "B" | "I" | "-") || word.starts_with(char::is_numeric);
    let lower = word.len() > 1 && !word.starts_with(char::is_uppercase);
    !is_word && !lower && Key::shown(word).is_some()
}

/// A text cut to a width, with `…` where it was cut. For prose; what is known by its ending is clipped by
/// [`Clean::clip`], which keeps different texts different.
pub(crate) fn ellipsis(text: &Clean, width: usize) -> Clean {
    let text = if text.as_str().len() > MOST {
        &head(text, MOST)
    } else {
        text
    };
    if text.width() <= width {
        return text.clone();
    }
    let Some(room) = width.checked_sub(1) else {
        return Clean::empty();
    };
    let mut used = 0;
    let mut end = 0;
    for (byte, sign) in text.as_str().grapheme_indices(true) {
        used += sign.width();
        if used > room {
            break;
        }
        end = byte + sign.len();
    }
    crate::clean!("{}…", text.part(0..end))
}

/// At most so many bytes.
fn head(text: &Clean, bytes: usize) -> Clean {
    let mut end = bytes.min(text.as_str().len());
    while !text.as_str().is_char_boundary(end) {
        end -= 1;
    }
    text.part(0..end)
}
