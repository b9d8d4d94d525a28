//! Estimates of the tokens that definitions take, without a tokenizer, because every vendor has a different one.

/// OpenAI's help centre, "What are tokens and how to count them?" (read 2026-11): a token is about four characters of
/// English. Bytes and not characters, because in other scripts, a token has fewer characters, but each has more
/// bytes.
const BYTES_PER_TOKEN: usize = 4;

/// Returns an estimate of the tokens in definitions of this many bytes: a quarter of them, rounded up. It is good enough to
/// compare toolsets with a budget, but not to predict costs, because vendors wrap definitions in additional text. `cargo
/// xtask lint` uses the same estimate for `token_budget`.
pub const fn estimated_tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN)
}
