//! Opens wrappers: finds commands and code in the arguments of a program.

use super::Unfolder;
use crate::characters::UNKNOWN;
use crate::doubt::DoubtKind;
use crate::flags::{self, Argument, Value, is_abbreviation};
use crate::programs::{CodeShell, Program, Rest, Runs, SHELL, program_name, scoped_name};
use crate::reading::How;
use crate::span::Span;
use crate::syntax::{Assignment, Origin, Part, Word};
use crate::unfold::after::After;
use crate::unfold::shells::CodeFile;
use crate::work::COPY;

/// The maximum number of `env -S` in the values of others.
const MAX_SPLITS: usize = 8;
/// Programs that add a file to a command without a placeholder.
const APPENDING: &[&str] = &["fd"];

/// What a wrapper has before the command that it runs.
#[derive(Default)]
struct BeforeCommand {
    assignments: Vec<Assignment>,
    /// The text that stands for the input in the command.
    placeholder: Option<String>,
    /// The position of the command, if there is one.
    end: Option<usize>,
}

impl Unfolder<'_> {
    /// Adds everything that a command runs, as its program declares.
    pub(super) fn open(&mut self, index: usize, program: &Program<'_>) {
        // Taken, because adding commands borrows `self`.
        let words = std::mem::take(&mut self.reading.commands[index].words);
        let name = self.reading.commands[index].program.name().unwrap_or_default().to_owned();
        if !program.directory_options.is_empty() {
            self.record_directory(index, &words[1..], program);
        }
        for runs in program.runs {
            let arguments = &words[1..];
            if !self.spend(1 + arguments.len()) {
                break;
            }
            match runs {
                Runs::Rest(rest) => self.open_rest(index, arguments, program, rest),
                Runs::Code { options, shell, first_operand: true, .. } => {
                    self.open_shell(index, arguments, program, options, *shell);
                }
                Runs::Code { after: [], options, shell, .. } => {
                    self.open_value(index, arguments, program, options, *shell);
                }
                Runs::Code { after, options, shell, .. } => {
                    // Most commands have none of the options, which takes less time to see than where the operands end.
                    if arguments.iter().any(|word| start(word, options, program).is_some())
                        && let Some(at) = end_of_operands(arguments, program, after)
                    {
                        self.open_value_after(index, &arguments[at..], program, options, *shell);
                    }
                }
                Runs::Joined { after, skip, shell, unless } => {
                    if let Some(at) = operand(arguments, program, after, *skip, unless) {
                        self.read_words(index, &arguments[at..], *shell);
                    }
                    let can_follow = || after.is_empty() || can_be_completed(arguments, program, after);
                    if self.reading.commands[index].appended && can_follow() {
                        // `parallel eval ::: CODE`
                        self.doubt(DoubtKind::BuiltCode, self.reading.commands[index].span);
                    }
                }
                Runs::Operand { skip, shell } => {
                    if let Some(at) = operand(arguments, program, &[], *skip, &[])
                        && arguments[at].literal().as_deref() != Some("-")
                    {
                        self.read_words(index, &arguments[at..=at], *shell);
                    }
                }
                Runs::Between { starts, ends, placeholder } => {
                    self.open_between(index, arguments, program, &Between { starts, ends, placeholder });
                }
                Runs::Input { shell } => self.open_input(index, arguments, program, *shell),
                Runs::Session(session) => self.open_session(index, arguments, program, session),
                Runs::File { after: [], options: [], unless: [] } if SHELL.get(&name).is_some() => {
                    self.open_file(index, arguments, program);
                }
                Runs::File { after, options, unless } => {
                    self.open_code_file(index, arguments, program, &CodeFile { after, options, unless });
                }
            }
        }
        self.reading.commands[index].words = words;
    }

    fn open_rest(&mut self, index: usize, arguments: &[Word], program: &Program<'_>, rest: &Rest<'_>) {
        let mut split = None;
        for _ in 0..MAX_SPLITS {
            match self.open_rest_once(index, split.as_deref().unwrap_or(arguments), program, rest) {
                Some(words) => split = Some(words),
                None => return,
            }
        }
        self.doubt(DoubtKind::BuiltCode, self.reading.commands[index].span);
    }

    /// Opens a wrapper. If an option is split into several arguments (`env -S 'A=1 COMMAND'`), returns the new arguments to open
    /// instead.
    fn open_rest_once(
        &mut self,
        index: usize,
        arguments: &[Word],
        program: &Program<'_>,
        rest: &Rest<'_>,
    ) -> Option<Vec<Word>> {
        let mut skip = rest.skip;
        let mut after = After::new(rest.after);
        let mut before = BeforeCommand::default();
        for argument in flags::arguments(arguments, program.value_options) {
            if let Some(word) = assigned_word(&argument).filter(|_| rest.assignments) {
                before.assignments.push(self.assignment_of(word)?);
                if !word.starts_with_expansion() || !word.splits() {
                    continue;
                }
            }
            match argument {
                Argument::Option { name, value, index: at } => {
                    let is_one = |options: &[&str]| options.iter().any(|option| is_abbreviation(&name, option));
                    if is_one(rest.unless) {
                        return None;
                    }
                    if is_one(rest.options) {
                        self.open_named(index, arguments, at, value.as_ref(), rest);
                        return None;
                    }
                    if is_one(rest.placeholder) {
                        before.placeholder = Some(placeholder_of(value.as_ref()));
                    }
                    if is_one(rest.split) {
                        return Some(self.split_option(arguments, at, value, &before.assignments));
                    }
                }
                Argument::Operand { word, .. } if rest.assignments && word.literal().as_deref() == Some("-") => {}
                Argument::Operand { word, .. } if !after.is_met() => after.add(word),
                Argument::Operand { .. } if skip > 0 => skip -= 1,
                Argument::Operand { index: at, .. } => {
                    before.end = Some(at);
                    break;
                }
                Argument::Either { .. } if !after.is_met() => {}
                // It may be an option, an assignment or the program.
                Argument::Either { index: at, .. } => {
                    if skip > 0 && !arguments[at].splits() {
                        skip -= 1;
                    } else if self.runs_word(&arguments[at], rest) {
                        // Without it, a limit is exceeded.
                        self.add_command(index, arguments[at..].to_vec(), How::Arguments)?;
                    }
                }
            }
        }
        if rest.options.is_empty() && (before.end.is_some() || can_follow(arguments, program, rest)) {
            self.add_wrapped(index, arguments, before, rest);
        }
        None
    }

    /// Reads an operand such as `NAME=VALUE`. Returns `None` if a limit is exceeded.
    fn assignment_of(&mut self, word: &Word) -> Option<Assignment> {
        if !self.spend(COPY * (1 + word.parts.len())) {
            return None;
        }
        let mut name = String::new();
        let mut value = Word { parts: Vec::new(), span: word.span };
        for (at, part) in word.parts.iter().enumerate() {
            match part {
                Part::Literal { text, origin } => {
                    if let Some((end, rest)) = text.split_once('=') {
                        name.push_str(end);
                        value.parts.push(Part::Literal { text: rest.to_owned(), origin: *origin });
                        value.parts.extend_from_slice(&word.parts[at + 1..]);
                        break;
                    }
                    name.push_str(text);
                }
                _ => name.push(UNKNOWN),
            }
        }
        Some(Assignment { name, array: false, append: false, value, each: Vec::new(), span: word.span })
    }

    /// Opens a wrapper with an option whose value is the program, such as `python -m MODULE`.
    fn open_named(&mut self, index: usize, arguments: &[Word], at: usize, value: Option<&Value<'_>>, rest: &Rest<'_>) {
        let (program, next) = match value {
            Some(Value::Word(word)) => ((*word).clone(), at + 2),
            Some(Value::Text(text)) => (Word::plain(text, arguments[at].span), at + 1),
            Some(Value::Built(_)) | None => return,
        };
        let others = arguments[next.min(arguments.len())..].iter().cloned();
        let words: Vec<Word> = [program].into_iter().chain(others).collect();
        self.add_wrapped(index, &words, BeforeCommand { end: Some(0), ..BeforeCommand::default() }, rest);
    }

    /// Returns whether a wrapper runs a command that begins with this word, and not a subcommand or a script of its own.
    fn runs_word(&self, word: &Word, rest: &Rest<'_>) -> bool {
        if !rest.known && rest.except.is_empty() {
            return true;
        }
        let Some(text) = word.text() else { return !rest.known };
        if rest.except.contains(&&*text) {
            return false;
        }
        let is_known = |name: &str| self.programs.get(name).is_some();
        !rest.known || is_known(program_name(&text)) || scoped_name(&text).is_some_and(is_known)
    }

    /// Adds the command that a wrapper runs.
    fn add_wrapped(&mut self, index: usize, arguments: &[Word], before: BeforeCommand, rest: &Rest<'_>) {
        let BeforeCommand { assignments, placeholder, end } = before;
        if end.is_some_and(|at| !self.runs_word(&arguments[at], rest)) {
            return;
        }
        let mut words = end.map_or_else(Vec::new, |at| arguments[at..].to_vec());
        if rest.prefixed {
            remove_prefix(&mut words);
        }
        if rest.separator && words.get(1).is_some_and(|word| word.literal().as_deref() == Some("--")) {
            words.remove(1);
        }
        let is_known = rest.appends && self.open_list(index, arguments, &words, placeholder.as_deref());
        if let Some(placeholder) = &placeholder {
            for word in &mut words {
                replace(word, placeholder, false);
            }
        }
        let appends = rest.appends && placeholder.is_none() && !is_known || self.reading.commands[index].appended;
        if words.is_empty() {
            if appends && !rest.appends {
                // `xargs env`: the program comes from the input.
                self.add_command(index, vec![unknown(self.reading.commands[index].span)], How::Arguments);
            }
            return;
        }
        let Some(added) = self.add_command(index, words, How::Arguments) else { return };
        for assignment in assignments.iter().filter(|assignment| !assignment.name.contains(UNKNOWN)) {
            self.variables.assign(&assignment.name, self.infos[added].dialects, true);
        }
        let command = &mut self.reading.commands[added];
        command.assignments = assignments;
        command.appended |= appends;
    }

    /// Returns the arguments with the words of an option such as `env -S` in its place.
    fn split_option(
        &mut self,
        arguments: &[Word],
        at: usize,
        value: Option<Value<'_>>,
        assignments: &[Assignment],
    ) -> Vec<Word> {
        let (word, next) = match value {
            Some(Value::Word(word)) => (word.clone(), at + 2),
            Some(Value::Text(text)) => (Word::plain(&text, arguments[at].span), at + 1),
            Some(Value::Built(_)) | None => (unknown(arguments[at].span), at + 1),
        };
        let words = self.split_words(&word).into_iter().chain(assigned(assignments));
        words.chain(arguments[next.min(arguments.len())..].iter().cloned()).collect()
    }

    /// Splits the value of `env -S`.
    fn split_words(&mut self, value: &Word) -> Vec<Word> {
        let Some(text) = value.text() else {
            self.doubt(DoubtKind::BuiltCode, value.span);
            return vec![unknown(value.span)];
        };
        if text.contains(['\\', '$', '\'', '"', '#']) {
            self.doubt(DoubtKind::BuiltCode, value.span);
        }
        let words = text.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
        words.map(|word| Word::plain(word, value.span)).collect()
    }

    /// Opens `su -c CODE`.
    fn open_value(
        &mut self,
        index: usize,
        arguments: &[Word],
        program: &Program<'_>,
        options: &[&str],
        shell: CodeShell,
    ) {
        for argument in flags::arguments(arguments, program.value_options) {
            let Argument::Option { name, value, index: at } = argument else { continue };
            if !options.iter().any(|option| is_abbreviation(&name, option)) {
                continue;
            }
            match value {
                Some(Value::Word(word)) => self.read_words(index, std::slice::from_ref(word), shell),
                Some(Value::Text(text)) => {
                    let word = Word::plain(&text, arguments[at].span);
                    self.read_words(index, &[word], shell);
                }
                Some(Value::Built(_)) => self.doubt(DoubtKind::BuiltCode, arguments[at].span),
                None => {}
            }
        }
        // `su USER -- -c CODE`: the arguments after `--` are for the shell.
        let end = arguments.iter().position(|word| word.literal().as_deref() == Some("--"));
        if let Some(rest) = end.map(|end| &arguments[end + 1..]).filter(|rest| !rest.is_empty())
            && self.spend(rest.len())
        {
            self.open_value(index, rest, program, options, shell);
        }
    }

    /// Opens `git rebase -x CODE`, where the words follow `rebase`.
    fn open_value_after(
        &mut self,
        index: usize,
        words: &[Word],
        program: &Program<'_>,
        options: &[&str],
        shell: CodeShell,
    ) {
        for (at, word) in words.iter().enumerate() {
            match start(word, options, program) {
                Some(code) if code.is_empty() => {
                    self.read_words(index, words.get(at + 1..at + 2).unwrap_or_default(), shell);
                }
                Some(code) => self.read_words(index, &[Word::plain(&code, word.span)], shell),
                None => {}
            }
        }
    }

    /// Opens `find -exec COMMAND ;`.
    fn open_between(&mut self, index: usize, arguments: &[Word], program: &Program<'_>, between: &Between<'_>) {
        let Between { starts, ends, placeholder } = *between;
        let mut at = 0;
        while at < arguments.len() {
            let is_end = |word: &Word| word.text().is_some_and(|text| ends.contains(&&*text));
            let Some(value) = start(&arguments[at], starts, program) else {
                at += 1;
                continue;
            };
            let rest = &arguments[at + 1..];
            let (mut words, many) = if value.is_empty() {
                let length = rest.iter().position(is_end).unwrap_or(rest.len());
                at += length + 1;
                (rest[..length].to_vec(), rest.get(length).is_some_and(|end| end.text().as_deref() == Some("+")))
            } else {
                at += 1;
                (vec![Word::plain(&value, arguments[at - 1].span)], false)
            };
            // `fd -x COMMAND`: without a placeholder, a file follows the command.
            let is_placeholder = |word: &Word| word.text().is_some_and(|text| text.contains(['{', '}']));
            if APPENDING.contains(&program.name) && !words.is_empty() && !words.iter().any(is_placeholder) {
                words.push(Word::plain(placeholder, arguments[0].span));
            }
            for word in &mut words {
                replace(word, placeholder, many);
            }
            if !words.is_empty() {
                self.add_command(index, words, How::Arguments);
            }
        }
    }
}

