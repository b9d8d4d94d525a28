//! Reads answers from standard input and prints on standard output, for commands that a person runs.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use super::error::{Error, Result};
use super::show;
use super::tell::{tell, tell_part};

/// The maximum length of an answer, in bytes.
const MAX_ANSWER: u64 = 64 << 10;

/// Fails if this program runs inside a tool: `action` is reserved for a person.
pub(crate) fn require_person(action: &str) -> Result<()> {
    if toolc_process::is_inside_a_tool() {
        return Err(Error::NeedsPerson(format!("only a person can {action}: this command does not run inside a tool")));
    }
    Ok(())
}

/// Fails if no person can confirm something on standard input. `what` names what the person should check before the option `--yes`.
pub(crate) fn require_terminal(what: &str) -> Result<()> {
    if io::stdin().is_terminal() {
        return Ok(());
    }
    Err(Error::Invalid(format!("the confirmation needs a terminal: check {what}, and pass `--yes`")))
}

/// Reads a line of standard input without its line break. Returns `None` at the end of the input.
pub(crate) fn read_line() -> Result<Option<String>> {
    let failed = |error: &dyn std::fmt::Display| format!("failed to read the answer: {error}");
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_ANSWER + 1).read_until(b'\n', &mut bytes).map_err(|error| failed(&error))?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 > MAX_ANSWER {
        return Err(Error::Invalid(failed(&format!("the line has more than {MAX_ANSWER} bytes"))));
    }
    let text = String::from_utf8(bytes).map_err(|_| failed(&"the line is not UTF-8"))?;
    Ok(Some(text.trim_end_matches(['\n', '\r']).to_owned()))
}

/// Asks a question with `y` or `n` as the answer. Without an answer, it is no.
pub(crate) fn confirm(question: &str) -> Result<bool> {
    tell_part!("{question} [y/N] ");
    io::stderr().flush()?;
    Ok(read_line()?.is_some_and(|answer| ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())))
}

/// An answer of the person.
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
        tell_part!("{prompt}: ");
        io::stderr().flush().map_err(failed)?;
        let line = read_line()?;
        if !io::stdin().is_terminal() {
            tell!();
        }
        line
    };
    Ok(match answer.map(|answer| answer.trim().to_owned()) {
        None => Answer::End,
        Some(answer) if answer.is_empty() => Answer::Blank,
        Some(answer) => Answer::Text(answer),
    })
}

/// Prints text on standard output, in which every control character is visible. A closed pipe (`| head`) is not an error.
///
/// # Errors
/// Returns an error if the text cannot be written, for example because the disk is full.
pub(crate) fn print(text: &str) -> Result<()> {
    print_bytes(show::visible(text).as_bytes())
}

/// Prints bytes on standard output, like [`print`].
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    // Without the flush, a last line without a line break is written only at exit, where a failure goes unnoticed.
    check_write(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Converts a failed write to standard output to a message. A closed pipe is not an error.
///
/// # Errors
/// Returns an error if the write failed for another reason than a closed pipe.
pub(crate) fn check_write(result: io::Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::Invalid(format!("failed to write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}
