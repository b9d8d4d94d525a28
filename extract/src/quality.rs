//! What is wrong with a text: a model must not take a login page for an article.

use std::collections::HashSet;
use std::fmt;

use dom_query::{Document, Element, NodeRef};
use serde::{Deserialize, Serialize};

use crate::dom::{attribute, find, find_all, has_class, is, is_longer, squeeze, text, value};

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
        self.see_if(
            Sign::Captcha,
            [
                "recaptcha",
                "hcaptcha.com",
                "challenges.cloudflare.com",
                "captcha-delivery.com",
                "arkoselabs",
                "geo.captcha",
            ]
            .iter()
            .any(|part| address.contains(part)),
        );
        self.see_if(
            Sign::Challenge,
            [
                "/cdn-cgi/challenge-platform",
                "captcha-delivery.com",
                "_Incapsula_Resource",
                "/_sec/cp_challenge",
                "px-captcha",
            ]
            .iter()
            .any(|part| address.contains(part)),
        );
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
    Phrases {
        fault: Fault::BotCheck,
        most: 1500,
        said: &[
            "verify you are human",
            "verifying you are human",
            "verify that you are human",
            "verify you're human",
            "are you a robot",
            "you are not a robot",
            "you're not a robot",
            "i'm not a robot",
            "unusual traffic",
            "checking your browser",
            "just a moment...",
            "enable javascript and cookies to continue",
            "attention required",
            "press & hold",
            "complete the security check",
            "performing security verification",
            "automated access",
            "bot or not",
            "pardon our interruption",
            "ddos protection by",
            "checking if the site connection is secure",
        ],
    },
    Phrases {
        fault: Fault::Consent,
        most: 1500,
        said: &[
            "before you continue to",
            "we value your privacy",
            "accept all cookies",
            "consent to the use of cookies",
            "we use cookies",
            "we and our partners",
            "accept cookies",
        ],
    },
    Phrases {
        fault: Fault::Login,
        most: 1200,
        said: &[
            "log in to continue",
            "sign in to continue",
            "please log in",
            "please sign in",
            "you must be logged in",
            "you must log in",
            "you need to sign in",
            "you need to log in",
            "login required",
            "sign in to view",
            "log in to view",
            "sign in to your account",
            "log in to your account",
            "create an account to continue",
            "sign up to continue",
        ],
    },
    Phrases {
        fault: Fault::Paywall,
        most: 12_000,
        said: &[
            "subscribe to continue reading",
            "to continue reading, subscribe",
            "subscribe to read the full",
            "this article is for subscribers",
            "this content is for subscribers",
            "subscribers only",
            "already a subscriber? log in",
            "already a subscriber? sign in",
            "subscribe to unlock",
            "become a member to read",
            "member-only story",
            "to read the full story",
            "to read the rest of this article",
            "register to continue reading",
            "you have reached your limit of free articles",
            "keep reading with a subscription",
        ],
    },
    Phrases {
        fault: Fault::NotFound,
        most: 1200,
        said: &[
            "page not found",
            "page could not be found",
            "page can't be found",
            "page cannot be found",
            "page you requested",
            "page you are looking for",
            "page you were looking for",
            "page doesn't exist",
            "page does not exist",
            "no longer exists",
            "nothing was found",
            "we couldn't find",
            "we can't find",
            "404 error",
            "error 404",
            "404 not found",
        ],
    },
    Phrases {
        fault: Fault::NeedsScripts(None),
        most: 600,
        said: &[
            "enable javascript",
            "javascript is required",
            "javascript is disabled",
            "requires javascript",
            "turn on javascript",
            "javascript must be enabled",
            "need to enable javascript",
            "activate javascript",
            "without javascript",
        ],
    },
];

/// The words in the title of a page that does not exist.
const TITLES_NOT_FOUND: &[&str] =
    &["404", "not found", "page introuvable", "seite nicht gefunden", "página no encontrada"];

/// Judges the text of a page. `text` is what a reader of the Markdown gets, and `all` what the page shows in any place.
pub(crate) fn judge(signs: &Signs, is_for_pay: bool, text: &str, all: &str) -> Quality {
    let mut quality = Quality::default();
    let (length, all) = (text.chars().count(), squeeze(all).to_lowercase().replace('\u{2019}', "'"));
    let title = signs.title.to_lowercase();
    let said = |most: usize, phrases: &[&str]| {
        length <= most && phrases.iter().any(|phrase| all.contains(phrase) || title.contains(phrase))
    };
    if signs.has(Sign::Challenge) && length < 1500 || signs.has(Sign::Captcha) && length < 400 {
        quality.add(Fault::BotCheck);
    }
    for Phrases { fault, most, said: phrases } in PHRASES {
        let is_likely = match fault {
            // Texts about cookies are on every page: the page must have nothing else.
            Fault::Consent => length < 300 || signs.has(Sign::Consent) && length < 700,
            Fault::NeedsScripts(_) => !quality.is_fatal(),
            Fault::NotFound => {
                !quality.is_fatal() && (length < 400 || TITLES_NOT_FOUND.iter().any(|word| title.contains(word)))
            }
            _ => true,
        };
        if is_likely && said(*most, phrases) {
            quality.add(match fault {
                Fault::NeedsScripts(_) => Fault::NeedsScripts(signs.noscript.clone()),
                fault => fault.clone(),
            });
        }
    }
    if length < 800 && signs.has(Sign::Password) {
        quality.add(Fault::Login);
    }
    if length < 1200 && title.starts_with("404")
        || length < 400 && TITLES_NOT_FOUND.iter().any(|word| title.contains(word))
    {
        quality.add(Fault::NotFound);
    }
    if (is_for_pay || signs.has(Sign::Paywall) && length < 2500) && length > 0 {
        quality.add(Fault::Paywall);
    }
    let is_shell = signs.has(Sign::EmptyRoot) && length < 400 || signs.scripts > 0 && length < 25;
    if is_shell && quality.is_good() {
        quality.add(Fault::NeedsScripts(signs.noscript.clone()));
    }
    if length == 0 && quality.is_good() {
        quality.add(Fault::Empty);
    }
    quality
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
