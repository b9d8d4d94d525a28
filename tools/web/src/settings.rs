//! What a person configures of the web tools.

use std::path::PathBuf;
use std::time::Duration;

use toolc_net::{AddressPolicy, Certificates, Client, Network, Policy, Ports};

use crate::pdf::PdfProgram;
use crate::readers::{self, Reader};
use crate::search::{self, SearchService};

/// The search services that are asked by default, if they have a key or an address, in this order: first a server of the user, then those
/// with an index of their own, then those that pass on the results of others. The other ones are asked only if a person names them.
const USUAL_SERVICES: &[&str] = &["searxng", "brave", "tavily", "exa", "serper", "serpapi", "firecrawl", "parallel"];
/// The readers that are asked by default, if they have a key.
const USUAL_READERS: &[&str] = &["firecrawl", "tavily", "exa"];

/// What a person configures of the web tools.
#[derive(Debug, Clone)]
pub struct WebSettings {
    /// The names of the search services, in the order in which they are asked. If there are none: the usual ones that have a key.
    pub search: Vec<String>,
    /// The names of the services that read pages which cannot be fetched, in order. If there are none: the usual ones that have a key.
    pub readers: Vec<String>,
    /// Values of variables, such as `SEARXNG_URL`, for those that the environment of a session does not have.
    pub variables: Vec<(String, String)>,
    /// Private networks that may be fetched.
    pub networks: Vec<Network>,
    /// The ports that may be fetched, in addition to the usual ones.
    pub ports: Vec<u16>,
    /// Authorities and certificates, in addition to those of the system.
    pub certificates: Option<Certificates>,
    /// The folder of the cache, and its size in bytes. Without one, nothing is kept.
    pub cache: Option<(PathBuf, u64)>,
    /// The program that reads PDF files. Without one, they are not read.
    pub pdf: Option<PdfProgram>,
    /// The folder for the results of crawls, which the model can read. Without one, sites cannot be crawled.
    pub results: Option<PathBuf>,
    /// The pause between two pages of a host that a crawl reads. A site can demand a longer one.
    pub crawl_pause: Duration,
    /// The maximum number of bytes of all pages that a crawl reads in one call, decompressed, and of all rows that it writes.
    pub crawl_bytes: usize,
    /// What the client calls itself. Its first word is the name in `robots.txt`.
    pub user_agent: String,
}

impl Default for WebSettings {
    fn default() -> Self {
        Self {
            search: Vec::new(),
            readers: Vec::new(),
            variables: Vec::new(),
            networks: Vec::new(),
            ports: Vec::new(),
            certificates: None,
            cache: None,
            pdf: None,
            results: None,
            crawl_pause: Duration::from_millis(250),
            crawl_bytes: 500 << 20,
            user_agent: concat!("toolc/", env!("CARGO_PKG_VERSION"), " (an agent that acts for a person)").to_owned(),
        }
    }
}

impl WebSettings {
    /// Returns a client for addresses that a model or a page names, without a cache.
    pub fn client(&self) -> Client {
        let addresses = AddressPolicy::new(self.networks.clone());
        let client = Client::new(Policy { addresses, ports: Ports::usual_and(&self.ports) }, &self.user_agent);
        match &self.certificates {
            Some(certificates) => client.with_certificates(certificates.clone()),
            None => client,
        }
    }

    /// Returns the search services, in order, and whether a person has named them.
    pub(crate) fn services(&self) -> impl Iterator<Item = &'static SearchService> {
        named(&self.search, USUAL_SERVICES).filter_map(search::service)
    }

    /// Returns the readers, in order.
    pub(crate) fn readers(&self) -> impl Iterator<Item = &'static Reader> {
        named(&self.readers, USUAL_READERS).filter_map(readers::reader)
    }
}

fn named<'n>(names: &'n [String], usual: &'n [&'static str]) -> impl Iterator<Item = &'n str> {
    let usual = if names.is_empty() { usual } else { &[] };
    names.iter().map(String::as_str).chain(usual.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_names_exist() {
        let settings = WebSettings::default();
        assert_eq!(settings.services().count(), USUAL_SERVICES.len());
        assert_eq!(settings.readers().count(), USUAL_READERS.len());
        let settings = WebSettings { search: vec!["xai".into()], readers: vec!["jina".into()], ..settings };
        assert_eq!(settings.services().map(|service| service.account.name).collect::<Vec<_>>(), ["xai"]);
        assert_eq!(settings.readers().map(|reader| reader.account.name).collect::<Vec<_>>(), ["jina"]);
    }
}
