//! Fetches addresses: each host is resolved once, each of its addresses is checked, and redirects are followed by hand.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ureq::http::{HeaderMap, Method, Request, Response, StatusCode, header};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Body, Proxy};

use crate::address::AddressPolicy;
use crate::body::{self, ENCODINGS};
use crate::cache::{Cache, Place, now};
use crate::certificates::Certificates;
use crate::error::{FetchError, FetchFault};
use crate::fetch::{Answer, BodyElsewhere, Fetch, Hop, location, text};
use crate::limits::Limits;
use crate::policy::{CheckedResolver, Policy, PrivateHosts};
use crate::target::{Ports, Target};

/// The maximum number of fetches at the same time. Each needs a thread.
const MAX_AT_ONCE: usize = 64;
/// The longest lookup of a host that is not fetched.
const LOOKUP_TIME: Duration = Duration::from_secs(10);

/// The client. Its copies share their connections.
#[derive(Clone)]
pub struct Client {
    agent: Agent,
    /// The agent for hosts that are shown a client certificate.
    showing: Option<Agent>,
    certificates: Arc<Certificates>,
    user_agent: Arc<str>,
    /// What may be fetched. `None` if a person has configured the addresses.
    policy: Option<Arc<Policy>>,
    private: PrivateHosts,
    cache: Option<Cache>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl Client {
    /// Returns a client that sends `user_agent` and follows a policy. It uses no proxy: a proxy would resolve names again, elsewhere.
    pub fn new(policy: Policy, user_agent: &str) -> Self {
        Self::with(Some(Arc::new(policy)), user_agent)
    }

    /// Returns a client for addresses that a person has configured, such as those of services: every address may be reached, and the proxy
    /// of the environment is used. A redirect is followed only on the same origin, or to `https` on the same host: the person has not
    /// configured another server.
    pub fn configured(user_agent: &str) -> Self {
        Self::with(None, user_agent)
    }

    fn with(policy: Option<Arc<Policy>>, user_agent: &str) -> Self {
        let (certificates, private) = (Arc::new(Certificates::default()), PrivateHosts::default());
        let agent = agent(policy.as_ref().map(|policy| (policy, &private)), user_agent, &certificates, false);
        Self { agent, showing: None, certificates, user_agent: user_agent.into(), policy, private, cache: None }
    }

    /// Trusts more authorities, and shows a certificate to servers that ask for one. The client has connections of its own from then on.
    #[must_use]
    pub fn with_certificates(self, certificates: Certificates) -> Self {
        let policy = self.policy.as_ref().map(|policy| (policy, &self.private));
        let agent = |is_shown| agent(policy, &self.user_agent, &certificates, is_shown);
        let (agent, showing) = (agent(false), certificates.has_shown().then(|| agent(true)));
        Self { agent, showing, certificates: Arc::new(certificates), ..self }
    }

    /// Keeps answers in a cache, and uses those in it. Clients with another policy or other authorities do not see them.
    #[must_use]
    pub fn with_cache(self, cache: Cache) -> Self {
        Self { cache: Some(cache), ..self }
    }

    /// Reads an address whose port may be fetched.
    ///
    /// # Errors
    /// Like [`Target::parse`].
    pub fn target(&self, text: &str) -> Result<Target, crate::InvalidTarget> {
        Target::parse(text, self.ports())
    }

    pub(crate) fn ports(&self) -> &Ports {
        self.policy.as_ref().map_or(&Ports::Any, |policy| &policy.ports)
    }

    /// Returns the first word of the user agent: the name in `robots.txt`.
    pub(crate) fn program(&self) -> &str {
        let is_part = |character: char| character.is_ascii_alphabetic() || character == '-' || character == '_';
        self.user_agent.split(|character| !is_part(character)).next().unwrap_or_default()
    }

    /// Fetches an address. An answer with a status such as 404 is an answer.
    ///
    /// # Errors
    /// If an address must not be reached, there is no answer within the limits, or the answer is damaged.
    pub fn fetch(&self, mut fetch: Fetch, limits: &Limits) -> Result<Answer, FetchError> {
        let end = Instant::now() + limits.time;
        let mut redirected_from: Vec<Target> = Vec::new();
        loop {
            let address = fetch.target.to_string();
            let failed = |fault: FetchFault| FetchError {
                address: address.clone(),
                redirects: redirected_from.len(),
                fault: fault.of_fetch(limits.time, self.certificates.ca_files()),
            };
            self.check_form(&fetch.target).map_err(failed)?;
            let hop = self.answer(&fetch, limits, end).map_err(failed)?;
            let Some(location) = location(hop.status, &hop.headers) else {
                let Hop { status, headers, body, is_cut, from_cache } = hop;
                let (target, status) = (fetch.target, status.as_u16());
                return Ok(Answer { target, redirected_from, status, headers, body, is_cut, from_cache });
            };
            if redirected_from.len() >= limits.redirects {
                return Err(failed(FetchFault::Redirects(limits.redirects)));
            }
            let next = fetch.target.join(&location, self.ports());
            let next = next.map_err(|invalid| failed(FetchFault::Target(Box::new(invalid))))?;
            if fetch.target.url().scheme() == "https" && next.url().scheme() == "http" {
                return Err(failed(FetchFault::Downgrade));
            }
            if self.policy.is_none() && !next.is_on_server_of(&fetch.target) {
                return Err(failed(FetchFault::Elsewhere(next.without_query())));
            }
            let left = fetch.redirect(hop.status, next);
            let left = left.map_err(|BodyElsewhere| failed(FetchFault::BodyElsewhere))?;
            redirected_from.push(left);
        }
    }

    /// Returns whether an address is on the public Internet, so that a third party may know it: its host is found, each of its addresses is
    /// public, whatever networks the policy allows, and it is not shown the client certificate. It blocks for at most 10 seconds.
    pub fn is_public(&self, target: &Target) -> bool {
        if self.is_shown_certificate(target) {
            return false;
        }
        let (sender, found) = channel();
        let url = target.url().clone();
        // A lookup has no limit of its own.
        let lookup = move || drop(sender.send(url.socket_addrs(|| None)));
        let public = AddressPolicy::default();
        thread::Builder::new().name("lookup".to_owned()).spawn(lookup).is_ok()
            && found.recv_timeout(LOOKUP_TIME).is_ok_and(|addresses| {
                addresses.is_ok_and(|all| !all.is_empty() && all.iter().all(|one| public.check(one.ip()).is_ok()))
            })
    }

    /// Returns whether a host has an address outside of the public Internet, which the policy allows: as the last lookup for a fetch of this
    /// client has found. Without a lookup, as for an answer of the cache, it is not known, and the result is `false`.
    pub fn is_private(&self, target: &Target) -> bool {
        self.private.contain(target)
    }

    /// Fetches several addresses, at most `at_once` at the same time. Returns an answer for each, in their order.
    pub fn fetch_all(&self, fetches: Vec<Fetch>, limits: &Limits, at_once: usize) -> Vec<Result<Answer, FetchError>> {
        let threads = at_once.clamp(1, MAX_AT_ONCE).min(fetches.len());
        let waiting = Mutex::new(fetches.into_iter().enumerate());
        let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
        let fetch = || {
            let mut found = Vec::new();
            while let Some((index, fetch)) = next() {
                found.push((index, self.fetch(fetch, limits)));
            }
            found
        };
        let mut answers: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(fetch)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        });
        answers.sort_by_key(|(index, _)| *index);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }

    /// Checks what is known without a lookup. A target may have been read for another client, and an answer of the cache needs no lookup.
    fn check_form(&self, target: &Target) -> Result<(), FetchFault> {
        let Some(policy) = &self.policy else { return Ok(()) };
        target.check_again(&policy.ports).map_err(|invalid| FetchFault::Target(Box::new(invalid)))?;
        target.ip().map_or(Ok(()), |address| policy.addresses.check(address)).map_err(FetchFault::Refused)
    }

    /// Returns the answer of the cache, or of the server.
    fn answer(&self, fetch: &Fetch, limits: &Limits, end: Instant) -> Result<Hop, FetchFault> {
        let Some(place) = self.place(fetch) else { return self.ask(fetch, HeaderMap::new(), limits, end) };
        let (kept, requested) = (place.read(), now());
        let conditions = match &kept {
            Some(entry) if !fetch.is_reload && entry.is_fresh(requested) => {
                return Ok(entry.clone().into_hop(limits.body_bytes));
            }
            Some(entry) => entry.conditions(),
            None => HeaderMap::new(),
        };
        let hop = self.ask(fetch, conditions, limits, end)?;
        if let Some(entry) = kept.filter(|_| hop.status == StatusCode::NOT_MODIFIED) {
            return Ok(place.renew(entry, &hop, requested, now()).into_hop(limits.body_bytes));
        }
        place.keep(&hop, requested, now());
        Ok(hop)
    }

    /// Returns the place of an answer in the cache. `None` if it is not kept, because it may be for one person only.
    fn place(&self, fetch: &Fetch) -> Option<Place<'_>> {
        let cache = self.cache.as_ref()?;
        let is_plain = fetch.headers.keys().all(|name| [header::ACCEPT, header::ACCEPT_LANGUAGE].contains(name));
        if fetch.method != Method::GET || !is_plain || self.is_shown_certificate(&fetch.target) {
            return None;
        }
        // All that the client sends, so that an answer which varies by a header is for the same values of it, and all that decides whether
        // the server is trusted. If the policy changes, no answer from before is found.
        let policy = format!("{:?}", self.policy);
        let sent = [header::ACCEPT, header::ACCEPT_LANGUAGE].map(|name| format!("{:?}", fetch.headers.get(name)));
        let [accept, language] = &sent;
        let parts = [policy.as_str(), &self.user_agent, ENCODINGS, accept, language].map(str::as_bytes);
        let digest = self.certificates.digest();
        Some(cache.place(fetch.target.url().as_str(), &[&parts[..], &[&digest]].concat()))
    }

    /// Asks a server, and reads its answer, unless that is a redirect.
    fn ask(&self, fetch: &Fetch, conditions: HeaderMap, limits: &Limits, end: Instant) -> Result<Hop, FetchFault> {
        let response = self.send(fetch, conditions, limits, end)?;
        let (head, body) = response.into_parts();
        let (mut bytes, mut is_cut) = (Vec::new(), false);
        if location(head.status, &head.headers).is_none() {
            let encoding = text(&head.headers, &header::CONTENT_ENCODING);
            (bytes, is_cut) = body::read(body.into_reader(), &encoding, limits.body_bytes)?;
        }
        Ok(Hop { status: head.status, headers: head.headers, body: bytes, is_cut, from_cache: false })
    }

    /// Sends a request. A GET is sent again if the connection has ended: it may have been a kept one, which the server has closed meanwhile.
    fn send(
        &self,
        fetch: &Fetch,
        conditions: HeaderMap,
        limits: &Limits,
        end: Instant,
    ) -> Result<Response<Body>, FetchFault> {
        let mut headers = fetch.headers.clone();
        headers.extend(conditions);
        let first = self.send_once(fetch, &headers, limits, end);
        let found = match first {
            Err(error) if fetch.method == Method::GET && FetchFault::is_ended(&error) => {
                self.send_once(fetch, &headers, limits, end)
            }
            found => found,
        };
        found.map_err(|error| FetchFault::of(error, limits.time))
    }

    fn send_once(
        &self,
        fetch: &Fetch,
        headers: &HeaderMap,
        limits: &Limits,
        end: Instant,
    ) -> Result<Response<Body>, ureq::Error> {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ureq::Error::Timeout(ureq::Timeout::Global));
        }
        let agent = self.agent_for(&fetch.target);
        let mut request = Request::builder().method(&fetch.method).uri(fetch.target.url().as_str());
        if let Some(all) = request.headers_mut() {
            all.extend(headers.clone());
        }
        // An empty body is left out: some servers refuse a GET with one.
        if fetch.body.is_empty() {
            agent.run(bounded(agent, request.body(())?, limits, left))
        } else {
            agent.run(bounded(agent, request.body(fetch.body.clone())?, limits, left))
        }
    }

    fn agent_for(&self, target: &Target) -> &Agent {
        let showing = self.showing.as_ref().filter(|_| self.is_shown_certificate(target));
        showing.unwrap_or(&self.agent)
    }

    /// Returns whether a server is shown the client certificate if it asks for one.
    fn is_shown_certificate(&self, target: &Target) -> bool {
        target.url().host().is_some_and(|host| self.certificates.are_shown_to(&host))
    }
}

fn bounded<B: ureq::AsSendBody>(agent: &Agent, request: Request<B>, limits: &Limits, left: Duration) -> Request<B> {
    let request = agent.configure_request(request).timeout_global(Some(left));
    request.max_response_header_size(limits.header_bytes).build()
}

fn agent(
    policy: Option<(&Arc<Policy>, &PrivateHosts)>,
    user_agent: &str,
    certificates: &Certificates,
    is_shown: bool,
) -> Agent {
    let config = Agent::config_builder()
        .proxy(if policy.is_none() { Proxy::try_from_env() } else { None })
        .tls_config(certificates.tls(is_shown))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(user_agent.to_owned())
        .accept_encoding(ENCODINGS)
        .build();
    match policy {
        Some((policy, private)) => {
            Agent::with_parts(config, DefaultConnector::default(), CheckedResolver::new(policy, private))
        }
        None => Agent::new_with_config(config),
    }
}
