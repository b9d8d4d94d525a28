//! Why a document has no text.

use std::error::Error;
use std::fmt;

/// A document that cannot be turned into Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtractError {
    /// The document is not text: what it is, such as `PNG image`, and its size in bytes.
    NotText {
        /// What it is.
        what: String,
        /// Its size in bytes.
        bytes: usize,
    },
    /// The document is larger than the bound for its kind, and cannot be read in part.
    TooLarge {
        /// Its size in bytes.
        bytes: usize,
        /// The bound in bytes.
        most: usize,
    },
    /// The PDF file is damaged, encrypted, or uses what the reader does not know.
    Pdf(String),
    /// The program was built without the feature that reads such documents.
    NotBuilt(&'static str),
}

impl fmt::Display for ExtractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotText { what, bytes } => {
                write!(f, "expected a page or a text, and the address has sent a {what} of {bytes} bytes")
            }
            Self::TooLarge { bytes, most } => {
                write!(f, "the document has {bytes} bytes, and at most {most} are read")
            }
            Self::Pdf(reason) => write!(f, "the PDF file cannot be read: {reason}"),
            Self::NotBuilt(feature) => {
                write!(f, "this program is built without the feature `{feature}` of toolc-extract")
            }
        }
    }
}

impl Error for ExtractError {}
