//! Edits of a JSON file that keep every other byte. New text follows the layout and escapes of the file. The result is
//! parsed and compared with the intended document.

use std::ops::Range;

use serde_json::{Map, Value};

use super::At;
use super::document::{Document, Kind, Node};
use super::style::{CLOCK, NOW, NonAscii, Style, gap_before, margin};

/// One change. The edits of one call must not overlap.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit<'a> {
    /// Replaces the value at a path, or appends the member to its object if it is missing.
    Set(Vec<At<'a>>, Value),
    /// Drops elements of a list by index and appends others; the rest keep their bytes. Creates the list if it is
    /// missing.
    List {
        /// Where the list is.
        path: Vec<At<'a>>,
        /// Indexes of the elements to drop.
        drop: Vec<usize>,
        /// The elements to add.
        add: Vec<Value>,
    },
    /// Inserts an element into a list before an index, or at the end. It must be the last edit of a call, because it
    /// shifts the elements.
    Insert {
        /// Where the list is.
        path: Vec<At<'a>>,
        /// The index of the new element.
        place: usize,
        /// The new element.
        value: Value,
    },
}

impl<'a> Edit<'a> {
    /// Replaces a value or adds a member.
    pub fn set(path: impl Into<Vec<At<'a>>>, value: impl Into<Value>) -> Self {
        Self::Set(path.into(), value.into())
    }

    /// Replaces or adds a member of the document itself.
    pub fn member(key: &'a str, value: impl Into<Value>) -> Self {
        Self::set([At::Key(key)], value)
    }

    /// Inserts an element into a list.
    pub fn insert(path: impl Into<Vec<At<'a>>>, place: usize, value: impl Into<Value>) -> Self {
        Self::Insert {
            path: path.into(),
            place,
            value: value.into(),
        }
    }

    fn path(&self) -> &[At<'a>] {
        let (Self::Set(path, _) | Self::List { path, .. } | Self::Insert { path, .. }) = self;
        path
    }

    /// Adds one element at the end of a list.
    pub fn push(path: impl Into<Vec<At<'a>>>, value: impl Into<Value>) -> Self {
        Self::List {
            path: path.into(),
            drop: Vec::new(),
            add: vec![value.into()],
        }
    }
}

