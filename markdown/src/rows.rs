//! The rows of Markdown.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::code::Highlighter;
use crate::look::Look;
use crate::span::{Colour, Span, Style, paint, width, wrap};
use crate::table::Table;

/// Returns the events of a text.
pub(crate) fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS)
}

/// Returns the rows of a text, with a blank row between blocks.
pub(crate) fn rows(text: &str, look: Look) -> Vec<String> {
    let mut page = Page::new(look);
    let (mut depth, mut end) = (0_usize, 0);
    for (event, range) in parser(text).into_offset_iter() {
        if depth == 0 {
            page.definitions(&text[end.min(range.start)..range.start]);
            end = end.max(range.end);
        }
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        page.event(event);
    }
    page.definitions(&text[end.min(text.len())..]);
    page.rows
}

/// A block that contains others: a list item or a quotation.
struct Container {
    /// What the first row begins with, until it is used.
    first: Option<Span>,
    /// What the other rows begin with.
    rest: Span,
    is_item: bool,
    /// Whether the container has rows.
    has_rows: bool,
}

struct Page {
    look: Look,
    rows: Vec<String>,
    containers: Vec<Container>,
    has_rows: bool,
    /// The next number of each open list, or `None` for bullets.
    lists: Vec<Option<u64>>,
    /// The text of the open paragraph, heading or cell.
    spans: Vec<Span>,
    /// The styles of the open elements.
    styles: Vec<Style>,
    /// The addresses of the open links, and where their texts begin in `spans`.
    links: Vec<(String, usize)>,
    code: Option<(Highlighter, String)>,
    table: Option<Table>,
}

