//! The paths that words stand for, and which places contain them.

use std::rc::Rc;

use crate::certainty::Match;
use crate::judge::components::{Component, PathWord};
use crate::judge::folders::Roots;
use crate::judge::line::Line;
use crate::rules::{ABOVE_OWN, PatternGroup, PlaceNames, PlacePattern, Root, RuleSet, pattern};
use crate::syntax::{Part, Word};

/// The capacity for the text of a path.
const USUAL_LENGTH: usize = 64;

impl PathWord {
    /// Returns the folder, if the last component is `*` or another pattern that stands for everything in the folder.
    pub(crate) fn folder_of_all(&self) -> Option<Self> {
        let (last, folder) = self.components.split_last()?;
        let is_all = matches!(last, Component::Glob(glob) if glob.chars().all(|letter| "*?.".contains(letter)));
        let tail = self.tail.map(|length| length.saturating_sub(1));
        is_all.then(|| Self { components: folder.to_vec(), depends_on_cd: self.depends_on_cd, tail })
    }

    /// Returns the path of a file in this folder.
    pub(crate) fn below(&self, name: &str) -> Self {
        let name = Component::Name(name.into());
        let components = self.components.iter().cloned().chain([name]).collect();
        Self { components, depends_on_cd: self.depends_on_cd, tail: self.tail.map(|length| length + 1) }
    }

    /// Returns the path with `target` in place of `link`, if it begins with the link. With `only_below`, the link itself does not count.
    pub(crate) fn through(&self, link: &Self, target: &Self, only_below: bool) -> Option<Self> {
        let rest = self.components.get(link.components.len()..)?;
        let fits = |(own, link): (&Component, &Component)| match (own, link) {
            (Component::Glob(glob), Component::Name(name)) => pattern::matches(glob, name),
            (own, link) => own == link,
        };
        if rest.is_empty() && only_below || !self.components.iter().zip(&link.components).all(fits) {
            return None;
        }
        let components = target.components.iter().chain(rest).cloned().collect();
        let tail = target.tail.map(|length| length + rest.len());
        Some(Self::simplified(components, self.depends_on_cd || target.depends_on_cd, tail))
    }

    /// Returns the path with the home folder in place of its unknown beginning. `None` if its beginning is known, or nothing
    /// follows.
    pub(crate) fn in_home(&self, line: &Line<'_>) -> Option<Self> {
        let [Component::Unknown, rest @ ..] = self.components.as_slice() else { return None };
        let home = line.home().iter().cloned().map(Component::Name);
        let components = home.chain(rest.iter().cloned());
        (!rest.is_empty()).then(|| Self { components: components.collect(), ..*self })
    }

    /// Returns the path with these components, of which some may be left out. With a tail, it has this number of them.
    pub(super) fn simplified(components: Vec<Component>, depends_on_cd: bool, tail: Option<usize>) -> Self {
        let count = components.len();
        let components = simplified(components);
        let after_unknown =
            || components.iter().rev().take_while(|component| **component != Component::Unknown).count();
        let most = if components.len() == count { count } else { after_unknown() };
        Self { tail: tail.map(|length| length.min(most)), components, depends_on_cd }
    }

    /// Returns whether nothing is known about the path, not even that it is above an unknown folder.
    pub(crate) fn can_be_anything(&self) -> bool {
        self.components == [Component::Unknown] && self.tail.is_none()
    }

    /// Returns whether the beginning of the path is unknown.
    pub(crate) fn is_unknown(&self) -> bool {
        self.components.first() == Some(&Component::Unknown)
    }

    /// Returns whether every name of the path is known, apart from patterns of the shell.
    pub(crate) fn is_known(&self) -> bool {
        self.components.iter().all(|component| matches!(component, Component::Name(_) | Component::Glob(_)))
    }

