//! Which processes are agent programs: those whose presence in a pipeline's folders is evidence of life. relight knows
//! some by name, and the configuration can name more as agent or runner.
//!
//! Shells, editors and language servers do not count: they run in a project for days without writing to its pipelines.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::process::Process;
use crate::model::Foreign;

/// The known agent programs, by the name of their executable.
const AGENTS: &[&str] = &[
    "aider",
    "amp",
    "auggie",
    "claude",
    "codex",
    "copilot",
    "crush",
    "cursor-agent",
    "droid",
    "gemini",
    "goose",
    "opencode",
    "qwen",
];

/// Packages whose entry script has an uninformative name (`cli.js`), with the program that it is.
const PACKAGES: &[(&str, &str)] = &[
    ("claude-code", "claude"),
    ("gemini-cli", "gemini"),
    ("opencode-ai", "opencode"),
    ("qwen-code", "qwen"),
];

/// Programs that run a script, which is their first operand.
const INTERPRETERS: &[&str] = &["node", "nodejs", "bun", "deno", "python", "pypy"];

/// Options of interpreters that take their value as a separate argument.
const VALUE_OPTIONS: &[&[u8]] = &[b"-r", b"--require", b"--import", b"--loader", b"-W", b"-X"];

/// Endings of scripts that are not part of the program's name.
const SCRIPT_ENDINGS: &[&str] = &["js", "mjs", "cjs", "py"];

/// Programs that only show or search files, so a path among their arguments is no evidence.
const READERS: &[&str] = &[
    "cat", "code", "emacs", "grep", "helix", "hx", "less", "man", "more", "nano", "nvim", "rg",
    "tail", "vi", "view", "vim", "watch", "relight",
];

/// Programs that start the program named after them.
const STARTERS: &[&str] = &[
    "bunx", "env", "ionice", "nice", "nohup", "npx", "pnpx", "setsid", "stdbuf", "time", "timeout",
    "uvx",
];

/// Programs that run in a project for days without writing to its pipelines. No configuration makes them agents.
const SHELLS: &[&str] = &["ash", "bash", "dash", "fish", "ksh", "nu", "sh", "zsh"];

/// The kernel cuts process names to this many bytes.
const KERNEL_NAME: usize = 15;

/// The agent programs: the known ones, and those that the configuration names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agents {
    configured: Vec<Foreign>,
}

impl Agents {
    /// The known agents and the programs of these commands. For a shell or an interpreter, the script counts; without
    /// one the command names nothing.
    pub fn of<'a>(commands: impl IntoIterator<Item = &'a [Foreign]>) -> Self {
        let mut configured: Vec<Foreign> = commands.into_iter().filter_map(program_of).collect();
        configured.sort();
        configured.dedup();
        Self { configured }
    }

    /// The agent program that a process runs, if any.
    pub fn program(&self, process: &Process) -> Option<Foreign> {
        let known = agent_program(process).map(Foreign::from);
        known.or_else(|| {
            let named = |program: &&Foreign| is_program(process, program.as_bytes());
            self.configured.iter().find(named).cloned()
        })
    }

    /// The name of a process for display: the agent's name, else the kernel's.
    pub fn called(&self, process: &Process) -> Foreign {
        self.program(process)
            .unwrap_or_else(|| process.name.clone())
    }
}

/// The name of the program or script that a command runs.
fn program_of(command: &[Foreign]) -> Option<Foreign> {
    let mut words = command.iter().map(Foreign::as_bytes).peekable();
    let mut started = base(words.next()?);
    while is_one_of(started, STARTERS) {
        let sets = |word: &&[u8]| {
            let number = word.first().is_some_and(u8::is_ascii_digit);
            word.starts_with(b"-") || word.contains(&b'=') || number
        };
        while words.next_if(sets).is_some() {}
        started = base(words.next()?);
    }
    if is_interpreter(started) || is_one_of(started, SHELLS) {
        let script = words.next().filter(|word| !word.starts_with(b"-"))?;
        started = base(script);
    }
    let names_nothing =
        started.is_empty() || is_one_of(started, READERS) || is_one_of(started, SHELLS);
    (!names_nothing).then(|| Foreign::from(started))
}

