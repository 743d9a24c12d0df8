//! From automata to formulas: block graph, encoding, evaluation, decoding.
