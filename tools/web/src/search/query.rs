//! What is searched for.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use jiff::{Span, ToSpan as _};

use super::domain::Domain;

/// The longest text that is searched for, in characters.
const MAX_TEXT: usize = 2_000;
/// The maximum number of results.
const MAX_COUNT: usize = 100;

/// What is searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    text: String,
    /// The number of results: 1 to 100. Another number is the nearest of these.
    pub count: usize,
    /// When the pages were published.
    pub freshness: Option<Freshness>,
    /// Only pages of these domains.
    pub include_domains: Vec<Domain>,
    /// No pages of these domains.
    pub exclude_domains: Vec<Domain>,
    /// The language of the pages.
    pub language: Option<Language>,
    /// The country where is searched.
    pub country: Option<Country>,
}

/// When pages were published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Within the last 24 hours.
    Day,
    /// Within the last 7 days.
    Week,
    /// Within the last month.
    Month,
    /// Within the last year.
    Year,
    /// Between two dates.
    Range(DateRange),
}

/// The dates from a first to a last one, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateRange {
    first: Date,
    last: Date,
}

/// A language, such as `de` or `pt-br`, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Language(String);

/// A country, such as `DE` (ISO 3166-1), in upper case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Country(String);

/// What is wrong with a query.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidQuery {
    /// The text has no letter or digit.
    NoText,
    /// The text has this number of characters.
    TooLong(usize),
    /// A range of dates ends before it begins.
    Dates(Date, Date),
    /// A language has another form.
    Language,
    /// A country has another form.
    Country,
}

impl fmt::Display for InvalidQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoText => f.write_str("the query is empty: write the words to search for"),
            Self::TooLong(length) => {
                write!(f, "the query has {length} characters, and at most {MAX_TEXT} are searched for")
            }
            Self::Dates(first, last) => write!(f, "the range of dates ends on {last}, before it begins on {first}"),
            Self::Language => f.write_str("a language is written as `de` or `pt-BR`"),
            Self::Country => f.write_str("a country is written as two letters, such as `DE`"),
        }
    }
}

impl Error for InvalidQuery {}

impl Query {
    /// Returns a query for ten results.
    ///
    /// # Errors
    /// If the text has no letter or digit, or more than 2,000 characters.
    pub fn new(text: &str) -> Result<Self, InvalidQuery> {
        let length = text.chars().count();
        if length > MAX_TEXT {
            return Err(InvalidQuery::TooLong(length));
        }
        let text =
            text.split(|letter: char| letter.is_whitespace() || letter.is_control()).filter(|word| !word.is_empty());
        let text = text.collect::<Vec<_>>().join(" ");
        if !text.chars().any(char::is_alphanumeric) {
            return Err(InvalidQuery::NoText);
        }
        Ok(Self {
            text,
            count: 10,
            freshness: None,
            include_domains: Vec::new(),
            exclude_domains: Vec::new(),
            language: None,
            country: None,
        })
    }

    /// Returns the text, on one line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of results.
    pub(crate) fn wanted(&self) -> usize {
        self.count.clamp(1, MAX_COUNT)
    }

    /// Returns the names of the domains: of those that are included, or else of those that are excluded.
    pub(crate) fn one_list(&self) -> (Option<Vec<&str>>, Option<Vec<&str>>) {
        let (include, exclude) = (names(&self.include_domains), names(&self.exclude_domains));
        if include.is_some() { (include, None) } else { (None, exclude) }
    }

    /// Returns the domains as operators of a search engine: `(site:a.com OR site:b.com) -site:c.com`.
    pub(crate) fn site_words(&self) -> String {
        let included: Vec<String> = self.include_domains.iter().map(|domain| format!("site:{domain}")).collect();
        let excluded = self.exclude_domains.iter().map(|domain| format!("-site:{domain}"));
        let included = match included.as_slice() {
            [] => None,
            [one] => Some(one.clone()),
            several => Some(format!("({})", several.join(" OR "))),
        };
        included.into_iter().chain(excluded).collect::<Vec<_>>().join(" ")
    }

    /// Returns whether a host is one of those that are searched.
    pub(crate) fn allows(&self, host: &str) -> bool {
        let is_in = |domains: &[Domain]| domains.iter().any(|domain| domain.contains(host));
        (self.include_domains.is_empty() || is_in(&self.include_domains)) && !is_in(&self.exclude_domains)
    }
}

/// Returns the names of domains, if there are any.
pub(crate) fn names(domains: &[Domain]) -> Option<Vec<&str>> {
    (!domains.is_empty()).then(|| domains.iter().map(Domain::name).collect())
}

impl Freshness {
    /// Returns the dates, with today's date as the end of a time until now.
    pub(crate) fn dates(self, today: Date) -> DateRange {
        let back = |span: Span| DateRange { first: today.saturating_sub(span), last: today };
        match self {
            Self::Day => back(1.day()),
            Self::Week => back(7.days()),
            Self::Month => back(1.month()),
            Self::Year => back(1.year()),
            Self::Range(range) => range,
        }
    }

    /// Returns one of four words, or `None` for a range.
    pub(crate) fn word(self, [day, week, month, year]: [&str; 4]) -> Option<&str> {
        match self {
            Self::Day => Some(day),
            Self::Week => Some(week),
            Self::Month => Some(month),
            Self::Year => Some(year),
            Self::Range(_) => None,
        }
    }

