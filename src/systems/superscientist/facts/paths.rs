//! Paths in the state file: relative to the workflow directory, or to a parent of it up to the top of the repository.
//! Any other path is refused, never opened.

use std::path::{Component, Path, PathBuf};

use crate::model::{PathRefusal, Place};
use crate::world::World;

/// A file that was searched; `None` if it is nowhere. The error is why it was not searched.
type Searched = Result<Option<PathBuf>, PathRefusal>;

/// A path below the workflow directory: outputs, markers, wrapper scripts.
pub(crate) fn beneath(wf: &Path, path: &str) -> Result<Place, PathRefusal> {
    Place::foreign(&[wf], path.as_bytes())
}

/// Searches a path below the workflow directory and then below each parent up to the top of the repository; `..` is
/// allowed as long as the path stays below that. `None` if it is in none of them; the error is why it was not searched.
pub(crate) fn resolve(wf: &Path, top: Option<&Path>, path: &str, world: &dyn World) -> Searched {
    let top = top.filter(|top| wf.starts_with(top)).unwrap_or(wf);
    let mut nearest = None;
    for base in wf.ancestors().take_while(|at| at.starts_with(top)) {
        match within(top, base, path) {
            Ok(place) if world.files().exists(&place) => return Ok(Some(place.path())),
            other => nearest = nearest.or_else(|| Some(other.map(|_| None))),
        }
    }
    nearest.unwrap_or(Ok(None))
}

/// `base/path` with its `..` resolved, if that is below `top`.
fn within(top: &Path, base: &Path, path: &str) -> Result<Place, PathRefusal> {
    if !path.contains("..") {
        return Place::foreign(&[base], path.as_bytes());
    }
    let mut at = base.to_path_buf();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => {
                if !at.pop() {
                    return Err(PathRefusal::Upwards);
                }
            }
            Component::Normal(name) => at.push(name),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return Err(PathRefusal::Outside),
        }
    }
    let rest = at.strip_prefix(top).ok().ok_or(PathRefusal::Upwards)?;
    Place::known(top, rest)
}

/// Where a backend's credentials file should be. Only its existence is checked; it is never opened.
pub(crate) fn config(wf: &Path, top: Option<&Path>, path: &str, world: &dyn World) -> Searched {
    let home = world.places().home.as_deref();
    let beneath = || Path::new(path).strip_prefix(home?).ok()?.to_str();
    let beneath_home = path.strip_prefix("~/").or_else(beneath);
    if let Some(rest) = beneath_home {
        let home = home.ok_or(PathRefusal::OtherSystem)?;
        let place = Place::known(home, rest)?;
        return Ok(world.files().exists(&place).then(|| place.path()));
    }
    resolve(wf, top, path, world)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::fake::FakeWorld;

    #[test]
    fn climbs_to_the_top_and_no_further() {
        let dir = crate::world::temporary::directory();
        let top = dir.path().join("repo");
        let wf = top.join("experiments/run");
        std::fs::create_dir_all(top.join("docs")).unwrap();
        std::fs::create_dir_all(wf.join("docs")).unwrap();
        for file in [
            "repo/docs/top.md",
            "repo/experiments/run/docs/own.md",
            "outside.md",
        ] {
            std::fs::write(dir.path().join(file), "x").unwrap();
        }
        let world = FakeWorld::from("2026-06-01T00:00:00Z");
        let found = |path: &str| resolve(&wf, Some(&top), path, &world);
        assert_eq!(found("docs/own.md"), Ok(Some(wf.join("docs/own.md"))));
        assert_eq!(found("docs/top.md"), Ok(Some(top.join("docs/top.md"))));
        assert_eq!(
            found("../../docs/top.md"),
            Ok(Some(top.join("docs/top.md")))
        );
        assert_eq!(found("docs/none.md"), Ok(None));
        for path in ["../../../outside.md", "/etc/passwd", "../../.git/config"] {
            assert!(found(path).is_err(), "{path}");
        }
    }
}
