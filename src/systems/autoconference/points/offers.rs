//! Which points are offered, in which order, and which one is recommended.

use crate::model::{Check, Foreign, PointId, Preference};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::converge::Ending;
use crate::systems::autoconference::facts::reading::phases;
use crate::systems::autoconference::facts::resumed::{Entry, void_before};
use crate::systems::autoconference::facts::{Decision, Evidence};
use crate::systems::autoconference::record::rebuild;
use crate::systems::autoconference::shape::{CONFIG, letters};
use crate::systems::kit::depends_on::{self, DependsOn, Scope, Verified};

use super::{mend, truncate};

/// A way to resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Move {
    /// A phase of a round, from its start.
    Phase(u64, u8),
    /// The research of a round, for researchers that have not finished it, from their last kept state.
    Mid(u64),
    /// The same, with every row kept.
    Keep(u64),
    /// The synthesis.
    Synthesis,
    /// A researcher's table rebuilt from the log.
    Mend(char),
    /// The log and the conference's table rebuilt from the other records.
    Rebuild,
    /// The conference from the start, with all files of the run moved aside.
    Fresh,
}

impl Move {
    pub(crate) fn id(self) -> PointId {
        PointId(match self {
            Self::Phase(round, phase) => format!("round-{round}-phase-{phase}"),
            Self::Mid(round) => format!("round-{round}-mid"),
            Self::Keep(round) => format!("round-{round}-keep"),
            Self::Synthesis => "synthesis".to_owned(),
            Self::Mend(id) => format!("mend-{id}"),
            Self::Rebuild => "rebuild".to_owned(),
            Self::Fresh => "fresh".to_owned(),
        })
    }

    pub(crate) fn label(self) -> String {
        match self {
            Self::Phase(round, phase) => {
                format!("Round {round}, phase {phase}: {}", phases::name(phase))
            }
            Self::Mid(round) => format!("Round {round}, unfinished research"),
            Self::Keep(round) => format!("Round {round}, unfinished research, every row kept"),
            Self::Synthesis => "Synthesis".to_owned(),
            Self::Mend(id) => format!("Rebuild the table of researcher {id} from the log"),
            Self::Rebuild => "Rebuild the log from tables, posters and reviews".to_owned(),
            Self::Fresh => "Start the conference over".to_owned(),
        }
    }

    /// The row of the phase table to which it belongs.
    pub(crate) fn phase(self) -> Foreign {
        match self {
            Self::Phase(round, _) | Self::Mid(round) | Self::Keep(round) => {
                round.to_string().into()
            }
            Self::Synthesis => "synthesis".into(),
            Self::Mend(id) => format!("researcher {id}").into(),
            Self::Rebuild => "log".into(),
            Self::Fresh => "1".into(),
        }
    }

    /// The recovery point in the words of the resume skill, which parses them.
    pub(crate) fn recovery_point(self) -> String {
        match self {
            Self::Fresh => "Start of Round 1, Phase 1".to_owned(),
            Self::Phase(round, 1) => format!("Start of Round {round}, Phase 1"),
            Self::Phase(round, 4) => format!("Phase 4 (Knowledge Transfer), Round {round}"),
            Self::Phase(round, phase) => format!("Start of Phase {phase}, Round {round}"),
            Self::Mid(round) | Self::Keep(round) => format!("Mid-Phase 1, Round {round}"),
            Self::Synthesis => "Synthesis".to_owned(),
            Self::Mend(id) => format!("Table of researcher {id}"),
            Self::Rebuild => "Event log".to_owned(),
        }
    }

    /// The round in `conference.resumed`.
    pub(crate) fn round(self, case: &Conference) -> u64 {
        match self {
            Self::Phase(round, _) | Self::Mid(round) | Self::Keep(round) => round,
            Self::Fresh => 1,
            Self::Synthesis | Self::Mend(_) | Self::Rebuild => case.state.done.max(1),
        }
    }

    /// Whether it only changes records and resumes nothing.
    pub(crate) fn is_edit(self) -> bool {
        matches!(self, Self::Mend(_) | Self::Rebuild)
    }

    /// Whether it reverts incomplete researchers to their last kept state.
    pub(crate) fn reverts(self) -> bool {
        matches!(self, Self::Mid(_))
    }
}

/// One point that is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offer {
    pub to: Move,
    pub preference: Preference,
    /// The reason to choose it.
    pub reason: Foreign,
}

impl Offer {
    /// Whether it ends a conference that the orchestrator has not declared ended. A person is asked about that.
    pub(crate) fn ends_early(&self, case: &Conference) -> bool {
        let declared = matches!(
            case.state.decision,
            Decision::Synthesis(_) | Decision::Failed
        );
        self.to == Move::Synthesis && !declared
    }
}

