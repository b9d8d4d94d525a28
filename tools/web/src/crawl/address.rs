//! Addresses of pages, in one spelling, so that a page is visited once.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use url::Url;

/// Parameters that say where a visitor comes from or who the visitor is, not which page is meant. Those that end in `_` are prefixes.
const NO_PART_OF_A_PAGE: &[&str] = &[
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
    "sid",
    "sessionid",
    "session_id",
    "aspsessionid",
    "cfid",
    "cftoken",
];
/// Files that a server shows for the address of their folder.
const INDEX_FILES: &[&str] = &["index.html", "index.htm", "index.php", "default.aspx"];
/// Endings of files that are no pages.
const OTHER_FILES: &[&str] = &[
    "7z", "apk", "avi", "bin", "bmp", "bz2", "css", "deb", "dmg", "doc", "docx", "eot", "exe", "flac", "gif", "gz",
    "ico", "iso", "jar", "jpeg", "jpg", "js", "m4a", "map", "mjs", "mov", "mp3", "mp4", "msi", "ogg", "otf", "png",
    "ppt", "pptx", "rar", "rpm", "svg", "tar", "tgz", "tiff", "ttf", "wasm", "wav", "webm", "webp", "whl", "woff",
    "woff2", "xls", "xlsx", "xz", "zip", "zst",
];

/// Returns the address in the spelling in which addresses are compared: without its fragment, parameters of visits, session ids in the path,
/// and the name of an index file, and with its parameters sorted.
pub(super) fn normalized(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    if let Some((path, _)) = url.path().split_once(";jsessionid=").map(|(path, id)| (path.to_owned(), id.to_owned())) {
        url.set_path(&path);
    }
    let file = url.path().rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    if INDEX_FILES.contains(&file.as_str()) {
        let folder = url.path()[..url.path().len() - file.len()].to_owned();
        url.set_path(&folder);
    }
    let mut pairs: Vec<(String, String)> = url.query_pairs().map(|(name, value)| (name.into(), value.into())).collect();
    let count = pairs.len();
    pairs.retain(|(name, _)| !is_of_a_visit(name));
    let was_sorted = pairs.is_sorted();
    pairs.sort();
    if pairs.is_empty() {
        url.set_query(None);
    } else if pairs.len() < count || !was_sorted {
        url.query_pairs_mut().clear().extend_pairs(&pairs);
    }
    url
}

fn is_of_a_visit(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NO_PART_OF_A_PAGE.iter().any(|part| if part.ends_with('_') { name.starts_with(part) } else { name == *part })
}

/// Returns whether an address ends like a file that is no page, such as a picture.
pub(super) fn is_other_file(url: &Url) -> bool {
    let file = url.path().rsplit('/').next().unwrap_or_default();
    let ending = file.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| OTHER_FILES.contains(&ending.as_str()))
}

/// Returns whether a segment of the path repeats so often that links lead in a circle: relative links of a wrong page add the same folder
/// again and again.
pub(super) fn goes_in_circles(url: &Url) -> bool {
    const MOST: usize = 3;
    let segments: Vec<&str> = url.path().split('/').filter(|segment| !segment.is_empty()).collect();
    segments.iter().any(|segment| segments.iter().filter(|other| *other == segment).count() > MOST)
}

/// Returns the hash of the shape of an address: the same for addresses that differ only in numbers and in the values of parameters, such as
/// the days of a calendar.
pub(super) fn shape(url: &Url) -> u64 {
    let mut hasher = DefaultHasher::new();
    url.host_str().hash(&mut hasher);
    for segment in url.path().split('/') {
        let has_digits = segment.contains(|letter: char| letter.is_ascii_digit());
        let plain: String = segment.chars().filter(|letter| !letter.is_ascii_digit()).collect();
        (has_digits, plain).hash(&mut hasher);
    }
    for (name, _) in url.query_pairs() {
        name.hash(&mut hasher);
    }
    hasher.finish()
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
    fn spellings_of_one_page_are_one_address() {
        let rows = [
            ("https://example.org/a#part", "https://example.org/a"),
            ("https://EXAMPLE.org:443/a", "https://example.org/a"),
            ("https://example.org/a?utm_source=x&utm_medium=y", "https://example.org/a"),
            ("https://example.org/a?b=2&a=1", "https://example.org/a?a=1&b=2"),
            ("https://example.org/a?PHPSESSID=0123&id=7", "https://example.org/a?id=7"),
            ("https://example.org/a;jsessionid=F00?id=7", "https://example.org/a?id=7"),
            ("https://example.org/docs/index.html", "https://example.org/docs/"),
            ("https://example.org/a?", "https://example.org/a"),
            ("https://example.org/side?sidebar=1", "https://example.org/side?sidebar=1"),
        ];
        for (spelling, page) in rows {
            assert_eq!(normalized(&url(spelling)).as_str(), page, "{spelling}");
        }
    }

    #[test]
    fn circles_files_and_shapes_are_recognised() {
        assert!(goes_in_circles(&url("https://example.org/a/b/a/b/a/b/a/b")));
        assert!(!goes_in_circles(&url("https://example.org/en/docs/en/api/en")));
        assert!(is_other_file(&url("https://example.org/pictures/a.PNG?size=1")));
        assert!(!is_other_file(&url("https://example.org/v1.2/a.html")));
        assert_eq!(shape(&url("https://a.org/2024/05?d=1")), shape(&url("https://a.org/2025/12?d=9")));
        assert_ne!(shape(&url("https://a.org/2024/05?d=1")), shape(&url("https://a.org/2024/05?m=1")));
        assert!(is_numbered(&url("https://a.org/page-2")) && !is_numbered(&url("https://a.org/page")));
    }
}
