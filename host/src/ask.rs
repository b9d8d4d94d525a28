//! Questions of commands to the person who runs them.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

/// The maximum number of bytes of an answer.
const MAX_ANSWER: u64 = 64 << 10;

/// Fails if a tool runs this program: only a person may do this.
pub(crate) fn refuse_tools(what: &str) -> Result<(), String> {
    if toolc_process::is_inside_a_tool() {
        return Err(format!("only a person can {what}: this command does not run inside a tool"));
    }
    Ok(())
}

/// Returns a line of standard input without its end, or `None` at the end of the input.
pub(crate) fn line() -> Result<Option<String>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("failed to read the answer: {error}");
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_ANSWER + 1).read_until(b'\n', &mut bytes).map_err(|error| failed(&error))?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 > MAX_ANSWER {
        return Err(failed(&format!("it has more than {MAX_ANSWER} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|_| failed(&"it is not UTF-8"))?;
    Ok(Some(text.trim_end_matches(['\n', '\r']).to_owned()))
}

/// Asks for a value. On a terminal, a secret is not shown while it is typed. Returns `None` if the answer is empty.
pub(crate) fn value(prompt: &str, is_secret: bool) -> Result<Option<String>, String> {
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
    Ok(answer.map(|answer| answer.trim().to_owned()).filter(|answer| !answer.is_empty()))
}

/// Prints on standard output. A closed pipe is not an error.
pub(crate) fn print(text: &str) -> Result<(), String> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.to_string()),
        _ => Ok(()),
    }
}
