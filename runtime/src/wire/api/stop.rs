//! The words for the reason why a model stopped. Gateways pass on the words of another API, so every API understands all of them.

use crate::wire::Stop;

/// Words that mean that the model is done.
const DONE: &[&str] = &[
    "stop",
    "stopped",
    "stopsequence",
    "stoptoken",
    "endturn",
    "endofturn",
    "end",
    "eos",
    "eostoken",
    "eot",
    "toolcall",
    "toolcalls",
    "tooluse",
    "functioncall",
    "functioncalls",
    "requiresaction",
    "complete",
    "completed",
    "done",
    "finished",
    "normal",
    "success",
];
/// Parts of words for a filter or a refusal.
const REFUSED: &[&str] = &[
    "filter",
    "safety",
    "refus",
    "recitation",
    "block",
    "prohibit",
    "guardrail",
    "moderat",
    "toxic",
    "sensitive",
    "policy",
    "violat",
    "flagged",
    "spii",
];
/// Parts of words for a limit of the server that more tokens do not lift.
const RATE: &[&str] = &["ratelimit", "quota"];
/// Parts of words for a limit.
const LENGTH: &[&str] = &["length", "max", "limit", "exceed", "contextwindow", "budget", "truncat", "continuation"];
/// Parts of words for a failure.
const FAILED: &[&str] = &[
    "error",
    "fail",
    "abort",
    "cancel",
    "interrupt",
    "incomplete",
    "timeout",
    "timedout",
    "malformed",
    "unexpected",
    "invalid",
    "overload",
    "insufficient",
    "unavailable",
    "disconnect",
    "exception",
];

/// Returns what a word of any API means. A word that means neither a limit nor a failure is [`Stop::Other`].
pub(super) fn by_word(word: &str) -> Stop {
    let letters: String = word.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let word = letters.strip_prefix("finishreason").or_else(|| letters.strip_prefix("stopreason")).unwrap_or(&letters);
    let has = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
    match () {
        () if DONE.contains(&word) => Stop::Done,
        () if has(REFUSED) => Stop::Refused,
        () if has(RATE) => Stop::Failed,
        () if has(LENGTH) => Stop::Length,
        () if has(FAILED) => Stop::Failed,
        () => Stop::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_all_servers_have_one_meaning() {
        for (words, expected) in [
            (
                "stop STOP end_turn eos eos_token tool_use tool_calls TOOL_CALL function_call stop_sequence COMPLETE \
                 FINISH_REASON_STOP requires_action endTurn",
                Stop::Done,
            ),
            (
                "length max_tokens MAX_TOKENS model_length max_output_tokens model_context_window_exceeded \
                 context_length_exceeded ERROR_LIMIT MaxTokens time_limit budget_exceeded",
                Stop::Length,
            ),
            (
                "content_filter content_filtered SAFETY refusal guardrail_intervened ERROR_TOXIC sensitive RECITATION \
                 PROHIBITED_CONTENT",
                Stop::Refused,
            ),
            (
                "error ERROR failed abort aborted cancelled network_error insufficient_system_resource timeout \
                 MALFORMED_FUNCTION_CALL rate_limit incomplete",
                Stop::Failed,
            ),
            ("OTHER unknown FINISH_REASON_UNSPECIFIED 2", Stop::Other),
        ] {
            for word in words.split(' ') {
                assert_eq!(by_word(word), expected, "{word}");
            }
        }
        assert_eq!(by_word(""), Stop::Other);
    }
}