/// The fields of [`Runs::Between`].
struct Between<'t> {
    starts: &'t [&'t str],
    ends: &'t [&'t str],
    placeholder: &'t str,
}

/// Removes the environments before a command: the name and colon of `ENVIRONMENT:COMMAND`, and selectors such as `+py=3.12`.
fn remove_prefix(words: &mut Vec<Word>) {
    let selectors = words.iter().take_while(|word| word.certain_start().starts_with('+')).count();
    words.drain(..selectors);
    let Some(first) = words.first_mut() else { return };
    let Some(colon) = first.certain_start().find(':') else { return };
    *first = first.without_start(colon + 1);
    if first.literal().is_some_and(|text| text.is_empty()) {
        words.remove(0);
    }
}

/// Returns what follows an option that begins a command, in its own word: nothing in `-x COMMAND` and `-Hx COMMAND`, and the
/// program in `-xCOMMAND` and `--exec=COMMAND`. Returns `None` if the word is not such an option.
fn start(word: &Word, starts: &[&str], program: &Program<'_>) -> Option<String> {
    let text = word.text()?;
    if starts.contains(&&*text) {
        return Some(String::new());
    }
    if text.starts_with("--") {
        let (name, value) = text.split_once('=')?;
        return starts.contains(&name).then(|| value.to_owned());
    }
    let cluster = text.strip_prefix('-')?;
    for (at, letter) in cluster.char_indices() {
        let option = format!("-{letter}");
        if starts.contains(&option.as_str()) {
            return Some(cluster[at + letter.len_utf8()..].to_owned());
        }
        if program.value_options.contains(&option.as_str()) {
            return None;
        }
    }
    None
}

