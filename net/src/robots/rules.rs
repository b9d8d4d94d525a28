//! The rules in a `robots.txt` (RFC 9309) for one program.

use std::fmt::Write as _;
use std::time::Duration;

use crate::target::Target;

/// The size that is read, in bytes: what RFC 9309 asks for as a minimum.
pub(super) const MAX_BYTES: usize = 500 << 10;
const MAX_SITEMAPS: usize = 1_000;
/// A longer pause than this one is a mistake, or means that nothing should be fetched.
const MAX_DELAY: Duration = Duration::from_hours(1);

/// What a `robots.txt` says to one program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Robots {
    rules: Vec<Rule>,
    delay: Option<Duration>,
    sitemaps: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    is_allowed: bool,
    /// The beginning of the paths that the rule is for, in which `*` stands for any text, and `$` at the end for the end of the path.
    pattern: Box<str>,
}

/// To whom the lines of a group are said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Audience {
    Others,
    All,
    Us,
}

/// The lines for one audience.
#[derive(Debug, Default)]
struct Group {
    rules: Vec<Rule>,
    delay: Option<Duration>,
    is_present: bool,
}

impl Robots {
    /// Reads the first 500 KiB of a text, for a program with this name, such as `toolc`. Lines that are not understood are left out.
    pub fn read(text: &str, program: &str) -> Self {
        let text = beginning(text);
        let (mut ours, mut all, mut sitemaps) = (Group::default(), Group::default(), Vec::new());
        let (mut audience, mut is_in_rules) = (Audience::Others, false);
        for line in text.trim_start_matches('\u{feff}').split(['\n', '\r']) {
            let Some((key, value)) = record(line) else { continue };
            let group = match audience {
                Audience::Us => Some(&mut ours),
                Audience::All => Some(&mut all),
                Audience::Others => None,
            };
            match key.to_ascii_lowercase().as_str() {
                "user-agent" => {
                    // Names in lines after one another share the rules below them.
                    audience = if is_in_rules { Audience::Others } else { audience }.max(audience_of(value, program));
                    is_in_rules = false;
                    match audience {
                        Audience::Us => ours.is_present = true,
                        Audience::All => all.is_present = true,
                        Audience::Others => {}
                    }
                }
                key @ ("allow" | "disallow") => {
                    is_in_rules = true;
                    if let (Some(group), false) = (group, value.is_empty()) {
                        group.rules.push(Rule { is_allowed: key == "allow", pattern: normal_pattern(value).into() });
                    }
                }
                // Not a part of the RFC, which would have the names after it share the group. Many files mean that a new group begins.
                "crawl-delay" => {
                    is_in_rules = true;
                    if let (Some(group), Some(delay)) = (group, delay(value)) {
                        group.delay = group.delay.max(Some(delay));
                    }
                }
                "sitemap" if sitemaps.len() < MAX_SITEMAPS && !value.is_empty() => sitemaps.push(value.to_owned()),
                _ => {}
            }
        }
        let Group { rules, delay, .. } = if ours.is_present { ours } else { all };
        Self { rules, delay, sitemaps }
    }

    /// Returns the line that forbids to fetch an address, such as `Disallow: /private/`. The longest pattern decides, and of two equal ones
    /// the one that allows.
    pub fn refusal(&self, target: &Target) -> Option<String> {
        let path = normal_path(&target.url()[url::Position::BeforePath..url::Position::AfterQuery]);
        if path == "/robots.txt" {
            return None;
        }
        let matching = self.rules.iter().filter(|rule| matches(&rule.pattern, &path));
        let rule = matching.max_by_key(|rule| (rule.pattern.len(), rule.is_allowed))?;
        (!rule.is_allowed).then(|| format!("Disallow: {}", rule.pattern.chars().take(200).collect::<String>()))
    }

    /// Returns the pause between two fetches that the site asks for, of at most an hour.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.delay
    }

    /// Returns the addresses of the site's lists of pages, as the file has them, at most 1,000.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

