//! States of tests: numbers in a fixed order.

use index_vec::IndexVec;
use rhumb_encode::{BlockGraph, NodeId};
use rhumb_logic::{Assignment, Symbol};
use rhumb_summary::Oracle;

pub(super) use crate::runs::to_number as small;

/// Which symbols make up the state at each node, in the order of their values: the live variables, then the addresses,
/// then gas if there is any.
pub(super) struct Layouts {
    nodes: IndexVec<NodeId, Vec<Symbol>>,
    addresses: Vec<Symbol>,
}

impl Layouts {
    /// The layouts for all nodes.
    pub(super) fn new(graph: &BlockGraph, oracle: &Oracle) -> Layouts {
        let addresses: Vec<Symbol> = graph.state.constants().map(|cell| cell.symbol).collect();
        let gas = oracle.gas().map(|gas| gas.symbol);
        let nodes = graph.nodes.indices().map(|node| {
            let cells = graph.state_at(node).map(|cell| cell.symbol);
            cells.chain(gas).collect()
        });
        Layouts {
            nodes: nodes.collect(),
            addresses,
        }
    }

    /// The symbols of the state at a node.
    pub(super) fn at(&self, node: NodeId) -> &[Symbol] {
        &self.nodes[node]
    }

    /// The state at a node with given values. A variable without one is zero; addresses without one get values of their
    /// own. Nothing if a number doesn't fit, or if there is no such node.
    pub(super) fn state(&self, node: NodeId, values: &Assignment) -> Option<Vec<i128>> {
        let value = |symbol: &Symbol| match values.get(symbol) {
            Some(value) => small(value),
            None => {
                let address = self.addresses.iter().position(|address| address == symbol);
                Some(address.map_or(0, |place| (place as i128 + 1) << 16))
            }
        };
        self.nodes.get(node)?.iter().map(value).collect()
    }
}
