//! The addresses of a crawl: those that are still to be visited, and those that were.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use url::Url;

use super::address::{cleaned, goes_in_circles, hash, is_numbered, is_other_file, page_id, shape};
use super::scope::Scope;

/// The maximum number of addresses that wait. Further ones are counted, and left out.
pub(super) const MAX_WAITING: usize = 100_000;
/// The number of known addresses after which those that are not followed are counted each time.
const MAX_KNOWN: usize = 1_000_000;
/// The number of linked addresses of one shape, with numbers or parameters, after which further ones wait until all others are visited: a
/// calendar has a page for every day.
const MANY_OF_SHAPE: usize = 100;
/// The maximum number of linked addresses of one shape. No call visits more pages.
const MAX_OF_SHAPE: usize = 5_000;
/// The maximum length of an address.
const MAX_ADDRESS: usize = 2_048;
/// The number of waiting addresses among which one is looked for whose host may be asked now.
const MAX_LOOKED_AT: usize = 500;

/// An address that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Waiting {
    pub(super) url: Url,
    /// The number of links between the start and the page.
    pub(super) depth: usize,
    /// How often it was visited without an answer that counts.
    #[serde(default)]
    pub(super) tries: u8,
    /// Whether many addresses have the same shape.
    #[serde(default)]
    is_of_many: bool,
    /// Whether it is from a sitemap.
    #[serde(default)]
    is_listed: bool,
}

/// Where an address waits. The smallest place is the first: few of a shape before many, then by depth, then links before the list of a
/// sitemap.
type Place = (bool, usize, bool);

impl Waiting {
    fn place(&self) -> Place {
        (self.is_of_many, self.depth, self.is_listed)
    }

    /// Notes that it was visited without an answer that counts.
    pub(super) fn tried(self) -> Self {
        Self { tries: self.tries.saturating_add(1), ..self }
    }
}

/// Why an address is not visited.
pub(super) type Reason = &'static str;

/// The next address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    Address(Waiting),
    /// Addresses wait, and their hosts may not be asked now.
    Later,
    /// No address waits, or only deeper ones.
    Nothing,
}

/// The addresses of a crawl.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Frontier {
    #[serde(with = "queues")]
    waiting: BTreeMap<Place, VecDeque<Waiting>>,
    /// Those that are being visited.
    active: Vec<Waiting>,
    /// The pages that wait or were visited, or are not followed.
    known: BTreeSet<u64>,
    visited: BTreeSet<u64>,
    /// The hashes of the texts of pages.
    texts: BTreeSet<u64>,
    /// The number of linked addresses of each shape.
    shapes: BTreeMap<u64, usize>,
    /// Whether the sitemaps of the site were read.
    pub(super) is_mapped: bool,
}

impl Frontier {
    /// Returns the frontier of a new crawl.
    pub(super) fn new(start: &Url) -> Self {
        let mut frontier = Self::default();
        frontier.known.insert(page_id(start));
        let start = Waiting { url: start.clone(), depth: 0, tries: 0, is_of_many: false, is_listed: false };
        frontier.push(start);
        frontier
    }

    fn push(&mut self, waiting: Waiting) {
        self.waiting.entry(waiting.place()).or_default().push_back(waiting);
    }

    /// Returns the number of addresses that wait.
    pub(super) fn left(&self) -> usize {
        self.waiting.values().map(VecDeque::len).sum()
    }

    /// Returns the number of addresses that are being visited.
    pub(super) fn active(&self) -> usize {
        self.active.len()
    }

    /// Takes the first address that is not deeper than `depth`, and whose host may be asked now. The others keep waiting.
    pub(super) fn next(&mut self, depth: usize, mut is_free: impl FnMut(&Url) -> bool) -> Next {
        let mut looked_at = 0;
        let places: Vec<Place> = self.waiting.keys().copied().filter(|(_, deep, _)| *deep <= depth).collect();
        for place in places {
            let mut at = 0;
            while let Some(waiting) = self.waiting.get(&place).and_then(|queue| queue.get(at)) {
                looked_at += 1;
                if is_free(&waiting.url)
                    && let Some(waiting) = self.take(place, at)
                {
                    // A redirect may have led to it since.
                    if !self.visited.insert(page_id(&waiting.url)) {
                        continue;
                    }
                    self.active.push(waiting.clone());
                    return Next::Address(waiting);
                }
                at += 1;
                if looked_at >= MAX_LOOKED_AT {
                    return Next::Later;
                }
            }
        }
        if looked_at > 0 && self.waiting.keys().any(|(_, deep, _)| *deep <= depth) {
            return Next::Later;
        }
        Next::Nothing
    }

    fn take(&mut self, place: Place, at: usize) -> Option<Waiting> {
        let queue = self.waiting.get_mut(&place)?;
        let taken = queue.remove(at);
        if queue.is_empty() {
            self.waiting.remove(&place);
        }
        taken
    }

