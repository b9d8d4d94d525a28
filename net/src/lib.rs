//! The client for addresses that a model, a page, a server or a skill has named.
//!
//! What is fetched decides nothing about where the client may go: a [`Policy`] of the user does. Every address of a host is checked, and the
//! client connects to one that was checked. [`Target`] is an address on the web that has the right form, and [`AddressPolicy`] decides about
//! the IP addresses to which its host leads.
//!
//! A client can trust private authorities ([`Certificates`]), keep answers in a folder ([`Cache`]), and ask a site which of its addresses
//! programs may fetch ([`RobotsCache`]). It blocks, within [`Limits`]; [`Client::fetch_all`] fetches many addresses at once.

mod address;
mod body;
mod cache;
mod certificates;
mod client;
mod error;
mod fetch;
mod limits;
mod network;
mod policy;
mod robots;
mod target;
mod tls;

pub use address::{AddressKind, AddressPolicy, RefusedAddress};
pub use cache::Cache;
pub use certificates::{CertificateError, CertificateFault, Certificates, ClientCertificate};
pub use client::Client;
pub use error::{FetchError, FetchFault};
pub use fetch::{Answer, Fetch};
pub use limits::Limits;
pub use network::{InvalidNetwork, Network};
pub use policy::Policy;
pub use robots::{Robots, RobotsCache, RobotsFile, RobotsRefusal};
pub use target::{InvalidTarget, Ports, Target, TargetFault};
pub use ureq::http::{HeaderName, HeaderValue, header};
