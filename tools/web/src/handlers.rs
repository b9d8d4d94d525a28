//! The handlers: arguments become requests, and what was found becomes results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::thread;

use toolc::{Call, ToolError};
use toolc_catalog::web::{WebTools, web_crawl, web_extract, web_search};
use toolc_extract::{headings, part, section};

use crate::crawl;
use crate::kept::{MAX_PUBLISHED, MAX_WARNING, ReadPage};
use crate::outside::{line, manipulated, message, shortened, visible};
use crate::pages::tried_text;
use crate::search::{self, Configured, Found, Freshness, Query};
use crate::service::{Ended, Outcome, Tried};
use crate::settings::WebSettings;
use crate::web::Web;

/// The maximum number of headings of a result.
const MAX_HEADINGS: usize = 60;
/// The maximum length of a heading, and of all headings of an error together, in characters.
const MAX_HEADING: usize = 200;
const MAX_KNOWN: usize = 2_000;
/// The maximum length of a note of a search, in characters.
const MAX_NOTE: usize = 2_000;

/// The handlers of the toolset `web`.
///
/// ```
/// use toolc_web::{WebHandlers, WebSettings};
///
/// let settings = WebSettings { search: vec!["searxng".to_owned()], ..WebSettings::default() };
/// let handlers = WebHandlers::new(settings);
/// ```
#[derive(Default)]
pub struct WebHandlers {
    settings: WebSettings,
    /// Made on first use: most sessions never use the web.
    web: OnceLock<Arc<Web>>,
}

impl fmt::Debug for WebHandlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebHandlers").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl WebHandlers {
    /// Returns handlers with these settings.
    pub fn new(settings: WebSettings) -> Self {
        Self { settings, web: OnceLock::new() }
    }

    fn web(&self) -> &Arc<Web> {
        self.web.get_or_init(|| Arc::new(Web::new(self.settings.clone())))
    }
}

impl WebTools for WebHandlers {
    fn web_search(&self, args: web_search::Args, call: &Call<'_>) -> Result<web_search::Returns, ToolError> {
        let web = self.web();
        let query = query(&args)?;
        let variables = |name: &str| web.variable(call, name);
        let (mut services, mut problems): (Vec<Configured>, Vec<String>) = Default::default();
        let is_named = !web.settings.search.is_empty();
        for service in web.settings.services() {
            match service.configure(&variables) {
                // Some services answer without a key: they are asked only if a person names them.
                Ok(configured) => services.extend((is_named || configured.access.is_named()).then_some(configured)),
                // A usual service without a key or an address is not an option. A wrong one is a mistake of a person.
                Err(problem) => problems.extend((is_named || !problem.is_missing()).then(|| problem.to_string())),
            }
        }
        if services.is_empty() {
            let why = if problems.is_empty() { "no search service has a key".to_owned() } else { problems.join("; ") };
            return Err(ToolError::new(format!("{why}: `toolc doctor` lists what can be set")));
        }
        let found = web.with_chain(call, |chain| search::search(chain, &services, &query));
        results(found, problems)
    }

    fn web_extract(&self, args: web_extract::Args, call: &Call<'_>) -> Result<web_extract::Returns, ToolError> {
        let web = self.web();
        // An address that is named twice is read once.
        let addresses: BTreeSet<&String> = args.urls.iter().collect();
        let is_continued = args.offset > 0 || args.heading.is_some();
        let read = |url: &str| web.read(url, args.whole_page, is_continued, call);
        let read: BTreeMap<&String, Result<Arc<ReadPage>, String>> = thread::scope(|scope| {
            let threads: Vec<_> = addresses.iter().map(|url| (*url, scope.spawn(move || read(url)))).collect();
            let panicked = || Err("reading the page failed unexpectedly".to_owned());
            threads.into_iter().map(|(url, thread)| (url, thread.join().unwrap_or_else(|_| panicked()))).collect()
        });
        let failures: Vec<&str> = read.values().filter_map(|page| page.as_ref().err().map(String::as_str)).collect();
        if failures.len() == read.len() {
            return Err(ToolError::new(failures.join("\n")));
        }
        let pages = args.urls.iter().map(|url| match &read[url] {
            Ok(page) => shown(url, page, &args, call),
            Err(error) => item(url, Some(error.clone())),
        });
        Ok(web_extract::Returns { pages: pages.collect() })
    }

