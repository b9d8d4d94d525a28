//! Parses TOML to a tree with places, and reports syntax errors.
//!
//! The crate `toml` decides whether a file is valid. If it is not, a second parser, [`scan`], says why in terms of what the author
//! probably meant: the messages of `toml` are about its grammar.

mod characters;
mod definitions;
mod foreign;
mod keys;
mod problem;
mod scalar;
mod scan;
mod scanner;
mod string;
mod value;

use toml::Spanned;
use toml::de::DeTable;

use crate::codes;
use crate::diagnostic::{Diagnostic, Place, Sink, SourceId};

use problem::{Details, Problem};

/// Returns the tree of a file, or `None` if it has syntax errors, which are reported.
pub fn parse<'s>(id: SourceId, text: &'s str, sink: &Sink) -> Option<Spanned<DeTable<'s>>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Some(document);
    }
    for problem in explain(text, &errors) {
        let Details { span, message, label, related, help, .. } = problem.details();
        let found =
            Diagnostic::new(codes::SYNTAX, Place::new(id, span), format!("invalid TOML: {message}")).label(label);
        let found = related.into_iter().fold(found, |found, (span, label)| found.related(Place::new(id, span), label));
        let found = help.into_iter().fold(found, Diagnostic::help);
        sink.push(found.help("fix this first: the rest of the file is not checked"));
    }
    None
}

/// Returns what is wrong with a text that has these errors.
fn explain(text: &str, errors: &[toml::de::Error]) -> Vec<Problem> {
    if let Some(problem) = foreign::whole_file(text) {
        return vec![problem];
    }
    let problems = scan::problems(text);
    if !problems.is_empty() {
        return problems;
    }
    let first = errors.iter().filter_map(toml::de::Error::span).min_by_key(|span| span.start).unwrap_or(0..0);
    vec![Problem::unexpected(text, first)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second parser finds an error exactly if the first one does.
    #[test]
    fn both_parsers_agree_about_valid_files() {
        let words = [
            "a",
            "\"a b\"",
            "'c'",
            "a.b",
            ".",
            "=",
            "=",
            "=",
            "1",
            "-1",
            "+0.5e3",
            "0x1F",
            "007",
            "true",
            "True",
            "nan",
            "-inf",
            "1979-05-27",
            "1979-05-27 07:32:00Z",
            "07:32",
            "[",
            "]",
            "[",
            "]",
            "[[",
            "]]",
            "{",
            "}",
            ",",
            "\n",
            "\n",
            "\n",
            "\n",
            " ",
            "\t",
            "# c\n",
            "\"\"\"x\ny\"\"\"",
            "'''z'''",
            "\"\\n\\u00e9\"",
            "\"\\d\"",
            "\"",
            "'",
            "\"\"\"",
            "é",
            "\u{feff}",
            "\r",
            "\u{7}",
            "\\",
            "a = 1\n",
            "b = \"x\"\n",
            "[t]\n",
            "[[l]]\n",
            "c = [1,\n 2]\n",
            "d = { x = 1, y.z = 2 }\n",
            "[t.u]\n",
            "\"\"\"\"a\"\"\"\"\"",
            "\"a\\\n b\"",
            "\"\"\"a \\\n  b\"\"\"",
            "1_000",
            "1__0",
            "0b2",
            "e = { x = 1,\n }\n",
        ];
        let mut seed = 1_u64;
        let mut below = |bound: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).unwrap() % bound
        };
        let mut counts = [0, 0];
        let mut disagreements = std::collections::BTreeMap::new();
        for _ in 0..100_000 {
            let text: String = (0..=below(9)).flat_map(|_| [words[below(words.len())], [" ", ""][below(2)]]).collect();
            let text = text.replace("\r\n", "\n");
            let (_, errors) = DeTable::parse_recoverable(&text);
            let problems = scan::problems(&text);
            if errors.is_empty() != problems.is_empty() {
                disagreements.insert(
                    text.clone(),
                    format!("{:?} {:?}", errors.first().map(toml::de::Error::message), problems.first()),
                );
            }
            counts[usize::from(errors.is_empty())] += 1;
            for problem in explain(&text, &errors).iter().filter(|_| !errors.is_empty()) {
                let Details { span, message, .. } = &**problem;
                assert!(text.get(span.clone()).is_some() && !message.is_empty(), "{text:?} {span:?} {message}");
            }
        }
        assert!(disagreements.is_empty(), "{} {disagreements:#?}", disagreements.len());
        assert!(counts.iter().all(|count| *count > 2_000), "{counts:?}");
    }
}
