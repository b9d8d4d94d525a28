//! A tool whose conditions contain more than 12 different comparisons of facts and tools.
//!
//! ## Why is this bad
//! Each combination of their results can give another text. 13 comparisons have 8,192 combinations, which no author
//! can review.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to display the content."
//! when = "facts.depth == 0 or facts.depth == 1 or facts.depth == 2 or facts.depth == 3 or facts.depth == 4 or facts.depth == 5 or facts.depth == 6 or facts.depth == 7 or facts.depth == 8 or facts.depth == 9 or facts.depth == 10 or facts.depth == 11 or facts.depth == 12"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.mode]
//! type = "string"
//! description = "How to display the content."
//! when = "facts.depth <= 12"
//! ```

use crate::diagnostic::Code;

pub(super) const CODE: Code = Code::error("C020", "too-many-atoms");
