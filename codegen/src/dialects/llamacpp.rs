//! llama.cpp, which makes a grammar of every schema. One pattern that it cannot take costs the whole list.

use super::{Confidence, Limit, Pattern};

/// What its patterns have to be like.
pub const PATTERN: Limit<Pattern> = Limit {
    value: Pattern { anchored: true, refused: &["\\d"] },
    source: "llama.cpp#26930, llama.cpp#27580",
    verified_on: "2026-11-21",
    confidence: Confidence::Medium,
};