/// Returns assignments as words, as they were written.
fn assigned(assignments: &[Assignment]) -> impl Iterator<Item = Word> {
    assignments.iter().map(|assignment| {
        let mut word = Word::plain(&format!("{}=", assignment.name), assignment.span);
        word.parts.extend(assignment.value.parts.iter().cloned());
        word
    })
}

/// Returns the text that the value of an option such as `xargs -I` makes the placeholder.
fn placeholder_of(value: Option<&Value<'_>>) -> String {
    let text = match value {
        Some(Value::Word(word)) => word.text().map(std::borrow::Cow::into_owned),
        Some(Value::Text(text)) => Some(text.clone().into_owned()),
        _ => None,
    };
    text.filter(|text| !text.is_empty()).unwrap_or_else(|| "{}".to_owned())
}

/// Returns the word of an argument such as `NAME=VALUE`. The name can be an expansion.
fn assigned_word<'w>(argument: &Argument<'w>) -> Option<&'w Word> {
    let (Argument::Operand { word, .. } | Argument::Either { word, .. }) = argument else { return None };
    let has_equals = |part: &Part| matches!(part, Part::Literal { text, .. } if text.contains('='));
    word.parts.iter().any(has_equals).then_some(*word)
}

fn unknown(span: Span) -> Word {
    Word { parts: vec![Part::Unknown { splits: true }], span }
}

