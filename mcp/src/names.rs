//! The names of servers' tools and toolsets. They are valid for every vendor, differ from each other, and are the same in every run.

use sha2::{Digest as _, Sha256};

use crate::error::{ErrorKind, McpError};

/// The maximum length of a name that every vendor accepts.
const MAX_NAME: usize = 64;
/// The maximum length of the name of a server, which leaves room for the names of its tools.
const MAX_SERVER: usize = 32;
/// The number of hexadecimal digits that distinguish names that were changed.
const HASH_LEN: usize = 8;

/// Checks the name of a server.
///
/// # Errors
/// Returns an error if the name is too long, or would make the names of tools ambiguous. The message says what is expected.
pub fn check_server_name(name: &str) -> Result<(), McpError> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_valid = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(is_letter)
        && !name.contains("__")
        && !name.ends_with('_')
        && name.len() <= MAX_SERVER;
    if is_valid {
        return Ok(());
    }
    let message = format!(
        "expected at most {MAX_SERVER} letters, digits, `-` and single `_`, beginning with a letter or a digit and not ending with `_`"
    );
    Err(McpError::new(ErrorKind::Settings, message))
}

/// Returns the name of the toolset of a server.
pub fn toolset_name(server: &str) -> String {
    format!("mcp-{server}")
}

/// Returns the name that a server's tool has for models: `mcp__SERVER__TOOL`. If TOOL has a character that a vendor refuses, or is too
/// long, such characters are replaced by `_`, the name is cut, and a hash of the original name follows.
pub fn tool_name(server: &str, tool: &str) -> String {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let prefix = format!("mcp__{server}__");
    if !tool.is_empty() && tool.chars().all(is_valid) && prefix.len() + tool.len() <= MAX_NAME {
        return prefix + tool;
    }
    let kept = MAX_NAME.saturating_sub(prefix.len() + 1 + HASH_LEN);
    let readable: String = tool.chars().map(|c| if is_valid(c) { c } else { '_' }).take(kept).collect();
    let hash = Sha256::digest(tool.as_bytes());
    let hash = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]);
    format!("{prefix}{readable}_{hash:0HASH_LEN$x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_valid_distinct_and_show_the_server() {
        assert_eq!(tool_name("fs", "read_file"), "mcp__fs__read_file");
        assert_eq!(tool_name("fs", "a__b"), "mcp__fs__a__b");
        assert_eq!(toolset_name("fs"), "mcp-fs");
        let long = "x".repeat(200);
        let names = ["a.b", "a/b", "a_b", "", "é", "a b", &long, &format!("{long}y")];
        let for_models: Vec<String> = names.iter().map(|name| tool_name(&"s".repeat(MAX_SERVER), name)).collect();
        for name in &for_models {
            assert!(name.len() <= MAX_NAME && name.is_ascii() && !name.contains(['.', '/', ' ']), "{name}");
        }
        let distinct: std::collections::BTreeSet<&String> = for_models.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{for_models:?}");
        assert_eq!(tool_name("fs", "a.b"), "mcp__fs__a_b_2e7336dc", "it must not change from one version to the next");
    }

    #[test]
    fn the_name_of_a_server_has_no_double_underscore() {
        for name in ["github", "my-server", "a_b", "7"] {
            assert!(check_server_name(name).is_ok(), "{name}");
        }
        for name in ["", "a__b", "a_", "_a", "-a", "a.b", "a b", "é", &"x".repeat(33)] {
            assert!(check_server_name(name).is_err(), "{name}");
        }
    }
}
