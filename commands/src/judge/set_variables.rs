//! The variables that a command sets, in every way: by an assignment, a builtin, an expansion or a redirection.

use std::borrow::Cow;

use crate::characters::UNKNOWN;
use crate::flags::{self, Argument};
use crate::judge::line::Line;
use crate::judge::sources::{By, sources};
use crate::judge::subject::Subject;
use crate::judge::variable::SetVariable;
use crate::reading::{Command, Input};
use crate::span::Span;
use crate::syntax::{Assignment, CommandId, Descriptor, Operation, Part, Redirect, RedirectKind, Word};

impl Subject<'_> {
    /// Returns the variables that the command sets.
    pub(super) fn set_variables(&self) -> &[SetVariable] {
        self.set_variables.get_or_init(|| {
            let mut set = Vec::new();
            self.add_expanded(&mut set);
            for Redirect { descriptor, span, .. } in &self.command.redirects {
                if let Some(Descriptor::Variable(name)) = descriptor {
                    set.push(SetVariable::new(name, None, *span));
                }
            }
            if self.line.has_keywords {
                set.extend(self.command.arguments().iter().filter_map(assigned));
            }
            self.add_of_builtin(&mut set);
            set
        })
    }

    /// Adds the assignments of the command itself, and those of expansions such as `${NAME:=VALUE}` and `$((NAME = 1))`.
    fn add_expanded(&self, set: &mut Vec<SetVariable>) {
        let Command { words, assignments, redirects, .. } = self.command;
        for Assignment { name, value, each, span, .. } in assignments {
            set.push(SetVariable::new(name, Some(value), *span));
            each.iter().chain([value]).for_each(|word| add_expansions(&word.parts, word.span, set));
        }
        let targets = redirects.iter().map(|redirect| &redirect.target);
        words.iter().chain(targets).for_each(|word| add_expansions(&word.parts, word.span, set));
    }

    /// Adds the variables that a builtin sets by its arguments.
    fn add_of_builtin(&self, set: &mut Vec<SetVariable>) {
        let Some(own) = self.command.program.name() else { return };
        let words = self.command.arguments();
        match own {
            "declare" | "export" | "float" | "integer" | "local" | "nameref" | "readonly" | "typeset" => {
                let is_option = |word: &&Word| word.certain_start().starts_with(['-', '+']);
                let makes_references = |word: &Word| is_option(&word) && word.certain_start().contains('n');
                let is_reference =
                    own == "nameref" || !matches!(own, "export" | "readonly") && words.iter().any(makes_references);
                for word in words.iter().filter(|word| !is_option(word)) {
                    if is_reference {
                        set.push(referenced(word));
                    }
                    set.extend(declared(word).filter(|variable| variable.is_known() || !self.is_of_files(word)));
                }
                set.retain(|variable| !variable.name.contains(UNKNOWN) || !self.is_known_loop(variable));
            }
            "set" | "setenv" => {
                set.extend(words.iter().filter_map(assigned));
                // `setenv NAME VALUE`, and `set -x NAME VALUE` in fish
                let mut names = words.iter().filter(|word| !word.certain_start().starts_with('-'));
                let exports = |word: &Word| word.text().is_some_and(|text| is_export_of_fish(&text));
                if (own == "setenv" || words.first().is_some_and(exports))
                    && let (Some(name), value) = (names.next(), names.next())
                {
                    set.extend(name.text().map(|text| SetVariable::new(&text, value, name.span)));
                }
            }
            "coproc" => set.extend(words.iter().filter_map(|word| self.computed(word, false))),
            "let" => {
                set.extend(words.iter().filter_map(|word| self.computed(word, false)).filter(SetVariable::is_known));
            }
            _ => {
                let Some((options, values)) =
                    READERS.iter().find(|(name, ..)| *name == own).map(|reader| (reader.1, reader.2))
                else {
                    return;
                };
                set.extend(self.names_of_reader(own, options, values));
            }
        }
    }

    /// Returns the variables that a builtin such as `read` sets: its operands, and the values of some options.
    fn names_of_reader(&self, own: &str, options: &[&str], values: &[&str]) -> Vec<SetVariable> {
        let takes_own_text = matches!(own, "print" | "printf") || self.reads_own_text();
        let mut names = Vec::new();
        let mut operands = 0;
        for argument in flags::arguments(self.command.arguments(), values) {
            match argument {
                Argument::Option { name, value: Some(value), index } if options.contains(&&*name) => {
                    names.extend(self.computed(&self.value_word(&value, index), takes_own_text));
                }
                Argument::Option { .. } => {}
                Argument::Operand { word, .. } | Argument::Either { word, .. } => {
                    operands += 1;
                    // `read 'NAME?PROMPT'` in zsh, `getopts OPTIONS NAME`
                    let is_name = match own {
                        "getopts" => operands == 2,
                        "print" | "printf" | "wait" => false,
                        _ => true,
                    };
                    names.extend(is_name.then(|| self.computed(word, takes_own_text)).flatten());
                }
            }
        }
        names
    }

    /// Returns whether the command reads a text of the line itself, or from the network.
    fn reads_own_text(&self) -> bool {
        let reading = self.line.reading;
        let is_inline =
            |redirect: &Redirect| matches!(redirect.kind, RedirectKind::HereDocument | RedirectKind::HereString);
        match reading.input(self.id) {
            Input::Redirect(redirect) if is_inline(redirect) => true,
            Input::Inherited => false,
            _ => !self.are_printed_by_others(sources(self.line, self.id, By::Input).into_iter().collect()),
        }
    }

    /// Returns the variable of a word such as `NAME`, `NAME[0]` or `NAME=1`, whose value is computed or read. A name that is read
    /// from files is assumed to be harmless, as these could contain code, unless the value is a text of the line itself.
    fn computed(&self, word: &Word, takes_own_text: bool) -> Option<SetVariable> {
        let name = text_with_unknown(word);
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == UNKNOWN;
        let end = name.find(|letter| !is_of_name(letter)).unwrap_or(name.len());
        let variable = SetVariable::new(&name[..end], None, word.span);
        (end > 0 && (variable.is_known() || takes_own_text || !self.is_of_files(word))).then_some(variable)
    }

    /// Returns whether all values of a variable are known.
    fn is_chosen(&self, name: &str) -> bool {
        self.line.choice(name, self.command.scope).is_some_and(|choice| !choice.is_partial)
    }

    /// Returns whether a name is built from a variable whose values are known, so that other forms of the command have the names.
    fn is_known_loop(&self, variable: &SetVariable) -> bool {
        let words = self.command.arguments().iter().filter(|word| word.span == variable.span);
        let mut parts = words.flat_map(|word| &word.parts);
        let is_chosen = |part: &Part| matches!(part, Part::Variable { name, .. } if self.is_chosen(name));
        parts.any(is_chosen) && variable.name.matches(UNKNOWN).count() == 1
    }

    /// Returns whether a name and its value come from files, or from programs that print what they know: `export "$NAME=$VALUE"` in a
    /// loop over a file of variables. Such a name is accepted, because a user who runs the project's
    /// scripts trusts these files anyway.
    fn is_of_files(&self, word: &Word) -> bool {
        let end = word.parts.iter().position(has_equals).unwrap_or(word.parts.len());
        let is_text = |part: &&Part| matches!(part, Part::Literal { text, .. } if !matches!(text.as_str(), "" | "="));
        if word.parts[end..].iter().any(|part| is_text(&part)) {
            return false;
        }
        let mut unknown = word.parts[..end].iter().filter(|part| !matches!(part, Part::Literal { .. })).peekable();
        unknown.peek().is_some() && unknown.all(|part| self.part_is_of_files(part, end == word.parts.len()))
    }

    fn part_is_of_files(&self, part: &Part, is_whole: bool) -> bool {
        match part {
            Part::Substitution { .. } => {
                is_whole && self.are_printed_by_others(sources_of_part(self.line, self.id, part))
            }
            Part::Variable { name, operation: None, .. } => {
                let reading = self.line.reading;
                let mut setters = reading.ids().filter(|id| sets(reading.command(*id), name)).peekable();
                match setters.peek() {
                    // A value of the environment is one name, without a value.
                    None => {
                        is_whole
                            && name.starts_with(|first: char| first.is_ascii_alphabetic())
                            && !reading.assigned.contains_key(name)
                    }
                    Some(_) => setters.all(|id| self.are_values_of_files(id, name)),
                }
            }
            _ => false,
        }
    }

    /// Returns whether a command sets a variable to what it reads from files, or to the output of other programs.
    fn are_values_of_files(&self, id: CommandId, name: &str) -> bool {
        let (line, command) = (self.line, self.line.reading.command(id));
        let own = command.assignments.iter().filter(|assignment| assignment.name == name);
        let mut values = own.flat_map(|assignment| assignment.each.iter().chain([&assignment.value]));
        if !command.assignments.is_empty() && command.words.is_empty() {
            return values.all(|value| match value.parts.as_slice() {
                [part @ Part::Substitution { .. }] => self.are_printed_by_others(sources_of_part(line, id, part)),
                _ => false,
            });
        }
        match line.reading.input(id) {
            Input::Inherited => false,
            Input::Redirect(redirect) => {
                redirect.kind == RedirectKind::Read
                    && !redirect.target.parts.is_empty()
                    && self.are_printed_by_others(sources(line, id, By::Input).into_iter().collect())
            }
            Input::Commands(_) => self.are_printed_by_others(sources(line, id, By::Input).into_iter().collect()),
        }
    }

    /// Returns whether no text of the line itself, and none from the network, is among the output of commands.
    fn are_printed_by_others(&self, commands: Vec<CommandId>) -> bool {
        let is_inline =
            |redirect: &Redirect| matches!(redirect.kind, RedirectKind::HereDocument | RedirectKind::HereString);
        commands.into_iter().map(|id| self.line.reading.command(id)).all(|command| {
            command.program.name().is_some_and(|name| !PRINTERS.contains(&name))
                && !command.redirects.iter().any(is_inline)
        })
    }
}

