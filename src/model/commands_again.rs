//! Commands in sentences, as they find their pipeline or recovery from where they are typed.

use std::path::{Component, Path, PathBuf};

use super::{
    Clean, Comparison, Dossier, EngineError, Foreign, Guard, PipelineId, Plan, Request, Scope,
};
use crate::text::format::shell_path;

/// The commands that take a recovery.
const OF_RECOVERIES: [&str; 4] = ["undo", "redo", "recover", "purge"];

/// The commands that start what the configuration says.
const OF_CONFIGURATION: [&str; 2] = ["replay", "resume"];

/// What commands need besides an id to find from the current directory what was found in paths elsewhere. All are empty
/// where ids are enough.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundBy {
    /// The options of a command about a pipeline.
    pub of_pipelines: String,
    /// The options of a command about a recovery.
    pub of_recoveries: String,
    /// The option of a command that starts what the configuration says.
    pub configured: String,
}

impl FoundBy {
    /// What finds again what this request finds.
    pub fn of(request: &Request) -> Self {
        let options = |paths: &mut dyn Iterator<Item = &PathBuf>| {
            let mut words = paths.map(|path| shell_path(path));
            let all = words.try_fold(String::new(), |all, word| {
                Some(format!("{all} --root {}", word?))
            });
            all.unwrap_or_default()
        };
        let away = request.paths.iter();
        let away = away.filter(|path| request.is_away(path));
        Self {
            of_pipelines: options(&mut away.chain(&request.roots)),
            of_recoveries: options(&mut request.sandbox.iter()),
            configured: {
                let config = request.config.as_deref().and_then(shell_path);
                config.map_or_else(String::new, |path| format!(" --config {path}"))
            },
        }
    }

    /// The options that name the roots of a command without an id.
    pub fn roots(&self) -> &str {
        match self.of_recoveries.as_str() {
            "" => &self.of_pipelines,
            roots => roots,
        }
    }

    /// The options with which a command without an id means what is found in this scope.
    pub fn scope(&self, scope: Option<Scope>) -> String {
        // Paths are among the roots.
        let scope = scope.filter(|scope| *scope != Scope::Paths);
        let scope = scope.map_or_else(String::new, |scope| format!(" --scope {}", scope.word()));
        scope + self.roots()
    }

    /// A text with its commands as they work from the current directory. The native key of this pipeline is an id, too.
    pub fn commands(&self, text: &str, id: Option<&PipelineId>) -> String {
        rename(text, &|verb, word| {
            let options = if OF_RECOVERIES.contains(&verb) {
                let is_id = word.starts_with(|sign: char| sign.is_ascii_digit());
                is_id.then_some(&self.of_recoveries)
            } else {
                let is_id = word.contains('~') || id.is_some_and(|id| id.is_called(word));
                is_id.then_some(&self.of_pipelines)
            };
            let configured = OF_CONFIGURATION.contains(&verb).then_some(&self.configured);
            // A text that was copied from the screen has them already.
            let missing = |options: &&String| !text.contains(options.as_str());
            let all = options
                .into_iter()
                .chain(configured.filter(|_| options.is_some()));
            let all: String = all.filter(missing).map(String::as_str).collect();
            options.map(|_| format!("{word}{all}"))
        })
    }

    /// The same of a line that is shown or copied.
    #[must_use]
    pub fn line(&self, line: &Clean) -> Clean {
        Clean::new(&self.commands(line.as_str(), None))
    }

    /// The same of a text of relight's own.
    pub fn tell(&self, text: &mut Foreign, id: Option<&PipelineId>) {
        change(text, &|text| self.commands(text, id));
    }
}

impl Request {
    /// Whether a search from the current directory does not reach a path that was named: it never enters a sandbox.
    pub fn is_away(&self, path: &Path) -> bool {
        let above = path.components().any(|part| part == Component::ParentDir);
        let outside = path.is_absolute() && !path.starts_with(&self.cwd);
        above || outside || self.sandbox.is_some()
    }
}

