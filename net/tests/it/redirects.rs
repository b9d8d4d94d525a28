//! Redirects are checked as the first address is.

use toolc_net::{Client, Fetch, FetchFault, HeaderValue, Limits, header};

use crate::server::{Server, answer};
use crate::{client, get};

fn redirect(status: &str, to: &str) -> Vec<u8> {
    answer(status, &format!("Location: {to}\r\n"), b"")
}

#[test]
fn every_redirect_is_followed_and_counted() {
    let server = Server::start(|path| match path {
        "/301" => redirect("301 Moved", "/302"),
        "/302" => redirect("302 Found", "303"),
        "/303" => redirect("303 See Other", "./307#x"),
        "/307" => redirect("307 Temporary", "/308"),
        "/308" => redirect("308 Permanent", "/end"),
        "/loop" => redirect("302 Found", "/loop"),
        "/300" => answer("300 Choices", "Location: /end\r\n", b"choose"),
        "/empty" => answer("302 Found", "Location: \r\n", b"nowhere"),
        path => answer("200 OK", "", path.as_bytes()),
    });
    let client = client(&[&server]);
    let found = get(&client, &server.url("/301"), &Limits::default()).expect("an answer");
    assert_eq!((&*found.body, found.redirected_from.len()), (&b"/end"[..], 5));
    assert_eq!(found.target.url().path(), "/end");
    let few = Limits { redirects: 4, ..Limits::default() };
    for path in ["/301", "/loop"] {
        let error = get(&client, &server.url(path), &few).expect_err(path);
        assert_eq!((error.fault, error.redirects), (FetchFault::Redirects(4), 4), "{path}");
    }
    for (path, body) in [("/300", &b"choose"[..]), ("/empty", b"nowhere")] {
        assert_eq!(get(&client, &server.url(path), &Limits::default()).expect("an answer").body, body);
    }
}

#[test]
fn a_redirect_to_a_refused_address_is_not_followed() {
    let hidden = Server::start(|_| answer("200 OK", "", b"secret"));
    let port = hidden.port;
    let places = [
        format!("http://127.0.0.1:{port}/"),
        format!("//127.0.0.1:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://metadata.google.internal/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "gopher://127.0.0.1/".to_owned(),
        "http://user:word@example.com/".to_owned(),
        "http://10.0.0.1/".to_owned(),
    ];
    for status in ["301 x", "302 x", "303 x", "307 x", "308 x"] {
        for place in &places {
            let to = place.clone();
            let server = Server::start(move |_| redirect(status, &to));
            let client = client(&[&server]);
            let error = get(&client, &server.url("/"), &Limits::default()).expect_err(place);
            assert!(matches!(error.fault, FetchFault::Target(_) | FetchFault::Refused(_)), "{status} {place}: {error}");
            assert!(!error.to_string().contains("user:word"), "{error}");
        }
    }
    assert_eq!(hidden.requests(), Vec::<String>::new());
}

#[test]
fn another_server_gets_no_key_and_no_body() {
    let other = Server::start(|_| answer("200 OK", "", b"x"));
    let port = other.port;
    let first = Server::start(move |path| match path {
        "/same" => redirect("302 Found", "/end"),
        "/post" => redirect("307 Temporary", &format!("http://127.0.0.1:{port}/")),
        "/form" => redirect("302 Found", &format!("http://127.0.0.1:{port}/form")),
        "/end" => answer("200 OK", "", b"x"),
        _ => redirect("302 Found", &format!("http://127.0.0.1:{port}/")),
    });
    let client = client(&[&first, &other]);
    let target = |path: &str| client.target(&first.url(path)).expect("a valid address");
    let key = || HeaderValue::from_static("Bearer secret");
    let with_key = |path: &str| Fetch::get(target(path)).with_header(header::AUTHORIZATION, key());
    client.fetch(with_key("/same"), &Limits::default()).expect("an answer");
    assert!(first.requests().iter().all(|request| request.contains("Bearer secret")), "{:?}", first.requests());
    client.fetch(with_key("/other"), &Limits::default()).expect("an answer");
    let sent = |path: &str| Fetch::post(target(path), HeaderValue::from_static("text/plain"), b"private".to_vec());
    let error = client.fetch(sent("/post"), &Limits::default()).expect_err("the body would leave");
    assert_eq!(error.fault, FetchFault::BodyElsewhere);
    client.fetch(sent("/form"), &Limits::default()).expect("a GET without the body");
    let requests = other.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests.iter().all(|request| request.starts_with("GET ")), "{requests:?}");
    assert!(!requests.concat().contains("secret") && !requests.concat().contains("private"), "{requests:?}");
}

#[test]
fn a_configured_client_follows_redirects_on_the_same_server_only() {
    let hidden = Server::start(|_| answer("200 OK", "", b"internal"));
    let port = hidden.port;
    let server = Server::start(move |path| match path {
        "/a" => redirect("302 Found", "/b"),
        "/b" => answer("200 OK", "", b"x"),
        "/secure" => redirect("301 Moved", "https://127.0.0.1/"),
        "/secure-port" => redirect("301 Moved", &format!("https://127.0.0.1:{port}/")),
        "/localhost" => redirect("301 Moved", &format!("http://localhost:{port}/internal")),
        _ => redirect("302 Found", &format!("http://127.0.0.1:{port}/internal?key=secret")),
    });
    let client = Client::configured("test");
    let fetched = |path: &str| get(&client, &server.url(path), &Limits::default());
    assert_eq!(fetched("/a").expect("an answer").body, b"x");
    for (path, place) in [
        ("/c", format!("http://127.0.0.1:{port}/internal")),
        ("/localhost", format!("http://localhost:{port}/internal")),
        ("/secure-port", format!("https://127.0.0.1:{port}/")),
    ] {
        let error = fetched(path).expect_err(path);
        assert_eq!(error.fault, FetchFault::Elsewhere(place.clone()), "{path}");
        let text = error.to_string();
        assert!(text.contains(&format!("redirects to {place}, ")) && text.contains("configure it"), "{text}");
    }
    assert_eq!(hidden.requests(), Vec::<String>::new());
    // Followed, whatever answers there.
    if let Err(error) = fetched("/secure") {
        assert_eq!((error.redirects, error.address.as_str()), (1, "https://127.0.0.1/"), "{error}");
    }
}