    /// Returns the path as text, if it is certain.
    pub(crate) fn text(&self) -> Option<String> {
        let mut text = String::with_capacity(USUAL_LENGTH);
        for component in &self.components {
            let Component::Name(name) = component else { return None };
            text.push('/');
            text.push_str(name);
        }
        Some(if text.is_empty() { "/".to_owned() } else { text })
    }

    /// Returns the path as text, if it is certain apart from patterns of the shell. These are kept as they are.
    pub(crate) fn certain_text(&self) -> Option<String> {
        let mut text = String::new();
        for component in &self.components {
            let name = match component {
                Component::Name(name) => name,
                Component::Glob(glob) => glob.as_str(),
                Component::Part(_) | Component::Unknown => return None,
            };
            text.push('/');
            text.push_str(name);
        }
        Some(text)
    }

    /// Returns the path as text up to its first pattern, which stands for files below it. Returns `None` if the path is not
    /// certain, or depends on a folder that is unknown.
    pub(crate) fn certain_folder(&self) -> Option<String> {
        let mut text = String::new();
        let mut is_folder = true;
        for component in &self.components {
            match component {
                Component::Name(name) if name.contains('\0') => return None,
                Component::Name(name) => {
                    if is_folder {
                        text.push('/');
                        text.push_str(name);
                    }
                }
                // In some shells, `.*` matches `..`.
                Component::Glob(glob) if glob.starts_with('.') => return None,
                Component::Glob(_) => is_folder = false,
                Component::Part(_) | Component::Unknown => return None,
            }
        }
        Some(if text.is_empty() { "/".to_owned() } else { text })
    }

    /// Returns whether a pattern in the path can stand for a file. Its components must be names and patterns.
    pub(crate) fn can_expand_to(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').skip(1).collect();
        let fits = |(component, name): (&Component, &str)| match component {
            Component::Name(own) => **own == *name,
            Component::Glob(glob) => pattern::matches(glob, name),
            Component::Part(_) | Component::Unknown => false,
        };
        names.len() == self.components.len() && self.components.iter().zip(names).all(fits)
    }

    /// Returns the path with `ordinary` for each name that neither the patterns of places nor the folders with which they begin tell apart
    /// from it. It is in the same places.
    pub(crate) fn with_ordinary_names(&self, names: &PlaceNames<'_>, roots: &Roots, ordinary: &Rc<str>) -> Self {
        let own = roots.own.as_deref().unwrap_or_default();
        let is_of_root = |name: &Rc<str>| roots.home.iter().chain(&roots.start).chain(own).any(|own| own == name);
        let of_start = self.components.iter().zip(&roots.start);
        let start = of_start.take_while(|(own, name)| matches!(own, Component::Name(own) if own == *name)).count();
        let (start, rest) = self.components.split_at(start);
        let component = |component: &Component| match component {
            Component::Name(name) if names.is_ordinary(name) && !is_of_root(name) => {
                Component::Name(Rc::clone(ordinary))
            }
            component => component.clone(),
        };
        Self { components: start.iter().cloned().chain(rest.iter().map(component)).collect(), ..*self }
    }

