//! Names of files in scripts, as far as they are known.

use std::collections::BTreeMap;

use super::placeholder_index;

/// A name of a file: its pieces, one after another.
pub(crate) type Name = Vec<Piece>;

/// A piece of the name of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Piece {
    /// A text.
    Text(String),
    /// What the script counts, or what names no file: a number, an element that another part of the script fills.
    Data,
    /// What the script reads: a field, a line. It can be any path.
    Read,
    /// What the script computes from texts of its own, in a way that is not followed. It can be any path.
    Computed,
    /// The part with this index of the words that contain the script, which is not a text.
    OfWord(usize),
    /// A variable of the environment.
    Environment(String),
    /// A variable of the script. Its value can be an argument of the program, and is otherwise empty.
    Variable(String),
    /// A variable of the script, but only if its value is an argument of the program.
    Argument(String),
    /// One of the files that the program reads.
    Operand,
}

/// The maximum number of pieces of a name. A longer one can be any path.
const MAX_PIECES: usize = 16;
/// The maximum length of a text in a name. The end of a longer one is unknown.
const MAX_LENGTH: usize = 256;
/// The maximum number of values of a variable. One with more can have any.
const MAX_VALUES: usize = 16;
/// The maximum number of names that one name can stand for. One with more can be any path.
const MAX_CHOICES: usize = 64;
/// The maximum number of names that are built for a script.
const MAX_NAMES: usize = 2_048;
/// The maximum depth of values within values that are followed.
const MAX_DEPTH: usize = 8;

/// Adds a piece to a name.
pub(super) fn push(name: &mut Name, piece: Piece) {
    match piece {
        Piece::Text(text) => push_text(name, &text),
        piece => name.push(piece),
    }
    if name.len() > MAX_PIECES {
        *name = vec![Piece::Computed];
    }
}

/// Adds a text, up to the maximum length.
fn push_text(name: &mut Name, text: &str) {
    if !matches!(name.last(), Some(Piece::Text(_))) {
        name.push(Piece::Text(String::new()));
    }
    let Some(Piece::Text(last)) = name.last_mut() else { return };
    let end = text.floor_char_boundary(MAX_LENGTH.saturating_sub(last.len()));
    last.push_str(&text[..end]);
    if end < text.len() {
        name.push(Piece::Data);
    }
}

/// Returns the pieces of a text, in which placeholders stand for parts of words.
pub(super) fn name_of(text: &str) -> Name {
    let mut name = Name::new();
    let mut rest = text;
    while let Some(at) = rest.find(super::is_unknown) {
        let (before, after) = rest.split_at(at);
        if !before.is_empty() {
            push(&mut name, Piece::Text(before.to_owned()));
        }
        let letter = after.chars().next().unwrap_or_default();
        push(&mut name, placeholder_index(letter).map_or(Piece::Computed, Piece::OfWord));
        rest = &after[letter.len_utf8()..];
    }
    if !rest.is_empty() {
        push(&mut name, Piece::Text(rest.to_owned()));
    }
    name
}

/// The values that a script assigns to its variables.
#[derive(Debug, Default)]
pub(super) struct Values {
    assigned: BTreeMap<String, Vec<Name>>,
    /// The number of variables that stand for choices and for results of functions.
    count: usize,
    /// The names that variables stand for. `None` while these are being found.
    found: BTreeMap<String, Option<Vec<Name>>>,
    /// The number of names that were built.
    names: usize,
}

/// What a variable stands for besides the values that the script assigns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// An argument of the program.
    Own,
    /// One of several values.
    Choice,
    /// The result of a function. The values are its arguments.
    Result,
    /// An element of an array, the result of a function of the script.
    Data,
    /// A field, which the script reads.
    Field,
}

impl Kind {
    fn of(variable: &str) -> Self {
        match variable.bytes().last() {
            Some(b'?') => Self::Choice,
            Some(b'!') => Self::Result,
            Some(b'$') => Self::Field,
            Some(b'[' | b']' | b'(') => Self::Data,
            _ => Self::Own,
        }
    }
}

impl Values {
    /// Adds a value of a variable.
    pub(super) fn add(&mut self, variable: &str, value: Name) {
        let values = match self.assigned.get_mut(variable) {
            Some(values) => values,
            None => self.assigned.entry(variable.to_owned()).or_default(),
        };
        if values.last() == Some(&value) || values.len() > MAX_VALUES {
            return;
        }
        values.push(if values.len() == MAX_VALUES { vec![Piece::Computed] } else { value });
    }