    /// Returns the parameter `tbs` of Google.
    pub(crate) fn google(self) -> String {
        let word = self.word(["qdr:d", "qdr:w", "qdr:m", "qdr:y"]).map(str::to_owned);
        word.unwrap_or_else(|| {
            let DateRange { first, last } = self.dates(crate::service::today());
            format!("cdr:1,cd_min:{},cd_max:{}", first.strftime("%m/%d/%Y"), last.strftime("%m/%d/%Y"))
        })
    }
}

impl DateRange {
    /// Returns a range of dates.
    ///
    /// # Errors
    /// If it ends before it begins.
    pub fn new(first: Date, last: Date) -> Result<Self, InvalidQuery> {
        if last < first { Err(InvalidQuery::Dates(first, last)) } else { Ok(Self { first, last }) }
    }

    /// Returns the first date.
    pub fn first(self) -> Date {
        self.first
    }

    /// Returns the last date.
    pub fn last(self) -> Date {
        self.last
    }
}

impl FromStr for Language {
    type Err = InvalidQuery;

    fn from_str(text: &str) -> Result<Self, InvalidQuery> {
        let text = text.trim().replace('_', "-").to_ascii_lowercase();
        let is_part = |part: &str, lengths: std::ops::RangeInclusive<usize>| {
            lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        let mut parts = text.split('-');
        let language = parts.next().unwrap_or_default();
        let is_language = is_part(language, 2..=3) && language.bytes().all(|byte| byte.is_ascii_lowercase());
        if !is_language || !parts.all(|part| is_part(part, 2..=8)) || text.len() > 20 {
            return Err(InvalidQuery::Language);
        }
        Ok(Self(text))
    }
}

impl Language {
    /// Returns the whole tag, such as `pt-br`.
    pub fn tag(&self) -> &str {
        &self.0
    }

    /// Returns the language without a country or script, such as `pt`.
    pub fn language(&self) -> &str {
        self.0.split('-').next().unwrap_or_default()
    }
}

impl FromStr for Country {
    type Err = InvalidQuery;

    fn from_str(text: &str) -> Result<Self, InvalidQuery> {
        let text = text.trim().to_ascii_uppercase();
        let is_code = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
        if is_code { Ok(Self(text)) } else { Err(InvalidQuery::Country) }
    }
}

impl Country {
    /// Returns the code in upper case.
    pub fn code(&self) -> &str {
        &self.0
    }

    /// Returns the code in lower case.
    pub(crate) fn lower(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_query_has_words() {
        assert_eq!(Query::new(" rust \n\t traits ").expect("words").text(), "rust traits");
        for text in ["", " \n", "?!", "\u{200b}"] {
            assert_eq!(Query::new(text), Err(InvalidQuery::NoText), "{text:?}");
        }
        assert_eq!(Query::new(&"a".repeat(2_001)), Err(InvalidQuery::TooLong(2_001)));
    }

    #[test]
    fn domains_are_operators_for_search_engines() {
        let mut query = Query::new("x").expect("a query");
        assert_eq!(query.site_words(), "");
        query.include_domains = vec!["a.com".parse().expect("a domain")];
        assert_eq!(query.site_words(), "site:a.com");
        query.include_domains.push("b.com".parse().expect("a domain"));
        query.exclude_domains = vec!["c.a.com".parse().expect("a domain")];
        assert_eq!(query.site_words(), "(site:a.com OR site:b.com) -site:c.a.com");
        assert!(query.allows("a.com") && query.allows("www.b.com"));
        assert!(!query.allows("c.a.com") && !query.allows("c.com"));
    }

    #[test]
    fn freshness_is_a_range_of_dates() {
        let today = date(2026, 3, 31);
        let first = |freshness: Freshness| freshness.dates(today).first();
        assert_eq!(first(Freshness::Day), date(2026, 3, 30));
        assert_eq!(first(Freshness::Week), date(2026, 3, 24));
        assert_eq!(first(Freshness::Month), date(2026, 2, 28));
        assert_eq!(first(Freshness::Year), date(2025, 3, 31));
        let range = DateRange::new(date(2025, 1, 2), date(2025, 12, 31)).expect("a range");
        assert_eq!(Freshness::Range(range).google(), "cdr:1,cd_min:01/02/2025,cd_max:12/31/2025");
        assert!(DateRange::new(today, date(2026, 3, 30)).is_err());
    }

    #[test]
    fn languages_and_countries_have_codes() {
        let tag = |text: &str| text.parse::<Language>().map(|language| language.tag().to_owned());
        assert_eq!(tag(" pt_BR ").as_deref(), Ok("pt-br"));
        assert_eq!(tag("zh-Hant-TW").as_deref(), Ok("zh-hant-tw"));
        for text in ["", "german", "d", "de-", "d&", "de-a b", "12"] {
            assert!(tag(text).is_err(), "{text}");
        }
        assert_eq!("de".parse::<Country>().expect("a code").code(), "DE");
        assert!(
            "DEU".parse::<Country>().is_err() && "D1".parse::<Country>().is_err() && "ä".parse::<Country>().is_err()
        );
    }
}
