//! Whether a dispatch was made from a text of its template, and how sure the place of each line is.

use std::collections::HashMap;

use super::hunks::{Lines, bare, hunks};

/// Whether a dispatch holds a template's lines in their order. Blank lines do not count, nor do blanks at the end of
/// a line; a line with a placeholder may have become anything. A template of nothing but placeholders fits nothing.
pub(in crate::replay::plan) fn fits(template: &[u8], dispatch: &[u8]) -> bool {
    let (template, dispatch) = (Lines::of(template), Lines::of(dispatch));
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

/// How many lines of a template a dispatch has not, and how many it should have. Lines that were added do not count:
/// they are context.
pub(in crate::replay::plan) fn missing(template: &[u8], dispatch: &[u8]) -> (usize, usize) {
    let (template, dispatch) = (Lines::of(template), Lines::of(dispatch));
    let wanted = |line: &&&[u8]| anchor(line).is_some();
    let all = template.0.iter().filter(wanted).count();
    // By the difference and not by counting: lines that are there in another order are missing where they belong.
    let gone = hunks(&template, &dispatch)
        .into_iter()
        .map(|hunk| template.part(hunk.base).iter().filter(wanted).count())
        .sum();
    (gone, all)
}

/// Of each line of the template whether it stands at several places of the dispatch that would all do. `None` where
/// the dispatch does not hold the whole template.
pub(super) fn doubts(template: &Lines<'_>, dispatch: &Lines<'_>) -> Option<Vec<bool>> {
    let anchors: Vec<(usize, &[u8])> = template
        .0
        .iter()
        .enumerate()
        .filter_map(|(at, line)| Some((at, anchor(line)?)))
        .collect();
    let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (at, line) in dispatch.0.iter().enumerate() {
        places.entry(line.trim_ascii_end()).or_default().push(at);
    }
    let of = |line: &[u8]| places.get(line).map(Vec::as_slice).unwrap_or_default();
    // A line is certain where its earliest and its latest possible place are the same: from the front, then from the
    // back, in one pass each.
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

/// The same where the dispatch holds only most of the template: a line is in doubt that either has more than once.
pub(super) fn repeated(template: &Lines<'_>, dispatch: &Lines<'_>) -> Vec<bool> {
    let count = |lines: &Lines<'_>| {
        let mut counts: HashMap<Vec<u8>, usize> = HashMap::new();
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

/// A line of a template as it must stand in a dispatch; `None` for one that need not.
fn anchor(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii_end();
    (!line.is_empty() && !has_placeholder(bare(line))).then_some(line)
}

/// Whether a line holds something that is to be filled in: `{{plan}}`, `${PLAN}`, `{PLAN}`, `<PLAN>` or `[PLAN …]`.
/// Links, check boxes and tags in lower case are not.
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