    async fn web_crawl(&self, args: web_crawl::Args, call: &Call<'_>) -> Result<web_crawl::Returns, ToolError> {
        crawl::handle(self.web(), args, call).await
    }
}

fn query(args: &web_search::Args) -> Result<Query, ToolError> {
    let invalid = |error: &dyn fmt::Display| ToolError::new(error.to_string());
    let domains = |texts: &Option<Vec<String>>| {
        let read = texts.iter().flatten().map(|text| text.parse()).collect::<Result<Vec<_>, search::InvalidDomain>>();
        read.map_err(|error| invalid(&error))
    };
    let mut query = Query::new(&args.query).map_err(|error| invalid(&error))?;
    query.count = usize::try_from(args.limit).unwrap_or(1);
    query.freshness = args.freshness.map(|freshness| match freshness {
        web_search::Freshness::Day => Freshness::Day,
        web_search::Freshness::Week => Freshness::Week,
        web_search::Freshness::Month => Freshness::Month,
        web_search::Freshness::Year => Freshness::Year,
    });
    query.include_domains = domains(&args.domains)?;
    query.exclude_domains = domains(&args.exclude_domains)?;
    query.language = args.language.as_deref().map(str::parse).transpose().map_err(|error| invalid(&error))?;
    query.country = args.country.as_deref().map(str::parse).transpose().map_err(|error| invalid(&error))?;
    Ok(query)
}

fn results(found: Found, problems: Vec<String>) -> Result<web_search::Returns, ToolError> {
    let Found { results, service, ignored, tried, ended, .. } = found;
    let failed: Vec<Tried> = tried.iter().filter(|tried| Some(tried.service) != service).cloned().collect();
    match ended {
        Ended::Answered | Ended::Empty => {}
        Ended::Failed => {
            return Err(unanswered("no search service has answered", &failed));
        }
        Ended::OutOfTime => {
            return Err(unanswered("no search service has answered in time", &failed));
        }
        Ended::Cancelled => return Err(ToolError::new("the search was cancelled")),
    }
    // A service that has answered may have been kept from answering completely.
    let flaws = tried.iter().filter(|tried| tried.outcome == Outcome::Ok && tried.detail.is_some()).cloned();
    let shown: Vec<Tried> = failed.into_iter().chain(flaws).collect();
    let mut notes = problems;
    notes.extend((!shown.is_empty()).then(|| message(&tried_text(&shown), MAX_NOTE)));
    if let (false, Some(service)) = (ignored.is_empty(), service) {
        notes.push(format!("{service} has ignored {}", ignored.join(" and ")));
    }
    let item = |result: search::SearchResult| web_search::ReturnsResultsItem {
        title: visible(&result.title).into_owned(),
        url: result.url,
        snippet: visible(&result.snippet).into_owned(),
        published: result.published.map(|published| line(&published, MAX_PUBLISHED)),
    };
    let results: Vec<_> = results.into_iter().map(item).collect();
    let warnings = results.iter().filter_map(|result| {
        let published = result.published.as_deref().unwrap_or_default();
        manipulated(&[&result.title, &result.snippet, published].join("\n"))
    });
    notes.extend(warnings.take(1).map(|warning| format!("a result {warning}")));
    Ok(web_search::Returns {
        service: service.map(str::to_owned),
        note: (!notes.is_empty()).then(|| notes.join("; ")),
        results,
    })
}

