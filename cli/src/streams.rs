//! The streams of a command, which tests replace.

use std::io::{self, IsTerminal as _, Read, Write};

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
    /// Reads a line, or returns `None` at the end.
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

/// Runs a command on the standard streams.
pub(crate) fn with_standard_streams<R>(run: impl FnOnce(&mut Streams<'_>) -> R) -> R {
    run(&mut Streams {
        input: &mut Stdin,
        // Not locked, because handlers may print, too.
        out: &mut io::stdout(),
        err: &mut io::stderr(),
        input_is_terminal: io::stdin().is_terminal(),
        out_is_terminal: io::stdout().is_terminal(),
    })
}

/// Reads a line without its end.
pub(crate) fn line(input: &mut dyn io::BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    if io::BufRead::read_line(&mut input.take(MAX_INPUT_BYTES), &mut line)? == 0 {
        return Ok(None);
    }
    line.truncate(line.trim_end_matches(['\n', '\r']).len());
    Ok(Some(line))
}

/// Reads all text, up to [`MAX_INPUT_BYTES`].
pub(crate) fn rest(input: &mut dyn Read) -> io::Result<String> {
    let mut text = String::new();
    input.take(MAX_INPUT_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_INPUT_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("more than {MAX_INPUT_BYTES} bytes")));
    }
    Ok(text)
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
}
