//! A tool description that is empty, or that is empty in some turns because all of its text is conditional.
//!
//! ## Why is this bad
//! A model chooses a tool by its description. Without one, it guesses from the name.
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
//! description = "Read a text file of the project, or a window of its lines. Use it before changing a file."
//! ```

use toolc_lower::text::atoms::Template;
use toolc_lower::text::template::Piece;
use toolc::__gen::segment::Atoms;

use crate::lint::codes;
use crate::catalog::ToolId;
use crate::diagnostic::{At, Diagnostic, Level, Sink};
use crate::lint::template_parts::holds;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M010", "description-missing", Some(Level::Warning), Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for (id, tool) in lint.tools() {
        // A missing key has been reported, and the description has the place of the name.
        let is_written = |text: &&At<Template>| text.place != tool.manifest.name.place;
        for text in tool.descriptions().filter(is_written) {
            let message = if !has_text(&text.value, None) {
                format!("the description of `{}` is empty", tool.name())
            } else if is_empty_in_some_turn(lint, id, &text.value) {
                format!("the description of `{}` is empty in some turns, because all of it is conditional", tool.name())
            } else {
                continue;
            };
            sink.push(
                Diagnostic::new(codes::DESCRIPTION_MISSING, text.place, message)
                    .help("describe what the tool does, when to use it, and what it returns"),
            );
        }
    }
}

/// Returns whether the text is empty in a turn that shows the tool.
fn is_empty_in_some_turn(lint: &Lint<'_>, id: ToolId, template: &Template) -> bool {
    let is_unconditional_text = |piece: &Piece<_, _>| matches!(piece, Piece::Text(text) if !text.trim().is_empty());
    let turns = || lint.turns(id).unwrap_or_default();
    !template.iter().any(is_unconditional_text) && turns().iter().any(|&atoms| !has_text(template, Some(atoms)))
}

/// Returns whether a text renders to more than white space, in the given turn or in any turn.
fn has_text(template: &Template, turn: Option<Atoms>) -> bool {
    template.iter().any(|piece| match piece {
        Piece::Text(text) => !text.trim().is_empty(),
        Piece::Fact(_) | Piece::Available { .. } => true,
        Piece::Choice { branches, otherwise } => match turn {
            None => branches.iter().any(|(_, inner)| has_text(inner, None)) || has_text(otherwise, None),
            Some(atoms) => {
                let branch = branches.iter().find(|(when, _)| holds(when, atoms)).map(|(_, inner)| inner);
                has_text(branch.unwrap_or(otherwise), turn)
            }
        },
    })
}
