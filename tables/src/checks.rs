//! Checks of values that a table of keys cannot express.

use std::path::Path;

use crate::codes;
use crate::diagnostic::{At, Diagnostic, Sink};

/// Reports a value: what is wrong, what was expected here, and what to write.
pub fn report<T>(sink: &Sink, at: &At<T>, message: &str, label: &str, help: &str) {
    sink.push(Diagnostic::new(codes::INVALID_VALUE, at.place, message).label(label).help(help));
}

/// Returns whether a list has a name.
pub fn is_in(names: &[At<String>], name: &str) -> bool {
    names.iter().any(|other| other.value == name)
}

/// Reports a path that is neither absolute nor below the home folder of the user.
pub fn path(path: Option<&At<String>>, key: &str, sink: &Sink) {
    let Some(path) = filled(path) else { return };
    if !(path.value.starts_with("~/") || Path::new(&path.value).is_absolute()) {
        let help = "a relative path would depend on the folder in which the program is started";
        report(sink, path, &format!("the path of {key} is relative"), "expected `/...` or `~/...`", help);
    }
}

/// Returns a text, unless it is empty, which the reader reports.
pub fn filled(text: Option<&At<String>>) -> Option<&At<String>> {
    text.filter(|text| !text.value.trim().is_empty())
}

/// Reports a text that is not an address, or an address with a secret in it. `example` is a good one.
pub fn address(url: Option<&At<String>>, key: &str, example: &str, sink: &Sink) {
    let Some(url) = filled(url) else { return };
    let rest = url.value.strip_prefix("https://").or_else(|| url.value.strip_prefix("http://"));
    let authority = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    if authority.is_empty() || url.value.contains(|c: char| c.is_whitespace() || c.is_control()) {
        let help = format!("write the address of the API, such as `{example}`");
        report(sink, url, &format!("`{key}` is not an address"), "expected `https://...` or `http://...`", &help);
    } else if authority.contains('@') {
        let help = "write the key into `.env`";
        report(sink, url, &format!("`{key}` contains a user or a password"), "this file is not for secrets", help);
    }
}

/// Like [`address`], for a service to which a key is sent: others can read it, unless the connection is encrypted or stays on this machine.
pub fn encrypted_address(url: Option<&At<String>>, key: &str, example: &str, sink: &Sink) {
    address(url, key, example, sink);
    let Some(url) = filled(url) else { return };
    let host = url.value.strip_prefix("http://").unwrap_or("localhost");
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with([':', '/']);
    if !["localhost", "127.0.0.1", "[::1]"].iter().any(|own| host.strip_prefix(own).is_some_and(is_end)) {
        let help = "the key is sent to this address, and others can read it without `https`";
        report(sink, url, &format!("`{key}` is not encrypted"), "expected `https://...`", help);
    }
}
