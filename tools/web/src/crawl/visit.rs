//! Visits a page, on a thread of its own.

use std::io::Read as _;
use std::time::{Duration, Instant};

use flate2::read::MultiGzDecoder;
use toolc_extract::{ExtractError, Options, PageLinks, Sitemap, links, sitemap};
use toolc_net::{Answer, Fetch, FetchFault, Limits, Robots, RobotsFile, Target, header};
use url::Url;

use super::frontier::{MAX_WAITING, Reason, Waiting};
use crate::kept::{MAX_WARNING, ReadPage};
use crate::outside::{line, manipulated};
use crate::pages::{document, get};
use crate::web::Web;

/// The time of a fetch, and the size of a page.
const LIMITS: Limits =
    Limits { time: Duration::from_secs(20), redirects: 5, header_bytes: 64 << 10, body_bytes: 5 << 20 };
/// The maximum number of sitemaps of a site that are read, and the size of each, decompressed. The end of a longer one is left out: most have
/// less than 10 MB, and as a tree they take several times as much.
const MAX_SITEMAPS: usize = 10;
const MAX_SITEMAP: usize = 20 << 20;
/// The time for all sitemaps: after it, no further one is read.
const SITEMAPS_TIME: Duration = Duration::from_mins(1);
/// How often an address is visited whose server says that it should be asked later, or does not answer.
const MAX_TRIES: u8 = 3;
/// The pause before an address is visited again, if the server does not name one.
const USUAL_WAIT: Duration = Duration::from_secs(5);

/// What a thread has brought.
pub(super) struct Visited {
    /// The address. `None` if it was the sitemaps.
    pub(super) waiting: Option<Waiting>,
    /// The pause between two pages that the site demands.
    pub(super) pause: Option<Duration>,
    /// The size of the body, decompressed.
    pub(super) bytes: usize,
    pub(super) outcome: Outcome,
}

/// What a visit has brought.
pub(super) enum Outcome {
    Page(Box<Page>),
    /// The addresses of the sitemaps.
    Sitemaps(Vec<Url>),
    Skipped(Reason),
    Failed(String),
    /// The host must not be asked for this time. Then the address is visited again.
    Later(Duration),
    /// The address is visited again.
    Again,
}

/// A page with its links.
pub(super) struct Page {
    pub(super) text: ReadPage,
    /// The addresses before it, and its own.
    pub(super) redirects: Vec<Url>,
    pub(super) links: PageLinks,
}

/// Visits an address.
pub(super) fn visit(web: &Web, waiting: Waiting) -> Visited {
    let client = &web.client;
    let target = match client.target(waiting.url.as_str()) {
        Ok(target) => target,
        Err(invalid) => return Visited::new(waiting, Outcome::Failed(invalid.to_string())),
    };
    let robots = client.robots(&target, &web.robots);
    let pause = robots.rules().and_then(Robots::crawl_delay);
    if let Err(refusal) = robots.check(&target) {
        // The start is what the model has asked for, so it must know why.
        let outcome = match (waiting.depth, &*robots) {
            (0, _) => Outcome::Failed(format!("{target}: {refusal}")),
            (_, RobotsFile::Unavailable(_)) => Outcome::Skipped("on a host whose robots.txt cannot be read"),
            _ => Outcome::Skipped("forbidden by robots.txt"),
        };
        return Visited { pause, ..Visited::new(waiting, outcome) };
    }
    let (bytes, outcome) = match client.fetch(get(target), &LIMITS) {
        Ok(answer) => (answer.body.len(), of_answer(web, &waiting, &answer)),
        Err(error) => {
            // A server that does not answer in time does not do so later either, and a try costs 20 seconds.
            let is_transient = matches!(error.fault, FetchFault::Connection(_) | FetchFault::Broken(_));
            (0, if is_transient && waiting.tries + 1 < MAX_TRIES { Outcome::Again } else { failed(&error) })
        }
    };
    Visited { pause, bytes, ..Visited::new(waiting, outcome) }
}

impl Visited {
    fn new(waiting: Waiting, outcome: Outcome) -> Self {
        Self { waiting: Some(waiting), pause: None, bytes: 0, outcome }
    }

