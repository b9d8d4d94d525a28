//! The code of a finding: which kind of mistake it is.

use std::fmt;

use super::Level;
use super::docs::Docs;

/// A kind of finding: an error of the compiler, or a rule of the linter.
#[derive(Clone, Copy)]
pub struct Code {
    /// The letter of the category and three digits, such as `C001`. Never reused, not even after the code is retired.
    pub id: &'static str,
    /// The name: words with hyphens between them, such as `syntax`.
    pub name: &'static str,
    /// The default level, or `None` if the rule is off by default.
    pub level: Option<Level>,
    /// Whether a finding of this kind can have a fix.
    pub fixable: bool,
    /// Whether the level cannot be changed.
    is_fixed: bool,
    /// The text of the Rust file that defines the code. The file begins with the documentation of the code.
    source: &'static str,
}

impl Code {
    /// Creates the code of an error of the compiler. Its level cannot be changed.
    pub const fn error(id: &'static str, name: &'static str) -> Self {
        Self { is_fixed: true, ..Self::rule(id, name, Some(Level::Error)) }
    }

    /// Creates the code of a rule of the linter. `level` is the default level, or `None` if the rule is off by default.
    pub const fn rule(id: &'static str, name: &'static str, level: Option<Level>) -> Self {
        Self { id, name, level, fixable: false, is_fixed: false, source: "" }
    }

    /// Marks the code of a rule whose findings can have a fix.
    #[must_use]
    pub const fn fixable(self) -> Self {
        Self { fixable: true, ..self }
    }

    /// Adds the text of the file that defines the code.
    #[must_use]
    pub const fn with_source(self, source: &'static str) -> Self {
        Self { source, ..self }
    }

    /// Returns whether the finding is always an error: the compiler cannot use the broken item, so no setting can allow it.
    pub fn is_fixed(&self) -> bool {
        self.is_fixed
    }

    /// Returns the letter of the category.
    pub fn category(&self) -> &'static str {
        &self.id[..1]
    }

    /// Parses the documentation of the code.
    pub fn docs(&self) -> Docs {
        Docs::parse(self.source)
    }

    /// Returns the documentation of the code as Markdown.
    pub fn markdown(&self) -> String {
        let docs = self.docs();
        let mut text = format!("### {} `{}`\n\n{}\n\n{}\n", self.id, self.name, self.summary(), docs.what);
        for (title, section) in &docs.sections {
            text += &format!("\n**{title}**\n\n{section}\n");
        }
        text
    }

    /// Returns a sentence about the default level, and about `--fix` if the code has fixes.
    fn summary(&self) -> String {
        let level = match self.level {
            _ if self.is_fixed => "Always an error",
            Some(Level::Error) => "An error by default",
            Some(Level::Warning) => "A warning by default",
            None => "Off by default",
        };
        format!("*{level}{}*", if self.fixable { "; `--fix` fixes it." } else { "." })
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Code {}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Writes the id and the name: `C001 syntax`.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.id, self.name)
    }
}
