//! The screen of a background process on a terminal.

use std::fmt;
use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};

use toolc_environment::TerminalSize;

/// The size of terminals: large enough for editors and tables.
pub(crate) const SIZE: TerminalSize = TerminalSize { rows: 40, columns: 120 };

/// The screen of an emulated terminal.
pub(crate) struct Screen {
    /// `None` if the emulation has failed.
    parser: Option<vt100::Parser>,
    repeats: Repeats,
}

/// Shortens requests to repeat a character (`ESC [ 65535 b`) to a line, because they cost as much as the characters.
#[derive(Default)]
struct Repeats {
    /// A control sequence that has not ended.
    sequence: Vec<u8>,
}

impl Repeats {
    /// The maximum length of a sequence that is held back.
    const MAX: usize = 256;

    fn shorten(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut all = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            if byte == 0x1b || self.sequence.len() > Self::MAX {
                all.append(&mut self.sequence);
            }
            match (&*self.sequence, byte) {
                ([], 0x1b) | ([0x1b], b'[') => self.sequence.push(byte),
                ([] | [0x1b], _) => {
                    all.append(&mut self.sequence);
                    all.push(byte);
                }
                (parameters, b'b') if repeated(parameters) > SIZE.columns => {
                    all.extend(format!("\x1b[{}b", SIZE.columns).bytes());
                    self.sequence.clear();
                }
                (_, b'@'..=b'~') => {
                    all.append(&mut self.sequence);
                    all.push(byte);
                }
                _ => self.sequence.push(byte),
            }
        }
        all
    }
}

/// Returns the first number of a control sequence. Control characters in a sequence do not end it.
fn repeated(sequence: &[u8]) -> u16 {
    let first = sequence.split(|byte| *byte == b';').next().unwrap_or_default();
    let digits = first.iter().filter(|byte| byte.is_ascii_digit());
    digits.fold(0, |number: u16, digit| number.saturating_mul(10).saturating_add(u16::from(digit - b'0')))
}

impl Screen {
    pub(crate) fn new() -> Self {
        let nonzero = |number| NonZeroU16::new(number).unwrap_or(NonZeroU16::MIN);
        let parser = vt100::Parser::new(nonzero(SIZE.rows), nonzero(SIZE.columns), 0);
        Self { parser: Some(parser), repeats: Repeats::default() }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let bytes = self.repeats.shorten(bytes);
        if let Some(parser) = &mut self.parser
            && catch_unwind(AssertUnwindSafe(|| parser.process(&bytes))).is_err()
        {
            // The output is arbitrary, and a panic in the emulation must not stop the reading of output.
            self.parser = None;
        }
    }

    /// Returns the lines of the screen, without trailing blanks and trailing blank lines.
    pub(crate) fn text(&self) -> Option<String> {
        let contents = self.parser.as_ref()?.screen().contents();
        let lines: Vec<&str> = contents.trim_end().lines().map(str::trim_end).collect();
        Some(lines.join("\n"))
    }

    /// Returns whether a program such as an editor draws the whole screen, so that its raw output is meaningless.
    pub(crate) fn is_drawn(&self) -> bool {
        self.parser.as_ref().is_some_and(|parser| parser.screen().alternate_screen())
    }
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Screen").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_screen_shows_the_text_that_a_person_would_see() {
        let mut screen = Screen::new();
        screen.push(b"10 %\r20 %\r\n\x1b[31mred\x1b[0m\r\n\x1b[5;3Hplaced\x1b[1;1H");
        assert_eq!(screen.text().as_deref(), Some("20 %\nred\n\n\n  placed"));
        assert!(!screen.is_drawn());
        screen.push("\x1b[2J\x1b[?1049halternate \u{e9}\u{65e5}".as_bytes());
        screen.push(b"\xff\xe6");
        assert_eq!(screen.text().as_deref(), Some("alternate \u{e9}\u{65e5}"));
        assert!(screen.is_drawn());
        screen.push(b"\x1b[2J\x1b[1;1H~       \r\n  x  \r\n   ");
        assert_eq!(screen.text().as_deref(), Some("~\n  x"), "without blanks at the end of a line");
        screen.push(b"\x1b[?1049l");
        assert_eq!(screen.text().as_deref(), Some(""));
    }

    #[test]
    fn a_repeated_character_fills_at_most_a_line_however_the_sequence_arrives() {
        let mut repeats = Repeats::default();
        let mut all = Vec::new();
        let output =
            b"a\x1b[3b\x1b[65535bx\x1b[1;31mred\x1b[0065535;1by\x1b[6\r5535b\x1b]0;99999b\x07\x1b\x1b[999bz\x1b[";
        output.chunks(3).for_each(|piece| all.extend(repeats.shorten(piece)));
        let expected = b"a\x1b[3b\x1b[120bx\x1b[1;31mred\x1b[120by\x1b[120b\x1b]0;99999b\x07\x1b\x1b[120bz";
        assert_eq!(all.escape_ascii().to_string(), expected.escape_ascii().to_string());
        let endless = [b"\x1b[".as_slice(), &[b'1'; 10_000]].concat();
        all.extend(repeats.shorten(&endless));
        assert!(repeats.sequence.len() <= Repeats::MAX + 1);
        let mut screen = Screen::new();
        screen.push(b"-\x1b[65535b");
        assert_eq!(screen.text(), Some("-".repeat(121)));
    }
}
