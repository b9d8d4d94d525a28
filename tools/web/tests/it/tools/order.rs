//! In which order addresses are visited.

use serde_json::json;

use super::{Tools, page};
use crate::server::{Reply, Server};

/// Returns a name without digits, so that its pages do not have the shape of a calendar.
fn letters(number: usize) -> String {
    let letter = |number: usize| char::from(b'a' + u8::try_from(number % 26).unwrap_or(0));
    [letter(number / 26), letter(number)].iter().collect()
}

/// The start has links, and the sitemap has many more pages, which have links, too.
fn start() -> Server {
    Server::start(|request| {
        let origin = format!("http://{}", request.header("host"));
        match request.path.as_str() {
            "/sitemap.xml" => {
                let urls: Vec<String> =
                    (0..300).map(|n| format!("<url><loc>{origin}/listed/{}</loc></url>", letters(n))).collect();
                let urls = urls.concat();
                Reply::text(200, "application/xml", &format!("<urlset>{urls}</urlset>"))
            }
            "/robots.txt" => Reply::missing(),
            "/" => Reply::html(&page("start", ["/linked/a", "/linked/b", "/linked/c"])),
            path if path.matches('/').count() < 6 => Reply::html(&page(path, [format!("{path}/deeper").as_str()])),
            path => Reply::html(&page(path, [])),
        }
    })
}

fn depths(rows: &[serde_json::Value]) -> Vec<u64> {
    rows.iter().map(|row| row["depth"].as_u64().expect("a number")).collect()
}

#[test]
fn links_come_before_the_sitemap_and_both_in_the_order_of_depth() {
    let server = start();
    let tools = Tools::new(&[&server]);
    let first = tools.crawl(&json!({ "url": server.url(), "scope": "host", "max_pages": 250 }));
    assert_eq!((first.ended(), first.rows.len()), ("max_pages", 250));
    // Visits at the same time may end in another order, and the sitemap may come before the links of the start.
    let position = |path: &str| first.paths().iter().position(|found| found == path);
    for path in ["/linked/a", "/linked/b", "/linked/c"] {
        assert!(position(path).is_some_and(|at| at <= 12), "{path}: {:?}", position(path));
    }
    assert!(depths(&first.rows).iter().all(|depth| *depth <= 1));
    // The order is the same after a break.
    let second = tools.crawl(&json!({ "resume": first.returns["resume"], "max_pages": 200 }));
    let depths = depths(&second.rows[250..]);
    assert_eq!(second.rows.len(), 450);
    // A visit may take as long as several others.
    let first_deep = depths.iter().position(|depth| *depth == 2).expect("deeper pages");
    assert!((51..=59).contains(&first_deep) && depths[first_deep + 20..].iter().all(|depth| *depth == 2), "{depths:?}");
}

#[test]
fn an_address_that_is_too_deep_does_not_hide_others() {
    let server = start();
    let tools = Tools::new(&[&server]);
    let flat = tools.crawl(&json!({ "url": server.url(), "scope": "host", "max_pages": 5_000, "max_depth": 1 }));
    assert_eq!((flat.ended(), flat.rows.len()), ("max_depth", 304));
    assert_eq!(flat.returns["left"], 303);
    let deeper = tools.crawl(&json!({ "resume": flat.returns["resume"], "max_pages": 5_000, "max_depth": 2 }));
    assert_eq!((deeper.ended(), deeper.rows.len(), &deeper.returns["left"]), ("max_depth", 607, &json!(303)));
    let start_only = tools.crawl(&json!({ "url": server.url(), "max_depth": 0 }));
    assert_eq!((start_only.ended(), start_only.rows.len()), ("max_depth", 1));
}