/// Returns the index of the operand that follows one of `after`, if there are any, and then `skip` others. Returns `None` if an
/// option of `unless` is given.
fn operand(
    arguments: &[Word],
    program: &Program<'_>,
    after: &[&str],
    mut skip: usize,
    unless: &[&str],
) -> Option<usize> {
    let mut after = After::new(after);
    for argument in flags::arguments(arguments, program.value_options) {
        match argument {
            Argument::Option { name, .. } if unless.iter().any(|option| is_abbreviation(&name, option)) => return None,
            Argument::Option { .. } => {}
            Argument::Operand { word, .. } | Argument::Either { word, .. } if !after.is_met() => after.add(word),
            Argument::Operand { .. } | Argument::Either { .. } if skip > 0 => skip -= 1,
            Argument::Operand { index, .. } | Argument::Either { index, .. } => return Some(index),
        }
    }
    None
}

/// Returns whether arguments that are added can be the command. A single word of `after` can follow what only looks like an operand, such as
/// the value of an option that the table does not know.
fn can_follow(arguments: &[Word], program: &Program<'_>, rest: &Rest<'_>) -> bool {
    let are_all_long = !rest.after.is_empty() && rest.after.iter().all(|words| words.contains(' '));
    !are_all_long || can_be_completed(arguments, program, rest.after)
}