/// Whether a process runs a program with this name, directly or as the script of a shell or an interpreter.
fn is_program(process: &Process, program: &[u8]) -> bool {
    let kernel = program.get(..KERNEL_NAME).unwrap_or(program);
    let mut argv = process.argv.iter().map(Foreign::as_bytes);
    let started_as = argv.next().map(base).unwrap_or_default();
    let runs_script = is_interpreter(started_as) || is_one_of(started_as, SHELLS);
    process.name.as_bytes() == kernel
        || started_as == program
        || runs_script
            && argv
                .find(|arg| !arg.starts_with(b"-"))
                .is_some_and(|script| base(script) == program)
}

fn is_one_of(name: &[u8], names: &[&str]) -> bool {
    names.iter().any(|known| known.as_bytes() == name)
}

/// The known agent program that a process runs, found by the kernel's name, by the name it was started under, or by the
/// script that an interpreter runs.
fn agent_program(process: &Process) -> Option<&'static str> {
    agent_named(process.name.as_bytes()).or_else(|| {
        let (first, rest) = process.argv.split_first()?;
        let started_as = base(first.as_bytes());
        agent_named(started_as).or_else(|| {
            is_interpreter(started_as)
                .then(|| agent_script(rest))
                .flatten()
        })
    })
}

/// True for a program that only reads files: an editor, a pager, a search.
pub fn only_reads(process: &Process) -> bool {
    let started_as = process.argv.first().map(|arg| base(arg.as_bytes()));
    let named = |name: &[u8]| is_one_of(name, READERS);
    started_as.is_some_and(named) || named(process.name.as_bytes())
}

fn agent_named(name: &[u8]) -> Option<&'static str> {
    AGENTS
        .iter()
        .copied()
        .find(|agent| agent.as_bytes() == name)
}

/// Versioned names count too: `python3.12`.
fn is_interpreter(name: &[u8]) -> bool {
    let stem = name
        .iter()
        .position(u8::is_ascii_digit)
        .and_then(|end| name.get(..end))
        .unwrap_or(name);
    INTERPRETERS.iter().any(|known| known.as_bytes() == stem)
}

/// The agent in an interpreter's arguments: its first operand, or the module after `-m`.
fn agent_script(args: &[Foreign]) -> Option<&'static str> {
    let mut args = args.iter().map(Foreign::as_bytes);
    while let Some(arg) = args.next() {
        if arg == b"-m" {
            return args.next().and_then(agent_named);
        }
        if VALUE_OPTIONS.contains(&arg) {
            args.next();
        } else if arg != b"run" && !arg.starts_with(b"-") {
            return agent_path(Path::new(OsStr::from_bytes(arg)));
        }
    }
    None
}

fn agent_path(script: &Path) -> Option<&'static str> {
    let has_ending = script
        .extension()
        .and_then(OsStr::to_str)
        .is_some_and(|ending| SCRIPT_ENDINGS.contains(&ending));
    let name = if has_ending {
        script.file_stem()
    } else {
        script.file_name()
    };
    agent_named(name?.as_bytes()).or_else(|| {
        let package = script.iter().find_map(|part| {
            let known = |(folder, _): &&(&str, &str)| part == OsStr::new(folder);
            PACKAGES.iter().find(known)
        });
        package.map(|(_, program)| *program)
    })
}

