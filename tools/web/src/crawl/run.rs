//! Visits the pages of a site.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use toolc::Call;
use toolc_extract::{Document, ExtractError, Options, PageLinks, links, sitemap};
use toolc_net::{Answer, Fetch, Limits, RobotsFile, Target, header};
use url::Url;

use super::files::{CrawlFiles, Row};
use super::frontier::{Frontier, Reason, Waiting};
use super::scope::Scope;
use crate::outside::{manipulated, visible};
use crate::web::Web;

/// The number of pages that are fetched at the same time.
const WORKERS: usize = 4;
/// The time of a fetch, and the size of a page.
const LIMITS: Limits =
    Limits { time: Duration::from_secs(20), redirects: 5, header_bytes: 64 << 10, body_bytes: 5 << 20 };
/// The maximum number of bytes of all pages of a call, decompressed.
const MAX_BYTES: usize = 500 << 20;
/// The maximum number of sitemaps of a site that are read, and the size of each, decompressed.
const MAX_SITEMAPS: usize = 5;
const MAX_SITEMAP: usize = 50 << 20;
/// A site that demands a longer pause between two pages gets this one.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// The maximum number of titles, and of failures, of a summary.
const MAX_SHOWN: usize = 30;
const MAX_FAILED: usize = 10;
/// How often a worker that waits looks whether the call is cancelled.
const STEP: Duration = Duration::from_millis(50);

/// What a call may spend.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    pub(super) pages: usize,
    pub(super) depth: usize,
    pub(super) time: Duration,
}

/// Why a crawl has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Complete,
    Pages,
    Depth,
    Bytes,
    Time,
    Cancelled,
}

/// What a crawl has done.
#[derive(Debug)]
pub(super) struct Summary {
    pub(super) ended: Ended,
    pub(super) titles: Vec<String>,
    pub(super) skipped: BTreeMap<Reason, usize>,
    pub(super) failed: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// A crawl that runs.
pub(super) struct Crawl<'w> {
    web: &'w Web,
    scope: Scope,
    budget: Budget,
    state: Mutex<State>,
    changed: Condvar,
}

/// What the workers share.
struct State {
    frontier: Frontier,
    /// The number of pages that are being visited, and of those that were written in this call.
    active: usize,
    written: usize,
    bytes: usize,
    /// When the next page of each host may be fetched.
    free_at: BTreeMap<String, Instant>,
    ended: Option<Ended>,
    failure: Option<io::Error>,
    summary: Summary,
}

/// What a visit has brought.
enum Visit {
    Page(Box<Page>),
    Skipped(Reason),
    Failed(String),
}

struct Page {
    address: Target,
    others: Vec<Url>,
    title: Option<String>,
    published: Option<String>,
    markdown: String,
    warning: Option<String>,
    links: PageLinks,
    bytes: usize,
}

