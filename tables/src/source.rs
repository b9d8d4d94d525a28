//! The files to which places refer.

/// The index of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

/// Files that findings quote.
pub trait Files {
    /// Returns the text of a file.
    fn text(&self, id: SourceId) -> &str;

    /// Returns the path of a file to show to a user.
    fn display(&self, id: SourceId) -> String;
}

/// The byte order mark, with which some editors begin a file.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns a text without a byte order mark, which editors do not count as a column, and with CRLF replaced by LF.
pub fn normalized(text: String) -> String {
    let text = text.strip_prefix(BYTE_ORDER_MARK).map(str::to_owned).unwrap_or(text);
    if text.contains('\r') { text.replace("\r\n", "\n") } else { text }
}
