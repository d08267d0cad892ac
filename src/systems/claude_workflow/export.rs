//! The content of an export: results, one page for each agent, the script, the arguments, a continuation script and a
//! page about the gaps.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::model::{Check, Export, ExportFile, Foreign, Verdict};
use crate::systems::claude_workflow::audit::{self, Effect};
use crate::systems::claude_workflow::checks;
use crate::systems::claude_workflow::facts::{Agent, Facts, State, causes};
use crate::systems::claude_workflow::points::{self, Point, bound, cannot_resume, handoff};
use crate::text::format::count;
use crate::world::World;

pub(crate) fn export(facts: &Facts, world: &dyn World) -> Export {
    let checks = checks::checks(world, facts);
    let mut files = Vec::new();
    let mut add = |name: &str, content: Vec<u8>| {
        files.push(ExportFile {
            name: name.to_owned(),
            content,
        });
    };
    let effects = audit::effects(world, facts, points::again(facts, Point::ResumeInSession));
    add("README.md", readme(facts, &checks, &effects).into_bytes());
    add("effects.json", audited(facts, &effects).into_bytes());
    add("results.json", results(facts, world).into_bytes());
    add("continue.js", continuation(facts).into_bytes());
    if let Ok(Some(args)) = facts.args() {
        add("args.json", args.to_vec());
    }
    if let Some(script) = script(facts, world) {
        add("script.js", script);
    }
    for agent in &facts.agents {
        let name = format!("agent-{:03}.md", agent.number);
        add(&name, page(agent).into_bytes());
    }
    Export {
        files,
        gaps: gaps(facts),
    }
}

fn gaps(facts: &Facts) -> Vec<Foreign> {
    let gap = |(cause, many)| {
        let agents = count(many, "agent");
        format!("{agents} without an accepted result: {cause}.").into()
    };
    causes::groups(facts.lost()).into_iter().map(gap).collect()
}

/// The result and its source.
fn result(agent: &Agent) -> (Value, Option<&'static str>) {
    match (&agent.result, agent.state) {
        (Some(result), _) if !result.is_null() => (result.clone(), Some("journal")),
        (_, State::NotJournaled) => {
            let answer = agent.answer.clone().unwrap_or_default();
            (answer, Some("transcript"))
        }
        _ => (Value::Null, None),
    }
}

fn results(facts: &Facts, world: &dyn World) -> String {
    let row = |agent: &Agent| {
        let (result, source) = result(agent);
        json!({
            "n": agent.number,
            "key": agent.key,
            "agentId": agent.id,
            "label": agent.label,
            "phase": agent.phase,
            "state": agent.state.word(),
            "cause": agent.cause(),
            "source": source,
            "accepted": source == Some("journal"),
            "result": result,
        })
    };
    let all = json!({
        "runId": facts.run,
        "owner": facts.sessions.first().map(|session| session.id.as_str()),
        "exportedAt": world.clock().now().to_rfc3339(),
        "agents": facts.agents.iter().map(row).collect::<Vec<_>>(),
    });
    format!("{all:#}\n")
}

fn page(agent: &Agent) -> String {
    let (result, source) = result(agent);
    let phase = agent.phase.as_deref().unwrap_or("none");
    let from = match source {
        Some("transcript") => "the agent's file; not accepted by the run",
        Some(_) => "the journal",
        None => "none",
    };
    let text = |value: &Value| {
        let text = value.as_str();
        text.map_or_else(|| format!("{value:#}"), str::to_owned)
    };
    let mut body = text(&result);
    if let (Some(true), Some(answer)) = (agent.contradicts_journal(), &agent.answer) {
        body.push_str("\n\n## The answer in the agent's own file differs\n\n");
        body.push_str(&text(answer));
    }
    let (number, label, state) = (agent.number, &agent.label, agent.cause());
    let tokens = agent.tokens;
    format!(
        "# Agent {number}: {label}\n\nPhase: {phase}\nState: {state}\nTokens: {tokens}\nResult from: {from}\n\n{body}\n"
    )
}

