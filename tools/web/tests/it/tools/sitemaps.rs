//! Sitemaps.

use std::io::Write as _;

use serde_json::json;

use super::{Tools, page};
use crate::server::{Reply, Request, Server};

fn urlset(origin: &str, paths: &[&str]) -> String {
    let urls: Vec<String> = paths.iter().map(|path| format!("<url><loc>{origin}{path}</loc></url>")).collect();
    let urls = urls.concat();
    format!("<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{urls}</urlset>")
}

fn index(origin: &str, paths: &[&str]) -> String {
    let maps: Vec<String> = paths.iter().map(|path| format!("<sitemap><loc>{origin}{path}</loc></sitemap>")).collect();
    let maps = maps.concat();
    format!("<sitemapindex>{maps}</sitemapindex>")
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).expect("memory does not fail")
}

fn xml(text: &str) -> Reply {
    Reply::text(200, "application/xml", text)
}

fn origin(request: &Request) -> String {
    format!("http://{}", request.header("host"))
}

/// Pages without links.
fn lonely(request: &Request) -> Reply {
    let is_page = ["/", "/docs/", "/docs/a", "/docs/b", "/docs/c", "/other"].contains(&request.path.as_str());
    if is_page { Reply::html(&page(&request.path, [])) } else { Reply::missing() }
}

#[test]
fn the_usual_sitemap_names_pages_without_links() {
    let server = Server::start(|request| match request.path.as_str() {
        "/sitemap.xml" => {
            xml(&urlset(&origin(request), &["/docs/a", "/docs/b?utm_source=map", "/other", "/docs/picture.png"]))
        }
        _ => lonely(request),
    });
    let crawled = Tools::new(&[&server]).crawl(&json!({ "url": server.url() + "/docs/" }));
    assert_eq!(
        (crawled.ended(), crawled.sorted()),
        ("complete", ["/docs/", "/docs/a", "/docs/b"].map(str::to_owned).to_vec())
    );
    assert_eq!(crawled.rows[1]["depth"], 1);
}

#[test]
fn an_index_leads_to_compressed_sitemaps() {
    let server = Server::start(|request| match request.path.as_str() {
        "/robots.txt" => {
            let text = format!("User-agent: *\nDisallow:\nSitemap: {}/index.xml\nSitemap: /list.txt", origin(request));
            Reply::text(200, "text/plain", &text)
        }
        "/index.xml" => xml(&index(&origin(request), &["/one.xml.gz", "/index.xml", "/none.xml"])),
        "/one.xml.gz" => Reply { body: gzip(&urlset(&origin(request), &["/docs/a"])), ..xml("") },
        "/list.txt" => Reply::text(200, "text/plain", &format!("{0}/docs/b\n{0}/docs/c\n", origin(request))),
        "/sitemap.xml" => xml(&urlset(&origin(request), &["/other"])),
        _ => lonely(request),
    });
    let crawled = Tools::new(&[&server]).crawl(&json!({ "url": server.url(), "scope": "host" }));
    assert_eq!(crawled.sorted(), ["/", "/docs/a", "/docs/b", "/docs/c"]);
    // An index that names itself ends.
    let read = server.requests().iter().filter(|request| request.path == "/index.xml").count();
    assert!(read <= 10, "{read}");
}

#[test]
fn a_damaged_or_hostile_sitemap_costs_little() {
    let bombs: [fn(&Request) -> Vec<u8>; 4] = [
        |request| gzip(&(urlset(&origin(request), &["/docs/a"]) + &" ".repeat(80 << 20))),
        |request| {
            let whole = gzip(&urlset(&origin(request), &["/docs/a"]).repeat(2_000));
            whole[..whole.len() - 40].to_vec()
        },
        |_| b"\x1f\x8bnot gzip".to_vec(),
        |_| "<urlset>".repeat(100_000).into_bytes(),
    ];
    for (number, bomb) in bombs.into_iter().enumerate() {
        let server = Server::start(move |request| match request.path.as_str() {
            "/sitemap.xml" => Reply { body: bomb(request), ..xml("") },
            _ => lonely(request),
        });
        let crawled = Tools::new(&[&server]).crawl(&json!({ "url": server.url() + "/docs/" }));
        assert_eq!(crawled.rows[0]["title"], "/docs/", "{number}");
        assert_eq!(crawled.ended(), "complete", "{number}");
    }
}

#[test]
fn a_sitemap_elsewhere_is_read_within_the_policy() {
    let other = Server::start(|_| xml("<urlset></urlset>"));
    let port = other.port;
    let server = Server::start(move |request| match request.path.as_str() {
        "/robots.txt" => {
            let text = format!(
                "Sitemap: http://127.0.0.1:{port}/map.xml\nSitemap: http://10.0.0.1/map.xml\nSitemap: file:///etc/passwd"
            );
            Reply::text(200, "text/plain", &text)
        }
        _ => lonely(request),
    });
    // The port of the other server is not one of those that are fetched.
    let crawled = Tools::new(&[&server]).crawl(&json!({ "url": server.url() }));
    assert_eq!((crawled.paths(), other.requests().len()), (vec!["/".to_owned()], 0));
}
