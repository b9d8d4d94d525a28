//! A file that a word of a command can name.

use std::cell::OnceCell;

use crate::certainty::Match;
use crate::judge::components::PathWord;
use crate::judge::line::Line;
use crate::judge::searches::Search;
use crate::reading::Command;
use crate::rules::RuleSet;
use crate::span::Span;
use crate::syntax::Word;

/// A word that can name a file. Many rules ask about the same word, so its places are found once.
pub(super) struct FileWord {
    pub(super) span: Span,
    pub(super) path: PathWord,
    /// Whether the path is a guess.
    is_guess: bool,
    /// Whether the word is also tried in the folders to which the line goes.
    is_visited: bool,
    /// The search that can find the file, if it can be anywhere.
    searched: Option<Search>,
    /// The files that are in the folder, if the word names one, those to which links of the line lead, and those in the folders to which
    /// the line goes.
    others: Vec<PathWord>,
    /// The paths to which all of these lead in the file system.
    real: Vec<PathWord>,
    /// The places that contain a file which the word can stand for, by index. Computed when first needed.
    places: OnceCell<Vec<(usize, Match)>>,
}

impl FileWord {
    /// Returns a word as a file. If it is a folder, files with these names are in it.
    pub(super) fn new(word: &Word, names: &[&str], command: &Command, line: &Line<'_>) -> Self {
        let path = PathWord::new(word, command, line);
        let mut others = path.through_links(command, line);
        if line.lookups.is_some() {
            others.extend(PathWord::in_visited(word, command, line).into_iter().filter(|path| !path.is_unknown()));
        }
        let below = names.iter().map(|name| path.below(name));
        let folders: Vec<PathWord> =
            others.iter().chain([&path]).filter_map(PathWord::folder_of_all).chain(below).collect();
        for folder in folders {
            others.extend(folder.through_links(command, line));
            others.push(folder);
        }
        let texts: Vec<&PathWord> = [&path].into_iter().chain(&others).collect();
        let mut real = PathWord::real_paths(word, &texts, command, line);
        // `rm -r LINK/*`
        let folders: Vec<PathWord> = real.iter().filter_map(PathWord::folder_of_all).collect();
        real.extend(folders);
        let (is_guess, is_visited, searched) = (false, false, None);
        Self { span: word.span, path, is_guess, is_visited, searched, others, real, places: OnceCell::new() }
    }

    /// Returns a word that names a file which is read. If its beginning is unknown, it can be the home folder.
    pub(super) fn read(word: &Word, command: &Command, line: &Line<'_>) -> Self {
        let mut file = Self::new(word, &[], command, line);
        let Some(path) = file.path.in_home(line) else { return file };
        let visited = PathWord::in_visited(word, command, line);
        // The home folder stands for an unknown beginning there, too.
        let known = visited.into_iter().map(|path| path.in_home(line).unwrap_or(path));
        file.others.extend(known.filter(|path| !path.is_unknown()));
        Self { path, is_guess: true, is_visited: !file.others.is_empty(), ..file }
    }

    /// Returns a file that a search can find anywhere.
    pub(super) fn searched(search: Search, command: &Command, line: &Line<'_>) -> Self {
        let file = Self::new(&Word::plain("\0", search.span), &[], command, line);
        Self { searched: Some(search), ..file }
    }

    /// Returns the paths of the file in the file system, as far as they are certain.
    pub(super) fn real_paths(&self) -> impl Iterator<Item = String> {
        let own = self.real.is_empty().then_some(&self.path);
        self.real.iter().chain(own).filter_map(PathWord::text)
    }

    /// Returns whether every name of the path is known, apart from patterns of the shell, or a part of them that says enough.
    pub(super) fn is_known(&self) -> bool {
        !self.is_guess && self.path.is_known() || self.path.has_tail() || self.is_visited
    }

    /// Returns whether one of the paths is outside these places.
    pub(super) fn is_outside(&self, places: &[usize], rules: &RuleSet<'_>, line: &Line<'_>) -> Match {
        let outside = |path: &PathWord, roots| !Match::any(places.iter().map(|place| path.is_in(*place, rules, roots)));
        let real = self.real.iter().map(|path| outside(path, line.real_roots()));
        Match::any(real.chain([outside(&self.path, line.roots())]))
    }

    /// Returns whether one of the files is in one of the places with these names.
    pub(super) fn is_in(&self, names: &[&str], rules: &RuleSet<'_>, line: &Line<'_>) -> Match {
        let places = self.places.get_or_init(|| self.find_places(rules, line));
        let is_wanted = |index: usize| {
            let name = rules.places()[index].name;
            names.contains(&name) && rules.place_index(name) == Some(index)
        };
        let found = Match::any(places.iter().filter(|(index, _)| is_wanted(*index)).map(|(_, found)| *found));
        if self.is_guess { found.min(Match::Maybe) } else { found }
    }

    fn find_places(&self, rules: &RuleSet<'_>, line: &Line<'_>) -> Vec<(usize, Match)> {
        if let Some(search) = &self.searched {
            return search.places(rules, line).into_iter().map(|place| (place, Match::Maybe)).collect();
        }
        let mut places = line.places_of(&self.path, rules).to_vec();
        let own = places.len();
        for file in &self.others {
            places.extend(&*line.places_of(file, rules));
        }
        // What is excepted itself, such as a device, is not a folder.
        if places.len() > own {
            places.retain(|(place, _)| !self.path.is_excepted_from(*place, rules, line.roots()));
        }
        for file in &self.real {
            places.extend(file.places(rules, line.real_roots()));
        }
        places
    }
}

/// The files that a command names, computed when first needed.
#[derive(Default)]
pub(super) struct Files {
    pub(super) operands: OnceCell<Vec<FileWord>>,
    pub(super) arguments: OnceCell<Vec<FileWord>>,
    pub(super) written: OnceCell<Vec<FileWord>>,
    pub(super) listed: OnceCell<Vec<FileWord>>,
    pub(super) input: OnceCell<Vec<FileWord>>,
    /// Protected files under other paths, in folders that the command reads.
    pub(super) followed: OnceCell<Vec<Word>>,
}
