//! A comparison of a fact with a text that it never is. `values` of the fact does not have the text; or, if the fact has no `values`, the
//! text differs from its default, or from a text in other conditions, only in the case of letters, in spaces or in separators.
//!
//! ## Why is this bad
//! With `==`, the comparison never holds, and with `!=`, it always holds. What depends on it is always hidden, or always shown.
//!
//! ## Example
//! ```toml
//! # manifests/facts.toml
//! [facts.platform]
//! default = "cli"
//! description = "Where the conversation takes place."
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.thread]
//! type = "string"
//! description = "The thread to whose files the path leads."
//! when = "facts.platform != 'CLI'"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/facts.toml
//! [facts.platform]
//! default = "cli"
//! description = "Where the conversation takes place."
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.thread]
//! type = "string"
//! description = "The thread to whose files the path leads."
//! when = "facts.platform != 'cli'"
//! ```

use std::collections::BTreeMap;

use toolc::FactValue;
use toolc_lower::text::condition::AtomExpr;

use crate::lint::codes;
use crate::diagnostic::{Diagnostic, Level, Place, Sink, ticked};
use crate::lint::{Check, Lint, Rule};
use crate::manifest::FactManifest;

pub(super) const RULE: Rule = Rule::new("C071", "unknown-fact-value", Some(Level::Warning), Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    let of_tools = lint.tools().flat_map(|(_, tool)| &tool.manifest.atom_table.atoms);
    let of_toolsets = lint.toolsets().flat_map(|(_, toolset)| &toolset.manifest.atom_table.atoms);
    // The texts with which each fact is compared, and where.
    let mut compared: BTreeMap<&str, BTreeMap<&str, Vec<Place>>> = BTreeMap::new();
    for atom in of_tools.chain(of_toolsets) {
        if let AtomExpr::Fact(name, Some((_, FactValue::Text(text)))) = &atom.value {
            compared.entry(name).or_default().entry(text).or_default().push(atom.place);
        }
    }
    for fact in lint.facts() {
        let Some(texts) = compared.get(fact.name.value.as_str()) else { continue };
        let FactValue::Text(default) = &fact.default else { continue };
        for (text, places) in texts.iter().filter(|(text, _)| **text != &**default) {
            let Some((why, other, help)) = fault(fact, default, text, places.len(), texts) else { continue };
            for place in places {
                let message = format!("the fact `{}` is never `{text}`: {why}", fact.name.value);
                let found = Diagnostic::new(codes::UNKNOWN_FACT_VALUE, *place, message);
                sink.push(found.related(other, "the fact").help(help.clone()));
            }
        }
    }
}

/// Returns why a fact never is a text, the place of the fact, and what to do.
fn fault(
    fact: &FactManifest,
    default: &str,
    text: &str,
    uses: usize,
    texts: &BTreeMap<&str, Vec<Place>>,
) -> Option<(String, Place, String)> {
    let place = fact.name.place;
    let is_alike = |other: &str| other != text && folded(other) == folded(text);
    if let Some(first) = fact.values.first() {
        let values: Vec<&str> = fact.values.iter().map(|value| value.value.as_str()).collect();
        if values.contains(&text) {
            return None;
        }
        let nearest = toolc::suggest::nearest(text, values.iter().copied());
        let alike = values.iter().copied().find(|value| is_alike(value)).or(nearest.first().copied());
        let help = alike.map_or_else(|| format!("add it to `values`, or compare with {}", ticked(&values, ", ")), |value| format!("write `{value}`"));
        return Some(("its `values` do not have it".to_owned(), first.place, help));
    }
    if is_alike(default) {
        return Some((format!("its default is `{default}`"), place, format!("write `{default}`")));
    }
    // The spelling that fewer conditions have is the mistake.
    let more = |(other, places): &(&&str, &Vec<Place>)| is_alike(other) && (places.len(), *other) > (uses, &text);
    let (other, _) = texts.iter().find(more)?;
    Some((format!("other conditions compare it with `{other}`"), place, format!("write `{other}`, or declare `values` of the fact")))
}

