//! Titles and excerpts of pages, as a language model gets them: without tags, references to characters, and what people do not see.

/// The elements whose tags services leave in texts. Other words in angle brackets, such as `Vec<T>`, are text.
const ELEMENTS: &[&str] = &[
    "a",
    "abbr",
    "article",
    "b",
    "big",
    "blockquote",
    "body",
    "br",
    "button",
    "center",
    "cite",
    "code",
    "dd",
    "del",
    "div",
    "dl",
    "dt",
    "em",
    "figure",
    "font",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "ins",
    "kbd",
    "label",
    "li",
    "link",
    "main",
    "mark",
    "meta",
    "nav",
    "noscript",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "samp",
    "script",
    "section",
    "small",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "video",
];
/// The maximum length of a tag, in bytes. What is longer is text.
const MAX_TAG: usize = 1_000;
/// How many bytes are read for each character that is kept. The rest of a text that is mostly tags is left out.
const READ: usize = 16;
/// The references to characters by name that occur in titles and excerpts.
const NAMED: &[(&str, &str)] = &[
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("hellip", "…"),
    ("mdash", "—"),
    ("ndash", "–"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("sbquo", "‚"),
    ("bdquo", "„"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("lsaquo", "‹"),
    ("rsaquo", "›"),
    ("middot", "·"),
    ("bull", "•"),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("times", "×"),
    ("deg", "°"),
    ("plusmn", "±"),
    ("frac12", "½"),
    ("euro", "€"),
    ("pound", "£"),
    ("yen", "¥"),
    ("sect", "§"),
    ("para", "¶"),
    ("micro", "µ"),
    ("rarr", "→"),
    ("larr", "←"),
    ("minus", "−"),
    ("shy", ""),
    ("zwnj", ""),
    ("zwj", ""),
    ("ensp", " "),
    ("emsp", " "),
    ("thinsp", " "),
    ("auml", "ä"),
    ("ouml", "ö"),
    ("uuml", "ü"),
    ("Auml", "Ä"),
    ("Ouml", "Ö"),
    ("Uuml", "Ü"),
    ("szlig", "ß"),
    ("eacute", "é"),
    ("egrave", "è"),
    ("ecirc", "ê"),
    ("agrave", "à"),
    ("aacute", "á"),
    ("acirc", "â"),
    ("ccedil", "ç"),
    ("ntilde", "ñ"),
    ("oacute", "ó"),
    ("iacute", "í"),
    ("uacute", "ú"),
    ("ocirc", "ô"),
    ("aring", "å"),
    ("aelig", "æ"),
    ("oslash", "ø"),
];
/// The longest reference to a character, in bytes.
const MAX_REFERENCE: usize = 12;

/// Returns a text on one line, of at most `most` characters.
pub(crate) fn clean(text: &str, most: usize) -> String {
    let text = without_references(&without_tags(cut(text, most.saturating_mul(READ).saturating_add(MAX_TAG))));
    let mut line = String::new();
    let mut is_gap = false;
    let mut length = 0;
    let mut rest = text.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = rest.next() {
        let next = rest.peek().copied().unwrap_or(' ');
        if letter.is_whitespace() || letter.is_control() {
            is_gap = true;
            continue;
        }
        if is_hidden(letter) && !joins(letter, before, next) {
            continue;
        }
        let gap = is_gap && !line.is_empty();
        length += 1 + usize::from(gap);
        if length > most {
            line.push('…');
            break;
        }
        if gap {
            line.push(' ');
        }
        line.push(letter);
        (is_gap, before) = (false, letter);
    }
    line
}

/// Returns the beginning of a text, of at most `most` bytes.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// Returns the text with a space in place of each tag of HTML, and without its comments.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        plain.push_str(before);
        if let Some(length) = tag_length(tag) {
            // `<b>` within a word does not divide it.
            if is_block(&tag[..length]) {
                plain.push(' ');
            }
            rest = &tag[length..];
        } else {
            plain.push('<');
            rest = &tag[1..];
        }
    }
    plain.push_str(rest);
    plain
}

fn tag_length(tag: &str) -> Option<usize> {
    let within = cut(tag, MAX_TAG);
    if within.starts_with("<!--") {
        return within.find("-->").map(|end| end + 3);
    }
    let name = name(tag);
    let is_element =
        ELEMENTS.iter().any(|element| element.eq_ignore_ascii_case(name)) || within.starts_with("<!doctype");
    let after = tag[1..].trim_start_matches('/')[name.len()..].chars().next();
    let ends = after.is_some_and(|letter| letter.is_ascii_whitespace() || matches!(letter, '>' | '/'));
    within.find('>').map(|end| end + 1).filter(|_| is_element && ends)
}

