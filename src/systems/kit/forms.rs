//! What an orchestrator may record: a table of forms for each system, and the values that each form takes.

use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset};
use serde_json::{Map, Value};

use crate::foreign;
use crate::formats::json::{BadPair, assign};
use crate::model::{
    ClockStyle, EngineError, Foreign, NextStep, Place, RecordOption, Result, Step, SystemName,
};
use crate::text::Shown as _;
use crate::text::format::time_full;
use crate::world::World;
use crate::world::files::ReadError;

/// Where the records of one pipeline are written.
#[derive(Debug, Clone)]
pub struct Site {
    /// The system.
    pub system: SystemName,
    /// The folder to lock, the same as for a recovery of the pipeline.
    pub root: PathBuf,
    /// The folder of its files.
    pub dir: PathBuf,
    /// Its state file, for a system with one file for each pipeline.
    pub file: PathBuf,
    /// The system's own key.
    pub key: String,
}

impl Site {
    /// The site of a pipeline that is a folder, whose name is the key.
    pub(crate) fn of_folder(system: SystemName, root: PathBuf, dir: &Path, file: PathBuf) -> Self {
        let key = dir.file_name().unwrap_or_default();
        Self {
            system,
            root,
            dir: dir.to_owned(),
            file,
            key: key.to_string_lossy().into_owned(),
        }
    }
}

/// One kind of record.
pub struct Form {
    /// The word that selects it; the first form of a system needs none.
    pub name: &'static str,
    /// The arguments of `relight record`, for errors.
    pub usage: &'static str,
    /// The options it takes.
    pub options: &'static [&'static str],
    /// Whether the same record may be repeated.
    pub repeats: bool,
    /// Validates the values and returns the changes.
    pub write: Write,
}

type Write = fn(&Ask<'_>) -> Result<Written>;

impl Form {
    pub(crate) const fn new(
        name: &'static str,
        usage: &'static str,
        options: &'static [&'static str],
        write: Write,
    ) -> Self {
        Self {
            name,
            usage,
            options,
            repeats: false,
            write,
        }
    }

    /// The same form, whose records may be repeated.
    pub(crate) const fn repeating(self) -> Self {
        Self {
            repeats: true,
            ..self
        }
    }
}

/// The input of a form.
pub struct Ask<'a> {
    /// The world; only files are read.
    pub world: &'a dyn World,
    /// Where to record it.
    pub site: &'a Site,
    /// The form.
    pub form: &'a Form,
    /// The words after the form's name.
    pub words: &'a [String],
    /// The options by name.
    pub values: &'a Map<String, Value>,
    /// The time of the record, in the person's zone.
    pub at: DateTime<FixedOffset>,
    /// Whether the time was given, so that it may be in the past.
    pub dated: bool,
}

/// The changes of a record, in order.
#[derive(Debug, Default)]
pub struct Written {
    /// The changes.
    pub steps: Vec<Step>,
    /// The next step by the system's own table.
    pub next: Option<NextStep>,
    /// The number that was assigned.
    pub seq: Option<u64>,
    /// The file that was created for the caller.
    pub file: Option<PathBuf>,
    /// Notes for the caller.
    pub notes: Vec<Foreign>,
    /// The time that the file has, where it is not the one that was asked for.
    pub at: Option<DateTime<FixedOffset>>,
}

impl Written {
    /// These changes, and the next step.
    pub fn new(steps: Vec<Step>, next: Option<NextStep>) -> Self {
        Self {
            steps,
            next,
            ..Self::default()
        }
    }
}

/// How the pipelines of a system whose files relight may write are recorded while it works.
pub struct Recorder {
    /// The heading of its options in the help.
    pub heading: &'static str,
    /// The forms; the first one needs no name.
    pub forms: &'static [Form],
    /// The options of its forms.
    pub options: &'static [RecordOption],
    /// Instructions for the prompt of its orchestrator, so that it records instead of writing the files itself.
    pub prompt: &'static str,
    /// The site of a path. True if the person named the system, so that the files need not exist yet.
    pub at: fn(&Path, bool, &dyn World) -> Option<Site>,
    /// The site of the system's own key, such as an issue's number, from a directory; `None` if it has no such keys.
    pub named: Option<KeyLookup>,
}

/// Finds a site by a key, from a directory.
pub type KeyLookup = fn(&str, &Path, bool, &dyn World) -> Option<Site>;

/// The form that the words select, and the remaining words.
pub fn choose<'f, 'w>(forms: &'f [Form], words: &'w [String]) -> Option<(&'f Form, &'w [String])> {
    if let Some((first, rest)) = words.split_first()
        && let Some(form) = forms.iter().find(|form| form.name == first.as_str())
    {
        return Some((form, rest));
    }
    Some((forms.first()?, words))
}

/// An error for refused values; the file is not changed.
pub fn refused(text: impl Into<Foreign>) -> EngineError {
    EngineError::refused(text)
}

