//! Reads Markdown part by part: its outline, its sections, and pieces that end between blocks.

/// A heading of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// From 1 to 6.
    pub level: u8,
    /// Its text, without Markdown.
    pub text: String,
    /// Where its line begins, in bytes.
    pub offset: usize,
}

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'m> {
    /// The piece.
    pub text: &'m str,
    /// Where it begins in the whole text, in bytes.
    pub offset: usize,
    /// Where the next piece begins, if this one is not the last.
    pub next: Option<usize>,
}

/// What a line is for where a text may be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Blank,
    Heading,
    Row,
    /// In a fence, or one of its ends.
    Code,
    Other,
}

/// A line with its place and kind.
struct Lines<'m> {
    text: &'m str,
    at: usize,
    fence: Option<&'m str>,
}

impl<'m> Iterator for Lines<'m> {
    type Item = (usize, &'m str, LineKind);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return None;
        }
        let end = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let (start, line) = (self.at, rest[..end].trim_end_matches(['\n', '\r']));
        self.at += end;
        let inner = line.trim_start_matches([' ', '>']);
        let kind = match (self.fence, fence_of(inner)) {
            (Some(open), Some(fence)) if fence.starts_with(open) && inner.trim_end() == fence => {
                self.fence = None;
                LineKind::Code
            }
            (Some(_), _) => LineKind::Code,
            (None, Some(fence)) => {
                self.fence = Some(fence);
                LineKind::Code
            }
            (None, None) if inner.trim().is_empty() => LineKind::Blank,
            (None, None) if level(line).is_some() => LineKind::Heading,
            (None, None) if inner.starts_with('|') => LineKind::Row,
            (None, None) => LineKind::Other,
        };
        Some((start, line, kind))
    }
}

fn lines(text: &str) -> Lines<'_> {
    Lines { text, at: 0, fence: None }
}

fn fence_of(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    let is_fence = length >= 3 && !(mark == '`' && line[length..].contains('`'));
    is_fence.then(|| &line[..length])
}

fn level(line: &str) -> Option<u8> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let is_heading = (1..=6).contains(&level) && line[level..].chars().next().is_none_or(char::is_whitespace);
    is_heading.then(|| u8::try_from(level).unwrap_or(6))
}

/// The headings of a text, in their order. Lines in code blocks are not headings.
pub fn headings(markdown: &str) -> Vec<Heading> {
    lines(markdown)
        .filter(|(_, _, kind)| *kind == LineKind::Heading)
        .filter_map(|(offset, line, _)| {
            let level = level(line)?;
            Some(Heading {
                level,
                text: plain(line[usize::from(level)..].trim().trim_end_matches('#').trim_end()),
                offset,
            })
        })
        .collect()
}

/// The text of a line without links, emphasis and escapes.
fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    // Where addresses can end at the latest: without it, a line of `](` would be searched to its end for each.
    let last = line.rfind(')').map_or(0, |at| line.len() - at);
    while let Some(c) = rest.chars().next() {
        let size = match c {
            '\\' if rest[1..].starts_with(|c: char| c.is_ascii_punctuation()) => {
                out.push_str(&rest[1..2]);
                2
            }
            '`' | '*' | '[' => 1,
            ']' if rest[1..].starts_with('(') && rest.len() > last && last > 0 => {
                rest.find(')').map_or(1, |end| end + 1)
            }
            '!' if rest[1..].starts_with('[') => 1,
            c => {
                out.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[size..];
    }
    crate::dom::squeeze(&out)
}

/// The section below a heading, heading included, up to the next heading of the same or a higher level.
///
/// `heading` is its text, in any case, with or without `#`, or the form of it that is used in addresses (`getting-started`). If no heading
/// has this text, it is the only one that contains it.
pub fn section<'m>(markdown: &'m str, heading: &str) -> Option<&'m str> {
    let headings = headings(markdown);
    let wanted = heading.trim().trim_start_matches('#').trim().to_lowercase();
    if wanted.is_empty() {
        return None;
    }
    let find = |test: &dyn Fn(&str) -> bool| headings.iter().position(|heading| test(&heading.text.to_lowercase()));
    let at = find(&|text| text == wanted).or_else(|| find(&|text| slug(text) == slug(&wanted))).or_else(|| {
        let at = find(&|text| text.contains(&wanted))?;
        let is_only = headings[at + 1..].iter().all(|heading| !heading.text.to_lowercase().contains(&wanted));
        is_only.then_some(at)
    })?;
    let end = headings[at + 1..]
        .iter()
        .find(|next| next.level <= headings[at].level)
        .map_or(markdown.len(), |next| next.offset);
    Some(markdown[headings[at].offset..end].trim_end())
}