fn name(tag: &str) -> &str {
    let name = tag[1..].trim_start_matches('/');
    &name[..name.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(name.len())]
}

fn is_block(tag: &str) -> bool {
    !["", "b", "em", "i", "mark", "span", "strong", "font", "u", "s", "a", "small"]
        .iter()
        .any(|inline| inline.eq_ignore_ascii_case(name(tag)))
}

/// Returns the text with the characters in place of `&amp;`, `&#39;` and the like.
fn without_references(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let end = cut(after, MAX_REFERENCE).find(';');
        let character = end.and_then(|end| referred(&after[..end]));
        if let (Some(end), Some(character)) = (end, character) {
            plain.push_str(&character);
            rest = &after[end + 1..];
        } else {
            plain.push('&');
            rest = after;
        }
    }
    plain.push_str(rest);
    plain
}

fn referred(name: &str) -> Option<String> {
    let Some(number) = name.strip_prefix('#') else {
        return NAMED.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
    };
    let hex = number.strip_prefix(['x', 'X']);
    let code = hex.map_or_else(|| number.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())?;
    char::from_u32(code).map(String::from)
}

/// Returns whether a character is not shown, so that a text with it may say more than people see.
fn is_hidden(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e000}'..='\u{f8ff}'
            | '\u{e0000}'..='\u{e0fff}' | '\u{f0000}'..='\u{10ffff}'
    )
}

/// Returns whether a hidden character belongs to the writing of its neighbours: a joiner in Persian or in an emoji.
fn joins(letter: char, before: char, next: char) -> bool {
    let is_joiner = matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe0f}');
    let is_written = |neighbour: char| !neighbour.is_ascii() && !is_hidden(neighbour);
    is_joiner && is_written(before) && (is_written(next) || letter == '\u{fe0f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_references_of_html_are_read() {
        for (text, expected) in [
            ("<strong>Rust</strong>acean &amp; co&hellip;", "Rustacean & co…"),
            ("a<br/>b<p class=\"x\">c</p>d", "a b c d"),
            ("Vec<T> and &lt;b&gt; in <code>x</code>", "Vec<T> and <b> in x"),
            ("if a < b && c > d", "if a < b && c > d"),
            ("a<!-- hidden -->b <script type=x>", "ab"),
            ("&#8217;&#x2019;&unknown;&#xFFFFFFFFF;&", "’’&unknown;&#xFFFFFFFFF;&"),
            ("&amp;lt;", "&lt;"),
            ("<", "<"),
            ("</", "</"),
            ("<b", "<b"),
            ("", ""),
        ] {
            assert_eq!(clean(text, 100), expected, "{text}");
        }
    }

    #[test]
    fn what_people_do_not_see_is_left_out() {
        assert_eq!(clean("a\u{200b}b\u{202e}c\u{e0041}\u{7}d\u{0}\r\n\t e", 100), "abc d e");
        assert_eq!(clean("می\u{200c}خواهم 👩\u{200d}🚀 ❤\u{fe0f}!", 100), "می\u{200c}خواهم 👩\u{200d}🚀 ❤\u{fe0f}!");
        assert_eq!(clean("i\u{200d}gnore", 100), "ignore");
        assert_eq!(clean("  \u{a0} ", 100), "");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(clean("äöü äöü", 3), "äöü…");
        assert_eq!(clean("äöü äöü", 5), "äöü ä…");
        assert_eq!(clean("äöü", 3), "äöü");
        let many = "<".repeat(200_000);
        assert_eq!(clean(&many, 10).chars().count(), 11);
    }

    #[test]
    fn any_text_is_cleaned_within_its_bounds() {
        let pieces = [
            "<", ">", "/", "b", "<b>", "<!--", "-->", "&", "#", "x41", ";", "&amp;", "ä", "👩", "\u{200d}", "\u{202e}",
            "\n", "\0", " ", "a", "1",
        ];
        let mut state = 7_u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..12 {
                // The generator of Knuth's MMIX.
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(pieces[usize::try_from(state >> 33).expect("31 bits") % pieces.len()]);
            }
            let cleaned = clean(&text, 8);
            let is_plain = |letter: char| !letter.is_control() && (!is_hidden(letter) || letter == '\u{200d}');
            assert!(cleaned.chars().count() <= 9 && cleaned.chars().all(is_plain), "{text:?}: {cleaned:?}");
            assert_eq!(cleaned.trim(), cleaned, "{text:?}");
        }
    }
}
