//! Converts a regular expression of Rust to a POSIX extended regular expression, for `grep -E` in the locale `C`, where a character is a
//! byte.
//!
//! The expression is parsed without Unicode, so that `\w` and `(?i)` mean ASCII. A letter outside ASCII is a sequence of bytes. This
//! works in a literal, but not in a class, so classes with such letters are refused.

use std::fmt::Write as _;
use std::io;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassBytes, Hir, HirKind, Look, Repetition};

/// The largest number of repetitions that POSIX requires.
const MAX_REPETITIONS: u32 = 255;

/// Returns the expression in the syntax of POSIX, as bytes of the locale `C`.
///
/// # Errors
/// `Unsupported` if POSIX has no equivalent expression.
pub(super) fn posix(pattern: &str) -> io::Result<Vec<u8>> {
    let mut parser = ParserBuilder::new().unicode(false).utf8(false).multi_line(true).crlf(true).build();
    let hir =
        parser.parse(pattern).map_err(|_| unsupported("letters outside ASCII in a class, or a Unicode property"))?;
    let mut text = Vec::new();
    write(&hir, &mut text)?;
    Ok(text)
}

fn unsupported(what: &str) -> io::Error {
    let text = format!(
        "this environment searches by `grep`, which does not support a part of the pattern: {what}; use a simpler pattern"
    );
    io::Error::new(io::ErrorKind::Unsupported, text)
}

fn write(hir: &Hir, text: &mut Vec<u8>) -> io::Result<()> {
    match hir.kind() {
        HirKind::Empty => text.extend(b"()"),
        HirKind::Literal(literal) => {
            for byte in &literal.0 {
                match byte {
                    0 | b'\n' => return Err(unsupported("a line break or a NUL")),
                    b'\\' | b'.' | b'[' | b']' | b'{' | b'}' | b'(' | b')' | b'*' | b'+' | b'?' | b'^' | b'$'
                    | b'|' => {
                        text.extend([b'\\', *byte]);
                    }
                    _ => text.push(*byte),
                }
            }
        }
        HirKind::Class(Class::Bytes(class)) => write_class(class, text)?,
        // Alternatives of one letter, such as `(a|b)`, are parsed as such a class.
        HirKind::Class(Class::Unicode(class)) => {
            let class = class.to_byte_class().ok_or_else(|| unsupported("a class of Unicode"))?;
            write_class(&class, text)?;
        }
        HirKind::Look(look) => text.extend(match look {
            Look::StartLF | Look::StartCRLF => &b"^"[..],
            Look::EndLF => b"$",
            Look::EndCRLF => b"(\r)?$",
            Look::WordAscii => br"\b",
            Look::WordAsciiNegate => br"\B",
            Look::WordStartAscii => br"\<",
            Look::WordEndAscii => br"\>",
            _ => return Err(unsupported("an assertion other than `^`, `$` and `\\b`")),
        }),
        HirKind::Repetition(repetition) => write_repetition(repetition, text)?,
        HirKind::Capture(capture) => write_group(&capture.sub, text)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, text))?,
        HirKind::Alternation(parts) => {
            text.push(b'(');
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
                    text.push(b'|');
                }
                write(part, text)?;
            }
            text.push(b')');
        }
    }
    Ok(())
}

fn write_group(hir: &Hir, text: &mut Vec<u8>) -> io::Result<()> {
    text.push(b'(');
    write(hir, text)?;
    text.push(b')');
    Ok(())
}

fn write_repetition(repetition: &Repetition, text: &mut Vec<u8>) -> io::Result<()> {
    let Repetition { min, max, sub, .. } = repetition;
    if *min > MAX_REPETITIONS || max.is_some_and(|max| max > MAX_REPETITIONS) {
        return Err(unsupported("more than 255 repetitions"));
    }
    write_group(sub, text)?;
    let mut suffix = String::new();
    let written = match (min, max) {
        (0, None) => write!(suffix, "*"),
        (1, None) => write!(suffix, "+"),
        (0, Some(1)) => write!(suffix, "?"),
        (min, None) => write!(suffix, "{{{min},}}"),
        (min, Some(max)) => write!(suffix, "{{{min},{max}}}"),
    };
    debug_assert!(written.is_ok(), "writing to a string does not fail");
    text.extend(suffix.into_bytes());
    Ok(())
}

