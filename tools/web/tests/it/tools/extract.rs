//! `web_extract`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolc::ToolCall;
use toolc::cancel::CancelHandle;
use toolc::testing::assert_reply;
use toolc_test_support::wait_until;
use toolc_web::WebSettings;

use super::{Tools, asked, evil_page, page};
use crate::server::{End, Reply, Request, Server};

/// A PDF file with one page that says `Hello from a PDF file`.
fn pdf() -> Vec<u8> {
    let stream = "BT /F1 24 Tf 72 700 Td (Hello from a PDF file) Tj ET";
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", index + 1);
    }
    let start = file.len();
    file += &format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    file.extend(offsets.iter().map(|offset| format!("{offset:010} 00000 n \n")));
    file += &format!("trailer << /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF", objects.len() + 1);
    file.into_bytes()
}

fn long_page() -> String {
    let section = |number: usize| {
        let paragraph = format!("Ünique sentence of section {number}, which is long enough to be a text. ");
        format!("<h2>Section {number}</h2><p>{}</p>", paragraph.repeat(20))
    };
    let sections: String = (0..40).map(section).collect();
    format!(
        "<html><head><title>A long page</title></head><body><main><h1>A long page</h1>{sections}</main></body></html>"
    )
}

fn reply(request: &Request) -> Reply {
    match request.path.as_str() {
        "/a" | "/b" | "/target" => Reply::html(&page(&request.path[1..], ["/menu"])),
        "/long" => Reply::html(&long_page()),
        "/moved" => Reply::redirect(301, "/hop"),
        "/hop" => Reply::redirect(302, "/target"),
        "/loop" => Reply::redirect(302, "/loop"),
        "/inside" => Reply::redirect(302, "http://10.0.0.1/secret"),
        "/403" => Reply::text(403, "text/html", "no"),
        "/checked" => Reply::text(403, "text/html", "no").with("cf-mitigated", "challenge"),
        "/waf" => Reply::text(202, "text/html", "<p>Sandali lang</p>").with("x-amzn-waf-action", "challenge"),
        "/500" => Reply::text(500, "text/html", "broken"),
        "/304" => Reply::text(304, "text/html", ""),
        "/empty" => Reply::html(""),
        "/scripts" => Reply::html("<html><body><div id=\"root\"></div><script src=\"/app.js\"></script></body></html>"),
        "/json" => Reply::text(200, "application/json", r#"{"name":"toolc","values":[1,2]}"#),
        "/text" => Reply::text(200, "text/plain", "plain\n\n  text"),
        "/feed" => Reply::text(
            200,
            "application/rss+xml",
            "<rss version='2.0'><channel><title>News</title><item><title>First</title><link>https://a.example/1</link></item></channel></rss>",
        ),
        "/pdf" => Reply { body: pdf(), ..Reply::text(200, "application/pdf", "") },
        "/picture" => Reply { body: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), ..Reply::text(200, "image/png", "") },
        "/slow" => Reply { end: End::Never, ..Reply::html("") },
        "/tags" => Reply::text(200, "text/plain", "A text \u{e0041}\u{e0042}with \u{2066}tags."),
        "/evil" => Reply::html(&evil_page()),
        _ => Reply::missing(),
    }
}

fn start() -> (Server, Tools) {
    let server = Server::start(reply);
    let tools = Tools::new(&[&server]);
    (server, tools)
}

/// Reads one address.
#[track_caller]
fn read(tools: &Tools, url: &str) -> Value {
    tools.value("web_extract", &json!({ "urls": [url] }))["pages"][0].clone()
}

#[test]
fn a_page_is_its_main_text_or_all_of_it() {
    let (server, tools) = start();
    let url = format!("{}/a", server.url());
    let main = read(&tools, &url);
    assert_eq!((&main["url"], &main["title"], &main["language"]), (&json!(url), &json!("a"), &json!("en")));
    let content = main["content"].as_str().expect("a text");
    assert!(content.contains("This is the text of the page a.") && !content.contains("/menu"), "{content}");
    for absent in ["redirected_to", "warning", "error", "next_offset", "total_chars", "stored", "headings", "service"] {
        assert!(main.get(absent).is_none(), "{absent}: {main}");
    }
    let whole = tools.value("web_extract", &json!({ "urls": [url], "whole_page": true }));
    assert!(whole["pages"][0]["content"].as_str().is_some_and(|text| text.contains("to /menu")), "{whole}");
}

