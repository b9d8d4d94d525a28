//! Behaviours of the crate.

mod corpus;
mod front_matter;
mod random;