    /// Returns whether both paths are the same. Most paths differ at their ends.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.components.len() == other.components.len()
            && self.components.iter().rev().eq(other.components.iter().rev())
            && (self.depends_on_cd, self.tail) == (other.depends_on_cd, other.tail)
    }

    /// Returns the indexes of the places that contain the path, certainly or perhaps.
    pub(crate) fn places(&self, rules: &RuleSet<'_>, roots: &Roots) -> Vec<(usize, Match)> {
        if self.components == [Component::Unknown] {
            return (0..rules.places().len()).map(|place| (place, Match::Maybe)).collect();
        }
        let patterns = rules.place_patterns();
        let folders = Folders::of(self, roots);
        let mut places: Vec<(usize, Match)> = Vec::new();
        let mut add = |pattern: &PlacePattern<'_>| {
            let found = match folders.below(pattern.root, pattern.rest.is_empty()) {
                // The most frequent cases.
                None => return,
                Some([Component::Name(_), ..]) if pattern.rest.is_empty() => return,
                Some([Component::Name(_), ..]) if pattern.rest == "**" => Match::Yes,
                // Few names match, and the rest of the path is then not needed.
                Some(_) if pattern.last.is_some_and(|wanted| !self.can_end_with(wanted)) => return,
                Some(path) => matches_components(pattern.rest, path, Files::Some),
            };
            // If the `cd` fails, this is another path. An unknown folder is perhaps the caller's own.
            let is_perhaps = self.depends_on_cd || pattern.root == Root::Own && self.is_unknown();
            let found = if is_perhaps { found.min(Match::Maybe) } else { found };
            match places.iter_mut().find(|(place, _)| *place == pattern.place) {
                _ if found == Match::No => {}
                Some((_, best)) => *best = found.max(*best),
                None => places.push((pattern.place, found)),
            }
        };
        if self.components.iter().all(|component| matches!(component, Component::Name(_))) {
            for component in &self.components {
                let Component::Name(name) = component else { continue };
                // An unknown name is in no pattern.
                if name.starts_with('\0') {
                    continue;
                }
                patterns.with_name(name).iter().for_each(&mut add);
            }
            patterns.without_name().iter().for_each(add);
        } else {
            let groups = patterns.groups().iter().filter(|group| folders.can_contain(group));
            groups.flat_map(|group| &group.patterns).for_each(add);
        }
        places.retain(|(place, _)| !self.matches_exception(*place, rules, &folders));
        self.add_places_of_tail(rules, roots, &mut places);
        places
    }

    /// Returns whether the last component can match that of a pattern, as far as a short comparison tells.
    fn can_end_with(&self, wanted: &str) -> bool {
        match self.components.last() {
            Some(Component::Name(name)) => pattern::matches(wanted, name),
            Some(Component::Glob(glob)) => pattern::have_same_ends(wanted, glob),
            Some(Component::Part(word)) => pattern::matches_word(wanted, word) != Match::No,
            Some(Component::Unknown) | None => true,
        }
    }

    /// Returns whether the path is in a place.
    pub(crate) fn is_in(&self, place: usize, rules: &RuleSet<'_>, roots: &Roots) -> Match {
        let matches = |pattern: &&str| self.matches_pattern(pattern, roots);
        let found = Match::any(rules.places()[place].paths.iter().map(matches));
        if found == Match::No || self.is_excepted_from(place, rules, roots) {
            return Match::No;
        }
        if self.depends_on_cd { found.min(Match::Maybe) } else { found }
    }

    /// Returns whether every file that the path names is excepted from a place.
    pub(crate) fn is_excepted_from(&self, place: usize, rules: &RuleSet<'_>, roots: &Roots) -> bool {
        self.matches_exception(place, rules, &Folders::of(self, roots))
    }

    fn matches_exception(&self, place: usize, rules: &RuleSet<'_>, folders: &Folders<'_>) -> bool {
        // Few names match the last one, and the rest of the path is then not needed.
        let ends_with = |wanted: &str| match self.components.last() {
            Some(component) => matches_component(wanted, component, Files::All) == Match::Yes,
            None => false,
        };
        rules.place_patterns().exceptions(place).iter().any(|pattern| {
            let begins = |path: &[Component]| match (pattern.first, path.first()) {
                (Some(wanted), Some(Component::Name(name))) => **name == *wanted,
                (wanted, _) => wanted.is_none(),
            };
            folders.below(pattern.root, false).is_some_and(|path| {
                begins(path)
                    && pattern.last.is_none_or(ends_with)
                    && matches_components(pattern.rest, path, Files::All) == Match::Yes
            })
        })
    }

    /// Returns whether some of the files that the path names match a pattern, which may begin with `~` or `.`.
    fn matches_pattern(&self, pattern: &str, roots: &Roots) -> Match {
        if pattern == ABOVE_OWN {
            return roots.own.as_deref().is_some_and(|own| self.is_above(own)).into();
        }
        let Some((folder, pattern)) = split_pattern(pattern, roots) else { return Match::No };
        let Some(path) = self.inside(folder) else { return Match::No };
        matches_components(pattern, path, Files::Some)
    }

    /// Returns whether the path is that of a folder above another one.
    fn is_above(&self, folder: &[Rc<str>]) -> bool {
        let fits = |(own, name): (&Component, &Rc<str>)| match own {
            Component::Name(own) => own == name,
            Component::Glob(glob) => pattern::matches(glob, name),
            Component::Part(_) | Component::Unknown => false,
        };
        self.components.len() < folder.len() && self.components.iter().zip(folder).all(fits)
    }

    /// Returns the components below a folder, or `None` if the path is not in it.
    pub(super) fn inside(&self, folder: &[impl AsRef<str>]) -> Option<&[Component]> {
        let mut own = self.components.as_slice();
        for name in folder.iter().map(AsRef::as_ref) {
            match own.split_first()? {
                (Component::Unknown, _) => break,
                (Component::Name(own_name), rest) if **own_name == *name => own = rest,
                (Component::Part(word), rest) if pattern::matches_word(name, word) != Match::No => own = rest,
                (Component::Glob(glob), rest) if pattern::matches(glob, name) => own = rest,
                _ => return None,
            }
        }
        Some(own)
    }
}

