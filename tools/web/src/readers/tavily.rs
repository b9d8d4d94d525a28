//! Tavily.

use serde_json::{Value, json};

use super::reader::{Page, Reader};
use crate::service::accounts::TAVILY;
use crate::service::{Failure, Request, at, texts};

pub(super) static READER: Reader =
    Reader { account: &TAVILY, source: "tavily-python 0.8.5, `extract`, 2026-11-30", request, read };

fn request(address: &super::PublicAddress) -> Request {
    Request::post("extract", json!({ "urls": [address.as_str()], "extract_depth": "basic", "format": "markdown" }))
}

fn read(answer: &Value) -> Result<Page, Failure> {
    let Some(results) = at(answer, &["results"]).and_then(Value::as_array) else {
        return Err(Failure::broken("there is no list `results` in the answer"));
    };
    let Some(page) = results.first() else {
        let why = at(answer, &["failed_results"]).and_then(|failed| texts(failed.get(0)?, &[&["error"]]));
        return Err(Failure::broken(format!("the page was not read: {}", why.unwrap_or_default())));
    };
    Page::new(
        texts(page, &[&["raw_content"]]),
        texts(page, &[&["title"]]),
        texts(page, &[&["published_date"]]).as_deref(),
    )
}