    /// Notes that an address was visited.
    pub(super) fn done(&mut self, waiting: &Waiting) {
        self.active.retain(|active| active.url != waiting.url);
    }

    /// Lets an address that was visited without an answer wait again.
    pub(super) fn put_back(&mut self, waiting: Waiting) {
        self.done(&waiting);
        self.visited.remove(&page_id(&waiting.url));
        self.waiting.entry(waiting.place()).or_default().push_front(waiting);
    }

    /// Lets the addresses wait again that are being visited, when a crawl ends before. Those that were visited by a redirect wait no longer.
    pub(super) fn settle(&mut self) {
        for waiting in std::mem::take(&mut self.active).into_iter().rev() {
            self.put_back(waiting);
        }
        let visited = &self.visited;
        self.waiting.retain(|_, queue| {
            queue.retain(|waiting| !visited.contains(&page_id(&waiting.url)));
            !queue.is_empty()
        });
    }

    /// Adds a link, or an address of a sitemap.
    ///
    /// # Errors
    /// Returns why it is not followed. Links that are known already are not counted.
    pub(super) fn add(
        &mut self,
        url: &Url,
        depth: usize,
        is_listed: bool,
        scope: &Scope,
    ) -> Result<(), Option<Reason>> {
        if url.as_str().len() > MAX_ADDRESS {
            return Err(Some("address is too long"));
        }
        let page = cleaned(url);
        let id = page_id(&page);
        if self.known.contains(&id) {
            return Err(None);
        }
        if let Some(reason) = refused(&page, scope) {
            // Each address is counted once.
            if self.known.len() < MAX_KNOWN {
                self.known.insert(id);
            }
            return Err(Some(reason));
        }
        if self.left() >= MAX_WAITING {
            return Err(Some("too many addresses"));
        }
        let mut is_of_many = false;
        // A site lists what it has. A trap is linked.
        if !is_listed && is_numbered(&page) {
            let count = self.shapes.entry(shape(&page)).or_default();
            if *count >= MAX_OF_SHAPE {
                return Err(Some("too many addresses that differ only in numbers"));
            }
            *count += 1;
            is_of_many = *count > MANY_OF_SHAPE;
        }
        self.known.insert(id);
        self.push(Waiting { url: page, depth, tries: 0, is_of_many, is_listed });
        Ok(())
    }

    /// Notes the addresses of a visited page by which redirects have led to its text. Returns whether the text was read by another one.
    pub(super) fn note_redirects(&mut self, visited: &Url, others: &[Url]) -> bool {
        let own = page_id(visited);
        let mut was_visited = false;
        for id in others.iter().map(page_id).filter(|id| *id != own) {
            self.known.insert(id);
            was_visited |= !self.visited.insert(id);
        }
        was_visited
    }

    /// Notes the address that a visited page prefers, so that it is not visited as well.
    pub(super) fn note_preferred(&mut self, preferred: &Url) {
        let id = page_id(preferred);
        self.known.insert(id);
        self.visited.insert(id);
    }

    /// Notes a text. Returns whether it was noted before.
    pub(super) fn is_repeated(&mut self, texts: &[&str]) -> bool {
        !self.texts.insert(hash(texts))
    }
}

/// The queues as a list.
mod queues {
    use super::{BTreeMap, Deserialize as _, Place, VecDeque, Waiting};
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        queues: &BTreeMap<Place, VecDeque<Waiting>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(queues.values().flatten())
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(
        deserializer: D,
    ) -> Result<BTreeMap<Place, VecDeque<Waiting>>, D::Error> {
        let mut queues = BTreeMap::<Place, VecDeque<Waiting>>::new();
        for waiting in Vec::<Waiting>::deserialize(deserializer)? {
            queues.entry(waiting.place()).or_default().push_back(waiting);
        }
        Ok(queues)
    }
}

/// Returns why an address is never followed. The reasons are in the order of what they cost.
fn refused(page: &Url, scope: &Scope) -> Option<Reason> {
    if !scope.contains(page) {
        return Some("outside of the scope");
    }
    if is_other_file(page) {
        return Some("not a page");
    }
    goes_in_circles(page).then_some("path repeats itself")
}

