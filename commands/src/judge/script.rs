//! Reads the script among the arguments of a program such as `awk` or `sed`.

use crate::characters::UNKNOWN;
use crate::flags::{self, Argument};
use crate::judge::line::Line;
use crate::judge::subject::{INPUT_FILES, Subject};
use crate::reading::Input;
use crate::scripts::Effects;
use crate::syntax::{Glob, Part, RedirectKind, Word};

impl Subject<'_> {
    /// Returns the effects of the script that the program takes as an argument. Returns `None` if there is no script.
    pub(crate) fn effects(&self) -> Option<&Effects> {
        self.effects.get_or_init(|| self.read_script()).as_ref()
    }

    fn read_script(&self) -> Option<Effects> {
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
        let mut effects = language.read(&script.text);
        effects.unknown &= script.can_be_anything;
        effects.unknown |= script.is_output || !script.is_given && self.command.appended;
        Some(effects)
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
    is_given: bool,
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
                Part::Tilde { user } => {
                    self.text.push('~');
                    self.text.push_str(user);
                }
                Part::Glob(Glob::AnyText) => self.text.push('*'),
                Part::Glob(Glob::Class(class)) => {
                    self.text.push('[');
                    self.text.push_str(class);
                    self.text.push(']');
                }
                Part::Glob(Glob::AnyChar) => self.text.push('?'),
                part => {
                    self.can_be_anything |= line.can_be_anything(part) || matches!(part, Part::Glob(_));
                    self.text.push(UNKNOWN);
                }
            }
        }
    }
}
