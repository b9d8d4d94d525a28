//! Reads the script among the arguments of a program such as `awk` or `sed`.

use std::borrow::Cow;

use crate::flags::{self, Argument};
use crate::judge::effects::ScriptEffects;
use crate::judge::line::Line;
use crate::judge::subject::{INPUT_FILES, Subject, after_prefix};
use crate::reading::Input;
use crate::scripts::{Name, Piece, placeholder};
use crate::syntax::{Glob, Origin, Part, RedirectKind, Word};

/// The maximum number of words that a name in a script can stand for. One with more can be any path.
const MAX_WORDS: usize = 64;

impl Subject<'_> {
    /// Returns the effects of the script that the program takes as an argument. Returns `None` if there is no script.
    pub(crate) fn effects(&self) -> Option<&ScriptEffects> {
        self.effects.get_or_init(|| self.read_script()).as_ref()
    }

    fn read_script(&self) -> Option<ScriptEffects> {
        let language = self.program?.script_language?;
        let mut script = Script::default();
        for argument in &self.arguments {
            let Argument::Option { name, value: Some(value), index } = argument else { continue };
            let is_one = |options: &[&str]| options.iter().any(|option| flags::is_abbreviation(name, option));
            if is_one(language.code_options()) {
                script.add(&self.value_word(value, *index), self.line);
            } else if is_one(language.file_options()) {
                self.read_script_file(&self.value_word(value, *index), &mut script);
            }
        }
        if !script.is_given {
            script.operands = 1;
            for argument in &self.arguments {
                match argument {
                    Argument::Operand { word, .. } => {
                        script.add(word, self.line);
                        break;
                    }
                    Argument::Either { word, .. } => {
                        script.add(word, self.line);
                        // If the word is an option, the script follows.
                        if !word.splits() {
                            break;
                        }
                    }
                    Argument::Option { .. } => {}
                }
            }
        }
        let effects = language.read(&script.text);
        let words = |names: &[Name]| names.iter().flat_map(|name| self.words_of(name, &script)).collect();
        Some(ScriptEffects {
            runs: effects.runs,
            unknown: effects.unknown && script.can_be_anything
                || script.is_output
                || effects.writes_more
                || !script.is_given && self.command.appended,
            writes: words(&effects.writes),
            reads: words(&effects.reads),
        })
    }

    /// Returns the words that a name of a file in a script can stand for.
    fn words_of(&self, name: &Name, script: &Script) -> Vec<Word> {
        // A name whose beginning is a number or the like is in no place. One that gets an extension, as in `print > $1 ".csv"`, is taken
        // for one of the program's own files.
        let has_extension =
            || matches!(name.last(), Some(Piece::Text(end)) if end.starts_with('.') && !end.contains('/'));
        match name.first() {
            Some(Piece::Data) => return Vec::new(),
            Some(Piece::Read) if has_extension() => return Vec::new(),
            _ => {}
        }
        let span = self.command.span;
        let mut words = vec![Word { parts: Vec::new(), span }];
        for piece in name {
            let choices: Vec<Vec<Part>> = match piece {
                Piece::Text(text) => vec![vec![Part::Literal { text: text.clone(), origin: Origin::Quoted }]],
                Piece::Data | Piece::Read | Piece::Computed => vec![vec![Part::Unknown { splits: false }]],
                Piece::OfWord(index) => vec![script.parts.get(*index).cloned().into_iter().collect()],
                Piece::Environment(variable) => self.values_in_environment(variable),
                Piece::Argument(variable) => self.values_of_argument(variable),
                Piece::Variable(variable) => match self.values_of_argument(variable) {
                    // A variable without a value is empty.
                    values if values.is_empty() => vec![Vec::new()],
                    values => values,
                },
                Piece::Operand => self.operands().skip(script.operands).map(|word| word.parts.clone()).collect(),
            };
            if words.len() * choices.len() > MAX_WORDS {
                return vec![Word { parts: vec![Part::Unknown { splits: false }], span }];
            }
            let with = |word: &Word, choice: &Vec<Part>| Word { parts: [word.parts.as_slice(), choice].concat(), span };
            words = words.iter().flat_map(|word| choices.iter().map(move |choice| with(word, choice))).collect();
        }
        words.retain(|word| !word.parts.is_empty());
        words
    }

    /// Returns the values that a variable of the environment can have.
    fn values_in_environment(&self, variable: &str) -> Vec<Vec<Part>> {
        let own = self.command.assignments.iter().filter(|assignment| assignment.name == *variable);
        let values: Vec<Vec<Part>> = own.map(|assignment| assignment.value.parts.clone()).collect();
        if !values.is_empty() {
            return values;
        }
        vec![vec![Part::Variable { name: variable.to_owned(), operation: None, quoted: true }]]
    }

    /// Returns the values that arguments give to a variable of a script: `awk -v NAME=VALUE` and `awk SCRIPT NAME=VALUE`.
    fn values_of_argument(&self, variable: &str) -> Vec<Vec<Part>> {
        let prefix = format!("{variable}=");
        let words = self.values(&["-v", "--assign"]).chain(self.operands().map(Cow::Borrowed));
        words.filter_map(|word| after_prefix(&word, &prefix).map(|value| value.into_owned().parts)).collect()
    }

    /// Adds the script of a file, if its text is in the line.
    fn read_script_file(&self, file: &Word, script: &mut Script) {
        script.is_given = true;
        script.is_output |= file.parts.iter().any(|part| matches!(part, Part::ProcessSubstitution { .. }));
        if !file.text().is_some_and(|file| INPUT_FILES.contains(&&*file)) {
            return;
        }
        match self.line.reading.input(self.id) {
            Input::Redirect(redirect)
                if matches!(redirect.kind, RedirectKind::HereDocument | RedirectKind::HereString) =>
            {
                script.add(&redirect.target, self.line);
            }
            Input::Redirect(redirect) => script.is_output |= redirect.kind != RedirectKind::Read,
            Input::Commands(_) => script.is_output = true,
            Input::Inherited => {}
        }
    }
}

