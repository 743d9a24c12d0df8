//! What a proof needs of the facts that were proved.

use rhumb_encode::NodeId;
use rhumb_logic::{Budget, Term};

use super::subset::{Formulas, Induction};

impl Induction<'_> {
    /// Facts among the proved ones that are inductive by themselves (beside what is known) and contain the wanted ones: those that the solver needs to
    /// show that the wanted ones are kept, and so on. All proved facts if that was not found within the budget.
    pub(crate) fn support(
        &mut self,
        proved: &Formulas,
        wanted: impl IntoIterator<Item = (NodeId, Term)>,
        budget: &Budget,
    ) -> Formulas {
        let graph = self.graph();
        let mut needed: Formulas = graph.nodes.iter().map(|_| Vec::new()).collect();
        let mut open: Vec<(NodeId, Term)> = wanted.into_iter().collect();
        while let Some((node, fact)) = open.pop() {
            if needed[node].contains(&fact) {
                continue;
            }
            needed[node].push(fact);
            for &edge in &graph.nodes[node].incoming {
                let source = graph.edges[edge].source;
                // What is needed already is free.
                let (mut given, mut rest) = (needed[source].clone(), Vec::new());
                for &other in &proved[source] {
                    if !given.contains(&other) {
                        rest.push(other);
                    }
                }
                given.extend(rest);
                match self.question(edge).reasons(&given, fact, budget) {
                    Some(reasons) => open.extend(reasons.into_iter().map(|fact| (source, fact))),
                    None => return proved.clone(),
                }
            }
        }
        needed
    }
}
