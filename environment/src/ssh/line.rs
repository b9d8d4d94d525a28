//! Encodes commands as the command line that is sent to the other machine.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// The maximum length of an argument on Linux, without the NUL at its end.
const MAX: usize = 128 * 1024 - 1;

/// Returns the line that makes the user's shell run `words` unchanged.
///
/// The server passes the line to the shell of the user, which need not be a POSIX shell. Between single quotes, the line has only
/// characters that have the same meaning in all shells. A POSIX shell decodes the words.
///
/// # Errors
/// If the line is too long for the other machine.
pub(super) fn line(words: &[OsString]) -> io::Result<OsString> {
    let mut script = b"exec".to_vec();
    for word in words {
        script.extend(b" '");
        for byte in word.as_bytes() {
            match byte {
                b'\'' => script.extend(br"'\''"),
                byte => script.push(*byte),
            }
        }
        script.push(b'\'');
    }
    let mut line = br#"exec sh -c 'eval "$(printf ""#.to_vec();
    for byte in script {
        match byte {
            0..=0x1f | 0x7f | b'\'' | b'"' | b'\\' | b'$' | b'`' | b'!' | b'%' => {
                line.extend(format!("\\{byte:03o}").bytes());
            }
            byte => line.push(byte),
        }
    }
    line.extend(br#"")"'"#);
    if line.len() > MAX {
        let text = format!("the command has {} bytes with its quotes: at most {MAX} can be sent over SSH", line.len());
        return Err(io::Error::new(io::ErrorKind::ArgumentListTooLong, text));
    }
    Ok(OsString::from_vec(line))
}

/// Returns whether a text can be a part of a command line of `ssh`: it is not empty, not an option, and has no control characters.
pub(super) fn is_plain(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('-') && !text.contains(|letter: char| letter.is_control() || letter == ' ')
}

/// Returns the value of an option of `ssh` that is a path.
///
/// # Errors
/// If the path has characters that cannot occur in such a value.
pub(super) fn path_value(option: &str, path: &OsStr) -> io::Result<OsString> {
    let bytes = path.as_bytes();
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | b'$') || byte.is_ascii_control();
    if bytes.is_empty() || bytes.iter().any(is_special) {
        let text = format!(
            "the path `{}` cannot be used for SSH: it is empty, or has a quote, a backslash, `$` or a control character",
            path.display()
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let mut value = format!("{option}=\"").into_bytes();
    for byte in bytes {
        value.push(*byte);
        if *byte == b'%' {
            value.push(b'%');
        }
    }
    value.push(b'"');
    Ok(OsString::from_vec(value))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn words_arrive_unchanged_through_every_shell() {
        let every_byte: Vec<u8> = (1..=255).collect();
        let script = br#"printf '%s|' "$@""#;
        let words: [&[u8]; 9] =
            [b"sh", b"-c", script, b"x", &every_byte, b"", b"-n\n", b"$HOME `ls` !! \\n %s ~", b"\n\n"];
        let words = words.map(|word| OsString::from_vec(word.to_vec()));
        let mut expected = Vec::new();
        for word in &words[4..] {
            expected.extend(word.as_bytes());
            expected.push(b'|');
        }
        let line = line(&words).unwrap();
        let mut tried = 0;
        for (shell, arguments) in [
            ("sh", &["-c"][..]),
            ("bash", &["-c"]),
            ("dash", &["-c"]),
            ("busybox", &["sh", "-c"]),
            ("zsh", &["-c"]),
            ("fish", &["-c"]),
            ("tcsh", &["-c"]),
            ("ksh", &["-c"]),
        ] {
            let Ok(output) = Command::new(shell).args(arguments).arg(&line).output() else { continue };
            assert_eq!(output.stdout, expected, "{shell}: {}", String::from_utf8_lossy(&output.stderr));
            tried += 1;
        }
        assert!(tried > 0);
    }

    #[test]
    fn a_line_that_is_too_long_is_refused() {
        assert!(line(&["x".repeat(MAX - 100).into()]).is_ok());
        let error = line(&["x".repeat(MAX).into()]).unwrap_err();
        assert!(error.to_string().contains("at most 131071 can be sent"), "{error}");
    }

    #[test]
    fn paths_are_written_as_options_need_them() {
        assert_eq!(path_value("A", OsStr::new("/a b/50%")).unwrap(), "A=\"/a b/50%%\"");
        for path in ["", "a\"b", "a\\b", "${HOME}", "a\nb"] {
            assert!(path_value("A", OsStr::new(path)).is_err(), "{path}");
        }
        assert!(is_plain("host.example") && is_plain("::1"));
        for text in ["", "-oProxyCommand=x", "a b", "a\nb"] {
            assert!(!is_plain(text), "{text}");
        }
    }
}
