//! The vocabulary of manifests: the kinds of their keys, and the keywords of schemas.
//!
//! Each key is declared once: [`tables`](super::tables) declares the keys of manifests, and [`schema`] declares the keywords of
//! schemas. The reader, the suggestions, the published JSON Schemas, `catalog.json` and the tables in `docs/manifests.md` use
//! these declarations.

#[cfg(feature = "emit")]
pub mod docs_table;
pub mod kinds;
pub mod schema;
pub(in crate::manifest) mod synonyms;

pub use schema::{CHOICE, FOREIGN, FOREIGN_TO_TOOLS, PROPERTY, RENAMED_IN_PLUGINS, ROOT, SCHEMA};
pub use toolc_tables::{Key, KeyType, TypedKey};
