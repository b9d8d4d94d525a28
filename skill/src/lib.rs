//! Agent skills: reads the format of [agentskills.io](https://agentskills.io), leniently, and says what it guessed.
//!
//! [`read`] reads the bytes of a SKILL.md. What its author meant counts, not what a YAML parser makes of it: each guess is a [`Note`]
//! with its line, a stable [`Code`], and where possible a [`Fix`] that turns the file into YAML.

mod conditions;
mod entries;
mod envelope;
mod front_matter;
mod key;
mod mend;
mod note;
mod source;
mod value;
mod words;
mod yaml;

pub use conditions::{Conditions, Need};
pub use front_matter::{FrontMatter, Reading, is_format_name, is_readable_name, read};
pub use note::{Code, Fix, Note, Severity, Strictness, Unreadable};
pub use value::Value;