/// A text in which the first operand of each `relight COMMAND OPERAND…` is replaced: `name` has the command and the
/// operand. What follows may look like another, such as a fingerprint.
pub fn rename(text: &str, name: &dyn Fn(&str, &str) -> Option<String>) -> String {
    let mut command = None;
    let mut after_relight = false;
    let words = text.split(' ').map(|word| {
        if std::mem::take(&mut after_relight) {
            command = Some(word);
            return word.to_owned();
        }
        if word.trim_start_matches(['`', '(']) == "relight" {
            after_relight = true;
            return word.to_owned();
        }
        let operand = word.trim_end_matches(['.', ',', ';', ':', ')', '`']);
        let renamed = command.and_then(|command| name(command, operand));
        let is_option = word.starts_with('-');
        if !is_option {
            command = None;
        }
        let end = word.strip_prefix(operand).unwrap_or_default();
        renamed.map_or_else(|| word.to_owned(), |renamed| format!("{renamed}{end}"))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Changes a text that names commands.
pub fn change(text: &mut Foreign, say: &dyn Fn(&str) -> String) {
    let same = text.as_str().filter(|same| same.contains("relight "));
    if let Some(changed) = same.map(say) {
        *text = changed.into();
    }
}

impl PipelineId {
    /// Whether a word is this id or its native key.
    pub fn is_called(&self, word: &str) -> bool {
        let native = self.0.rsplit_once('~').map(|(native, _)| native);
        let system = native.and_then(|native| native.strip_suffix(word));
        self.0 == word || (!word.is_empty() && system.is_some_and(|system| system.ends_with('-')))
    }
}

fn cures(guards: &mut [Guard]) -> impl Iterator<Item = &mut Foreign> {
    let guards = guards.iter_mut();
    guards.filter_map(|guard| guard.would_hold_if.as_mut())
}

impl EngineError {
    /// What it says.
    pub fn advice(&mut self) -> impl Iterator<Item = &mut Foreign> {
        let texts = [&mut self.text].into_iter().chain(&mut self.hints);
        texts.chain(cures(&mut self.guards))
    }
}

impl Plan {
    /// What it says to do.
    pub fn advice(&mut self) -> impl Iterator<Item = &mut Foreign> {
        let cause = self.cause.iter_mut().flat_map(|cause| &mut cause.next);
        let point = &mut self.point.boundary.warnings;
        let cures = cures(&mut self.guards);
        cures.chain(cause).chain(&mut self.warnings).chain(point)
    }
}

impl Comparison {
    /// What it says to do.
    pub fn advice(&mut self) -> impl Iterator<Item = &mut Foreign> {
        let others = self.others.iter_mut().map(|other| &mut other.text);
        let verdicts = [&mut self.verdict_text].into_iter().chain(others);
        verdicts.filter_map(|text| text.command.as_mut())
    }
}

impl Dossier {
    /// What it says to do.
    pub fn advice(&mut self) -> impl Iterator<Item = &mut Foreign> {
        let next = self.why.iter_mut().flat_map(|why| &mut why.cause.next);
        let checks = self.checks.iter_mut();
        let remedies = checks.filter_map(|check| check.remedy.as_mut());
        let points = self.points.iter_mut();
        let points = points.flat_map(|point| {
            let warnings = point.boundary.warnings.iter_mut();
            warnings.chain([&mut point.reason])
        });
        next.chain(remedies).chain(points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_starts_something_names_the_configuration() {
        let by = FoundBy::of(&Request {
            roots: vec!["/w".into()],
            config: Some("a b.toml".into()),
            ..Request::default()
        });
        for (line, expected) in [
            (
                "relight replay mgw-1~ab12 --all",
                "relight replay mgw-1~ab12 --root /w --config 'a b.toml' --all",
            ),
            (
                "relight show mgw-1~ab12",
                "relight show mgw-1~ab12 --root /w",
            ),
            (
                "relight undo 20261126T010203",
                "relight undo 20261126T010203",
            ),
        ] {
            let said = by.commands(line, None);
            assert_eq!(said, expected);
            assert_eq!(by.commands(&said, None), expected, "only once");
        }
    }
}
