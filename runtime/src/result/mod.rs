//! The steps from a handler's result to the model: written as JSON, scrubbed, limited, and stored if it is too long.

pub(crate) mod image;
pub(crate) mod limit;
pub(crate) mod output;
pub(crate) mod scrub;
pub(crate) mod spill;
