//! What is wrong with a text: a model must not take a login page for an article.

use std::collections::HashSet;
use std::fmt;

use dom_query::{Document, Element, NodeRef};
use serde::{Deserialize, Serialize};

use crate::dom::{attribute, find, find_all, has_class, is, is_longer, squeeze, text, value};
use crate::phrases;

/// What is wrong with the text of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Fault {
    /// There is no text.
    Empty,
    /// The page is made by scripts, which are not run. The text of its `<noscript>`, if it has one.
    NeedsScripts(Option<String>),
    /// The page asks to log in.
    Login,
    /// The page shows the beginning of a text, and the rest to those who pay.
    Paywall,
    /// The page asks for consent to cookies, and has little else.
    Consent,
    /// The page wants to know whether its reader is a person.
    BotCheck,
    /// The page says that it does not exist, though the server has sent it as if it did.
    NotFound,
    /// The end is missing: the document is larger than what is read, or the server has cut it.
    Truncated,
    /// Some characters are damaged: the character set is not the one that the document declares.
    Mojibake,
    /// The file has pages and no text in them, as scanned documents do.
    Scanned,
    /// A part of the document is damaged and left out.
    Damaged,
}

impl Fault {
    /// Whether the document does not have the text that was asked for.
    pub fn is_fatal(&self) -> bool {
        !matches!(self, Self::Paywall | Self::Truncated | Self::Mojibake | Self::Damaged)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "the document has no text",
            Self::NeedsScripts(None) => "the page is made by scripts, which were not run: a browser can read it",
            Self::NeedsScripts(Some(text)) => {
                return write!(f, "the page is made by scripts, which were not run: a browser can read it; without scripts, it says: {text}");
            }
            Self::Login => "the page asks to log in",
            Self::Paywall => "the page shows only a part of its text to readers who do not pay",
            Self::Consent => "the page asks for consent to cookies before it shows its text",
            Self::BotCheck => "the page checks whether its reader is a person, and shows no text to programs",
            Self::NotFound => "the page says that it was not found",
            Self::Truncated => "the end of the document is missing",
            Self::Mojibake => "some characters are damaged: the document declares the wrong character set",
            Self::Scanned => "the file has pages without text, probably scanned pictures",
            Self::Damaged => "a part of the document is damaged and left out",
        })
    }
}

/// What is wrong with the text of a page. Good if nothing is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quality {
    /// The faults, worst first.
    pub faults: Vec<Fault>,
}

impl Quality {
    /// Whether nothing is wrong.
    pub fn is_good(&self) -> bool {
        self.faults.is_empty()
    }

    /// Whether the text is not the one that was asked for, so that another source should be tried.
    pub fn is_fatal(&self) -> bool {
        self.faults.iter().any(Fault::is_fatal)
    }

    pub(crate) fn add(&mut self, fault: Fault) {
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
        self.faults.sort_by_key(|fault| !fault.is_fatal());
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.faults.iter().enumerate() {
            write!(f, "{}{fault}", if at > 0 { "; " } else { "" })?;
        }
        Ok(())
    }
}

/// What can be seen only before a page is cleaned.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    noscript: Option<String>,
    scripts: usize,
    title: String,
    seen: HashSet<Sign>,
}

/// What a page contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Sign {
    /// An element without text, into which scripts put the page.
    EmptyRoot,
    Password,
    Captcha,
    /// A page of a service that lets only people through.
    Challenge,
    Paywall,
    Consent,
}

/// Parts of the addresses of scripts and frames in which a reader shows that it is a person.
const CAPTCHAS: &[&str] = &[
    "recaptcha",
    "hcaptcha.com",
    "challenges.cloudflare.com",
    "captcha-delivery.com",
    "arkoselabs",
    "geo.captcha",
    "smartcaptcha",
    "friendlycaptcha",
    "mtcaptcha",
    "geetest",
];
/// Parts of the addresses of scripts that only pages have which check their readers: Cloudflare, `DataDome`, Imperva, Akamai, HUMAN, AWS,
/// `SiteGround`, Anubis, Radware, DDoS-Guard.
const CHALLENGES: &[&str] = &[
    "/cdn-cgi/challenge-platform",
    "captcha-delivery.com",
    "_Incapsula_Resource",
    "/_sec/cp_challenge",
    "px-captcha",
    ".awswaf.com",
    "/.well-known/sgcaptcha",
    "/.within.website/x/cmd/anubis",
    "perfdrive.com",
    "/.well-known/ddos-guard",
];
/// What the scripts of such pages themselves contain: those of Cloudflare, AWS, HUMAN, `DataDome` and Kasada.
const CHALLENGE_WORDS: &[&str] = &["_cf_chl_opt", "gokuProps", "_pxAppId", "captcha-delivery.com", "KPSDK"];
/// The length of what is read of a script, in bytes.
const MAX_SCRIPT: usize = 4_096;

