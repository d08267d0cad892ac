//! `[[view]]`: saved views of the list.

use serde::Deserialize;

use crate::model::filter::Filter;
use crate::model::{Group, LIST_COLUMNS, ListKey, SavedView};

/// The keys of a `[[view]]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenView {
    name: String,
    #[serde(default)]
    filter: String,
    sort: Option<String>,
    #[serde(default)]
    columns: Vec<String>,
    group: Option<String>,
    #[serde(default)]
    complete: bool,
}

impl WrittenView {
    /// The view, or what is wrong with it.
    pub(super) fn view(&self) -> Result<SavedView, String> {
        let name = &self.name;
        if name.is_empty() || name.trim() != name {
            let what = "is empty or has blanks around it.";
            return Err(format!("view.name \"{name}\" {what}"));
        }
        let group = self.group.as_deref().map_or(Ok(Group::Nothing), |word| {
            word.parse()
                .map_err(|()| known(name, "group", word, &Group::ALL.map(Group::word)))
        });
        let columns = self.columns.iter();
        let columns = columns.map(|word| column(name, "columns", word));
        if let Some(trouble) = Filter::parse(&self.filter).trouble() {
            let (text, hint) = (&trouble.text, trouble.hint.as_deref().unwrap_or_default());
            let text = format!("view {name}: filter: {text} {hint}");
            return Err(text.trim_end().to_owned());
        }
        let sort = self.sort.as_ref().map(|word| column(name, "sort", word));
        Ok(SavedView {
            name: name.clone(),
            filter: self.filter.clone(),
            sort: sort.transpose()?,
            columns: columns.collect::<Result<_, _>>()?,
            group: group?,
            complete: self.complete,
        })
    }
}

/// All views, or what is wrong with one of them.
pub(super) fn views(written: &[WrittenView]) -> Result<Vec<SavedView>, String> {
    let views = written.iter().map(WrittenView::view);
    let views: Vec<SavedView> = views.collect::<Result<_, _>>()?;
    for (at, view) in views.iter().enumerate() {
        if views.iter().take(at).any(|other| other.name == view.name) {
            let name = &view.name;
            return Err(format!("has two views named {name}; rename one of them."));
        }
    }
    Ok(views)
}

fn column(view: &str, key: &str, word: &str) -> Result<ListKey, String> {
    let all = LIST_COLUMNS.map(|column| column.key.word());
    word.parse().map_err(|()| known(view, key, word, &all))
}

fn known(view: &str, key: &str, word: &str, all: &[&str]) -> String {
    let all = all.join(", ");
    format!("view {view}: {key} \"{word}\" is none of {all}.")
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;
    use std::path::Path;

    fn parse(text: &str) -> Result<Vec<SavedView>, String> {
        let config = Config::parse(text, Path::new("/c.toml"), &|_| None);
        config.map(|one| one.view).map_err(|error| error.what)
    }

    #[test]
    fn a_view_has_a_filter_an_order_and_columns() {
        let text = "[[view]]\nname = \"mine\"\nfilter = \"status:waiting\"\nsort = \"project\"\n\
                    columns = [\"id\", \"check\"]\ngroup = \"project\"\n[[view]]\nname = \"all\"\ncomplete = true";
        let found = parse(text).unwrap();
        assert_eq!(found[0].sort, Some(ListKey::Project));
        assert_eq!(found[0].columns, [ListKey::Id, ListKey::Check]);
        assert_eq!(
            (found[0].group, found[1].group),
            (Group::Project, Group::Nothing)
        );
        assert!(found[1].complete && found[1].filter.is_empty());
    }

    #[test]
    fn an_invalid_view_is_an_error() {
        for (text, says) in [
            ("name = \" \"", "view.name \" \" is empty"),
            (
                "name = \"a\"\nsort = \"x\"",
                "view a: sort \"x\" is none of status, ",
            ),
            (
                "name = \"a\"\ngroup = \"x\"",
                "view a: group \"x\" is none of nothing, ",
            ),
            (
                "name = \"a\"\ncolumns = [\"x\"]",
                "view a: columns \"x\" is none of ",
            ),
            (
                "name = \"a\"\n[[view]]\nname = \"a\"",
                "has two views named a; rename",
            ),
            (
                "name = \"a\"\nfilter = \"status:foo\"",
                "view a: filter: status cannot be foo.",
            ),
            ("name = \"a\"\nfilter = \"zz:foo\"", "view a: filter: "),
            (
                "name = \"a\"\nsrot = \"x\"",
                "line 3: `srot` is not a key here",
            ),
        ] {
            let what = parse(&format!("[[view]]\n{text}")).unwrap_err();
            assert!(what.starts_with(says), "{text}: {what}");
        }
    }
}
