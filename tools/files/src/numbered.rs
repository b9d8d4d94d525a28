//! Recognises text that was copied from a result of `read_file` with its line numbers.

/// What a text has of the numbers of `read_file`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// None that are worth a note.
    None,
    /// At least half of the lines have such numbers. The text may be about them, such as a page of documentation.
    Some,
    /// Every line that is not blank has one.
    All,
}

/// Returns whether the lines of a text begin with line numbers as `read_file` writes them: padded to six characters, ascending, with a bar.
pub(super) fn numbers(text: &str) -> Numbers {
    let (mut numbered, mut padded, mut others, mut last) = (0_usize, 0_usize, 0_usize, None);
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        // White space before the first number is often lost.
        match number(line, at == 0).filter(|(number, _)| last.is_none_or(|last| *number > last)) {
            Some((number, is_padded)) => {
                last = Some(number);
                numbered += 1;
                padded += usize::from(is_padded);
            }
            None => others += 1,
        }
    }
    match (numbered, others) {
        // Data such as `100000|x` has numbers of its own.
        _ if padded == 0 => Numbers::None,
        (_, 0) => Numbers::All,
        (2.., _) if numbered >= others => Numbers::Some,
        _ => Numbers::None,
    }
}

/// Returns the number at the beginning of a line, and whether it has the padding of `read_file`.
fn number(line: &str, may_be_trimmed: bool) -> Option<(u64, bool)> {
    let (field, _) = line.split_once('|')?;
    let digits = field.trim_start_matches(' ');
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_padded = field.len() == 6 && digits.len() < 6 && !digits.starts_with('0');
    if !is_number || !(is_padded || digits.len() >= 6 || may_be_trimmed) {
        return None;
    }
    Some((digits.parse().ok()?, is_padded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_of_a_result_are_recognised() {
        for (text, expected) in [
            ("     1|x = 1\n     2|y = 2\n", Numbers::All),
            ("     1|x = 1", Numbers::All),
            ("1|x = 1\n     2|y = 2\n", Numbers::All),
            ("     1|x\r\n     2|\r\n     3|z\r\n", Numbers::All),
            ("     9|a\n    10|b\n    11|c", Numbers::All),
            ("    12|a\n    14|c\n", Numbers::All),
            ("     1|a\n\n     2|b\n\n", Numbers::All),
            (" 99999|a\n100000|b\n", Numbers::All),
            ("     1|a || b\n", Numbers::All),
            ("     1|a\n     2|b\nnew\n     3|c\n", Numbers::Some),
            ("# a\n     1|a\n     2|b\n", Numbers::Some),
            ("", Numbers::None),
            ("x = 1\n", Numbers::None),
            ("1|a\n2|b\n3|c\n", Numbers::None),
            ("100000|a\n100001|b\n", Numbers::None),
            ("     a|b\n", Numbers::None),
            ("     1|only one\ntext\n", Numbers::None),
            ("     2|b\n     1|a\n", Numbers::None),
            ("000001|a\n000002|b\n", Numbers::None),
            ("  1 | 2 |\n  3 | 4 |\n", Numbers::None),
            ("     1: a\n     2: b\n", Numbers::None),
        ] {
            assert_eq!(numbers(text), expected, "{text:?}");
        }
    }
}
