//! Closed sets of words.

/// A closed set of words, each with its documentation.
pub trait Words: Copy + Sized + 'static {
    /// The words, in the order of the variants.
    const WORDS: &'static [(&'static str, &'static str)];

    /// The variants.
    const ALL: &'static [Self];

    /// Returns the word for it in a file.
    fn word(self) -> &'static str;

    /// Returns the variant that a word stands for, or `None` if the word is unknown.
    fn from_word(word: &str) -> Option<Self> {
        let at = Self::WORDS.iter().position(|(known, _)| *known == word)?;
        Self::ALL.get(at).copied()
    }
}

/// Declares an enum of words, with the documentation of each word.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[doc = $doc:literal])+ $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $name {
            /// Returns the word for it in a file.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl $crate::Words for $name {
            const WORDS: &'static [(&'static str, &'static str)] =
                &[$(($word, concat!($($doc),+).trim_ascii()),)+];
            const ALL: &'static [Self] = &[$(Self::$variant,)+];

            fn word(self) -> &'static str {
                $name::word(self)
            }
        }
    };
}
