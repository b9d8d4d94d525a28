//! Estimates of the tokens that definitions take, without a tokenizer, because every vendor has a different one.

/// OpenAI's help centre, "What are tokens and how to count them?" (read 2026-11): a token is about four characters of
/// English. Bytes, not characters: of other scripts, a token has fewer characters, which have more bytes.
const BYTES_PER_TOKEN: usize = 4;

/// Returns an estimate of the tokens in so many bytes of definitions: a quarter, rounded up. It is good enough for a
/// budget or for a choice of toolsets, but not for a bill: vendors also wrap definitions in text of their own. `cargo
/// xtask lint` uses the same estimate for `token_budget`.
pub const fn estimated_tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN)
}