/// Returns the lines of a text that are read. A part of a line would be a shorter pattern, which is for more paths.
fn beginning(text: &str) -> &str {
    if text.len() <= MAX_BYTES {
        return text;
    }
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    &text[..text.rfind(['\n', '\r']).unwrap_or(0)]
}

/// Returns the key and the value of a line, without its comment.
fn record(line: &str) -> Option<(&str, &str)> {
    let line = line.split('#').next().unwrap_or_default();
    let (key, value) = line.split_once(':')?;
    Some((key.trim(), value.trim()))
}

/// Returns to whom a line with a name is said. What is after the name, such as a version, is left out.
fn audience_of(value: &str, program: &str) -> Audience {
    let end = value.find(|c: char| !(c.is_ascii_alphabetic() || c == '-' || c == '_')).unwrap_or(value.len());
    if !program.is_empty() && value[..end].eq_ignore_ascii_case(program) {
        Audience::Us
    } else if value.split_whitespace().next() == Some("*") {
        Audience::All
    } else {
        Audience::Others
    }
}

fn delay(value: &str) -> Option<Duration> {
    let seconds: f64 = value.parse().ok()?;
    (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(MAX_DELAY).min(MAX_DELAY))
}

/// Returns whether a path begins as a pattern says. The search for each part is linear, and never goes back.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, is_whole) = pattern.strip_suffix('$').map_or((pattern, false), |pattern| (pattern, true));
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return !is_whole || rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if is_whole && parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// Returns a path in the form in which it is compared: letters, digits and `-._~` as they are, and other percent-encoded bytes in capitals.
fn normal_path(path: &str) -> String {
    normal(path.as_bytes(), |byte| matches!(byte, b'*' | b'$'))
}

/// Returns a pattern in the form of [`normal_path`], in which `*`, and `$` at the end, have a meaning.
fn normal_pattern(pattern: &str) -> String {
    match pattern.strip_suffix('$') {
        Some(start) => normal(start.as_bytes(), |byte| byte == b'$') + "$",
        None => normal(pattern.as_bytes(), |byte| byte == b'$'),
    }
}

