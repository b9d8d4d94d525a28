//! The text of PDF files.
//!
//! The reader panics on much of what is damaged, and follows references in circles. The usual circles are therefore looked for before, panics
//! are caught, and the text is taken page by page until the time is over. What a file can still do, such as to demand any amount of memory,
//! is bounded by a process of its own: see [`crate::extract`].

use std::collections::HashSet;
use std::io::{self, Read as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use pdf_extract::{Dictionary, Document, Object, ObjectId, PlainTextOutput, output_doc_page};

use crate::date::Published;
use crate::error::ExtractError;
use crate::options::Options;
use crate::page::{Page, PageKind};
use crate::quality::Fault;

/// What the compressed parts of a file may grow to, in bytes.
const MAX_INFLATED: u64 = 256 << 20;
/// After this time, the remaining pages are left out.
const MAX_TIME: Duration = Duration::from_secs(20);
/// A longer chain of references from a page to its parents, or from a picture to pictures in it, is not followed.
const MAX_CHAIN: usize = 32;
/// The stack of the thread that reads, in bytes.
const STACK: usize = 16 << 20;

/// Reads a PDF file.
pub(crate) fn read(bytes: &[u8], options: &Options) -> Result<Page, ExtractError> {
    if bytes.len() > options.pdf_bytes {
        return Err(ExtractError::TooLarge { bytes: bytes.len(), most: options.pdf_bytes });
    }
    if inflated(bytes) > MAX_INFLATED {
        return Err(ExtractError::Pdf(format!("its compressed parts grow to more than {} MiB", MAX_INFLATED >> 20)));
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("pdf".to_owned()).stack_size(STACK);
        let reading = thread.spawn_scoped(scope, || catch_unwind(AssertUnwindSafe(|| read_document(bytes, options))));
        let damaged = || ExtractError::Pdf("it is damaged".to_owned());
        reading
            .map_err(|error| ExtractError::Pdf(error.to_string()))?
            .join()
            .map_err(|_| damaged())?
            .map_err(|_| damaged())?
    })
}

/// What the streams of a file grow to, up to a little more than the bound.
fn inflated(bytes: &[u8]) -> u64 {
    let mut total = 0;
    let mut rest = bytes;
    while let Some(at) = rest.windows(6).position(|window| window == b"stream") {
        rest = &rest[at + 6..];
        let data = rest.trim_ascii_start();
        // Streams of zlib begin with a byte of which the lower half is 8.
        if data.first().is_some_and(|byte| byte & 0x0f == 8) && total <= MAX_INFLATED {
            let mut decoder = flate2::read::ZlibDecoder::new(data).take(MAX_INFLATED + 1);
            total += std::io::copy(&mut decoder, &mut std::io::sink()).unwrap_or(0);
        }
    }
    total
}

fn read_document(bytes: &[u8], options: &Options) -> Result<Page, ExtractError> {
    let mut document = Document::load_mem(bytes).map_err(|error| ExtractError::Pdf(error.to_string()))?;
    if document.is_encrypted() {
        document.decrypt("").map_err(|_| ExtractError::Pdf("it is encrypted with a password".to_owned()))?;
    }
    let pages = document.get_pages();
    let end = Instant::now() + MAX_TIME;
    let (mut texts, mut is_damaged, mut length) = (Vec::new(), false, 0);
    let mut is_cut = pages.len() > options.pdf_pages;
    for (number, id) in pages.iter().take(options.pdf_pages) {
        if Instant::now() > end || length > options.output_bytes {
            is_cut = true;
            break;
        }
        if is_circular(&document, *id) {
            is_damaged = true;
            continue;
        }
        let mut text = PageText { bytes: Vec::new(), most: options.output_bytes, end, is_cut: false };
        let read = catch_unwind(AssertUnwindSafe(|| {
            let text: &mut dyn io::Write = &mut text;
            output_doc_page(&document, &mut PlainTextOutput::new(text), *number)
        }));
        is_damaged |= !text.is_cut && !matches!(read, Ok(Ok(())));
        is_cut |= text.is_cut;
        let text = paragraphs(&String::from_utf8_lossy(&text.bytes));
        length += text.len();
        texts.push(text);
    }
    let mut page = Page::new(PageKind::Pdf, join(&texts, pages.len()));
    describe(&document, &mut page);
    if is_damaged {
        page.quality.add(Fault::Damaged);
    }
    if is_cut {
        page.quality.add(Fault::Truncated);
    }
    if texts.iter().all(|text| text.trim().is_empty()) {
        page.markdown.clear();
        page.quality.add(if pages.is_empty() { Fault::Empty } else { Fault::Scanned });
    }
    Ok(page)
}

