//! The documents that the client has open.

use lsp_types::{TextDocumentContentChangeEvent, Url};

use crate::text::{Encoding, offset};

/// The maximum number of bytes of a document. A larger one is closed: the compiler refuses such a manifest as well.
const MAX_BYTES: usize = 4 << 20;

/// An open document.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) uri: Url,
    pub(crate) version: i32,
    pub(crate) text: String,
}

impl Document {
    /// Creates a document. `None` if it is too large.
    pub(crate) fn new(uri: Url, version: i32, text: &str) -> Option<Self> {
        (text.len() <= MAX_BYTES).then(|| Self { uri, version, text: normalized(text) })
    }

    /// Applies changes in their order. Returns whether the document still has a permitted size.
    pub(crate) fn change(
        &mut self,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> bool {
        self.version = version;
        for change in changes {
            let new = normalized(&change.text);
            match change.range {
                None => self.text = new,
                Some(range) => {
                    let [start, end] = [range.start, range.end].map(|position| offset(&self.text, position, encoding));
                    self.text.replace_range(start..end.max(start), &new);
                }
            }
            if self.text.len() > MAX_BYTES {
                return false;
            }
        }
        true
    }
}

/// Returns a text as the compiler reads it: with `\n` at the end of each line, which leaves lines and columns as they are.
fn normalized(text: &str) -> String {
    text.replace("\r\n", "\n")
}