impl Ask<'_> {
    /// An error for a wrong command line.
    pub fn usage(&self, text: impl Into<Foreign>) -> EngineError {
        EngineError::usage(text).hint(format!("Usage: relight record {}", self.form.usage))
    }

    /// Refuses options that the form does not take.
    pub fn known_options(&self) -> Result<()> {
        let known = self.form.options;
        let mut keys = self.values.keys();
        match keys.find(|key| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => {
                let error = self.usage(format!("This record does not take --{key}."));
                Err(error.near(key, known.iter().copied()))
            }
        }
    }

    /// Refuses words, for a form that takes none.
    pub fn no_words(&self) -> Result<()> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(self.usage(foreign!("Unexpected word: {}.", word.as_str()))),
        }
    }

    /// Refuses a given time before the last record.
    pub fn not_before(&self, last: Option<DateTime<FixedOffset>>) -> Result<()> {
        match last.filter(|last| self.dated && *last > self.at) {
            None => Ok(()),
            Some(last) => Err(refused(format!(
                "The last record is of {}, which is later than --at.",
                time_full(last)
            ))),
        }
    }

    /// A string value; a number is accepted too.
    pub fn text(&self, name: &str) -> Result<Option<String>> {
        match self.values.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(Some(value.to_string())),
            Some(Value::Array(_) | Value::Object(_)) => {
                Err(self.usage(format!("--{name} must be one value.")))
            }
        }
    }

    /// A required string value.
    pub fn need(&self, name: &str) -> Result<String> {
        let text = self.text(name)?.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| self.usage(format!("--{name} is missing.")))
    }

    /// An integer value.
    pub fn whole(&self, name: &str) -> Result<Option<u64>> {
        let parse = |text: String| {
            let number = text.parse::<u64>().ok();
            number.ok_or_else(|| self.usage(format!("--{name} must be a whole number.")))
        };
        self.text(name)?.map(parse).transpose()
    }

    /// A switch.
    pub fn flag(&self, name: &str) -> bool {
        self.values.get(name) == Some(&Value::Bool(true))
    }

    /// The values of an option that may be repeated.
    pub fn list(&self, name: &str) -> Result<Vec<String>> {
        match self.values.get(name) {
            Some(Value::Array(all)) => {
                let texts = all.iter().map(|one| one.as_str().map(str::to_owned));
                let texts: Option<Vec<String>> = texts.collect();
                texts.ok_or_else(|| self.usage(format!("--{name} must be a list of texts.")))
            }
            _ => Ok(self.text(name)?.into_iter().collect()),
        }
    }

    /// `KEY=VALUE` pairs, or an object. What replaces a string of `like` is a string.
    pub fn pairs(
        &self,
        name: &str,
        like: &Map<String, Value>,
    ) -> Result<Option<Map<String, Value>>> {
        match self.values.get(name) {
            None => Ok(None),
            Some(Value::Object(object)) => Ok(Some(object.clone())),
            Some(_) => self.assigned(&self.list(name)?, like).map(Some),
        }
    }

    /// Words of the form `KEY=VALUE` as an object.
    pub fn assigned(
        &self,
        words: &[String],
        like: &Map<String, Value>,
    ) -> Result<Map<String, Value>> {
        let mut object = Map::new();
        for word in words {
            assign(&mut object, word, like).map_err(|bad| match bad {
                BadPair::Form(why) => self.usage(why),
                BadPair::Value(why) => refused(why),
            })?;
        }
        Ok(object)
    }

    /// One of a set of words.
    pub fn one_of<T: Copy>(&self, what: &str, word: &str, known: &[(&str, T)]) -> Result<T> {
        let found = known.iter().find(|(name, _)| *name == word);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            refused(foreign!("There is no {} {}.", what, word))
                .hint(format!("Known: {}.", names.join(", ")))
                .near(word, names.iter().copied())
        })
    }

    /// The content of a file; `None` if it does not exist.
    pub fn read(&self, path: &Path) -> Result<Option<Vec<u8>>> {
        let unreadable = |why: &str| {
            let text = format!("{} cannot be read: {why}.", path.shown());
            EngineError::unreadable(text)
        };
        let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(unreadable("it is not a file"));
        };
        let place = Place::known(dir, name).map_err(|why| unreadable(&why.to_string()))?;
        match self.world.files().whole(&place) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(ReadError::NotFound) => Ok(None),
            Err(why) => Err(unreadable(&why.to_string())),
        }
    }
}

/// A step that replaces the content of a file.
pub fn replace(
    path: impl Into<PathBuf>,
    before: Option<Vec<u8>>,
    content: Vec<u8>,
    what: impl Into<Foreign>,
) -> Step {
    Step::replace_file(path, before, content, None, what)
}

/// A step that appends lines to a log. A placeholder for the clock in them becomes the local time with its offset; the
/// lines of a record must not contain one, because their time is already filled in.
pub fn append(path: impl Into<PathBuf>, lines: Vec<String>, what: impl Into<Foreign>) -> Step {
    Step::append_lines(path, lines, ClockStyle::LocalOffset, what)
}
