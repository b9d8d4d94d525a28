//! What every vendor accepts: the intersection of all the other dialects, and of llama.cpp's grammars, in the
//! shape of OpenAI's Chat Completions.

use toolc::__gen::name;

use super::limits::{Confidence, NameGrammar, Refused, limit};
use super::{Dialect, Extensions, SchemaSubset, ToolLimits, gemini_openapi, openai};
use crate::schema::Spelling;

/// The date on which the sources of the limits were read.
const READ_ON: &str = "2026-11-21";

const SOURCE: &str = "the intersection of the other dialects";

const PARAMETER: NameGrammar = NameGrammar { first: "_", rest: "_", starts_with_digit: false, max_length: 64 };

/// The record of this dialect.
pub(super) const DIALECT: Dialect = Dialect {
    name: "portable",
    feature: Some("portable"),
    variant: "Portable",
    about: "The shape of `openai`, with schemas that every vendor accepts, llama.cpp's grammars included.",
    schema: SchemaSubset {
        keywords: limit(
            &[
                "title",
                "enum",
                "minimum",
                "maximum",
                "minLength",
                "maxLength",
                "pattern",
                "format",
                "minItems",
                "maxItems",
                "anyOf",
            ],
            Confidence::Medium,
            READ_ON,
            SOURCE,
        ),
        formats: limit(&["date-time"], Confidence::Medium, READ_ON, SOURCE),
        // llama.cpp makes a grammar of every schema, and one pattern that it cannot read fails the whole list.
        non_grammar_patterns: limit(Refused, Confidence::Medium, READ_ON, "llama.cpp#26930, llama.cpp#27580"),
        nested_patterns: limit(
            Refused,
            Confidence::Medium,
            "2026-11-29",
            "llama.cpp#25746, llama.cpp#25895: the grammar of a pattern below a parameter cannot be parsed",
        ),
        max_repetitions: limit(
            1_999,
            Confidence::High,
            "2026-11-29",
            "llama.cpp#27087: 2,000 repetitions of one character are refused",
        ),
        null: limit(
            Refused,
            Confidence::High,
            READ_ON,
            "`gemini-openapi` spells null otherwise than the other dialects",
        ),
        ..gemini_openapi::DIALECT.schema
    },
    spelling: Spelling { says_closed: false, ..Spelling::JSON_SCHEMA },
    tool: ToolLimits {
        tool_name: limit(name::PORTABLE, Confidence::High, READ_ON, SOURCE),
        parameter_name: limit(PARAMETER, Confidence::High, READ_ON, SOURCE),
        nested_name: limit(PARAMETER, Confidence::High, READ_ON, SOURCE),
        ..openai::DIALECT.tool
    },
    extensions: Extensions::NONE,
    ..openai::DIALECT
};
