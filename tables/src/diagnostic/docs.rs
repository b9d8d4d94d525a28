//! The documentation of a rule or error, parsed from the `//!` lines at the beginning of the file that defines it:
//!
//! ```text
//! //! What the rule finds, in a sentence or two.
//! //!
//! //! ## Why is this bad
//! //! ...
//! //!
//! //! ## Example
//! //! (files with a finding: code blocks whose first line is `# PATH`)
//! //!
//! //! ## Use instead
//! //! (the same files without the finding)
//! ```
//!
//! Tests compile the examples. Keys and files that an example omits come from the base project of the tests.

/// The documentation of a rule or error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Docs {
    /// What the rule finds.
    pub what: String,
    /// The title and the Markdown of each section, in order.
    pub sections: Vec<(String, String)>,
}

impl Docs {
    /// The titles of the sections that every documentation has, in order.
    pub const SECTIONS: [&str; 3] = ["Why is this bad", "Example", "Use instead"];

    pub(super) fn parse(source: &str) -> Self {
        let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
        let text: String = lines.flat_map(|line| [line.strip_prefix(' ').unwrap_or(line), "\n"]).collect();
        let mut parts = text.split("\n## ");
        let what = parts.next().unwrap_or_default().trim().to_owned();
        let section = |part: &str| {
            let (title, text) = part.split_once('\n').unwrap_or((part, ""));
            (title.trim().to_owned(), text.trim().to_owned())
        };
        Self { what, sections: parts.map(section).collect() }
    }

    /// Returns the Markdown of the section with this title; empty if it does not exist.
    pub fn section(&self, title: &str) -> &str {
        self.sections.iter().find(|(other, _)| other == title).map_or("", |(_, text)| text)
    }

    /// Returns the path and text of each file in the code blocks of a section.
    pub fn files(&self, title: &str) -> Vec<(String, String)> {
        let blocks = self.section(title).split("```").skip(1).step_by(2);
        let file = |block: &str| {
            let (_language, file) = block.split_once('\n')?;
            let (path, text) = file.split_once('\n')?;
            Some((path.strip_prefix("# ")?.to_owned(), text.to_owned()))
        };
        blocks.filter_map(file).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_is_parsed_from_the_first_lines_of_a_file() {
        let docs = Docs::parse(concat!(
            "//! It finds.\n//!\n//! ## Why is this bad\n//! It is.\n//!\n//! ## Example\n//! For example:\n//!\n",
            "//! ```toml\n//! # toolc.toml\n//! a = 1\n//!\n//! [b]\n//! ```\n\nuse x;\n//! not this\n",
        ));
        assert_eq!((docs.what.as_str(), docs.section("Why is this bad")), ("It finds.", "It is."));
        assert_eq!(docs.files("Example"), [("toolc.toml".to_owned(), "a = 1\n\n[b]\n".to_owned())]);
        assert!(docs.files("Use instead").is_empty() && docs.section("Use instead").is_empty());
    }
}
