//! A tool's description that says nothing: it is empty, or there is a turn in which all of its words are under
//! conditions that do not hold.
//!
//! ## Why is this bad
//! The description is what a model goes by when it chooses a tool. Without one it has to guess from the name.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! description = ""
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file of the project, or a window of its lines. Use it before a file is changed."
//! ```

use toolc::segment::Atoms;

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::texts::holds;
use crate::lint::{Check, Lint, Rule};
use crate::text::questions::Template;
use crate::text::template::Piece;

pub(super) const RULE: Rule = Rule::new("M010", "description-missing", Some(Level::Warning), Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for (id, tool) in lint.tools() {
        for text in tool.descriptions() {
            let message = if !says_something(&text.value, None) {
                format!("the description of `{}` is empty", tool.name())
            } else if lint.turns(id).is_some_and(|turns| is_empty_in_one(tool, &text.value, &turns)) {
                format!("the description of `{}` is empty in some turns: all of it is under conditions", tool.name())
            } else {
                continue;
            };
            sink.push(
                Diagnostic::new(Code::DESCRIPTION_MISSING, text.place, message)
                    .help("say what the tool does, when to use it, and what it returns"),
            );
        }
    }
}

fn is_empty_in_one(tool: &Tool, template: &Template, turns: &[Atoms]) -> bool {
    !tool.atoms.is_empty() && turns.iter().any(|&atoms| !says_something(template, Some(atoms)))
}

/// Whether anything but white space comes of a text, in that turn or in any.
fn says_something(template: &Template, turn: Option<Atoms>) -> bool {
    template.iter().any(|piece| match piece {
        Piece::Text(text) => !text.trim().is_empty(),
        Piece::Fact(_) | Piece::Available { .. } => true,
        Piece::Choice { branches, otherwise } => match turn {
            None => branches.iter().any(|(_, inner)| says_something(inner, None)) || says_something(otherwise, None),
            Some(atoms) => {
                let branch = branches.iter().find(|(when, _)| holds(when, atoms)).map(|(_, inner)| inner);
                says_something(branch.unwrap_or(otherwise), turn)
            }
        },
    })
}
