//! PDF files.

use std::fmt::Write as _;

use toolc_extract::{Document, ExtractError, Fault, Options, PageKind, extract};
use url::Url;

use crate::kinds::{page, read};

/// A PDF file with a page for each text.
fn pdf(texts: &[&str]) -> Vec<u8> {
    pdf_with(texts, "/MediaBox[0 0 600 800]")
}

/// The same, with these entries in the tree of its pages.
fn pdf_with(texts: &[&str], entries: &str) -> Vec<u8> {
    pdf_of("<</Title(Tide tables)/Author(Ada Moss)/CreationDate(D:20240501102030Z)>>", texts, entries)
}

/// The same, with this dictionary about it.
fn pdf_of(about: &str, texts: &[&str], entries: &str) -> Vec<u8> {
    let mut objects = vec!["<</Type/Catalog/Pages 2 0 R>>".to_owned()];
    let kids: Vec<String> = (0..texts.len()).map(|at| format!("{} 0 R", 5 + at * 2)).collect();
    let kids = kids.join(" ");
    objects.push(format!("<</Type/Pages/Kids[{kids}]/Count {}{entries}/Resources<</Font<</F 3 0 R>>>>>>", texts.len()));
    objects.push("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned());
    objects.push(about.to_owned());
    for (at, text) in texts.iter().enumerate() {
        objects.push(format!("<</Type/Page/Parent 2 0 R/Contents {} 0 R>>", 6 + at * 2));
        let content = if text.is_empty() {
            String::new()
        } else {
            format!("BT /F 12 Tf 50 700 Td ({text}) Tj 0 -14 Td (Second line.) Tj ET")
        };
        objects.push(format!("<</Length {}>>stream\n{content}\nendstream", content.len()));
    }
    let (mut file, mut offsets) = (String::from("%PDF-1.4\n"), Vec::new());
    for (at, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        let _ = writeln!(file, "{} 0 obj\n{object}\nendobj", at + 1);
    }
    let start = file.len();
    let _ = write!(file, "xref\n0 {}\n0000000000 65535 f \n", offsets.len() + 1);
    for offset in &offsets {
        let _ = writeln!(file, "{offset:010} 00000 n ");
    }
    let _ = write!(file, "trailer\n<</Size {}/Root 1 0 R/Info 4 0 R>>\nstartxref\n{start}\n%%EOF", offsets.len() + 1);
    file.into_bytes()
}

#[test]
fn a_pdf_file_has_its_text_by_page() {
    let found = page(&pdf(&["Hello tide.", "Page two."]), "application/pdf");
    assert_eq!(
        (found.kind, found.title.as_deref(), found.byline.as_deref()),
        (PageKind::Pdf, Some("Tide tables"), Some("Ada Moss"))
    );
    assert_eq!(found.published.and_then(|date| date.at).as_deref(), Some("2024-05-01"));
    assert_eq!(found.markdown, "[page 1]\n\nHello tide.\nSecond line.\n\n[page 2]\n\nPage two.\nSecond line.");
}

#[test]
fn a_long_title_of_a_pdf_file_is_cut() {
    let long = "x".repeat(5_000);
    let file = pdf_of(&format!("<</Title({long})/Author({long})>>"), &["One."], "/MediaBox[0 0 600 800]");
    let found = page(&file, "application/pdf");
    assert_eq!((found.title.map_or(0, |text| text.len()), found.byline.map_or(0, |text| text.len())), (300, 200));
}

#[test]
fn scanned_damaged_and_large_pdf_files_are_named() {
    assert_eq!(page(&pdf(&["", ""]), "application/pdf").quality.faults, [Fault::Scanned]);
    assert!(matches!(read(b"%PDF-1.7\nnothing", "application/pdf", "x"), Err(ExtractError::Pdf(_))));
    let address = Url::parse("https://example.com/").expect("it is an address");
    let file = pdf(&["One.", "Two.", "Three."]);
    let document = Document { bytes: &file, content_type: Some("application/pdf"), address: &address };
    let cut = extract(&document, &Options { pdf_pages: 1, ..Options::default() }).expect("it can be read");
    assert_eq!((&*cut.markdown, &*cut.quality.faults), ("[page 1]\n\nOne.\nSecond line.", &[Fault::Truncated][..]));
    let error = extract(&document, &Options { pdf_bytes: 10, ..Options::default() }).expect_err("it is larger");
    assert_eq!(error, ExtractError::TooLarge { bytes: file.len(), most: 10 });
}

#[test]
fn references_in_circles_end() {
    // A page tree that is its own parent, without what is looked for in the parents.
    let found = page(&pdf_with(&["One."], "/Parent 2 0 R"), "application/pdf");
    assert!(found.quality.faults.contains(&Fault::Damaged), "{:?}", found.quality);
}
