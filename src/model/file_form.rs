//! What a path is besides its bytes: a type, and for a file whether it may be executed.

use crate::string_enum;

string_enum! {
    /// What a path is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum FileForm {
        /// A file.
        File = "file",
        /// A file that may be executed.
        Executable = "executable",
        /// A symbolic link; its content is where it points.
        Link = "link",
        /// A directory.
        Directory = "directory",
        /// A pipe, socket or device.
        Special = "special",
    }
}

impl FileForm {
    /// What it is called beside another one.
    const fn phrase(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Executable => "executable",
            Self::Link => "symbolic link",
            Self::Directory => "directory",
            Self::Special => "special file",
        }
    }
}

/// What a path is on two sides: now and afterwards, or in A and in B. `None` where nothing is there, or it is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Forms {
    /// Now, or in A.
    pub before: Option<FileForm>,
    /// Afterwards, or in B.
    pub after: Option<FileForm>,
}

impl Forms {
    /// Both sides.
    pub const fn new(before: Option<FileForm>, after: Option<FileForm>) -> Self {
        Self { before, after }
    }

    /// The same with its sides exchanged.
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self::new(self.after, self.before)
    }

    /// True where the mode or the type of what is there changes.
    pub fn change(self) -> bool {
        let both = self.before.zip(self.after);
        both.is_some_and(|(before, after)| before != after)
    }

    /// True where both sides are the same, or neither is there.
    pub fn is_same(self) -> bool {
        self.before == self.after
    }

    /// Those that the bytes do not show: both sides differ, or one is a link.
    pub fn notable(self) -> Option<Self> {
        let is_link = [self.before, self.after].contains(&Some(FileForm::Link));
        (is_link || self.change()).then_some(self)
    }

    /// What is said of them beside a path. Modes are those that git records.
    pub fn said(self) -> Option<String> {
        use FileForm::{Executable, File};
        let Self { before, after } = self.notable()?;
        Some(match before.zip(after) {
            Some((File, Executable)) => "mode 644 → 755".to_owned(),
            Some((Executable, File)) => "mode 755 → 644".to_owned(),
            Some((before, after)) if before != after => {
                format!("{} → {}", before.phrase(), after.phrase())
            }
            Some(_) | None => FileForm::Link.phrase().to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_form_is_said_and_so_is_a_link() {
        let all = [
            "file",
            "executable",
            "link",
            "directory",
            "special",
            "missing",
        ];
        for (before, after) in all.iter().flat_map(|one| all.map(|other| (*one, other))) {
            let forms = Forms::new(before.parse().ok(), after.parse().ok());
            let said = forms.said();
            let both = before != "missing" && after != "missing";
            let is_link = before == "link" || after == "link";
            assert_eq!(said.is_some(), both && before != after || is_link);
            assert_eq!(forms.change(), both && before != after);
            let arrow = said.as_deref().is_some_and(|said| said.contains(" → "));
            assert_eq!(arrow, forms.change(), "{before} {after}");
            assert_eq!(forms.swapped().swapped(), forms);
            if arrow {
                assert_ne!(said, forms.swapped().said());
            }
        }
        let of = |before, after| Forms::new(Some(before), after).said();
        let run = of(FileForm::Executable, Some(FileForm::File));
        assert_eq!(run.as_deref(), Some("mode 755 → 644"));
        let link = of(FileForm::File, Some(FileForm::Link));
        assert_eq!(link.as_deref(), Some("file → symbolic link"));
        assert_eq!(of(FileForm::Link, None).as_deref(), Some("symbolic link"));
    }
}
