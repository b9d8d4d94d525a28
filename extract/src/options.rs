//! What to take from a document, and the bounds while it is read.

/// How a document is read. The defaults suit pages on the web.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Keeps navigation, headers, footers and side bars of a page. What a page hides is left out in any case.
    pub whole_page: bool,
    /// The maximum size of the document, in bytes. The rest of a longer page or text is left out, which its quality says.
    pub input_bytes: usize,
    /// The maximum number of nodes of an HTML page. Together with `input_bytes`, it bounds the time.
    pub nodes: usize,
    /// The maximum size of the Markdown, or of the addresses and texts of links, in bytes.
    pub output_bytes: usize,
    /// The maximum size of a PDF file, in bytes.
    pub pdf_bytes: usize,
    /// The maximum number of pages of a PDF file whose text is taken.
    pub pdf_pages: usize,
}

impl Default for Options {
    /// The main content, from at most 10 MiB and 300,000 nodes or 300 PDF pages of 20 MiB, as at most 4 MiB of Markdown.
    fn default() -> Self {
        Self {
            whole_page: false,
            input_bytes: 10 << 20,
            nodes: 300_000,
            output_bytes: 4 << 20,
            pdf_bytes: 20 << 20,
            pdf_pages: 300,
        }
    }
}
