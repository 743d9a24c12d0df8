//! What a proof needs of the facts that are known.

use rhumb_encode::NodeId;
use rhumb_logic::{Budget, Term};

use super::subset::{Formulas, Induction};

/// So often the search for a proof's facts begins anew, without a fact that turned out not to be kept by the blocks.
const ATTEMPTS: usize = 24;

impl Induction<'_> {
    /// Facts among the given ones that are inductive by themselves (beside what is known) and contain the wanted ones:
    /// those that the solver needs to show that the wanted ones are kept, and so on. None if that was not found within
    /// the budget.
    pub(crate) fn support(
        &mut self,
        mut facts: Formulas,
        wanted: &[(NodeId, Term)],
        budget: &Budget,
    ) -> Option<Formulas> {
        for _ in 0..ATTEMPTS {
            match self.supported(&facts, wanted, budget) {
                Ok(needed) => return Some(needed),
                // It may hold all the same, for reasons that blocks don't know.
                Err((node, fact)) if !wanted.contains(&(node, fact)) => {
                    facts[node].retain(|&other| other != fact);
                }
                Err(_) => return None,
            }
            if budget.is_spent() {
                return None;
            }
        }
        None
    }

    /// The facts that are needed, or one that is needed and not kept.
    fn supported(
        &mut self,
        facts: &Formulas,
        wanted: &[(NodeId, Term)],
        budget: &Budget,
    ) -> Result<Formulas, (NodeId, Term)> {
        let graph = self.graph();
        let mut needed: Formulas = graph.nodes.iter().map(|_| Vec::new()).collect();
        let mut open = wanted.to_vec();
        while let Some((node, fact)) = open.pop() {
            if needed[node].contains(&fact) {
                continue;
            }
            if node == graph.entry {
                return Err((node, fact));
            }
            needed[node].push(fact);
            for &edge in &graph.nodes[node].incoming {
                let source = graph.edges[edge].source;
                let question = self.question(edge);
                // What is needed already is free.
                let enough = question.reasons(&needed[source], fact, budget);
                let reasons = enough.or_else(|| question.reasons(&facts[source], fact, budget));
                let reasons = reasons.ok_or((node, fact))?;
                open.extend(reasons.into_iter().map(|fact| (source, fact)));
            }
        }
        Ok(needed)
    }
}
