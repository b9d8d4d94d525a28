//! The keys of catalog entries, and what a change of each means. A key that is not listed here is reported as `other`.

use crate::codes::{self, Code};

/// What is compared about a key.
pub(crate) enum Meaning {
    /// The value, with this code.
    Value(Code),
    /// The value as a set.
    Set(Code),
    /// The value, and it changes what a handler implements.
    Handler(Code),
    /// Other names: one that is gone breaks those who use it.
    Names,
    /// The key is compared elsewhere, or follows from other keys.
    Elsewhere,
}

use Meaning::{Elsewhere, Handler, Names, Set, Value};

/// The keys of a tool.
pub(crate) const OF_TOOLS: &[(&str, Meaning)] = &[
    ("name", Elsewhere),
    ("parameters", Elsewhere),
    ("returns", Elsewhere),
    ("conditional", Elsewhere),
    ("parameter_aliases", Elsewhere),
    ("dialect", Elsewhere),
    ("aliases", Names),
    ("toolset", Handler(codes::MEMBERS)),
    ("description", Value(codes::DESCRIPTION)),
    ("title", Value(codes::LOOKS)),
    ("icons", Value(codes::LOOKS)),
    ("emoji", Value(codes::LOOKS)),
    ("meta", Value(codes::LOOKS)),
    ("execution", Handler(codes::PARALLEL)),
    ("timeout_ms", Value(codes::LIMIT)),
    ("max_result_chars", Value(codes::LIMIT)),
    ("parallel", Value(codes::PARALLEL)),
    ("parallel_key", Value(codes::PARALLEL)),
    ("parallel_space", Value(codes::PARALLEL)),
    ("defer", Value(codes::CALLERS)),
    ("callers", Set(codes::CALLERS)),
    ("background", Value(codes::CALLERS)),
    ("scripts", Value(codes::CALLERS)),
    ("text_input", Value(codes::FORM)),
    ("example_in_words", Value(codes::FORM)),
    ("annotations", Value(codes::ANNOTATIONS)),
    ("requires", Value(codes::CONDITION)),
    ("approval", Value(codes::APPROVAL)),
    ("deprecated", Value(codes::DEPRECATED)),
    ("secret", Set(codes::SECRECY)),
    ("clamped", Set(codes::SECRECY)),
];

/// The keys of a toolset.
pub(crate) const OF_TOOLSETS: &[(&str, Meaning)] = &[
    ("name", Elsewhere),
    ("resolved", Set(codes::MEMBERS)),
    ("direct", Set(codes::MEMBERS)),
    ("includes", Set(codes::MEMBERS)),
    ("excludes", Set(codes::MEMBERS)),
    ("external", Set(codes::MEMBERS)),
    ("base", Value(codes::MEMBERS)),
    ("closed", Value(codes::MEMBERS)),
    ("kind", Value(codes::MEMBERS)),
    ("tags", Set(codes::MEMBERS)),
    ("description", Value(codes::DESCRIPTION)),
    ("aliases", Names),
    ("token_budget", Value(codes::LOOKS)),
    ("requires", Value(codes::CONDITION)),
];

/// Returns the keys of the other lists, all of which have one code.
pub(crate) fn code_of(list: &str) -> Code {
    match list {
        "facts" => codes::FACT,
        "env" => codes::VARIABLE,
        "distributions" => codes::DISTRIBUTION,
        _ => codes::COMMANDS,
    }
}