/// The edited document. The error is a clause that says why an exact edit is impossible.
pub fn edit(bytes: &[u8], edits: &[Edit<'_>], unsure: NonAscii) -> Result<Vec<u8>, String> {
    let document = Document::read(bytes).ok_or("it is not valid JSON")?;
    if let Some(duplicate) = document.duplicates().first() {
        // Parsers take the last of the two, so an edit of either would leave the file ambiguous.
        return Err(format!("the key `{}` is duplicated", duplicate.path));
    }
    let mut intended = document.value().ok_or("it is not valid JSON")?;
    let mut plan = Plan {
        style: Style::of(&document, unsure),
        document: &document,
        cuts: Vec::new(),
        members: Vec::new(),
    };
    for edit in edits {
        plan.add(edit)?;
        apply(&mut intended, edit).ok_or("its structure does not fit the change")?;
    }
    let edited = plan.spliced()?;
    let seen = Document::read(&edited).and_then(|document| document.value());
    undate(&mut intended);
    if seen.as_ref() != Some(&intended) {
        return Err("the edited file would not have the intended content".to_owned());
    }
    Ok(edited)
}

/// The document as a reader sees it before the clock is written.
fn undate(value: &mut Value) {
    match value {
        Value::String(text) if *text == *CLOCK => NOW.clone_into(text),
        Value::Array(list) => list.iter_mut().for_each(undate),
        Value::Object(map) => map.values_mut().for_each(undate),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Applies an edit to the parsed document.
fn apply(document: &mut Value, edit: &Edit<'_>) -> Option<()> {
    let mut at = document;
    for step in edit.path() {
        at = match step {
            At::Key(key) => at
                .as_object_mut()?
                .entry(*key)
                .or_insert_with(|| Value::Array(Vec::new())),
            At::Index(index) => at.get_mut(*index)?,
        };
    }
    match edit {
        Edit::Set(_, value) => *at = value.clone(),
        Edit::List { drop, add, .. } => {
            let list = at.as_array_mut()?;
            let mut place = 0..;
            list.retain(|_| !place.next().is_some_and(|place| drop.contains(&place)));
            list.extend(add.iter().cloned());
        }
        Edit::Insert { place, value, .. } => {
            let list = at.as_array_mut().filter(|list| *place <= list.len())?;
            list.insert(*place, value.clone());
        }
    }
    Some(())
}

/// Byte spans to replace, and members to add to objects.
struct Plan<'a> {
    document: &'a Document<'a>,
    style: Style,
    cuts: Vec<(Range<usize>, Vec<u8>)>,
    members: Vec<(&'a Node, Map<String, Value>)>,
}

impl Plan<'_> {
    fn add(&mut self, edit: &Edit<'_>) -> Result<(), String> {
        let path = edit.path();
        let Some(found) = self.document.find(path) else {
            return self.missing(edit);
        };
        let margin = margin(self.document.bytes, found.span.start);
        let elements = || match &found.kind {
            Kind::List(elements) => Ok(elements.as_slice()),
            Kind::Object(_) | Kind::Scalar => Err(format!("{} is not a list", name(path))),
        };
        let cut = match edit {
            Edit::Set(_, value) => Some((
                found.span.clone(),
                self.style.value(value, margin).into_bytes(),
            )),
            Edit::List { drop, add, .. } => self.list(found, elements()?, drop, add),
            Edit::Insert { place, value, .. } => {
                let elements = elements()?;
                let last = self.list(found, elements, &[], std::slice::from_ref(value));
                match (elements.get(*place), last) {
                    // Formatted as if appended, but with its comma after it.
                    (Some(next), Some((_, text))) => {
                        let comma = text.iter().take_while(|byte| **byte == b',').count();
                        let text = text.get(comma..).unwrap_or_default().trim_ascii_start();
                        let gap = gap_before(self.document.bytes, next.span.start);
                        let text = [text, b",", gap.as_bytes()].concat();
                        Some((next.span.start..next.span.start, text))
                    }
                    (_, last) => last,
                }
            }
        };
        self.cuts.extend(cut);
        Ok(())
    }

    /// Adds a missing member at the end of its object.
    fn missing(&mut self, edit: &Edit<'_>) -> Result<(), String> {
        let path = edit.path();
        let object = path
            .split_last()
            .and_then(|(last, parents)| match last {
                At::Key(key) => Some((*key, self.document.find(parents)?)),
                At::Index(_) => None,
            })
            .filter(|(_, node)| matches!(node.kind, Kind::Object(_)));
        let Some((key, object)) = object else {
            return Err(format!("{} is missing", name(path)));
        };
        let value = match edit {
            Edit::Set(_, value) => value.clone(),
            Edit::List { add, .. } => Value::Array(add.clone()),
            Edit::Insert { value, .. } => Value::Array(vec![value.clone()]),
        };
        let known = self
            .members
            .iter_mut()
            .find(|(node, _)| node.span == object.span);
        match known {
            Some((_, members)) => drop(members.insert(key.to_owned(), value)),
            None => self
                .members
                .push((object, Map::from_iter([(key.to_owned(), value)]))),
        }
        Ok(())
    }

    /// The replacement for a list; `None` if nothing changes.
    fn list(
        &self,
        list: &Node,
        elements: &[Node],
        drop: &[usize],
        add: &[Value],
    ) -> Option<(Range<usize>, Vec<u8>)> {
        let (bytes, style) = (self.document.bytes, &self.style);
        let kept: Vec<&Node> = elements
            .iter()
            .enumerate()
            .filter(|(place, _)| !drop.contains(place))
            .map(|(_, one)| one)
            .collect();
        let around = margin(bytes, list.span.start);
        let (Some(first), Some(final_one)) = (elements.first(), elements.last()) else {
            // Objects get their own lines, even where short lists are on one line.
            let lines = add.iter().any(Value::is_object) || !style.compact;
            let text = self.fresh(add, around, lines);
            return (!add.is_empty()).then(|| (list.span.clone(), text));
        };
        if kept.is_empty() {
            let lines = gap_before(bytes, first.span.start).contains('\n');
            return Some((list.span.clone(), self.fresh(add, around, lines)));
        }
        let gap = self.gap(final_one.span.start, elements.len());
        let indent = margin(bytes, final_one.span.start);
        // A new element follows its neighbor: it spans several lines only if the neighbor does, or if the neighbor is
        // too simple to tell.
        let neighbor = self.document.text(&final_one.span);
        let one_line = matches!(final_one.kind, Kind::Object(_) | Kind::List(_))
            && neighbor.len() > 2
            && !neighbor.contains(&b'\n');
        let in_lines = !one_line && gap.contains('\n');
        let new = add.iter().map(|value| {
            if in_lines {
                style.lines(value, indent)
            } else {
                style.inline(value)
            }
        });
        let new: Vec<String> = new.collect();
        let separator = format!(",{gap}");
        if kept.len() == elements.len() {
            let text = separator.clone() + &new.join(&separator);
            let end = final_one.span.end;
            return (!add.is_empty()).then(|| (end..end, text.into_bytes()));
        }
        let kept = kept.iter().map(|element| self.document.text(&element.span));
        let all: Vec<&[u8]> = kept.chain(new.iter().map(String::as_bytes)).collect();
        let part = |range: Range<usize>| bytes.get(range).unwrap_or_default();
        let text = [
            part(list.span.start..first.span.start),
            &all.join(separator.as_bytes()),
            part(final_one.span.end..list.span.end),
        ];
        Some((list.span.clone(), text.concat()))
    }

    /// A list that has only new elements.
    fn fresh(&self, add: &[Value], outer: &str, lines: bool) -> Vec<u8> {
        let style = &self.style;
        let Some(unit) = style.indent.as_ref().filter(|_| lines && !add.is_empty()) else {
            return style.inline(&Value::Array(add.to_vec())).into_bytes();
        };
        let inner = format!("{outer}{unit}");
        let parts = add.iter().map(|value| style.lines(value, &inner));
        let text = style.bracketed('[', &parts.collect::<Vec<_>>(), ']', outer);
        text.into_bytes()
    }

    /// The replacement that appends members to an object.
    fn joined(&self, object: &Node, new: &Map<String, Value>) -> (Range<usize>, Vec<u8>) {
        let (bytes, style) = (self.document.bytes, &self.style);
        let members = match &object.kind {
            Kind::Object(members) => members.as_slice(),
            Kind::List(_) | Kind::Scalar => &[],
        };
        let outer = margin(bytes, object.span.start);
        let Some(last) = members.last() else {
            let unit = style.indent.as_deref().unwrap_or_default();
            let inner = format!("{outer}{unit}");
            let parts = new
                .iter()
                .map(|(key, value)| style.member(key, &style.value(value, &inner)));
            let text = style.bracketed('{', &parts.collect::<Vec<_>>(), '}', outer);
            return (object.span.clone(), text.into_bytes());
        };
        let gap = self.gap(last.start, members.len());
        let inner = margin(bytes, last.start);
        let text = new.iter().map(|(key, value)| {
            // Objects get their own lines, even where short lists are on one line.
            let records = value
                .as_array()
                .is_some_and(|list| list.iter().any(Value::is_object));
            let value = match (gap.contains('\n'), records) {
                (true, true) => style.lines(value, inner),
                (true, false) => style.value(value, inner),
                (false, _) => style.inline(value),
            };
            format!(",{gap}{}", style.member(key, &value))
        });
        let end = last.value.span.end;
        (end..end, text.collect::<String>().into_bytes())
    }

    /// What stands before the last of so many elements; a single one on the line of its bracket does not tell.
    fn gap(&self, last: usize, many: usize) -> &str {
        match gap_before(self.document.bytes, last) {
            gap if many == 1 && !gap.contains('\n') => self.style.gap,
            gap => gap,
        }
    }

    /// The document with all replacements applied.
    fn spliced(mut self) -> Result<Vec<u8>, String> {
        let members = std::mem::take(&mut self.members);
        for (object, new) in &members {
            let cut = self.joined(object, new);
            self.cuts.push(cut);
        }
        self.cuts.sort_by_key(|(span, _)| (span.start, span.end));
        let bytes = self.document.bytes;
        let mut out = Vec::with_capacity(bytes.len() + 512);
        let mut at = 0;
        for (span, text) in &self.cuts {
            let between = bytes.get(at..span.start).ok_or("the changes overlap")?;
            out.extend_from_slice(between);
            out.extend_from_slice(text);
            at = span.end;
        }
        out.extend_from_slice(bytes.get(at..).unwrap_or_default());
        Ok(out)
    }
}

/// A path as text: `` `stages[1].status` ``.
fn name(path: &[At<'_>]) -> String {
    let steps = path.iter().enumerate().map(|(place, step)| match step {
        At::Key(key) if place == 0 => (*key).to_owned(),
        At::Key(key) => format!(".{key}"),
        At::Index(index) => format!("[{index}]"),
    });
    format!("`{}`", steps.collect::<String>())
}

#[cfg(test)]
mod tests;
