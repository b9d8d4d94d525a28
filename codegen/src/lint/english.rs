//! Whether a text is English, so that its words can be judged.

/// Frequent words of English texts that are rare in others.
const ENGLISH: [&str; 24] = [
    "the", "of", "to", "for", "is", "are", "with", "which", "that", "this", "it", "and", "as", "by", "returns",
    "return", "use", "if", "be", "or", "not", "whether", "file", "user",
];

/// Frequent words of other languages with Latin letters that are rare in English.
const OTHERS: [&str; 42] = [
    "der", "das", "den", "dem", "und", "oder", "ein", "eine", "ist", "mit", "von", "für", "zeigt", "le", "la", "les",
    "des", "et", "une", "pour", "dans", "el", "los", "las", "y", "para", "del", "una", "il", "lo", "gli", "per", "di",
    "os", "da", "do_", "het", "een", "van", "och", "att", "på",
];

/// Returns whether a text seems to be English: it is in ASCII but for its punctuation, and has words of English, and none that are
/// frequent in other languages.
pub(super) fn is_english(text: &str) -> bool {
    if text.chars().any(|letter| letter.is_alphabetic() && !letter.is_ascii()) {
        return false;
    }
    let mut has_english = false;
    for word in text.split(|letter: char| !letter.is_ascii_alphabetic()).filter(|word| !word.is_empty()) {
        let is_in = |list: &[&str]| list.iter().any(|known| word.eq_ignore_ascii_case(known));
        if is_in(&OTHERS) {
            return false;
        }
        has_english = has_english || is_in(&ENGLISH);
    }
    has_english
}
