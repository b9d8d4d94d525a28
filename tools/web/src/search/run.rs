//! Runs a query.

use std::time::{Duration, Instant};

use super::query::Query;
use super::result::{Results, SearchResult};
use super::service::{Asking, Configured};
use crate::service::{self, Access, Chain, Ended, Failure, First, Got, Outcome, Tried};

/// What is left of a service's time for which another page of results is asked for.
const MIN_TIME: Duration = Duration::from_millis(300);

/// What a search has found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// The results, the best one first.
    pub results: Vec<SearchResult>,
    /// The name of the service that has found them.
    pub service: Option<&'static str>,
    /// The parts of the query that this service has no parameter for, such as `the language`. Results are always limited to the domains.
    pub ignored: Vec<&'static str>,
    /// The services that were tried, in order.
    pub tried: Vec<Tried>,
    /// How the search has ended.
    pub ended: Ended,
}

/// Asks services in order until one has found something.
pub fn search(chain: &Chain<'_>, services: &[Configured], query: &Query) -> Found {
    let accesses: Vec<&Access> = services.iter().map(|configured| &configured.access).collect();
    let First { got, tried, ended } = chain.first(&accesses, |index, time| ask(chain, &services[index], query, time));
    let service = got.as_ref().map(|(index, _)| services[*index].service.account.name);
    let (results, ignored) = got.map(|(_, found)| found).unwrap_or_default();
    Found { results, service, ignored, tried, ended }
}

type Pages = (Vec<SearchResult>, Vec<&'static str>);

/// Asks a service for as many pages as the query needs. If a later page fails, the earlier ones are the answer.
fn ask(chain: &Chain<'_>, configured: &Configured, query: &Query, time: Duration) -> Result<Got<Pages>, Failure> {
    let end = Instant::now() + time;
    let service = configured.service;
    let mut results = Results::default();
    let (mut ignored, mut flaw) = (Vec::new(), None);
    for page in 0..service.pages.count {
        let left = end.saturating_duration_since(Instant::now());
        if page > 0 && (left < MIN_TIME || (chain.is_cancelled)()) {
            break;
        }
        let asking = Asking::new(configured, query, page);
        let asked = (service.request)(&asking).ignoring(asking.is_cut(), "the end of the text, which is too long");
        ignored = asked.ignored;
        let answer = service::ask(chain.client, &configured.access, asked.request, left);
        let hits = match answer.and_then(|answer| (service.read)(&answer)) {
            Ok(hits) => hits,
            Err(failure) if page == 0 => return Err(failure),
            Err(failure) => {
                flaw = Some(Failure { detail: format!("page {}: {}", page + 1, failure.detail), ..failure });
                break;
            }
        };
        if results.add(hits, query) == 0 || results.kept.len() >= query.wanted() {
            break;
        }
    }
    if results.kept.is_empty() {
        // Results that are all without an address have another form than the service publishes.
        let has_only_unusable = results.unusable > 0 && results.elsewhere == 0;
        let outcome = if has_only_unusable { Outcome::Broken } else { Outcome::Empty };
        return Err(Failure::new(outcome, dropped(&results)));
    }
    results.kept.truncate(query.wanted());
    Ok(Got { value: (results.kept, ignored), flaw })
}

fn dropped(results: &Results) -> String {
    let mut parts = Vec::new();
    if results.elsewhere > 0 {
        parts.push(format!("results of other domains, which are left out: {}", results.elsewhere));
    }
    if results.unusable > 0 {
        parts.push(format!("results without an address on the web: {}", results.unusable));
    }
    parts.join(", ")
}
