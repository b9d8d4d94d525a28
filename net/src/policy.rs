//! What may be fetched, and the resolver that asks it about every address.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use crate::address::AddressPolicy;
use crate::target::{Ports, Target};

/// The maximum number of hosts that are remembered. After it, all are forgotten.
const MAX_HOSTS: usize = 10_000;

/// What may be fetched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// The IP addresses.
    pub addresses: AddressPolicy,
    /// The ports.
    pub ports: Ports,
}

/// The hosts that have an address outside of the public Internet, as the last lookup of each has found. Copies share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct PrivateHosts(Arc<Mutex<HashSet<String>>>);

impl PrivateHosts {
    pub(crate) fn contain(&self, target: &Target) -> bool {
        target.url().host_str().is_some_and(|host| self.lock().contains(host))
    }

    fn note(&self, uri: &Uri, found: &ResolvedSocketAddrs) {
        let Some(host) = uri.host() else { return };
        let public = AddressPolicy::default();
        let is_private = found.iter().any(|address| public.check(address.ip()).is_err());
        let mut hosts = self.lock();
        if !is_private {
            hosts.remove(host);
            return;
        }
        if hosts.len() >= MAX_HOSTS {
            hosts.clear();
        }
        hosts.insert(host.to_owned());
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Resolves names, and refuses a host if one of its addresses must not be reached. The client connects to the addresses that were checked.
#[derive(Debug)]
pub(crate) struct CheckedResolver {
    policy: Arc<Policy>,
    private: PrivateHosts,
    names: DefaultResolver,
}

impl CheckedResolver {
    pub(crate) fn new(policy: &Arc<Policy>, private: &PrivateHosts) -> Self {
        Self { policy: Arc::clone(policy), private: private.clone(), names: DefaultResolver::default() }
    }
}

impl Resolver for CheckedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &ureq::config::Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.names.resolve(uri, config, timeout).map_err(|error| match error {
            // Lookups fail with errors of no particular kind.
            ureq::Error::Io(error) if error.kind() != io::ErrorKind::TimedOut => ureq::Error::HostNotFound,
            error => error,
        })?;
        for address in &found {
            self.policy.addresses.check(address.ip()).map_err(|refused| ureq::Error::Other(Box::new(refused)))?;
        }
        self.private.note(uri, &found);
        Ok(found)
    }
}
