//! How much of a model's context definitions take, about: without a tokenizer, which every provider has another of.

/// OpenAI's help centre, "What are tokens and how to count them?" (read 2026-11): a token is about four characters of
/// English. Bytes, not characters: of other scripts, a token has fewer characters, which have more bytes.
const BYTES_PER_TOKEN: usize = 4;

/// About how many tokens that many bytes of definitions take: a quarter, rounded up. Good enough for a budget or for a
/// choice of toolsets, not for a bill; providers also put definitions into words of their own. `cargo xtask lint` measures
/// `token_budget` by the same.
pub const fn estimated_tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN)
}
