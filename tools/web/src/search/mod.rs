//! Search of the web.
//!
//! Each service is one [`SearchService`]: how a [`Query`] becomes a request to it, and how its answer becomes results. [`search`] asks those that a
//! configuration names, in its order, until one has found something.
//!
//! ```no_run
//! use toolc_web::search::{Configured, Query, service, search};
//! use toolc_web::service::{Budget, Chain, Rests};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let variables = |name: &str| std::env::var(name).ok();
//! let configured = |name: &str| service(name).map(|service| service.configure(&variables));
//! let services = ["brave", "searxng"].into_iter().filter_map(configured).collect::<Result<Vec<Configured>, _>>()?;
//! let client = toolc_net::Client::configured("my-agent/1.0");
//! let rests = Rests::default();
//! let chain = Chain { client: &client, rests: &rests, budget: Budget::default(), is_cancelled: &|| false };
//! let found = search(&chain, &services, &Query::new("rust traits")?);
//! for tried in found.tried.iter().filter(|tried| tried.must_be_shown()) {
//!     eprintln!("{}: {}", tried.service, tried.detail.as_deref().unwrap_or_default());
//! }
//! # Ok(())
//! # }
//! ```

mod address;
mod domain;
mod query;
mod result;
mod run;
mod service;
mod services;

pub use domain::{Domain, InvalidDomain};
pub use query::{Country, DateRange, Freshness, InvalidQuery, Language, Query};
pub use result::SearchResult;
pub use run::{Found, search};
pub use service::{Configured, PageLimits, SearchService, TextLimits};
pub use services::SERVICES;

/// Returns the service with a name, such as `brave`.
pub fn service(name: &str) -> Option<&'static SearchService> {
    SERVICES.iter().copied().find(|service| service.account.name == name)
}