/// The script of a program, from one or more arguments.
#[derive(Debug, Default)]
struct Script {
    text: String,
    /// The parts for which placeholders in the text stand.
    parts: Vec<Part>,
    is_given: bool,
    /// The number of operands that give it. The others are files.
    operands: usize,
    /// Whether the unknown parts of the text can be anything.
    can_be_anything: bool,
    /// Whether another command prints it.
    is_output: bool,
}

impl Script {
    fn add(&mut self, word: &Word, line: &Line<'_>) {
        self.is_given = true;
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        for part in &word.parts {
            match part {
                Part::Literal { text, .. } => self.text.push_str(text),
                Part::Glob(Glob::AnyText) => self.text.push('*'),
                Part::Glob(Glob::Class(class)) => {
                    self.text.push('[');
                    self.text.push_str(class);
                    self.text.push(']');
                }
                Part::Glob(Glob::AnyChar) => self.text.push('?'),
                part => {
                    self.can_be_anything |= line.can_be_anything(part) || matches!(part, Part::Glob(_));
                    self.text.push(placeholder(self.parts.len()));
                    self.parts.push(quoted(part));
                }
            }
        }
    }
}

/// Returns a part that stays one word.
fn quoted(part: &Part) -> Part {
    let mut part = part.clone();
    match &mut part {
        Part::Variable { quoted, .. } | Part::Substitution { quoted, .. } | Part::Arithmetic { quoted, .. } => {
            *quoted = true;
        }
        Part::Unknown { splits } => *splits = false,
        Part::Literal { .. } | Part::Tilde { .. } | Part::Glob(_) | Part::ProcessSubstitution { .. } => {}
    }
    part
}
