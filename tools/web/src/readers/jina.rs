//! Jina Reader.

use serde_json::{Value, json};

use super::reader::{Page, Reader, page_status};
use crate::service::{Account, Failure, KeyUse, Outcome, Request, Sign, at, number, texts};

static ACCOUNT: Account = Account {
    name: "jina",
    title: "Jina Reader",
    key_variables: &["JINA_API_KEY"],
    key_use: KeyUse::Optional,
    base_variables: &["JINA_READER_URL"],
    base: Some("https://r.jina.ai"),
    // A page that it must not read is not the fault of the key.
    signs: &[
        Sign { status: 403, part: "", outcome: Outcome::Blocked, advice: "" },
        Sign { status: 0, part: "budgetexceeded", outcome: Outcome::Quota, advice: "" },
    ],
    ..Account::BARE
};

pub(super) static READER: Reader = Reader {
    account: &ACCOUNT,
    source: "jina-ai/reader, README.md and src/services/errors.ts, 2026-11-30",
    request,
    read,
};

fn request(address: &super::PublicAddress) -> Request {
    Request::post("", json!({ "url": address.as_str() }))
}

fn read(answer: &Value) -> Result<Page, Failure> {
    let Some(data) = at(answer, &["data"]) else {
        let why = texts(answer, &[&["readableMessage"], &["message"]]);
        return Err(Failure::broken(why.unwrap_or_else(|| "there is no `data` in the answer".to_owned())));
    };
    // `Target URL returned error 404: Not Found`
    let warning = texts(data, &[&["warning"]]).unwrap_or_default();
    let status =
        warning.split("returned error ").nth(1).and_then(|rest| rest.get(..3)).and_then(|code| code.parse().ok());
    let status = status.or_else(|| at(data, &["httpStatus"]).and_then(number));
    if let Some(failure) = status.and_then(page_status) {
        return Err(failure);
    }
    Page::new(
        texts(data, &[&["content"], &["text"]]),
        texts(data, &[&["title"]]),
        texts(data, &[&["publishedTime"]]).as_deref(),
    )
}
