//! Names that cannot be guessed.

use std::fmt::Write as _;

use crate::error::{ErrorKind, McpError};

/// Returns 32 random bytes as hexadecimal digits, from the random numbers of the system.
///
/// # Errors
/// Returns an error if the system has none.
pub(super) fn random_token() -> Result<String, McpError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        McpError::new(ErrorKind::System, format!("the system has no random numbers: {error}")).caused_by(error)
    })?;
    Ok(bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ() {
        let [one, two] = [(); 2].map(|()| random_token().expect("the system has random numbers"));
        assert!(one != two && one.len() == 64);
    }
}
