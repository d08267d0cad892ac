//! The audit header of a dispatch file: everything through its `---` line.

use crate::model::{Dispatch, Experiment, Foreign};

/// Lines among which the header must end; a longer one is none.
const LINES: usize = 40;

/// Splits a dispatch file into its header and the instructions. A file without a header has an empty one.
pub(in crate::replay) fn split(file: &[u8]) -> (&[u8], &[u8]) {
    let mut end = 0;
    let lines = file.split_inclusive(|byte| *byte == b'\n');
    for (at, line) in lines.take(LINES).enumerate() {
        end += line.len();
        let bare = line.trim_ascii();
        match bare {
            b"---" if at > 0 => return file.split_at(end),
            [] => {}
            _ if at == 0 && bare.starts_with(b"# Dispatch") => {}
            _ if at > 0 && bare.starts_with(b"**") => {}
            _ => break,
        }
    }
    file.split_at(0)
}

/// A header for a dispatch whose file is gone. Time and folder are set when it is written.
pub(super) fn anew(dispatch: &Dispatch, experiment: &Experiment) -> Vec<u8> {
    let or_dash = |text: Option<&Foreign>| {
        text.filter(|text| !text.is_empty())
            .map_or_else(|| b"-".to_vec(), |text| one_line(text.as_bytes()))
    };
    let stamp = dispatch.begun_at.map_or_else(
        || "-".to_owned(),
        |at| at.at.to_utc().format("%Y-%m-%dT%H:%M:%SZ").to_string(),
    );
    let dir = experiment.dispatch_dir.as_ref().map(Foreign::from);
    [
        b"# Dispatch: ".as_slice(),
        &one_line(dispatch.template.as_bytes()),
        b"\n**Pipeline:** ",
        &or_dash(Some(&experiment.skill)),
        b" | **Phase:** ",
        &or_dash(Some(&dispatch.phase)),
        b" | **Task:** ",
        &or_dash(dispatch.task.as_ref()),
        b"\n**Timestamp:** ",
        stamp.as_bytes(),
        b"\n**Dispatch-Dir:** ",
        &or_dash(dir.as_ref()),
        b"\n\n---\n",
    ]
    .concat()
}

/// What is known of a dispatch whose injected context is lost, after its template's text.
pub(super) fn known(dispatch: &Dispatch) -> Vec<u8> {
    let mut text = b"\n## What is known of this dispatch\n".to_vec();
    let facts = [
        ("Role", Some(&dispatch.role)),
        ("Phase", Some(&dispatch.phase)),
        ("Task", dispatch.task.as_ref()),
    ];
    for (word, fact) in facts {
        if let Some(fact) = fact.filter(|fact| !fact.is_empty() && **fact != "-") {
            text.extend_from_slice(format!("- {word}: ").as_bytes());
            text.extend_from_slice(&one_line(fact.as_bytes()));
            text.push(b'\n');
        }
    }
    text
}

/// Foreign text on one line, so that it cannot end the header it is in.
fn one_line(text: &[u8]) -> Vec<u8> {
    let blank = |byte: &u8| if byte.is_ascii_control() { b' ' } else { *byte };
    text.iter().map(blank).collect()
}
