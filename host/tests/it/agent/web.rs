//! The web tools of the program.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use serde_json::json;

use crate::agent::{folder, run};

/// Returns a PDF file with one page, on which this is drawn after a text. The object 5 is a picture without resources of its own.
fn pdf(content: &str) -> String {
    let stream = |entries: &str, text: &str| format!("<<{entries}/Length {}>>stream\n{text}\nendstream", text.len());
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 6 0 R>>/XObject<</X 5 0 R>>>>>>".to_owned(),
        stream("", &format!("BT /F 12 Tf 50 700 Td (Hello tide.) Tj ET {content}")),
        stream("/Type/XObject/Subtype/Form", "/X Do"),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
    ];
    let (mut file, mut offsets) = (String::from("%PDF-1.4\n"), String::new());
    for (at, object) in objects.iter().enumerate() {
        offsets += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", at + 1);
    }
    let (count, start) = (objects.len() + 1, file.len());
    file += &format!("xref\n0 {count}\n0000000000 65535 f \n{offsets}");
    file + &format!("trailer\n<</Size {count}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF")
}

/// Starts a server that sends a PDF file whatever it is asked, and returns its address.
fn serve(file: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4_096]);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nConnection: close\r\n";
            let _ = write!(stream, "{head}Content-Length: {}\r\n\r\n{file}", file.len());
        }
    });
    format!("http://{address}/file.pdf")
}

#[test]
fn damaged_pdf_files_neither_print_nor_end_the_program() {
    let circular = "the PDF file cannot be read: it is damaged, or takes too much memory";
    // The reader panics, and follows a picture that contains itself.
    for (content, error) in [("", None), ("1 cm", None), ("/X Do", Some(circular))] {
        let (folder, url) = (folder(), serve(pdf(content)));
        let port = url.split([':', '/']).nth(4).expect("it has a port");
        fs::create_dir_all(folder.path().join("home")).expect("failed to make a folder");
        let config = format!("[web]\nnetworks = [\"127.0.0.0/8\"]\nports = [\"{port}\"]\n");
        fs::write(folder.path().join("home/config.toml"), config).expect("failed to write");
        let run = run(folder.path(), &["call", "web_extract", &json!({ "urls": [url] }).to_string()], &[]);
        assert_eq!(run.err, "", "{content}: {}", run.out);
        let result = &run.events()[0];
        match error {
            Some(error) => assert_eq!(result["error"], format!("{url}: {error}"), "{result}"),
            None => assert_eq!(result["pages"][0]["content"], "Hello tide.", "{result}"),
        }
    }
}
