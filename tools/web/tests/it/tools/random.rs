//! Random sites: a crawl visits the pages that a simple walk reaches.

use std::collections::BTreeSet;

use serde_json::json;

use super::{Tools, asked, page_with};
use crate::server::{Reply, Server};

/// The number of sites, and of the pages of each.
const SITES: u64 = 30;
const PAGES: usize = 40;

/// A generator of pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % end
    }
}

/// Returns the path of a page. Some are folders, and have parameters or letters that are percent-encoded.
fn path(number: usize) -> String {
    match number % 4 {
        0 => format!("/folder-{number}/"),
        1 => format!("/folder-{}/page", number - 1),
        2 => format!("/query?a={number}&b=x"),
        _ => format!("/%C3%A4-{number}~"),
    }
}

/// Returns a spelling of the address of a page, as a link on another one.
fn spelling(random: &mut Random, from: usize, to: usize) -> String {
    let path = path(to);
    let join = if path.contains('?') { '&' } else { '?' };
    match random.below(8) {
        0 => format!("{path}#part-{from}"),
        1 => format!("{path}{join}utm_source=page-{from}"),
        2 if to.is_multiple_of(4) => format!("{path}index.html"),
        3 if to % 4 == 2 => format!("/query?b=x&a={to}&fbclid={from}"),
        4 if to % 4 == 3 => format!("/ä-{to}%7E"),
        5 => format!("/none/..{path}"),
        6 if !path.contains('?') => format!("{path};jsessionid=ABC{from}"),
        _ => path,
    }
}

/// Returns the links of each page: the page, its spelling, and whether it may be followed.
fn links(random: &mut Random) -> Vec<Vec<(usize, String, bool)>> {
    let one = |from: usize, random: &mut Random| {
        let to = random.below(PAGES);
        (to, spelling(random, from, to), random.below(10) > 0)
    };
    (0..PAGES).map(|from| (0..random.below(4)).map(|_| one(from, random)).collect()).collect()
}

/// Returns the pages that are reached from the first one.
fn reached(links: &[Vec<(usize, String, bool)>]) -> BTreeSet<usize> {
    let (mut reached, mut open) = (BTreeSet::from([0]), vec![0]);
    while let Some(page) = open.pop() {
        // The first of two links to one address counts.
        for (at, (to, spelling, is_followed)) in links[page].iter().enumerate() {
            let is_first =
                links[page][..at].iter().all(|(_, other, _)| other.split('#').next() != spelling.split('#').next());
            if *is_followed && is_first && reached.insert(*to) {
                open.push(*to);
            }
        }
    }
    reached
}

#[test]
fn a_crawl_visits_the_pages_that_a_walk_reaches() {
    let mut sizes = BTreeSet::new();
    for seed in 0..SITES {
        let links = links(&mut Random(seed));
        let reached = reached(&links);
        sizes.insert(reached.len());
        let html: Vec<String> = links
            .iter()
            .enumerate()
            .map(|(number, links)| {
                let link = |(_, spelling, is_followed): &(usize, String, bool)| {
                    let rel = if *is_followed { "" } else { " rel=nofollow" };
                    format!("<a href=\"{}\"{rel}>link</a>", spelling.replace('&', "&amp;"))
                };
                page_with(&format!("page {number}"), "", &links.iter().map(link).collect::<Vec<_>>().concat())
            })
            .collect();
        let server = Server::start(move |request| {
            let asked = url::Url::parse(&format!("http://a{}", request.path)).expect("a path");
            let number = (0..PAGES).find(|number| {
                let wanted = path(*number);
                match wanted.split_once('?') {
                    Some((path, _)) => path == request.path && request.parameter("a") == number.to_string(),
                    None => asked.path().trim_end_matches("index.html").replace("%7E", "~") == wanted,
                }
            });
            number.map_or_else(Reply::missing, |number| Reply::html(&html[number]))
        });
        let crawled =
            Tools::new(&[&server]).crawl(&json!({ "url": server.url() + &path(0), "scope": "host", "max_depth": 50 }));
        let titles: BTreeSet<String> =
            crawled.rows.iter().map(|row| row["title"].as_str().expect("a title").to_owned()).collect();
        let expected: BTreeSet<String> = reached.iter().map(|number| format!("page {number}")).collect();
        assert_eq!(titles, expected, "site {seed}: {:?}", crawled.returns);
        let visited: Vec<String> = asked(&server);
        assert_eq!((crawled.rows.len(), visited.len()), (reached.len(), reached.len()), "site {seed}: {visited:?}");
        assert_eq!(crawled.ended(), "complete", "site {seed}");
    }
    assert!(sizes.len() > 5, "the sites differ: {sizes:?}");
}
