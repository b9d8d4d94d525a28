//! Searches for files: `find -path PATTERN`, `fd PATTERN`, `locate PATTERN`, and filters of their output. What a search can find is
//! known only by its pattern.

use crate::judge::folders::Roots;
use crate::judge::line::Line;
use crate::reading::Command;
use crate::rules::{PlacePattern, Root, RuleSet, is_plain_name, pattern};
use crate::span::Span;
use crate::syntax::{Part, Word};

/// The maximum length of a pattern. A longer one is not compared.
const MAX_PATTERN: usize = 256;
/// The minimum number of letters of a pattern that is compared with the paths of places.
const MIN_LETTERS: usize = 2;

/// Programs that search for files by their names.
const SEARCHES: &[&str] = &["fd", "fdfind", "find", "gfind"];
/// Programs that search for files in a database of the whole machine.
const DATABASES: &[&str] = &["locate", "mdfind", "mlocate", "plocate"];
/// Programs that pass some lines of their input on, or parts of them.
const FILTERS: &[&str] =
    &["awk", "cat", "cut", "egrep", "fgrep", "grep", "head", "rg", "sed", "sort", "tail", "tee", "tr", "uniq", "xargs"];
/// Filters whose first operand is a regular expression for the lines that are passed on.
const REGEX_FILTERS: &[&str] = &["egrep", "fgrep", "grep", "rg"];

/// A pattern for the files that a search finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Search {
    /// The pattern, in lower case. A `*` also stands for text with `/`.
    glob: String,
    /// Whether it is about the whole path, not about the name.
    is_of_path: bool,
    pub(super) span: Span,
}

/// Returns what these commands search for outside the working directory.
pub(super) fn searches(listers: &[&Command]) -> Vec<Search> {
    let mut found = Vec::new();
    let mut is_wide = false;
    for command in listers {
        let Some(name) = command.program.name() else { continue };
        let is_database = DATABASES.contains(&name);
        let lists_files = SEARCHES.contains(&name) || matches!(name, "du" | "ls" | "rg" | "tree");
        let searches_elsewhere = is_database || lists_files && command.arguments().iter().any(is_elsewhere_word);
        is_wide |= is_database || searches_elsewhere && is_wide_search(command.arguments());
        if searches_elsewhere && (is_database || SEARCHES.contains(&name) || name == "rg") {
            add_searches(name, command.arguments(), &mut found);
        }
    }
    for command in listers.iter().filter(|_| is_wide) {
        let is_filter = command.program.name().is_some_and(|name| REGEX_FILTERS.contains(&name));
        let excludes = |word: &Word| word.literal().is_some_and(|text| matches!(&*text, "-v" | "--invert-match"));
        if is_filter && !command.arguments().iter().any(excludes) {
            for word in command.arguments() {
                add_regex(word, true, &mut found);
            }
        }
    }
    found
}

/// Returns whether a program passes some of its input on.
pub(super) fn is_filter(command: &Command) -> bool {
    command.program.name().is_some_and(|name| FILTERS.contains(&name))
}

fn is_elsewhere_word(word: &Word) -> bool {
    match word.parts.first() {
        Some(Part::Tilde { .. }) => true,
        Some(Part::Literal { text, .. }) => text.starts_with('/') || text.starts_with(".."),
        Some(Part::Variable { name, .. }) => name == "HOME",
        _ => false,
    }
}

/// Returns whether a search finds everything in a whole home folder or machine, or in a hidden folder.
fn is_wide_search(words: &[Word]) -> bool {
    let names = |word: &Word| {
        word.literal().is_some_and(|word| {
            matches!(&*word, "-name" | "-iname" | "-path" | "-ipath" | "-regex" | "-iregex" | "-wholename" | "-g")
        })
    };
    let is_wide = |word: &Word| {
        let below = word.certain_end();
        let count = below.split('/').filter(|name| !name.is_empty()).count();
        is_elsewhere_word(word) && (below.contains("/.") || count <= usize::from(word.text().is_some()))
    };
    !words.iter().any(names) && words.iter().any(is_wide)
}

