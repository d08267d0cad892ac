//! A home and projects with about 500 pipelines in 60 repositories: the demo's sandbox twelve times, with one home
//! between them, and copies of its pipelines under other names.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chrono::{TimeDelta, Utc};

const SANDBOXES: i64 = 12;

/// Builds it; the home is in `home`, the projects are in `projects`.
pub(crate) fn build(root: &Path) {
    let projects = root.join("projects");
    fs::create_dir_all(&projects).expect("a directory");
    let projects = projects.canonicalize().expect("a directory");
    let home = projects.with_file_name("home");
    for at in 0..SANDBOXES {
        // A crucible run is known by the second in which it began.
        let now = Utc::now() - TimeDelta::minutes(at * 7);
        let dir = projects.join(format!("s{at:02}"));
        relight::demo::build(&dir, now).expect("a sandbox");
        fs::remove_file(dir.join(".relight-sandbox")).expect("its mark");
        multiply(&dir, at).expect("copies");
        move_home(&dir.join("home"), &home).expect("one home");
    }
}

/// The repositories of the projects, without their linked work trees, and the plugin's.
pub(crate) fn repositories(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![root.to_owned()];
    while let Some(dir) = left.pop() {
        if dir.join(".git").is_dir() {
            found.push(dir.clone());
        }
        let entries = fs::read_dir(&dir).expect("a directory");
        let entries = entries.map(|entry| entry.expect("an entry"));
        let dirs = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let dirs = dirs.filter(|entry| entry.file_name() != ".git");
        left.extend(dirs.map(|entry| entry.path()));
    }
    found
}

/// Copies pipelines of a sandbox under other names.
fn multiply(dir: &Path, sandbox: i64) -> io::Result<()> {
    let lab = dir.join("projects/lab");
    for n in 0..7 {
        let to = lab.join(format!("tokenizer-speed-{n}"));
        copy(&lab.join("tokenizer-speed"), &to, &[])?;
    }
    let science = dir.join("projects/science");
    for n in 0..6 {
        let name = format!("polymer-ring-{n}");
        let to = science.join(&name);
        copy(
            &science.join("polymer-ring"),
            &to,
            &[("polymer-ring", &name)],
        )?;
    }
    let active = dir.join("projects/notes/.mgw/active");
    for n in 0..4 {
        let (number, url) = (format!("\"number\": 15{n}"), format!("issues/15{n}"));
        let changes: [(&str, &str); 2] = [("\"number\": 57", &number), ("issues/57", &url)];
        let to = active.join(format!("15{n}-cache-lookups.json"));
        copy(&active.join("57-cache-lookups.json"), &to, &changes)?;
    }
    for run in beneath(&dir.join("home/tmp"), "crucible-dispatch-")? {
        let name = run.file_name().unwrap_or_default().to_string_lossy();
        let second = name.rsplit('-').next().unwrap_or_default();
        let second: i64 = second.parse().expect("a second");
        for n in 1..3 {
            let to = run.with_file_name(format!("crucible-dispatch-{}", second + n));
            copy(&run, &to, &[])?;
        }
    }
    let claude = dir.join("home/.claude/projects");
    for project in beneath(&claude, "")? {
        for session in beneath(&project, "2f0c6c1a")?
            .iter()
            .filter(|path| path.is_dir())
        {
            let id = "wf_5b1d70c2-9a4";
            for n in 0..6 {
                // Each sandbox has the run of the demo; only the first keeps its name.
                let other = format!("wf_5b1d7{sandbox:x}{n:x}2-9a4");
                let changes: [(&str, &str); 1] = [(id, &other)];
                for place in ["workflows", "subagents/workflows"] {
                    let place = session.join(place);
                    for from in beneath(&place, id)? {
                        let name = from.file_name().unwrap_or_default().to_string_lossy();
                        copy(&from, &place.join(name.replace(id, &other)), &changes)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Moves what a sandbox's home holds of its projects into the home of all.
fn move_home(from: &Path, home: &Path) -> io::Result<()> {
    for place in [".claude/projects", "tmp", ".claude/plugins/marketplaces"] {
        fs::create_dir_all(home.join(place))?;
        for entry in beneath(&from.join(place), "")? {
            let to = home.join(place).join(entry.file_name().unwrap_or_default());
            // The plugin is a repository of its own; each sandbox's is kept.
            let to = match place {
                ".claude/plugins/marketplaces" => numbered(to),
                _ => to,
            };
            fs::rename(&entry, &to)?;
            let (old, new) = (text(from), text(home));
            rewrite(&to, &[(&old, &new)])?;
        }
    }
    fs::remove_dir_all(from)
}

/// A path that is free.
fn numbered(path: PathBuf) -> PathBuf {
    let name = text(&path);
    let mut all = std::iter::once(path).chain((1..).map(|n| PathBuf::from(format!("{name}-{n}"))));
    all.find(|path| !path.exists()).unwrap_or_default()
}

/// The entries of a folder whose names begin so.
fn beneath(dir: &Path, beginning: &str) -> io::Result<Vec<PathBuf>> {
    let entries: Vec<PathBuf> = fs::read_dir(dir)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    let mut fitting: Vec<PathBuf> = entries
        .into_iter()
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(beginning)
        })
        .collect();
    fitting.sort();
    Ok(fitting)
}

/// Copies a file or a folder, with its times and other words in it.
fn copy(from: &Path, to: &Path, changes: &[(&str, &str)]) -> io::Result<()> {
    let times = fs::metadata(from)?.modified()?;
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in beneath(from, "")? {
            let name = entry.file_name().unwrap_or_default().to_owned();
            copy(&entry, &to.join(name), changes)?;
        }
    } else {
        fs::copy(from, to)?;
        rewrite(to, changes)?;
    }
    set_time(to, times)
}

/// Writes other words into a file, or into every file of a folder. Their times stay.
fn rewrite(path: &Path, changes: &[(&str, &str)]) -> io::Result<()> {
    let times = fs::metadata(path)?.modified()?;
    if path.is_dir() {
        for entry in beneath(path, "")? {
            rewrite(&entry, changes)?;
        }
    } else if let Ok(old) = fs::read_to_string(path) {
        let mut new = old.clone();
        for (from, to) in changes {
            new = new.replace(from, to);
        }
        if new != old {
            fs::write(path, new)?;
        }
    }
    set_time(path, times)
}

fn set_time(path: &Path, to: SystemTime) -> io::Result<()> {
    fs::File::open(path)?.set_modified(to)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
