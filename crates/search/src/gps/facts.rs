//! Facts about nodes, shared by the whole search.
