//! Exa.

use serde_json::{Value, json};

use super::reader::{Page, Reader, page_status};
use crate::service::accounts::EXA;
use crate::service::{Failure, Outcome, Request, at, number, texts};

pub(super) static READER: Reader =
    Reader { account: &EXA, source: "exa-py 2.28.0, `get_contents`, 2026-11-30", request, read };

fn request(address: &super::PublicAddress) -> Request {
    Request::post("contents", json!({ "urls": [address.as_str()], "text": true }))
}

fn read(answer: &Value) -> Result<Page, Failure> {
    if let Some(failure) = at(answer, &["statuses"]).and_then(|statuses| failed(statuses.get(0)?)) {
        return Err(failure);
    }
    let Some(results) = at(answer, &["results"]).and_then(Value::as_array) else {
        return Err(Failure::broken("there is no list `results` in the answer"));
    };
    let page = results.first().unwrap_or(&Value::Null);
    Page::new(texts(page, &[&["text"]]), texts(page, &[&["title"]]), texts(page, &[&["publishedDate"]]).as_deref())
}

/// Returns the failure of `{"status": "error", "error": {"tag": "CRAWL_TIMEOUT", "httpStatusCode": 504}}`.
fn failed(status: &Value) -> Option<Failure> {
    if texts(status, &[&["status"]])? != "error" {
        return None;
    }
    let tag = texts(status, &[&["error", "tag"]]).unwrap_or_default();
    if tag.contains("TIMEOUT") {
        return Some(Failure::new(Outcome::Timeout, tag));
    }
    let of_page = at(status, &["error", "httpStatusCode"]).and_then(number).and_then(page_status);
    of_page.or_else(|| Some(Failure::broken(format!("the page was not read: {tag}"))))
}
