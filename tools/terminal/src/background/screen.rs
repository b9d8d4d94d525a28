//! The screen of a background process on a terminal.

use std::fmt;
use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};

use toolc_environment::TerminalSize;

/// The size of terminals: large enough for editors and tables.
pub(crate) const SIZE: TerminalSize = TerminalSize { rows: 40, columns: 120 };

/// The screen of an emulated terminal. `None` if the emulation has failed.
pub(crate) struct Screen(Option<vt100::Parser>);

impl Screen {
    pub(crate) fn new() -> Self {
        let nonzero = |number| NonZeroU16::new(number).unwrap_or(NonZeroU16::MIN);
        Self(Some(vt100::Parser::new(nonzero(SIZE.rows), nonzero(SIZE.columns), 0)))
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if let Some(parser) = &mut self.0
            && catch_unwind(AssertUnwindSafe(|| parser.process(bytes))).is_err()
        {
            // The output is arbitrary, and a panic in the emulation must not stop the reading of output.
            self.0 = None;
        }
    }

    /// Returns the lines of the screen, without trailing blanks and trailing blank lines.
    pub(crate) fn text(&self) -> Option<String> {
        let contents = self.0.as_ref()?.screen().contents();
        let lines: Vec<&str> = contents.trim_end().lines().map(str::trim_end).collect();
        Some(lines.join("\n"))
    }

    /// Returns whether a program such as an editor draws the whole screen, so that its raw output is meaningless.
    pub(crate) fn is_drawn(&self) -> bool {
        self.0.as_ref().is_some_and(|parser| parser.screen().alternate_screen())
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
}
