//! The providers, each in a file. A new one is a file here, and a line in [`PROVIDERS`].

mod brave;
mod exa;
mod firecrawl;
mod parallel;
mod searxng;
mod serpapi;
mod serper;
mod tavily;

use super::provider::Provider;

/// The providers. The order is that of their names: a configuration says in which order they are asked.
pub static PROVIDERS: &[&Provider] = &[
    &brave::PROVIDER,
    &exa::PROVIDER,
    &firecrawl::PROVIDER,
    &parallel::PROVIDER,
    &searxng::PROVIDER,
    &serpapi::PROVIDER,
    &serper::PROVIDER,
    &tavily::PROVIDER,
];
