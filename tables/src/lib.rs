//! Reads TOML files whose keys are declared in Rust, such as configuration files and manifests.
//!
//! A program declares each key once, with its documentation and its kind, with [`table!`](crate::table) and [`words!`](crate::words). The
//! reader, the suggestions of similar names, the JSON Schema and the tables of the documentation follow from this declaration:
//!
//! ```
//! use toolc_tables::Document;
//! use toolc_tables::kinds::{Count, Required, Text};
//!
//! toolc_tables::table! {
//!     /// The file `app.toml`.
//!     pub struct AppTable as App {
//!         /// The name of the program.
//!         name: Required<Text>,
//!         /// The number of threads.
//!         threads: Count = 4,
//!     }
//! }
//!
//! let app = Document::<AppTable>::read("`app.toml`", "app.toml", "name = \"a\"\n", |_, _| {}).expect("the file is valid").values();
//! assert_eq!((app.name.as_str(), app.threads), ("a", 4));
//!
//! let error = Document::<AppTable>::read("`app.toml`", "app.toml", "name = \"a\"\nthread = 4\n", |_, _| {}).expect_err("a key is misspelt");
//! assert!(error.to_string().contains("did you mean `threads`?"), "{error}");
//! ```
//!
//! [`Document::read`] reports every mistake of a file at once, each with its place. A language with more kinds of values or other names of
//! keys, such as that of the manifests of toolc, implements [`Language`] and [`ReadKey`].

pub mod checks;
pub mod codes;
pub mod diagnostic;
mod docs_table;
mod document;
mod json_schema;
mod key;
pub mod kinds;
mod language;
mod offsets;
mod read;
mod setting;
mod source;
pub mod syntax;
mod table;
mod values;
pub mod visible;
mod words;

pub use docs_table::docs_table;
pub use document::{Document, MAX_BYTES, default_values, defaults};
pub use json_schema::{file_schema, json_schema};
pub use key::{HasKeys, Key, KeyKind, KeyType, TypedKey, UNLIMITED};
pub use language::{Hints, Language, UnknownKey};
pub use offsets::written;
pub use read::json::{NotJson, json, written_as_json};
pub use read::{Form, ReadKey, ReadTable, Reader, Refused, fact_to_json};
pub use setting::{DefaultKind, Setting};
pub use source::{Files, SourceId, normalized};
pub use values::{HasValues, ValueKind};
pub use words::Words;

#[doc(hidden)]
pub use serde_json as __serde_json;

/// Runs the examples of the README as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