/// Adds the patterns among the arguments of a program that searches.
fn add_searches(program: &str, words: &[Word], found: &mut Vec<Search>) {
    let text = |index: usize| words.get(index).and_then(Word::text).unwrap_or_default();
    let is_find = matches!(program, "find" | "gfind");
    let is_of_path = words.iter().any(|word| word.literal().is_some_and(|word| matches!(&*word, "-p" | "--full-path")));
    for (index, word) in words.iter().enumerate() {
        let option = if index > 0 { text(index - 1) } else { "".into() };
        // What is excluded is not found.
        let is_excluded =
            index > 1 && matches!(&*text(index - 2), "!" | "-not") || is_find && text(index + 1) == "-prune";
        match &*option {
            _ if is_excluded => {}
            "-path" | "-wholename" | "-ipath" | "-iwholename" => add_glob(word, true, found),
            "-regex" | "-iregex" => add_whole_regex(word, found),
            _ if is_find => add_glob(word, false, found),
            "-g" | "--glob" | "--iglob" => add_glob(word, false, found),
            "-r" | "--regex" | "--regexp" => add_regex(word, true, found),
            _ if DATABASES.contains(&program) => add_in_path(word, found),
            _ if program == "rg" => {}
            _ => {
                add_glob(word, false, found);
                add_regex(word, is_of_path, found);
            }
        }
    }
}

fn add(glob: &str, is_of_path: bool, span: Span, found: &mut Vec<Search>) {
    let letters = glob.chars().filter(|letter| letter.is_alphanumeric()).count();
    let says_enough = letters >= MIN_LETTERS && glob.len() <= MAX_PATTERN && !glob.starts_with('-');
    if says_enough && (is_of_path || !glob.contains('/')) {
        found.push(Search { glob: glob.to_lowercase(), is_of_path, span });
    }
}

fn add_glob(word: &Word, is_of_path: bool, found: &mut Vec<Search>) {
    if let Some(text) = word.text() {
        add(&text, is_of_path, word.span, found);
    }
}

/// Adds a text that `locate` looks for: a pattern for the whole path, or a part of it.
fn add_in_path(word: &Word, found: &mut Vec<Search>) {
    let Some(text) = word.text().filter(|text| !text.starts_with('-')) else { return };
    let is_whole = text.contains(['*', '?', '[']);
    add(&if is_whole { text.into_owned() } else { format!("*{text}*") }, true, word.span, found);
}

/// Adds a regular expression for a part of a path or of a name.
fn add_regex(word: &Word, is_of_path: bool, found: &mut Vec<Search>) {
    let Some(text) = word.text().filter(|text| !text.starts_with('-')) else { return };
    for glob in globs(&text) {
        let start = if text.starts_with('^') { "" } else { "*" };
        let end = if text.ends_with('$') { "" } else { "*" };
        add(&format!("{start}{glob}{end}"), is_of_path, word.span, found);
    }
}

/// Adds a regular expression for a whole path.
fn add_whole_regex(word: &Word, found: &mut Vec<Search>) {
    for glob in word.text().into_iter().flat_map(|text| globs(&text)) {
        add(&glob, true, word.span, found);
    }
}

/// Returns patterns that match at least what a regular expression matches.
fn globs(regex: &str) -> Vec<String> {
    if regex.len() > MAX_PATTERN {
        return vec!["*".to_owned()];
    }
    // `\(a\|b\)` in one syntax is `(a|b)` in another.
    let regex = regex.replace(r"\(", "(").replace(r"\)", ")").replace(r"\|", "|");
    let whole = alternatives(&regex);
    if whole.len() > 1 {
        return whole.into_iter().flat_map(globs).collect();
    }
    // The alternatives of a group, of which one is not in another.
    let group = regex.find('(').and_then(|start| Some((start, start + regex[start..].find(')')?)));
    let (before, inside, after) = match group {
        Some((start, end)) if !regex[start + 1..end].contains('(') => {
            (&regex[..start], &regex[start + 1..end], &regex[end + 1..])
        }
        _ => return vec![glob(&regex)],
    };
    let inside = inside.strip_prefix("?:").unwrap_or(inside);
    inside.split('|').map(|one| glob(&format!("{before}{one}{after}"))).collect()
}

