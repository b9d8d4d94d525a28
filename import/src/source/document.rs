//! Reads documents that others wrote: bounded in bytes, depth and number of parts.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use serde_json::Value;
use toolc_codegen::Failure;

/// The maximum number of bytes of a document.
pub const MAX_BYTES: u64 = 32 << 20;

/// Reads the bytes of a file, or of standard input for `-`.
///
/// # Errors
/// If it cannot be read, or is too large.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |why: String| Failure::new(format!("failed to read {}: {why}", path.display()));
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| failed(error.to_string()))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(failed(format!("it has more than {} MiB", MAX_BYTES >> 20)));
    }
    Ok(bytes)
}

/// Reads the text of a file.
///
/// # Errors
/// If it cannot be read, is too large, or is not UTF-8.
pub fn text(path: &Path) -> Result<String, Failure> {
    let text = String::from_utf8(bytes(path)?);
    let text =
        text.map_err(|error| Failure::new(format!("failed to read {}: {}", path.display(), error.utf8_error())))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Reads JSON.
///
/// # Errors
/// If it is not JSON, or nested too deep.
pub fn json(path: &Path, text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text)
        .map_err(|error| Failure::new(format!("failed to read {} as JSON: {error}", path.display())))
}