    /// Returns a piece that stands for one of several names.
    pub(super) fn choice(&mut self, names: Vec<Name>) -> Piece {
        self.group(names, '?')
    }

    /// Returns a piece that stands for the result of a function with these arguments.
    pub(super) fn result(&mut self, arguments: Vec<Name>) -> Piece {
        self.group(arguments, '!')
    }

    fn group(&mut self, names: Vec<Name>, kind: char) -> Piece {
        self.count += 1;
        let variable = format!("{}{kind}", self.count);
        for name in names {
            self.add(&variable, name);
        }
        Piece::Variable(variable)
    }

    /// Returns the names that a name can stand for. `None` if the names of the script are too many.
    pub(super) fn names(&mut self, name: &Name) -> Option<Vec<Name>> {
        let names = self.expand(name, MAX_DEPTH);
        (self.names <= MAX_NAMES).then_some(names)
    }

    fn expand(&mut self, name: &Name, depth: usize) -> Vec<Name> {
        let any = || vec![vec![Piece::Computed]];
        let mut names = vec![Name::new()];
        for piece in name {
            let Piece::Variable(variable) = piece else {
                for name in &mut names {
                    push(name, piece.clone());
                }
                continue;
            };
            let choices = if depth == 0 { any() } else { self.values_of(variable, depth - 1) };
            let count = names.len() * choices.len();
            self.names += count;
            if count > MAX_CHOICES || self.names > MAX_NAMES {
                return any();
            }
            let with = |name: &Name, choice: &Name| {
                let mut name = name.clone();
                for piece in choice {
                    push(&mut name, piece.clone());
                }
                name
            };
            names = names.iter().flat_map(|name| choices.iter().map(move |choice| with(name, choice))).collect();
        }
        names
    }

    /// Returns the names that a variable can stand for.
    fn values_of(&mut self, variable: &str, depth: usize) -> Vec<Name> {
        let values = self.assigned.get(variable).cloned().unwrap_or_default();
        match self.found.get(variable) {
            Some(Some(names)) => return names.clone(),
            // `f = f "/passwd"`: the value before is one of the others.
            Some(None) => {
                let is_own = |name: &Name| name.contains(&Piece::Variable(variable.to_owned()));
                let others: Vec<Name> = values.into_iter().filter(|value| !is_own(value)).collect();
                let is_certain = |name: &Name| !name.iter().any(|piece| matches!(piece, Piece::Variable(_)));
                return if others.iter().all(is_certain) { others } else { vec![vec![Piece::Computed]] };
            }
            None => {}
        }
        self.found.insert(variable.to_owned(), None);
        let mut names: Vec<Name> = values.iter().flat_map(|value| self.expand(value, depth)).collect();
        match Kind::of(variable) {
            Kind::Own if values.is_empty() => names.push(vec![Piece::Variable(variable.to_owned())]),
            Kind::Own => names.push(vec![Piece::Argument(variable.to_owned())]),
            Kind::Data => {
                // An array that the script does not fill has empty elements.
                let is_empty = variable.ends_with('[') && values.is_empty();
                names.extend(is_empty.then(Name::new));
                names.push(vec![Piece::Data]);
            }
            Kind::Field => names.push(vec![Piece::Read]),
            Kind::Choice => {}
            Kind::Result => {
                let is_path = |piece: &Piece| match piece {
                    Piece::Text(text) => text.contains('/'),
                    piece => matches!(piece, Piece::Computed | Piece::OfWord(_) | Piece::Environment(_)),
                };
                let is_computed = names.iter().flatten().any(is_path);
                let is_read = names.iter().flatten().any(|piece| *piece == Piece::Read);
                names = vec![vec![match () {
                    () if is_computed => Piece::Computed,
                    () if is_read => Piece::Read,
                    () => Piece::Data,
                }]];
            }
        }
        names.sort_unstable();
        names.dedup();
        self.found.insert(variable.to_owned(), Some(names.clone()));
        names
    }
}

/// Returns a name as text, for tests: `#` is data, `^` is read, `?` is computed, `@` a part of a word, `$X` the environment, `%x` and `=x` are
/// variables, and `&` is an operand.
#[cfg(test)]
pub(super) fn shown(name: &Name) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Data => "#".to_owned(),
        Piece::Read => "^".to_owned(),
        Piece::Computed => "?".to_owned(),
        Piece::OfWord(_) => "@".to_owned(),
        Piece::Environment(variable) => format!("${variable}"),
        Piece::Variable(variable) => format!("%{variable}"),
        Piece::Argument(variable) => format!("={variable}"),
        Piece::Operand => "&".to_owned(),
    };
    name.iter().map(piece).collect()
}
