//! What a model reads: descriptions, and how much of them there is.

use super::rules;

rules! {
    LEADING_OR_TRAILING_SPACE leading_or_trailing_space
    PARAMETER_DESCRIPTION_MISSING parameter_description_missing
    TOKEN_BUDGET token_budget
    TOO_MANY_TOOLS too_many_tools
}
