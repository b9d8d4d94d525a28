//! Services that read a page, for pages that this machine cannot read.
//!
//! A [`Reader`] gets an address, so an address with a secret, or of a private network, is never sent to one: [`PublicAddress`] is an address
//! without either.

mod address;
mod exa;
mod firecrawl;
mod jina;
mod reader;
mod run;
mod tavily;

pub use address::{PublicAddress, Withheld, holds_secret};
pub use reader::{ConfiguredReader, Page, Reader};
pub use run::{Read, read};

/// The readers. The order is that of their names: a configuration says in which order they are asked.
pub static READERS: &[&Reader] = &[&exa::READER, &firecrawl::READER, &jina::READER, &tavily::READER];

/// Returns the reader with a name, such as `jina`.
pub fn reader(name: &str) -> Option<&'static Reader> {
    READERS.iter().copied().find(|reader| reader.account.name == name)
}
