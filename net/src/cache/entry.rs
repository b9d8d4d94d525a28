//! An answer in a file: a first line, a checksum of what follows, the address, two times, the status, headers, an empty line, and the body.

use sha2::{Digest as _, Sha256};
use ureq::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::cache::freshness;
use crate::fetch::Hop;

const FIRST_LINE: &[u8] = b"toolc answer 1\n";
/// The maximum size of what is before the body, in bytes. An answer with more is not kept.
const MAX_HEAD: usize = 128 << 10;
const MAX_HEADERS: usize = 1_000;

/// Headers about one connection or one message (RFC 9111, 3.1), and cookies, which are not kept on the disk.
const NOT_KEPT: &[HeaderName] = &[
    header::CONNECTION,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::SET_COOKIE,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];
/// Headers about a body, which an answer without one does not change.
const ABOUT_THE_BODY: &[HeaderName] =
    &[header::CONTENT_ENCODING, header::CONTENT_LENGTH, header::CONTENT_RANGE, header::CONTENT_TYPE];

/// An answer that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    address: String,
    /// When the server was asked, in seconds since 1970.
    requested: u64,
    /// When it answered.
    received: u64,
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Entry {
    /// Returns an entry for an answer, if that may be kept.
    pub(super) fn new(address: &str, hop: &Hop, requested: u64, received: u64) -> Option<Self> {
        let mut headers = hop.headers.clone();
        for name in NOT_KEPT {
            headers.remove(name);
        }
        let (address, status, body) = (address.to_owned(), hop.status, hop.body.clone());
        Some(Self { address, requested, received, status, headers, body })
            .filter(|entry| !hop.is_cut && entry.may_be_kept())
    }

    /// Returns the entry after the server has said that nothing has changed.
    pub(super) fn renewed(self, headers: &HeaderMap, requested: u64, received: u64) -> Self {
        let mut renewed = Self { requested, received, ..self };
        for name in headers.keys().filter(|name| !NOT_KEPT.contains(name) && !ABOUT_THE_BODY.contains(name)) {
            renewed.headers.remove(name);
            for value in headers.get_all(name) {
                renewed.headers.append(name, value.clone());
            }
        }
        renewed
    }

    /// Returns whether the server allows to keep the answer.
    pub(super) fn may_be_kept(&self) -> bool {
        freshness::may_be_kept(self.status, &self.headers, self.received)
    }

    /// Returns whether the answer is used without asking the server, at a time in seconds since 1970.
    pub(crate) fn is_fresh(&self, now: u64) -> bool {
        freshness::is_fresh(&self.headers, self.requested, self.received, now)
    }

    /// Returns the headers that ask the server whether the answer has changed.
    pub(crate) fn conditions(&self) -> HeaderMap {
        let condition = |of: HeaderName, condition: HeaderName| Some((condition, self.headers.get(of)?.clone()));
        let changed = condition(header::ETAG, header::IF_NONE_MATCH);
        changed.into_iter().chain(condition(header::LAST_MODIFIED, header::IF_MODIFIED_SINCE)).collect()
    }

    /// Returns the answer with at most `limit` bytes of its body.
    pub(crate) fn into_hop(self, limit: usize) -> Hop {
        let Self { status, headers, mut body, .. } = self;
        let is_cut = body.len() > limit;
        body.truncate(limit);
        Hop { status, headers, body, is_cut, from_cache: true }
    }

    /// Returns the content of its file, unless its headers are too long.
    pub(super) fn to_bytes(&self) -> Option<Vec<u8>> {
        let Self { address, requested, received, status, headers, body } = self;
        let mut content = format!("{address}\n{requested} {received} {}\n", status.as_u16()).into_bytes();
        for (name, value) in headers {
            content.extend_from_slice(name.as_str().as_bytes());
            content.extend_from_slice(b": ");
            content.extend_from_slice(value.as_bytes());
            content.push(b'\n');
        }
        content.push(b'\n');
        if content.len() > MAX_HEAD || headers.len() > MAX_HEADERS {
            return None;
        }
        content.extend_from_slice(body);
        Some([FIRST_LINE, &Sha256::digest(&content), &content].concat())
    }

    /// Reads the content of a file. Returns `None` if it is damaged, or is for another address.
    pub(super) fn from_bytes(bytes: &[u8], address: &str) -> Option<Self> {
        let (sum, content) = bytes.strip_prefix(FIRST_LINE)?.split_at_checked(32)?;
        if sum != Sha256::digest(content).as_slice() {
            return None;
        }
        let mut rest = content;
        let mut line = || {
            let end = rest.iter().take(MAX_HEAD).position(|&byte| byte == b'\n')?;
            let (line, after) = (rest.get(..end)?, rest.get(end + 1..)?);
            rest = after;
            Some(line)
        };
        if line()? != address.as_bytes() {
            return None;
        }
        let mut numbers = std::str::from_utf8(line()?).ok()?.split(' ');
        let (requested, received) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
        let status = StatusCode::from_u16(numbers.next()?.parse().ok()?).ok()?;
        let mut headers = HeaderMap::new();
        loop {
            let line = line()?;
            if line.is_empty() {
                break;
            }
            let end = line.windows(2).position(|end| end == b": ")?;
            let name = HeaderName::from_bytes(&line[..end]).ok()?;
            let value = HeaderValue::from_bytes(&line[end + 2..]).ok()?;
            if headers.len() >= MAX_HEADERS {
                return None;
            }
            headers.append(name, value);
        }
        let entry = Self { address: address.to_owned(), requested, received, status, headers, body: rest.to_vec() };
        // Another program may have written the file.
        Some(entry).filter(Self::may_be_kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            (header::ETAG, &b"\"a\""[..]),
            (header::VARY, b"Accept"),
            (header::VARY, b""),
            (header::SERVER, b"\xfc: \t x"),
            (header::SET_COOKIE, b"secret"),
            (header::CONTENT_TYPE, b"text/plain"),
        ] {
            headers.append(name, HeaderValue::from_bytes(value).expect("a value"));
        }
        let hop = Hop { status: StatusCode::OK, headers, body: b"\nbody\n".to_vec(), is_cut: false, from_cache: false };
        Entry::new("https://example.com/", &hop, 1, 2).expect("it is kept")
    }

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        let entry = entry();
        let bytes = entry.to_bytes().expect("it is small");
        assert_eq!(Entry::from_bytes(&bytes, "https://example.com/"), Some(entry));
        assert_eq!(Entry::from_bytes(&bytes, "https://example.com/a"), None);
        assert!(!bytes.windows(6).any(|word| word == b"secret"));
    }

    #[test]
    fn a_damaged_file_is_not_an_entry() {
        let bytes = entry().to_bytes().expect("it is small");
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(Entry::from_bytes(&damaged, "https://example.com/"), None, "{at}");
            assert_eq!(Entry::from_bytes(&bytes[..at], "https://example.com/"), None, "{at}");
        }
        for content in
            ["", "\n", "https://example.com/", "https://example.com/\n1 2\n\n", "https://example.com/\n1 2 999\nx\n\n"]
        {
            let bytes = [FIRST_LINE, &Sha256::digest(content), content.as_bytes()].concat();
            assert_eq!(Entry::from_bytes(&bytes, "https://example.com/"), None, "{content}");
        }
        let refused = "https://example.com/\n1 2 200\netag: x\ncache-control: no-store\n\nx";
        let bytes = [FIRST_LINE, &Sha256::digest(refused), refused.as_bytes()].concat();
        assert_eq!(Entry::from_bytes(&bytes, "https://example.com/"), None);
    }

    #[test]
    fn an_unchanged_answer_gets_new_headers_but_keeps_its_body() {
        let headers = |list: &[(HeaderName, &'static str)]| -> HeaderMap {
            list.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect()
        };
        let new =
            headers(&[(header::CACHE_CONTROL, "max-age=9"), (header::VARY, "x"), (header::CONTENT_TYPE, "text/html")]);
        let renewed = entry().renewed(&new, 10, 11);
        assert!(renewed.is_fresh(11) && !entry().is_fresh(2));
        assert_eq!(renewed.headers[header::CONTENT_TYPE], "text/plain");
        assert_eq!(renewed.headers.get_all(header::VARY).iter().count(), 1);
        assert_eq!(renewed.conditions()[header::IF_NONE_MATCH], "\"a\"");
        assert_eq!(renewed.into_hop(3).body, b"\nbo");
        assert!(!entry().renewed(&headers(&[(header::CACHE_CONTROL, "no-store")]), 10, 11).may_be_kept());
    }
}
