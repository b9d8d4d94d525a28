//! Asks the sites which of their addresses programs may fetch.

mod rules;

use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

pub use rules::Robots;

use crate::client::Client;
use crate::fetch::Fetch;
use crate::limits::Limits;
use crate::target::Target;

/// The longest time to wait for a `robots.txt`, before each first fetch from a site.
const TIME: Duration = Duration::from_secs(5);
/// The number of sites whose rules are kept.
const MAX_SITES: usize = 100;
/// RFC 9309, 2.4: rules should not be used for longer.
const OLD: Duration = Duration::from_hours(24);
/// When a site that did not answer is asked again.
const RETRY: Duration = Duration::from_mins(1);

/// The `robots.txt` of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RobotsFile {
    /// Its rules.
    Rules(Robots),
    /// The site has none, and answers with this status from 400 to 499. Every address may be fetched.
    Missing(u16),
    /// It cannot be read, for this reason. No address may be fetched, because the site may have wanted that.
    Unavailable(String),
}

/// Why an address is not fetched by a program that follows `robots.txt`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RobotsRefusal {
    /// The site forbids it, with this line.
    Rule(String),
    /// The file cannot be read, for this reason.
    Unavailable(String),
}

impl fmt::Display for RobotsRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(line) => {
                write!(f, "the robots.txt of the site forbids programs to fetch this address: `{line}`")
            }
            Self::Unavailable(reason) => write!(
                f,
                "the robots.txt of the site cannot be read, so that its rules are unknown and nothing is fetched: {reason}"
            ),
        }
    }
}

impl Error for RobotsRefusal {}

impl RobotsFile {
    /// Checks whether an address of the site may be fetched.
    ///
    /// # Errors
    /// If the site forbids it, or its rules are unknown.
    pub fn check(&self, target: &Target) -> Result<(), RobotsRefusal> {
        match self {
            Self::Rules(robots) => robots.refusal(target).map_or(Ok(()), |line| Err(RobotsRefusal::Rule(line))),
            Self::Missing(_) => Ok(()),
            Self::Unavailable(reason) => Err(RobotsRefusal::Unavailable(reason.clone())),
        }
    }

    /// Returns the rules, if the site has any.
    pub fn rules(&self) -> Option<&Robots> {
        match self {
            Self::Rules(robots) => Some(robots),
            _ => None,
        }
    }
}

/// The rules of the last 100 sites, for at most a day. Copies share them.
#[derive(Debug, Clone, Default)]
pub struct RobotsCache {
    /// The site that was asked first is first.
    sites: Arc<Mutex<Vec<Site>>>,
}

#[derive(Debug, Clone)]
struct Site {
    origin: String,
    asked: Instant,
    /// Empty while one caller asks. The other ones wait for it.
    file: Arc<OnceLock<Arc<RobotsFile>>>,
}

impl Site {
    fn is_old(&self) -> bool {
        let time = match self.file.get().map(AsRef::as_ref) {
            Some(RobotsFile::Unavailable(_)) => RETRY,
            _ => OLD,
        };
        self.asked.elapsed() > time
    }
}

impl RobotsCache {
    /// Returns the file of a site, and asks for it once.
    fn get(&self, origin: String, ask: impl FnOnce() -> RobotsFile) -> Arc<RobotsFile> {
        let file = {
            let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
            sites.retain(|site| !site.is_old());
            if let Some(site) = sites.iter().find(|site| site.origin == origin) {
                Arc::clone(&site.file)
            } else {
                if sites.len() >= MAX_SITES {
                    sites.remove(0);
                }
                let file = Arc::default();
                sites.push(Site { origin, asked: Instant::now(), file: Arc::clone(&file) });
                file
            }
        };
        Arc::clone(file.get_or_init(|| Arc::new(ask())))
    }
}

impl Client {
    /// Returns the `robots.txt` of the site of an address, for a program with the first word of this client's user agent. The site is asked
    /// once, and has five seconds for its answer.
    pub fn robots(&self, target: &Target, cache: &RobotsCache) -> Arc<RobotsFile> {
        cache.get(target.url().origin().ascii_serialization(), || {
            target
                .join("/robots.txt", self.ports())
                .map_or_else(|invalid| RobotsFile::Unavailable(invalid.to_string()), |file| self.ask_for_robots(file))
        })
    }

    fn ask_for_robots(&self, file: Target) -> RobotsFile {
        // One byte more shows that the last line is not complete.
        let limits = Limits { time: TIME, body_bytes: rules::MAX_BYTES + 1, ..Limits::default() };
        match self.fetch(Fetch::get(file), &limits) {
            Ok(answer) => match answer.status {
                200..=299 => RobotsFile::Rules(Robots::read(&String::from_utf8_lossy(&answer.body), self.program())),
                status @ 400..=499 => RobotsFile::Missing(status),
                status => RobotsFile::Unavailable(format!("{} answers with the status {status}", answer.target)),
            },
            Err(error) => RobotsFile::Unavailable(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bounded_number_of_sites_is_kept() {
        let cache = RobotsCache::default();
        for site in 0..=MAX_SITES {
            cache.get(site.to_string(), || RobotsFile::Missing(404));
        }
        assert_eq!(cache.sites.lock().expect("no panic").len(), MAX_SITES);
        cache.get("0".to_owned(), || RobotsFile::Missing(410));
        let file = cache.get("0".to_owned(), || unreachable!("it is kept"));
        assert_eq!(*file, RobotsFile::Missing(410));
    }

    #[test]
    fn a_site_that_did_not_answer_is_asked_again_soon() {
        let ago = |time: Duration| Instant::now().checked_sub(time).expect("the machine runs for longer");
        for (file, is_old) in [(RobotsFile::Missing(404), false), (RobotsFile::Unavailable(String::new()), true)] {
            let file = Arc::new(OnceLock::from(Arc::new(file)));
            let site = Site { origin: String::new(), asked: ago(RETRY), file };
            assert_eq!(site.is_old(), is_old);
        }
    }
}
