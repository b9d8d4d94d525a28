//! Reads documents that others wrote: bounded in bytes, depth and number of parts.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use jsonc_parser::{ParseOptions, parse_to_serde_value, parse_to_value};
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

/// Reads JSON, also with comments and commas before closing brackets, as editors write it.
///
/// # Errors
/// If it is not JSON, or nested too deep.
pub fn json(path: &Path, text: &str) -> Result<Value, Failure> {
    let plain: Result<Value, _> = serde_json::from_str(text);
    plain.or_else(|error| {
        let failed = || Failure::new(format!("failed to read {} as JSON: {error}", path.display()));
        let options = ParseOptions::default();
        // This parser checks the depth of the JSON, and the next one does not.
        parse_to_value(text, &options).map_err(|_| failed())?;
        parse_to_serde_value(text, &options).map_err(|_| failed())
    })
}

/// Reads TOML as JSON.
///
/// # Errors
/// If it is not TOML.
pub fn toml(path: &Path, text: &str) -> Result<Value, Failure> {
    toml::from_str(text)
        .map_err(|error| Failure::new(format!("failed to read {} as TOML: {}", path.display(), error.message())))
}

/// Reads YAML as JSON.
///
/// # Errors
/// If it is not YAML, is nested too deep, or aliases multiply it.
pub fn yaml(path: &Path, text: &str) -> Result<Value, Failure> {
    super::yaml::parse(text).map_err(|why| Failure::new(format!("failed to read {} as YAML: {why}", path.display())))
}