/// All points, in the order of the contract.
pub(crate) fn offers(case: &Conference) -> Vec<Offer> {
    let n = case.state.round;
    let mut offers = match &case.state.decision {
        Decision::Done { .. } | Decision::Sibling(_) | Decision::Nothing => return Vec::new(),
        Decision::NotStarted { .. } => {
            vec![chosen(Move::Phase(1, 1), "Nothing has been done yet.")]
        }
        Decision::Start(ending) => start(case, n, ending.as_ref()),
        Decision::Mid => mid(case, n),
        Decision::Phase(phase) => later(case, n, *phase),
        Decision::Failed => vec![
            by_hand(
                Move::Phase(n, 1),
                "Tries the round again although every researcher failed in it.",
            ),
            chosen(
                Move::Synthesis,
                "Every researcher failed in one round; only a partial synthesis is left.",
            ),
        ],
        Decision::Synthesis(ending) => {
            let why = "One more round, against the rule that ended the conference.";
            let over = format!("The rounds are over: {}.", ending.shown());
            vec![
                by_hand(Move::Phase(n, 1), why),
                chosen(Move::Synthesis, over),
            ]
        }
    };
    offers.sort_by_key(|offer| match offer.to {
        Move::Phase(_, phase) => (0, phase),
        Move::Mid(_) => (1, 0),
        Move::Keep(_) => (2, 0),
        Move::Synthesis => (3, 0),
        Move::Mend(_) | Move::Rebuild | Move::Fresh => (4, 0),
    });
    // Without conference.md nothing can be resumed, so nothing is recommended.
    if case.missing(CONFIG).is_some() {
        for offer in &mut offers {
            offer.preference = Preference::ByHand;
        }
    }
    offers.extend(mend::missing(case).into_iter().map(|id| {
        let why = format!("Iterations of researcher {id} are logged, but its table is missing.");
        by_hand(Move::Mend(id), why)
    }));
    let rebuild = rebuild::why(case).map(|why| by_hand(Move::Rebuild, why));
    offers.extend(rebuild);
    let state = &case.state;
    if state.open || state.done > 0 || state.log_lost {
        let why = "Discards every round and starts the conference again.";
        offers.push(by_hand(Move::Fresh, why));
    }
    offers
}

fn offer(to: Move, preference: Preference, reason: impl Into<Foreign>) -> Offer {
    Offer {
        to,
        preference,
        reason: reason.into(),
    }
}

fn chosen(to: Move, reason: impl Into<Foreign>) -> Offer {
    let reason = reason.into();
    offer(to, Preference::Chosen(reason.clone()), reason)
}

fn by_hand(to: Move, reason: impl Into<Foreign>) -> Offer {
    offer(to, Preference::ByHand, reason)
}

fn start(case: &Conference, n: u64, ending: Option<&Ending>) -> Vec<Offer> {
    let last = n.saturating_sub(1);
    let why = if case.state.open && void_before(&case.state.resumed, n, 1) > 0 {
        format!("Round {n} was started again, and no iteration of it was finished since.")
    } else if case.state.open {
        format!("Round {n} was started and no iteration of it was finished.")
    } else if let Some(ending) = ending {
        format!(
            "Round {last} is completed, and {}. The orchestrator checks before round {n} whether that ends the conference.",
            ending.shown()
        )
    } else if n == 1 {
        "The conference was started, but none of its rounds.".to_owned()
    } else {
        format!("Round {last} is completed, and nothing in it ends the conference.")
    };
    let mut offers = vec![chosen(Move::Phase(n, 1), why)];
    offers.extend(synthesis_anyway(case));
    offers
}

const REMOVES: &str = "Removes the rows after each researcher's last kept state.";
const KEEPS: &str = "Reverted rows are finished experiments too, so no row is removed.";

fn mid(case: &Conference, n: u64) -> Vec<Offer> {
    let mut ids = case.state.unfinished();
    let nobody = ids.is_empty();
    if nobody {
        ids = case.state.probable();
    }
    let ids = letters(&ids);
    let why = format!("Research of round {n} was interrupted; unfinished: {ids}.");
    let posters = "Holds the poster session with partial results.";
    let mut offers = vec![restart(n), by_hand(Move::Phase(n, 2), posters)];
    // After a person chose to keep every row, that stays recommended until something happens.
    let entered = case.state.entered(&case.raw);
    let kept = entered.is_some_and(|r| r.entry == Entry::Mid && r.reverted.is_empty());
    if kept && nobody {
        offers.push(chosen(Move::Keep(n), why));
    } else if kept && !truncate::all(case).is_empty() {
        offers.push(by_hand(Move::Mid(n), REMOVES));
        offers.push(chosen(Move::Keep(n), why));
    } else {
        offers.push(chosen(Move::Mid(n), why));
        offers.push(offer(Move::Keep(n), Preference::Rung, KEEPS));
    }
    offers.extend(synthesis_anyway(case));
    offers
}

