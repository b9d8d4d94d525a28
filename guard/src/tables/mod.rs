//! What the judgement knows, as data.

pub(crate) mod calls;
pub(crate) mod credentials;
pub(crate) mod deeds;
pub(crate) mod formats;
pub(crate) mod hosts;
pub(crate) mod names;
pub(crate) mod packages;
pub(crate) mod phrases;
pub(crate) mod places;
pub(crate) mod quoting;
pub(crate) mod rules;