/// Returns the letters and digits of a text, without case.
fn folded(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use crate::lint::codes;
    use crate::{Options, Sources};

    /// Returns the names of the rules about conditions that a project with this `when` breaks. The fact `mode` has declared values,
    /// and `platform` has not.
    fn broken(when: &str) -> Vec<&'static str> {
        let facts = "[facts.platform]\ndefault = 'cli'\ndescription = 'Where.'\n[facts.mode]\ndefault = 'a'\nvalues = ['a', 'b', 'c_d']\ndescription = 'How.'\n[facts.depth]\ndefault = 1\ndescription = 'How deep.'\n[facts.vision]\ndefault = false\ndescription = 'Whether.'\n";
        let tool = format!("name = 'x'\ntoolset = 't'\ndescription = 'Reads.'\n[params.p]\ntype = 'string'\nwhen = \"{when}\"\n");
        let sources = Sources::from_memory([
            ("manifests/facts.toml".to_owned(), facts.to_owned()),
            ("manifests/tools/x.toml".to_owned(), tool),
            ("manifests/tools/y.toml".to_owned(), "name = 'y'\ntoolset = 't'\ndescription = 'Reads.'\n".to_owned()),
            ("manifests/toolsets/t.toml".to_owned(), "name = 't'\ndescription = 'Things.'\n".to_owned()),
        ]);
        let only = vec![codes::UNKNOWN_FACT_VALUE, codes::CONDITION_NEVER_TRUE, codes::CONDITION_ALWAYS_TRUE];
        let found = crate::compile_with(&sources, &Options { only, ..Options::default() }).diagnostics;
        found.iter().map(|found| found.code.name).collect()
    }

    #[test]
    fn conditions_that_the_values_of_facts_decide_are_found() {
        const VALUE: &str = "unknown-fact-value";
        const NEVER: &str = "condition-never-true";
        const ALWAYS: &str = "condition-always-true";
        for (when, expected) in [
            ("facts.platform != 'CLI'", &[VALUE][..]),
            ("facts.platform == 'Cli'", &[VALUE]),
            ("facts.platform == ' cli'", &[VALUE]),
            ("facts.platform == 'c-l-i' or tools.y", &[VALUE]),
            ("not facts.platform == 'CLI'", &[VALUE]),
            ("facts.platform == 'Mail' or facts.platform == 'mail'", &[VALUE]),
            ("facts.platform != 'in_app' and facts.platform != 'in-app'", &[VALUE]),
            ("facts.mode == 'x'", &[NEVER, VALUE]),
            ("facts.mode != 'x'", &[ALWAYS, VALUE]),
            ("facts.mode == 'A'", &[NEVER, VALUE]),
            ("facts.mode == 'c-d' or facts.vision", &[VALUE]),
            ("facts.mode == 'a' and tools.y and facts.mode != 'X'", &[VALUE]),
            ("facts.mode == 'a' or facts.mode == 'b' or facts.mode == 'c_d'", &[ALWAYS]),
            ("facts.mode != 'a' and facts.mode != 'b' and facts.mode != 'c_d'", &[NEVER]),
            ("facts.platform == 'x' and facts.platform == 'y'", &[NEVER]),
            ("facts.platform != 'x' or facts.platform != 'y'", &[ALWAYS]),
            ("tools.y or (facts.platform == 'x' and facts.platform == 'y')", &[NEVER]),
            ("tools.y and (facts.platform != 'x' or facts.platform != 'y')", &[ALWAYS]),
            ("tools.y and not (facts.depth > 3 and facts.depth < 2)", &[ALWAYS]),
            ("tools.y or (facts.vision and not facts.vision)", &[NEVER]),
            ("tools.y and (facts.depth > 3 or facts.depth < 5)", &[ALWAYS]),
            ("facts.depth > 3 and facts.depth < 4", &[NEVER]),
            ("tools.y and (facts.mode == 'a' or facts.mode != 'a')", &[ALWAYS]),
        ] {
            let mut found = broken(when);
            found.sort_unstable();
            assert_eq!(found, expected, "{when}");
        }
    }

    #[test]
    fn conditions_that_depend_on_the_values_of_facts_are_not_found() {
        for when in [
            "facts.platform != 'cli'",
            "facts.platform == 'mail'",
            "facts.platform == 'mail' or facts.platform == 'chat'",
            "facts.platform == 'mail' or facts.platform == 'email'",
            "facts.platform != 'mail' and facts.platform != 'chat'",
            "facts.platform == 'clic'",
            "facts.mode == 'a'",
            "facts.mode == 'c_d' or facts.vision",
            "facts.mode == 'a' or facts.mode == 'b'",
            "facts.mode != 'a' and facts.mode != 'b'",
            "facts.mode != 'a' or tools.y",
            "facts.depth > 3",
            "facts.depth > 3 and facts.depth < 5",
            "facts.depth == 3 or facts.depth == 4",
            "facts.vision",
            "not facts.vision",
            "facts.vision and facts.mode == 'b'",
            "tools.y and (facts.vision or facts.depth < 2)",
            "tools.y or (facts.platform == 'x' and facts.vision)",
            "not (facts.mode == 'a' and tools.y)",
        ] {
            assert_eq!(broken(when), [""; 0], "{when}");
        }
    }

    #[test]
    fn the_default_of_a_fact_is_one_of_its_values() {
        let found = |fact: &str| {
            let text = format!("[facts.x]\ndescription = 'x'\n{fact}\n");
            let sources = Sources::from_memory([("manifests/facts.toml".to_owned(), text)]);
            crate::compile(&sources).diagnostics.iter().map(|found| found.code.name).filter(|name| *name != "unused-fact").collect::<Vec<_>>()
        };
        assert_eq!(found("default = 'a'\nvalues = ['a', 'b']"), [""; 0]);
        assert_eq!(found("default = 'a'\nvalues = []"), ["invalid-value"]);
        assert_eq!(found("default = 'a'\nvalues = ['b']"), ["invalid-value"]);
        assert_eq!(found("default = 1\nvalues = ['1']"), ["incompatible-keys"]);
        assert_eq!(found("default = 'a'\nvalues = 'a'"), ["wrong-type"]);
    }
}
