//! Addresses of the same page.

use url::{Host, Url};

/// Parameters that say where a visitor comes from, and do not change the page. Those that begin with `utm_` belong to them, too.
const TRACKING: &[&str] = &[
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "_openstat",
    "amp",
    "ampshare",
    "cmpid",
    "dclid",
    "fbclid",
    "gad_source",
    "gbraid",
    "gclid",
    "gclsrc",
    "igsh",
    "igshid",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "oly_anon_id",
    "oly_enc_id",
    "outputtype",
    "rb_clickid",
    "ref_src",
    "s_cid",
    "smid",
    "spm",
    "srsltid",
    "ttclid",
    "twclid",
    "vero_conv",
    "vero_id",
    "wbraid",
    "wickedid",
    "wprov",
    "yclid",
    "ysclid",
];

/// Returns a text that is the same for addresses of the same page: without scheme, `www.`, a slash at the end, a fragment, parameters that
/// only track visitors, and AMP.
pub(super) fn canonical(url: &Url) -> String {
    let inner = amp_target(url);
    let url = inner.as_ref().unwrap_or(url);
    let host = url.host().map(|host| match host {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.').to_lowercase();
            let short = ["www.", "amp.", "m."].iter().find_map(|prefix| name.strip_prefix(prefix));
            short.filter(|rest| rest.contains('.')).unwrap_or(&name).to_owned()
        }
        address => address.to_string(),
    });
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let mut pairs: Vec<(String, String)> =
        url.query_pairs().into_owned().filter(|(name, _)| !is_tracking(name)).collect();
    pairs.sort();
    let query = if pairs.is_empty() { String::new() } else { format!("?{pairs:?}") };
    // Some sites have their pages in the fragment.
    let fragment = url.fragment().filter(|fragment| fragment.starts_with(['/', '!'])).map(|part| format!("#{part}"));
    format!("{}{port}{}{query}{}", host.unwrap_or_default(), path(url), fragment.unwrap_or_default())
}

/// Returns the path without what names a second form of the same page.
fn path(url: &Url) -> &str {
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix("/amp").or_else(|| path.strip_suffix(".amp")).unwrap_or(path);
    path.strip_suffix("/index.html").unwrap_or(path)
}

fn is_tracking(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("utm_") || TRACKING.binary_search(&name.as_str()).is_ok()
}

/// Returns the page of an address of a cache of AMP, such as `https://www.google.com/amp/s/example.com/page`.
fn amp_target(url: &Url) -> Option<Url> {
    let host = url.host_str()?;
    let rest = if host.strip_prefix("www.").unwrap_or(host).starts_with("google.") {
        url.path().strip_prefix("/amp/")?
    } else if host.ends_with(".cdn.ampproject.org") {
        url.path().get(3..).filter(|_| ["/c/", "/v/"].iter().any(|start| url.path().starts_with(start)))?
    } else {
        return None;
    };
    let (scheme, rest) = rest.strip_prefix("s/").map_or(("http", rest), |rest| ("https", rest));
    let mut target = Url::parse(&format!("{scheme}://{rest}")).ok()?;
    target.set_query(url.query());
    Some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical_of(text: &str) -> String {
        canonical(&Url::parse(text).expect(text))
    }

    #[test]
    fn addresses_of_one_page_are_one() {
        assert!(TRACKING.is_sorted());
        let expected = canonical_of("https://example.com/a/b?x=1&y=2");
        for text in [
            "http://www.example.com/a/b/?y=2&x=1#part",
            "https://EXAMPLE.com:443/a/b?x=1&y=2&utm_source=a&UTM_Medium=b&gclid=c&fbclid=d",
            "https://example.com/a/b/amp?x=1&y=2",
            "https://example.com/a/b/amp/?x=1&y=2",
            "https://amp.example.com/a/b?x=1&y=2&amp=1",
            "https://m.example.com/a/b?x=1&y=2",
            "https://www.google.com/amp/s/www.example.com/a/b/amp/?x=1&y=2",
            "https://example-com.cdn.ampproject.org/c/s/example.com/a/b?x=1&y=2",
            "https://example.com./a/b/index.html?x=1&y=2",
        ] {
            assert_eq!(canonical_of(text), expected, "{text}");
        }
    }

    #[test]
    fn addresses_of_different_pages_differ() {
        let expected = canonical_of("https://example.com/a?x=1");
        for text in [
            "https://example.com/A?x=1",
            "https://example.com/a?x=2",
            "https://example.com/a",
            "https://example.com:8443/a?x=1",
            "https://sub.example.com/a?x=1",
            "https://example.com/a?x=1#/route",
            "https://example.com/a?x=1&gclid2=1",
        ] {
            assert_ne!(canonical_of(text), expected, "{text}");
        }
        assert_ne!(canonical_of("https://www.com/"), canonical_of("https://com/"));
        assert_ne!(canonical_of("http://[::1]/"), canonical_of("http://127.0.0.1/"));
        assert_eq!(canonical_of("https://x.cdn.ampproject.org/é"), "x.cdn.ampproject.org/%C3%A9");
    }
}