/// Returns the alternatives of a regular expression outside of groups and classes.
fn alternatives(regex: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0_usize, 0, Vec::new());
    let mut letters = regex.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => {
                found.push(&regex[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&regex[start..]);
    found
}

/// Returns a pattern that matches at least what a regular expression without alternatives matches.
fn glob(regex: &str) -> String {
    let mut atoms: Vec<String> = Vec::new();
    let mut letters = regex.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '^' | '$' => {}
            '.' => atoms.push("?".to_owned()),
            '*' | '+' | '?' => {
                if atoms.pop().is_some() {
                    atoms.push("*".to_owned());
                }
            }
            '{' => {
                let _ = letters.by_ref().find(|letter| *letter == '}');
                if atoms.pop().is_some() {
                    atoms.push("*".to_owned());
                }
            }
            '[' => {
                // A `]` at the beginning is a member.
                if letters.next() == Some('^') {
                    let _ = letters.next();
                }
                let _ = letters.by_ref().find(|letter| *letter == ']');
                atoms.push("?".to_owned());
            }
            '(' | ')' | '|' => atoms.push("*".to_owned()),
            '\\' => match letters.next() {
                Some(escaped) if escaped.is_alphanumeric() => atoms.push("*".to_owned()),
                Some(escaped) => atoms.push(escaped.to_string()),
                None => {}
            },
            letter => atoms.push(letter.to_string()),
        }
    }
    atoms.concat()
}

impl Search {
    /// Returns the places with a file that the search can find, by index.
    pub(super) fn places(&self, rules: &RuleSet<'_>, line: &Line<'_>) -> Vec<usize> {
        let patterns = rules.place_patterns().all();
        let found =
            patterns.filter(|wanted| self.finds(wanted, line.roots()) && !self.is_excepted(wanted.place, rules));
        found.map(|wanted| wanted.place).collect()
    }

    fn finds(&self, wanted: &PlacePattern<'_>, roots: &Roots) -> bool {
        if !self.is_of_path {
            // Files with such a name are in the place wherever they are.
            return wanted.rest.starts_with("**/")
                && wanted.last.is_some_and(|last| pattern::matches(&self.glob, &last.to_lowercase()));
        }
        let root = match wanted.root {
            Root::System => &[][..],
            Root::Home => &roots.home,
            Root::Own => roots.own.as_deref().unwrap_or_default(),
            Root::Start | Root::AboveOwn => return false,
        };
        let Some(name) = wanted.rest.rsplit('/').find(|name| is_plain_name(name) && !name.is_empty()) else {
            return false;
        };
        let mut path: String = root.iter().flat_map(|name| ["/", name]).collect();
        path.extend(wanted.rest.split('/').filter(|name| !name.is_empty()).flat_map(|name| ["/", name]));
        let path = path.to_lowercase();
        let samples = [path.replace("**", "x").replace('*', "x"), path.replace('*', "")];
        samples.iter().any(|sample| pattern::matches(&self.glob, sample))
            // `*/.ssh/my_key`: the pattern names the folder.
            || wanted.last.is_none() && self.glob.contains(&name.to_lowercase()) && pattern::can_both_match(&path, &self.glob)
    }

    /// Returns whether only files that are excepted from a place have such a name.
    fn is_excepted(&self, place: usize, rules: &RuleSet<'_>) -> bool {
        let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_lowercase();
        let own = last(&self.glob);
        let is_exception = |path: &&str| {
            let name = last(path);
            name != "**" && pattern::matches(&name, &own)
        };
        own != "*" && rules.places()[place].except.iter().any(is_exception)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_expression_becomes_patterns_that_match_more() {
        for (regex, patterns) in [
            (r".*/\.ssh/id_.*", &["*/.ssh/id_*"][..]),
            (r"\.rs$", &[".rs"]),
            ("(id_rsa|id_dsa)", &["id_rsa", "id_dsa"]),
            (r".*/\(a\|b\)", &["*/a", "*/b"]),
            ("id_[a-z]+", &["id_*"]),
            ("a{2}b", &["*b"]),
            (r"\w+", &["*"]),
            ("", &[""]),
            ("[", &["?"]),
            ("*", &[""]),
        ] {
            assert_eq!(globs(regex), patterns, "{regex}");
        }
    }
}