    /// Returns the result of a visit that has panicked.
    pub(super) fn panicked(waiting: Option<Waiting>) -> Self {
        let address = waiting.as_ref().map(|waiting| format!("{}: ", waiting.url)).unwrap_or_default();
        let outcome = Outcome::Failed(format!("{address}reading the page failed unexpectedly"));
        Self { waiting, pause: None, bytes: 0, outcome }
    }
}

fn failed(error: &dyn std::fmt::Display) -> Outcome {
    Outcome::Failed(error.to_string())
}

fn of_answer(web: &Web, waiting: &Waiting, answer: &Answer) -> Outcome {
    let retry_after = answer.headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
    let seconds = retry_after.and_then(|value| value.trim().parse().ok()).map(Duration::from_secs);
    let wait = if answer.status == 429 { Some(seconds.unwrap_or(USUAL_WAIT)) } else { seconds };
    match (answer.status, wait) {
        (429 | 503, Some(wait)) if waiting.tries + 1 < MAX_TRIES => return Outcome::Later(wait),
        (200..=299, _) => {}
        (status, _) => return failed(&format_args!("{} answers with the status {status}", answer.target)),
    }
    let is_redirected = !answer.redirected_from.is_empty();
    if is_redirected && web.client.robots(&answer.target, &web.robots).check(&answer.target).is_err() {
        return Outcome::Skipped("forbidden by robots.txt");
    }
    let options = Options::default();
    let mut text = match web.extracted(answer, &options) {
        Ok(extracted) => extracted.page,
        Err(ExtractError::NotText { .. }) if waiting.depth > 0 => return Outcome::Skipped("not a page"),
        Err(error) => return failed(&format_args!("{}: {error}", answer.target)),
    };
    let of_page = [&text.title, &text.published].map(|text| text.as_deref().unwrap_or_default());
    if let Some(warning) = manipulated(&[of_page[0], of_page[1], &text.markdown].join("\n")) {
        let warnings: Vec<String> = [format!("the text {warning}")].into_iter().chain(text.warning).collect();
        text.warning = Some(line(&warnings.join("; "), MAX_WARNING));
    }
    let redirects = answer.redirected_from.iter().chain([&answer.target]).map(|target| target.url().clone()).collect();
    Outcome::Page(Box::new(Page { text, redirects, links: links(&document(answer), &options) }))
}

/// Reads the sitemaps of a site: those that its `robots.txt` names, or else the usual one. A site without one is crawled by its links.
pub(super) fn visit_sitemaps(web: &Web, start: &Url) -> Visited {
    let mut pages = Vec::new();
    let end = Instant::now() + SITEMAPS_TIME;
    let mut open = web.client.target(start.as_str()).map(|start| first_sitemaps(web, &start)).unwrap_or_default();
    let mut read = 0;
    while let Some(url) = open.pop()
        && Instant::now() < end
        && pages.len() < MAX_WAITING
    {
        read += 1;
        let Some(found) = read_sitemap(web, &url) else { continue };
        open.extend(found.sitemaps.into_iter().take(MAX_SITEMAPS.saturating_sub(read + open.len())));
        pages.extend(found.pages.into_iter().map(|(page, _)| page));
    }
    Visited { waiting: None, pause: None, bytes: 0, outcome: Outcome::Sitemaps(pages) }
}

fn first_sitemaps(web: &Web, start: &Target) -> Vec<Url> {
    let robots = web.client.robots(start, &web.robots);
    let named = robots.rules().map(Robots::sitemaps).unwrap_or_default();
    let mut first: Vec<Url> = named.iter().filter_map(|text| start.url().join(text).ok()).take(MAX_SITEMAPS).collect();
    if first.is_empty() && !matches!(&*robots, RobotsFile::Unavailable(_)) {
        first.extend(start.url().join("/sitemap.xml"));
    }
    first.reverse();
    first
}

fn read_sitemap(web: &Web, url: &Url) -> Option<Sitemap> {
    let target = web.client.target(url.as_str()).ok()?;
    let limits = Limits { body_bytes: MAX_SITEMAP, ..LIMITS };
    let answer = web.client.fetch(Fetch::get(target), &limits).ok().filter(|answer| answer.status == 200)?;
    if !answer.body.starts_with(&[0x1f, 0x8b]) {
        return Some(sitemap(&answer.body));
    }
    let mut text = Vec::new();
    // What comes before damage counts.
    let _ = MultiGzDecoder::new(&*answer.body).take(MAX_SITEMAP as u64).read_to_end(&mut text);
    Some(sitemap(&text))
}
