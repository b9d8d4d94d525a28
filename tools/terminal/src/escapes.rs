//! Reads the control sequences of terminals in text: colours, cursor movements, titles, bells.

/// A part of the output of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'p> {
    /// A character to show, a newline or a tab.
    Text(char),
    /// A carriage return.
    Return,
    Backspace,
    /// A control sequence, such as `2K`: the parameters and the last character.
    Sequence(&'p str, char),
    /// ESC and this character.
    Escape(char),
}

/// A filter for one character at a time, so that the text may be split within a sequence.
#[derive(Debug, Default)]
pub(super) struct EscapeFilter {
    state: ParserState,
    /// The parameters of a control sequence, up to a limit.
    parameters: String,
    /// Whether a program shows its own screen, and has not left it.
    has_screen: bool,
}

/// The state of the parser of escape sequences (ECMA-48).
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ParserState {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After ESC `[`, up to a final byte.
    Control,
    /// After ESC and `]`, `P`, `X`, `^` or `_`, up to BEL or ESC `\`. A newline ends the string, too: otherwise one stray byte could
    /// hide the rest of the output.
    String,
    /// After ESC within a string.
    StringEscape,
}

/// The parameters of the sequences with which programs such as editors show a screen of their own.
const SCREENS: &[&str] = &["?1049", "?1047", "?47"];

impl EscapeFilter {
    /// Returns whether a program shows a screen of its own, as editors and pagers do.
    pub(super) fn has_screen(&self) -> bool {
        self.has_screen
    }

    fn note_screen(&mut self, c: char, next: ParserState) {
        /// The maximum number of characters of parameters.
        const MAX: usize = 16;
        match (self.state, next) {
            (ParserState::Control, ParserState::Control) if self.parameters.len() < MAX => self.parameters.push(c),
            (ParserState::Control, ParserState::Text) if SCREENS.contains(&&*self.parameters) => {
                self.has_screen = c == 'h';
            }
            (ParserState::Escape, ParserState::Control) => self.parameters.clear(),
            _ => {}
        }
    }

    /// Reads a character.
    pub(super) fn read(&mut self, c: char) -> Option<Token<'_>> {
        let before = self.state;
        let (next, is_shown) = match (self.state, c) {
            (ParserState::String, '\u{1b}') => (ParserState::StringEscape, false),
            (ParserState::StringEscape, '\\') | (ParserState::String, '\u{7}') => (ParserState::Text, false),
            (_, '\n') => (ParserState::Text, true),
            (ParserState::String | ParserState::StringEscape, _)
            | (ParserState::Escape, ']' | 'P' | 'X' | '^' | '_') => (ParserState::String, false),
            (_, '\u{1b}') | (ParserState::Escape, ' '..='/') => (ParserState::Escape, false),
            (ParserState::Escape, '[') | (ParserState::Control, ' '..='?') => (ParserState::Control, false),
            (ParserState::Escape, '0'..='~') | (ParserState::Control, '@'..='~') => (ParserState::Text, false),
            (_, '\t' | '\r' | '\u{8}') => (ParserState::Text, true),
            (_, _) => (ParserState::Text, !c.is_control()),
        };
        self.note_screen(c, next);
        self.state = next;
        match (before, c) {
            (_, '\r') if is_shown => Some(Token::Return),
            (_, '\u{8}') if is_shown => Some(Token::Backspace),
            _ if is_shown => Some(Token::Text(c)),
            (ParserState::Control, '@'..='~') if next == ParserState::Text => {
                Some(Token::Sequence(&self.parameters, c))
            }
            (ParserState::Escape, '0'..='~') if next == ParserState::Text => Some(Token::Escape(c)),
            _ => None,
        }
    }
}

/// Makes lines of an output: each state of a progress display is one, because a carriage return becomes a newline.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Whether the last character was a carriage return.
    after_return: bool,
}

impl Lines {
    /// Returns the character of a part of the output, if it has one.
    pub(super) fn read(&mut self, token: Token<'_>) -> Option<char> {
        let output = match token {
            Token::Text(c) => c,
            Token::Return => '\r',
            Token::Backspace | Token::Sequence(..) | Token::Escape(_) => return None,
        };
        let after_return = std::mem::replace(&mut self.after_return, output == '\r');
        match output {
            '\n' if after_return => None,
            '\r' => Some('\n'),
            _ => Some(output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        let (mut filter, mut lines) = (EscapeFilter::default(), Lines::default());
        text.chars().filter_map(|c| lines.read(filter.read(c)?)).collect()
    }

    #[test]
    fn sequences_are_removed_and_text_is_kept() {
        assert_eq!(plain("\u{1b}[1;31mred\u{1b}[0m \u{1b}[2K\u{1b}[?25lx"), "red x");
        assert_eq!(plain("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\"), "alink");
        assert_eq!(plain("\u{1b}(Ba\u{1b}=b\u{1b}Mc\u{7}\u{8}\0d\u{9b}"), "abcd");
        assert_eq!(plain("[31m stays, tab\t too"), "[31m stays, tab\t too");
    }

    #[test]
    fn an_unterminated_sequence_hides_at_most_one_line() {
        assert_eq!(plain("a\u{1b}]never ended\nb\u{1b}[1\nc"), "a\nb\nc");
    }

    #[test]
    fn a_program_with_its_own_screen_is_noticed_until_it_leaves_it() {
        for (text, expected) in [
            ("\u{1b}[?1049h\u{1b}[2J~", true),
            ("\u{1b}[?47hmenu", true),
            ("\u{1b}[?1049hmenu\u{1b}[?1049l", false),
            ("\u{1b}[?25l\u{1b}[1;31mred", false),
            ("?1049h", false),
            ("\u{1b}[?1049\u{1b}[h", false),
        ] {
            let mut filter = EscapeFilter::default();
            for c in text.chars() {
                filter.read(c);
            }
            assert_eq!(filter.has_screen(), expected, "{text:?}");
        }
    }

    #[test]
    fn every_line_ending_is_one_newline() {
        assert_eq!(plain("a\r\nb\r 50 %\r100 %\n\nc"), "a\nb\n 50 %\n100 %\n\nc");
    }
}
