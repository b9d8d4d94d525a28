//! Removes from an article what surrounds its text: links to other articles between its paragraphs, and what is said twice.

use std::collections::{HashMap, HashSet};

use super::model::{Block, Kind};

/// A text with as many characters outside of links belongs to an article.
const LONG: usize = 80;

/// Removes links to other articles, and repeated paragraphs, unless little would be left.
pub(super) fn trim(blocks: Vec<Block>) -> Vec<Block> {
    let outside: Vec<usize> = blocks.iter().map(|block| outside_of_links(&block.text)).collect();
    let is_long = |at: usize| outside[at] >= LONG && blocks[at].kind != Kind::Heading;
    let (Some(first), Some(last)) =
        ((0..blocks.len()).find(|at| is_long(*at)), (0..blocks.len()).rfind(|at| is_long(*at)))
    else {
        return blocks;
    };
    let mut seen = HashSet::new();
    let mut keep: Vec<bool> = Vec::with_capacity(blocks.len());
    for (at, block) in blocks.iter().enumerate() {
        let after_heading = at > 0 && blocks[at - 1].kind == Kind::Heading && first < at && at < last;
        let is_links = has_link(&block.text) && outside[at] * 10 <= block.text.len() && outside[at] < 40;
        let is_other = match block.kind {
            Kind::Text => is_links && !after_heading || is_label(&block.text, at < first),
            // A list of links within the text may be a part of it.
            Kind::List => is_links && !(first..=last).contains(&at),
            _ => false,
        };
        let is_repeated = block.kind == Kind::Text && block.text.len() > 40 && !seen.insert(&*block.text);
        keep.push(!is_other && !is_repeated);
    }
    // A heading whose text is gone goes with it.
    for at in (0..blocks.len()).rev() {
        if blocks[at].kind == Kind::Heading && keep.get(at + 1) == Some(&false) {
            let next = (at + 1..blocks.len()).find(|at| keep[*at]);
            keep[at] = next.is_some_and(|next| blocks[next].kind != Kind::Heading);
        }
    }
    let total: usize = outside.iter().sum();
    let kept: usize = outside.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(chars, _)| chars).sum();
    if kept * 10 < total * 6 {
        return blocks;
    }
    blocks.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(block, _)| block).collect()
}

/// Whether a short text says nothing about what the article is about. At the beginning, who wrote it and when is said elsewhere.
fn is_label(text: &str, is_beginning: bool) -> bool {
    const LABELS: &[&str] = &[
        "ad",
        "advert",
        "advertisement",
        "caption",
        "close",
        "comments",
        "continue reading",
        "continue reading below",
        "don't miss",
        "image",
        "loading",
        "most read",
        "read more",
        "share",
        "share this",
        "sponsored",
        "story continues",
        "story continues below",
        "tags",
        "topics",
        "this slideshow requires javascript",
        "article continues below",
        "article continues after ad",
        "skip",
        "trending",
        "related",
        "print",
    ];
    const ORIGINS: &[&str] = &["published", "updated", "posted", "last updated", "first published", "by "];
    if text.len() > 90 {
        return false;
    }
    let words: String = text.chars().filter(|c| !matches!(c, '*' | '|' | ':' | '.' | '_' | '\\')).collect();
    let words = words.trim().to_lowercase();
    // `Image 1 of 8`
    let counted = words
        .strip_prefix("image ")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains("of"));
    let is_origin = is_beginning && ORIGINS.iter().any(|start| words.starts_with(start));
    LABELS.contains(&&*words) || counted || is_origin && words.contains(|c: char| c.is_ascii_digit())
}

fn has_link(text: &str) -> bool {
    text.contains("](") && !text.starts_with("![") && !text.starts_with("[![")
}

