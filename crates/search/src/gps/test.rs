//! Concrete tests: compiled blocks along a plan.