fn base(path: &[u8]) -> &[u8] {
    path.rsplit(|b| *b == b'/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(name: &str, argv: &[&str]) -> Process {
        Process {
            name: name.into(),
            argv: argv.iter().map(|arg| Foreign::from(*arg)).collect(),
            ..Process::default()
        }
    }

    #[test]
    fn an_agent_is_known_by_kernel_name_by_path_and_by_script() {
        let table: &[(&str, &[&str], Option<&str>)] = &[
            ("claude", &["claude", "--resume"], Some("claude")),
            ("MainThread", &["/opt/bin/claude"], Some("claude")),
            ("node", &["node", "/usr/bin/codex"], Some("codex")),
            (
                "node",
                &["node", "--enable-source-maps", "/x/gemini"],
                Some("gemini"),
            ),
            (
                "node",
                &["node", "-r", "/x/hook.js", "/x/opencode.mjs"],
                Some("opencode"),
            ),
            (
                "node",
                &[
                    "/usr/bin/node",
                    "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js",
                ],
                Some("claude"),
            ),
            ("bun", &["bun", "run", "/x/opencode"], Some("opencode")),
            ("python3", &["python3.12", "-m", "aider"], Some("aider")),
            ("python3", &["python3", "/x/bin/aider"], Some("aider")),
            ("cursor-agent", &[], Some("cursor-agent")),
            // An argument that mentions an agent is not an agent.
            ("bash", &["bash", "/x/claude"], None),
            ("vim", &["vim", "/x/claude"], None),
            ("node", &["node", "/x/tsserver.js", "claude"], None),
            ("node", &["node", "/x/claude/server.js"], None),
            ("claude-helper", &["claude-helper"], None),
            ("node", &["node"], None),
            ("python3", &["python3", "-m"], None),
            ("", &[], None),
        ];
        for (name, argv, expected) in table {
            assert_eq!(
                agent_program(&process(name, argv)),
                *expected,
                "{name} {argv:?}"
            );
        }
    }

    #[test]
    fn w7_configured_programs_are_agents_and_shells_are_not() {
        // A configured command, a process, and the program it is.
        type Row = (
            &'static [&'static str],
            &'static str,
            &'static [&'static str],
            Option<&'static str>,
        );
        let table: &[Row] = &[
            (
                &["/opt/own-agent", "-x"],
                "own-agent",
                &["own-agent"],
                Some("own-agent"),
            ),
            (
                &["own-agent"],
                "MainThread",
                &["/srv/own-agent", "go"],
                Some("own-agent"),
            ),
            (&["own-agent"], "own-agent-2", &["own-agent-2"], None),
            (
                &["a-very-long-agent-name"],
                "a-very-long-age",
                &[],
                Some("a-very-long-agent-name"),
            ),
            (&["npx", "-y", "own"], "own", &["own"], Some("own")),
            (&["env", "A=1", "-i", "own"], "own", &["own"], Some("own")),
            (
                &["timeout", "600", "nice", "-n", "own"],
                "own",
                &["own"],
                Some("own"),
            ),
            (
                &["python3", "/x/run-agent.py"],
                "python3",
                &["python3", "-u", "/y/run-agent.py"],
                Some("run-agent.py"),
            ),
            (
                &["python3", "/x/run-agent.py"],
                "python3",
                &["python3", "/x/other.py"],
                None,
            ),
            (
                &["bash", "/x/agent.sh"],
                "agent.sh",
                &["/bin/bash", "/x/agent.sh"],
                Some("agent.sh"),
            ),
            (&["bash", "/x/agent.sh"], "bash", &["bash"], None),
            (&["bash", "-c", "own"], "bash", &["bash", "-c", "own"], None),
            (&["bash"], "bash", &["bash"], None),
            (&["vim"], "vim", &["vim", "/x"], None),
            (
                &["/x/relight", "stub-runner"],
                "relight",
                &["relight", "list"],
                None,
            ),
            (&[], "own", &["own"], None),
            (&["other"], "claude", &["claude"], Some("claude")),
        ];
        for (command, name, argv, expected) in table {
            let words: Vec<Foreign> = command.iter().map(|word| Foreign::from(*word)).collect();
            let agents = Agents::of([words.as_slice()]);
            let found = agents.program(&process(name, argv));
            assert_eq!(
                found,
                expected.map(Foreign::from),
                "{command:?} {name} {argv:?}"
            );
        }
    }

    #[test]
    fn programs_that_only_read_are_not_workers() {
        for (name, argv, expected) in [
            ("less", &["less", "run-workflow.sh"][..], true),
            ("bash", &["bash", "run-workflow.sh"], false),
            ("grep", &["/usr/bin/grep", "-r", "x"], true),
            ("claude", &["claude"], false),
        ] {
            assert_eq!(only_reads(&process(name, argv)), expected, "{name}");
        }
    }
}
