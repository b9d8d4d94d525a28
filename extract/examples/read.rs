//! Prints a file as a language model would read it: what is known about it, then its Markdown.
//!
//! ```text
//! cargo run -p toolc-extract --example read -- FILE [ADDRESS]
//! ```

use std::time::Instant;

use toolc_extract::{Document, Options, extract};
use url::Url;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("expected the name of a file, and then the address that it came from")?;
    let address = Url::parse(arguments.next().as_deref().unwrap_or("https://example.com/"))?;
    let bytes = std::fs::read(&file)?;
    let start = Instant::now();
    let page = extract(&Document { bytes: &bytes, content_type: None, address: &address }, &Options::default())?;
    eprintln!("{:?} of {} bytes in {:?}", page.kind, bytes.len(), start.elapsed());
    println!("title: {:?}\nquality: {}\n\n{}", page.title, page.quality, page.markdown);
    Ok(())
}
