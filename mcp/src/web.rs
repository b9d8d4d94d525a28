//! HTTP to addresses that a server names: with encryption or to this machine, never to addresses of a network that the person did not name,
//! without redirects, bounded in size and time.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Request, Response, Url};
use toolc_net::{AddressKind, AddressPolicy};

use crate::error::{ErrorKind, McpError};
use crate::http::{CONNECT, is_loopback, not_prepared, prepare_tls};

/// The time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A client for the addresses that the server at one address names.
#[derive(Debug, Clone)]
pub(crate) struct Web {
    client: reqwest::Client,
    reach: Reach,
}

/// Which addresses may be connected to.
#[derive(Debug, Clone)]
struct Reach {
    /// The host that the person has named: it may be anywhere but in a network that only this machine sees.
    host: Arc<str>,
    /// Whether that host is this machine.
    is_local: bool,
    /// Whether that host is an address of a private network.
    is_private: bool,
}

/// What kind of address it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Public,
    Loopback,
    Private,
    /// Link-local addresses, among which are those that hand out credentials of a cloud, and others that no server has.
    Special,
}

impl Web {
    /// Returns a client for what the server at this address names.
    pub(crate) fn for_server(url: &Url) -> Result<Self, McpError> {
        let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
        let is_private = literal(url).is_some_and(|address| Kind::of(address) == Kind::Private);
        let reach = Reach { host: host.into(), is_local: is_loopback(url), is_private };
        prepare_tls();
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .timeout(TIMEOUT)
            .redirect(Policy::none())
            .dns_resolver(Arc::new(reach.clone()))
            .user_agent(concat!("toolc/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(not_prepared)?;
        Ok(Self { client, reach })
    }

    /// Sends a request, and returns the response with at most `max` bytes of body.
    pub(crate) async fn send(&self, request: Request, max: usize) -> Result<(Response, Vec<u8>), McpError> {
        self.reach.check(request.url())?;
        let host = request.url().host_str().unwrap_or_default().to_owned();
        let failed = |error: reqwest::Error| {
            let error = error.without_url();
            let mut text = format!("{host} did not answer: {error}");
            if text.len() > 300 {
                text.truncate(text.floor_char_boundary(300));
            }
            McpError::new(ErrorKind::Unreachable, text).caused_by(error)
        };
        let mut response = self.client.execute(request).await.map_err(failed)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > max {
                let message = format!("the answer of {host} has more than {max} bytes");
                return Err(McpError::new(ErrorKind::Unreachable, message));
            }
            body.extend_from_slice(&chunk);
        }
        Ok((response, body))
    }

    /// Returns a builder of requests.
    pub(crate) fn client(&self) -> &reqwest::Client {
        &self.client
    }
}

impl Reach {
    /// Checks an address before it is connected to.
    fn check(&self, url: &Url) -> Result<(), McpError> {
        let host = url.host_str().unwrap_or_default();
        let refused = |reason| McpError::new(ErrorKind::Unreachable, format!("{host} is not asked: {reason}"));
        let is_safe = match url.scheme() {
            "https" => true,
            "http" => self.is_local && is_loopback(url),
            _ => false,
        };
        if !is_safe {
            return Err(refused("its address does not begin with `https://`"));
        }
        match literal(url) {
            Some(address) if !self.allows(host, address) => Err(refused("it is not a public address")),
            _ => Ok(()),
        }
    }

    fn allows(&self, host: &str, address: IpAddr) -> bool {
        let is_named = host.eq_ignore_ascii_case(&self.host);
        match Kind::of(address) {
            Kind::Public => true,
            Kind::Loopback => self.is_local || is_named,
            Kind::Private => self.is_private || is_named,
            Kind::Special => false,
        }
    }
}

impl Resolve for Reach {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.clone();
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let lookup = host.clone();
            let found = tokio::task::spawn_blocking(move || (lookup.as_str(), 0).to_socket_addrs()).await??;
            let allowed: Vec<SocketAddr> = found.filter(|address| reach.allows(&host, address.ip())).collect();
            if allowed.is_empty() {
                return Err(format!("{host} has no public address").into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

fn literal(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

impl Kind {
    fn of(address: IpAddr) -> Self {
        match AddressPolicy::default().check(address).map_err(|refused| refused.kind) {
            // No network has the addresses of examples, apart from those that stand for public ones.
            Ok(()) | Err(AddressKind::Documentation) => Self::Public,
            Err(AddressKind::Loopback) => Self::Loopback,
            Err(AddressKind::Private | AddressKind::Shared) => Self::Private,
            Err(_) => Self::Special,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(url: &str) -> Reach {
        Web::for_server(&Url::parse(url).expect("it is an address")).expect("a client can be made").reach
    }

    fn is_allowed(server: &str, url: &str) -> bool {
        reach(server).check(&Url::parse(url).expect("it is an address")).is_ok()
    }

    #[test]
    fn a_public_server_cannot_name_addresses_of_this_machine_or_its_network() {
        for url in [
            "https://127.0.0.1/",
            "https://10.0.0.1/",
            "https://192.168.1.1/",
            "https://169.254.169.254/latest",
            "https://[::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://[fd00::1]/",
            "https://[fe80::1]/",
            "https://0.0.0.0/",
            "https://100.64.0.1/",
            "https://[64:ff9b::a00:1]/",
            "https://[2002:a00:1::]/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0177.0.0.1/",
            "https://127.1/",
            "https://0x7f.1/",
            "https://255.255.255.255/",
            "http://example.com/",
            "http://127.0.0.1/",
            "ftp://example.com/",
            "https://198.18.0.1/",
        ] {
            assert!(!is_allowed("https://mcp.example.com/mcp", url), "{url}");
        }
        for url in ["https://auth.example.com/", "https://8.8.8.8/", "https://[2606:4700::1]/"] {
            assert!(is_allowed("https://mcp.example.com/mcp", url), "{url}");
        }
    }

    #[test]
    fn a_server_of_this_machine_or_of_a_private_network_can_name_others_of_its_kind() {
        assert!(is_allowed("http://127.0.0.1:8000/mcp", "http://localhost:9000/token"));
        assert!(!is_allowed("http://127.0.0.1:8000/mcp", "https://10.0.0.1/"));
        assert!(!is_allowed("http://127.0.0.1:8000/mcp", "https://169.254.169.254/"));
        assert!(is_allowed("https://10.0.0.1/mcp", "https://10.0.0.2/token"));
        assert!(!is_allowed("https://10.0.0.1/mcp", "https://127.0.0.1/token"));
    }

    #[test]
    fn a_name_is_judged_by_the_addresses_it_has() {
        let private = "10.1.2.3".parse().expect("it is an address");
        let cloud = "169.254.169.254".parse().expect("it is an address");
        let local = "127.0.0.1".parse().expect("it is an address");
        let reach = reach("https://tracker.corp/mcp");
        assert!(reach.allows("tracker.corp", private), "the person has named it");
        assert!(!reach.allows("sso.corp", private) && !reach.allows("evil.example.com", local));
        assert!(!reach.allows("tracker.corp", cloud));
    }

    #[tokio::test]
    async fn a_name_of_this_machine_is_not_resolved_for_others() {
        let resolved = reach("https://mcp.example.com/").resolve("localhost".parse().expect("it is a name")).await;
        assert!(resolved.err().is_some_and(|error| error.to_string().contains("no public address")));
        assert!(reach("http://127.0.0.1/").resolve("localhost".parse().expect("it is a name")).await.is_ok());
    }
}
