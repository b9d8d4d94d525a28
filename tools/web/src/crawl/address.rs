//! Addresses of pages, in one spelling, so that a page is visited once.

use std::borrow::Cow;
use std::collections::HashMap;

use url::Url;

/// Parameters that say where a visitor comes from or who the visitor is, not which page is meant. Those that end in `_` are prefixes.
const OF_A_VISIT: &[&str] = &[
    "utm_",
    "gclid",
    "fbclid",
    "msclkid",
    "dclid",
    "yclid",
    "igshid",
    "mc_cid",
    "mc_eid",
    "_ga",
    "ref_src",
    "phpsessid",
    "jsessionid",
    "aspsessionid",
    "cfid",
    "cftoken",
];
/// Parameters that are those of a visit if their value is as long as the id of a session. On some sites, they are numbers of pages.
const OF_A_SESSION: &[&str] = &["sid", "s", "sessionid", "session_id", "session"];
/// The minimum length of the id of a session.
const MIN_SESSION: usize = 16;
/// Files that a server shows for the address of their folder.
const INDEX_FILES: &[&str] = &["index.html", "index.htm", "index.php", "default.aspx"];
/// Endings of files other than pages. Names of pages end in `.js` and `.map`, too.
const OTHER_FILES: &[&str] = &[
    "7z", "apk", "avi", "bin", "bmp", "bz2", "css", "deb", "dmg", "doc", "docx", "eot", "exe", "flac", "gif", "gz",
    "ico", "iso", "jar", "jpeg", "jpg", "m4a", "mov", "mp3", "mp4", "msi", "ogg", "otf", "png", "ppt", "pptx", "rar",
    "rpm", "svg", "tar", "tgz", "tiff", "ttf", "wasm", "wav", "webm", "webp", "whl", "woff", "woff2", "xls", "xlsx",
    "xz", "zip", "zst",
];

/// Returns the address without its fragment and what belongs to a visit: parameters, ids of sessions in the path, and a user with a password,
/// which are not sent.
pub(super) fn cleaned(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    // A URL of the web can have both.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    let segments = || url.path().split('/');
    if segments().any(|segment| without_session(segment) != Some(segment)) {
        let path: Vec<&str> = segments().filter_map(without_session).collect();
        let path = path.join("/");
        url.set_path(&path);
    }
    if let Some(query) = url.query() {
        // What is left keeps its spelling: it may matter to the server.
        let left: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty() && !is_of_a_visit(pair)).collect();
        let left = left.join("&");
        url.set_query((!left.is_empty()).then_some(&left));
    }
    url
}

/// Returns a segment of a path without `;jsessionid=…`. `None` if all of it is the session, as in `/(S(…))/`.
fn without_session(segment: &str) -> Option<&str> {
    if segment.starts_with("(S(") && segment.ends_with("))") {
        return None;
    }
    let session = segment.split_once(';').filter(|(_, parameter)| is_of_a_visit(parameter));
    Some(session.map_or(segment, |(segment, _)| segment))
}

/// Returns whether a parameter, such as `utm_source=x`, is that of a visit.
fn is_of_a_visit(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let name = name.to_ascii_lowercase();
    OF_A_VISIT.iter().any(|part| if part.ends_with('_') { name.starts_with(part) } else { name == *part })
        || (OF_A_SESSION.contains(&name.as_str()) && value.len() >= MIN_SESSION && is_random(value))
}

fn is_random(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric()) && value.bytes().any(|byte| byte.is_ascii_digit())
}

/// Returns a number for the page of an address. It is the same for all spellings of the address: those of [`cleaned`], with another order of
/// the parameters, with the name of an index file, with other percent-encoding, or with `https` in place of `http`.
pub(super) fn page_id(url: &Url) -> u64 {
    let url = cleaned(url);
    let path = normal_percents(url.path());
    let mut path = &*path;
    if let Some((folder, file)) = path.rsplit_once('/')
        && INDEX_FILES.iter().any(|index| index.eq_ignore_ascii_case(file))
    {
        path = &path[..=folder.len()];
    }
    let query = url.query().map(normal_percents).unwrap_or_default();
    let mut pairs: Vec<&str> = query.split('&').collect();
    pairs.sort_unstable();
    let port = url.port().map(|port| port.to_string()).unwrap_or_default();
    hash(&[url.host_str().unwrap_or_default(), &port, path, &pairs.join("&")])
}

/// Returns a text in which letters, digits and `-._~` are never percent-encoded, and other bytes have capital digits.
fn normal_percents(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split('%');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match encoded(part) {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                out.push(char::from(byte));
                out.push_str(&part[2..]);
            }
            Some(byte) => {
                out.push_str(&format!("%{byte:02X}"));
                out.push_str(&part[2..]);
            }
            None => {
                out.push('%');
                out.push_str(part);
            }
        }
    }
    Cow::Owned(out)
}

/// Returns the byte of the two digits that follow a `%`.
fn encoded(text: &str) -> Option<u8> {
    let digits = text.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u8::from_str_radix(digits, 16).ok()
}

