//! Invisible characters, which a model reads and a reviewer does not see. Those that scripts and emoji need are not reported.

use toolc::text::is_invisible;

/// Returns the name of the first invisible character that its neighbours do not need, such as `U+200B (zero width space)`.
pub fn hidden_character(text: &str) -> Option<String> {
    hidden_characters(text).first().map(|(_, letter)| character_name(*letter))
}

/// Returns the code point of an invisible character, and what it is.
pub fn character_name(letter: char) -> String {
    let what = match letter {
        '\u{ad}' => " (soft hyphen)",
        '\u{200b}' => " (zero width space)",
        '\u{200c}' => " (zero width non-joiner)",
        '\u{200d}' => " (zero width joiner)",
        '\u{200e}' | '\u{200f}' | '\u{61c}' => " (direction mark)",
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => " (turns the direction of text)",
        '\u{2028}' => " (line separator)",
        '\u{2029}' => " (paragraph separator)",
        '\u{2060}' => " (word joiner)",
        '\u{2800}' => " (blank Braille pattern)",
        '\u{feff}' => " (byte order mark)",
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => " (variation selector)",
        '\u{e0000}'..='\u{e007f}' => " (tag)",
        letter if letter.is_control() => " (control character)",
        _ => "",
    };
    format!("U+{:04X}{what}", u32::from(letter))
}

/// Returns the invisible characters that their neighbours do not need, with their positions.
pub fn hidden_characters(text: &str) -> Vec<(usize, char)> {
    if text.is_ascii() && !text.bytes().any(|b| b.is_ascii_control()) {
        return Vec::new();
    }
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    let is_rtl = letters.iter().any(|(_, letter)| {
        matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
            && *letter != '\u{61c}'
    });
    let mut in_flag = false;
    let mut found = Vec::new();
    for (index, &(at, letter)) in letters.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| letters[before].1);
        let next = letters.get(index + 1).map(|(_, next)| *next);
        in_flag = letter == '\u{1f3f4}' || in_flag && matches!(letter, '\u{e0020}'..='\u{e007f}');
        let is_hidden = match letter {
            '\n' | '\t' | '\r' => false,
            // They end a line for JavaScript and some logs, and for no model.
            '\u{2028}' | '\u{2029}' => true,
            // Blank, unless it is a space between words in Braille.
            '\u{2800}' => !before.is_some_and(is_braille) || !next.is_some_and(is_braille),
            '\u{200c}' => !before.is_some_and(joins) || !next.is_some_and(joins),
            '\u{200d}' => !is_joined(before, next),
            '\u{200e}' | '\u{200f}' | '\u{61c}' => !is_rtl,
            '\u{fe00}'..='\u{fe0f}' => !before.is_some_and(varies),
            '\u{e0100}'..='\u{e01ef}' => !before.is_some_and(is_ideograph),
            '\u{e0000}'..='\u{e007f}' => !in_flag,
            letter => is_invisible(letter),
        };
        if is_hidden {
            found.push((at, letter));
        }
    }
    found
}

/// Returns whether a joiner is between letters of certain scripts, or between pictographs.
fn is_joined(before: Option<char>, next: Option<char>) -> bool {
    let of_letters = before.is_some_and(joins) && next.is_none_or(|next| joins(next) || next.is_whitespace());
    let is_picture = |letter: char| is_pictograph(letter) || is_modifier(letter);
    of_letters || before.is_some_and(is_picture) && next.is_some_and(is_pictograph)
}

/// Returns whether a letter belongs to a script that uses joiners.
fn joins(letter: char) -> bool {
    matches!(letter, '\u{600}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{1a20}'..='\u{1aaf}' | '\u{a840}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{11000}'..='\u{11fff}')
        && letter.is_alphanumeric()
        // Virama signs precede joiners, and are not letters.
        || matches!(letter, '\u{64b}'..='\u{65f}' | '\u{93c}' | '\u{94d}' | '\u{9cd}' | '\u{a4d}' | '\u{acd}' | '\u{b4d}' | '\u{bcd}' | '\u{c4d}' | '\u{ccd}' | '\u{d4d}' | '\u{dca}')
}

fn is_braille(letter: char) -> bool {
    matches!(letter, '\u{2801}'..='\u{28ff}')
}

fn is_pictograph(letter: char) -> bool {
    matches!(letter, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Returns whether a character after a pictograph is part of it.
fn is_modifier(letter: char) -> bool {
    letter == '\u{fe0f}' || matches!(letter, '\u{1f3fb}'..='\u{1f3ff}')
}

fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns whether a character has variants that a variation selector can choose.
fn varies(letter: char) -> bool {
    is_pictograph(letter)
        || is_ideograph(letter)
        || letter.is_ascii_digit()
        || matches!(letter, '#' | '*' | '\u{2200}'..='\u{22ff}' | '\u{1000}'..='\u{109f}' | '\u{1820}'..='\u{18aa}' | '\u{3001}' | '\u{3002}' | '\u{ff01}'..='\u{ff60}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_scripts_and_emoji_need_are_allowed() {
        for text in [
            "plain\ntext\twith tabs",
            "e\u{301}",
            "👩\u{200d}👩\u{200d}👧",
            "❤\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "👨🏽\u{200d}💻",
            "🏳\u{fe0f}\u{200d}🌈",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "می\u{200c}خواهم",
            "क\u{94d}\u{200d}ष",
            "שלום\u{200f}!",
            "葛\u{e0100}",
            "\u{a0}no break",
            "⠓\u{2800}⠺",
        ] {
            assert_eq!(hidden_characters(text), [], "{text:?}");
        }
        for text in [
            "a\u{200b}b",
            "a\u{200d}b",
            "a\u{200c}b",
            "\u{202e}abc",
            "a\u{e0041}\u{e0042}",
            "a\u{fe0f}",
            "😀\u{fe0f}\u{fe0e}",
            "x\u{feff}",
            "soft\u{ad}hyphen",
            "esc\u{1b}[31m",
            "left\u{200e}",
            "line\u{2028}break",
            "blank\u{2800}",
            "jo\u{34f}in",
        ] {
            assert!(!hidden_characters(text).is_empty(), "{text:?}");
        }
    }
}
