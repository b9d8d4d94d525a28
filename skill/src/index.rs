//! What a model sees of a library: categories, lists, and an index for its prompt.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::library::{Broken, Library, Skill};

/// The bytes that are counted as one token.
const BYTES_A_TOKEN: usize = 4;
/// The shortest descriptions, in characters. If they do not fit, only names are listed.
const SHORTEST: usize = 24;
/// The most characters of the reason why a skill is broken.
const MAX_REASON: usize = 120;
/// The category of skills directly below a root.
pub(crate) const NO_CATEGORY: &str = "general";

/// The skills of a library that are of use.
#[derive(Debug)]
pub struct View<'a> {
    library: &'a Library,
    /// The visible skills, by category and name.
    pub shown: Vec<&'a Skill>,
    /// The hidden skills with the reasons, in the same order.
    pub hidden: Vec<(&'a Skill, String)>,
}

/// A category of skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Category {
    /// Its name: the folders between the root and the skills, or `general` for skills directly below a root.
    pub name: String,
    /// The number of its visible skills.
    pub count: usize,
    /// The text of its DESCRIPTION.md.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A list of skills for a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// The text. It has at most 4 bytes for each token of the budget.
    pub text: String,
    /// The number of visible skills whose names the text does not contain.
    pub left_out: usize,
}

impl Library {
    /// Returns the skills that are of use. `hide` returns why a skill is hidden, or `None` if it is shown;
    /// [`unmet`](crate::Conditions::unmet) decides by the conditions of the skill.
    pub fn view(&self, hide: impl Fn(&Skill) -> Option<String>) -> View<'_> {
        let mut view = View { library: self, shown: Vec::new(), hidden: Vec::new() };
        for skill in &self.skills {
            match hide(skill) {
                Some(reason) => view.hidden.push((skill, reason)),
                None => view.shown.push(skill),
            }
        }
        view
    }
}

fn category(skill: &Skill) -> &str {
    skill.category.as_deref().unwrap_or(NO_CATEGORY)
}

impl<'a> View<'a> {
    /// Returns the categories with visible skills, by name.
    pub fn categories(&self) -> Vec<Category> {
        let by_category = self.by_category().into_iter();
        by_category
            .map(|(name, skills)| Category {
                name: name.to_owned(),
                count: skills.len(),
                description: self.library.descriptions.get(name).cloned(),
            })
            .collect()
    }

    /// Returns the visible skills of a category, by name.
    pub fn list(&self, name: &str) -> Vec<&'a Skill> {
        self.shown.iter().copied().filter(|skill| category(skill) == name).collect()
    }

    fn by_category(&self) -> BTreeMap<&'a str, Vec<&'a Skill>> {
        let mut by_category: BTreeMap<&str, Vec<&Skill>> = BTreeMap::new();
        for skill in &self.shown {
            by_category.entry(category(skill)).or_default().push(skill);
        }
        for skills in by_category.values_mut() {
            skills.sort_by(|a, b| a.name().cmp(b.name()));
        }
        by_category
    }

    /// Returns a list of all visible and all broken skills for a prompt, within a budget of tokens of 4 bytes.
    ///
    /// If it is too long, descriptions are shortened first, all to the same length; then only names are listed, then only the numbers of
    /// skills in each category, and at last only the number of all skills. The same library gives the same text.
    pub fn index(&self, tokens: usize) -> Index {
        let most = tokens.saturating_mul(BYTES_A_TOKEN);
        let fits = |text: &String| text.len() <= most;
        let longest = self
            .shown
            .iter()
            .map(|skill| skill.card.front_matter.description.chars().count())
            .max()
            .unwrap_or_default();
        let whole = self.described(usize::MAX);
        if fits(&whole) {
            return Index { text: whole, left_out: 0 };
        }
        if fits(&self.described(SHORTEST)) {
            // The largest length that fits, by bisection.
            let (mut low, mut high) = (SHORTEST, longest.max(SHORTEST));
            while low + 1 < high {
                let middle = low.midpoint(high);
                if fits(&self.described(middle)) { low = middle } else { high = middle }
            }
            return Index { text: self.described(low), left_out: 0 };
        }
        let named = self.named();
        if fits(&named) {
            return Index { text: named, left_out: 0 };
        }
        let (count, broken) = (self.shown.len(), self.library.broken.len());
        let total = match broken {
            0 => format!("{count} skills, not listed here\n"),
            _ => format!("{count} skills, not listed here; {broken} are broken\n"),
        };
        let counted = self
            .by_category()
            .iter()
            .fold(String::new(), |text, (name, skills)| text + &format!("{name}: {}\n", skills.len()))
            + &total;
        let texts = [counted, total, String::new()];
        Index { text: texts.into_iter().find(fits).unwrap_or_default(), left_out: count }
    }

    /// Lists names and descriptions of at most `most` characters.
    fn described(&self, most: usize) -> String {
        let mut text = String::new();
        for (name, skills) in self.by_category() {
            text.push_str(name);
            if let Some(description) = self.library.descriptions.get(name) {
                text.push_str(&format!(": {}", shortened(description, most)));
            }
            text.push('\n');
            for skill in skills {
                text.push_str(&format!(
                    "- {}: {}\n",
                    skill.name(),
                    shortened(&skill.card.front_matter.description, most)
                ));
            }
        }
        text + &self.broken_lines()
    }

    /// Lists names only.
    fn named(&self) -> String {
        let mut text = String::new();
        for (name, skills) in self.by_category() {
            let names: Vec<&str> = skills.iter().map(|skill| skill.name()).collect();
            text.push_str(&format!("{name}: {}\n", names.join(", ")));
        }
        text + &self.broken_lines()
    }

    fn broken_lines(&self) -> String {
        let line = |broken: &Broken| {
            let name = broken.folder.file_name().unwrap_or(broken.folder.as_os_str()).to_string_lossy();
            let reason = broken.notes.first().map_or("", |note| note.message.as_str());
            format!("! {} cannot be read: {}\n", shortened(&name, MAX_REASON), shortened(reason, MAX_REASON))
        };
        self.library.broken.iter().map(line).collect()
    }
}

