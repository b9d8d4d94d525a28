//! Judges what the files of a skill from a stranger would do.
//!
//! A skill is a folder with a text for a language model, SKILL.md, and files that the text refers to. [`inspect`] takes the files, and
//! returns a [`Report`] with findings and an account of every file. The crate reads no files itself, runs nothing, and has no network.
//!
//! It judges behaviour, and not words. Commands in scripts, in blocks of code and in sentences are read by `toolc-commands` and judged
//! by its rules. Programs in Python, JavaScript and other languages are judged by what gets from where to where: a private file into a
//! request, a download into an interpreter, a decoded text into `eval`. Sentences count if they ask for something, and not if they warn
//! of it. What is hidden from people always counts.
//!
//! A behaviour that the description of a skill declares, such as entering a scheduled command, is a note: a person reads the
//! description before. A note never blocks. See [`Code`] for all kinds of findings, and [`Report::verdict`] for what blocks.

mod archives;
mod code;
mod codes;
mod context;
mod decode;
mod deeds;
mod directives;
mod encoded;
mod entries;
mod fences;
mod files;
mod front_matter;
mod hidden;
mod hosts;
mod inspect;
mod judge;
mod kinds;
mod language;
mod lookalikes;
mod manifests;
mod markdown;
mod notebooks;
mod phrase;
mod pickles;
mod prose;
mod purpose;
mod quoting;
mod recipes;
mod report;
mod shell;
mod tables;
mod unit;
mod unmarked;
mod uses;
mod visible;

pub use codes::{Category, Code, Severity};
pub use files::{Content, Files};
pub use inspect::{MAX_FILES, MAX_TEXT, MAX_TEXTS, inspect};
pub use report::{FileAccount, Finding, Kind, MAX_EXCERPT, MAX_FINDINGS, Report, Trust, Verdict};
