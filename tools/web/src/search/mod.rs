//! Search of the web.
//!
//! Each vendor is one [`Provider`]: how a [`Query`] becomes a request to it, and how its answer becomes results. [`search`] asks those that a
//! configuration names, in its order, until one has found something.

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
pub use query::{DateRange, Freshness, InvalidQuery, Place, Query, Tongue};
pub use result::SearchResult;
pub use run::{Found, search};

/// Returns the provider with a name, such as `brave`.
pub fn provider(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().copied().find(|provider| provider.account.name == name)
}
