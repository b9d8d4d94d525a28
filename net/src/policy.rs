//! What may be fetched, and the resolver that asks it about every address.

use std::io;
use std::sync::Arc;

use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use crate::address::AddressPolicy;
use crate::target::Ports;

/// What may be fetched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// The IP addresses.
    pub addresses: AddressPolicy,
    /// The ports.
    pub ports: Ports,
}

/// Resolves names, and refuses a host if one of its addresses must not be reached. The client connects to the addresses that were checked.
#[derive(Debug)]
pub(crate) struct CheckedResolver {
    policy: Arc<Policy>,
    names: DefaultResolver,
}

impl CheckedResolver {
    pub(crate) fn new(policy: &Arc<Policy>) -> Self {
        Self { policy: Arc::clone(policy), names: DefaultResolver::default() }
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
        Ok(found)
    }
}
