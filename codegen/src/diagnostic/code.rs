//! The code of a finding: which kind of mistake it is.

use std::fmt;

use super::Level;
use super::docs::Docs;

/// A kind of finding: an error of the compiler, or a rule of the linter.
#[derive(Clone, Copy)]
pub struct Code {
    /// The short form: the letter of its category and three digits. Never reused, not even after the code is retired.
    pub id: &'static str,
    /// The name: words with hyphens between them.
    pub name: &'static str,
    /// The default level, or `None` if it is off by default.
    pub level: Option<Level>,
    /// Whether its findings may carry a fix.
    pub fixable: bool,
    is_fixed: bool,
    /// The text of the file that defines it, which begins with its documentation.
    source: &'static str,
}

impl Code {
    /// An error of the compiler: its level cannot be changed.
    pub(crate) const fn error(id: &'static str, name: &'static str) -> Self {
        Self { is_fixed: true, ..Self::rule(id, name, Some(Level::Error)) }
    }

    /// The code of a rule of the linter.
    pub(crate) const fn rule(id: &'static str, name: &'static str, level: Option<Level>) -> Self {
        Self { id, name, level, fixable: false, is_fixed: false, source: "" }
    }

    /// Marks the code of a rule whose findings may carry a fix.
    pub(crate) const fn fixable(self) -> Self {
        Self { fixable: true, ..self }
    }

    /// Adds the text of the file that defines the code.
    pub(crate) const fn with_source(self, source: &'static str) -> Self {
        Self { source, ..self }
    }

    /// Whether it is always an error, because the compiler cannot continue with what it is about.
    pub fn is_fixed(&self) -> bool {
        self.is_fixed
    }

    /// The letter of its category.
    pub fn category(&self) -> &'static str {
        &self.id[..1]
    }

    /// Its documentation.
    pub fn docs(&self) -> Docs {
        Docs::parse(self.source)
    }
}

impl Code {
    /// Returns its documentation as Markdown.
    pub fn markdown(&self) -> String {
        let docs = self.docs();
        let mut text = format!("### {} `{}`\n\n{}\n\n{}\n", self.id, self.name, self.summary(), docs.what);
        for (title, section) in &docs.sections {
            text += &format!("\n**{title}**\n\n{section}\n");
        }
        text
    }

    /// Its default level, and whether it can be fixed.
    fn summary(&self) -> String {
        let level = match self.level {
            _ if self.is_fixed => "Always an error",
            Some(Level::Error) => "An error by default",
            Some(Level::Warning) => "A warning by default",
            None => "Off by default",
        };
        format!("*{level}{}*", if self.fixable { "; `--fix` mends it." } else { "." })
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

/// `C001 syntax`
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.id, self.name)
    }
}
