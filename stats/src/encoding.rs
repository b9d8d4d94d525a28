//! The vocabularies in which tokens are counted.

use clap::ValueEnum;
use tiktoken_rs::CoreBPE;

/// A vocabulary of OpenAI. Other vendors do not publish theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Encoding {
    /// GPT-4o and later models.
    #[value(name = "o200k")]
    O200k,
    /// GPT-4 and GPT-3.5.
    #[value(name = "cl100k")]
    Cl100k,
}

impl Encoding {
    /// The name of the vocabulary.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::O200k => "o200k_base",
            Self::Cl100k => "cl100k_base",
        }
    }

    /// Returns the number of tokens of a text. Text that looks like a special token is ordinary text.
    pub(crate) fn count(self, text: &str) -> usize {
        self.vocabulary().encode_ordinary(text).len()
    }

    /// Reads the vocabulary on first use, which takes a fifth of a second.
    fn vocabulary(self) -> &'static CoreBPE {
        match self {
            Self::O200k => tiktoken_rs::o200k_base_singleton(),
            Self::Cl100k => tiktoken_rs::cl100k_base_singleton(),
        }
    }
}

/// Returns whether the models that get the definitions of a dialect use the vocabularies here.
pub(crate) fn is_exact(dialect: &str) -> bool {
    dialect.split('-').next() == Some("openai")
}
