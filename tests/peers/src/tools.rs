//! The output of build.rs for the bench project: the macro `tools`, and the types that its tools need.

include!(concat!(env!("OUT_DIR"), "/tools.rs"));

pub(crate) use tools;

/// The list that toolc renders, as static text.
pub(crate) const LIST: &str = include_str!(concat!(env!("OUT_DIR"), "/tools.json"));

/// The result of every tool except `trivial`.
pub(crate) const DONE: &str = r#"{"total":0}"#;