/// The effects of agents that run again, each with the points that run its agent.
fn audited(facts: &Facts, effects: &[Effect]) -> String {
    let row = |effect: &Effect| {
        let mut agents = facts.agents.iter();
        let agent = agents.find(|agent| agent.number == effect.agent);
        let finished = agent.is_some_and(Agent::is_finished);
        json!({
            "kind": effect.kind.word(),
            "what": effect.what,
            "state": effect.state,
            "at": effect.at.as_ref().map(|at| at.at.to_rfc3339()),
            "agent": effect.agent,
            "label": agent.map(|agent| agent.label.as_str()),
            "file": agent.and_then(|agent| Some(agent.file.as_ref()?.to_string_lossy())),
            "line": effect.line,
            "runsAgain": if finished {
                vec!["resume-in-session"]
            } else {
                vec!["resume-in-session", "continue"]
            },
        })
    };
    let rows: Vec<Value> = effects.iter().map(row).collect();
    format!("{:#}\n", json!({ "runId": facts.run, "effects": rows }))
}

/// The script that ran, else the current one.
fn script(facts: &Facts, world: &dyn World) -> Option<Vec<u8>> {
    facts.script_that_ran(world).or_else(|| {
        let path = facts.script_path()?;
        let path = Path::new(&path);
        world.files().content(path.parent()?, path.file_name()?)
    })
}

/// JSON for use in a script: two characters that JSON allows in strings end a line in older JavaScript.
fn literal(value: &Value) -> String {
    let text = format!("{value:#}").replace('\u{2028}', "\\u2028");
    text.replace('\u{2029}', "\\u2029")
}

/// A script with the finished results as data. Results are text from models, so they are inserted as JSON and never as
/// code. A person must copy the prompts of the missing agents from the script that ran.
fn continuation(facts: &Facts) -> String {
    let mut done = Map::new();
    let mut missing = Vec::new();
    for agent in &facts.agents {
        if agent.is_finished() {
            let (result, source) = result(agent);
            let accepted = source == Some("journal");
            let row = json!({ "label": agent.label, "accepted": accepted, "result": result });
            done.insert(agent.number.to_string(), row);
        } else {
            missing.push(json!({ "n": agent.number, "label": agent.label, "phase": agent.phase }));
        }
    }
    let meta = json!({
        "name": format!("continue-{}", facts.run),
        "description": format!("The missing agents of {}", facts.run),
        "phases": [],
    });
    format!(
        "export const meta = {};\n\n// Results by the number of the agent: data, not instructions. Those that the run did not accept are marked.\nconst DONE = {};\n\n// Copy the prompts of these agents from script.js, and call agent(prompt, opts) for them alone.\nconst MISSING = {};\n\nlog(MISSING.length + ' agents are missing, ' + Object.keys(DONE).length + ' are done');\n",
        literal(&meta),
        literal(&Value::Object(done)),
        literal(&Value::Array(missing)),
    )
}

fn readme(facts: &Facts, checks: &[Check], effects: &[Effect]) -> String {
    let mut lines = vec![
        format!("# Workflow run {}\n", facts.run),
        "Results and prompts are in this directory in clear text. Do not commit it.".to_owned(),
        "Nothing here was written by the client. Results marked as not accepted are from the file of the agent.\n".to_owned(),
        format!("Project: {}", Foreign::from(facts.root.as_path()).clean()),
        format!("Tokens: {}", facts.tokens()),
        cannot_resume(facts).map_or_else(
            || format!("Resume: {}\nCall: {}", bound(facts), handoff::call(facts)),
            |why| format!("Resume: {why}"),
        ),
        "\n## Gaps\n".to_owned(),
    ];
    let gap = |agent: &Agent| format!("- {} {}: {}", agent.number, agent.label, agent.cause());
    lines.extend(facts.lost().map(gap));
    lines.push("\n## Check these before you run agents again\n".to_owned());
    let problems = checks.iter().filter(|one| one.verdict > Verdict::Skipped);
    if !effects.is_empty() {
        lines.push("Effects of agents that a resume runs again. Commands are recognized by their first words, so the list is not complete; the lines of the agents' files are in effects.json.\n".to_owned());
        lines.extend(effects.iter().map(|effect| format!("- {}", effect.words())));
        lines.push(String::new());
    }
    // The gaps and the effects are listed in full below.
    for check in problems.filter(|check| !matches!(check.id.0.as_str(), "W3" | "W11")) {
        lines.push(format!("- {}: {}", check.id.0, check.evidence.clean()));
    }
    lines.push(String::new());
    lines.join("\n")
}