impl Page {
    fn new(look: Look) -> Self {
        Self {
            look,
            rows: Vec::new(),
            containers: Vec::new(),
            has_rows: false,
            lists: Vec::new(),
            spans: Vec::new(),
            styles: Vec::new(),
            links: Vec::new(),
            code: None,
            table: None,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text),
            },
            Event::Code(code) => {
                let code = code.replace('\n', " ");
                let marked = if self.look.styled { code } else { format!("`{code}`") };
                let style = Style { colour: Some(Colour::Cyan), ..self.style() };
                self.spans.push(Span::new(marked, style));
            }
            Event::Html(text) | Event::InlineHtml(text) => {
                let style = Style { dim: true, ..self.style() };
                self.spans.push(Span::new(text.into_string(), style));
            }
            // Models break lines where they want a break.
            Event::SoftBreak | Event::HardBreak => self.text(if self.table.is_some() { " " } else { "\n" }),
            Event::Rule => {
                self.separate();
                let line = "─".repeat(self.columns());
                self.add(vec![Span::new(line, Style::DIM)]);
            }
            Event::TaskListMarker(done) => self.text(if done { "[x] " } else { "[ ] " }),
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.separate(),
            Tag::Heading { level, .. } => {
                self.separate();
                let style = Style { bold: true, underlined: level == HeadingLevel::H1, ..Style::PLAIN };
                self.styles.push(style);
                if !self.look.styled {
                    self.text(&format!("{} ", "#".repeat(level as usize)));
                }
            }
            Tag::BlockQuote(_) => {
                self.separate();
                self.open(None, Span::new("│ ", Style::DIM), false);
            }
            Tag::CodeBlock(kind) => {
                self.separate();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((Highlighter::new(&language), String::new()));
            }
            Tag::List(start) => {
                self.flush();
                if !self.containers.last().is_some_and(|container| container.is_item) {
                    self.separate();
                }
                self.lists.push(start);
            }
            Tag::Item => {
                let marker = self.next_marker();
                let blank = " ".repeat(width(&[Span::new(&*marker, Style::PLAIN)]));
                self.open(Some(Span::new(marker, Style::PLAIN)), Span::new(blank, Style::PLAIN), true);
            }
            Tag::Table(alignments) => {
                self.separate();
                self.table = Some(Table { alignments, rows: Vec::new() });
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            inline => self.start_inline(inline),
        }
    }

    fn start_inline(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Emphasis => self.begin(|style| style.italic = true, "*"),
            Tag::Strong => self.begin(|style| style.bold = true, "**"),
            Tag::Strikethrough => self.begin(|style| style.struck = true, "~~"),
            Tag::Link { dest_url, .. } => {
                self.links.push((dest_url.into_string(), self.spans.len()));
                self.begin(|style| style.underlined = true, "");
            }
            Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.into_string(), self.spans.len()));
                self.begin(|_| {}, "");
                self.text("picture: ");
            }
            // Tags of other options than those of `parser`.
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) | TagEnd::Item => {
                self.flush();
                self.close();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => drop(self.lists.pop()),
            TagEnd::Table => {
                for row in self.table.take().unwrap_or_default().lay_out(self.columns()) {
                    self.add(row);
                }
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.spans);
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Emphasis => self.finish("*"),
            TagEnd::Strong => self.finish("**"),
            TagEnd::Strikethrough => self.finish("~~"),
            TagEnd::Link | TagEnd::Image => {
                self.styles.pop();
                let Some((address, start)) = self.links.pop() else { return };
                let text: String = self.spans.iter().skip(start).map(|span| &*span.text).collect();
                if text != address && format!("mailto:{text}") != address {
                    self.spans.push(Span::new(format!(" ({address})"), Style { dim: true, ..self.style() }));
                }
            }
            _ => {}
        }
    }

    /// Returns what the next item of the list begins with.
    fn next_marker(&mut self) -> String {
        match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", number.saturating_sub(1))
            }
            _ => "• ".to_owned(),
        }
    }

    /// Returns the style of text here.
    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn text(&mut self, text: &str) {
        let style = self.style();
        self.spans.push(Span::new(text, style));
    }

    /// Begins an element of a style, or without styles, with its mark.
    fn begin(&mut self, change: impl FnOnce(&mut Style), mark: &str) {
        if !self.look.styled {
            self.text(mark);
        }
        let mut style = self.style();
        change(&mut style);
        self.styles.push(style);
    }

    fn finish(&mut self, mark: &str) {
        self.styles.pop();
        if !self.look.styled {
            self.text(mark);
        }
    }

    /// Shows definitions of links, which the parser leaves out, because the text that refers to them may be shown already.
    fn definitions(&mut self, source: &str) {
        if !source.trim().is_empty() {
            self.separate();
            self.spans.push(Span::new(source.trim(), Style::DIM));
            self.flush();
        }
    }

    fn end_code(&mut self) {
        let Some((mut highlighter, code)) = self.code.take() else { return };
        for line in code.lines() {
            let spans = highlighter.line(line);
            for row in code_rows(&spans, self.columns()) {
                self.add(row);
            }
        }
    }

    fn open(&mut self, first: Option<Span>, rest: Span, is_item: bool) {
        self.flush();
        self.containers.push(Container { first, rest, is_item, has_rows: false });
    }

    /// Ends a container. A list item without content has a row nevertheless.
    fn close(&mut self) {
        if self.containers.last().is_some_and(|container| container.first.is_some()) {
            self.add(Vec::new());
        }
        self.containers.pop();
    }

    /// Begins a block: ends the text before, and adds a blank row between two blocks.
    fn separate(&mut self) {
        self.flush();
        let has_rows = self.containers.last().map_or(self.has_rows, |container| container.has_rows);
        if has_rows {
            self.add(Vec::new());
        }
    }

    /// Adds the collected text as rows.
    fn flush(&mut self) {
        if self.table.is_some() || self.spans.is_empty() {
            return;
        }
        let mut spans = std::mem::take(&mut self.spans);
        if let Some(last) = spans.last_mut() {
            // HTML has the end of its last line.
            last.text.truncate(last.text.trim_end_matches('\n').len());
        }
        for row in wrap(&spans, self.columns()) {
            self.add(row);
        }
    }

    /// Returns how many columns the text of a row may have. Beyond half of the width, deeper containers no longer indent.
    fn columns(&self) -> usize {
        let indent: usize = self.indent().map(|container| width(std::slice::from_ref(&container.rest))).sum();
        self.look.width.saturating_sub(1 + indent).max(1)
    }

    /// Returns the containers that are shown.
    fn indent(&self) -> impl Iterator<Item = &Container> {
        let mut used = 0;
        self.containers.iter().take_while(move |container| {
            used += width(std::slice::from_ref(&container.rest));
            used <= self.look.width / 2
        })
    }

    fn add(&mut self, spans: Vec<Span>) {
        let shown = self.indent().count();
        let mut row = Vec::new();
        for container in &mut self.containers[..shown] {
            row.push(container.first.take().unwrap_or_else(|| container.rest.clone()));
        }
        for container in &mut self.containers {
            container.first = None;
            container.has_rows = true;
        }
        self.has_rows = true;
        row.extend(spans);
        let row = paint(&row, self.look);
        self.rows.push(row.trim_end_matches(' ').to_owned());
    }
}

/// Indents a line of code, and splits it into rows.
pub(crate) fn code_rows(spans: &[Span], columns: usize) -> Vec<Vec<Span>> {
    let indent = Span::new("  ", Style::PLAIN);
    let lines = wrap(spans, columns.saturating_sub(2));
    lines.into_iter().map(|line| std::iter::once(indent.clone()).chain(line).collect()).collect()
}

/// A block at the top level: its kind, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    pub(crate) range: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// Ends at the end of its line.
    Line,
    /// Ends at a blank line.
    Paragraph,
    FencedCode,
    /// May go on after a blank line.
    Other,
}

/// Returns the blocks of a text.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut depth = 0_usize;
    for (event, range) in parser(text).into_offset_iter() {
        let kind = match &event {
            Event::Start(Tag::Heading { .. }) | Event::Rule => BlockKind::Line,
            Event::Start(Tag::Paragraph | Tag::Table(_)) => BlockKind::Paragraph,
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => BlockKind::FencedCode,
            _ => BlockKind::Other,
        };
        if depth == 0 {
            // Spaces before a block belong to it.
            let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
            blocks.push(Block { kind, range: start..range.end });
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    blocks
}
