//! Turns a document of any kind into a page.

use crate::charset::decode;
use crate::error::ExtractError;
use crate::options::Options;
use crate::page::{Document, Page, PageKind};
use crate::quality::{Fault, is_damaged};
use crate::sniff::{self, Sniffed};
use crate::{feed, html, json, plain};

/// Turns a document into Markdown.
///
/// A page whose text is missing, such as a login form, is not an error: what the page has is returned, and [`Page::quality`] says what is
/// wrong. The work is bounded by the options, and the same document always has the same result.
///
/// Only a PDF file can do more: what reads it prints messages of its panics to standard error, and is bounded in time and in memory only
/// between two pages. A program that reads PDF files of others does so in a process that it can end: see [`is_pdf`].
///
/// # Errors
///
/// The document is a picture, an archive or another file without text, is too large for its kind, or is a PDF file that cannot be read.
pub fn extract(document: &Document<'_>, options: &Options) -> Result<Page, ExtractError> {
    let kind = sniff::kind(document);
    match kind {
        Sniffed::Pdf => {
            let mut page = pdf(document.bytes, options)?;
            page.cut_facts();
            return Ok(page);
        }
        Sniffed::Binary(what) => return Err(ExtractError::NotText { what, bytes: document.bytes.len() }),
        _ => {}
    }
    let is_cut = document.bytes.len() > options.input_bytes;
    let (text, is_broken) =
        decode(&document.bytes[..document.bytes.len().min(options.input_bytes)], document.content_type);
    let mut page = match kind {
        Sniffed::Html => html::read(&text, document.address, is_cut, options),
        Sniffed::Xml => feed::read_xml(&text, document.address, options)
            .or_else(|| is_xhtml(&text).then(|| html::read(&text, document.address, is_cut, options)))
            .unwrap_or_else(|| Page::new(PageKind::Xml, plain::cleaned(text.trim()))),
        Sniffed::Json => feed::read_json(&text, document.address, options)
            .unwrap_or_else(|| Page::new(PageKind::Json, json::laid_out(&text, options.output_bytes).into_owned())),
        Sniffed::Separated(separator) => match plain::table(&text, separator) {
            Some(table) => Page::new(PageKind::Table, table),
            None => Page::new(PageKind::Table, plain::cleaned(text.trim_end())),
        },
        _ => Page::new(PageKind::Text, plain::cleaned(text.trim_end())),
    };
    page.cut_facts();
    finish(&mut page, is_cut, is_broken, options);
    Ok(page)
}

/// Returns whether a document is a PDF file, as its first bytes or its header say.
pub fn is_pdf(document: &Document<'_>) -> bool {
    sniff::kind(document) == Sniffed::Pdf
}

fn is_xhtml(text: &str) -> bool {
    let head = &text[..text.floor_char_boundary(1024)];
    head.contains("<html") || head.contains("www.w3.org/1999/xhtml")
}

/// Cuts the Markdown at its greatest size, and judges what is the same for all kinds.
fn finish(page: &mut Page, is_cut: bool, is_broken: bool, options: &Options) {
    if page.markdown.len() > options.output_bytes {
        page.markdown.truncate(end_of_cut(&page.markdown, options.output_bytes));
        page.markdown.shrink_to_fit();
        page.quality.add(Fault::Truncated);
    }
    if is_cut {
        page.quality.add(Fault::Truncated);
    }
    if is_broken && page.markdown.contains('\u{fffd}') || is_damaged(&page.markdown) {
        page.quality.add(Fault::Mojibake);
    }
    if page.markdown.trim().is_empty() && !page.quality.is_fatal() {
        page.quality.add(Fault::Empty);
    }
}

/// Where a text is cut to at most `most` bytes: after a line, if one ends near enough.
fn end_of_cut(text: &str, most: usize) -> usize {
    let end = text.floor_char_boundary(most);
    text[..end].rfind('\n').filter(|line| *line >= end - end / 8).unwrap_or(end)
}

#[cfg(feature = "pdf")]
fn pdf(bytes: &[u8], options: &Options) -> Result<Page, ExtractError> {
    crate::pdf::read(bytes, options)
}

#[cfg(not(feature = "pdf"))]
fn pdf(bytes: &[u8], options: &Options) -> Result<Page, ExtractError> {
    if bytes.len() > options.pdf_bytes {
        return Err(ExtractError::TooLarge { bytes: bytes.len(), most: options.pdf_bytes });
    }
    Err(ExtractError::NotBuilt("pdf"))
}
