//! Terminal control taken out of text: colours, cursor movements, titles, bells. A model reads characters, not a
//! screen; nothing is done to show what a screen would.

/// Filters characters one at a time, so that a sequence may be cut anywhere.
#[derive(Debug, Default)]
pub(super) struct Plain {
    within: Within,
    /// The last character was a carriage return.
    returned: bool,
}

/// The kind of sequence that has begun (ECMA-48).
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Within {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After ESC `[`, up to a final byte.
    Control,
    /// After ESC and `]`, `P`, `X`, `^` or `_`, up to BEL or ESC `\`. A newline ends it too: else one stray
    /// byte could hide the rest of the output.
    String,
    /// After ESC within such a string.
    StringEscape,
}

impl Plain {
    /// The character as it is to be shown, if it is. A carriage return begins a new line, so that each state
    /// of a progress display is one.
    pub(super) fn filter(&mut self, c: char) -> Option<char> {
        let (next, shown) = match (self.within, c) {
            (Within::String, '\u{1b}') => (Within::StringEscape, None),
            (Within::StringEscape, '\\') | (Within::String, '\u{7}') => (Within::Text, None),
            (_, '\n') => (Within::Text, Some(c)),
            (Within::String | Within::StringEscape, _) | (Within::Escape, ']' | 'P' | 'X' | '^' | '_') => {
                (Within::String, None)
            }
            (_, '\u{1b}') | (Within::Escape, ' '..='/') => (Within::Escape, None),
            (Within::Escape, '[') | (Within::Control, ' '..='?') => (Within::Control, None),
            (Within::Escape, '0'..='~') | (Within::Control, '@'..='~') => (Within::Text, None),
            (_, '\t' | '\r') => (Within::Text, Some(c)),
            (_, _) => (Within::Text, (!c.is_control()).then_some(c)),
        };
        self.within = next;
        match shown {
            Some('\n') if std::mem::take(&mut self.returned) => None,
            Some('\r') => {
                self.returned = true;
                Some('\n')
            }
            Some(_) => {
                self.returned = false;
                shown
            }
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        let mut plain = Plain::default();
        text.chars().filter_map(|c| plain.filter(c)).collect()
    }

    #[test]
    fn sequences_go_and_text_stays() {
        assert_eq!(plain("\u{1b}[1;31mred\u{1b}[0m \u{1b}[2K\u{1b}[?25lx"), "red x");
        assert_eq!(plain("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\"), "alink");
        assert_eq!(plain("\u{1b}(Ba\u{1b}=b\u{1b}Mc\u{7}\u{8}\0d\u{9b}"), "abcd");
        assert_eq!(plain("[31m stays, tab\t too"), "[31m stays, tab\t too");
    }

    #[test]
    fn an_unfinished_sequence_hides_one_line_at_most() {
        assert_eq!(plain("a\u{1b}]never ended\nb\u{1b}[1\nc"), "a\nb\nc");
    }

    #[test]
    fn every_line_ending_is_one_newline() {
        assert_eq!(plain("a\r\nb\r 50 %\r100 %\n\nc"), "a\nb\n 50 %\n100 %\n\nc");
    }
}
