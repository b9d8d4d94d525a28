//! Reads a page: fetches it and takes its text, or asks a service for it that can read what cannot be fetched.

use std::sync::Arc;
use std::time::Duration;

use toolc::Call;
use toolc_extract::{Document, ExtractError, Fault, Options, extract, is_pdf};
use toolc_net::{Answer, Fetch, FetchError, HeaderValue, Limits, Target, header};

use crate::kept::{MAX_WARNING, ReadPage};
use crate::outside::{line, message};
use crate::readers::{self, ConfiguredReader, PublicAddress, Withheld};
use crate::service::Tried;
use crate::web::Web;

/// What the client accepts. Servers that can answer in several forms choose by it.
const ACCEPT: &str = "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,application/json;q=0.8,*/*;q=0.7";
/// The maximum length of what a service says, in characters.
const MAX_DETAIL: usize = 400;
/// The bounds of a page. PDF files are often larger than other pages.
const LIMITS: Limits =
    Limits { time: Duration::from_secs(30), redirects: 5, header_bytes: 64 << 10, body_bytes: 20 << 20 };

impl Web {
    /// Reads an address that a model or a page names. A page that was read before needs no further fetch; on a private host, where pages
    /// are often being worked on, only its further parts do not.
    ///
    /// # Errors
    /// Returns why there is no text.
    pub(crate) fn read(
        &self,
        text: &str,
        is_whole: bool,
        is_continued: bool,
        call: &Call<'_>,
    ) -> Result<Arc<ReadPage>, String> {
        let short = |error: String| message(&error, MAX_WARNING);
        let target = self.target(text).map_err(short)?;
        let address = target.to_string();
        if let Some(page) = self.pages.get(&address, is_whole).filter(|page| is_continued || !page.is_private) {
            return Ok(page);
        }
        let page = Arc::new(self.read_anew(&target, is_whole, call).map_err(short)?);
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

    fn read_anew(&self, target: &Target, is_whole: bool, call: &Call<'_>) -> Result<ReadPage, String> {
        let (own, problem) = match self.fetch_page(target, is_whole) {
            Ok(Extracted { page, is_for_readers: false }) => return Ok(page),
            Ok(Extracted { page, .. }) => {
                let problem = page.warning.clone().unwrap_or_default();
                let own = (!page.markdown.trim().is_empty()).then_some(page);
                (own, format!("{target}: {problem}"))
            }
            Err(Failed { text, can_be_read_elsewhere: true }) => (None, text),
            Err(Failed { text, .. }) => return Err(text),
        };
        match (self.read_elsewhere(target, call), own) {
            (Ok(page), _) => Ok(page),
            (Err(note), Some(page)) => {
                let warning = joined(page.warning.as_deref().unwrap_or_default(), &note);
                Ok(ReadPage { warning: Some(line(&warning, MAX_WARNING)), ..page })
            }
            (Err(note), None) => Err(joined(&problem, &note)),
        }
    }

    /// Fetches a page and takes its text.
    fn fetch_page(&self, target: &Target, is_whole: bool) -> Result<Extracted, Failed> {
        let answer = self.client.fetch(get(target.clone()), &LIMITS).map_err(|error| Failed::of_fetch(&error))?;
        if !(200..300).contains(&answer.status) {
            return Err(Failed::of_status(&answer));
        }
        let options = Options { whole_page: is_whole, ..Options::default() };
        self.extracted(&answer, &options)
            .map_err(|error| Failed { text: format!("{}: {error}", answer.target), can_be_read_elsewhere: false })
    }

    /// Takes the text of an answer.
    ///
    /// # Errors
    /// If it is a file without text, or cannot be read.
    pub(crate) fn extracted(&self, answer: &Answer, options: &Options) -> Result<Extracted, ExtractError> {
        let document = document(answer);
        let mut page = match &self.settings.pdf {
            _ if !is_pdf(&document) => extract(&document, options)?,
            Some(program) => program.read(document.bytes)?,
            None => return Err(ExtractError::Pdf("this program has no `WebSettings::pdf`".to_owned())),
        };
        if is_challenge(answer) && !page.quality.is_fatal() {
            page.quality.faults.insert(0, Fault::BotCheck);
        }
        let is_empty = page.markdown.trim().is_empty();
        // A service has no account, and does not find what the site does not have.
        let is_final = page.quality.faults.iter().any(|fault| matches!(fault, Fault::Login | Fault::NotFound));
        let is_for_readers = is_empty || (page.quality.is_fatal() && !is_final);
        let mut faults: Vec<String> = (!page.quality.is_good()).then(|| page.quality.to_string()).into_iter().collect();
        if answer.is_cut && !page.quality.faults.contains(&Fault::Truncated) {
            faults.push(Fault::Truncated.to_string());
        }
        let page = ReadPage {
            address: answer.target.clone(),
            is_redirected: !answer.redirected_from.is_empty(),
            is_private: answer
                .redirected_from
                .iter()
                .chain([&answer.target])
                .any(|target| self.client.is_private(target)),
            title: page.title,
            published: page.published.map(|published| published.at.unwrap_or(published.written)),
            language: page.language,
            markdown: page.markdown,
            reader: None,
            warning: (!faults.is_empty()).then(|| faults.join("; ")),
        };
        Ok(Extracted { page: page.cleaned(), is_for_readers })
    }

    /// Asks services to read a page. Returns a note if none has: it is empty if there are none.
    fn read_elsewhere(&self, target: &Target, call: &Call<'_>) -> Result<ReadPage, String> {
        let variables = |name: &str| self.variable(call, name);
        let is_named = !self.settings.readers.is_empty();
        let (mut configured, mut problems): (Vec<ConfiguredReader>, Vec<String>) = Default::default();
        for reader in self.settings.readers() {
            match reader.configure(&variables) {
                // A reader that needs no key is asked only if a person names it: it learns the address.
                Ok(reader) => configured.extend((is_named || reader.access.is_named()).then_some(reader)),
                Err(problem) => problems.extend((is_named || !problem.is_missing()).then(|| problem.to_string())),
            }
        }
        if configured.is_empty() {
            return Err(problems.join("; "));
        }
        let address = PublicAddress::new(target.url()).map_err(|withheld| withheld.to_string())?;
        // A private host can have a name that does not show it.
        if !self.client.is_public(target) {
            return Err(Withheld::NotPublic.to_string());
        }
        let read = self.with_chain(call, |chain| readers::read(chain, &configured, &address));
        match read.page {
            Some(page) => Ok(ReadPage {
                address: target.clone(),
                is_redirected: false,
                is_private: false,
                title: page.title,
                published: page.published,
                language: None,
                warning: page.is_cut.then(|| Fault::Truncated.to_string()),
                markdown: page.markdown,
                reader: read.reader,
            }
            .cleaned()),
            None => Err(joined(&tried_text(&read.tried), &problems.join("; "))),
        }
    }
}

/// Returns the request for a page.
pub(crate) fn get(target: Target) -> Fetch {
    Fetch::get(target).with_header(header::ACCEPT, HeaderValue::from_static(ACCEPT))
}

/// The text of an answer.
pub(crate) struct Extracted {
    pub(crate) page: ReadPage,
    /// Whether the text is missing, and a service that runs scripts or looks like a browser could have it.
    is_for_readers: bool,
}

/// Why a page cannot be fetched.
struct Failed {
    text: String,
    /// Whether a service could be able to read it. What the policy refuses is not sent to a service either.
    can_be_read_elsewhere: bool,
}

impl Failed {
    fn of_fetch(error: &FetchError) -> Self {
        Self { text: error.to_string(), can_be_read_elsewhere: error.fault.is_transient() }
    }