/// Where a path is below each of the folders with which patterns of places can begin.
struct Folders<'p> {
    path: &'p [Component],
    in_home: Option<&'p [Component]>,
    in_start: Option<&'p [Component]>,
    in_own: Option<&'p [Component]>,
    is_above_home: bool,
    is_above_own: bool,
}

impl<'p> Folders<'p> {
    fn of(path: &'p PathWord, roots: &Roots) -> Self {
        Self {
            path: &path.components,
            in_home: path.inside(&roots.home),
            in_start: path.inside(&roots.start),
            in_own: roots.own.as_deref().and_then(|own| path.inside(own)),
            is_above_home: path.is_above(&roots.home),
            is_above_own: roots.own.as_deref().is_some_and(|own| path.is_above(own)),
        }
    }

    /// Returns the components below a folder, or `None` if the path is not in it. `is_whole` says whether a folder above the home folder
    /// counts as the home folder, because it contains all of it.
    fn below(&self, root: Root, is_whole: bool) -> Option<&'p [Component]> {
        match root {
            Root::System => Some(self.path),
            Root::Home if is_whole && self.is_above_home => Some(&[]),
            Root::Home => self.in_home,
            Root::Start => self.in_start,
            Root::Own => self.in_own,
            Root::AboveOwn => self.is_above_own.then_some(&[]),
        }
    }

    /// Returns whether the path can match one of these patterns, as far as their first component tells.
    fn can_contain(&self, group: &PatternGroup<'_>) -> bool {
        match (self.below(group.root, group.first.is_none()), group.first) {
            (None, _) => false,
            (Some([first @ (Component::Name(_) | Component::Glob(_)), ..]), Some(name)) => {
                matches_component(name, first, Files::Some) != Match::No
            }
            _ => true,
        }
    }
}

/// Which of the files that a pattern of the shell finds have to match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Files {
    Some,
    All,
}

