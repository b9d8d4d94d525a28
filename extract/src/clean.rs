//! Removes what a page hides, and says what belongs to the site rather than to the page.

use dom_query::{Document, Element, NodeRef};

use crate::dom::{find_all, has_class, is, names, value};

/// Brings code and formulas into one form, and removes what is not shown.
pub(crate) fn clean(page: &Document) {
    crate::formula::normalize(page);
    crate::code::normalize(page);
    let total = page.root().normalized_char_count();
    let (mut hidden, mut headers) = (Vec::new(), Vec::new());
    for node in page.root().descendants_it() {
        if node.is_comment() {
            hidden.push((node, false));
        }
        let Some(element) = node.element_ref() else { continue };
        if matches!(&*element.name.local, "script" | "style" | "template" | "noscript") {
            hidden.push((node, false));
        } else if is(&element, "header") && is_page_header(&node) {
            headers.push(node);
        } else if is_hidden(&element) {
            hidden.push((node, true));
        }
    }
    for (node, is_judged) in hidden {
        // Some pages are hidden as a whole until a script has run, or while a dialog is open.
        if !is_judged || node.normalized_char_count() * 2 < total {
            node.remove_from_parent();
        }
    }
    for header in headers {
        header.set_attr("data-site", "header");
    }
    // Later stages change the levels of headings.
    for heading in find_all(&page.root(), |element| is(element, "h1")) {
        heading.set_attr("data-level", "1");
    }
}

fn is_hidden(element: &Element) -> bool {
    if matches!(&*element.name.local, "html" | "body" | "img" | "input") {
        return false;
    }
    let has = |name: &str| element.attrs.iter().any(|attribute| &*attribute.name.local == name);
    if has("hidden") && value(element, "hidden") != Some("until-found") || is(element, "dialog") && !has("open") {
        return true;
    }
    if value(element, "aria-hidden") == Some("true") || has_class(element, HIDDEN) {
        return true;
    }
    value(element, "style").is_some_and(|style| {
        let style: String = style.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
        style.contains("display:none") || style.contains("visibility:hidden")
    })
}

/// Classes of texts for screen readers only, and of what is not shown.
const HIDDEN: &[&str] = &[
    "sr-only",
    "visually-hidden",
    "visuallyhidden",
    "screen-reader-text",
    "screen-reader-only",
    "u-visually-hidden",
    "is-hidden",
    "offscreen",
];

/// Whether an element belongs to the site: its navigation, its banners, its buttons.
pub(crate) fn is_boilerplate(element: &Element) -> bool {
    let name = &*element.name.local;
    if matches!(name, "html" | "body" | "main" | "article" | "table" | "tr" | "tbody" | "pre" | "code" | "h1") {
        return false;
    }
    if name == "nav" || name == "footer" && !has_class(element, &["post-footer", "entry-footer"]) {
        return true;
    }
    // Links to the source, next to the names in references.
    if name == "a" && has_class(element, &["src"]) {
        return true;
    }
    let role = value(element, "role");
    if matches!(
        role,
        Some(
            "navigation"
                | "banner"
                | "contentinfo"
                | "search"
                | "dialog"
                | "alertdialog"
                | "complementary"
                | "menu"
                | "menubar"
                | "tablist"
                | "toolbar"
        )
    ) {
        return true;
    }
    if name == "aside" {
        return !has_class(element, ASIDES) && role != Some("doc-footnote") && role != Some("note");
    }
    ["class", "id"]
        .into_iter()
        .filter_map(|attribute| value(element, attribute))
        .any(|value| names(value).any(|name| is_boilerplate_name(&name.to_ascii_lowercase())))
}

/// Classes of asides that are a part of the text.
const ASIDES: &[&str] = &[
    "admonition",
    "note",
    "tip",
    "warning",
    "callout",
    "footnote",
    "footnotes",
    "footnote-list",
    "notecard",
    "important",
    "caution",
    "quote",
    "onebox",
    "starlight-aside",
    "example",
];

