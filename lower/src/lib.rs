//! Turns the schemas of tools into the form that each LLM vendor accepts.
//!
//! A [`schema`] is a typed model, read from a manifest or [from JSON](schema::from_json) that others wrote. [`dialects`] has a record
//! of what each vendor accepts. [`narrow`](mod@narrow) rewrites a schema into the subset of a dialect, and [`run_time`] does all of this for a
//! tool that is known at run time only.

pub mod conditional_json;
pub mod dialects;
pub mod narrow;
pub mod prose;
pub mod run_time;
pub mod schema;
pub mod text;

/// Runs the example of the README as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
