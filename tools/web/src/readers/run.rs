//! Reads a page by readers.

use super::address::PublicAddress;
use super::reader::{ConfiguredReader, Page};
use crate::service::{self, Access, Chain, Ended, First, Got, Tried};

/// What readers have read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Read {
    /// The page.
    pub page: Option<Page>,
    /// The name of the reader that has read it.
    pub reader: Option<&'static str>,
    /// The readers that were tried, in order.
    pub tried: Vec<Tried>,
    /// How it has ended.
    pub ended: Ended,
}

/// Asks readers in order until one has read the page.
pub fn read(chain: &Chain<'_>, readers: &[ConfiguredReader], address: &PublicAddress) -> Read {
    let accesses: Vec<&Access> = readers.iter().map(|configured| &configured.access).collect();
    let First { got, tried, ended } = chain.first(&accesses, |index, time| {
        let ConfiguredReader { reader, access } = &readers[index];
        let answer = service::ask(chain.client, access, (reader.request)(address), time)?;
        Ok(Got { value: (reader.read)(&answer)?, flaw: None })
    });
    let reader = got.as_ref().map(|(index, _)| readers[*index].reader.account.name);
    Read { page: got.map(|(_, page)| page), reader, tried, ended }
}