/// The `id`s of the elements into which scripts put a page.
const ROOTS: &[&str] = &[
    "root",
    "app",
    "__next",
    "__nuxt",
    "app-root",
    "application",
    "react-root",
    "svelte",
    "gatsby-focus-wrapper",
    "ember-app",
    "main-app",
    "___gatsby",
    "q-app",
];

impl Signs {
    pub(crate) fn read(page: &Document) -> Self {
        let root = page.root();
        let mut signs = Self::default();
        for node in root.descendants_it() {
            let Some(element) = node.element_ref() else { continue };
            match &*element.name.local {
                "script" => {
                    signs.scripts += 1;
                    signs.see_address(value(&element, "src").unwrap_or_default());
                    signs.see_script(&node);
                }
                "iframe" => signs.see_address(value(&element, "src").unwrap_or_default()),
                "noscript" if signs.noscript.is_none() => {
                    let text = text(&node);
                    signs.noscript = (text.len() > 15 && !text.contains('<')).then(|| text.chars().take(300).collect());
                }
                "input" => {
                    signs.see_if(
                        Sign::Password,
                        value(&element, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("password")),
                    );
                }
                "title" if signs.title.is_empty() => signs.title = crate::dom::cut(text(&node), 300),
                "app-root" => signs.see_if(Sign::EmptyRoot, is_nearly_empty(&node)),
                _ => signs.see(&element, || is_nearly_empty(&node)),
            }
        }
        signs
    }

    fn see_if(&mut self, sign: Sign, is_seen: bool) {
        if is_seen {
            self.seen.insert(sign);
        }
    }

    fn has(&self, sign: Sign) -> bool {
        self.seen.contains(&sign)
    }

    fn see_address(&mut self, address: &str) {
        self.see_if(Sign::Captcha, CAPTCHAS.iter().any(|part| address.contains(part)));
        // Cloudflare watches the readers of ordinary pages with another script of the same folder.
        let is_watched = address.contains("/jsd/");
        self.see_if(Sign::Challenge, !is_watched && CHALLENGES.iter().any(|part| address.contains(part)));
    }

    fn see_script(&mut self, script: &NodeRef<'_>) {
        for part in script.children_it(false) {
            crate::dom::with_text(&part, |text| {
                let text = &text[..text.floor_char_boundary(MAX_SCRIPT)];
                self.see_if(Sign::Challenge, CHALLENGE_WORDS.iter().any(|word| text.contains(word)));
            });
        }
    }

    fn see(&mut self, element: &Element, is_nearly_empty: impl FnOnce() -> bool) {
        let id = value(element, "id").unwrap_or_default();
        if ROOTS.contains(&id) {
            self.see_if(Sign::EmptyRoot, is_nearly_empty());
        }
        let class = value(element, "class").unwrap_or_default().to_ascii_lowercase();
        self.see_if(Sign::Captcha, has_class(element, &["g-recaptcha", "h-captcha", "cf-turnstile", "captcha"]));
        self.see_if(
            Sign::Challenge,
            matches!(
                id,
                "challenge-form"
                    | "challenge-running"
                    | "cf-challenge-running"
                    | "px-captcha"
                    | "challenge-stage"
                    | "cf-wrapper"
            ),
        );
        let names = [&*class, &id.to_ascii_lowercase()].join(" ");
        self.see_if(
            Sign::Paywall,
            ["paywall", "piano-offer", "subscription-wall", "meteredcontent", "subscriber-only", "regwall"]
                .iter()
                .any(|part| names.contains(part)),
        );
        self.see_if(
            Sign::Consent,
            ["consent", "cookie", "onetrust", "gdpr", "didomi"].iter().any(|part| names.contains(part)),
        );
    }
}

/// Whether a node has fewer than 40 bytes of text. Long texts are not read as a whole.
fn is_nearly_empty(node: &NodeRef<'_>) -> bool {
    !is_longer(node, 39) && text(node).len() < 40
}

/// What the texts of walls say. A short page with such a text is a wall.
struct Phrases {
    fault: Fault,
    /// The page has at most this many characters. Longer pages only mention such things.
    most: usize,
    said: &'static [&'static str],
}

const PHRASES: &[Phrases] = &[
    Phrases { fault: Fault::BotCheck, most: 1500, said: phrases::BOT_CHECK },
    Phrases { fault: Fault::Consent, most: 1500, said: phrases::CONSENT },
    Phrases { fault: Fault::Login, most: 1200, said: phrases::LOGIN },
    Phrases { fault: Fault::Paywall, most: 12_000, said: phrases::PAYWALL },
    Phrases { fault: Fault::NotFound, most: 1200, said: phrases::NOT_FOUND },
    Phrases { fault: Fault::NeedsScripts(None), most: 300, said: phrases::NEEDS_SCRIPTS },
];

/// A text with fewer characters is not the one of a page: what the page says in any place counts.
const NEARLY_NOTHING: usize = 80;

