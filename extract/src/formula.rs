//! Brings formulas into one form: `code` with the TeX of the formula, and `data-formula` with `inline` or `block`.

use dom_query::{Document, Element, NodeRef};

use crate::dom::{find, find_all, has_class, is, squeeze, value};

/// Classes of elements that contain one formula, in one or several forms.
const WRAPPERS: &[&str] = &["katex-display", "katex", "mwe-math-element", "MathJax_Display", "MathJax", "mjx-chtml"];

/// Replaces formulas by their TeX, or their text if a page has no TeX.
pub(crate) fn normalize(page: &Document) {
    let root = page.root();
    for element in find_all(&root, |element| {
        has_class(element, WRAPPERS) || is(element, "math") || is(element, "mjx-container") || is_script(element)
    }) {
        // It may have been replaced along with what was around it.
        if element.parent().is_none() || !element.ancestors_it(None).any(|ancestor| ancestor.has_name("html")) {
            continue;
        }
        let Some((tex, is_block)) = formula(&element) else { continue };
        let code = page.tree.new_element("code");
        code.set_text(tex.as_str());
        code.set_attr("data-formula", if is_block { "block" } else { "inline" });
        element.replace_with(&code);
    }
    // What MathJax shows until it has read the scripts.
    for preview in find_all(&root, |element| has_class(element, &["MathJax_Preview", "MJX_Assistive_MathML"])) {
        preview.remove_from_parent();
    }
}

fn is_script(element: &Element) -> bool {
    is(element, "script") && value(element, "type").is_some_and(|kind| kind.starts_with("math/tex"))
}

/// The TeX of an element, and whether it stands on its own line.
fn formula(node: &NodeRef<'_>) -> Option<(String, bool)> {
    let element = node.element_ref()?;
    if is_script(&element) {
        let is_block = value(&element, "type").is_some_and(|kind| kind.contains("mode=display"));
        return Some((squeeze(&node.text()), is_block)).filter(|(tex, _)| !tex.is_empty());
    }
    let math = if is(&element, "math") { Some(*node) } else { find(node, |element| is(element, "math")) };
    let is_block = has_class(&element, &["katex-display", "MathJax_Display"])
        || value(&element, "display") == Some("true")
        || math.is_some_and(|math| math.attr("display").is_some_and(|display| &*display == "block"));
    let annotation = find(node, |element| {
        is(element, "annotation") && value(element, "encoding").is_some_and(|encoding| encoding.contains("tex"))
    });
    let tex = annotation.map(|annotation| annotation.text().to_string());
    let tex = tex.or_else(|| Some(math?.attr("alttext")?.to_string()));
    let tex = tex.or_else(|| Some(find(node, |element| is(element, "img"))?.attr("alt")?.to_string()));
    let tex = squeeze(&tex.or_else(|| Some(math?.text().to_string()))?);
    // Wikipedia wraps each formula in a style.
    let tex = tex.strip_prefix("{\\displaystyle ").and_then(|tex| tex.strip_suffix('}')).unwrap_or(&tex).trim();
    (!tex.is_empty()).then(|| (tex.to_owned(), is_block))
}
