//! The tools of a module in Python: an interpreter imports it and writes the schemas.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use toolc_codegen::Failure;

use super::{document, lists};
use crate::tool::Source;

/// The program that imports a module and writes its tools.
const SCRIPT: &str = include_str!("print_tools.py");
/// The time in which a module is imported.
const LIMIT: Duration = Duration::from_mins(2);
/// The pause between two looks at the interpreter.
const PAUSE: Duration = Duration::from_millis(20);

/// Imports a module with an interpreter, after the person has agreed, and reads its tools.
///
/// # Errors
/// If the person does not agree, the interpreter cannot be started, or the module cannot be imported.
pub fn read(module: &Path, interpreter: &str, has_agreed: bool, label: &str) -> Result<Source, Failure> {
    // A missing file is no reason for a question.
    document::text(module)?;
    if !has_agreed && !ask(module, interpreter)? {
        return Err(Failure::new("nothing was imported: the module was not run"));
    }
    let folder = tempfile::tempdir().map_err(|error| Failure::new(format!("failed to create a folder: {error}")))?;
    let (script, output) = (folder.path().join("print_tools.py"), folder.path().join("tools.json"));
    std::fs::write(&script, SCRIPT)
        .map_err(|error| Failure::new(format!("failed to write {}: {error}", script.display())))?;
    let child = Command::new(interpreter)
        .arg(&script)
        .args([module, &output])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .map_err(|error| {
            Failure::new(format!("failed to start `{interpreter}`: {error}. Name the interpreter: --python PROGRAM"))
        })?;
    let status = wait(child, interpreter)?;
    if !status {
        return Err(Failure::new(format!(
            "`{interpreter}` failed to import {}: its message is above",
            module.display()
        )));
    }
    let value = document::json(&output, &document::text(&output)?)?;
    let mut source = lists::read(&value["tools"], label);
    for broken in value["broken"].as_array().into_iter().flatten() {
        let text = |key: &str| broken[key].as_str().unwrap_or_default().to_owned();
        source.broken.push((format!("/{}", text("name")), text("why")));
    }
    if source.tools.is_empty() && source.broken.is_empty() {
        let message = format!("{label} has no tools of a known framework, and no public function with a docstring");
        return Err(Failure::new(message));
    }
    Ok(source)
}

/// Waits for the interpreter. Returns whether it succeeded.
fn wait(mut child: Child, interpreter: &str) -> Result<bool, Failure> {
    let failed = |error: io::Error| Failure::new(format!("failed to wait for `{interpreter}`: {error}"));
    let end = Instant::now() + LIMIT;
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(status.success());
        }
        if Instant::now() > end {
            child.kill().and_then(|()| child.wait()).map_err(failed)?;
            return Err(Failure::new(format!("the module was not imported within {} s", LIMIT.as_secs())));
        }
        thread::sleep(PAUSE);
    }
}

/// Asks whether the module may be run.
fn ask(module: &Path, interpreter: &str) -> Result<bool, Failure> {
    let question = format!("`{interpreter}` imports {}, which runs its code", module.display());
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::new(format!("{question}: agree with --yes")));
    }
    eprint!("{question}. Continue? [y/N] ");
    let mut answer = String::new();
    let read = io::stderr().flush().and_then(|()| io::stdin().read_line(&mut answer));
    read.map_err(|error| Failure::new(format!("failed to read the answer: {error}")))?;
    Ok(["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()))
}
