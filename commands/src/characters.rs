//! Characters that are invisible, or look like others.

/// A placeholder for unknown text in code that is built at run time. Unicode will never assign this character.
pub(crate) const UNKNOWN: char = '\u{10FFFF}';

/// Returns whether a character is invisible, looks like a space, or controls a terminal. `before` is the character before it.
pub fn is_invisible(c: char, before: Option<char>) -> bool {
    match c {
        '\t' | '\n' => false,
        // Emoji and some scripts need these after a character that is not ASCII.
        '\u{FE0E}' | '\u{FE0F}' | '\u{200D}' | '\u{200C}' => before.is_none_or(|before| before.is_ascii()),
        _ => {
            c.is_control()
                || is_bidi_control(c)
                || matches!(c,
                    '\u{A0}' | '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{1680}'
                    | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}' | '\u{2000}'..='\u{200F}'
                    | '\u{2028}'..='\u{202F}' | '\u{205F}'..='\u{206F}' | '\u{2800}' | '\u{3000}' | '\u{3164}'
                    | '\u{FE00}'..='\u{FE0D}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
                    | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
        }
    }
}

/// Returns whether a character changes the order in which text is shown.
pub fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Returns whether a name looks like a different, ASCII name: `рm` with a Cyrillic letter.
pub(crate) fn is_disguised(name: &str) -> bool {
    if name.is_ascii() {
        return false;
    }
    let is_mixed = |part: &str| {
        part.chars().any(|c| c.is_ascii_alphabetic())
            && part.chars().any(|c| looks_like_ascii(c) || can_pass_for_ascii(c))
            || !part.is_ascii() && part.chars().all(|c| c.is_ascii() || looks_like_ascii(c))
    };
    let mut letters = name.chars().zip(name.chars().skip(1));
    // A word in one foreign script (`проверка`) has letters without a counterpart, and no ASCII letters.
    name.chars().any(|c| is_styled(c) || is_invisible(c, None))
        || letters.any(|(letter, mark)| letter.is_ascii_alphabetic() && is_combining_mark(mark))
        || name.split(|c: char| !c.is_alphanumeric()).any(is_mixed)
}

/// Returns whether a character is a mark that is drawn over the letter before it.
fn is_combining_mark(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}'
        | '\u{FE20}'..='\u{FE2F}')
}

/// Returns whether a letter, among ASCII letters, can be taken for one: a Latin letter with a mark, or one of a related script. No
/// program mixes these in one word of its name.
fn can_pass_for_ascii(c: char) -> bool {
    c.is_alphabetic()
        && matches!(c, '\u{100}'..='\u{24F}' | '\u{370}'..='\u{58F}' | '\u{13A0}'..='\u{13FF}' | '\u{1E00}'..='\u{1FFF}')
}

/// Returns whether a character is an ASCII character in another style: fullwidth, or mathematical.
fn is_styled(c: char) -> bool {
    matches!(c,
        '\u{FF01}'..='\u{FF5E}' | '\u{1D400}'..='\u{1D7FF}' | '\u{1F100}'..='\u{1F1FF}' | '\u{2460}'..='\u{24FF}'
        | '\u{2100}'..='\u{214F}' | '\u{2070}'..='\u{209F}' | '\u{1D2C}'..='\u{1D6A}' | '\u{2160}'..='\u{217F}')
}

/// Returns whether a character that is not ASCII looks like an ASCII letter, or like one with a mark that is easy to miss.
pub fn looks_like_ascii(c: char) -> bool {
    is_styled(c)
        || c.is_alphabetic()
            && matches!(c,
            // Latin letters: dotless i, script g, click letters, and those with marks that are easy to miss.
            'ı' | 'ɡ' | 'ɩ' | 'ɑ' | 'ǀ' | 'ǃ' | 'ƽ' | 'ſ' | 'ᴄ' | 'ᴏ' | 'ᴠ' | 'ᴡ' | 'ᴢ' | 'ꜱ' | 'ɪ' | 'ʏ' | 'ʀ' | 'ɴ' | 'ʜ' | 'ʟ'
            | 'ạ'..='ỹ' | 'à'..='ÿ' | 'À'..='Ö'
            // Greek
            | 'Α' | 'Β' | 'Ε' | 'Ζ' | 'Η' | 'Ι' | 'Κ' | 'Μ' | 'Ν' | 'Ο' | 'Ρ' | 'Τ' | 'Υ' | 'Χ' | 'α' | 'γ' | 'ι' | 'κ' | 'ν' | 'ο'
            | 'ρ' | 'υ' | 'χ' | 'ϲ' | 'ϳ'
            // Cyrillic
            | 'А' | 'В' | 'Е' | 'К' | 'М' | 'Н' | 'О' | 'Р' | 'С' | 'Т' | 'У' | 'Х' | 'Ѕ' | 'І' | 'Ј' | 'а' | 'е' | 'о' | 'р' | 'с'
            | 'у' | 'х' | 'ѕ' | 'і' | 'ј' | 'һ' | 'ԁ' | 'ԛ' | 'ԝ' | 'ѵ' | 'ӏ' | 'ԍ'
            // Armenian, Cherokee and others
            | 'օ' | 'ո' | 'ս' | 'հ' | 'ց' | 'զ' | 'ք' | 'գ' | 'ա' | 'ⅼ' | 'ꓲ' | 'ꓳ' | 'Ꭱ' | 'Ꭲ' | 'Ꮪ' | 'Ꮯ' | 'Ꮇ' | 'Ꭺ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_like_ascii_are_disguised() {
        for name in
            ["рm", "ср", "ｒｍ", "r\u{200B}m", "𝐫𝐦", "rm\u{A0}", "sudо", "cuгl", "ṛm", "pɪng", "łs", "r\u{301}m"]
        {
            assert!(is_disguised(name), "{name:?}");
        }
        for name in ["rm", "проверка", "构建", "テスト.sh", "строй.sh"] {
            assert!(!is_disguised(name), "{name:?}");
        }
    }

    #[test]
    fn an_emoji_with_its_variation_selector_is_visible() {
        assert!(!is_invisible('\u{FE0F}', Some('✔')) && is_invisible('\u{FE0F}', Some('m')));
        assert!(is_invisible('\r', None) && is_invisible('\u{202E}', Some('é')) && !is_invisible('é', None));
    }
}