/// Programs that print a text of their arguments, or one from the network.
const PRINTERS: &[&str] = &["base64", "curl", "echo", "nc", "print", "printf", "wget", "xxd", "yes"];

/// Builtins that set variables to what they compute or read, with the options whose values are names, and those that take values.
const READERS: &[(&str, &[&str], &[&str])] = &[
    ("getopts", &[], &[]),
    ("mapfile", &[], &["-C", "-O", "-c", "-d", "-n", "-s", "-u"]),
    ("print", &["-v"], &["-C", "-f", "-u", "-v", "-x", "-X"]),
    ("printf", &["-v"], &["-v"]),
    ("read", &["-a"], &["-N", "-a", "-d", "-i", "-k", "-n", "-p", "-t", "-u"]),
    ("readarray", &[], &["-C", "-O", "-c", "-d", "-n", "-s", "-u"]),
    ("vared", &["-a"], &["-M", "-a", "-f", "-i", "-m", "-p", "-r", "-t"]),
    ("wait", &["-p"], &["-p"]),
];

fn sources_of_part(line: &Line<'_>, id: CommandId, part: &Part) -> Vec<CommandId> {
    let word = Word { parts: vec![part.clone()], span: Span::default() };
    sources(line, id, By::Words(&[Cow::Owned(word)])).into_iter().collect()
}

