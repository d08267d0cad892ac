//! A selection that follows its row, not its position.

use crate::tui::screens::Position;

/// The selected row of a list, by its key. The place it was last seen at decides when the key is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor<K> {
    key: Option<K>,
    /// None until the rows were seen.
    place: Option<usize>,
}

impl<K> Default for Cursor<K> {
    fn default() -> Self {
        Self {
            key: None,
            place: None,
        }
    }
}

impl<K: Clone + PartialEq> Cursor<K> {
    /// A selection of this key, wherever it is.
    pub fn on(key: K) -> Self {
        Self {
            key: Some(key),
            place: None,
        }
    }

    /// What is selected.
    pub fn key(&self) -> Option<&K> {
        self.key.as_ref()
    }

    /// Whether the first row was selected when the rows were last seen.
    pub(crate) fn is_first(&self) -> bool {
        self.place == Some(0)
    }

    /// The place of the selection in these rows.
    pub fn place(&self, rows: &[K]) -> Option<usize> {
        let last = rows.len().checked_sub(1)?;
        let key = self.key.as_ref();
        let place = self.place.unwrap_or(0);
        // The usual case first: nothing moved.
        if rows.get(place) == key && key.is_some() {
            return Some(place);
        }
        let found = key.and_then(|key| rows.iter().position(|row| row == key));
        Some(found.unwrap_or_else(|| place.min(last)))
    }

    /// How many of these rows there are, and the place of the selection.
    pub fn extent(&self, rows: &[K]) -> (usize, Option<usize>) {
        (rows.len(), self.place(rows))
    }

    /// What the movement keys move: the selection in these rows.
    pub(crate) fn position(&self, rows: &[K]) -> Position {
        Position::row(self.place(rows), rows.len())
    }

    /// Selects the row at a place, the last one at most.
    pub fn go(&mut self, rows: &[K], place: usize) {
        let place = place.min(rows.len().saturating_sub(1));
        self.place = Some(place);
        self.key = rows.get(place).cloned();
    }

    /// Finds the selection again after the rows changed.
    pub fn reselect(&mut self, rows: &[K]) {
        match self.place(rows) {
            Some(place) => self.go(rows, place),
            None => self.key = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selection_follows_its_key() {
        let mut cursor = Cursor::default();
        cursor.go(&['a', 'b', 'c'], 1);
        cursor.reselect(&['x', 'y', 'b']);
        assert_eq!(
            (cursor.key(), cursor.place(&['x', 'y', 'b'])),
            (Some(&'b'), Some(2))
        );
    }

    #[test]
    fn a_key_that_is_gone_leaves_the_selection_where_it_stood() {
        let mut cursor = Cursor::default();
        cursor.go(&['a', 'b', 'c'], 2);
        cursor.reselect(&['a', 'b']);
        assert_eq!(cursor.key(), Some(&'b'));
        cursor.reselect(&[]);
        assert_eq!(cursor.key(), None);
        cursor.reselect(&['z']);
        assert_eq!(cursor.key(), Some(&'z'));
    }
}