/// The text of a page, which ends where it is too long or takes too long.
struct PageText {
    bytes: Vec<u8>,
    most: usize,
    end: Instant,
    is_cut: bool,
}

impl io::Write for PageText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_cut |= self.bytes.len() > self.most || Instant::now() > self.end;
        if self.is_cut {
            return Err(io::Error::other("the page ends here"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The texts of pages, with the numbers of the pages if there are several.
fn join(texts: &[String], pages: usize) -> String {
    let mut out = String::new();
    for (at, text) in texts.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        if pages > 1 {
            out.push_str(&format!("[page {}]\n\n", at + 1));
        }
        out.push_str(text);
    }
    out
}

/// Lines of a page as paragraphs: blank lines are at most one, and space at the ends of lines is removed.
fn paragraphs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for line in text.lines().map(str::trim_end) {
        if line.trim().is_empty() {
            blank = !out.is_empty();
            continue;
        }
        if !out.is_empty() {
            out.push_str(if blank { "\n\n" } else { "\n" });
        }
        blank = false;
        out.extend(line.trim_start().chars().filter(|c| !c.is_control()));
    }
    out
}

/// Takes the title, the author and the date from the dictionary of the file.
fn describe(document: &Document, page: &mut Page) {
    let info = document.trailer.get(b"Info").ok().and_then(|info| dictionary(document, info));
    let get = |key: &[u8]| {
        let (_, object) = document.dereference(info?.get(key).ok()?).ok()?;
        let text = match object.as_str().ok()? {
            [0xfe, 0xff, text @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(text).0.into_owned(),
            text => String::from_utf8(text.to_vec())
                .unwrap_or_else(|_| encoding_rs::WINDOWS_1252.decode_without_bom_handling(text).0.into_owned()),
        };
        Some(crate::dom::squeeze(&text)).filter(|text| !text.is_empty())
    };
    page.title = get(b"Title").filter(|title| !title.starts_with("Microsoft Word"));
    page.byline = get(b"Author");
    // `D:20240501102030+02'00'`
    page.published = get(b"CreationDate").and_then(|date| Published::read(date.trim_start_matches("D:").get(..8)?));
}

fn dictionary<'d>(document: &'d Document, object: &'d Object) -> Option<&'d Dictionary> {
    let (_, object) = document.dereference(object).ok()?;
    object.as_dict().ok().or_else(|| object.as_stream().ok().map(|stream| &stream.dict))
}

/// Whether references from a page lead back to where they came from.
fn is_circular(document: &Document, page: ObjectId) -> bool {
    let Ok(page) = document.get_dictionary(page) else { return true };
    let mut parents = std::iter::successors(Some(page), |inner| dictionary(document, inner.get(b"Parent").ok()?));
    let is_endless = parents.nth(MAX_CHAIN).is_some();
    let mut seen = 0;
    is_endless || forms_are_circular(document, page, &mut HashSet::new(), &mut seen)
}

/// Whether a picture in the resources of a page or a picture contains itself.
fn forms_are_circular(document: &Document, of: &Dictionary, around: &mut HashSet<ObjectId>, seen: &mut usize) -> bool {
    let resources = of.get(b"Resources").ok().and_then(|resources| dictionary(document, resources));
    let forms = resources.and_then(|resources| dictionary(document, resources.get(b"XObject").ok()?));
    for (_, form) in forms.into_iter().flat_map(Dictionary::iter) {
        let Ok(id) = form.as_reference() else { continue };
        *seen += 1;
        if around.len() > MAX_CHAIN || *seen > 10_000 || !around.insert(id) {
            return true;
        }
        if dictionary(document, form).is_some_and(|form| forms_are_circular(document, form, around, seen)) {
            return true;
        }
        around.remove(&id);
    }
    false
}
