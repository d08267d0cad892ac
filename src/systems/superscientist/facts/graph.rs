//! The stages as a graph: their dependencies, their dependents, and contradictions of the plan. Pure; every walk visits
//! a stage once.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::systems::superscientist::shape::{Stage, StageStatus};

/// Whether a dependency with a status is satisfied.
type Counts = fn(StageStatus) -> bool;

/// The dependency graph of the stages, by index in the array.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Graph {
    /// What each stage needs.
    needs: Vec<Vec<usize>>,
    /// What needs each stage.
    needed_by: Vec<Vec<usize>>,
    /// Stages that can never start: on a cycle, or with an unknown dependency.
    stuck: HashSet<usize>,
    /// Dependencies on unknown ids.
    pub(crate) unknown: Vec<(usize, String)>,
    /// Duplicate ids.
    pub(crate) duplicates: Vec<String>,
    /// Stages on a cycle.
    pub(crate) cyclic: Vec<usize>,
    /// An order in which every stage follows its dependencies; cyclic stages are left out.
    pub(crate) order: Vec<usize>,
}

impl Graph {
    /// Builds the graph.
    pub(crate) fn new(stages: &[Stage]) -> Self {
        let mut graph = Self {
            needs: vec![Vec::new(); stages.len()],
            needed_by: vec![Vec::new(); stages.len()],
            ..Self::default()
        };
        let mut places: HashMap<&str, usize> = HashMap::new();
        for stage in stages {
            if *places.entry(&stage.id).or_insert(stage.index) != stage.index {
                graph.duplicates.push(stage.id.clone());
            }
        }
        for stage in stages {
            for id in &stage.depends_on {
                match places.get(id.as_str()) {
                    Some(at) => graph.link(stage.index, *at),
                    None => graph.unknown.push((stage.index, id.clone())),
                }
            }
        }
        let (order, left) = peel(&graph.needs, &graph.needed_by);
        let (_, tail) = peel(&graph.needed_by, &graph.needs);
        let on_both = left.into_iter().filter(|at| tail.binary_search(at).is_ok());
        graph.cyclic = on_both.collect();
        let unknown = graph.unknown.iter().map(|(at, _)| at);
        graph.stuck = unknown.chain(&graph.cyclic).copied().collect();
        graph.order = order;
        graph
    }

    fn link(&mut self, stage: usize, need: usize) {
        if let Some(list) = self.needs.get_mut(stage) {
            list.push(need);
        }
        if let Some(list) = self.needed_by.get_mut(need) {
            list.push(stage);
        }
    }

    /// What a stage needs directly.
    pub(crate) fn needs(&self, stage: usize) -> &[usize] {
        self.needs.get(stage).map_or(&[], Vec::as_slice)
    }

    /// All direct and indirect dependents of a stage, in array order, without itself. The published recursion stops at
    /// stages that are not completed; this does not.
    pub(crate) fn downstream(&self, stage: usize) -> Vec<usize> {
        let mut seen = vec![false; self.needs.len()];
        let mut todo = vec![stage];
        while let Some(at) = todo.pop() {
            for next in self.needed_by.get(at).into_iter().flatten() {
                if let Some(mark) = seen.get_mut(*next)
                    && !std::mem::replace(mark, true)
                {
                    todo.push(*next);
                }
            }
        }
        let all = seen.iter().enumerate().filter(|(_, seen)| **seen);
        all.map(|(at, _)| at).filter(|at| *at != stage).collect()
    }

    /// A stage with all its dependents, in array order.
    pub(crate) fn closure(&self, stage: usize) -> Vec<usize> {
        let mut all = self.downstream(stage);
        all.insert(all.partition_point(|at| *at < stage), stage);
        all
    }

    /// How many dependencies there are.
    pub(crate) fn edges(&self) -> usize {
        self.needs.iter().map(Vec::len).sum()
    }