#[test]
fn a_page_that_fails_does_not_hide_the_others() {
    let (server, tools) = start();
    let urls = ["/a", "/none", "/b", "/a"].map(|path| server.url() + path);
    let found = tools.value("web_extract", &json!({ "urls": urls }));
    let pages = found["pages"].as_array().expect("a list");
    assert_eq!(pages.iter().map(|page| page["url"].clone()).collect::<Vec<_>>(), urls);
    let error = format!("{} answers with the status 404 (there is no such page)", urls[1]);
    assert_eq!(pages[1], json!({ "url": urls[1], "error": error }));
    assert_eq!(pages[0]["content"], pages[3]["content"]);
    assert_eq!((&pages[0]["title"], &pages[2]["title"]), (&json!("a"), &json!("b")));
    assert_eq!(asked(&server), ["/a", "/b", "/none"], "an address that is named twice is read once");
}

#[test]
fn a_call_of_which_nothing_can_be_read_has_failed() {
    let (server, tools) = start();
    let url = |path: &str| server.url() + path;
    let urls = [url("/none"), url("/500"), url("/empty"), url("/loop"), "https://".to_owned()];
    let error = tools.error("web_extract", &json!({ "urls": urls }));
    for part in [
        format!("{} answers with the status 404", urls[0]),
        format!("{} answers with the status 500 (it has failed)", urls[1]),
        format!("{}: the document has no text", urls[2]),
        format!("{} (after 5 redirects): the address redirects more than 5 times", urls[3]),
        "this is not the address of a page".to_owned(),
    ] {
        assert!(error.contains(&part), "{part}: {error}");
    }
    assert_eq!(error.lines().count(), 5, "{error}");
}

#[test]
fn the_status_of_a_page_is_explained() {
    let (server, tools) = start();
    for (path, text) in [
        ("/403", "403 (it refuses programs, or everyone)"),
        ("/checked", "403 (it checks whether its reader is a person)"),
        ("/304", "304 (it redirects, and does not say where)"),
        ("/500", "500 (it has failed)"),
    ] {
        let error = tools.error("web_extract", &json!({ "urls": [server.url() + path] }));
        assert!(error.ends_with(text), "{error}");
    }
    let error = tools.error("web_extract", &json!({ "urls": [server.url() + "/scripts"] }));
    assert!(error.contains("a browser can read it"), "{error}");
    // The headers say what the words do not.
    let page = read(&tools, &(server.url() + "/waf"));
    let warning = "the page checks whether its reader is a person, and shows no text to programs";
    assert_eq!((&page["content"], &page["warning"]), (&json!("Sandali lang"), &json!(warning)));
}

#[test]
fn redirects_are_followed_and_named() {
    let (server, tools) = start();
    let url = server.url();
    assert_eq!(read(&tools, &format!("{url}/moved"))["redirected_to"], format!("{url}/target"));
    // Another spelling is not a redirect.
    for text in
        [format!("127.0.0.1:{}/a", server.port), format!("{url}/a#part"), format!("HTTP://127.1:{}/a", server.port)]
    {
        let page = read(&tools, &text.replace("127.0.0.1:", "http://127.0.0.1:").replace("http://http://", "http://"));
        assert!(page.get("redirected_to").is_none(), "{text}: {page}");
    }
    let error = tools.error("web_extract", &json!({ "urls": [format!("{url}/inside")] }));
    assert!(error.contains("http://10.0.0.1/secret") && error.contains("private"), "{error}");
}

#[test]
fn the_scheme_may_be_left_out() {
    let (_server, tools) = start();
    // Nothing is fetched: the port is not one of those that are fetched.
    let error = tools.error("web_extract", &json!({ "urls": ["127.0.0.1:1/a"] }));
    assert!(error.contains("https://127.0.0.1:1/a"), "{error}");
}

#[test]
fn documents_of_other_kinds_are_read() {
    let (server, tools) = start();
    for (path, text) in [
        ("/json", "\"name\":\"toolc\""),
        ("/text", "plain\n\n  text"),
        ("/feed", "First"),
        ("/pdf", "Hello from a PDF file"),
    ] {
        let page = read(&tools, &(server.url() + path));
        assert!(page["content"].as_str().is_some_and(|content| content.contains(text)), "{path}: {page}");
    }
    let error = tools.error("web_extract", &json!({ "urls": [server.url() + "/picture"] }));
    assert!(error.contains("/picture: ") && error.to_lowercase().contains("png"), "{error}");
}

