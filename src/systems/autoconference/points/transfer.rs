//! Which parts of a round's knowledge transfer are done and which are missing. It is the only phase that must be
//! completed, never repeated.

use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::worktrees;
use crate::systems::autoconference::shape::Judgement;
use crate::systems::autoconference::shape::letters;
use crate::systems::autoconference::shape::log::letter;
use crate::text::format::{count, plural};
use crate::world::World;

/// One of the steps of phase 4.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its name.
    pub name: &'static str,
    /// Whether it was done.
    pub done: bool,
    /// The evidence.
    pub seen: String,
}

/// The steps, in order.
pub(crate) fn parts(case: &Conference, round: u64) -> Vec<Part> {
    let end = Part {
        name: "round.completed",
        done: case.state.completed.contains(&round),
        seen: "the event that ends the round".to_owned(),
    };
    let knowledge = Some(knowledge(case, round));
    let (verdicts, rows) = (verdicts(case, round), log_rows(case, round));
    let all = [knowledge, verdicts, rows, Some(end)];
    all.into_iter().flatten().collect()
}

/// The missing steps of a round's transfer, each with the evidence.
pub(crate) fn missing(case: &Conference, round: u64) -> Vec<String> {
    let open = parts(case, round).into_iter().filter(|part| !part.done);
    open.map(|part| format!("{} ({})", part.name, part.seen))
        .collect()
}

fn knowledge(case: &Conference, round: u64) -> Part {
    let lines = case.raw.config.knowledge.as_deref().unwrap_or_default();
    let text = fold(&lines.join(" "));
    let headed = mentions_round(lines, round);
    let review = case.raw.reviews.get(&round);
    let claims = review.into_iter().flat_map(|r| &r.verdicts);
    let valid = claims.filter(|(judgement, _)| *judgement == Judgement::Validated);
    let valid = valid.filter_map(|(_, claim)| claim.as_deref());
    let missing = valid
        .filter(|claim| !text.contains(&opening(claim)))
        .count();
    Part {
        name: "shared knowledge",
        done: headed
            && (missing == 0 || review.is_none_or(|r| r.verdicts.iter().all(|(_, c)| c.is_none()))),
        seen: match (headed, missing) {
            (true, 0) => format!("round {round} is in the Shared Knowledge"),
            (false, 0) => format!("the Shared Knowledge does not name round {round}"),
            (_, n) => format!(
                "{} {} not found in the Shared Knowledge",
                count(n, "validated claim"),
                plural(n, "is", "are")
            ),
        },
    }
}

/// Whether a line names a round.
pub(crate) fn mentions_round(lines: &[String], round: u64) -> bool {
    let wanted = format!("round {round}");
    // The text after each `round 1` must not start with a digit: `round 12` is another round.
    let names = |line: &String| {
        let folded = line.to_lowercase();
        let mut rest = folded.split(&wanted).skip(1);
        rest.any(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    lines.iter().any(names)
}

fn verdicts(case: &Conference, round: u64) -> Option<Part> {
    let table = case.raw.results.as_ref()?;
    let of_round = table.rows.iter().filter(|r| r.round == Some(round));
    let (all, open) = of_round.fold((0, 0), |(all, open), row| {
        (all + 1, open + usize::from(!row.is_reviewed()))
    });
    Some(Part {
        name: "verdict column",
        done: all > 0 && open == 0,
        seen: if all == 0 {
            format!("conference_results.tsv has no row of round {round}")
        } else {
            format!(
                "{open} of {} of round {round} {} no verdict",
                count(all, "row"),
                plural(open, "has", "have")
            )
        },
    })
}

fn log_rows(case: &Conference, round: u64) -> Option<Part> {
    let rows = case.raw.config.log.as_ref()?;
    let number = round.to_string();
    let is_it = |cell: &String| cell.trim_start_matches("Round ").trim() == number;
    let own = rows.iter().filter(|cells| cells.first().is_some_and(is_it));
    let named: Vec<&String> = own.filter_map(|cells| cells.get(1)).collect();
    let all = named.iter().any(|who| who.eq_ignore_ascii_case("all"));
    let is_named = |id: char| named.iter().any(|who| letter(who) == Some(id));
    let missing = letters(case.state.ids.iter().filter(|id| !is_named(**id)));
    let done = all || missing.is_empty();
    Some(Part {
        name: "conference log",
        done,
        seen: if done {
            format!("the Conference Log has its rows of round {round}")
        } else {
            format!("the Conference Log has no row of round {round} for {missing}")
        },
    })
}

/// The researchers of whom git cannot tell whether `conference/best` has their commits, as a sentence each.
pub(crate) fn unread(case: &Conference, world: &dyn World) -> impl Iterator<Item = String> {
    let unread = case.trees.answer().map(|answer| &answer.unread);
    let is_unread = move |branch: &str| unread.is_some_and(|unread| unread.contains_key(branch));
    let trees = case.trees.known().iter().filter(move |tree| {
        let log = tree.tip.as_deref().zip(case.trees.best());
        let log = log.map(|(tip, best)| world.git().log(&case.raw.dir, tip, Some(best), 1));
        let failed = log.is_some_and(|log| log.is_err_and(|why| why.is_unknown()));
        failed || is_unread(worktrees::BEST) || is_unread(&worktrees::branch(tree.id))
    });
    trees.map(|tree| {
        let id = tree.id;
        format!("Whether researcher {id} has commits that conference/best does not have is unknown, because git cannot read them.")
    })
}

/// Commits of researchers that are not on `conference/best`, in worktree mode.
pub(crate) fn unpicked(case: &Conference, world: &dyn World) -> Vec<(char, usize)> {
    let best = case.trees.best();
    let trees = case.trees.known().iter().filter(|_| best.is_some());
    let counts = trees.filter_map(|tree| {
        let tip = tree.tip.as_deref()?;
        let commits = world.git().log(&case.raw.dir, tip, best, 1000).ok()?;
        (!commits.is_empty()).then_some((tree.id, commits.len()))
    });
    counts.collect()
}

/// Lower case letters and digits only, single spaces.
fn fold(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The first six words of a claim: later words are often changed.
fn opening(claim: &str) -> String {
    fold(claim).split(' ').take(6).collect::<Vec<_>>().join(" ")
}
