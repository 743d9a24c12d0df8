//! Tests of the analysis on C text.
