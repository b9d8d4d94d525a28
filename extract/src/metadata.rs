//! What a page says about itself: in `<meta>`, in JSON-LD, and in its text.

use dom_query::{Document, Element, NodeRef};
use serde_json::Value;
use url::Url;

use crate::date::Published;
use crate::dom::{attribute, cut, find, find_all, has_class, is, joined, squeeze, text, value};
use crate::page::MAX_TITLE;

/// The most JSON-LD that is read, in bytes a script.
const MAX_JSON: usize = 1 << 20;
/// How many values of JSON-LD are looked at.
const MAX_VALUES: usize = 20_000;

/// What a page says about itself.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    pub(crate) title: Option<String>,
    pub(crate) byline: Option<String>,
    pub(crate) published: Option<Published>,
    pub(crate) language: Option<String>,
    pub(crate) site: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) canonical: Option<Url>,
    /// What kind of thing the page is about, such as `newsarticle`, in lower case.
    pub(crate) types: Vec<String>,
    /// Whether the text is only for those who pay, as JSON-LD says it.
    pub(crate) is_for_pay: bool,
}

/// Reads a page before it is cleaned.
pub(crate) fn read(page: &Document, base: &Url) -> Metadata {
    let root = page.root();
    let metas = Metas::read(&root);
    let json = JsonLd::read(&root);
    let site = metas.first(&["og:site_name", "application-name", "al:ios:app_name"]).or_else(|| json.site.clone());
    let title = title(&root, &metas, &json, site.as_deref()).map(|title| cut(title, MAX_TITLE));
    let published = [
        "article:published_time",
        "og:article:published_time",
        "datepublished",
        "dc.date.issued",
        "dc.date",
        "date",
        "pubdate",
        "parsely-pub-date",
        "citation_publication_date",
        "sailthru.date",
        "publish_date",
        "dcterms.created",
    ]
    .iter()
    .filter_map(|name| metas.first(&[name]))
    .chain(json.published.clone())
    .chain(date_in_text(&root))
    .find_map(|written| Published::read(&written));
    let mut types = json.types;
    types.extend(metas.first(&["og:type"]).map(|kind| kind.to_ascii_lowercase()));
    types.extend(item_types(&root));
    Metadata {
        title,
        byline: byline(&root, &metas, json.author),
        published,
        language: find(&root, |element| is(element, "html"))
            .and_then(|html| attribute(&html, "lang").or_else(|| attribute(&html, "xml:lang")))
            .or_else(|| metas.first(&["content-language", "og:locale"]))
            .map(|language| language.replace('_', "-"))
            .filter(|language| language.len() <= 20),
        site,
        description: metas
            .first(&["og:description", "description", "twitter:description", "dc.description"])
            .or(json.description),
        canonical: canonical(&root, base),
        types,
        is_for_pay: json.is_for_pay,
    }
}

/// The canonical address of a page, as its `<link>` says it.
pub(crate) fn canonical(root: &NodeRef<'_>, base: &Url) -> Option<Url> {
    let link = find(root, |element| {
        is(element, "link") && value(element, "rel").is_some_and(|rel| rel.eq_ignore_ascii_case("canonical"))
    })?;
    joined(base, &attribute(&link, "href")?).filter(|url| url.scheme().starts_with("http"))
}

/// The `<meta>` elements of a page: names in lower case, and contents.
struct Metas(Vec<(String, String)>);

impl Metas {
    fn read(root: &NodeRef<'_>) -> Self {
        let metas = find_all(root, |element| is(element, "meta")).into_iter().filter_map(|meta| {
            let element = meta.element_ref()?;
            let name =
                ["property", "name", "itemprop", "http-equiv"].into_iter().find_map(|name| value(&element, name))?;
            let content = squeeze(value(&element, "content")?);
            (!content.is_empty()).then(|| (name.to_ascii_lowercase(), content))
        });
        Self(metas.take(500).collect())
    }

    fn first(&self, names: &[&str]) -> Option<String> {
        names
            .iter()
            .find_map(|wanted| self.0.iter().find(|(name, _)| name == wanted))
            .map(|(_, content)| content.clone())
    }

    fn all<'s>(&'s self, names: &'s [&str]) -> impl Iterator<Item = &'s str> {
        self.0.iter().filter(|(name, _)| names.contains(&&**name)).map(|(_, content)| &**content)
    }
}

/// What JSON-LD says about the page itself.
#[derive(Debug, Default)]
struct JsonLd {
    headline: Option<String>,
    author: Option<String>,
    published: Option<String>,
    site: Option<String>,
    description: Option<String>,
    types: Vec<String>,
    is_for_pay: bool,
}

impl JsonLd {
    fn read(root: &NodeRef<'_>) -> Self {
        let mut found = Self::default();
        let scripts = find_all(root, |element| {
            is(element, "script") && value(element, "type").is_some_and(|kind| kind.starts_with("application/ld+json"))
        });
        let mut left = MAX_VALUES;
        for script in scripts {
            let json = script.text();
            let json = json
                .trim()
                .trim_start_matches("<!--")
                .trim_end_matches("-->")
                .trim_start_matches("//<![CDATA[")
                .trim_end_matches("//]]>");
            if json.len() <= MAX_JSON
                && let Ok(value) = serde_json::from_str::<Value>(json)
            {
                found.visit(&value, &mut left);
            }
        }
        found
    }