/// Returns a text on one line with at most `most` characters, cut between words if possible.
fn shortened(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((end, _)) = text.char_indices().nth(most) else { return text };
    let cut = text.char_indices().nth(most.saturating_sub(1)).map_or(end, |(at, _)| at);
    let words = text[..cut].rfind(' ').filter(|at| at * 2 > cut).unwrap_or(cut);
    format!("{}…", text[..words].trim_end_matches([' ', ',', ';', ':']))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::library::tests::{root, write};
    use crate::library::{Cache, RootKind};

    fn library() -> (tempfile::TempDir, Library) {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path();
        write(path, "git", "Works with git: commits, branches and tags. Use it for every change of a repository.");
        write(path, "web/fetch", "Fetches pages.");
        write(path, "web/search", "Searches the web with several engines and compares the results of all of them.");
        fs::write(path.join("web/DESCRIPTION.md"), "About the web.\n").unwrap();
        fs::create_dir(path.join("bad")).unwrap();
        fs::write(path.join("bad/SKILL.md"), "# Bad\n").unwrap();
        let library = Library::read(&[root(path, RootKind::Home)], &mut Cache::default());
        (temporary, library)
    }

    #[test]
    fn an_index_is_shortened_step_by_step_to_its_budget() {
        let (_temporary, library) = library();
        let view = library.view(|_| None);
        let whole = view.index(1_000);
        let first = "general\n- git: Works with git: commits, branches and tags. Use it for every change of a repository.\nweb: About the web.\n- fetch: Fetches pages.\n";
        assert!(whole.text.starts_with(first), "{}", whole.text);
        assert!(whole.text.ends_with("\n! bad cannot be read: expected a line `---` at the beginning of the file, then the keys `name` and `description`, then a line `---`\n"), "{}", whole.text);
        for tokens in 0..120 {
            let index = view.index(tokens);
            assert!(index.text.len() <= tokens * 4, "{tokens}: {}", index.text);
            assert_eq!(index, view.index(tokens), "deterministic");
            let is_listed = ["git", "fetch", "search", "bad"].iter().all(|name| index.text.contains(name));
            assert_eq!(is_listed, index.left_out == 0, "{tokens}: {}", index.text);
        }
        let short = view.index(85).text;
        assert!(
            short.contains("- git: Works with git:")
                && short.contains('…')
                && short.contains("- fetch: Fetches pages."),
            "{short}"
        );
        assert!(view.index(55).text.starts_with("general: git\nweb: fetch, search\n! bad"), "{}", view.index(55).text);
        assert_eq!(
            view.index(20),
            Index { text: "general: 1\nweb: 2\n3 skills, not listed here; 1 are broken\n".into(), left_out: 3 }
        );
        assert_eq!(view.index(11).text, "3 skills, not listed here; 1 are broken\n");
        assert_eq!(view.index(1).text, "");
    }

    #[test]
    fn hidden_skills_keep_their_reason() {
        let (_temporary, library) = library();
        let view = library.view(|skill| (skill.name() == "fetch").then(|| "no network".to_owned()));
        assert_eq!(
            view.hidden.iter().map(|(skill, reason)| (skill.name(), reason.as_str())).collect::<Vec<_>>(),
            [("fetch", "no network")]
        );
        let categories: Vec<_> = view
            .categories()
            .into_iter()
            .map(|category| (category.name, category.count, category.description))
            .collect();
        assert_eq!(
            categories,
            [("general".to_owned(), 1, None), ("web".to_owned(), 1, Some("About the web.".to_owned()))]
        );
        assert_eq!(view.list("web").iter().map(|skill| skill.name()).collect::<Vec<_>>(), ["search"]);
        assert_eq!(view.list("none").len(), 0);
    }
}
