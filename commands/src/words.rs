//! Enums whose values are words in manifests.

/// Implements the conversions between the variants of an enum and their words. Each word has a description.
macro_rules! words {
    ($($kind:ident { $($variant:ident $word:literal $meaning:literal)* })*) => {$(
        impl $kind {
            /// All values: the word in manifests, the value, and its description.
            pub const WORDS: &'static [(&'static str, Self, &'static str)] = &[$(($word, Self::$variant, $meaning)),*];

            /// Returns the word in manifests.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// Returns the value with this word.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::WORDS.iter().find(|(known, ..)| *known == word).map(|(_, value, _)| *value)
            }
        }
    )*};
}
pub(crate) use words;
