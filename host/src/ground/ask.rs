//! Questions of commands to the person who runs them.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use super::error::{Error, Result};

/// The maximum number of bytes of an answer.
const MAX_ANSWER: u64 = 64 << 10;

/// Fails if a tool runs this program: only a person may do this.
pub(crate) fn refuse_tools(what: &str) -> Result<()> {
    if toolc_process::is_inside_a_tool() {
        return Err(Error::NeedsPerson(format!("only a person can {what}: this command does not run inside a tool")));
    }
    Ok(())
}

/// Returns a line of standard input without its end, or `None` at the end of the input.
pub(crate) fn line() -> Result<Option<String>> {
    let failed = |error: &dyn std::fmt::Display| format!("failed to read the answer: {error}");
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_ANSWER + 1).read_until(b'\n', &mut bytes).map_err(|error| failed(&error))?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 > MAX_ANSWER {
        return Err(Error::Invalid(failed(&format!("it has more than {MAX_ANSWER} bytes"))));
    }
    let text = String::from_utf8(bytes).map_err(|_| failed(&"it is not UTF-8"))?;
    Ok(Some(text.trim_end_matches(['\n', '\r']).to_owned()))
}

/// An answer.
pub(crate) enum Answer {
    Text(String),
    Blank,
    /// The input has ended.
    End,
}

/// Asks for a value. On a terminal, a secret is not shown while it is typed.
pub(crate) fn value(prompt: &str, is_secret: bool) -> Result<Answer> {
    let failed = |error: io::Error| format!("failed to ask: {error}");
    let answer = if is_secret && io::stdin().is_terminal() {
        Some(rpassword::prompt_password(format!("{prompt}: ")).map_err(failed)?)
    } else {
        eprint!("{prompt}: ");
        io::stderr().flush().map_err(failed)?;
        let line = line()?;
        if !io::stdin().is_terminal() {
            eprintln!();
        }
        line
    };
    Ok(match answer.map(|answer| answer.trim().to_owned()) {
        None => Answer::End,
        Some(answer) if answer.is_empty() => Answer::Blank,
        Some(answer) => Answer::Text(answer),
    })
}

/// Prints on standard output. A reader that has gone away (`| head`) is not an error.
///
/// # Errors
/// Returns an error if the text cannot be written, for example to a disk that is full.
pub(crate) fn print(text: &str) -> Result<()> {
    print_bytes(text.as_bytes())
}

/// Does the same with bytes.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    // What is after the last end of a line would otherwise be written at the end of the process, and a failure be lost.
    written(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Returns the error about standard output, if it is one.
///
/// # Errors
/// Returns an error if the text was not written although there is a reader.
pub(crate) fn written(result: io::Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::Invalid(format!("failed to write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}
