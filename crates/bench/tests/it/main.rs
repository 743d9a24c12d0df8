//! The bench as a whole, with fake tools: small shell scripts that behave as badly as real tools do on their worst days.

mod commands;
mod corpus;
mod evidence;
mod growth;
mod lab;
mod resume;
mod runner;
mod same;