fn normal(bytes: &[u8], is_encoded: impl Fn(u8) -> bool) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 3).filter(|_| byte == b'%');
        let encoded = digits.and_then(|digits| std::str::from_utf8(digits).ok()).filter(|digits| !digits.contains('+'));
        let encoded = encoded.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        at += if encoded.is_some() { 3 } else { 1 };
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        match encoded {
            Some(byte) if is_plain(byte) => text.push(char::from(byte)),
            None if byte.is_ascii_graphic() && !is_encoded(byte) => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "%{:02X}", encoded.unwrap_or(byte));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Ports;

    fn is_allowed(robots: &Robots, path: &str) -> bool {
        let target = Target::parse(&format!("https://example.com{path}"), &Ports::Usual).expect("a valid address");
        robots.refusal(&target).is_none()
    }

    #[test]
    fn a_pattern_matches_the_beginning_of_a_path() {
        for (pattern, matching, other) in [
            ("/", &["/", "/a", "/a?b"][..], &[][..]),
            ("/fish", &["/fish", "/fish.html", "/fishheads/x", "/fish?id=1"], &["/Fish", "/catfish", "/a/fish", "/"]),
            ("/fish/", &["/fish/", "/fish/?id=1"], &["/fish", "/fish.html"]),
            ("/fish*", &["/fish", "/fishheads"], &["/catfish"]),
            ("/*.php", &["/a.php", "/x/a.php?b", "/a.php5"], &["/", "/a.PHP", "/php"]),
            ("/*.php$", &["/a.php", "/x/a.php", "/a.php/b.php"], &["/a.php?b", "/a.php/", "/a.php5"]),
            ("/fish*.php", &["/fish.php", "/fishheads/a.php?b"], &["/a.php", "/Fish.php"]),
            ("/$", &["/"], &["/a", "/?"]),
            ("/a$b", &["/a$b", "/a%24b", "/a$bc"], &["/a", "/ab"]),
            ("/a%2Ab", &["/a*b", "/a%2ab"], &["/ab", "/axb"]),
            ("*", &["/", "/a"], &[]),
            ("/a*b*c$", &["/abc", "/axbxc", "/abcbc"], &["/abcx", "/acb", "/ac"]),
            ("/a**b", &["/ab", "/axb"], &["/a"]),
            ("/ab*bc$", &["/abbc", "/abxbc"], &["/abc"]),
            ("a", &[], &["/a", "/"]),
            // The examples of RFC 9309, 2.2.2, and bytes in several forms.
            ("/foo/bar?baz=quz", &["/foo/bar?baz=quz"], &["/foo/bar"]),
            (
                "/foo/bar?baz=https://foo.bar",
                &["/foo/bar?baz=https://foo.bar"],
                &["/foo/bar?baz=https%3A%2F%2Ffoo.bar"],
            ),
            ("/foo/bar/ツ", &["/foo/bar/ツ", "/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"], &["/foo/bar/"]),
            ("/foo/bar/%E3%83%84", &["/foo/bar/ツ"], &["/foo/bar/E38384"]),
            ("/foo/bar/%62%61%7A", &["/foo/bar/baz"], &["/foo/bar/ba"]),
            ("/%zz%", &["/%zz%"], &["/zz", "/%25zz%25"]),
        ] {
            let robots = Robots::read(&format!("User-agent: *\nDisallow: {pattern}"), "toolc");
            for path in matching {
                assert!(!is_allowed(&robots, path), "{pattern} matches {path}");
            }
            for path in other {
                assert!(is_allowed(&robots, path), "{pattern} does not match {path}");
            }
        }
    }

    #[test]
    fn the_longest_rule_decides() {
        for (rules, path, allowed) in [
            ("Allow: /p\nDisallow: /", "/page", true),
            ("Disallow: /\nAllow: /p", "/page", true),
            ("Allow: /folder\nDisallow: /folder", "/folder/page", true),
            ("Disallow: /folder\nAllow: /folder", "/folder/page", true),
            ("Allow: /page\nDisallow: /*.htm", "/page.htm", false),
            ("Allow: /page\nDisallow: /*.ph", "/page.php5", true),
            ("Allow: /$\nDisallow: /", "/", true),
            ("Allow: /$\nDisallow: /", "/page.htm", false),
            ("Disallow:", "/a", true),
            ("Disallow: /\nAllow:", "/a", false),
            ("Disallow: /", "/robots.txt", true),
            ("Disallow: /", "/robots.txt?a", false),
            ("DISALLOW : /a # b", "/a", false),
            ("Disallow: /a#b", "/a", false),
            ("Disallow /a", "/a", true),
            ("Allowance: /a\nDisallow: /", "/a", false),
        ] {
            let robots = Robots::read(&format!("User-agent: *\n{rules}\n"), "toolc");
            assert_eq!(is_allowed(&robots, path), allowed, "{rules:?} {path}");
        }
        let target = Target::parse("https://example.com/a/b", &Ports::Usual).expect("a valid address");
        let robots = Robots::read("user-agent:*\ndisallow:/a\ndisallow: /*b", "toolc");
        assert_eq!(robots.refusal(&target).as_deref(), Some("Disallow: /*b"));
    }

    #[test]
    fn the_group_of_a_program_replaces_the_one_for_all() {
        for (text, allowed) in [
            ("", true),
            ("Disallow: /a", true),
            ("User-agent: *\nDisallow: /a", false),
            ("\u{feff}User-agent: *\r\nDisallow: /a\r\n", false),
            ("User-agent: *\rDisallow: /a\r", false),
            ("User-agent: *\nDisallow: /a\nUser-agent: TOOLC/1.0\nDisallow: /b", true),
            ("User-agent: toolc\nAllow: /\nUser-agent: *\nDisallow: /a", true),
            ("User-agent: toolc\nUser-agent: *\nDisallow: /a", false),
            ("User-agent: *\nUser-agent: other\nDisallow: /a", false),
            ("User-agent: toolcbot\nDisallow: /a", true),
            ("User-agent: tool\nDisallow: /a", true),
            ("User-agent: toolc\nDisallow: /b\nUser-agent: x\nDisallow: /\nUser-agent: toolc\nDisallow: /a", false),
            ("User-agent: toolc\n\nSitemap: x\nnonsense: y\n\nUser-agent: other\nDisallow: /a", false),
            ("User-agent: *\nCrawl-delay: 1\nUser-agent: other\nDisallow: /a", true),
            ("User-agent: toolc\n", true),
            ("User-agent: * and more\nDisallow: /a", false),
            ("User-agent: **\nDisallow: /a", true),
            ("<html>User-agent: *\nDisallow: /a</html>", true),
        ] {
            assert_eq!(is_allowed(&Robots::read(text, "toolc"), "/a"), allowed, "{text:?}");
        }
    }

    #[test]
    fn pauses_and_sitemaps_are_read() {
        let text = "Sitemap: https://example.com/a.xml\nUser-agent: *\nCrawl-delay: 2.5\nCrawl-delay: 1\n\
                    sitemap:/b.xml\nUser-agent: other\nCrawl-delay: 9";
        let robots = Robots::read(text, "toolc");
        assert_eq!(robots.crawl_delay(), Some(Duration::from_millis(2_500)));
        assert_eq!(robots.sitemaps(), ["https://example.com/a.xml", "/b.xml"]);
        for (value, delay) in
            [("x", None), ("-1", None), ("nan", None), ("inf", Some(MAX_DELAY)), ("1e99", Some(MAX_DELAY))]
        {
            let robots = Robots::read(&format!("User-agent: *\nCrawl-delay: {value}"), "toolc");
            assert_eq!(robots.crawl_delay(), delay, "{value}");
        }
    }

    #[test]
    fn any_text_is_read_and_used() {
        let parts = [
            "User-agent:",
            "*",
            "toolc",
            "\n",
            "\r",
            "Disallow:",
            "Allow :",
            "/",
            "%",
            "%e",
            "%61",
            "$",
            "é",
            "\u{feff}",
            "#",
            ":",
            " ",
        ];
        let paths = ["/", "/a/e/*$", "/%61%", "/é?é"].map(|path| format!("https://example.com{path}"));
        let targets = paths.map(|text| Target::parse(&text, &Ports::Usual).expect("a valid address"));
        let mut state = 1_u64;
        for _ in 0..20_000 {
            let mut text = String::from("User-agent: *\nDisallow: ");
            for _ in 0..12 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text += parts[usize::try_from(state >> 33).expect("31 bits") % parts.len()];
            }
            let robots = Robots::read(&text, "toolc");
            for target in &targets {
                // What is refused is refused by a rule that the text has.
                let refusal = robots.refusal(target);
                assert!(
                    refusal.is_none_or(|line| text.contains("Disallow:") && line.len() > "Disallow: ".len()),
                    "{text:?}"
                );
            }
        }
    }

    #[test]
    fn a_hostile_file_is_read_and_used_in_little_time() {
        let started = std::time::Instant::now();
        let path = format!("/{}", "a".repeat(8_000));
        for line in [
            format!("Disallow: /{}b\n", "*a".repeat(4_000)),
            format!("Disallow: /*{}b\n", "a".repeat(4_000)),
            "Disallow: /*a*b\n".to_owned(),
            format!("Disallow: {}\n", "é".repeat(20_000)),
        ] {
            let text = format!("User-agent: *\n{}", line.repeat(600_000 / line.len()));
            let robots = Robots::read(&text, "toolc");
            assert!(is_allowed(&robots, &path));
        }
        let sitemaps = Robots::read(&"Sitemap: x\n".repeat(60_000), "toolc");
        assert_eq!(sitemaps.sitemaps().len(), MAX_SITEMAPS);
        assert_eq!(Robots::read(&"é".repeat(300_000), "toolc"), Robots::default());
        // A fraction of it, even without optimization. A search that goes back would take hours.
        assert!(started.elapsed() < Duration::from_mins(1), "{:?}", started.elapsed());
    }
}
