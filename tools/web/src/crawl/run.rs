//! Decides which page of a site is visited next, and takes what the visits bring.

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use toolc::Call;
use toolc_extract::PageLinks;
use toolc_redact::Redactor;
use url::Url;

use super::files::{CrawlFiles, Row};
use super::frontier::{Frontier, Next, Reason, Waiting};
use super::scope::{Scope, ScopeSettings};
use super::visit::{Outcome, Page, Visited, visit, visit_sitemaps};
use crate::outside::{manipulated, message, shortened};
use crate::web::Web;

/// The number of pages that are visited at the same time.
const AT_ONCE: usize = 4;
/// A site that demands a longer pause between two pages gets this one.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// The maximum number of titles, and of failures, of a summary, and their lengths in characters.
const MAX_SHOWN: usize = 30;
const MAX_FAILED: usize = 10;
const MAX_TITLE: usize = 120;
const MAX_FAILURE: usize = 400;
/// How often the state is saved, at most, so that a crawl whose process ends can be continued.
const SAVE_EVERY: Duration = Duration::from_secs(10);
/// What a save may take of the time, as the number of times that it would fit in.
const SAVE_SHARE: u32 = 20;
/// How often the crawl looks whether it is cancelled.
const STEP: Duration = Duration::from_millis(50);

/// What a call may spend.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    pub(super) pages: usize,
    pub(super) depth: usize,
    /// The maximum number of bytes of all pages, decompressed, and of all rows. The last row may be longer.
    pub(super) bytes: usize,
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

/// What a crawl has done so far, for a caller that does not wait for its end.
#[derive(Debug, Default)]
pub(super) struct Progress(Mutex<Option<Known>>);

/// A crawl that runs.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) name: String,
    pub(super) rows_path: PathBuf,
    pub(super) rows: usize,
    /// The number of addresses that are left.
    pub(super) left: usize,
}

impl Progress {
    /// Notes what a crawl has done so far.
    pub(super) fn note(&self, files: &CrawlFiles, left: usize) {
        let known = Known { name: files.name().to_owned(), rows_path: files.rows_path(), rows: files.rows(), left };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(known);
    }

    /// Returns what is known. `None` before there are files.
    pub(super) fn known(&self) -> Option<Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What a crawl has done.
#[derive(Debug, Default)]
pub(super) struct Summary {
    pub(super) titles: Vec<String>,
    pub(super) skipped: BTreeMap<Reason, usize>,
    pub(super) failed: Vec<String>,
    pub(super) notes: Vec<String>,
    /// The number of rows that say that their text instructs the model, or is not the one of the page.
    pub(super) warnings: usize,
}

impl Summary {
    fn skip(&mut self, reason: Reason) {
        *self.skipped.entry(reason).or_default() += 1;
    }

    fn fail(&mut self, text: &str) {
        if self.failed.len() < MAX_FAILED {
            self.failed.push(message(text, MAX_FAILURE));
        }
        self.skip("failed");
    }
}

/// A crawl that runs. Visits are on threads of their own, which a crawl that ends early does not wait for.
pub(super) struct Crawl<'c> {
    web: &'c Arc<Web>,
    call: &'c Call<'c>,
    redactor: Redactor,
    files: &'c mut CrawlFiles,
    /// What the caller gets if the call is cancelled.
    progress: &'c Progress,
    settings: ScopeSettings,
    scope: Scope,
    budget: Budget,
    end: Instant,
    frontier: Frontier,
    hosts: BTreeMap<String, Host>,
    /// Whether the sitemaps are being read.
    is_mapping: bool,
    written: usize,
    /// The number of bytes of the pages, decompressed, and of the rows.
    read_bytes: usize,
    row_bytes: usize,
    save_at: Instant,
    results: (Sender<Visited>, Receiver<Visited>),
    summary: Summary,
}

/// A host, and when its next page may be visited. `None` while its first page is visited, which shows the pause that it demands.
struct Host {
    free_at: Option<Instant>,
    pause: Duration,
}