#[cfg(test)]
mod tests {
    use super::super::scope::{Reach, ScopeSettings};
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse("https://a.example/").and_then(|base| base.join(path)).expect("a URL")
    }

    fn scope() -> Scope {
        let (include, exclude) = Default::default();
        Scope::new(&ScopeSettings { start: url("/"), reach: Reach::Host, include, exclude }).expect("valid")
    }

    fn frontier(links: &[(&str, usize, bool)]) -> Frontier {
        let mut frontier = Frontier::new(&url("/"));
        for (path, depth, is_listed) in links {
            frontier.add(&url(path), *depth, *is_listed, &scope()).expect("followed");
        }
        frontier
    }

    /// Takes all addresses of at most a depth.
    fn paths(frontier: &mut Frontier, depth: usize) -> Vec<String> {
        let mut paths = Vec::new();
        while let Next::Address(waiting) = frontier.next(depth, |_| true) {
            frontier.done(&waiting);
            paths.push(waiting.url.path().to_owned());
        }
        paths
    }

    #[test]
    fn addresses_have_the_order_of_their_depth_whenever_they_are_added() {
        let links =
            [("/deep", 2, false), ("/map-a", 1, true), ("/a", 1, false), ("/deeper", 3, false), ("/map-b", 1, true)];
        let mut first = frontier(&links);
        assert_eq!(paths(&mut first, 1), ["/", "/a", "/map-a", "/map-b"]);
        assert_eq!((first.left(), first.next(1, |_| true)), (2, Next::Nothing));
        first.add(&url("/b"), 2, false, &scope()).expect("followed");
        // The order outlives the disk.
        let text = serde_json::to_string(&first).expect("JSON");
        let mut read: Frontier = serde_json::from_str(&text).expect("a frontier");
        assert_eq!(paths(&mut read, 9), ["/deep", "/b", "/deeper"]);
        assert_eq!((read.left(), read.next(9, |_| true)), (0, Next::Nothing));
    }

    #[test]
    fn an_address_whose_visit_has_not_ended_is_the_next_one_again() {
        let mut first = frontier(&[("/a", 1, false), ("/b", 1, false), ("/c", 1, false)]);
        let taken: Vec<Next> = (0..3).map(|_| first.next(9, |_| true)).collect();
        assert_eq!((first.left(), first.active()), (1, 3));
        // A process that is killed now leaves this.
        let mut read: Frontier =
            serde_json::from_str(&serde_json::to_string(&first).expect("JSON")).expect("a frontier");
        read.settle();
        assert_eq!((read.left(), read.active(), read.next(9, |_| true)), (4, 0, taken[0].clone()));
        assert_eq!(paths(&mut read, 9), ["/a", "/b", "/c"]);
    }

    #[test]
    fn a_host_that_must_not_be_asked_now_does_not_hold_up_others() {
        let mut frontier = frontier(&[("/a", 1, false), ("/b", 1, false)]);
        assert_eq!(frontier.next(9, |_| false), Next::Later);
        let is_free = |url: &Url| url.path() == "/b";
        assert!(matches!(frontier.next(9, is_free), Next::Address(waiting) if waiting.url.path() == "/b"));
        assert_eq!((frontier.next(9, is_free), frontier.left()), (Next::Later, 2));
    }

    #[test]
    fn an_address_that_was_reached_by_a_redirect_is_not_visited() {
        let mut frontier = frontier(&[("/old", 1, false), ("/new", 1, false)]);
        assert!(!frontier.note_redirects(&url("/old"), &[url("/old"), url("/new")]));
        assert!(frontier.note_redirects(&url("/older"), &[url("/older"), url("/new")]));
        assert_eq!(frontier.left(), 3);
        frontier.settle();
        assert_eq!(frontier.left(), 2);
        assert_eq!(paths(&mut frontier, 9), ["/", "/old"]);
    }

    #[test]
    fn many_addresses_of_one_shape_are_last_and_have_an_end() {
        let mut frontier = Frontier::new(&url("/"));
        let scope = scope();
        let mut refused = 0;
        for day in 0..MAX_OF_SHAPE + 7 {
            let added = frontier.add(&url(&format!("/day/{day}?week={day}")), 1, false, &scope);
            refused += usize::from(added == Err(Some("too many addresses that differ only in numbers")));
        }
        frontier.add(&url("/deep"), 9, false, &scope).expect("followed");
        // What a site lists, it has.
        frontier.add(&url("/day/77777?week=0"), 1, true, &scope).expect("followed");
        let paths = paths(&mut frontier, 9);
        assert_eq!((refused, paths.len()), (7, MAX_OF_SHAPE + 3));
        assert_eq!(paths.iter().position(|path| path == "/day/77777"), Some(MANY_OF_SHAPE + 1));
        assert_eq!(paths.iter().position(|path| path == "/deep"), Some(MANY_OF_SHAPE + 2));
    }

    #[test]
    fn what_is_not_followed_is_counted_once() {
        let mut frontier = Frontier::new(&url("/"));
        let scope = scope();
        let long = format!("/{}", "x".repeat(MAX_ADDRESS));
        for (link, reason) in [
            ("https://b.example/", Some("outside of the scope")),
            ("https://b.example/#x", None),
            ("/picture.png", Some("not a page")),
            ("/a/b/a/b/a/b/a/b", Some("path repeats itself")),
            (long.as_str(), Some("address is too long")),
            ("/#top", None),
        ] {
            assert_eq!(frontier.add(&url(link), 1, false, &scope), Err(reason), "{link}");
        }
        assert_eq!(frontier.left(), 1);
    }
}
