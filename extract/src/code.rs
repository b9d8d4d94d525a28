//! Brings code of all kinds of pages into one form: `pre` with its text and its language.
//!
//! Highlighters wrap each token, number the lines, and put both into tables. Later stages would lose the white space.

use std::collections::HashSet;

use dom_query::{Document, Element, NodeRef};

use crate::dom::{attribute, find, find_all, has_class, is, name, value, with_text};

/// Classes of elements with the numbers of lines, with prompts that cannot be copied, and with buttons.
const NUMBERS: &[&str] = &[
    "linenos",
    "lineno",
    "linenodiv",
    "line-numbers-rows",
    "gutter",
    "hljs-ln-numbers",
    "hljs-ln-n",
    "blob-num",
    "line-number",
    "line-numbers",
    "react-line-number",
    "rouge-gutter",
    "gl",
    "src-line-numbers",
    "copybtn",
    "copy-btn",
    "copy",
    "toolbar",
    "snippet-clipboard-content",
    "zeroclipboard-container",
    "code-header",
    "codeblock-button-wrapper",
    "example-buttons",
];
/// Classes of tables, or of rows of elements, with one line of code each.
const LINE_TABLES: &[&str] = &[
    "highlighttable",
    "rouge-table",
    "hljs-ln",
    "js-file-line-container",
    "lntable",
    "gutter-table",
    "codehilitetable",
    "highlight-table",
    "blob-wrapper",
    "react-code-lines",
];

/// Replaces code by `pre` elements that have only text, with the language in `data-language`.
pub(crate) fn normalize(page: &Document) {
    let root = page.root();
    for table in find_all(&root, is_line_table) {
        // What is in another such table has been taken with it.
        let is_inner = table.ancestors_it(None).any(|ancestor| {
            ancestor.element_ref().is_some_and(|ancestor| is(&ancestor, "pre") || is_line_table(&ancestor))
        });
        if is_inner || !has_code(&table) {
            continue;
        }
        let (text, language) = (lines_of(&table), language(&table));
        replace(page, &table, &text, &language);
    }
    for pre in find_all(&root, |element| is(element, "pre")) {
        // A block in a block is taken with the outer one.
        if pre.ancestors_it(None).any(|ancestor| ancestor.has_name("pre")) {
            continue;
        }
        let codes = variants(&pre);
        if codes.is_empty() {
            let (text, language) = (lines_of(&pre), language(&pre));
            replace(page, &pre, &text, &language);
            continue;
        }
        for code in codes {
            let block = page.tree.new_element("pre");
            fill(&block, &lines_of(&code), &language(&code));
            pre.insert_before(&block);
        }
        pre.remove_from_parent();
    }
}

/// The same code in several languages, which some pages let their readers choose from: elements `code` of different classes.
fn variants<'a>(pre: &NodeRef<'a>) -> Vec<NodeRef<'a>> {
    let codes: Vec<NodeRef<'a>> = pre.children_it(false).filter(|child| child.has_name("code")).collect();
    let classes: HashSet<String> = codes.iter().filter_map(|code| attribute(code, "class")).collect();
    if codes.len() > 1 && classes.len() == codes.len() { codes } else { Vec::new() }
}

fn is_line_table(element: &Element) -> bool {
    matches!(&*element.name.local, "table" | "div") && has_class(element, LINE_TABLES)
        || is(element, "table") && value(element, "data-tab-size").is_some()
}

fn has_code(table: &NodeRef<'_>) -> bool {
    find(table, |element| {
        is(element, "pre")
            || has_class(element, &["blob-code", "react-file-line", "rouge-code", "hljs-ln-code", "code"])
    })
    .is_some()
}

fn replace(page: &Document, old: &NodeRef<'_>, text: &str, language: &str) {
    let pre = page.tree.new_element("pre");
    fill(&pre, text, language);
    old.replace_with(&pre);
}

fn fill(pre: &NodeRef<'_>, text: &str, language: &str) {
    pre.set_text(text);
    if !language.is_empty() {
        pre.set_attr("data-language", language);
    }
}

/// The text of code, with a line for each row, block and line break.
fn lines_of(node: &NodeRef<'_>) -> String {
    let mut out = String::new();
    push_lines(node, &mut out);
    let text = out.trim_end();
    // The first line keeps its indentation.
    text.trim_start_matches(['\n', '\r']).replace("\r\n", "\n").replace('\u{a0}', " ")
}

fn push_lines(node: &NodeRef<'_>, out: &mut String) {
    // White space between the parts of a table is not text.
    let in_table = || node.parent().is_some_and(|parent| matches!(&*name(&parent), "table" | "tbody" | "tr"));
    if with_text(node, |text| {
        if !(text.trim().is_empty() && in_table()) {
            out.push_str(text);
        }
    })
    .is_some()
    {
        return;
    }
    let Some(element) = node.element_ref() else { return };
    if has_class(&element, NUMBERS) && !is(&element, "pre") && !is(&element, "code")
        || matches!(&*element.name.local, "button" | "script" | "style" | "svg")
    {
        return;
    }
    let is_line = match &*element.name.local {
        "br" => return out.push('\n'),
        "div" | "p" | "li" | "tr" => true,
        // Some pages have one element a line, and no line breaks.
        "code" | "span" => {
            !has_break_before(node) && value(&element, "class").is_some() && is_like_sibling(node, &element)
        }
        _ => false,
    };
    if is_line && !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    let start = out.len();
    for child in node.children_it(false) {
        push_lines(&child, out);
    }
    // An empty line is a line too.
    if is_line && (!out[start..].ends_with('\n')) && (node.next_sibling().is_some() || start < out.len()) {
        out.push('\n');
    }
}

