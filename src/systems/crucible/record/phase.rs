//! The next phase of a run, in its marker.

use serde_json::Value;

use crate::formats::json::{At, Edit, NonAscii, edit};
use crate::model::{EngineError, ErrorKind};
use crate::systems::crucible::facts::sources::Sources;
use crate::systems::crucible::record::forms::candidate;
use crate::systems::kit::forms::{Ask, Written, refused, replace};

/// The phases of a build, in order.
const BUILD: [&str; 4] = ["1", "2", "3", "4"];

pub(super) fn write(ask: &Ask<'_>) -> Result<Written, EngineError> {
    let [phase] = ask.words else {
        return Err(ask.usage("The phase is missing."));
    };
    let found = Sources::find(&candidate(&ask.site.key, &ask.site.file), ask.world);
    let Some((marker, path)) = found.marker else {
        return Err(refused("The run has no marker .pipeline-active."));
    };
    if marker.ancient {
        let text = "The marker has the format of the first versions, which is only read.";
        return Err(EngineError::new(ErrorKind::Refused, text));
    }
    let now = marker.phase.as_deref().unwrap_or_default();
    let place = |word: &str| BUILD.iter().position(|one| *one == word);
    let follows = match (place(now), place(phase)) {
        (Some(now), Some(then)) => then == now + 1,
        // Other skills have phases of their own, such as 3.5.
        _ => marker.skill != "build" && number(phase) > number(now),
    };
    if !follows {
        let text = [
            b"Phase ",
            phase.as_bytes(),
            b" does not follow phase ",
            now.as_bytes(),
            b".",
        ];
        return Err(refused(text.concat()));
    }
    let bytes = ask.read(&path)?.unwrap_or_default();
    let after = edit(
        &bytes,
        &[Edit::set([At::Key("phase")], Value::from(phase.as_str()))],
        NonAscii::Raw,
    )
    .map_err(|why| refused(format!("The marker is not changed: {why}.")))?;
    Ok(Written {
        steps: vec![replace(&path, Some(bytes), after, "The phase.")],
        ..Written::default()
    })
}

fn number(phase: &str) -> Option<f64> {
    phase.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_of_other_skills_are_compared_as_numbers() {
        assert!(number("3.5") > number("3") && number("10") > number("9"));
        assert_eq!(number("synthesis"), None);
    }
}