impl<'w> Crawl<'w> {
    pub(super) fn new(web: &'w Web, scope: Scope, budget: Budget, frontier: Frontier) -> Self {
        let summary = Summary {
            ended: Ended::Complete,
            titles: Vec::new(),
            skipped: BTreeMap::new(),
            failed: Vec::new(),
            notes: Vec::new(),
        };
        let (free_at, ended, failure) = Default::default();
        let state = State { frontier, active: 0, written: 0, bytes: 0, free_at, ended, failure, summary };
        Self { web, scope, budget, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Visits pages until a limit is reached, or none is left.
    ///
    /// # Errors
    /// If a row cannot be written.
    pub(super) fn run(self, files: &mut CrawlFiles, call: &Call<'_>) -> io::Result<(Summary, Frontier)> {
        let end = Instant::now() + self.budget.time;
        if files.rows() == 0 {
            self.read_sitemaps();
        }
        let files = Mutex::new(files);
        thread::scope(|scope| {
            for _ in 0..WORKERS {
                scope.spawn(|| self.work(&files, call, end));
            }
        });
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = state.failure {
            return Err(error);
        }
        let ended = state.ended.unwrap_or(Ended::Complete);
        Ok((Summary { ended, ..state.summary }, state.frontier))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, files: &Mutex<&mut CrawlFiles>, call: &Call<'_>, end: Instant) {
        while let Some(waiting) = self.next(call, end) {
            let visit = match self.wait_for_host(&waiting.url, call, end) {
                true => Some(self.visit(&waiting)),
                false => None,
            };
            let mut state = self.lock();
            state.active -= 1;
            match visit {
                None => state.frontier.put_back(waiting),
                Some(Visit::Skipped(reason)) => *state.summary.skipped.entry(reason).or_default() += 1,
                Some(Visit::Failed(text)) => {
                    if state.summary.failed.len() < MAX_FAILED {
                        state.summary.failed.push(text);
                    }
                    *state.summary.skipped.entry("failed").or_default() += 1;
                }
                Some(Visit::Page(page)) => {
                    if let Err(error) = self.take(&mut state, &waiting, &page, files) {
                        state.failure = Some(error);
                        state.ended = Some(Ended::Cancelled);
                    }
                    let (done, total) = (count(state.written), count(self.budget.pages));
                    call.progress(done, Some(total), page.address.url().path());
                }
            }
            drop(state);
            self.changed.notify_all();
        }
        self.changed.notify_all();
    }

    /// Returns the next address. `None` if the crawl has ended.
    fn next(&self, call: &Call<'_>, end: Instant) -> Option<Waiting> {
        let mut state = self.lock();
        loop {
            if state.ended.is_some() {
                return None;
            }
            let limit = [
                (call.is_cancelled(), Ended::Cancelled),
                (Instant::now() >= end, Ended::Time),
                (state.bytes >= MAX_BYTES, Ended::Bytes),
                (state.written >= self.budget.pages && state.frontier.left() > 0, Ended::Pages),
            ];
            if let Some((_, reached)) = limit.into_iter().find(|(is_reached, _)| *is_reached) {
                state.ended = Some(reached);
                return None;
            }
            // Each page that is being visited may be one more row.
            if state.written + state.active < self.budget.pages
                && let Some(next) = state.frontier.next(self.budget.depth)
            {
                state.active += 1;
                return Some(next);
            }
            if state.active == 0 {
                state.ended = Some(if state.frontier.left() > 0 { Ended::Depth } else { Ended::Complete });
                return None;
            }
            state =
                self.changed.wait_timeout(state, STEP).map_or_else(|error| error.into_inner().0, |(state, _)| state);
        }
    }

    /// Waits until a page of a host may be fetched. Returns false if the crawl has ended before.
    fn wait_for_host(&self, url: &Url, call: &Call<'_>, end: Instant) -> bool {
        let demanded = self.web.client.target(url.as_str()).ok().and_then(|target| {
            self.web.client.robots(&target, &self.web.robots).rules().and_then(toolc_net::Robots::crawl_delay)
        });
        let pause = demanded.unwrap_or_default().max(self.web.settings.crawl_pause).min(MAX_PAUSE);
        if pause.is_zero() {
            return true;
        }
        let start = {
            let mut state = self.lock();
            let free_at =
                state.free_at.entry(url.host_str().unwrap_or_default().to_owned()).or_insert_with(Instant::now);
            let start = (*free_at).max(Instant::now());
            *free_at = start + pause;
            start
        };
        while Instant::now() < start {
            if call.is_cancelled() || Instant::now() >= end || self.lock().ended.is_some() {
                return false;
            }
            thread::sleep(STEP.min(start.saturating_duration_since(Instant::now())));
        }
        true
    }

    fn visit(&self, waiting: &Waiting) -> Visit {
        let client = &self.web.client;
        let target = match client.target(waiting.url.as_str()) {
            Ok(target) => target,
            Err(invalid) => return Visit::Failed(invalid.to_string()),
        };
        if let Err(refusal) = client.robots(&target, &self.web.robots).check(&target) {
            // The start is what the model has asked for, so it is told.
            return if waiting.depth == 0 {
                Visit::Failed(format!("{target}: {refusal}"))
            } else {
                Visit::Skipped("forbidden by robots.txt")
            };
        }
        match client.fetch(Fetch::get(target), &LIMITS) {
            Ok(answer) if answer.status >= 400 => {
                Visit::Failed(format!("{} answers with the status {}", answer.target, answer.status))
            }
            Ok(answer) if waiting.depth > 0 && !self.scope.contains(answer.target.url()) => {
                Visit::Skipped("outside of the scope")
            }
            Ok(answer) => read_page(&answer),
            Err(error) => Visit::Failed(error.to_string()),
        }
    }

    /// Takes a page: writes its row, and adds its links.
    fn take(
        &self,
        state: &mut State,
        waiting: &Waiting,
        page: &Page,
        files: &Mutex<&mut CrawlFiles>,
    ) -> io::Result<()> {
        state.bytes += page.bytes;
        let canonical = page.links.canonical.iter().filter(|url| self.scope.contains(url));
        let others: Vec<Url> = page.others.iter().chain(canonical).cloned().collect();
        if state.frontier.note_others(&waiting.url, &others) {
            *state.summary.skipped.entry("another address of a page that was read").or_default() += 1;
            return Ok(());
        }
        if state.frontier.is_repeated(&page.markdown) {
            *state.summary.skipped.entry("same text as another page").or_default() += 1;
            return Ok(());
        }
        let url = page.address.to_string();
        let row = Row {
            url: &url,
            title: page.title.as_deref(),
            depth: waiting.depth,
            published: page.published.as_deref(),
            markdown: &page.markdown,
            warning: page.warning.as_deref(),
        };
        files.lock().unwrap_or_else(PoisonError::into_inner).add(&row)?;
        state.written += 1;
        if state.summary.titles.len() < MAX_SHOWN {
            let title = page.title.as_deref().unwrap_or("(no title)");
            state.summary.titles.push(format!("{}: {title}", page.address.url().path()));
        }
        self.add_links(state, &page.links, waiting.depth + 1);
        Ok(())
    }

    fn add_links(&self, state: &mut State, found: &PageLinks, depth: usize) {
        if found.nofollow {
            return;
        }
        let followed = found.links.iter().filter(|link| !link.nofollow).map(|link| &link.target);
        for url in followed.chain(found.refresh.iter().map(|(_, url)| url)) {
            if let Err(Some(reason)) = state.frontier.add(url, depth, &self.scope) {
                *state.summary.skipped.entry(reason).or_default() += 1;
            }
        }
    }

    /// Adds the pages of the sitemaps of the site. A site without one is crawled by its links.
    fn read_sitemaps(&self) {
        let client = &self.web.client;
        let Some(start) = self.lock().frontier.first() else { return };
        let Ok(start) = client.target(start.as_str()) else { return };
        let robots = client.robots(&start, &self.web.robots);
        let mut open: Vec<Url> = match &*robots {
            RobotsFile::Rules(rules) => {
                rules.sitemaps().iter().filter_map(|text| start.url().join(text).ok()).collect()
            }
            _ => Vec::new(),
        };
        if open.is_empty() {
            open.extend(start.url().join("/sitemap.xml"));
        }
        open.truncate(MAX_SITEMAPS);
        let mut read = 0;
        while let Some(url) = open.pop() {
            read += 1;
            let Some(found) = self.sitemap(&url) else { continue };
            open.extend(found.sitemaps.into_iter().take(MAX_SITEMAPS.saturating_sub(read + open.len())));
            let mut state = self.lock();
            for (page, _) in &found.pages {
                let _ = state.frontier.add(page, 1, &self.scope);
            }
        }
    }

    fn sitemap(&self, url: &Url) -> Option<toolc_extract::Sitemap> {
        let target = self.web.client.target(url.as_str()).ok()?;
        let limits = Limits { body_bytes: MAX_SITEMAP, ..LIMITS };
        let answer = self.web.client.fetch(Fetch::get(target), &limits).ok().filter(|answer| answer.status == 200)?;
        if !answer.body.starts_with(&[0x1f, 0x8b]) {
            return Some(sitemap(&answer.body));
        }
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(&*answer.body).take(MAX_SITEMAP as u64).read_to_end(&mut text).ok()?;
        Some(sitemap(&text))
    }
}

/// Takes the text and the links of an answer.
fn read_page(answer: &Answer) -> Visit {
    let content_type = answer.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let document = Document { bytes: &answer.body, content_type, address: answer.target.url() };
    let options = Options::default();
    let page = match toolc_extract::extract(&document, &options) {
        Ok(page) => page,
        Err(ExtractError::NotText { .. }) => return Visit::Skipped("not a page"),
        Err(error) => return Visit::Failed(format!("{}: {error}", answer.target)),
    };
    let markdown = visible(page.markdown);
    let mut warnings: Vec<String> = (!page.quality.is_good()).then(|| page.quality.to_string()).into_iter().collect();
    warnings.extend(manipulated(&markdown).map(|warning| format!("the text {warning}")));
    Visit::Page(Box::new(Page {
        address: answer.target.clone(),
        others: answer.redirected_from.iter().chain([&answer.target]).map(|target| target.url().clone()).collect(),
        title: page.title.map(visible),
        published: page.published.map(|published| published.at.unwrap_or(published.written)),
        markdown,
        warning: (!warnings.is_empty()).then(|| warnings.join("; ")),
        links: links(&document, &options),
        bytes: answer.body.len(),
    }))
}

#[expect(clippy::cast_precision_loss, reason = "there are at most 5,000 pages")]
fn count(pages: usize) -> f64 {
    pages as f64
}
