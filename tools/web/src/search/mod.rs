//! Search of the web.
//!
//! Each vendor is one [`Provider`]: how a [`Query`] becomes a request to it, and how its answer becomes results. [`search`] asks those that a
//! configuration names, in its order, until one has found something.
//!
//! ```no_run
//! use toolc_web::search::{Configured, Query, provider, search};
//! use toolc_web::vendor::{Budget, Chain, Rests};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let variables = |name: &str| std::env::var(name).ok();
//! let configured = |name: &str| provider(name).map(|provider| provider.configure(&variables));
//! let providers = ["brave", "searxng"].into_iter().filter_map(configured).collect::<Result<Vec<Configured>, _>>()?;
//! let client = toolc_net::Client::configured("my-agent/1.0");
//! let rests = Rests::default();
//! let chain = Chain { client: &client, rests: &rests, budget: Budget::default(), is_cancelled: &|| false };
//! let found = search(&chain, &providers, &Query::new("rust traits")?);
//! for tried in found.tried.iter().filter(|tried| tried.must_be_shown()) {
//!     eprintln!("{}: {}", tried.provider, tried.detail.as_deref().unwrap_or_default());
//! }
//! # Ok(())
//! # }
//! ```

mod address;
mod domain;
mod provider;
mod providers;
mod query;
mod result;
mod run;

pub use domain::{Domain, InvalidDomain};
pub use provider::{Configured, PageLimits, Provider, TextLimits};
pub use providers::PROVIDERS;
pub use query::{Country, DateRange, Freshness, InvalidQuery, Language, Query};
pub use result::SearchResult;
pub use run::{Found, search};

/// Returns the provider with a name, such as `brave`.
pub fn provider(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().copied().find(|provider| provider.account.name == name)
}