/// Returns whether a command assigns a variable, or reads it.
fn sets(command: &Command, name: &str) -> bool {
    let is_reader = command.program.name().is_some_and(|own| matches!(own, "mapfile" | "read" | "readarray"));
    command.assignments.iter().any(|assignment| assignment.name == name)
        || is_reader && command.arguments().iter().any(|word| word.text().is_some_and(|text| text == name))
}

/// Returns whether an option of `set` exports a variable in fish: `set -gx NAME VALUE`.
fn is_export_of_fish(option: &str) -> bool {
    option == "--export" || option.starts_with('-') && option.contains('x') && option.len() <= MAX_FISH_OPTION
}

/// The maximum length of a cluster of options of `set` in fish.
const MAX_FISH_OPTION: usize = 4;

fn has_equals(part: &Part) -> bool {
    matches!(part, Part::Literal { text, .. } if text.contains('='))
}

/// Returns the variable that an operand of `export` sets. One without a `=` can have it in its unknown part.
fn declared(word: &Word) -> Option<SetVariable> {
    let may_assign = || word.text().is_none() && !word.parts.iter().any(has_equals);
    assigned(word).or_else(|| may_assign().then(|| SetVariable::new(&UNKNOWN.to_string(), None, word.span)))
}

/// Returns the variable that a word such as `NAME=VALUE` or `NAME+=VALUE` sets.
fn assigned(word: &Word) -> Option<SetVariable> {
    if !word.parts.iter().any(has_equals) {
        return None;
    }
    let name = text_with_unknown(word);
    let name = &name[..name.find('=')?];
    let known = word.certain_start();
    let value = known.find('=').map(|at| word.without_start(at + 1));
    let name = name.trim_end_matches('+').split('[').next().unwrap_or_default();
    Some(SetVariable::new(name, value.as_ref(), word.span))
}

/// Returns the variable to which `declare -n REFERENCE=NAME` gives another name, by which a later assignment sets it.
fn referenced(word: &Word) -> SetVariable {
    let text = text_with_unknown(word);
    let unknown = UNKNOWN.to_string();
    // Without a target, the first assignment gives one.
    let target = text.split_once('=').map_or(unknown.as_str(), |(_, target)| target);
    SetVariable::new(target.split('[').next().unwrap_or_default(), None, word.span)
}

/// Returns the text of a word, with [`UNKNOWN`] for each part that is known only at run time.
fn text_with_unknown(word: &Word) -> String {
    let mut text = String::new();
    for part in &word.parts {
        match part {
            Part::Literal { text: literal, .. } => text.push_str(literal),
            _ => text.push(UNKNOWN),
        }
    }
    text
}

/// Adds the variables that expansions assign.
fn add_expansions(parts: &[Part], span: Span, set: &mut Vec<SetVariable>) {
    for part in parts {
        match part {
            Part::Variable { name, operation: Some(operation), .. } => {
                let Operation { operator, operand } = &**operation;
                if operator.contains('=') {
                    let unknown = UNKNOWN.to_string();
                    let name = if operator.starts_with('!') { &unknown } else { name };
                    let value = Word { parts: operand.clone(), span };
                    set.push(SetVariable::new(name, Some(&value), span));
                }
                add_expansions(operand, span, set);
            }
            Part::Arithmetic { assigned, .. } => {
                set.extend(assigned.iter().map(|name| SetVariable::new(name, None, span)));
            }
            _ => {}
        }
    }
}
