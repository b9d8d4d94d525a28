//! What the person types while a turn runs: lines that are queued, and a line that is not yet complete.

use std::collections::VecDeque;
use std::mem;

/// What a line at the prompt begins with.
pub(super) const PROMPT: &str = "> ";
/// The maximum size of a line, in bytes, and the maximum number of queued lines.
const MAX_LINE: usize = 100_000;
const MAX_QUEUED: usize = 100;

/// The lines.
#[derive(Debug, Default)]
pub(super) struct Typed {
    /// The complete lines, the oldest first.
    pub(super) queued: VecDeque<String>,
    /// The line that is being typed.
    pub(super) line: String,
    state: KeyState,
    /// The bytes of an incomplete character or key.
    pending: Vec<u8>,
}

/// What the next byte belongs to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum KeyState {
    #[default]
    Text,
    /// An escape was read.
    Escape,
    /// A key with a sequence, such as an arrow.
    Sequence,
    /// Pasted text, which ends with a sequence.
    Pasted,
}

/// The command that ends the chat.
const LEAVE: &str = "/quit";

/// What begins and ends pasted text.
const PASTE_BEGINS: &[u8] = b"200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";

impl Typed {
    /// Returns a line with this beginning.
    pub(super) fn new(draft: &str) -> Self {
        Self { line: draft.to_owned(), ..Self::default() }
    }

    /// Takes typed bytes. Returns whether anything that is shown has changed.
    pub(super) fn push(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            match self.state {
                KeyState::Text => self.push_key(*byte),
                KeyState::Escape => self.push_after_escape(*byte),
                KeyState::Sequence => self.push_sequence(*byte),
                KeyState::Pasted => self.push_pasted(*byte),
            }
        }
        // A single escape is a key of its own.
        if self.state == KeyState::Escape && bytes.last() == Some(&0x1b) {
            self.state = KeyState::Text;
        }
        !bytes.is_empty()
    }

    fn push_key(&mut self, byte: u8) {
        match byte {
            0x1b => self.state = KeyState::Escape,
            b'\r' | b'\n' if self.line.ends_with('\\') => {
                self.line.pop();
                self.line.push('\n');
            }
            b'\r' | b'\n' => self.end_line(),
            // Ctrl-D leaves after the turn.
            4 if self.line.is_empty() => self.queued.push_back(LEAVE.to_owned()),
            8 | 127 => drop(self.line.pop()),
            // Ctrl-U and Ctrl-W.
            21 => self.line.clear(),
            23 => {
                let kept = self.line.trim_end().rfind(char::is_whitespace).map_or(0, |at| at + 1);
                self.line.truncate(kept);
            }
            0..0x20 => {}
            _ => self.push_text(byte),
        }
    }

    /// Adds a byte of a character.
    fn push_text(&mut self, byte: u8) {
        self.pending.push(byte);
        match str::from_utf8(&self.pending) {
            Ok(letter) => {
                if self.line.len() + letter.len() <= MAX_LINE {
                    self.line.push_str(letter);
                }
                self.pending.clear();
            }
            Err(error) if error.error_len().is_some() => self.pending.clear(),
            Err(_) => {}
        }
    }

    fn push_after_escape(&mut self, byte: u8) {
        self.state = match byte {
            b'[' | b'O' => KeyState::Sequence,
            // Alt-Enter begins a new line.
            b'\r' | b'\n' => {
                self.line.push('\n');
                KeyState::Text
            }
            _ => KeyState::Text,
        };
        self.pending.clear();
    }

    fn push_sequence(&mut self, byte: u8) {
        self.pending.push(byte);
        if (0x40..=0x7e).contains(&byte) {
            let is_paste = mem::take(&mut self.pending) == PASTE_BEGINS;
            self.state = if is_paste { KeyState::Pasted } else { KeyState::Text };
        }
    }

    fn push_pasted(&mut self, byte: u8) {
        self.pending.push(byte);
        if self.pending.ends_with(PASTE_ENDS) || self.pending.len() >= MAX_LINE {
            let pasted = mem::take(&mut self.pending);
            let text = String::from_utf8_lossy(pasted.strip_suffix(PASTE_ENDS).unwrap_or(&pasted));
            let text = text.replace("\r\n", "\n").replace('\r', "\n");
            let fits = text.floor_char_boundary(MAX_LINE.saturating_sub(self.line.len()));
            self.line += &text[..fits];
            self.state = KeyState::Text;
        }
    }

    fn end_line(&mut self) {
        if !self.line.trim().is_empty() && self.queued.len() < MAX_QUEUED {
            self.queued.push_back(mem::take(&mut self.line));
        }
    }

    /// Returns everything as one text, to be edited.
    pub(super) fn joined(self) -> String {
        let mut lines: Vec<String> = self.queued.into();
        if !self.line.is_empty() {
            lines.push(self.line);
        }
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_queued_and_the_last_one_is_kept() {
        let mut typed = Typed::default();
        assert!(typed.push("first\rsec\u{e9}".as_bytes()) && typed.push(b"nd\n \r"));
        assert!(!typed.push(b""));
        typed.push(b"thx\x7fird\x1b[A\x1bOB word\x17");
        assert_eq!((typed.queued.len(), &*typed.queued[1], &*typed.line), (2, "sec\u{e9}nd", " third "));
        typed.push(&[0xe6]);
        typed.push(&[0x97, 0xa5, 21]);
        assert_eq!(typed.line, "");
        typed.push(b"\x1b");
        typed.push(b"end");
        assert_eq!(typed.joined(), "first\nsec\u{e9}nd\nend");
        let mut leaving = Typed::default();
        leaving.push(b"\x04x\x04");
        assert_eq!((&*leaving.queued[0], leaving.queued.len(), &*leaving.line), ("/quit", 1, "x"));
    }

    #[test]
    fn a_line_can_have_several_lines_and_pasted_text() {
        let mut typed = Typed::default();
        typed.push(b"one\\\rtwo\x1b\rthree \x1b[200~a\rb\r\nc");
        assert_eq!(typed.queued.len(), 0);
        typed.push(b"\x1b[20");
        typed.push(b"1~!\r");
        assert_eq!(typed.queued, ["one\ntwo\nthree a\nb\nc!"]);
    }

    #[test]
    fn what_is_typed_is_limited() {
        let mut typed = Typed::default();
        typed.push("x".repeat(MAX_LINE + 5).as_bytes());
        assert_eq!(typed.line.len(), MAX_LINE);
        for _ in 0..MAX_QUEUED + 5 {
            typed.push(b"\ry");
        }
        assert_eq!(typed.queued.len(), MAX_QUEUED);
    }
}
