//! A list of tools in a description (`{{ available(...) }}`) that is empty in some turns.
//!
//! ## Why is this bad
//! The sentence around the list then breaks off: "For web pages, use ."
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file, or a window of its lines. For web pages, use {{ available('web_search') }}."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file, or a window of its lines.{% if tools.web_search %} For web pages, use {{ available('web_search') }}.{% endif %}"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C023", "available-can-be-empty");