impl<'c> Crawl<'c> {
    /// Returns a crawl that begins, or continues.
    ///
    /// # Errors
    /// If a glob of the settings is not valid.
    pub(super) fn new(
        web: &'c Arc<Web>,
        call: &'c Call<'c>,
        (files, progress): (&'c mut CrawlFiles, &'c Progress),
        (settings, frontier): (ScopeSettings, Frontier),
        budget: Budget,
    ) -> Result<Self, String> {
        let now = Instant::now();
        Ok(Self {
            scope: Scope::new(&settings)?,
            end: now + budget.time,
            hosts: BTreeMap::new(),
            is_mapping: false,
            written: 0,
            read_bytes: 0,
            row_bytes: 0,
            save_at: now,
            results: channel(),
            summary: Summary::default(),
            redactor: call.redactor(),
            web,
            call,
            files,
            progress,
            settings,
            budget,
            frontier,
        })
    }

    /// Visits pages until a limit is reached, or none is left. Returns how it has ended, what it has done, and the number of addresses that are
    /// left.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(super) fn run(mut self) -> io::Result<(Ended, Summary, usize)> {
        // After an error, the crawl can be continued from the state that was saved last.
        let ended = self.visit_all()?;
        // Pages beyond the bytes are visited again.
        while ended != Ended::Bytes
            && let Ok(visited) = self.results.1.try_recv()
        {
            self.take(visited)?;
        }
        self.frontier.settle();
        let left = self.frontier.left();
        if left > 0 {
            self.files.save(&self.settings, &self.frontier)?;
        } else {
            self.files.forget();
        }
        let pause = self.hosts.values().map(|host| host.pause).max().unwrap_or_default();
        if pause > self.web.settings.crawl_pause {
            let note =
                format!("because of robots.txt, the pause between two pages of a host is {} s", pause.as_secs_f32());
            self.summary.notes.push(note);
        }
        Ok((ended, self.summary, left))
    }

    fn visit_all(&mut self) -> io::Result<Ended> {
        loop {
            if let Some(limit) = self.reached() {
                return Ok(limit);
            }
            if Instant::now() >= self.save_at {
                self.save()?;
            }
            let wait = self.start_visits()?;
            if self.frontier.active() == 0 && !self.is_mapping && wait.is_none() {
                return Ok(if self.frontier.left() > 0 { Ended::Depth } else { Ended::Complete });
            }
            if let Ok(visited) = self.results.1.recv_timeout(wait.unwrap_or(STEP).min(STEP)) {
                self.take(visited)?;
                self.progress.note(self.files, self.frontier.left() + self.frontier.active());
            }
        }
    }

    /// Returns the limit that is reached.
    fn reached(&self) -> Option<Ended> {
        let is_full = self.written >= self.budget.pages;
        let limits = [
            (self.call.is_cancelled(), Ended::Cancelled),
            (Instant::now() >= self.end, Ended::Time),
            (self.read_bytes.max(self.row_bytes) >= self.budget.bytes, Ended::Bytes),
            (is_full && self.frontier.left() > 0, Ended::Pages),
        ];
        limits.into_iter().find(|(is_reached, _)| *is_reached).map(|(_, ended)| ended)
    }

    fn save(&mut self) -> io::Result<()> {
        let started = Instant::now();
        self.files.save(&self.settings, &self.frontier)?;
        self.save_at = Instant::now() + SAVE_EVERY.max(started.elapsed() * SAVE_SHARE);
        Ok(())
    }

    /// Starts as many visits as may run. Returns how long to wait for a host, if addresses wait for one only.
    fn start_visits(&mut self) -> io::Result<Option<Duration>> {
        if !self.frontier.is_mapped && !self.is_mapping {
            self.start(None)?;
            self.is_mapping = true;
        }
        // Each page that is being visited may be one more row.
        while self.frontier.active() < AT_ONCE && self.written + self.frontier.active() < self.budget.pages {
            let now = Instant::now();
            let mut wait = STEP;
            let hosts = &self.hosts;
            let next = self.frontier.next(self.budget.depth, |url| {
                let free_at = hosts.get(url.host_str().unwrap_or_default()).map_or(Some(now), |host| host.free_at);
                wait = free_at.map_or(wait, |free_at| wait.min(free_at.saturating_duration_since(now)));
                free_at.is_some_and(|free_at| free_at <= now)
            });
            let waiting = match next {
                Next::Address(waiting) => waiting,
                Next::Later => return Ok(Some(wait)),
                Next::Nothing => return Ok(None),
            };
            let host = waiting.url.host_str().unwrap_or_default().to_owned();
            match self.hosts.get_mut(&host) {
                Some(host) => host.free_at = Some(now + host.pause),
                None => drop(self.hosts.insert(host, Host { free_at: None, pause: Duration::ZERO })),
            }
            self.start(Some(waiting))?;
        }
        Ok(None)
    }

    /// Visits an address, or the sitemaps, on a thread.
    fn start(&self, waiting: Option<Waiting>) -> io::Result<()> {
        let (web, results, start) = (Arc::clone(self.web), self.results.0.clone(), self.settings.start.clone());
        let run = move || {
            let visit = || match waiting.clone() {
                Some(waiting) => visit(&web, waiting),
                None => visit_sitemaps(&web, &start),
            };
            let visited = catch_unwind(AssertUnwindSafe(visit)).unwrap_or_else(|_| Visited::panicked(waiting));
            // The crawl may have ended.
            let _ = results.send(visited);
        };
        thread::Builder::new().name("web_crawl".to_owned()).spawn(run).map(drop)
    }

    /// Takes what a visit has brought.
    fn take(&mut self, visited: Visited) -> io::Result<()> {
        let Visited { waiting, pause, bytes, outcome } = visited;
        self.read_bytes += bytes;
        let Some(waiting) = waiting else {
            self.is_mapping = false;
            self.frontier.is_mapped = true;
            if let Outcome::Sitemaps(pages) = outcome {
                for page in pages {
                    let _ = self.frontier.add(&page, 1, true, &self.scope);
                }
            }
            return Ok(());
        };
        self.note_pause(&waiting.url, pause.unwrap_or_default(), &outcome);
        self.frontier.done(&waiting);
        match outcome {
            Outcome::Page(page) => self.take_page(&waiting, &page)?,
            Outcome::Skipped(reason) => self.summary.skip(reason),
            Outcome::Failed(text) => self.summary.fail(&text),
            Outcome::Later(_) | Outcome::Again => {
                self.frontier.put_back(waiting.tried());
            }
            Outcome::Sitemaps(_) => {}
        }
        Ok(())
    }

    fn note_pause(&mut self, url: &Url, demanded: Duration, outcome: &Outcome) {
        let Some(host) = self.hosts.get_mut(url.host_str().unwrap_or_default()) else { return };
        if host.free_at.is_none() {
            host.pause = demanded.max(self.web.settings.crawl_pause).min(MAX_PAUSE);
            host.free_at = Some(Instant::now() + host.pause);
        }
        if let Outcome::Later(wait) = outcome {
            host.free_at = host.free_at.max(Some(Instant::now() + (*wait).min(MAX_PAUSE)));
        }
    }

    /// Takes a page: writes its row, and adds its links.
    fn take_page(&mut self, waiting: &Waiting, page: &Page) -> io::Result<()> {
        let address = page.text.address.url();
        if waiting.depth == 0 {
            self.follow_start(address);
        } else if !self.scope.contains(address) {
            self.summary.skip("outside of the scope");
            return Ok(());
        }
        if self.frontier.note_redirects(&waiting.url, &page.redirects) {
            self.summary.skip("another address of a page that was read");
            return Ok(());
        }
        // Sites that name another page by mistake exist, so that only another spelling of the address is believed.
        if let Some(preferred) = page.links.canonical.as_ref().filter(|url| is_spelling(url, address)) {
            self.frontier.note_preferred(preferred);
        }
        let text = page.text.markdown.trim();
        let labels: Vec<&str> = page.links.links.iter().map(|link| link.text.as_str()).collect();
        let is_repeated = self.frontier.is_repeated(&[text]);
        // A page with the text of another one may still lead elsewhere, as a list with pictures does.
        if self.frontier.is_repeated(&[&[text, "links"][..], &labels].concat()) {
            self.summary.skip("same text as another page");
            return Ok(());
        }
        match (text.is_empty(), is_repeated) {
            (true, _) => self.note_empty(waiting, page),
            (false, true) => self.summary.skip("same text as another page"),
            (false, false) => self.write(waiting, page)?,
        }
        self.add_links(&page.links, waiting.depth + 1);
        Ok(())
    }

    /// Notes a page without a text. The start is what the model has asked for, so it must know why.
    fn note_empty(&mut self, waiting: &Waiting, page: &Page) {
        if waiting.depth > 0 {
            return self.summary.skip("no text");
        }
        let why = page.text.warning.as_deref().unwrap_or("the document has no text");
        self.summary.fail(&format!("{}: {why}", page.text.address));
    }

    fn write(&mut self, waiting: &Waiting, page: &Page) -> io::Result<()> {
        let (text, path) = (&page.text, page.text.address.url().path());
        let row = Row {
            url: text.address.url().as_str(),
            title: text.title.as_deref(),
            depth: waiting.depth,
            published: text.published.as_deref(),
            warning: text.warning.as_deref(),
            markdown: &text.markdown,
        };
        self.row_bytes += self.files.add(&row, &self.redactor)?;
        self.written += 1;
        self.summary.warnings += usize::from(text.warning.is_some());
        if self.summary.titles.len() < MAX_SHOWN {
            let title = text.title.as_deref().unwrap_or("(no title)");
            let title = shortened(&format!("{}: {title}", shortened(path, MAX_TITLE)), 2 * MAX_TITLE);
            if let (Some(warning), true) = (manipulated(&title), self.summary.notes.is_empty()) {
                self.summary.notes.push(format!("a title {warning}"));
            }
            self.summary.titles.push(title);
        }
        self.call.progress(count(self.written), Some(count(self.budget.pages)), &shortened(path, MAX_TITLE));
        Ok(())
    }

    /// Moves the scope to the page to which the start redirects, if that is on another host, or the start is the name of its folder.
    fn follow_start(&mut self, address: &Url) {
        let is_folder = address.path().strip_suffix('/') == Some(self.settings.start.path());
        if self.scope.contains(address) && !is_folder {
            return;
        }
        let settings = ScopeSettings { start: address.clone(), ..self.settings.clone() };
        // The globs are valid.
        if let Ok(scope) = Scope::new(&settings) {
            (self.settings, self.scope) = (settings, scope);
        }
    }

    fn add_links(&mut self, found: &PageLinks, depth: usize) {
        if found.nofollow {
            return;
        }
        let followed = found.links.iter().filter(|link| !link.nofollow).map(|link| &link.target);
        for url in followed.chain(found.refresh.iter().map(|(_, url)| url)) {
            if let Err(Some(reason)) = self.frontier.add(url, depth, false, &self.scope) {
                self.summary.skip(reason);
            }
        }
    }
}

/// Returns whether an address differs from another one in its scheme, `www.`, parameters or a last slash only.
fn is_spelling(url: &Url, other: &Url) -> bool {
    let host = |url: &Url| url.host_str().unwrap_or_default().trim_start_matches("www.").to_owned();
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    host(url) == host(other) && path(url) == path(other)
}

#[expect(clippy::cast_precision_loss, reason = "there are at most 5,000 pages")]
fn count(pages: usize) -> f64 {
    pages as f64
}
