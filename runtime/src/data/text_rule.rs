//! What `pattern` and `format` require of a text.
//!
//! Tables contain them with and without the feature `patterns`. Only with it, the reader of arguments enforces them.

#[cfg(feature = "patterns")]
mod ecma;
#[cfg(feature = "patterns")]
mod formats;
#[cfg(feature = "patterns")]
mod lenient;

#[cfg(feature = "patterns")]
pub use ecma::{PatternCause, PatternProblem, problem};
use std::borrow::Cow;
#[cfg(feature = "patterns")]
use std::sync::OnceLock;

/// The `pattern` and the `format` of a schema.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextRule {
    /// `pattern`
    pub pattern: Option<Pattern>,
    /// `format`
    pub format: Option<Format>,
    /// Whether only texts that certainly do not have the format are refused, because another program judges the others.
    pub is_lenient: bool,
}

/// A `pattern`, which is compiled on first use.
#[derive(Debug, Clone, Default)]
pub struct Pattern {
    text: Cow<'static, str>,
    #[cfg(feature = "patterns")]
    compiled: OnceLock<Option<Compiled>>,
}

/// A compiled pattern.
#[cfg(feature = "patterns")]
#[derive(Debug, Clone)]
struct Compiled {
    regex: regex_lite::Regex,
    /// The number of characters and classes in the pattern, repetitions multiplied.
    weight: usize,
}

impl Pattern {
    /// Returns the pattern with this text.
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self {
            text: text.into(),
            #[cfg(feature = "patterns")]
            compiled: OnceLock::new(),
        }
    }

    /// Returns the pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// Declares the formats: the name in JSON Schema, and the form in words, with an example.
macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident $name:literal $form:literal $example:literal)*) => {
        /// A `format` that the reader of arguments enforces. `docs/formats.md` says how strictly.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Format {
            $($(#[$doc])* $variant),*
        }

        impl Format {
            /// All formats.
            pub const ALL: &'static [Format] = &[$(Format::$variant),*];

            /// Returns the name in JSON Schema.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Format::$variant => $name),*
                }
            }

            /// Returns what a text of the format is, and an example.
            pub const fn form(self) -> (&'static str, &'static str) {
                match self {
                    $(Format::$variant => ($form, $example)),*
                }
            }
        }
    };
}

formats! {
    /// RFC 3339, `date-time`.
    DateTime "date-time" "a date and time with an offset" "2026-01-31T12:30:00Z"
    /// RFC 3339, `full-date`.
    Date "date" "a date" "2026-01-31"
    /// RFC 3339, `full-time`.
    Time "time" "a time with an offset" "12:30:00Z"
    /// RFC 3339, appendix A.
    Duration "duration" "a duration" "PT1H30M"
    /// RFC 3986, `URI`.
    Uri "uri" "a URI" "https://example.com/page"
    /// RFC 5321, `Mailbox`.
    Email "email" "an email address" "name@example.com"
    /// RFC 9562.
    Uuid "uuid" "a UUID" "123e4567-e89b-12d3-a456-426614174000"
    /// RFC 2673, section 3.2.
    Ipv4 "ipv4" "an IPv4 address" "192.0.2.1"
    /// RFC 4291, section 2.2.
    Ipv6 "ipv6" "an IPv6 address" "2001:db8::1"
    /// RFC 1123, section 2.1.
    Hostname "hostname" "a host name" "www.example.com"
    /// ECMA-262, section 22.2.1.
    Regex "regex" "a regular expression of ECMAScript" "^[a-z]+$"
}

impl Format {
    /// Returns the format with this name in JSON Schema.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.iter().copied().find(|format| format.name() == name)
    }

    /// Returns whether `text` has the format.
    #[cfg(feature = "patterns")]
    pub fn holds(self, text: &str) -> bool {
        match self {
            Format::DateTime => formats::is_date_time(text),
            Format::Date => formats::is_date(text),
            Format::Time => formats::is_time(text),
            Format::Duration => formats::is_duration(text),
            Format::Uri => formats::is_uri(text),
            Format::Email => formats::is_email(text),
            Format::Uuid => formats::is_uuid(text),
            Format::Ipv4 => formats::is_ipv4(text),
            Format::Ipv6 => formats::is_ipv6(text),
            Format::Hostname => formats::is_hostname(text),
            Format::Regex => ecma::is_valid(text),
        }
    }

    /// Returns whether a program that reads texts of the format may take `text`. If not, `text` certainly does not have the format.
    #[cfg(feature = "patterns")]
    pub fn is_plausible(self, text: &str) -> bool {
        lenient::is_plausible(self, text)
    }
}

#[cfg(feature = "patterns")]
impl Pattern {
    /// The maximum size of a compiled pattern, in bytes.
    const MAX_COMPILED: usize = 1 << 20;

    /// Returns whether a part of `text` matches, or `None` if the engine cannot hold the pattern.
    pub fn matches(&self, text: &str) -> Option<bool> {
        self.compiled().map(|compiled| compiled.regex.is_match(text))
    }

    fn compiled(&self) -> Option<&Compiled> {
        let compiled = self.compiled.get_or_init(|| {
            let ecma::Translation { regex, weight } = ecma::translate(&self.text).ok()?;
            let regex = regex_lite::RegexBuilder::new(&regex).size_limit(Self::MAX_COMPILED).build().ok()?;
            Some(Compiled { regex, weight })
        });
        compiled.as_ref()
    }

    /// Returns the steps that matching `text` may take.
    fn steps(&self, text: &str) -> usize {
        /// The characters, each compared with one part of the pattern, that take as long as one step of the reader.
        const PER_STEP: usize = 16;
        self.compiled().map_or(0, |compiled| text.len().saturating_mul(compiled.weight) / PER_STEP)
    }
}

impl TextRule {
    /// Returns the rule of these keywords, or `None` if nothing is enforced.
    pub fn new(pattern: Option<&str>, format: Option<&str>) -> Option<Self> {
        if !cfg!(feature = "patterns") {
            return None;
        }
        let pattern = pattern.map(|text| Pattern::new(text.to_owned()));
        let rule = Self { pattern, format: format.and_then(Format::from_name), is_lenient: false };
        (rule != Self::default()).then_some(rule)
    }
}

#[cfg(feature = "patterns")]
impl TextRule {
    /// Returns whether `text` satisfies the rule. A pattern that the engine cannot hold is satisfied by every text.
    pub fn holds(&self, text: &str) -> bool {
        let has_format = |format: Format| if self.is_lenient { format.is_plausible(text) } else { format.holds(text) };
        self.format.is_none_or(has_format)
            && self.pattern.as_ref().is_none_or(|pattern| pattern.matches(text).unwrap_or(true))
    }

    /// Returns the steps that the check of `text` may take.
    pub(crate) fn steps(&self, text: &str) -> usize {
        let pattern = self.pattern.as_ref().map_or(0, |pattern| pattern.steps(text));
        pattern + if self.format.is_some() { text.len() / 64 } else { 0 }
    }
}
