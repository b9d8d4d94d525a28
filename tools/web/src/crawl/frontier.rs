//! The addresses of a crawl: those that are still to be visited, and those that were.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde::{Deserialize, Serialize};
use url::Url;

use super::address::{goes_in_circles, is_numbered, is_other_file, normalized, shape};
use super::scope::Scope;

/// The maximum number of addresses that wait. Further ones are counted, and left out.
const MAX_WAITING: usize = 100_000;
/// The number of known addresses after which those that are not followed are counted each time.
const MAX_KNOWN: usize = 1_000_000;
/// The maximum number of addresses of one shape with numbers or parameters: a calendar has a page for every day.
const MAX_OF_SHAPE: usize = 500;
/// The maximum length of an address.
const MAX_ADDRESS: usize = 2_048;

/// An address that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Waiting {
    pub(super) url: Url,
    /// The number of links between the start and the page.
    pub(super) depth: usize,
}

/// Why an address is not visited.
pub(super) type Reason = &'static str;

/// The addresses of a crawl.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Frontier {
    waiting: VecDeque<Waiting>,
    /// The hashes of all addresses that wait or were visited.
    known: BTreeSet<u64>,
    /// The hashes of those that were visited.
    visited: BTreeSet<u64>,
    /// The hashes of the texts of pages.
    texts: BTreeSet<u64>,
    /// The number of addresses of each shape.
    shapes: BTreeMap<u64, usize>,
}

impl Frontier {
    /// Returns the frontier of a new crawl.
    pub(super) fn new(start: &Url) -> Self {
        let mut frontier = Self::default();
        frontier.known.insert(hash(normalized(start).as_str()));
        frontier.waiting.push_back(Waiting { url: start.clone(), depth: 0 });
        frontier
    }

    /// Returns the number of addresses that wait.
    pub(super) fn left(&self) -> usize {
        self.waiting.len()
    }

    /// Returns the address that waits for the longest time.
    pub(super) fn first(&self) -> Option<Url> {
        self.waiting.front().map(|waiting| waiting.url.clone())
    }

    /// Returns the next address that is not deeper than `depth`. The others keep waiting.
    pub(super) fn next(&mut self, depth: usize) -> Option<Waiting> {
        loop {
            // Addresses wait in the order of their depth.
            if self.waiting.front()?.depth > depth {
                return None;
            }
            let next = self.waiting.pop_front()?;
            if self.visited.insert(hash(normalized(&next.url).as_str())) {
                return Some(next);
            }
        }
    }

    /// Returns an address to the others that wait, because it was not visited.
    pub(super) fn put_back(&mut self, waiting: Waiting) {
        self.visited.remove(&hash(normalized(&waiting.url).as_str()));
        self.waiting.push_front(waiting);
    }

    /// Adds a link.
    ///
    /// # Errors
    /// Returns why it is not followed. Links that are known already are not counted.
    pub(super) fn add(&mut self, url: &Url, depth: usize, scope: &Scope) -> Result<(), Option<Reason>> {
        if url.as_str().len() > MAX_ADDRESS {
            return Err(Some("address is too long"));
        }
        let page = normalized(url);
        let id = hash(page.as_str());
        if self.known.contains(&id) {
            return Err(None);
        }
        let refused = [
            (!scope.contains(&page), "outside of the scope"),
            (is_other_file(&page), "not a page"),
            (goes_in_circles(&page), "path repeats itself"),
        ];
        if let Some((_, reason)) = refused.into_iter().find(|(is_refused, _)| *is_refused) {
            // Each address is counted once.
            if self.known.len() < MAX_KNOWN {
                self.known.insert(id);
            }
            return Err(Some(reason));
        }
        if self.waiting.len() >= MAX_WAITING {
            return Err(Some("too many addresses"));
        }
        let shape = is_numbered(&page).then(|| self.shapes.entry(shape(&page)).or_default());
        if let Some(count) = shape {
            if *count >= MAX_OF_SHAPE {
                return Err(Some("too many addresses that differ only in numbers"));
            }
            *count += 1;
        }
        self.known.insert(id);
        self.waiting.push_back(Waiting { url: page, depth });
        Ok(())
    }

    /// Notes the other addresses of a visited page: those of redirects, and the one that it prefers. Returns whether the page was visited by
    /// one of them.
    pub(super) fn note_others(&mut self, visited: &Url, others: &[Url]) -> bool {
        let own = hash(normalized(visited).as_str());
        let mut was_visited = false;
        for id in others.iter().map(|url| hash(normalized(url).as_str())).filter(|id| *id != own) {
            self.known.insert(id);
            was_visited |= !self.visited.insert(id);
        }
        was_visited
    }

    /// Notes the text of a page. Returns whether another page has the same one.
    pub(super) fn is_repeated(&mut self, text: &str) -> bool {
        !self.texts.insert(hash(text))
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