/// Returns a text without percent-encoding, for globs.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend_from_slice(parts.next().unwrap_or_default().as_bytes());
    for part in parts {
        let byte = encoded(part);
        bytes.push(byte.unwrap_or(b'%'));
        bytes.extend_from_slice(&part.as_bytes()[if byte.is_some() { 2 } else { 0 }..]);
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the hash of texts (FNV-1a). It is written to the disk, so that it must be the same in every build.
pub(super) fn hash(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns whether an address ends like a file other than a page, such as a picture.
pub(super) fn is_other_file(url: &Url) -> bool {
    let file = url.path().rsplit('/').next().unwrap_or_default();
    let ending = file.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| OTHER_FILES.contains(&ending.as_str()))
}

/// Returns whether a segment of the path repeats so often that links lead in a circle: relative links of a wrong page add the same folder
/// again and again.
pub(super) fn goes_in_circles(url: &Url) -> bool {
    const MOST: usize = 3;
    let mut counts: HashMap<&str, usize> = HashMap::new();
    url.path().split('/').filter(|segment| !segment.is_empty()).any(|segment| {
        let count = counts.entry(segment).or_default();
        *count += 1;
        *count > MOST
    })
}

/// Returns the hash of the shape of an address: the same for addresses that differ only in numbers and in the values of parameters, such as
/// the days of a calendar.
pub(super) fn shape(url: &Url) -> u64 {
    let path: String = url.path().chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    // A longer number has the same shape.
    let mut plain = String::with_capacity(path.len());
    for letter in path.chars() {
        if letter != '0' || !plain.ends_with('0') {
            plain.push(letter);
        }
    }
    let names: Vec<&str> =
        url.query().unwrap_or_default().split('&').map(|pair| pair.split('=').next().unwrap_or_default()).collect();
    hash(&[url.host_str().unwrap_or_default(), &plain, &names.join("&")])
}

/// Returns whether addresses of the same shape could go on without an end: they have numbers or parameters.
pub(super) fn is_numbered(url: &Url) -> bool {
    url.query().is_some() || url.path().contains(|letter: char| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a URL")
    }

    #[test]
    fn what_belongs_to_a_visit_is_removed() {
        let rows = [
            ("https://me:secret@example.org/a#part", "https://example.org/a"),
            ("https://example.org/a?utm_source=x&utm_medium=y", "https://example.org/a"),
            ("https://example.org/a?b=2&&a=1", "https://example.org/a?b=2&a=1"),
            ("https://example.org/a?x&y=%7e&fbclid=1", "https://example.org/a?x&y=%7e"),
            ("https://example.org/a?PHPSESSID=0123&id=7", "https://example.org/a?id=7"),
            ("https://example.org/a?sid=0123456789abcdef0123", "https://example.org/a"),
            ("https://example.org/story?sid=17", "https://example.org/story?sid=17"),
            ("https://example.org/a;JSESSIONID=F00/b?id=7", "https://example.org/a/b?id=7"),
            ("https://example.org/(S(lit3py55t21z5v55vlm25s55))/a", "https://example.org/a"),
            ("https://example.org/a;v=1", "https://example.org/a;v=1"),
            ("https://example.org/a?", "https://example.org/a"),
            ("https://example.org/docs/index.html", "https://example.org/docs/index.html"),
            ("https://example.org/side?sidebar=1", "https://example.org/side?sidebar=1"),
        ];
        for (spelling, page) in rows {
            assert_eq!(cleaned(&url(spelling)).as_str(), page, "{spelling}");
        }
    }

    #[test]
    fn spellings_of_one_page_have_one_id() {
        let same = [
            ("https://EXAMPLE.org:443/a", "http://example.org/a"),
            ("https://example.org/a?b=2&a=1", "https://example.org/a?a=1&b=2"),
            ("https://example.org/docs/index.html", "https://example.org/docs/"),
            ("https://example.org/%7euser/%c3%a4", "https://example.org/~user/ä"),
            ("https://example.org/a;jsessionid=1?utm_id=2", "https://example.org/a"),
        ];
        for (one, other) in same {
            assert_eq!(page_id(&url(one)), page_id(&url(other)), "{one} {other}");
        }
        let others = [
            "https://example.org/a",
            "https://example.org/A",
            "https://example.org/a/",
            "https://example.org/a?b",
            "https://example.org/a%2Fb",
            "https://example.org/a/b",
            "https://example.org:8443/a",
            "https://www.example.org/a",
        ];
        let ids: std::collections::BTreeSet<u64> = others.iter().map(|text| page_id(&url(text))).collect();
        assert_eq!(ids.len(), others.len());
    }

    #[test]
    fn a_hash_is_the_same_in_every_build() {
        assert_eq!(hash(&["a"]), 0x089b_c907_b544_c769);
        assert_ne!(hash(&["a", "b"]), hash(&["ab"]));
        assert_eq!(decoded("/%C3%BC%20%zz%"), "/ü %zz%");
    }

    #[test]
    fn a_path_with_very_many_segments_is_judged_at_once() {
        let path: Vec<String> = (0..100_000).map(|number| number.to_string()).collect();
        let address = url(&format!("https://example.org/{}", path.join("/")));
        let started = std::time::Instant::now();
        assert!(!goes_in_circles(&address));
        // To compare each segment with each other one takes more than a minute.
        assert!(started.elapsed() < std::time::Duration::from_secs(10), "{:?}", started.elapsed());
    }

    #[test]
    fn circles_files_and_shapes_are_recognised() {
        assert!(goes_in_circles(&url("https://example.org/a/b/a/b/a/b/a/b")));
        assert!(!goes_in_circles(&url("https://example.org/en/docs/en/api/en")));
        assert!(is_other_file(&url("https://example.org/pictures/a.PNG?size=1")));
        assert!(!is_other_file(&url("https://example.org/v1.2/a.html")));
        assert!(!is_other_file(&url("https://example.org/wiki/Node.js")));
        assert_eq!(shape(&url("https://a.org/2024/05?d=1")), shape(&url("https://a.org/5/1223?d=9")));
        assert_ne!(shape(&url("https://a.org/2024/05?d=1")), shape(&url("https://a.org/2024/05?m=1")));
        assert!(is_numbered(&url("https://a.org/page-2")) && !is_numbered(&url("https://a.org/page")));
    }
}