    fn visit(&mut self, value: &Value, left: &mut usize) {
        if *left == 0 {
            return;
        }
        *left -= 1;
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.visit(value, left)),
            Value::Object(object) => {
                let types: Vec<String> =
                    strings(object.get("@type")).into_iter().map(str::to_ascii_lowercase).collect();
                self.take(object, &types);
                if let Some(graph) = object.get("@graph").or_else(|| object.get("mainEntity")) {
                    self.visit(graph, left);
                }
            }
            _ => {}
        }
    }

    fn take(&mut self, object: &serde_json::Map<String, Value>, types: &[String]) {
        let get = |name: &str| object.get(name).and_then(Value::as_str).map(squeeze).filter(|text| !text.is_empty());
        let is_site = types.iter().any(|kind| matches!(&**kind, "website" | "organization" | "newsmediaorganization"));
        if is_site {
            self.site = self.site.take().or_else(|| get("name"));
            return;
        }
        // Lists of links, pictures and people are not what the page is about.
        if types.iter().all(|kind| {
            matches!(
                &**kind,
                "breadcrumblist"
                    | "imageobject"
                    | "person"
                    | "videoobject"
                    | "sitenavigationelement"
                    | "webpage"
                    | "searchaction"
            )
        }) {
            if types.iter().any(|kind| kind == "webpage") {
                self.published = self.published.take().or_else(|| get("datePublished"));
            }
            return;
        }
        self.headline = self.headline.take().or_else(|| get("headline"));
        self.published = self.published.take().or_else(|| get("datePublished"));
        self.description = self.description.take().or_else(|| get("description"));
        self.author = self.author.take().or_else(|| {
            let names = names(object.get("author"));
            (!names.is_empty()).then(|| names.join(", "))
        });
        let free = object.get("isAccessibleForFree");
        self.is_for_pay |= free.is_some_and(|free| {
            *free == Value::Bool(false) || free.as_str().is_some_and(|free| free.eq_ignore_ascii_case("false"))
        });
        self.types.extend(types.iter().cloned());
    }
}