fn unanswered(what: &str, tried: &[Tried]) -> ToolError {
    ToolError::new(message(&format!("{what}: {}", tried_text(tried)), MAX_NOTE))
}

/// Returns the part of a page that a call asks for.
fn shown(url: &str, page: &ReadPage, args: &web_extract::Args, call: &Call<'_>) -> web_extract::ReturnsPagesItem {
    let whole = page.markdown.as_str();
    let text = match args.heading.as_deref().map(|heading| section(whole, heading).ok_or(heading)) {
        None => whole,
        Some(Ok(section)) => section,
        Some(Err(heading)) => {
            return without_heading(url, whole, heading);
        }
    };
    let (offset, limit) = (usize::try_from(args.offset), usize::try_from(args.char_limit));
    let part = part(text, offset.unwrap_or(usize::MAX), limit.unwrap_or(usize::MAX));
    let is_part = part.text.len() < whole.len();
    let headings = (is_part && args.offset == 0).then(|| outline(whole));
    // Once: the other parts are in the same file.
    let stored = (is_part && args.offset == 0 && args.heading.is_none()).then(|| call.store_text(whole)).flatten();
    let stored = stored.and_then(Result::ok).map(|stored| stored.name);
    let of_page =
        [&page.title, &page.published, &page.language, &page.warning].map(|text| text.as_deref().unwrap_or_default());
    let said = [&of_page.join("\n"), &headings.as_deref().unwrap_or_default().join("\n"), part.text].join("\n");
    let marked = manipulated(&said).map(|warning| format!("the text {warning}"));
    let in_file = || stored.as_ref().and_then(|_| manipulated(whole));
    let in_file = || in_file().map(|warning| format!("the stored file contains a text that {warning}"));
    // First, because a long warning is cut.
    let mut warnings: Vec<String> = marked.or_else(in_file).into_iter().chain(page.warning.clone()).collect();
    if part.text.is_empty() && part.offset > 0 {
        warnings.push(format!("the text has only {} bytes", text.len()));
    }
    web_extract::ReturnsPagesItem {
        redirected_to: page.is_redirected.then(|| page.address.to_string()),
        title: page.title.clone(),
        published: page.published.clone(),
        language: page.language.clone(),
        total_chars: is_part.then(|| i64::try_from(whole.chars().count()).unwrap_or(i64::MAX)),
        next_offset: part.next.and_then(|next| i64::try_from(next).ok()),
        headings,
        stored,
        service: page.reader.map(str::to_owned),
        warning: (!warnings.is_empty()).then(|| line(&warnings.join("; "), MAX_WARNING)),
        content: Some(part.text.to_owned()),
        ..item(url, None)
    }
}

/// Returns the result for a heading that the page does not have: the first ones that it has.
fn without_heading(url: &str, whole: &str, heading: &str) -> web_extract::ReturnsPagesItem {
    let known = shortened(&outline(whole).join("`, `"), MAX_KNOWN);
    if known.is_empty() {
        return item(url, Some("the page has no headings".to_owned()));
    }
    let heading = line(heading, MAX_HEADING);
    let warning = manipulated(&known).map(|warning| format!("a heading {warning}"));
    let error = format!("the page has no heading `{heading}`: its headings are `{known}`");
    web_extract::ReturnsPagesItem { warning, ..item(url, Some(error)) }
}

fn item(url: &str, error: Option<String>) -> web_extract::ReturnsPagesItem {
    web_extract::ReturnsPagesItem {
        url: url.to_owned(),
        redirected_to: None,
        title: None,
        published: None,
        language: None,
        content: None,
        total_chars: None,
        next_offset: None,
        headings: None,
        stored: None,
        service: None,
        warning: None,
        error,
    }
}

fn outline(markdown: &str) -> Vec<String> {
    headings(markdown).into_iter().take(MAX_HEADINGS).map(|heading| line(&heading.text, MAX_HEADING)).collect()
}