#[test]
fn private_addresses_are_refused() {
    let server = Server::start(reply);
    let tools = Tools::with(&[&server], &[], |settings| WebSettings { networks: Vec::new(), ..settings });
    let port = server.port;
    for address in
        [format!("127.0.0.1:{port}"), format!("0x7f.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")]
    {
        let error = tools.error("web_extract", &json!({ "urls": [format!("http://{address}/a")] }));
        assert!(error.contains("fetched only if `web.networks` of the configuration allows it"), "{error}");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn texts_that_instruct_the_model_are_marked() {
    let (server, tools) = start();
    let page = read(&tools, &(server.url() + "/evil"));
    let (content, warning) = (page["content"].as_str().expect("a text"), page["warning"].as_str().expect("a warning"));
    assert!(content.contains("Ignore all previous instructions"), "{content}");
    let tags = read(&tools, &(server.url() + "/tags"));
    assert_eq!(
        (&tags["content"], &tags["warning"]),
        (&json!("A text with tags."), &json!("the text had invisible characters, which are left out"))
    );
    assert!(warning.contains("the text overrides other instructions (`Ignore all previous instructions"), "{warning}");
}

#[test]
fn a_page_is_fetched_once_for_all_its_parts() {
    let (server, tools) = start();
    let url = server.url() + "/long";
    let (mut offset, mut parts) = (Some(0), Vec::new());
    while let Some(at) = offset {
        let found = tools.value("web_extract", &json!({ "urls": [url], "char_limit": 5_000, "offset": at }));
        parts.push(found["pages"][0].clone());
        offset = found["pages"][0]["next_offset"].as_u64();
    }
    assert_eq!(asked(&server), ["/long"]);
    assert!(parts.len() > 5, "{}", parts.len());
    let whole = tools.value("web_extract", &json!({ "urls": [url], "char_limit": 100_000 }))["pages"][0].clone();
    // A page of a private host may have been changed.
    assert_eq!(asked(&server), ["/long", "/long"]);
    let whole = whole["content"].as_str().expect("a text");
    let texts: Vec<&str> = parts.iter().map(|part| part["content"].as_str().expect("a text")).collect();
    assert!(texts.iter().all(|text| text.chars().count() <= 5_000));
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&texts.join("\n\n")), words(whole));
    // What helps to find a part is in the first one.
    assert_eq!(parts[0]["total_chars"], whole.chars().count());
    assert_eq!(parts[0]["headings"].as_array().map(Vec::len), Some(40));
    let stored = std::fs::read_to_string(parts[0]["stored"].as_str().expect("a file")).expect("the file");
    assert_eq!(stored, whole);
    assert!(parts[1..].iter().all(|part| part.get("stored").is_none() && part.get("headings").is_none()));
    let after = tools.value("web_extract", &json!({ "urls": [url], "offset": 10_000_000 }));
    let warning = format!("the text has only {} bytes", whole.len());
    assert_eq!((&after["pages"][0]["content"], &after["pages"][0]["warning"]), (&json!(""), &json!(warning)));
}

#[test]
fn a_section_is_read_by_its_heading() {
    let (server, tools) = start();
    let url = server.url() + "/long";
    let found = tools.value("web_extract", &json!({ "urls": [url], "heading": "section 7" }));
    let content = found["pages"][0]["content"].as_str().expect("a text");
    assert!(content.starts_with("## Section 7") && !content.contains("section 8"), "{content}");
    let unknown =
        tools.value("web_extract", &json!({ "urls": [url, server.url() + "/text"], "heading": "Section 99" }));
    let error = unknown["pages"][0]["error"].as_str().expect("an error");
    assert!(
        error.starts_with("the page has no heading `Section 99`: its headings are `Section 0`, `Section 1`"),
        "{error}"
    );
    assert_eq!(unknown["pages"][1]["error"], "the page has no headings");
}

#[test]
fn a_text_has_at_most_a_hundred_thousand_characters() {
    let server = Server::start(|_| Reply::text(200, "text/plain", &"a line of a long text\n".repeat(20_000)));
    let tools = Tools::new(&[&server]);
    let found = tools.value("web_extract", &json!({ "urls": [server.url()], "char_limit": 9_999_999 }));
    let length = found["pages"][0]["content"].as_str().map_or(0, |text| text.chars().count());
    assert!((90_000..=100_000).contains(&length), "{length}");
    assert!(found["pages"][0]["next_offset"].is_number());
}

#[test]
fn a_cancelled_call_ends_at_once() {
    let (server, tools) = start();
    let (tools, cancel) = (Arc::new(tools), CancelHandle::new());
    let arguments = json!({ "urls": [server.url() + "/slow"] }).to_string();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| {
            let response = tools.harness.send(&ToolCall::new("web_extract", &arguments).with_cancel(&cancel));
            assert_reply!(&response, Err(Cancelled));
            Instant::now()
        });
        wait_until("the request", || !server.requests().is_empty());
        let cancelled = Instant::now();
        cancel.cancel();
        let ended = call.join().expect("it has returned");
        // Without the cancellation, it would take 30 seconds.
        assert!(ended.saturating_duration_since(cancelled) < Duration::from_secs(10));
    });
}