    fn of_status(answer: &Answer) -> Self {
        let status = answer.status;
        let meaning = match status {
            _ if is_challenge(answer) => " (it checks whether its reader is a person)",
            401 => " (it asks to log in)",
            402 => " (it asks to pay)",
            403 => " (it refuses programs, or everyone)",
            404 | 410 => " (there is no such page)",
            429 => " (it was asked too often)",
            500..=599 => " (it has failed)",
            300..=399 => " (it redirects, and does not say where)",
            _ => "",
        };
        let text = format!("{} answers with the status {status}{meaning}", answer.target);
        Self {
            text,
            can_be_read_elsewhere: is_challenge(answer) || matches!(status, 402 | 403 | 406 | 429 | 451 | 500..=599),
        }
    }
}

/// Returns whether the headers of an answer say that it checks whether its reader is a person: those of Cloudflare and AWS.
fn is_challenge(answer: &Answer) -> bool {
    let header = |name: &str| answer.headers.get(name).map(|value| value.as_bytes().trim_ascii().to_ascii_lowercase());
    header("cf-mitigated").is_some_and(|value| value == b"challenge")
        || header("x-amzn-waf-action").is_some_and(|value| value == b"challenge" || value == b"captcha")
}

/// Returns an answer as a document.
pub(crate) fn document(answer: &Answer) -> Document<'_> {
    let content_type = answer.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    Document { bytes: &answer.body, content_type, address: answer.target.url() }
}

/// Returns what was tried, for people and models.
pub(crate) fn tried_text(tried: &[Tried]) -> String {
    let one = |tried: &Tried| match &tried.detail {
        Some(detail) => format!("{}: {} ({})", tried.service, tried.outcome, line(detail, MAX_DETAIL)),
        None => format!("{}: {}", tried.service, tried.outcome),
    };
    tried.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn joined(problem: &str, note: &str) -> String {
    [problem, note].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
}

fn is_host(text: &str) -> bool {
    text.contains('.') && !text.contains(char::is_whitespace)
}
