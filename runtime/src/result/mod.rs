//! What becomes of a result before the model gets it: written as JSON, scrubbed, held to limits, kept elsewhere.

pub(crate) mod image;
pub(crate) mod limit;
pub(crate) mod output;
pub(crate) mod scrub;
pub(crate) mod spill;