/// Whether a class or an `id` is the name of a part of the site. Names are compared as a whole: `header` may be a part of an article.
fn is_boilerplate_name(name: &str) -> bool {
    BOILERPLATE.binary_search(&name).is_ok() || BOILERPLATE_STARTS.iter().any(|start| name.starts_with(start))
}

/// Sorted.
const BOILERPLATE: &[&str] = &[
    "ad",
    "ads",
    "advert",
    "advertisement",
    "author-bio",
    "back-to-top",
    "backtotop",
    "breadcrumb",
    "breadcrumbs",
    "button-holder",
    "catlinks",
    "comment-form",
    "cookie-banner",
    "cookie-bar",
    "cookie-consent",
    "cookie-notice",
    "cookies",
    "doc-feedback",
    "edit-page-link",
    "edit-this-page",
    "editsection",
    "example-header",
    "feedback",
    "footer",
    "global-footer",
    "global-header",
    "global-nav",
    "header-nav",
    "hfeed-nav",
    "hideme",
    "jump-to-nav",
    "language-name",
    "language-switcher",
    "legal-footer",
    "localnav",
    "masthead",
    "md-content__button",
    "menu",
    "minitoc",
    "more-topics__list",
    "mw-editsection",
    "mw-indicators",
    "mw-jump-link",
    "mw-navigation",
    "nav",
    "nav-links",
    "navbar",
    "navbox",
    "navigation",
    "newsletter",
    "newsletter-signup",
    "noprint",
    "on-this-page",
    "page-footer",
    "page-navigation",
    "page-toc",
    "pagination-nav",
    "post-nav",
    "post-navigation",
    "prev-next",
    "print-only",
    "printfooter",
    "promo",
    "read-next",
    "recommended",
    "related",
    "related-articles",
    "related-links",
    "related-posts",
    "related-topics",
    "rellinks",
    "respond",
    "rst-footer-buttons",
    "rst-versions",
    "rustdoc-breadcrumbs",
    "search-form",
    "searchbox",
    "secondary-nav",
    "share",
    "share-buttons",
    "share-links",
    "sharing",
    "side-bar",
    "sidebar",
    "site-footer",
    "site-header",
    "site-nav",
    "siteheader",
    "sitenav",
    "sitesub",
    "skip-link",
    "skip-links",
    "skip-nav",
    "skip-to-content",
    "skip-to-main",
    "skiplink",
    "social",
    "social-links",
    "social-share",
    "sphinxsidebar",
    "sponsored",
    "subnav",
    "subscribe",
    "table-of-contents",
    "tags-links",
    "test-arrow",
    "theme-doc-breadcrumbs",
    "theme-doc-footer",
    "theme-doc-toc-desktop",
    "theme-doc-toc-mobile",
    "toc",
    "tocplugin",
    "toctree-wrapper-nav",
    "top-bar",
    "top-nav",
    "topbar",
    "topnav",
    "vector-header",
    "viewcode-back",
    "viewcode-link",
    "vote-buttons",
    "wy-breadcrumbs",
    "wy-nav-side",
    "wy-nav-top",
    "zone-footer",
];
const BOILERPLATE_STARTS: &[&str] = &[
    "theme-doc-version",
    "tableofcontents_",
    "breadcrumbs_",
    "onetrust-",
    "cookie-law",
    "addtoany",
    "sharedaddy",
    "jp-relatedposts",
    "taboola",
    "outbrain",
    "adsbygoogle",
    "google-auto-placed",
];

/// The header of a page, which is not the header of an article: outside of the main content.
fn is_page_header(node: &NodeRef<'_>) -> bool {
    !node
        .ancestors_it(None)
        .any(|ancestor| ancestor.has_name("main") || ancestor.has_name("article") || ancestor.has_name("section"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_parts_of_a_site_are_sorted() {
        assert!(BOILERPLATE.is_sorted_by(|a, b| a < b), "{:?}", BOILERPLATE.windows(2).find(|pair| pair[0] >= pair[1]));
    }
}
