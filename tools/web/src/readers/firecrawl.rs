//! Firecrawl, also on a server of the user.

use serde_json::{Value, json};

use super::reader::{Page, Reader, page_status};
use crate::service::accounts::FIRECRAWL;
use crate::service::{Failure, Request, at, number, texts};

pub(super) static READER: Reader =
    Reader { account: &FIRECRAWL, source: "firecrawl-py 4.55.0, v2/methods/scrape.py, 2026-11-30", request, read };

fn request(address: &super::PublicAddress) -> Request {
    Request::post("v2/scrape", json!({ "url": address.as_str(), "formats": ["markdown"], "onlyMainContent": true }))
}

fn read(answer: &Value) -> Result<Page, Failure> {
    let Some(data) = at(answer, &["data"]).filter(|_| answer.get("success") != Some(&Value::Bool(false))) else {
        let why =
            texts(answer, &[&["error"], &["message"]]).unwrap_or_else(|| "there is no `data` in the answer".to_owned());
        return Err(Failure::broken(format!("the page was not read: {why}")));
    };
    if let Some(failure) = at(data, &["metadata", "statusCode"]).and_then(number).and_then(page_status) {
        return Err(failure);
    }
    let title = texts(data, &[&["metadata", "title"], &["metadata", "ogTitle"]]);
    let dates: &[&[&str]] =
        &[&["metadata", "publishedTime"], &["metadata", "article:published_time"], &["metadata", "dcDate"]];
    Page::new(texts(data, &[&["markdown"]]), title, texts(data, dates).as_deref())
}
