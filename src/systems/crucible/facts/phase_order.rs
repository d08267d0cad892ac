//! The order of phases: by the skill's own table, else by the leading number, else by the first occurrence of a label.

/// The position of a phase: its leading number, then the digits after the point.
pub(crate) type Rank = (u64, u64);

/// After every decimal of a number and before the next number: the position of named phases.
const NAMED: u64 = u64::MAX / 2;

/// A parsed phase label.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PhaseName {
    pub(crate) rank: Rank,
    /// The label without its suffix: `3` of `3/wave-2`.
    pub(crate) base: String,
}

impl PhaseName {
    fn known((base, _, rank): &Known) -> Self {
        let (base, rank) = ((*base).to_owned(), *rank);
        Self { rank, base }
    }
}

/// A phase of a skill's own table: its label, its name, its rank.
type Known = (&'static str, &'static str, Rank);

#[rustfmt::skip]
const BUILD: &[Known] = &[
    ("1", "Design", (1, 0)), ("2", "Plan", (2, 0)), ("3", "Execute", (3, 0)), ("4", "Completion", (4, 0)),
];

#[rustfmt::skip]
const DEBUGGING: &[Known] = &[
    ("0", "", (0, 0)), ("1", "", (1, 0)), ("Synthesis", "Synthesis", (1, NAMED)), ("2", "", (2, 0)), ("3", "", (3, 0)),
    ("3.5", "", (3, 5)), ("4", "", (4, 0)), ("4.5", "", (4, 5)), ("5", "", (5, 0)),
];

#[rustfmt::skip]
const MIGRATE: &[Known] = &[
    ("0", "", (0, 0)), ("1", "", (1, 0)), ("2", "", (2, 0)), ("3", "", (3, 0)), ("4", "", (4, 0)), ("5", "", (5, 0)),
    ("G", "Gate", (5, NAMED)), ("6", "", (6, 0)), ("7", "", (7, 0)), ("8", "", (8, 0)),
];

fn table(skill: &str) -> &'static [Known] {
    match skill {
        "build" => BUILD,
        "debugging" => DEBUGGING,
        "migrate" => MIGRATE,
        _ => &[],
    }
}

/// The phases that every run of a skill goes through, in order.
pub(crate) fn all(skill: &str) -> Vec<PhaseName> {
    let phases = table(skill).iter();
    phases.map(PhaseName::known).collect()
}

/// A phase's name for a person: `Phase 3 · Execute`.
pub(crate) fn title(skill: &str, base: &str) -> String {
    match table(skill).iter().find(|(known, ..)| *known == base) {
        Some((_, name, _)) if !name.is_empty() => format!("Phase {base} · {name}"),
        Some(_) | None => format!("Phase {base}"),
    }
}

/// Parses a label; `None` if it is not in the table and does not start with a number.
pub(crate) fn understand(skill: &str, label: &str) -> Option<PhaseName> {
    let label = label.trim();
    let label = strip_word(label, "phase").unwrap_or(label).trim_start();
    let by_name = table(skill).iter().find(|(base, name, _)| {
        strip_word(label, base).is_some() && !base.starts_with(|c: char| c.is_ascii_digit())
            || (!name.is_empty() && strip_word(label, name).is_some())
    });
    if let Some(known) = by_name {
        return Some(PhaseName::known(known));
    }
    let number = leading_number(label)?;
    let parts = number.split('.');
    let mut parts = parts.map(|part| part.parse().unwrap_or(NAMED - 1));
    Some(PhaseName {
        rank: (parts.next()?, parts.next().unwrap_or(0)),
        base: number.to_owned(),
    })
}

/// A label that is in no table and has no number, after the phase in which it first occurred.
pub(crate) fn unknown(label: &str, after: Rank, seq: u64) -> PhaseName {
    PhaseName {
        rank: (after.0, NAMED.saturating_add(1).saturating_add(seq)),
        base: label.trim().to_owned(),
    }
}

/// The text after a word, ignoring case, if the word ends there.
fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let head = text.get(..word.len())?;
    let rest = text.get(word.len()..)?;
    let ends = !rest.starts_with(|c: char| c.is_alphanumeric());
    (head.eq_ignore_ascii_case(word) && ends).then_some(rest)
}

/// `3` of `3 — Execute`, `3.5` of `3.5`, `3` of `3a`.
fn leading_number(text: &str) -> Option<&str> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    if whole == 0 || whole > 18 {
        return None;
    }
    let rest = text.get(whole..)?;
    let part = rest.strip_prefix('.').map_or(0, digits);
    let has_part = (1..=18).contains(&part);
    text.get(..if has_part { whole + 1 + part } else { whole })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_labels_of_real_runs() {
        let table = [
            ("build", "3", Some(("3", (3, 0)))),
            ("build", "Phase 3", Some(("3", (3, 0)))),
            ("build", "3 — Execute (Autonomous)", Some(("3", (3, 0)))),
            ("build", "3/wave-2", Some(("3", (3, 0)))),
            ("build", "Execute", Some(("3", (3, 0)))),
            ("build", "warm-up", None),
            ("migrate", "3a", Some(("3", (3, 0)))),
            ("migrate", "G", Some(("G", (5, NAMED)))),
            ("debugging", "Synthesis", Some(("Synthesis", (1, NAMED)))),
            ("debugging", "3.5", Some(("3.5", (3, 5)))),
            ("other", "3.10", Some(("3.10", (3, 10)))),
            ("build", "99999999999999999999", None),
            ("build", "", None),
        ];
        for (skill, label, want) in table {
            let got = understand(skill, label);
            let got = got.as_ref().map(|p| (p.base.as_str(), p.rank));
            assert_eq!(got, want, "{label}");
        }
    }

    #[test]
    fn debugging_phases_have_their_order() {
        let names = ["0", "1", "Synthesis", "2", "3", "3.5", "4", "4.5", "5"];
        let ranks: Vec<Rank> = names
            .iter()
            .map(|n| understand("debugging", n).unwrap().rank)
            .collect();
        assert!(ranks.is_sorted_by(|a, b| a < b), "{ranks:?}");
        let strange = unknown("odd", (3, 0), 9).rank;
        assert!(strange > (3, 5) && strange < (4, 0));
    }
}