/// Writes a class as a bracket expression. A class with all bytes outside ASCII becomes a negated bracket expression.
fn write_class(class: &ClassBytes, text: &mut Vec<u8>) -> io::Result<()> {
    let has = |byte: u8| class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&byte));
    let high = (0x80..=0xff).filter(|byte| has(*byte)).count();
    let is_negated = match high {
        0 => false,
        0x80 => true,
        _ => return Err(unsupported("a class with some bytes outside ASCII")),
    };
    // A line contains neither NUL nor a line feed.
    let is_possible = |byte: &u8| !matches!(byte, 0 | b'\n');
    let members: Vec<u8> = (0..0x80).filter(|byte| has(*byte) != is_negated).filter(is_possible).collect();
    if members.is_empty() {
        // A bracket expression cannot be empty.
        let nothing = || unsupported("a class without characters");
        return if is_negated {
            text.push(b'.');
            Ok(())
        } else {
            Err(nothing())
        };
    }
    // The carriage return of a line ending is not a part of the line.
    let members = if is_negated && !members.contains(&b'\r') { [members, vec![b'\r']].concat() } else { members };
    let special = |byte: &u8| matches!(byte, b']' | b'[' | b'^' | b'-');
    text.extend(if is_negated { &b"[^"[..] } else { b"[" });
    // Each special character has one position in which it is literal.
    if members.contains(&b']') {
        text.push(b']');
    }
    let plain: Vec<u8> = members.iter().copied().filter(|byte| !special(byte)).collect();
    for run in plain.chunk_by(|a, b| a + 1 == *b) {
        match run {
            [first, _, .., last] => text.extend([*first, b'-', *last]),
            few => text.extend(few),
        }
    }
    let is_bracket_empty = matches!(text.last(), Some(b'[')) || text.ends_with(b"[^");
    if members.contains(&b'[') {
        text.push(b'[');
    }
    if members.contains(&b'^') {
        if is_bracket_empty && !is_negated && !members.contains(&b'[') {
            // At the beginning, `^` would negate the class.
            text.pop();
            text.extend(br"\^");
            return if members.len() == 1 { Ok(()) } else { Err(unsupported("the class `[-^]`")) };
        }
        text.push(b'^');
    }
    if members.contains(&b'-') {
        text.push(b'-');
    }
    text.push(b']');
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::ffi::OsStrExt as _;
    use std::process::Command;

    use super::*;
    use crate::search::Pattern;

    /// Returns the numbers of the lines that `grep` finds.
    fn by_grep(pattern: &str, file: &std::path::Path) -> io::Result<Vec<usize>> {
        let expression = posix(pattern)?;
        let output = Command::new("grep")
            .env("LC_ALL", "C")
            .args(["-a", "-n", "-E", "-e"])
            .arg(std::ffi::OsStr::from_bytes(&expression))
            .arg("--")
            .arg(file)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() != Some(2), "{pattern}: {}: {text}", String::from_utf8_lossy(&expression));
        let output = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(output.lines().map(|line| line.split_once(':').unwrap().0.parse().unwrap()).collect())
    }

    /// Returns the numbers of the lines that Rust's engine finds.
    fn by_rust(pattern: &str, text: &str) -> Vec<usize> {
        let pattern = Pattern::new(pattern).unwrap();
        let mut lines = Vec::new();
        let sink = grep_searcher::sinks::Lossy(|number, _| {
            lines.push(usize::try_from(number).unwrap());
            Ok(true)
        });
        grep_searcher::Searcher::new().search_slice(pattern.matcher(), text.as_bytes(), sink).unwrap();
        lines
    }

    #[test]
    fn both_engines_find_the_same_lines() {
        let text = "fn main() {\n    let x = a[0];\n\ta-b ^ c]d[e\nabc abcabc\n\n1.5e10\nNEEDLE needle\n{}\n\\d\\\n$5 | 6*7+8?\nß é naïve\n-\n^\n]\n[:a:]\n";
        let dir = tempfile::TempDir::new().unwrap();
        let file = dir.path().join("text");
        fs::write(&file, text).unwrap();
        for pattern in [
            "fn",
            r"fn\s+main",
            r"\d+",
            r"[0-9]+\.[0-9]",
            "(?i)needle n",
            "^$",
            "^",
            "a{2,3}",
            "(abc){2}",
            "(?:abc)+$",
            r"\bneedle\b",
            r"[\[\]]",
            r"[\^\]-]",
            "[^a-z ]",
            r"[^\]\[^-]$",
            r"\\",
            r"\$5 \| 6\*7\+8\?",
            r"\{\}",
            "é",
            "na.+ve",
            "x|needle|\\^",
            r"^\s+\S",
            r"[[:alpha:]]+\(",
            "[A-Z]{6}",
            r"\w+\[",
            "-",
            r"a.*?c",
            "()",
            "(|a)b",
            r"^[\^]",
            r"^[\[]:",
            r"^[!-~]$",
            r"[+-\]]",
            "[^x]",
        ] {
            assert_eq!(by_grep(pattern, &file).unwrap(), by_rust(pattern, text), "{pattern}");
        }
    }

    #[test]
    fn both_engines_find_the_end_of_lines_with_a_carriage_return() {
        let text = "return 0;\r\nreturn 0;\n\r\n\nx\r\n;;\r\n";
        let dir = tempfile::TempDir::new().unwrap();
        let file = dir.path().join("text");
        fs::write(&file, text).unwrap();
        for pattern in [
            "0;$",
            "^$",
            "^return 0;$",
            ".$",
            "0;.$",
            "[^;]$",
            "[^;x]$",
            r"\S$",
            r"\W$",
            r";\s*$",
            "(0|;)$",
            "^.$",
            "^;+$",
        ] {
            assert_eq!(by_grep(pattern, &file).unwrap(), by_rust(pattern, text), "{pattern}");
        }
    }

    #[test]
    fn what_posix_cannot_express_is_refused() {
        for pattern in ["[éü]", r"\p{Greek}", "a{1000}", r"\Aa", r"a\nb", r"[\x80-\x90]"] {
            assert_eq!(posix(pattern).unwrap_err().kind(), io::ErrorKind::Unsupported, "{pattern}");
        }
    }
}
