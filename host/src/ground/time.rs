//! Points in time as text.

pub(crate) use toolc_store::time_text as text;
