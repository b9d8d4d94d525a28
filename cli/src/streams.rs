//! The streams of a command, which tests replace.

use std::borrow::Cow;
use std::io::{self, BufRead, IsTerminal as _, Read, Write};

/// The largest input that is read as a whole, such as the arguments of a call: 64 MiB.
pub(crate) const MAX_INPUT_BYTES: u64 = 64 << 20;

/// The streams of a command.
pub(crate) struct Streams<'s> {
    pub(crate) input: &'s mut dyn Input,
    pub(crate) out: &'s mut dyn Write,
    pub(crate) err: &'s mut dyn Write,
    /// Whether the input is a terminal, so that a person types it.
    pub(crate) input_is_terminal: bool,
    /// Whether `out` is a terminal, so that a person reads it.
    pub(crate) out_is_terminal: bool,
}

/// The input of a command.
pub(crate) trait Input {
    /// Reads a line, or returns `None` at the end. After an error of the kind `InvalidData`, which is about one line, the next
    /// line can be read.
    fn line(&mut self) -> io::Result<Option<String>>;
    /// Reads the rest.
    fn rest(&mut self) -> io::Result<String>;
}

/// Standard input. It is locked only while it is read, because the approver of a call reads it, too.
struct Stdin;

impl Input for Stdin {
    fn line(&mut self) -> io::Result<Option<String>> {
        line(&mut io::stdin().lock())
    }

    fn rest(&mut self) -> io::Result<String> {
        rest(&mut io::stdin().lock())
    }
}

/// Makes each character of a text visible that could control a terminal. Line breaks and tabs stay. In JSON, the escapes mean the same
/// characters.
pub fn visible(text: &str) -> Cow<'_, str> {
    let controls = |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || changes_direction(c);
    if !text.contains(controls) {
        return text.into();
    }
    let shown = |c: char| if controls(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    text.chars().map(shown).collect::<String>().into()
}

/// Returns whether a character changes the direction in which a terminal shows text.
fn changes_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A stream whose text cannot control the terminal: names, errors and results come from outside.
pub(crate) struct Visible<W>(pub(crate) W);

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(visible(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Runs a command on the standard streams.
pub(crate) fn with_standard_streams<R>(run: impl FnOnce(&mut Streams<'_>) -> R) -> R {
    let out_is_terminal = io::stdout().is_terminal();
    // Not locked, because handlers may print, too. A program gets the bytes that a model would get.
    let out: &mut dyn Write = if out_is_terminal { &mut Visible(io::stdout()) } else { &mut io::stdout() };
    run(&mut Streams {
        input: &mut Stdin,
        out,
        err: &mut Visible(io::stderr()),
        input_is_terminal: io::stdin().is_terminal(),
        out_is_terminal,
    })
}

/// Reads a line without its end.
pub(crate) fn line(input: &mut dyn BufRead) -> io::Result<Option<String>> {
    line_up_to(MAX_INPUT_BYTES, input)
}

/// Reads a line of at most `limit` bytes. A longer one is skipped: its rest is not another line.
pub(crate) fn line_up_to(limit: u64, input: &mut dyn BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if (&mut *input).take(limit + 1).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 > limit {
        if line.last() != Some(&b'\n') {
            input.skip_until(b'\n')?;
        }
        return Err(too_long(limit));
    }
    let mut line = String::from_utf8(line).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    line.truncate(line.trim_end_matches(['\n', '\r']).len());
    Ok(Some(line))
}

/// Reads all text, up to [`MAX_INPUT_BYTES`]. A byte order mark, which some editors and shells write, is left out.
pub(crate) fn rest(input: &mut dyn Read) -> io::Result<String> {
    let mut text = String::new();
    input.take(MAX_INPUT_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_INPUT_BYTES {
        return Err(too_long(MAX_INPUT_BYTES));
    }
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

fn too_long(limit: u64) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("more than {limit} bytes"))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Input from memory.
    pub(crate) struct Typed(pub(crate) io::Cursor<Vec<u8>>);

    impl Input for Typed {
        fn line(&mut self) -> io::Result<Option<String>> {
            line(&mut self.0)
        }

        fn rest(&mut self) -> io::Result<String> {
            rest(&mut self.0)
        }
    }

    #[test]
    fn a_line_has_no_end_and_the_last_line_needs_none() {
        let mut input = Typed(io::Cursor::new(b"a\r\n\nb".to_vec()));
        let lines: Vec<String> = std::iter::from_fn(|| input.line().expect("text")).collect();
        assert_eq!(lines, ["a", "", "b"]);
    }

    #[test]
    fn a_line_that_cannot_be_read_does_not_end_the_input() {
        let mut input: &[u8] = b"123456789\n12345678\n\xff\n12345\n123456789";
        let lines = std::iter::from_fn(|| line_up_to(8, &mut input).transpose());
        let lines: Vec<Result<String, String>> = lines.map(|line| line.map_err(|error| error.to_string())).collect();
        let too_long = || Err("more than 8 bytes".to_owned());
        assert_eq!(lines.len(), 5);
        assert_eq!(lines[..2], [too_long(), too_long()]);
        assert!(lines[2].as_ref().is_err_and(|error| error.contains("invalid utf-8")), "{lines:?}");
        assert_eq!(lines[3..], [Ok("12345".to_owned()), too_long()]);
    }

    #[test]
    fn a_byte_order_mark_is_not_text() {
        assert_eq!(rest(&mut &b"\xef\xbb\xbf{}"[..]).expect("text"), "{}");
    }
}
