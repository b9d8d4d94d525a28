//! PDF files, which a process of its own reads.

use std::env;
use std::io;
use std::time::{Duration, Instant};

use serde_json::json;
use toolc_web::{PdfProgram, read_pdf};

use super::Tools;
use crate::server::{Reply, Server};

/// The argument with which this program reads a PDF file.
const READ: &str = "read-a-pdf-file";

/// Returns this program as one that reads PDF files.
pub(super) fn program() -> PdfProgram {
    let exe = env::current_exe().expect("the test has a file");
    let test = "tools::pdf::the_text_of_a_pdf_file_is_read";
    PdfProgram::new([exe.as_os_str(), "--exact".as_ref(), "--nocapture".as_ref(), test.as_ref(), READ.as_ref()])
}

/// Returns a file of these objects, of which the first one is the catalog.
fn file(objects: &[String]) -> String {
    let (mut file, mut offsets) = (String::from("%PDF-1.4\n"), String::new());
    for (at, object) in objects.iter().enumerate() {
        offsets += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", at + 1);
    }
    let (count, start) = (objects.len() + 1, file.len());
    file += &format!("xref\n0 {count}\n0000000000 65535 f \n{offsets}");
    file += &format!("trailer\n<</Size {count}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF");
    file
}

fn stream(entries: &str, content: &str) -> String {
    format!("<<{entries}/Length {}>>stream\n{content}\nendstream", content.len())
}

/// Returns a file with one page, which draws this, and more objects: the first one has the number 6.
fn page(content: &str, resources: &str, more: impl IntoIterator<Item = String>) -> String {
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]>>".to_owned(),
        format!("<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>{resources}>>>>"),
        stream("", &format!("BT /F 12 Tf 50 700 Td (Hello tide.) Tj ET {content}")),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
    ];
    file(&objects.into_iter().chain(more).collect::<Vec<_>>())
}

/// A file whose page draws pictures within pictures, 10^12 times.
fn endless() -> String {
    let form = |next: usize| {
        let resources = format!("/Type/XObject/Subtype/Form/Resources<</XObject<</X {next} 0 R>>>>");
        stream(&resources, &"/X Do ".repeat(10))
    };
    let last = stream("/Type/XObject/Subtype/Form/Resources<<>>", "");
    page("/X Do", "/XObject<</X 6 0 R>>", (7..19).map(form).chain([last]))
}

/// A file whose page draws a picture that contains itself by the resources of the page.
fn circular() -> String {
    page("/X Do", "/XObject<</X 6 0 R>>", [stream("/Type/XObject/Subtype/Form", "/X Do")])
}

/// A file with a font that names the characters of four billion codes.
fn large() -> String {
    let names = "begincmap 1 beginbfrange <00000000> <ffffffff> <00000000> endbfrange endcmap";
    let font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 7 0 R>>".to_owned();
    page("BT /G 12 Tf (x) Tj ET", "/Font<</F 5 0 R/G 6 0 R>>", [font, stream("", names)])
}

fn pdf(file: &str) -> Reply {
    Reply::text(200, "application/pdf", file)
}

fn tools(program: PdfProgram) -> (Server, Tools) {
    let server = Server::start(|request| match request.path.as_str() {
        "/good" => pdf(&page("", "", [])),
        "/panic" => pdf(&page("1 cm", "", [])),
        "/endless" => pdf(&endless()),
        "/circular" => pdf(&circular()),
        "/large" => pdf(&large()),
        "/" => Reply::html(&super::page("start", ["/good", "/endless", "/circular"])),
        _ => Reply::missing(),
    });
    let tools = Tools::with(&[&server], &[], |settings| toolc_web::WebSettings { pdf: Some(program), ..settings });
    (server, tools)
}

#[test]
fn the_text_of_a_pdf_file_is_read() {
    if env::args().any(|argument| argument == READ) {
        read_pdf(io::stdin().lock(), io::stdout()).expect("the streams are open");
        std::process::exit(0);
    }
    let (server, tools) = tools(program());
    let urls = ["/good", "/panic"].map(|path| format!("{}{path}", server.url()));
    let read = tools.value("web_extract", &json!({ "urls": urls }));
    assert_eq!((&read["pages"][0]["content"], &read["pages"][0]["warning"]), (&json!("Hello tide."), &json!(null)));
    assert_eq!(read["pages"][1]["content"], "Hello tide.");
    let warning = "a part of the document is damaged and left out";
    assert_eq!(read["pages"][1]["warning"], warning);
}

#[test]
fn a_pdf_file_that_takes_too_long_or_ends_its_reader_is_an_error() {
    let (server, tools) = tools(program().with_time(Duration::from_secs(3)));
    let urls = ["/endless", "/circular", "/good"].map(|path| format!("{}{path}", server.url()));
    let started = Instant::now();
    let read = tools.value("web_extract", &json!({ "urls": urls }));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    let error = |at: usize| read["pages"][at]["error"].as_str().unwrap_or_else(|| panic!("{read}")).to_owned();
    assert!(error(0).ends_with("/endless: the PDF file cannot be read: it takes more than 3 s"), "{read}");
    assert!(error(1).ends_with("cannot be read: it is damaged, or takes too much memory"), "{read}");
    assert_eq!(read["pages"][2]["content"], "Hello tide.");
}

#[test]
#[cfg(target_os = "linux")]
fn a_pdf_file_that_takes_too_much_memory_is_an_error() {
    let (server, tools) = tools(program().with_time(Duration::from_mins(5)));
    let error = tools.error("web_extract", &json!({ "urls": [format!("{}/large", server.url())] }));
    assert!(error.ends_with("cannot be read: it is damaged, or takes too much memory"), "{error}");
}

#[test]
fn a_crawl_continues_after_pdf_files_that_cannot_be_read() {
    let (server, tools) = tools(program().with_time(Duration::from_secs(3)));
    let crawl = tools.crawl(&json!({ "url": server.url() }));
    assert_eq!((crawl.ended(), crawl.sorted().as_slice()), ("complete", &["/".to_owned(), "/good".to_owned()][..]));
    assert_eq!(crawl.skipped("failed"), 2, "{}", crawl.returns);
}