fn slug(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// The piece of at most `max_chars` characters that begins at `offset`, a number of bytes; an offset within a character is moved to its
/// beginning.
///
/// It ends between two blocks if it can, and not after a heading. A block that is longer than a piece is cut between its lines, then
/// between words.
pub fn part(markdown: &str, offset: usize, max_chars: usize) -> Part<'_> {
    let start = markdown.floor_char_boundary(offset.min(markdown.len()));
    let rest = markdown[start..].trim_start_matches('\n');
    let start = markdown.len() - rest.len();
    let Some((limit, _)) = rest.char_indices().nth(max_chars.max(1)) else {
        return Part { text: rest, offset: start, next: None };
    };
    let end = start + best_end(markdown, start, start + limit) - start;
    let next = end + (markdown[end..].len() - markdown[end..].trim_start_matches('\n').len());
    Part {
        text: markdown[start..end].trim_end_matches('\n'),
        offset: start,
        next: (next < markdown.len()).then_some(next),
    }
}

/// Where a piece from `start` ends, not after `limit`.
fn best_end(markdown: &str, start: usize, limit: usize) -> usize {
    // The last ends by kind: between blocks, and between lines.
    let (mut block, mut line_end) = (None, None);
    let mut before = LineKind::Blank;
    let mut last_heading = None;
    for (at, _, kind) in lines(markdown) {
        if at > limit {
            break;
        }
        if at > start {
            line_end = Some(at);
            match (before, kind) {
                (LineKind::Blank, LineKind::Blank) => {}
                // What follows a heading stays with it.
                (LineKind::Blank, _) if last_heading.is_some() => block = last_heading,
                (LineKind::Blank, _) | (LineKind::Row, LineKind::Row) => block = Some(at),
                _ => {}
            }
        }
        match kind {
            LineKind::Heading if at > start => last_heading = last_heading.or(Some(at)),
            LineKind::Blank => {}
            _ => last_heading = None,
        }
        if kind != LineKind::Blank || before == LineKind::Code {
            before = kind;
        } else {
            before = LineKind::Blank;
        }
    }
    // A piece that would be nearly empty is worse than a block in two pieces.
    let least = start + (limit - start) / 8;
    let words = || markdown[start..limit].rfind(char::is_whitespace).map(|at| start + at + 1).filter(|at| *at > least);
    block.filter(|at| *at > least).or_else(|| line_end.filter(|at| *at > least)).or_else(words).unwrap_or(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Intro.\n\n## One *two*\n\nText.\n\n```sh\n# no heading\n\nls\n```\n\n### [Deep](http://x/) `fn()`\n\nMore.\n\n## Getting started\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n";

    #[test]
    fn headings_are_found_outside_of_code() {
        let found: Vec<_> = headings(TEXT).into_iter().map(|heading| (heading.level, heading.text)).collect();
        let expected = [(2, "One two"), (3, "Deep fn()"), (2, "Getting started")];
        assert_eq!(found, expected.map(|(level, text)| (level, text.to_owned())));
        assert!(headings(TEXT).iter().all(|heading| TEXT[heading.offset..].starts_with('#')));
    }

    #[test]
    fn a_section_is_found_by_its_text_in_many_forms() {
        for name in ["One two", "## one TWO", "one-two"] {
            let section = section(TEXT, name).unwrap_or_else(|| panic!("{name}"));
            assert!(section.starts_with("## One") && section.ends_with("More."), "{section}");
        }
        assert!(section(TEXT, "#getting-started").is_some_and(|text| text.ends_with("| 1 | 2 |")));
        assert!(section(TEXT, "deep").is_some_and(|text| text.starts_with("### ")));
        assert_eq!(section(TEXT, "no heading"), None);
        assert_eq!(section(TEXT, ""), None);
    }

    #[test]
    fn parts_end_between_blocks_and_lose_nothing() {
        for size in [1, 7, 20, 33, 60, 1000] {
            let (mut at, mut all, mut count) = (0, String::new(), 0);
            loop {
                let part = part(TEXT, at, size);
                assert!(part.text.chars().count() <= size && !part.text.is_empty(), "{size}: {part:?}");
                all.extend(part.text.split_whitespace());
                count += 1;
                match part.next {
                    Some(next) => at = next,
                    None => break,
                }
            }
            assert_eq!(all, TEXT.split_whitespace().collect::<String>(), "{size}");
            assert!(count <= TEXT.len());
        }
    }

    #[test]
    fn a_part_leaves_code_whole_and_a_heading_with_its_text() {
        let first = part(TEXT, 0, 40);
        assert_eq!(first.text, "Intro.\n\n## One *two*\n\nText.");
        let second = part(TEXT, first.next.unwrap_or(0), 60);
        assert_eq!(second.text, "```sh\n# no heading\n\nls\n```");
        let rows = part(TEXT, TEXT.find("| a").unwrap_or(0), 26);
        assert_eq!(rows.text, "| a | b |\n| --- | --- |");
    }

    #[test]
    fn an_offset_within_a_character_is_moved() {
        assert_eq!(part("äöü", 1, 2), Part { text: "äö", offset: 0, next: Some(4) });
        assert_eq!(part("äöü", 99, 2), Part { text: "", offset: 6, next: None });
        assert_eq!(part("", 0, 0), Part { text: "", offset: 0, next: None });
    }
}
