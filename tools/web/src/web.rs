//! What all web tools have in common: the clients, and the services that rest.

use std::time::Duration;

use toolc::Call;
use toolc_net::{Cache, Client, RobotsCache};

use crate::kept::Pages;
use crate::service::{Budget, Chain, Rests};
use crate::settings::WebSettings;

/// The time for all services of a search or of a page, and for each.
const BUDGET: Budget = Budget { total: Duration::from_mins(1), each: Duration::from_secs(15) };

/// What all calls share.
pub(crate) struct Web {
    pub(crate) settings: WebSettings,
    /// For addresses that a model or a page names.
    pub(crate) client: Client,
    /// For services.
    services: Client,
    rests: Rests,
    pub(crate) robots: RobotsCache,
    pub(crate) pages: Pages,
}

impl Web {
    /// Makes the clients. In a home that cannot be written, there is no cache.
    pub(crate) fn new(settings: WebSettings) -> Self {
        let (mut client, mut services) = (settings.client(), Client::configured(&settings.user_agent));
        if let Some(certificates) = &settings.certificates {
            services = services.with_certificates(certificates.clone());
        }
        if let Some(cache) = settings.cache.as_ref().and_then(|(folder, bytes)| Cache::open(folder, *bytes).ok()) {
            client = client.with_cache(cache);
        }
        let (rests, robots, pages) = Default::default();
        Self { settings, client, services, rests, robots, pages }
    }

    /// Calls a function with what services are asked with.
    pub(crate) fn with_chain<T>(&self, call: &Call<'_>, ask: impl FnOnce(&Chain<'_>) -> T) -> T {
        let is_cancelled = || call.is_cancelled();
        ask(&Chain { client: &self.services, rests: &self.rests, budget: BUDGET, is_cancelled: &is_cancelled })
    }

    /// Returns the value of a variable: of the session, or else of the configuration.
    pub(crate) fn variable(&self, call: &Call<'_>, name: &str) -> Option<String> {
        let configured = || self.settings.variables.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
        call.env().var(name).or_else(configured)
    }
}
