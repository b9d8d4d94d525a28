//! Closed sets of words, as manifests write them.

/// Implements the words of an enum: each with its variant, and what it means.
macro_rules! words {
    ($($kind:ident { $($variant:ident $word:literal $meaning:literal)* })*) => {$(
        impl $kind {
            /// Every value, with its word in manifests and what it means.
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
