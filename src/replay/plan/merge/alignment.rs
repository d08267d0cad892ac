//! Whether a dispatch was made from a text of its template, and how certain the place of each line is.

use std::collections::HashMap;

use super::hunks::{Hunk, Lines, bare, hunks};

/// Whether a dispatch contains a template's lines in their order. Blank lines and trailing blanks do not count. A line
/// with a placeholder may have become any text. A template of placeholders alone fits nothing.
pub(in crate::replay::plan) fn fits(template: &[u8], dispatch: &[u8]) -> bool {
    let (template, dispatch) = (Lines::of(template), Lines::of(dispatch));
    // Only anchors are searched: what replaced a placeholder is unknown text, which may span several lines.
    let wanted: Vec<&[u8]> = template.0.iter().filter_map(|line| anchor(line)).collect();
    if wanted.is_empty() {
        return template.0.iter().all(|line| line.trim_ascii().is_empty());
    }
    // Taking each line at its first place is enough: if any placement exists, the earliest one does.
    let mut wanted = wanted.into_iter().peekable();
    for line in &dispatch.0 {
        wanted.next_if(|next| *next == line.trim_ascii_end());
    }
    wanted.peek().is_none()
}

/// How many lines of a template a dispatch lacks, and how many it should have. Added lines do not count: they are
/// context.
pub(in crate::replay::plan) fn missing(template: &[u8], dispatch: &[u8]) -> (usize, usize) {
    let (template, dispatch) = (Lines::of(template), Lines::of(dispatch));
    let wanted = |line: &&&[u8]| anchor(line).is_some();
    let all = template.0.iter().filter(wanted).count();
    // By diff, not by counting: a line that is present in another place is missing where it belongs.
    let gone = |hunk: Hunk| template.part(hunk.base).iter().filter(wanted).count();
    (hunks(&template, &dispatch).into_iter().map(gone).sum(), all)
}

/// For each line of the template, whether several places of the dispatch would do. `None` if the dispatch does not
/// contain the whole template.
pub(super) fn doubts(template: &Lines<'_>, dispatch: &Lines<'_>) -> Option<Vec<bool>> {
    let lines = template.0.iter().enumerate();
    let anchors = lines.filter_map(|(at, line)| Some((at, anchor(line)?)));
    let anchors: Vec<(usize, &[u8])> = anchors.collect();
    let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (at, line) in dispatch.0.iter().enumerate() {
        places.entry(line.trim_ascii_end()).or_default().push(at);
    }
    let of = |line: &[u8]| places.get(line).map(Vec::as_slice).unwrap_or_default();
    // A line is certain if its earliest and latest possible places are the same: computed from the front, then from the
    // back, in one pass each. Trying every placement would be exponential.
    let mut earliest = Vec::with_capacity(anchors.len());
    let mut from = 0;
    for (_, line) in &anchors {
        let known = of(line);
        let at = *known.get(known.partition_point(|at| *at < from))?;
        earliest.push(at);
        from = at + 1;
    }
    let mut doubts = vec![false; template.len()];
    let mut until = dispatch.len();
    for ((at, line), early) in anchors.iter().zip(&earliest).rev() {
        let known = of(line);
        let before = known.partition_point(|place| *place < until);
        let late = *known.get(before.checked_sub(1)?)?;
        if let Some(doubt) = doubts.get_mut(*at) {
            *doubt = late != *early;
        }
        until = late;
    }
    Some(doubts)
}

/// The same if the dispatch contains only most of the template: a line is in doubt if either text contains it more than
/// once.
pub(super) fn repeated(template: &Lines<'_>, dispatch: &Lines<'_>) -> Vec<bool> {
    let count = |lines: &Lines<'_>| {
        let mut counts: HashMap<Vec<u8>, usize> = HashMap::new();
        // Trailing blanks do not count here either; editors strip them on saving.
        for line in &lines.0 {
            *counts.entry(line.trim_ascii_end().to_vec()).or_default() += 1;
        }
        counts
    };
    let (of_template, of_dispatch) = (count(template), count(dispatch));
    let many = |counts: &HashMap<Vec<u8>, usize>, line: &[u8]| {
        counts.get(line).is_some_and(|count| *count > 1)
    };
    let in_doubt = |line: &&[u8]| {
        anchor(line).is_some_and(|line| many(&of_template, line) || many(&of_dispatch, line))
    };
    template.0.iter().map(in_doubt).collect()
}

/// A line of a template that must appear unchanged in a dispatch; `None` for one that need not.
fn anchor(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii_end();
    (!line.is_empty() && !has_placeholder(bare(line))).then_some(line)
}

/// Whether a line contains a placeholder: `{{plan}}`, `${PLAN}`, `{PLAN}`, `<PLAN>` or `[PLAN …]`. Links, check boxes
/// and tags in lower case are none.
fn has_placeholder(line: &[u8]) -> bool {
    let shouts = |rest: &[u8]| {
        let word = rest.iter().take_while(|byte| {
            byte.is_ascii_uppercase() || matches!(byte, b'_' | b'-' | b'0'..=b'9')
        });
        let len = word.count();
        len >= 2 && rest.first().is_some_and(u8::is_ascii_uppercase)
    };
    let closes = |rest: &[u8], with: u8| {
        let end = rest.iter().position(|byte| *byte == with);
        // `[API](https://…)` is a Markdown link, not a placeholder.
        end.is_some_and(|end| rest.get(end + 1) != Some(&b'('))
    };
    (0..line.len()).any(|at| match line.get(at..) {
        Some([b'{', b'{', rest @ ..]) => rest.windows(2).any(|two| two == b"}}"),
        Some([b'{', rest @ ..]) => shouts(rest) && closes(rest, b'}'),
        Some([b'<', rest @ ..]) => shouts(rest) && closes(rest, b'>'),
        Some([b'[', rest @ ..]) => shouts(rest) && closes(rest, b']'),
        _ => false,
    })
}