/// Whether text with a line break, or anything else, is between a node and the element before it.
fn has_break_before(node: &NodeRef<'_>) -> bool {
    node.prev_sibling().is_some_and(|previous| !previous.is_element())
        || node.next_sibling().is_some_and(|next| !next.is_element())
}

/// Whether a node is one of several lines: elements of the same class `line`, without text between them.
fn is_like_sibling(node: &NodeRef<'_>, element: &Element) -> bool {
    has_class(element, &["line", "code-line", "token-line", "view-line", "cl"])
        && node.next_element_sibling().or_else(|| node.prev_element_sibling()).is_some_and(|other| {
            other.element_ref().is_some_and(|other| {
                other.name.local == element.name.local && value(&other, "class") == value(element, "class")
            })
        })
}

/// The language of code, from the classes of the element, of what is in it, and of what is around it.
fn language(node: &NodeRef<'_>) -> String {
    let inside = find(node, |element| is(element, "code") || is(element, "pre"));
    let around = node.ancestors(Some(4));
    let elements = [Some(*node), inside].into_iter().flatten().chain(around);
    for element in elements {
        let Some(element) = element.element_ref() else { continue };
        for attribute in ["data-language", "data-lang", "data-code-language"] {
            if let Some(language) = value(&element, attribute).and_then(clean_language) {
                return language;
            }
        }
        if let Some(language) = value(&element, "class").and_then(language_of_classes) {
            return language;
        }
    }
    String::new()
}

fn language_of_classes(classes: &str) -> Option<String> {
    let words: Vec<&str> = classes.split_ascii_whitespace().collect();
    for word in &words {
        for prefix in ["language-", "lang-", "highlight-source-", "highlight-text-", "src-", "highlight-"] {
            if let Some(language) = word.strip_prefix(prefix).and_then(clean_language) {
                return Some(language);
            }
        }
    }
    // `brush: js`, `sourceCode python`, `src src-sh`, `hljs rust`, `rust rust-example-rendered`.
    let brush = classes.find("brush:").and_then(|at| classes[at + 6..].split([' ', ';']).find(|word| !word.is_empty()));
    if let Some(language) = brush.and_then(clean_language) {
        return Some(language);
    }
    match words.as_slice() {
        ["sourceCode" | "hljs" | "src" | "code" | "brush", language, ..]
        | [language, "hljs" | "rust-example-rendered" | "item-decl"] => clean_language(language),
        _ => None,
    }
}

/// The name of a language as it is written after a fence.
fn clean_language(name: &str) -> Option<String> {
    const NOT_LANGUAGES: &[&str] = &[
        "none",
        "text",
        "plaintext",
        "plain",
        "default",
        "nohighlight",
        "no-highlight",
        "notranslate",
        "auto",
        "block",
        "wrapper",
        "source",
        "lines",
        "line",
        "table",
        "box",
        "code",
        "undefined",
        "txt",
        "toolbar",
        "content",
        "container",
        "overflow",
        "literal-block",
        "output",
        "basic",
        "html-basic",
    ];
    let name = name.to_ascii_lowercase();
    let name = match &*name {
        "py" | "python3" | "ipython3" | "pycon" | "python-console" | "default3" => "python",
        "shell-session" | "terminal" | "shell" => "sh",
        "html-basic" | "text-html-basic" => "html",
        name => name,
    };
    let is_name = name.len() <= 20
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | b'-' | b'_'));
    (is_name && !name.is_empty() && !NOT_LANGUAGES.contains(&name)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_lines_in_others_is_taken_once() {
        let html = format!("{}<pre>x", "<div class=hljs-ln>".repeat(50));
        let (page, _) = crate::dom::parse(&html, 1000);
        let before = page.tree.len();
        normalize(&page);
        assert_eq!(page.root().text().trim(), "x");
        // An element and its text, which are then brought into their form as any code.
        assert!(page.tree.len() <= before + 4, "{}", page.tree.len() - before);
    }

    #[test]
    fn the_language_is_in_many_kinds_of_classes() {
        let cases = [
            ("language-rust", Some("rust")),
            ("hljs language-js", Some("js")),
            ("hljs python", Some("python")),
            ("highlight highlight-source-c++", Some("c++")),
            ("highlight-python3 notranslate", Some("python")),
            ("highlight-default notranslate", None),
            ("brush: js notranslate", Some("js")),
            ("sourceCode haskell", Some("haskell")),
            ("rust rust-example-rendered", Some("rust")),
            ("src src-sh", Some("sh")),
            ("prettyprint", None),
            ("lang-none", None),
        ];
        for (classes, expected) in cases {
            assert_eq!(language_of_classes(classes).as_deref(), expected, "{classes}");
        }
    }
}
