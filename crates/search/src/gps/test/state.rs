//! States of tests: numbers in a fixed order.

use index_vec::IndexVec;
use rhumb_encode::{BlockGraph, NodeId};
use rhumb_logic::{Assignment, Symbol, Value};
use rhumb_summary::Oracle;

/// The value of a symbol of sort `Int` or `Bool` as a number, if it fits.
pub(super) fn small(value: &Value) -> Option<i128> {
    match value {
        Value::Int(value) => i128::try_from(value).ok(),
        Value::Bool(value) => Some(i128::from(*value)),
        Value::Real(_) | Value::Bits(_) => None,
    }
}

/// Which symbols make up the state at each node, in the order of their values: the live variables, then the addresses, then gas if there is any.
pub(super) struct Layouts {
    nodes: IndexVec<NodeId, Vec<Symbol>>,
    addresses: Vec<Symbol>,
}

impl Layouts {
    /// The layouts for all nodes.
    pub(super) fn new(graph: &BlockGraph, oracle: &Oracle) -> Layouts {
        let addresses: Vec<Symbol> = graph.state.addresses().map(|(_, symbol)| symbol).collect();
        let gas = oracle.gas().map(|gas| gas.symbol);
        let nodes = graph.nodes.iter().map(|node| {
            let live = node.live.iter().filter_map(|&var| graph.state.symbol(var));
            live.chain(addresses.iter().copied()).chain(gas).collect()
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

    /// The state at a node with given values. A variable without one is zero; addresses without one get values of their own. Nothing if a number doesn't
    /// fit, or if there is no such node.
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