/// What is known about a page that is judged.
pub(crate) struct Judged<'j> {
    /// What a reader of the Markdown gets.
    pub(crate) text: &'j str,
    /// What the page shows in any place.
    pub(crate) shown: &'j str,
    /// Whether the page says that its text is for those who pay.
    pub(crate) is_for_pay: bool,
    /// Whether the page names its author or its date, as articles do and walls do not.
    pub(crate) is_article: bool,
}

/// Judges the text of a page.
pub(crate) fn judge(signs: &Signs, page: &Judged<'_>) -> Quality {
    let mut quality = Quality::default();
    let (length, title) = (length(page.text), signs.title.to_lowercase());
    let has_title = |words: &[&str]| words.iter().any(|word| title.contains(word));
    if signs.has(Sign::Challenge) && length < 1500 || signs.has(Sign::Captcha) && length < 400 {
        quality.add(Fault::BotCheck);
    }
    judge_words(signs, page, length, &mut quality);
    if length < 800 && signs.has(Sign::Password) {
        quality.add(Fault::Login);
    }
    if length < 1200 && title.starts_with("404") || length < 400 && has_title(phrases::TITLES_NOT_FOUND) {
        quality.add(Fault::NotFound);
    }
    if (page.is_for_pay || signs.has(Sign::Paywall) && length < 2500) && length > 0 {
        quality.add(Fault::Paywall);
    }
    let asks_for_scripts = signs.noscript.as_ref().is_some_and(|text| text.to_lowercase().contains("javascript"));
    let is_shell = signs.has(Sign::EmptyRoot) && length < 400
        || signs.scripts > 0 && (length < 25 || asks_for_scripts && length < NEARLY_NOTHING);
    if is_shell && quality.is_good() {
        quality.add(Fault::NeedsScripts(signs.noscript.clone()));
    }
    if length == 0 && quality.is_good() {
        quality.add(Fault::Empty);
    }
    quality
}

/// Judges a page by the words of walls.
fn judge_words(signs: &Signs, page: &Judged<'_>, length: usize, quality: &mut Quality) {
    let (own, shown, title) = (words(page.text), words(page.shown), words(&signs.title));
    for Phrases { fault, most, said: phrases } in PHRASES {
        // What a page says around its text is not about the text.
        let is_of_text = matches!(fault, Fault::BotCheck | Fault::Consent | Fault::NeedsScripts(_));
        let all = if is_of_text && length >= NEARLY_NOTHING { &own } else { &shown };
        let is_titled = phrases.iter().any(|phrase| title.starts_with(phrase));
        let is_said = || phrases.iter().any(|phrase| all.contains(phrase) || title.contains(phrase));
        let is_likely = match fault {
            // Articles are about such checks, too.
            Fault::BotCheck => !page.is_article && (length < 400 || is_titled || signs.has(Sign::Captcha)),
            // Texts about cookies are on every page: the page must have nothing else.
            Fault::Consent => length < 300 || signs.has(Sign::Consent) && length < 700,
            Fault::NeedsScripts(_) => !page.is_article && !quality.is_fatal(),
            Fault::NotFound => {
                let has_title = phrases::TITLES_NOT_FOUND.iter().any(|word| title.contains(word));
                !page.is_article && !quality.is_fatal() && (length < 400 || has_title)
            }
            _ => true,
        };
        if length <= *most && is_likely && is_said() {
            quality.add(match fault {
                Fault::NeedsScripts(_) => Fault::NeedsScripts(signs.noscript.clone()),
                fault => fault.clone(),
            });
        }
    }
}

/// Returns a text for comparison with [`phrases`].
fn words(text: &str) -> String {
    squeeze(text).to_lowercase().replace('\u{2019}', "'").replace("...", "…")
}

/// Returns the length of a text in letters of an alphabet. A sign of Chinese, Japanese or Korean counts as three.
fn length(text: &str) -> usize {
    text.chars().map(|letter| if letter >= '\u{2e80}' { 3 } else { 1 }).sum()
}

/// Whether a text has traces of a wrong character set: replacement characters, or UTF-8 that was read as Latin-1.
pub(crate) fn is_damaged(text: &str) -> bool {
    let replaced = text.matches('\u{fffd}').count();
    let twice: usize = ["Ã¤", "Ã¶", "Ã¼", "Ã©", "Ã¨", "Ã±", "â€™", "â€œ", "â€“", "Ã³", "Ã¡", "Ã\u{ad}"]
        .iter()
        .map(|pair| text.matches(pair).count())
        .sum();
    replaced > 2 || twice > 2
}

/// The text that a page shows, for finding what walls say. At most 20,000 bytes.
pub(crate) fn shown(page: &Document) -> String {
    let body = find_all(&page.root(), |element| is(element, "body"));
    let mut out = String::new();
    let Some(body) = body.first() else { return out };
    let labels = find(body, |element| is(element, "form")).and_then(|form| attribute(&form, "aria-label"));
    out.extend(labels);
    for node in body.descendants_it() {
        if out.len() > 20_000 {
            break;
        }
        crate::dom::with_text(&node, |text| {
            out.push(' ');
            out.push_str(text);
        });
    }
    out
}
