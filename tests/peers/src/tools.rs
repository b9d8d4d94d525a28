//! What build.rs makes of the bench project: the macro `tools`, and the types that its tools need.

include!(concat!(env!("OUT_DIR"), "/tools.rs"));

pub(crate) use tools;

/// The list that toolc renders, as static text.
pub(crate) const LIST: &str = include_str!(concat!(env!("OUT_DIR"), "/tools.json"));

/// What every tool but `trivial` answers.
pub(crate) const DONE: &str = r#"{"total":0}"#;
