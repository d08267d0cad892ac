//! The real world: this machine's clock, files, processes and places, with a git implementation from the caller.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::agents::Agents;
use super::clock::SystemClock;
use super::files::Files;
use super::git::Git;
use super::process::Processes;
use super::real_files::RealFiles;
use super::real_process::RealProcesses;
use super::{Clock, Places, World};

/// The real world.
pub struct RealWorld {
    clock: SystemClock,
    files: RealFiles,
    git: Box<dyn Git>,
    processes: RealProcesses,
    places: Places,
}

impl RealWorld {
    /// The world of this process: its environment and its user.
    pub fn new(git: Box<dyn Git>) -> Self {
        let mut places = Places::from_env(|name| std::env::var_os(name));
        places.uid = rustix::process::geteuid().as_raw();
        Self::with_places(git, places)
    }

    /// The same world with other places.
    pub fn with_places(git: Box<dyn Git>, places: Places) -> Self {
        Self {
            clock: SystemClock,
            files: RealFiles,
            git,
            processes: RealProcesses::default(),
            places,
        }
    }
}

impl World for RealWorld {
    fn clock(&self) -> &dyn Clock {
        &self.clock
    }

    fn files(&self) -> &dyn Files {
        &self.files
    }

    fn git(&self) -> &dyn Git {
        self.git.as_ref()
    }

    fn processes(&self) -> &dyn Processes {
        &self.processes
    }

    fn places(&self) -> &Places {
        &self.places
    }

    fn know_agents(&mut self, agents: Agents) {
        self.processes.agents = agents;
    }
}

impl Places {
    /// The places that an environment names. Relative and empty values are ignored. The user id is left at 0 for the
    /// caller to fill.
    ///
    /// `/tmp` and `$TMPDIR` are both searched for dispatch folders. A `$TMPDIR` below `$HOME` belongs to a sandbox such
    /// as the demo, and then it is the only one: folders that other runs left in `/tmp` do not belong to the sandbox.
    pub fn from_env(get: impl Fn(&str) -> Option<OsString>) -> Self {
        let dir = |name: &str| absolute(get(name)?);
        let home = dir("HOME");
        let or_home = |name, usual| dir(name).or_else(|| Some(home.as_ref()?.join(usual)));
        let gemini = dir("GEMINI_CLI_HOME").or_else(|| home.clone());
        let gemini = gemini.map(|home| home.join(".gemini"));
        let data = or_home("XDG_DATA_HOME", ".local/share");
        let mut temp = vec![PathBuf::from("/tmp")];
        if let Some(own) = dir("TMPDIR") {
            let sandbox = home.as_ref().is_some_and(|home| own.starts_with(home));
            if sandbox {
                temp.clear();
            }
            if !temp.contains(&own) {
                temp.push(own);
            }
        }
        Self {
            claude: or_home("CLAUDE_CONFIG_DIR", ".claude"),
            codex: or_home("CODEX_HOME", ".codex"),
            gemini,
            opencode: data.map(|data| data.join("opencode")),
            state: or_home("XDG_STATE_HOME", ".local/state"),
            home,
            temp,
            uid: 0,
        }
    }
}

/// An absolute path without double or trailing slashes.
fn absolute(value: OsString) -> Option<PathBuf> {
    let path = PathBuf::from(value);
    path.is_absolute()
        .then(|| Path::new(&path).components().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::fake::FakeGit;

    type Env = &'static [(&'static str, &'static str)];

    fn places(env: Env) -> Places {
        Places::from_env(|name| {
            let found = env.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    fn paths(texts: &[&str]) -> Vec<PathBuf> {
        texts.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn claude_is_in_home_unless_a_variable_says_otherwise() {
        let table: &[(Env, Option<&str>, Option<&str>)] = &[
            (&[], None, None),
            (&[("HOME", "")], None, None),
            (&[("HOME", "relative")], None, None),
            (&[("HOME", "/h/")], Some("/h"), Some("/h/.claude")),
            (
                &[("HOME", "/h"), ("CLAUDE_CONFIG_DIR", "/c")],
                Some("/h"),
                Some("/c"),
            ),
            (
                &[("HOME", "/h"), ("CLAUDE_CONFIG_DIR", "")],
                Some("/h"),
                Some("/h/.claude"),
            ),
            (&[("CLAUDE_CONFIG_DIR", "/c")], None, Some("/c")),
        ];
        for (env, home, claude) in table {
            let found = places(env);
            assert_eq!(found.home.as_deref(), home.map(Path::new), "{env:?}");
            assert_eq!(found.claude.as_deref(), claude.map(Path::new), "{env:?}");
        }
    }

    #[test]
    fn other_clients_are_in_home_unless_a_variable_says_otherwise() {
        let found = places(&[("HOME", "/h"), ("GEMINI_CLI_HOME", "relative")]);
        assert_eq!(found.gemini, Some("/h/.gemini".into()));
        let found = places(&[("HOME", "/h"), ("GEMINI_CLI_HOME", "/g")]);
        assert_eq!(found.gemini, Some("/g/.gemini".into()));
        assert_eq!(found.opencode, Some("/h/.local/share/opencode".into()));
        let found = places(&[("HOME", "/h"), ("XDG_DATA_HOME", "/d")]);
        assert_eq!(found.opencode, Some("/d/opencode".into()));
        assert_eq!((places(&[]).gemini, places(&[]).opencode), (None, None));
    }

    #[test]
    fn temporary_folders_are_listed_once_and_a_sandbox_has_only_its_own() {
        let table: &[(Env, &[&str])] = &[
            (&[], &["/tmp"]),
            (&[("TMPDIR", "/tmp/")], &["/tmp"]),
            (&[("TMPDIR", "")], &["/tmp"]),
            (&[("TMPDIR", "/var/t"), ("HOME", "/h")], &["/tmp", "/var/t"]),
            (&[("TMPDIR", "/h/tmp"), ("HOME", "/h")], &["/h/tmp"]),
            (
                &[("TMPDIR", "/h2/tmp"), ("HOME", "/h")],
                &["/tmp", "/h2/tmp"],
            ),
            (&[("TMPDIR", "/tmp"), ("HOME", "/")], &["/tmp"]),
        ];
        for (env, expected) in table {
            assert_eq!(places(env).temp, paths(expected), "{env:?}");
        }
    }

    #[test]
    fn a_world_is_assembled_from_its_parts() {
        let world = RealWorld::new(Box::new(FakeGit::default()));
        assert_eq!(world.places().uid, rustix::process::geteuid().as_raw());
        assert!(world.processes().list().is_ok());
        assert!(world.clock().now().timestamp() > 0);
        assert_eq!(world.files().canonical(Path::new("/")), Some("/".into()));
    }
}
