//! The end of what a server writes to standard error, for messages about why it ended.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use toolc::redaction::without_secrets;
use toolc_process::Sink;

use crate::visible::visible;

/// The maximum number of bytes that are kept: more than is shown, so that no secret in what is shown is cut off.
const MAX_KEPT: usize = 64 << 10;
/// The maximum number of characters that are shown.
const MAX_SHOWN: usize = 1000;

/// The last bytes of a server's standard error. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct StderrTail(Arc<Mutex<VecDeque<u8>>>);

impl StderrTail {
    /// Returns the end as a clause for a message, or an empty text. `redact` replaces known secrets. What seems to be one is replaced, too:
    /// a server can print a key that it was not given.
    pub(super) fn clause(&self, redact: impl Fn(&str) -> String) -> String {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = redact(&String::from_utf8_lossy(bytes.make_contiguous()));
        let text = visible(&without_secrets(&text, &[]));
        let text = text.trim();
        let Some((start, _)) = text.char_indices().rev().take(MAX_SHOWN).last() else { return String::new() };
        format!("; its stderr: {}{}", if start > 0 { "…" } else { "" }, &text[start..])
    }
}

impl Sink for StderrTail {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(bytes);
        let excess = kept.len().saturating_sub(MAX_KEPT);
        kept.drain(..excess);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_seems_to_be_a_key_is_not_shown() {
        let mut tail = StderrTail::default();
        tail.push(b"refused: ghp_abcdefghijklmnopqrstuvwxyz0123456789 for postgres://me:hunter22@host/db\n");
        let clause = tail.clause(str::to_owned);
        assert!(!clause.contains("ghp_") && !clause.contains("hunter22") && clause.contains("refused"), "{clause}");
    }

    #[test]
    fn the_end_is_shown_without_secrets() {
        let mut tail = StderrTail::default();
        assert_eq!(tail.clause(str::to_owned), "");
        (0..10_000).for_each(|_| assert!(tail.push(b"noise noise\n")));
        tail.push(b"key=hunter2\x1b[0m failed\r\n");
        let clause = tail.clause(|text| text.replace("hunter2", "[secret]"));
        assert!(clause.starts_with("; its stderr: …") && clause.ends_with("key=[secret]\\u{1b}[0m failed"), "{clause}");
        assert!(clause.chars().count() < MAX_SHOWN + 20);
        assert!(tail.0.lock().expect("no panic").len() <= MAX_KEPT);
    }
}
