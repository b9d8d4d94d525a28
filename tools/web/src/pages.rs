//! Reads a page: fetches it and takes its text, or asks a service for it that can read what cannot be fetched.

use std::sync::Arc;

use toolc::Call;
use toolc_extract::{Document, Fault, Options};
use toolc_net::{Answer, Fetch, FetchError, Limits, Target, header};

use crate::kept::ReadPage;
use crate::readers::{self, ConfiguredReader, PublicAddress};
use crate::vendor::Tried;
use crate::web::Web;

/// What the client accepts. Servers that can answer in several forms choose by it.
const ACCEPT: &str = "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,application/json;q=0.8,*/*;q=0.7";

impl Web {
    /// Reads an address that a model or a page names. A part of a page that was read before needs no further fetch.
    ///
    /// # Errors
    /// Returns why there is no text.
    pub(crate) fn read(&self, text: &str, is_whole: bool, call: &Call<'_>) -> Result<Arc<ReadPage>, String> {
        let target = self.target(text)?;
        let address = target.to_string();
        if let Some(page) = self.pages.get(&address, is_whole) {
            return Ok(page);
        }
        let page = Arc::new(self.read_anew(target, is_whole, call)?);
        self.pages.put(&address, is_whole, &page);
        Ok(page)
    }

    /// Returns the target of an address. Models often leave `https://` out.
    pub(crate) fn target(&self, text: &str) -> Result<Target, String> {
        let text = text.trim();
        let lacks_scheme = !text.contains("://") && text.split(['/', '?', '#']).next().is_some_and(is_host);
        let parsed =
            if lacks_scheme { self.client.target(&format!("https://{text}")) } else { self.client.target(text) };
        parsed.map_err(|invalid| invalid.to_string())
    }

    fn read_anew(&self, target: Target, is_whole: bool, call: &Call<'_>) -> Result<ReadPage, String> {
        let own = self.fetch_page(&target, is_whole);
        let problem = match &own {
            Ok(page) if !page.is_poor => {
                return Ok(own.map(|page| page.page).unwrap_or_else(|_| unreachable!("matched")));
            }
            Ok(page) => page.page.warning.clone().unwrap_or_default(),
            Err(failed) if !failed.can_be_read_elsewhere => return Err(failed.text.clone()),
            Err(failed) => failed.text.clone(),
        };
        match self.read_elsewhere(&target, call) {
            Ok(page) => Ok(page),
            Err(note) => match own {
                Ok(Fetched { page, .. }) if !page.markdown.is_empty() => {
                    Ok(ReadPage { warning: Some(joined(&problem, &note)), ..page })
                }
                _ => Err(joined(&problem, &note)),
            },
        }
    }

    /// Fetches a page and takes its text.
    fn fetch_page(&self, target: &Target, is_whole: bool) -> Result<Fetched, Failed> {
        let fetch = Fetch::get(target.clone()).with_header(header::ACCEPT, header_value(ACCEPT));
        let answer = self.client.fetch(fetch, &Limits::default()).map_err(|error| Failed::of_fetch(&error))?;
        if answer.status >= 400 {
            return Err(Failed::of_status(&answer));
        }
        extracted(&answer, is_whole).map_err(|text| Failed { text, can_be_read_elsewhere: false })
    }

    /// Asks services to read a page. Returns a note if none has: it is empty if there are none.
    fn read_elsewhere(&self, target: &Target, call: &Call<'_>) -> Result<ReadPage, String> {
        let variables = |name: &str| self.variable(call, name);
        let is_named = !self.settings.readers.is_empty();
        let configured = self.settings.readers().filter_map(|reader| reader.configure(&variables).ok());
        // A reader that needs no key is asked only if a person names it: it learns the address.
        let configured: Vec<ConfiguredReader> =
            configured.filter(|configured| is_named || configured.access.is_named()).collect();
        if configured.is_empty() {
            return Err(String::new());
        }
        let address = PublicAddress::new(target.url()).map_err(|withheld| withheld.to_string())?;
        let read = self.with_chain(call, |chain| readers::read(chain, &configured, &address));
        match read.page {
            Some(page) => Ok(ReadPage {
                address: target.clone(),
                title: page.title,
                published: page.published,
                language: None,
                warning: page.is_cut.then(|| Fault::Truncated.to_string()),
                markdown: page.markdown,
                reader: read.reader,
            }),
            None => Err(tried_text(&read.tried)),
        }
    }
}

/// A page with what is known about its text.
struct Fetched {
    page: ReadPage,
    /// Whether the text is not the one that was asked for.
    is_poor: bool,
}

/// Why a page cannot be fetched.
struct Failed {
    text: String,
    /// Whether a service could be able to read it. What the policy refuses is not sent to a service either.
    can_be_read_elsewhere: bool,
}

impl Failed {
    fn of_fetch(error: &FetchError) -> Self {
        Self { text: error.to_string(), can_be_read_elsewhere: error.fault.may_pass() }
    }

    fn of_status(answer: &Answer) -> Self {
        let status = answer.status;
        let meaning = match status {
            401 => " (it asks to log in)",
            402 => " (it asks to pay)",
            403 => " (it refuses programs, or everyone)",
            404 | 410 => " (there is no such page)",
            429 => " (it was asked too often)",
            500..=599 => " (it has failed)",
            _ => "",
        };
        let text = format!("{} answers with the status {status}{meaning}", answer.target);
        Self { text, can_be_read_elsewhere: matches!(status, 402 | 403 | 406 | 429 | 451 | 500..=599) }
    }
}

/// Takes the text of an answer.
fn extracted(answer: &Answer, is_whole: bool) -> Result<Fetched, String> {
    let content_type = answer.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let document = Document { bytes: &answer.body, content_type, address: answer.target.url() };
    let options = Options { whole_page: is_whole, ..Options::default() };
    let page = toolc_extract::extract(&document, &options).map_err(|error| format!("{}: {error}", answer.target))?;
    let is_poor = page.quality.is_fatal() || page.markdown.trim().is_empty();
    let mut faults: Vec<String> = (!page.quality.is_good()).then(|| page.quality.to_string()).into_iter().collect();
    if answer.is_cut && !page.quality.faults.contains(&Fault::Truncated) {
        faults.push(Fault::Truncated.to_string());
    }
    let page = ReadPage {
        address: answer.target.clone(),
        title: page.title,
        published: page.published.map(|published| published.at.unwrap_or(published.written)),
        language: page.language,
        markdown: page.markdown,
        reader: None,
        warning: (!faults.is_empty()).then(|| faults.join("; ")),
    };
    Ok(Fetched { page, is_poor })
}

/// Returns what was tried, for people and models.
pub(crate) fn tried_text(tried: &[Tried]) -> String {
    let one = |tried: &Tried| match &tried.detail {
        Some(detail) => format!("{}: {} ({detail})", tried.provider, tried.outcome),
        None => format!("{}: {}", tried.provider, tried.outcome),
    };
    tried.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn joined(problem: &str, note: &str) -> String {
    [problem, note].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
}

fn is_host(text: &str) -> bool {
    text.contains('.') && !text.contains(char::is_whitespace)
}

fn header_value(text: &'static str) -> toolc_net::HeaderValue {
    toolc_net::HeaderValue::from_static(text)
}
