//! A rule's documentation, as its file begins with it: the `//!` lines, in a fixed shape.
//!
//! ```text
//! //! What it finds, in a sentence or two.
//! //!
//! //! ## Why is this bad
//! //! ...
//! //!
//! //! ## Example
//! //! (a project in which it finds something: code blocks, each below `# PATH`)
//! //!
//! //! ## Use instead
//! //! (the same, mended)
//! ```
//!
//! What the examples do not say is as in the tests' base project.

/// A rule's documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Docs {
    /// What it finds.
    pub what: String,
    /// Every section below that, in order: its title and its Markdown.
    pub sections: Vec<(String, String)>,
}

impl Docs {
    /// The sections that every rule has, in their order.
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

    /// The section with that title; empty if it does not exist.
    pub fn section(&self, title: &str) -> &str {
        self.sections.iter().find(|(of, _)| of == title).map_or("", |(_, text)| text)
    }

    /// The files of a section's code blocks: path and text.
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
    fn documentation_is_what_a_file_begins_with() {
        let docs = Docs::parse(concat!(
            "//! It finds.\n//!\n//! ## Why is this bad\n//! It is.\n//!\n//! ## Example\n//! Such a one:\n//!\n",
            "//! ```toml\n//! # toolc.toml\n//! a = 1\n//!\n//! [b]\n//! ```\n\nuse x;\n//! not this\n",
        ));
        assert_eq!((docs.what.as_str(), docs.section("Why is this bad")), ("It finds.", "It is."));
        assert_eq!(docs.files("Example"), [("toolc.toml".to_owned(), "a = 1\n\n[b]\n".to_owned())]);
        assert!(docs.files("Use instead").is_empty() && docs.section("Use instead").is_empty());
    }
}