    /// True if the plan contradicts itself, so that nothing may be written based on it.
    pub(crate) fn is_broken(&self) -> bool {
        !(self.unknown.is_empty() && self.duplicates.is_empty() && self.cyclic.is_empty())
    }

    /// The contradictions of the plan, each with the code of its finding and a sentence; at most `most` of a kind. `ids`
    /// lists stages.
    pub(crate) fn contradictions(
        &self,
        most: usize,
        ids: impl Fn(&[usize]) -> String,
    ) -> Vec<(&'static str, String)> {
        let duplicates = self.duplicates.iter().take(most);
        let same = |id| ("duplicate-stage", format!("Two stages have the id {id}."));
        let unknown = self.unknown.iter().take(most).map(|(at, id)| {
            let text = format!("{} depends on {id}, which is not a stage.", ids(&[*at]));
            ("unknown-dependency", text)
        });
        let on_it = self.cyclic.get(..most).unwrap_or(&self.cyclic);
        let cycle = |ids| format!("These stages depend on each other: {ids}.");
        let cycle = (!on_it.is_empty()).then(|| ("cycle", cycle(ids(on_it))));
        duplicates.map(same).chain(unknown).chain(cycle).collect()
    }

    /// True if all dependencies of a stage are known and satisfied.
    pub(crate) fn satisfied(&self, stage: usize, stages: &[Stage], counts: Counts) -> bool {
        !self.stuck.contains(&stage) && self.unmet(stage, stages, counts).is_empty()
    }

    /// The known dependencies of a stage that are not satisfied.
    pub(crate) fn unmet(&self, stage: usize, stages: &[Stage], counts: Counts) -> Vec<usize> {
        let unmet = |at: &usize| stages.get(*at).is_none_or(|s| !counts(s.status));
        self.needs(stage).iter().copied().filter(unmet).collect()
    }
}

/// Removes nodes without predecessors repeatedly (Kahn's algorithm); returns the removal order and the remaining nodes.
fn peel(before: &[Vec<usize>], after: &[Vec<usize>]) -> (Vec<usize>, Vec<usize>) {
    let mut open: Vec<usize> = before.iter().map(Vec::len).collect();
    let free = open.iter().enumerate().filter(|(_, n)| **n == 0);
    let mut todo: VecDeque<usize> = free.map(|(at, _)| at).collect();
    let mut order = Vec::with_capacity(open.len());
    while let Some(at) = todo.pop_front() {
        order.push(at);
        for next in after.get(at).into_iter().flatten() {
            if let Some(n) = open.get_mut(*next) {
                *n = n.saturating_sub(1);
                if *n == 0 {
                    todo.push_back(*next);
                }
            }
        }
    }
    let left = open.iter().enumerate().filter(|(_, n)| **n > 0);
    (order, left.map(|(at, _)| at).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::superscientist::tests::stages;

    #[test]
    fn the_closure_is_full_and_contradictions_are_found() {
        let graph = Graph::new(&stages(&[
            ("stage-1", "completed", &[]),
            ("stage-2", "pending", &["stage-1"]),
            ("stage-3", "completed", &["stage-2"]),
            ("stage-4", "completed", &[]),
        ]));
        assert_eq!(graph.downstream(0), [1, 2]);
        assert_eq!(graph.downstream(3), [0_usize; 0]);
        assert!(!graph.is_broken());
        let graph = Graph::new(&stages(&[
            ("stage-1", "pending", &["stage-3"]),
            ("stage-2", "pending", &["stage-1"]),
            ("stage-3", "pending", &["stage-2"]),
            ("stage-4", "pending", &["stage-3", "stage-9"]),
            ("stage-4", "pending", &[]),
        ]));
        assert_eq!(graph.cyclic, [0, 1, 2]);
        assert_eq!(graph.unknown, [(3, "stage-9".to_owned())]);
        assert_eq!(graph.duplicates, ["stage-4"]);
        assert!(graph.is_broken());
    }
}