/// Returns whether arguments that are added can complete one of `after`: its last word, or one before it, is the last operand.
fn can_be_completed(arguments: &[Word], program: &Program<'_>, after: &[&str]) -> bool {
    let operands = flags::arguments(arguments, program.value_options).filter_map(|argument| match argument {
        Argument::Operand { word, .. } | Argument::Either { word, .. } => Some(word),
        Argument::Option { .. } => None,
    });
    let Some(last) = operands.last() else { return true };
    after.iter().flat_map(|words| words.split(' ')).any(|word| last.could_be(word))
}

/// Returns the index after the operand that ends one of `after`.
fn end_of_operands(arguments: &[Word], program: &Program<'_>, after: &[&str]) -> Option<usize> {
    let mut after = After::new(after);
    flags::arguments(arguments, program.value_options).find_map(|argument| {
        let (Argument::Operand { word, index } | Argument::Either { word, index }) = argument else { return None };
        after.add(word);
        after.is_met().then_some(index + 1)
    })
}

/// Replaces a text in a word by an unknown one.
fn replace(word: &mut Word, placeholder: &str, splits: bool) {
    if placeholder.is_empty() {
        return;
    }
    let has = |part: &Part| matches!(part, Part::Literal { text, .. } if text.contains(placeholder));
    if !word.parts.iter().any(has) {
        // Literal braces are separate parts.
        match word.text() {
            Some(text) if text.contains(placeholder) => {
                word.parts = vec![Part::Literal { text: text.into_owned(), origin: Origin::Plain }];
            }
            _ => return,
        }
    }
    let parts = std::mem::take(&mut word.parts);
    for part in parts {
        match part {
            Part::Literal { text, origin } if text.contains(placeholder) => {
                for (index, piece) in text.split(placeholder).enumerate() {
                    if index > 0 {
                        word.parts.push(Part::Unknown { splits });
                    }
                    if !piece.is_empty() {
                        word.parts.push(Part::Literal { text: piece.to_owned(), origin });
                    }
                }
            }
            part => word.parts.push(part),
        }
    }
}
