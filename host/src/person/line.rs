//! A line that a person types while single keys are read.

use crate::ground::show;

/// The maximum length of a typed answer, in bytes.
const MAX_TYPED: usize = 10_000;

/// A line while the person types it.
#[derive(Default)]
pub(super) struct Line {
    pub(super) text: String,
    /// The first bytes of an incomplete character.
    pending: Vec<u8>,
}

/// How typed bytes change a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LineEvent {
    /// This text was added.
    Text(String),
    /// This number of columns was removed.
    Removed(usize),
    End,
    /// The person ends the dialog without an answer.
    Cancelled,
}

impl Line {
    /// Takes bytes that were typed, and returns what they change.
    pub(super) fn push(&mut self, typed: &[u8]) -> Vec<LineEvent> {
        let mut events = Vec::new();
        match typed {
            [27 | 4] => return vec![LineEvent::Cancelled],
            // Arrow keys and other special keys are ignored.
            [27, ..] => return events,
            _ => {}
        }
        for byte in typed {
            match byte {
                b'\r' | b'\n' => {
                    events.push(LineEvent::End);
                    break;
                }
                8 | 127 => {
                    let removed = self.text.pop().map_or(0, |letter| columns(&show::one_line(&letter.to_string())));
                    events.push(LineEvent::Removed(removed));
                }
                // Ctrl-U.
                21 => {
                    let all = std::mem::take(&mut self.text);
                    events.push(LineEvent::Removed(
                        all.chars().map(|letter| columns(&show::one_line(&letter.to_string()))).sum(),
                    ));
                }
                _ => {
                    self.pending.push(*byte);
                    match std::str::from_utf8(&self.pending) {
                        Ok(letter) => {
                            if self.text.len() < MAX_TYPED {
                                events.push(LineEvent::Text(show::one_line(letter)));
                                self.text.push_str(letter);
                            }
                            self.pending.clear();
                        }
                        Err(error) if error.error_len().is_some() => self.pending.clear(),
                        Err(_) => {}
                    }
                }
            }
        }
        events
    }
}

fn columns(text: &str) -> usize {
    text.chars().filter_map(unicode_width::UnicodeWidthChar::width).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_typed_and_corrected() {
        let mut line = Line::default();
        assert_eq!(line.push("hé".as_bytes()), [LineEvent::Text("h".to_owned()), LineEvent::Text("é".to_owned())]);
        assert_eq!(line.push(&[127]), [LineEvent::Removed(1)]);
        assert_eq!(line.push(b"\x1b[A"), [], "an arrow key");
        assert_eq!(line.push(&[0xc3]), [], "an incomplete character");
        assert_eq!(line.push(&[0xa9, b'\r']), [LineEvent::Text("é".to_owned()), LineEvent::End]);
        assert_eq!(line.text, "hé");
        assert_eq!(line.push(&[21]), [LineEvent::Removed(2)]);
        assert_eq!((line.push(&[27]), line.text.as_str()), (vec![LineEvent::Cancelled], ""));
        assert_eq!(Line::default().push(&[127]), [LineEvent::Removed(0)]);
        assert!(Line::default().push("x".repeat(100).as_bytes()).len() == 100);
    }
}
