//! The reachability tree.