fn later(case: &Conference, n: u64, phase: u8) -> Vec<Offer> {
    let session = if phase == 2 {
        &case.state.poster
    } else {
        &case.state.review
    };
    let left = case.state.unfinished();
    let what = session.what;
    let why = match (phase, session.evidence) {
        (2 | 3, Evidence::Lost) => {
            let lack = case.raw.lack(&session.file, "is missing");
            format!("The {what} of round {n} was held, but its file {lack}.")
        }
        (2 | 3, Evidence::Partial) => {
            format!("The {what} of round {n} was interrupted: its file is incomplete.")
        }
        (2, _) if !left.is_empty() => format!(
            "A person chose to continue round {n} without the rest of its research; unfinished: {}.",
            letters(&left)
        ),
        (2, _) => format!("Every researcher finished round {n}, and no poster session was held."),
        (3, _) => format!("The poster session of round {n} was held, but its review was not."),
        _ => format!(
            "Round {n} was reviewed but not completed; the knowledge transfer must be completed, not repeated."
        ),
    };
    let mut offers = vec![restart(n), chosen(Move::Phase(n, phase), why)];
    let alone = case.state.ids.len() == 1;
    for earlier in (2..phase).filter(|earlier| *earlier != 2 || !alone) {
        let why = "Repeats a phase that already has a result.";
        offers.push(offer(Move::Phase(n, earlier), Preference::Rung, why));
    }
    if phase == 2 && !left.is_empty() {
        offers.push(by_hand(Move::Mid(n), REMOVES));
        offers.push(by_hand(Move::Keep(n), KEEPS));
    } else if phase == 2 && !case.state.probable().is_empty() {
        let why = "Researchers that have only probably finished continue, and every row is kept.";
        offers.push(by_hand(Move::Keep(n), why));
    }
    offers.extend(synthesis_anyway(case));
    offers
}

fn restart(n: u64) -> Offer {
    let why = format!("Discards the work of round {n} so far and starts it again.");
    by_hand(Move::Phase(n, 1), why)
}

fn synthesis_anyway(case: &Conference) -> Option<Offer> {
    let why = "Ends the conference with the existing results.";
    (case.state.done > 0).then(|| by_hand(Move::Synthesis, why))
}

/// The kind of a point, for the checks that it depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    /// The start of a round.
    Round,
    Research,
    Posters,
    Review,
    Transfer,
    Synthesis,
    Mend,
    Rebuild,
    Fresh,
}

use Family::{Fresh, Mend, Posters, Rebuild, Research, Review, Round, Synthesis, Transfer};

/// With any subject: the checks of this system are about the conference as a whole.
#[rustfmt::skip]
const DEPENDS_ON: &[DependsOn<Family>] = &[
    DependsOn::new(&[Round, Research, Posters, Review, Transfer, Synthesis, Fresh], &["A1"], Scope::Any),
    DependsOn::new(&[Round, Research, Posters, Review, Transfer, Synthesis], &["A7", "A16"], Scope::Any),
    DependsOn::new(&[Rebuild], &["A10", "A11"], Scope::Any),
    DependsOn::new(&[Round, Research, Posters, Review, Transfer, Synthesis, Mend], &["A2", "A3"], Scope::Any),
    DependsOn::new(&[Research], &["A8", "A9", "A10", "A11"], Scope::Any),
    DependsOn::new(&[Research, Transfer], &["A19", "A20"], Scope::Any),
    DependsOn::new(&[Review, Transfer, Synthesis], &["A13"], Scope::Any),
    DependsOn::new(&[Transfer, Synthesis], &["A14"], Scope::Any),
    DependsOn::new(&[Synthesis], &["A15"], Scope::Any),
];

/// The verdicts of the checks that a point depends on.
pub(crate) fn verified(case: &Conference, to: Move, checks: &[Check]) -> Verified {
    let family = match to {
        Move::Phase(_, 2) => Posters,
        Move::Phase(_, 3) => Review,
        Move::Phase(_, 4) => Transfer,
        Move::Phase(..) => Round,
        Move::Mid(_) | Move::Keep(_) => Research,
        Move::Synthesis => Synthesis,
        Move::Mend(_) => Mend,
        Move::Rebuild => Rebuild,
        Move::Fresh => Fresh,
    };
    // Phase 3 writes a lost review, and phase 4 does not read the posters.
    let written = family == Review && case.state.review.evidence == Evidence::Lost
        || family == Transfer && case.state.poster.evidence == Evidence::Lost;
    // A conference that was only configured has no log yet.
    let no_log = case.raw.log.is_none()
        && family != Mend
        && matches!(case.state.decision, Decision::NotStarted { .. });
    let counts = |check: &&Check| match check.id.0.as_str() {
        "A13" => !written,
        "A2" | "A3" => !no_log,
        _ => true,
    };
    let checks: Vec<Check> = checks.iter().filter(counts).cloned().collect();
    depends_on::verified(DEPENDS_ON, &family, &checks, |_, _| false)
}