/// Returns whether the components of a path match those of a pattern.
pub(super) fn matches_components(pattern: &str, path: &[Component], files: Files) -> Match {
    let (first, rest) = first_component(pattern);
    if first.is_empty() && rest.is_none() {
        return match path {
            [] => Match::Yes,
            [Component::Unknown] => Match::Maybe,
            _ => Match::No,
        };
    }
    let rest = rest.unwrap_or_default();
    if first == "**" {
        return match rest {
            // `**` at the end matches everything below a folder, but not the folder itself.
            "" => match path {
                [] => Match::No,
                [Component::Unknown] => Match::Maybe,
                _ => Match::Yes,
            },
            // An unknown name below a known folder counts as an ordinary name.
            rest => {
                let next = first_component(rest).0;
                Match::any((0..=path.len()).map(|skipped| match path.get(skipped) {
                    Some(Component::Unknown) if skipped > 0 => Match::No,
                    Some(Component::Part(word)) if next != "*" && says_nothing(word) => Match::No,
                    Some(Component::Name(name)) if next != "**" && !pattern::matches(next, name) => Match::No,
                    _ => matches_components(rest, &path[skipped..], files),
                }))
            }
        };
    }
    match path.split_first() {
        None => Match::No,
        Some((Component::Unknown, after)) => {
            // The unknown part can be empty, or have one or more components.
            let whole = matches_components(pattern, after, files)
                | matches_components(rest, after, files)
                | if rest.is_empty() { Match::No } else { matches_components(rest, path, files) };
            whole.min(Match::Maybe)
        }
        Some((component, after)) => {
            let own = matches_component(first, component, files);
            if own == Match::No { Match::No } else { own & matches_components(rest, after, files) }
        }
    }
}

/// Returns whether a component of a path matches that of a pattern.
fn matches_component(pattern: &str, component: &Component, files: Files) -> Match {
    match component {
        Component::Name(name) => Match::from(pattern::matches(pattern, name)),
        Component::Part(word) => pattern::matches_word(pattern, word),
        // A shell pattern expands to all names that match it, those of the place included. Hidden names need a `.`.
        Component::Glob(glob) if files == Files::All => Match::from(pattern == "*" || pattern == glob),
        Component::Glob(glob) => {
            let is_hidden = pattern.starts_with('.') && !glob.starts_with('.');
            Match::from(!is_hidden && (glob == "*" || pattern::can_both_match(pattern, glob)))
        }
        Component::Unknown => Match::Maybe,
    }
}

/// Returns whether nothing of a name is known: `$(date)`.
fn says_nothing(name: &Word) -> bool {
    name.parts.iter().all(|part| matches!(part, Part::Unknown { .. }))
}

/// Returns the first component of a pattern, and the pattern after it.
fn first_component(pattern: &str) -> (&str, Option<&str>) {
    // A loop is faster than a search here, because most components are short.
    let slash = pattern.bytes().position(|byte| byte == b'/');
    slash.map_or((pattern, None), |at| (&pattern[..at], Some(&pattern[at + 1..])))
}

/// Limits the time of comparisons with patterns: the components between unknown parts, and those of a very long path, become
/// unknown.
fn simplified(mut path: Vec<Component>) -> Vec<Component> {
    const MAX_COMPONENTS: usize = 256;
    let unknown = |component: &Component| *component == Component::Unknown;
    let is_name = |component: &Component, name: &str| matches!(component, Component::Name(own) if **own == *name);
    // `/proc/self/root` is the root folder.
    while let [proc, _, root, ..] = path.as_slice()
        && is_name(proc, "proc")
        && is_name(root, "root")
    {
        path.drain(..3);
    }
    if path.len() > MAX_COMPONENTS {
        return vec![Component::Unknown];
    }
    if let (Some(first), Some(last)) = (path.iter().position(unknown), path.iter().rposition(unknown)) {
        path.drain(first..last);
    }
    path
}

/// Returns the folder with which a pattern begins, and the rest. `None` if the folder is unknown.
pub(super) fn split_pattern<'p, 'f>(pattern: &'p str, roots: &'f Roots) -> Option<(&'f [Rc<str>], &'p str)> {
    let (folder, pattern) = match pattern.as_bytes().first() {
        Some(b'~') => (roots.home.as_slice(), &pattern[1..]),
        Some(b'.') => (roots.start.as_slice(), &pattern[1..]),
        Some(b'@') => (roots.own.as_deref().filter(|_| pattern != ABOVE_OWN)?, &pattern[1..]),
        _ => (&[][..], pattern),
    };
    Some((folder, pattern.strip_prefix('/').unwrap_or(pattern)))
}