/// The number of letters and digits outside of links and pictures. The label of a link to another article, such as `Related:`, is not
/// counted.
pub(crate) fn outside_of_links(text: &str) -> usize {
    const LABELS: &[&str] = &[
        "related:",
        "read more:",
        "see also:",
        "read also:",
        "also read:",
        "more:",
        "read:",
        "watch:",
        "must read:",
        "read next:",
    ];
    let lower = text.trim_start_matches(['*', ' ', '>']).to_lowercase();
    let label = LABELS.iter().find(|label| lower.starts_with(*label)).map_or(0, |label| label.len() - 1);
    let labels = labels_of_links(text);
    let last = text.rfind(')').unwrap_or(0);
    let end_of_link = |start: usize| {
        let address = labels.get(&start).copied().filter(|address| *address <= last)?;
        text[address..].find(')').map(|end| address + end + 1)
    };
    let (mut count, mut at) = (0_usize, 0);
    while let Some(c) = text[at..].chars().next() {
        let next = at + c.len_utf8();
        at = match c {
            '[' => end_of_link(at).unwrap_or(next),
            '\\' => next + text[next..].chars().next().map_or(0, char::len_utf8),
            _ => {
                count += usize::from(c.is_alphanumeric());
                next
            }
        };
    }
    count.saturating_sub(label)
}

/// Where each text of a link begins, and where the address after it begins. All are found in one pass, since a text may have only brackets.
fn labels_of_links(text: &str) -> HashMap<usize, usize> {
    let (mut open, mut found, mut escaped) = (Vec::new(), HashMap::new(), false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'[' => open.push(at),
            b']' => {
                if let Some(start) = open.pop()
                    && text[at + 1..].starts_with('(')
                {
                    found.insert(start, at + 2);
                }
            }
            // A link does not continue in the next line.
            b'\n' => open.clear(),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(kind: Kind, text: &str) -> Block {
        Block { kind, text: text.to_owned() }
    }

    #[test]
    fn links_between_paragraphs_are_removed_and_links_in_them_stay() {
        let long = "This sentence of an article is so long that it has more than eighty letters, even if those of its links are left out, with [a link](http://x/) in it.";
        let other = format!("{long} Another one.");
        let blocks = vec![
            block(Kind::List, "1. [Home](http://x/)\n2. [News](http://x/news)"),
            block(Kind::Text, long),
            block(Kind::Text, "**Related: [Another article](http://x/a)**"),
            block(Kind::Heading, "## Links"),
            block(Kind::List, "- [One](http://x/1)"),
            block(Kind::Text, long),
            block(Kind::Text, &other),
            block(Kind::Heading, "## Most read"),
            block(Kind::List, "- [Two](http://x/2)"),
        ];
        let kept: Vec<String> = trim(blocks).into_iter().map(|block| block.text).collect();
        assert_eq!(kept, [long, "## Links", "- [One](http://x/1)", &*other]);
    }

    #[test]
    fn labels_of_the_page_are_removed() {
        for label in ["Advertisement", "**Caption**", "Image 1 of / 8", "Continue Reading Below"] {
            assert!(is_label(label, false), "{label}");
        }
        assert!(is_label("| UPDATED: 11:05, Tue, Nov 19, 2019", true));
        for text in ["UPDATED: 11:05, Tue, Nov 19, 2019", "Image processing", "By the sea", "Share prices fell."] {
            assert!(!is_label(text, false), "{text}");
        }
    }

    #[test]
    fn letters_outside_of_links_are_counted() {
        let cases = [
            ("ab [c](d) e", 3),
            ("[![x](y)](z) a", 1),
            ("[a] b", 2),
            ("[a](b", 2),
            ("\\[a](b)", 2),
            ("[a\n](b)", 2),
            ("[ä [b](c) d", 2),
            ("](x) [[y](z)", 1),
        ];
        for (text, count) in cases {
            assert_eq!(outside_of_links(text), count, "{text}");
        }
    }

    #[test]
    fn a_page_of_links_is_not_trimmed() {
        let blocks = || vec![block(Kind::Text, "[One](http://x/1)"), block(Kind::Text, "[Two](http://x/2)")];
        assert_eq!(trim(blocks()).len(), 2);
    }
}
