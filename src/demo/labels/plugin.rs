//! The plugin with the templates of the run, as it is installed: a repository with a history of its own, one
//! template of which was changed after the run.

use super::super::kit::{DAY, DemoError, HOUR, Kit};
use crate::git::scratch::Scratch;

/// Where Claude keeps the plugin.
const PLUGIN: &str = "home/.claude/plugins/marketplaces/crucible";

/// Where the replacements are that are ready to be tried.
const EXPERIMENT: &str = "projects/labels-experiment";

/// A template's name and its text.
macro_rules! template {
    ($name:literal) => {
        ($name, asset!("templates/", $name, "-prompt.md"))
    };
}

/// The templates by name, without `-prompt.md`, as they were when the run began.
const TEMPLATES: &[(&str, &str)] = &[
    template!("acceptance-tests"),
    template!("build-implementer"),
    template!("code-reviewer"),
    template!("design-researcher"),
    template!("inquisitor"),
    template!("plan-writer"),
    template!("quality-gate"),
    (RED_TEAM, RED_TEAM_TEMPLATE),
];

const RED_TEAM: &str = "red-team";
const RED_TEAM_TEMPLATE: &str = asset!("templates/red-team-prompt.md");

/// A template's text when the run began.
pub(super) fn template(name: &str) -> &'static str {
    let found = TEMPLATES.iter().find(|(known, _)| *known == name);
    found.map_or("", |(_, text)| text)
}

/// Builds the repository: all templates, one made sharper before the run, one changed after it.
pub(super) fn build(kit: &Kit) -> Result<(), DemoError> {
    let repo = Scratch::init(&kit.folder(PLUGIN)?, "main", kit.ago(120 * DAY))?;
    // What the red team was told before somebody wanted to hear of everything.
    let everything = "Report every finding you can think of, however small.";
    let mild = RED_TEAM_TEMPLATE
        .replace(everything, "Report what you find.")
        .replace("if anything at all is open", "if something is open");
    let mild = mild.as_str();
    let first = |(name, text): &(&str, &'static str)| {
        (path(name), if *name == RED_TEAM { mild } else { *text })
    };
    let firsts: Vec<(String, &str)> = TEMPLATES.iter().map(first).collect();
    let mut files: Vec<(&str, Option<&[u8]>)> = vec![("README.md", Some(b"# crucible\n"))];
    let templates = firsts.iter();
    files.extend(templates.map(|(path, text)| (path.as_str(), Some(text.as_bytes()))));
    repo.commit(&files, "The prompts of build", "", kit.ago(120 * DAY))?;
    let change = |name, text: &str, subject, seconds| {
        let file: (&str, Option<&[u8]>) = (&path(name), Some(text.as_bytes()));
        repo.commit(&[file], subject, "", kit.ago(seconds))
    };
    let subject = "Red team: report everything";
    change(RED_TEAM, RED_TEAM_TEMPLATE, subject, 25 * DAY)?;
    let reviewer = template("code-reviewer").replace(
        "- Check that its tests can fail.\n",
        "- Check that its tests can fail.\n- Check that every new name says what it is.\n",
    );
    let subject = "Reviewer: look at names";
    change("code-reviewer", &reviewer, subject, 20 * HOUR)?;
    repo.age(kit.ago(20 * HOUR))?;
    Ok(())
}

/// The replacements: for the red team one that merges by itself, one that changes the lines beside the injected
/// context, and a rubber stamp; for the implementer one that makes a true difference.
pub(super) fn replacements(kit: &Kit) -> Result<(), DemoError> {
    let files = [
        ("README.md", asset!("labels-experiment.md")),
        ("red-team-v2.md", asset!("red-team-v2.md")),
        ("red-team-v3.md", asset!("red-team-v3.md")),
        ("red-team-stamp.md", asset!("red-team-stamp.md")),
        ("implementer-v2.md", asset!("implementer-v2.md")),
    ];
    for (name, text) in files {
        kit.file(&format!("{EXPERIMENT}/{name}"), text, 5 * HOUR)?;
    }
    Ok(())
}

fn path(name: &str) -> String {
    format!("skills/build/{name}-prompt.md")
}
