//! Agent skills: reads the format of [agentskills.io](https://agentskills.io), leniently, and says what it guessed.
//!
//! - [`read`] reads the bytes of a SKILL.md. What its author meant counts, not what a YAML parser makes of it: each guess is a [`Note`]
//!   with its line, a stable [`Code`], and where possible a [`Fix`] that turns the file into YAML.
//! - [`fields`] returns the front matter as it is written, for programs that pass it on.
//! - [`Folder`] is the folder of one skill: it lists and reads supporting files, never follows links out of the folder, and has a digest.
//! - [`Library`] holds all skills below some [`Root`]s. A [`View`] of it has the skills that are of use, and an index for a prompt.
//!
//! All that is read is bounded in size, depth and number. Nothing is written.

mod conditions;
mod directory;
mod entries;
mod envelope;
mod folder;
mod front_matter;
mod index;
mod key;
mod library;
mod mend;
mod note;
mod source;
mod value;
mod words;
mod yaml;

pub use conditions::{Conditions, Need};
pub use folder::{FileError, FileKind, Folder, Limits, Listing, SkillFile};
pub use front_matter::{FrontMatter, Reading, fields, is_format_name, is_readable_name, read};
pub use index::{Category, Index, View};
pub use library::{Broken, Cache, Card, Library, Root, RootKind, Shadowed, Skill};
pub use note::{Code, Fix, Note, Severity, Strictness, Unreadable};
pub use value::Value;
