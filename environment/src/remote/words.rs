//! Encodes the words of a command for clients that send only text.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;

/// Encodes words as UTF-8, for a client that sends them as JSON. A shell in the place decodes words that are not UTF-8.
pub(crate) fn as_text(words: Vec<OsString>) -> Vec<OsString> {
    if words.iter().all(|word| word.to_str().is_some()) {
        return words;
    }
    let (mut script, mut arguments) = (String::new(), Vec::new());
    for word in words {
        match word.into_string() {
            Ok(text) => {
                arguments.push(text.into());
                script += "set -- \"$@\" \"$1\"; shift; ";
            }
            Err(word) => {
                let mut octal = String::new();
                for byte in word.as_bytes() {
                    let _ = write!(octal, "\\{byte:03o}");
                }
                // Without the `x`, the substitution would remove line breaks at the end.
                script += &format!("toolc_word=$(printf '{octal}x'); set -- \"$@\" \"${{toolc_word%x}}\"; ");
            }
        }
    }
    script += "unset toolc_word; exec \"$@\"";
    let start = ["sh", "-c", &script, "toolc"].map(OsString::from);
    start.into_iter().chain(arguments).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;
    use std::process::Command;

    use super::*;

    #[test]
    fn words_that_are_no_text_arrive_unchanged() {
        let words = |extra: &[u8]| -> Vec<OsString> {
            let bytes: [&[u8]; 6] = [b"printf", b"%s|", b"it's \"$x\"", extra, b"", b"-n\n"];
            bytes.map(|word| OsString::from_vec(word.to_vec())).to_vec()
        };
        assert_eq!(as_text(words(b"a b")), words(b"a b"));
        let sent = as_text(words(b"\xff\\n'\n\n"));
        assert!(sent.iter().all(|word| word.to_str().is_some()));
        for shell in ["sh", "bash", "dash"] {
            let output = Command::new(shell).args(&sent[1..]).env("LC_ALL", "C.UTF-8").output();
            let Ok(output) = output else { continue };
            assert_eq!(output.stdout, b"it's \"$x\"|\xff\\n'\n\n||-n\n|", "{shell}");
        }
    }
}