fn strings(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The names of people, who are texts, objects, or lists of both.
fn names(value: Option<&Value>) -> Vec<String> {
    let list = match value {
        Some(Value::Array(values)) => values.iter().collect(),
        Some(value) => vec![value],
        None => Vec::new(),
    };
    let name = |value: &Value| value.as_str().or_else(|| value.get("name")?.as_str()).map(squeeze);
    let mut names: Vec<String> = Vec::new();
    for name in list.into_iter().filter_map(name).filter(|name| is_name(name)) {
        if names.len() < 10 && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn is_name(name: &str) -> bool {
    (2..=100).contains(&name.len()) && !name.contains("://") && name != "admin"
}

fn byline(root: &NodeRef<'_>, metas: &Metas, of_json: Option<String>) -> Option<String> {
    let mut named: Vec<&str> = Vec::new();
    for name in metas
        .all(&["author", "article:author", "dc.creator", "citation_author", "parsely-author", "sailthru.author"])
        .filter(|name| is_name(name))
    {
        if !named.iter().any(|other| other.contains(name)) {
            named.push(name);
        }
    }
    let of_metas = (!named.is_empty()).then(|| named.join(", "));
    of_json.or(of_metas).or_else(|| {
        let element = find(root, |element| {
            value(element, "rel") == Some("author")
                || value(element, "itemprop") == Some("author")
                || has_class(
                    element,
                    &["byline", "author-name", "p-author", "post-author", "entry-author", "article-author"],
                )
        })?;
        let name = text(&element);
        let name = name.strip_prefix("By ").or_else(|| name.strip_prefix("by ")).unwrap_or(&name);
        // A whole line of names, dates and buttons names nothing.
        (is_name(name) && name.split(' ').count() <= 8).then(|| name.to_owned())
    })
}

/// The date of the first `<time>` in the main content.
fn date_in_text(root: &NodeRef<'_>) -> Option<String> {
    let times = find_all(root, |element| is(element, "time") && value(element, "datetime").is_some());
    let is_main = |time: &NodeRef<'_>| {
        let mut is_main = false;
        for ancestor in time.ancestors_it(None) {
            is_main |= ancestor.attr("role").is_some_and(|role| &*role == "main");
            match &*crate::dom::name(&ancestor) {
                "main" | "article" => is_main = true,
                "aside" | "nav" | "footer" | "li" => return false,
                _ => {}
            }
        }
        is_main
    };
    times.iter().take(100).find(|time| is_main(time)).and_then(|time| attribute(time, "datetime"))
}

/// The types of microdata that have no element around them with another type.
fn item_types(root: &NodeRef<'_>) -> Vec<String> {
    let items = find_all(root, |element| value(element, "itemtype").is_some_and(|kind| kind.contains("schema.org/")));
    let types = items.iter().take(20).filter_map(|item| attribute(item, "itemtype"));
    types.filter_map(|kind| Some(kind.rsplit_once('/')?.1.to_ascii_lowercase())).collect()
}

fn title(root: &NodeRef<'_>, metas: &Metas, json: &JsonLd, site: Option<&str>) -> Option<String> {
    let of_head = find(root, |element| is(element, "title"))
        .filter(|title| !title.ancestors_it(None).any(|ancestor| ancestor.has_name("svg")))
        .map(|title| text(&title))
        .filter(|title| !title.is_empty());
    let texts = |name: &str| {
        let found =
            find_all(root, |element| is(element, name) && !has_class(element, &["logo", "site-title", "menu-title"]));
        let is_of_page =
            |node: &&NodeRef<'_>| !node.ancestors_it(None).any(|node| node.has_name("nav") || node.has_name("aside"));
        let texts = found
            .iter()
            .filter(is_of_page)
            .take(5)
            .map(heading_text)
            .filter(|text| text.chars().count() > 2 && site != Some(text));
        texts.collect::<Vec<String>>()
    };
    let (headings, others) = (texts("h1"), texts("h2"));
    // The heading that the title of the window repeats is the title of the page; the rest is the site, which most pages append.
    if let Some(head) = of_head.as_deref().map(str::to_lowercase) {
        let starts = |heading: &&String| head.starts_with(&heading.to_lowercase());
        let ends = |heading: &&String| head.ends_with(&heading.to_lowercase());
        let found = headings.iter().chain(&others).find(starts).or_else(|| headings.iter().find(ends));
        if let Some(heading) = found {
            return Some(heading.clone());
        }
    }
    let of_metas = metas.first(&["og:title", "twitter:title", "dc.title"]).filter(|title| Some(&**title) != site);
    let found =
        of_metas.or_else(|| json.headline.clone()).or_else(|| of_head.clone()).or_else(|| headings.first().cloned())?;
    Some(without_site(&found, site))
}

/// The text of a heading without its links to itself.
fn heading_text(heading: &NodeRef<'_>) -> String {
    let mut out = String::new();
    for child in heading.descendants_it() {
        let in_link = child.ancestors_it(Some(3)).any(|ancestor| {
            ancestor.element_ref().is_some_and(|element| {
                has_class(&element, &["headerlink", "anchor", "hash-link", "header-anchor", "permalink"])
            })
        });
        if !in_link {
            crate::dom::with_text(&child, |text| out.push_str(text));
        }
    }
    squeeze(&out).trim_end_matches(['¶', '#']).trim_end().to_owned()
}

/// A title without the name of the site, which many pages append.
fn without_site(title: &str, site: Option<&str>) -> String {
    for separator in [" | ", " - ", " — ", " – ", " · ", " :: ", " » "] {
        if let Some((before, after)) = title.rsplit_once(separator)
            && (Some(after) == site || site.is_some_and(|site| after.to_lowercase() == site.to_lowercase()))
            && !before.is_empty()
        {
            return before.to_owned();
        }
    }
    title.to_owned()
}

/// Whether an element says that something is an article.
pub(crate) fn is_article(types: &[String]) -> bool {
    types.iter().any(|kind| {
        matches!(
            &**kind,
            "article"
                | "blogposting"
                | "socialmediaposting"
                | "liveblogposting"
                | "advertisercontentarticle"
                | "report"
                | "scholarlyarticle"
                | "reviewnewsarticle"
        ) || kind.ends_with("newsarticle")
    })
}

/// Whether the page is about something that an article does not contain: all its answers, its prices, its members.
pub(crate) fn is_whole(types: &[String]) -> bool {
    types.iter().any(|kind| {
        matches!(
            &**kind,
            "qapage"
                | "discussionforumposting"
                | "product"
                | "product.item"
                | "og:product"
                | "productgroup"
                | "recipe"
                | "howto"
                | "faqpage"
                | "itemlist"
                | "collectionpage"
                | "apireference"
                | "softwaresourcecode"
                | "dataset"
                | "event"
                | "jobposting"
                | "localbusiness"
                | "book"
                | "softwareapplication"
        )
    })
}

/// Whether a program that makes documentation, a forum or a wiki has made the page.
pub(crate) fn is_made_by(element: &Element) -> bool {
    const MAKERS: &[&str] = &[
        "sphinx",
        "docusaurus",
        "mkdocs",
        "rustdoc",
        "discourse",
        "phpbb",
        "mediawiki",
        "javadoc",
        "doxygen",
        "docfx",
        "vuepress",
        "vitepress",
        "gitbook",
        "mdbook",
        "asciidoctor",
        "antora",
        "jekyll v-docs",
        "starlight",
        "typedoc",
        "jsdoc",
        "pdoc",
        "flarum",
        "xenforo",
        "vbulletin",
        "dokuwiki",
        "hyperkitty",
        "pipermail",
        "mhonarc",
    ];
    is(element, "meta")
        && value(element, "name").is_some_and(|name| name.eq_ignore_ascii_case("generator"))
        && value(element, "content")
            .is_some_and(|made| MAKERS.iter().any(|maker| made.to_ascii_lowercase().contains(maker)))
}
