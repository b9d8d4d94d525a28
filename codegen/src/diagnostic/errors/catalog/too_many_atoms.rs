//! The conditions of one tool ask more than 12 different questions.
//!
//! ## Why is this bad
//! Every combination of answers is another text that a model may read; with 13 questions there are 8,192, and nobody
//! has looked at them all.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to show what was read."
//! when = "facts.depth == 0 or facts.depth == 1 or facts.depth == 2 or facts.depth == 3 or facts.depth == 4 or facts.depth == 5 or facts.depth == 6 or facts.depth == 7 or facts.depth == 8 or facts.depth == 9 or facts.depth == 10 or facts.depth == 11 or facts.depth == 12"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to show what was read."
//! when = "facts.depth <= 12"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C020", "too-many-atoms");
