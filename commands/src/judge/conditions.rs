//! Checks whether a command meets the conditions of a rule.

use std::borrow::Cow;

use crate::certainty::Match;
use crate::characters::UNKNOWN;
use crate::flags::{self, Argument, is_abbreviation};
use crate::judge::file::FileWord;
use crate::judge::sources::{By, sources};
use crate::judge::sql;
use crate::judge::subject::{INPUT_FILES, Subject, with_unknown};
use crate::reading::{Command, Input};
use crate::rules::{Conditions, ExpansionKind, InputKind, Place, Rule, RuleSet, ScriptEffect, Verdict, pattern};
use crate::span::Span;
use crate::syntax::{CommandId, Origin, Part, RedirectKind, ScopeKind, Word};

/// How a command meets the conditions of a rule.
#[derive(Debug, Clone)]
pub(crate) struct Matched {
    pub(crate) certainty: Match,
    /// The part of the command that meets the last condition, if it is only a part.
    pub(crate) span: Option<Span>,
    /// The file or folder that meets a condition, as an absolute path.
    pub(crate) path: Option<String>,
}

/// A check of one command, with its result so far.
pub(super) struct Check<'c, 'a> {
    ignore_case: bool,
    pub(super) rules: &'c RuleSet<'c>,
    pub(super) subject: &'c Subject<'a>,
    matched: Matched,
}

/// Returns how a command meets all conditions of a rule, or `None` if it does not. The caller has already compared the programs.
pub(crate) fn check(rule: &Rule<'_>, rules: &RuleSet<'_>, subject: &Subject<'_>) -> Option<Matched> {
    let conditions = &rule.conditions;
    let ignore_case = conditions.ignore_case;
    let mut check =
        Check { ignore_case, rules, subject, matched: Matched { certainty: Match::Yes, span: None, path: None } };
    check.all(conditions);
    if rule.verdict == Verdict::Allow && check.matched.certainty != Match::No {
        check.require(check.covers_all(conditions));
    }
    let needed = if conditions.certain_only { Match::Yes } else { Match::Maybe };
    (check.matched.certainty >= needed).then_some(check.matched)
}

/// Returns the name of an option of a rule, and the pattern for its value.
pub(super) fn split_flag(flag: &str) -> (&str, Option<&str>) {
    // A loop is faster than a search here, because names are short.
    let sign = flag.bytes().position(|byte| byte == b'=');
    sign.map_or((flag, None), |at| (&flag[..at], Some(&flag[at + 1..])))
}

impl<'a> Check<'_, 'a> {
    /// Checks the conditions, the cheap ones first.
    fn all(&mut self, wanted: &Conditions<'_>) {
        if !wanted.subcommands.is_empty() {
            let can_be_given = |words: &&&[&str]| self.ignore_case || self.subject.can_have_subcommand(words);
            let possible = wanted.subcommands.iter().filter(can_be_given);
            let found = Match::any(possible.map(|words| self.subcommand(words)));
            if !self.require(found) {
                return;
            }
        }
        if !wanted.flags.is_empty() {
            let (found, span) = self.any_flag(wanted.flags);
            if !self.require_at(found, span) {
                return;
            }
        }
        if self.has_excluding_flag(wanted.without_flags) {
            self.require(Match::No);
            return;
        }
        if !wanted.run_by.is_empty() {
            let is_run = self.subject.line.reading.wrappers(self.subject.id).any(|(wrapper, _)| {
                wrapper
                    .program
                    .name()
                    .is_some_and(|name| wanted.run_by.iter().any(|pattern| pattern::matches(pattern, name)))
            });
            if !self.require(is_run.into()) {
                return;
            }
        }
        if wanted.no_operands {
            let mut operands = self.subject.arguments.iter().filter_map(|argument| match argument {
                Argument::Operand { word, .. } => Some(*word),
                Argument::Option { .. } | Argument::Either { .. } => None,
            });
            // `python3 - ARGUMENT` reads its script from standard input, and `uv run -` has a subcommand.
            let is_input = |word: &Word| {
                word.certain_start().starts_with('-') || word.text().is_some_and(|text| INPUT_FILES.contains(&&*text))
            };
            let found = operands.next().is_none_or(is_input);
            if !self.require(found.into()) {
                return;
            }
        }
        if !wanted.arguments.is_empty() {
            let (found, span) = self.arguments(wanted.arguments);
            if !self.require_at(found, span) {
                return;
            }
        }
        if !wanted.expansions.is_empty() {
            let found = wanted.expansions.iter().any(|kind| self.has_expansion(*kind));
            if !self.require(found.into()) {
                return;
            }
        }
        if !wanted.variables.is_empty() {
            let (found, span) = self.variables(wanted.variables, wanted.without_variables);
            if !self.require_at(found, span) {
                return;
            }
        }
        if !wanted.input.is_empty() {
            let found = wanted.input.iter().any(|kind| self.has_input(*kind));
            if !self.require(found.into()) {
                return;
            }
        }
        if !wanted.statements.is_empty() {
            let found = Match::any(wanted.statements.iter().map(|statement| self.statement(*statement)));
            if !self.require(found) {
                return;
            }
        }
        if !wanted.script.is_empty() && !self.require(self.script(wanted.script)) {
            return;
        }
        if !wanted.input_lines.is_empty() {
            let found = self.input_lines(wanted.input_lines);
            if !self.require(found) {
                return;
            }
        }
        if wanted.forks_itself && !self.require(self.forks_itself().into()) {
            return;
        }
        self.places(wanted);
        if self.can_match() {
            self.sources(wanted);
        }
    }

    fn places(&mut self, wanted: &Conditions<'_>) {
        let subject = self.subject;
        let is_known = |file: &&FileWord| file.is_known();
        // Most substitutions stand for something unknown.
        let has_known_folder = |file: &&FileWord| !file.path.is_unknown();
        if !wanted.program_in.is_empty() {
            let has_folder = |part: &Part| matches!(part, Part::Literal { text, .. } if text.contains('/'));
            let program = subject.command.words.first().filter(|word| word.parts.iter().any(has_folder));
            self.in_places(wanted.program_in, &subject.files(program.map(Cow::Borrowed)));
        }
        if !wanted.operands_in.is_empty() && self.can_match() {
            let best = self.best_in_places(wanted.operands_in, subject.operand_files());
            self.require_best(best.or_appended(subject.command));
        }
        if !wanted.sources_in.is_empty() && self.can_match() {
            let sources = subject.operand_files().split_last().map_or(&[][..], |(_, sources)| sources);
            self.in_places(wanted.sources_in, sources.iter().filter(is_known));
        }
        if !wanted.values_in.is_empty() && self.can_match() {
            let options: Vec<&str> = wanted.flags.iter().map(|flag| split_flag(flag).0).collect();
            let values = subject.files(subject.mounted_words(&options));
            self.in_places(wanted.values_in, values.iter().filter(is_known));
        }
        if !wanted.directory_in.is_empty() && self.can_match() {
            let here = Word::plain(".", subject.command.span);
            let files = subject.files([Cow::Borrowed(&here)]);
            self.in_places(wanted.directory_in, files.iter().filter(is_known));
        }
        if !wanted.mentions.is_empty() && self.can_match() {
            self.in_places(wanted.mentions, subject.argument_files().iter().filter(is_known));
        }
        if !wanted.operands_outside.is_empty() && self.can_match() {
            self.outside_places(wanted.operands_outside);
        }
        if !wanted.writes.is_empty() && self.can_match() {
            self.in_places(wanted.writes, subject.written_files());
        }
        if !wanted.input_in.is_empty() && self.can_match() {
            self.in_places(wanted.input_in, subject.input_files().iter().filter(has_known_folder));
        }
        if !wanted.reads.is_empty() && self.can_match() {
            self.in_places(wanted.reads, subject.read_files().filter(has_known_folder));
        }
    }

    fn sources(&mut self, wanted: &Conditions<'_>) {
        if !wanted.input_from.is_empty() {
            let found = self.comes_from(wanted.input_from, By::Input);
            self.require(found.into());
        }
        if !wanted.file_from.is_empty() && self.can_match() {
            let files = self.run_files(wanted);
            let found = self.comes_from(wanted.file_from, By::Words(&files))
                || !wanted.flags.is_empty() && self.module_comes_from(wanted.file_from, &files);
            self.require(found.into());
        }
        if !wanted.input_only_from.is_empty() && self.can_match() {
            let found = self.comes_only_from(wanted.input_only_from);
            self.require(found.into());
        }
        if !wanted.program_from.is_empty() && self.can_match() {
            let found = match wanted.implicit_files {
                [] => self.comes_from(wanted.program_from, By::Program(&self.program_file())),
                names => self.comes_from(wanted.program_from, By::Names(names)),
            };
            self.require(found.into());
        }
    }

    /// Returns whether no condition has failed so far.
    fn can_match(&self) -> bool {
        self.matched.certainty != Match::No
    }

    /// Adds the result of a condition. Returns whether the rule can still match.
    fn require(&mut self, found: Match) -> bool {
        self.matched.certainty = self.matched.certainty & found;
        self.can_match()
    }

    fn require_at(&mut self, found: Match, span: Option<Span>) -> bool {
        if span.is_some() {
            self.matched.span = span;
        }
        self.require(found)
    }

    /// Returns whether the operands begin with these words, and the options among the words are given.
    pub(super) fn subcommand(&self, words: &[&str]) -> Match {
        let is_operand = |word: &&&str| !word.starts_with('-');
        // Most rules look for other subcommands, so this is decided first.
        if let (Some(first), Some(operand)) = (words.iter().find(is_operand), self.subject.first_operand)
            && self.matches(first, operand) == Match::No
        {
            let can_follow = self.subject.has_possible_value();
            return if can_follow { self.subcommand_after_values(words) } else { Match::No };
        }
        let mut operands = self.subject.operands();
        let exact = Match::all(words.iter().map(|word| {
            if word.starts_with('-') {
                return self.flag(word).0;
            }
            match operands.next() {
                Some(operand) => self.matches(word, operand),
                None if self.subject.command.appended => Match::Maybe,
                None => Match::No,
            }
        }));
        if exact == Match::Yes || !self.subject.has_possible_value() {
            return exact;
        }
        exact.max(self.subcommand_after_values(words))
    }

    /// Returns whether the words of a subcommand are given, if operands after options that the program table does not know are
    /// values of these options: `kubectl --unknown x delete`.
    fn subcommand_after_values(&self, words: &[&str]) -> Match {
        let wanted = words.iter().copied().filter(|word| !word.starts_with('-'));
        let is_given = |pattern: &str| self.subject.operands().any(|word| self.matches(pattern, word) != Match::No);
        if !wanted.clone().next().is_none_or(is_given) {
            return Match::No;
        }
        let wanted: Vec<&str> = wanted.collect();
        // How the operands so far match each number of words, if some of the operands are values.
        let mut reached = vec![Match::No; wanted.len() + 1];
        reached[0] = Match::Maybe;
        let mut follows_unknown = false;
        for argument in &self.subject.arguments {
            match argument {
                Argument::Option { name, value, .. } => {
                    follows_unknown = value.is_none() && self.subject.may_take_value(name);
                }
                Argument::Operand { word, .. } | Argument::Either { word, .. } => {
                    for (at, pattern) in wanted.iter().enumerate().rev() {
                        let next = reached[at] & self.matches(pattern, word);
                        reached[at + 1] = reached[at + 1].max(next);
                        if !follows_unknown {
                            reached[at] = Match::No;
                        }
                    }
                    follows_unknown = false;
                    if reached[..wanted.len()].iter().all(|found| *found == Match::No) {
                        break;
                    }
                }
            }
        }
        let found = reached.last().copied().unwrap_or(Match::No);
        found & Match::all(words.iter().filter(|word| word.starts_with('-')).map(|flag| self.flag(flag).0))
    }

    /// Returns whether one of these options is certainly given, and no later `--no-NAME` or `--NAME=false` cancels it.
    fn has_excluding_flag(&self, flags: &[&str]) -> bool {
        if flags.is_empty() {
            return false;
        }
        let mut is_given = flags.iter().any(|flag| self.flag(flag).0 == Match::Yes);
        if !is_given {
            return false;
        }
        for argument in &self.subject.arguments {
            let Argument::Option { name, value, .. } = argument else { continue };
            let is_one = |name: &str| flags.iter().any(|flag| is_abbreviation(name, split_flag(flag).0));
            let opposite = name.strip_prefix("--no-").map(|name| format!("--{name}"));
            let is_false = || {
                let flags::Value::Text(text) = value.as_ref()? else { return None };
                Some(matches!(&*text.to_ascii_lowercase(), "false" | "no" | "none" | "off" | "0"))
            };
            if opposite.is_some_and(|name| is_one(&name)) {
                is_given = false;
            } else if is_one(name) {
                is_given = !(name.starts_with("--") && is_false() == Some(true));
            }
        }
        is_given
    }

    /// Returns whether the script of the program has one of these effects.
    fn script(&self, wanted: &[ScriptEffect]) -> Match {
        let Some(effects) = self.subject.effects() else { return Match::No };
        Match::any(wanted.iter().map(|effect| match effect {
            ScriptEffect::RunsCommands => effects.runs.into(),
            ScriptEffect::Unknown => {
                if effects.unknown || effects.writes_more {
                    Match::Maybe
                } else {
                    Match::No
                }
            }
        }))
    }

    /// Returns whether a pattern matches a line of the standard input that the command line itself contains.
    fn input_lines(&self, patterns: &[&str]) -> Match {
        let line = self.subject.line;
        Match::any(self.input_texts().iter().map(|word| {
            let unknown = word.parts.iter().any(|part| line.can_be_anything(part));
            let text = with_placeholders(word);
            Match::any(text.lines().map(str::trim).filter(|line| line.contains(|letter| letter != UNKNOWN)).map(
                |line| {
                    let line = if self.ignore_case { line.to_lowercase() } else { line.to_owned() };
                    let found = Match::any(
                        patterns.iter().map(|pattern| pattern::matches_word(pattern, &with_unknown(&line, word.span))),
                    );
                    if found == Match::Maybe && !unknown { Match::No } else { found }
                },
            ))
        }))
    }

    /// Returns the texts on standard input that the line contains: here-documents, and what commands such as `echo` print. If others
    /// change a text on its way, it is included as it was.
    fn input_texts(&self) -> Vec<Cow<'a, Word>> {
        let reading = self.subject.line.reading;
        let is_text = |kind: RedirectKind| matches!(kind, RedirectKind::HereDocument | RedirectKind::HereString);
        let mut texts: Vec<Cow<'a, Word>> = Vec::new();
        if let Input::Redirect(redirect) = reading.input(self.subject.id)
            && is_text(redirect.kind)
        {
            texts.push(Cow::Borrowed(&redirect.target));
        }
        for id in sources(self.subject.line, self.subject.id, By::Input) {
            let command = reading.command(id);
            let inline = command.redirects.iter().filter(|redirect| is_text(redirect.kind));
            texts.extend(inline.map(|redirect| Cow::Borrowed(&redirect.target)));
            if matches!(command.program.name(), Some("echo" | "printf" | "print")) {
                let is_echo = command.program.name() == Some("echo");
                let is_option = |word: &&Word| is_echo && word.certain_start().starts_with('-');
                let printed = || command.arguments().iter().skip_while(is_option);
                if !is_echo {
                    texts.extend(printed().map(|word| Cow::Owned(without_escapes(word))));
                }
                let mut all = Word { parts: Vec::new(), span: command.span };
                for word in printed() {
                    all.parts.extend(without_escapes(word).parts);
                    all.parts.push(Part::Literal { text: " ".to_owned(), origin: Origin::Plain });
                }
                texts.push(Cow::Owned(all));
            }
        }
        texts
    }

    /// Returns whether one of these options is given, and where.
    fn any_flag(&self, flags: &[&str]) -> (Match, Option<Span>) {
        let mut best = (Match::No, None);
        for flag in flags.iter().filter(|flag| self.subject.can_have_option(flag)) {
            let found = self.flag(flag);
            if found.0 > best.0 {
                best = found;
            }
            if best.0 == Match::Yes {
                break;
            }
        }
        best
    }

    /// Returns whether an option is given, and where.
    pub(super) fn flag(&self, flag: &str) -> (Match, Option<Span>) {
        if !self.subject.can_have_option(flag) {
            return (Match::No, None);
        }
        let (name, value) = split_flag(flag);
        let words = self.subject.own_words();
        let mut best = (Match::No, None);
        let mut found = |found: Match, span: Span| {
            if found > best.0 {
                best = (found, Some(span));
            }
        };
        // `find -delete`: a long option with one dash.
        let is_single_dash = name.len() > 2 && !name.starts_with("--");
        if is_single_dash {
            let can_be = |word: &Word| match word.parts.as_slice() {
                [Part::Literal { text, .. }] => text.starts_with('-'),
                _ => true,
            };
            for (index, word) in words.iter().enumerate().filter(|(_, word)| can_be(word)) {
                let own = self.matches(name, word);
                let own = if own == Match::Maybe && !self.subject.can_be_option(word) { Match::No } else { own };
                found(own & self.value(value, None, index), word.span);
                // `go vet -vettool=FILE`
                if let Some((own, rest)) = word.certain_start().split_once('=') {
                    let is_whole = word.text().is_some();
                    let rest =
                        if is_whole { flags::Value::Text(rest.into()) } else { flags::Value::Built(rest.into()) };
                    let rest = Some(self.subject.value_word(&rest, index));
                    found(self.matches(name, &Word::plain(own, word.span)) & self.value(value, rest, index), word.span);
                }
            }
        }
        for argument in &self.subject.arguments {
            match argument {
                Argument::Option { name: own, value: own_value, index }
                    if !is_single_dash && is_abbreviation(own, name) =>
                {
                    let own_value = own_value.as_ref().map(|value| self.subject.value_word(value, *index));
                    found(self.value(value, own_value, *index), words[*index].span);
                }
                // `rebase -m -x COMMAND`: the first option may not take a value.
                Argument::Option { value: Some(flags::Value::Word(word)), index, .. }
                    if !is_single_dash && looks_like_option(word) =>
                {
                    let rest = &words[(*index + 1).min(words.len())..];
                    let options = self.subject.program.map_or(&[][..], |program| program.value_options);
                    for inner in flags::arguments(rest, options).take_while(|argument| position(argument) == 0) {
                        if let Argument::Option { name: own, value: own_value, .. } = inner
                            && is_abbreviation(&own, name)
                        {
                            let own_value = own_value.as_ref().map(|value| self.subject.value_word(value, *index + 1));
                            found(self.value(value, own_value, *index + 1).min(Match::Maybe), word.span);
                        }
                    }
                }
                Argument::Either { word, .. } if self.subject.can_be_option(word) => {
                    let splits = word.parts.iter().any(|part| part.splits() && !matches!(part, Part::Glob(_)));
                    // A short option can be part of a cluster, and a long one can have a value.
                    let start = match name.len() {
                        2 => "-*".to_owned(),
                        _ if is_single_dash => name.to_owned(),
                        _ => format!("{name}*"),
                    };
                    let could_be = splits || pattern::matches_word(&start, word) != Match::No;
                    found(if could_be { Match::Maybe } else { Match::No }, word.span);
                }
                _ => {}
            }
        }
        if best.0 == Match::No && self.subject.command.appended {
            return (Match::Maybe, None);
        }
        best
    }

    /// Returns whether the value of an option matches a pattern. `own` is the value in the option's own word; without it, the next
    /// argument is the value.
    pub(super) fn value(&self, wanted: Option<&str>, own: Option<Cow<'_, Word>>, index: usize) -> Match {
        let Some(wanted) = wanted else { return Match::Yes };
        match own {
            Some(word) => self.matches(wanted, &word),
            None => match self.subject.command.arguments().get(index + 1) {
                Some(next) => self.matches(wanted, next),
                None => Match::No,
            },
        }
    }

    fn arguments(&self, patterns: &[&str]) -> (Match, Option<Span>) {
        let mut best = (Match::No, None);
        for argument in &self.subject.arguments {
            let (word, is_option) = match argument {
                Argument::Operand { word, .. } | Argument::Either { word, .. } => (*word, false),
                // A negative number, such as `kill -1`, looks like an option.
                Argument::Option { index, .. } => (&self.subject.command.arguments()[*index], true),
            };
            for pattern in patterns.iter().filter(|pattern| !is_option || pattern.starts_with('-')) {
                let found = self.matches(pattern, word);
                // The output of another command is rarely what a rule looks for. The reader has replaced that of `echo`.
                let is_output = matches!(word.parts.as_slice(), [Part::Substitution { .. }]);
                let found = if is_output && found == Match::Maybe { Match::No } else { found };
                if found > best.0 {
                    best = (found, Some(word.span));
                }
            }
        }
        let elsewhere = self.subject.words_elsewhere();
        for word in elsewhere {
            for found in patterns.iter().map(|pattern| self.matches(pattern, word)) {
                let is_output = matches!(word.parts.as_slice(), [Part::Substitution { .. }]);
                let found = if is_output && found == Match::Maybe { Match::No } else { found };
                if found > best.0 {
                    best = (found, Some(word.span));
                }
            }
        }
        // The command as a whole: `git clean -f`.
        if let [first, _, ..] = elsewhere
            && best.0 != Match::Yes
        {
            let whole = Word::plain(&joined(elsewhere), first.span);
            if patterns.iter().any(|pattern| self.matches(pattern, &whole) == Match::Yes) {
                best = (Match::Yes, Some(first.span));
            }
        }
        if best.0 == Match::No && self.subject.command.appended {
            return (Match::Maybe, None);
        }
        best
    }

    fn has_expansion(&self, kind: ExpansionKind) -> bool {
        let is_kind = |part: &Part| match kind {
            ExpansionKind::Substitution => matches!(part, Part::Substitution { .. }),
            ExpansionKind::Variable => matches!(part, Part::Variable { .. }),
            ExpansionKind::Appended => false,
        };
        kind == ExpansionKind::Appended && self.subject.command.appended
            || self.subject.command.arguments().iter().flat_map(|word| &word.parts).any(is_kind)
    }

    /// Returns whether the command sets one of these variables: by an assignment, or by a builtin such as `export`.
    fn variables(&self, patterns: &[&str], except: &[&str]) -> (Match, Option<Span>) {
        let command = self.subject.command;
        let is_wanted = |name: &str, assignment: &str| {
            // A pattern with `=` is about the value, too.
            let is_met =
                |pattern: &&str| pattern::matches(pattern, if pattern.contains('=') { assignment } else { name });
            patterns.iter().any(is_met) && !except.iter().any(|pattern| pattern::matches(pattern, assignment))
        };
        let assigned = command.assignments.iter().find(|assignment| {
            // An exception applies only to a value that is certain.
            let value = text_below_home(&assignment.value).unwrap_or(Cow::Borrowed("\0"));
            is_wanted(&assignment.name, &format!("{}={value}", assignment.name))
        });
        if let Some(assignment) = assigned {
            return (Match::Yes, Some(assignment.span));
        }
        if !self.subject.sets_variables() {
            return (Match::No, None);
        }
        let mut computed = self.subject.computed_variables().into_iter();
        if let Some((_, span)) = computed.find(|(name, _)| is_wanted(name, &format!("{name}=\0"))) {
            return (Match::Yes, Some(span));
        }
        let found = command.arguments().iter().find(|word| {
            let start = word.certain_start();
            let whole = text_below_home(word).unwrap_or(Cow::Borrowed("\0"));
            start.split_once('=').is_some_and(|(name, _)| is_wanted(name.trim_end_matches('+'), &whole))
        });
        (found.is_some().into(), found.map(|word| word.span))
    }

    fn has_input(&self, kind: InputKind) -> bool {
        match self.subject.line.reading.input(self.subject.id) {
            Input::Inherited => false,
            Input::Commands(_) => kind == InputKind::Pipe,
            Input::Redirect(redirect) => match redirect.kind {
                RedirectKind::HereDocument | RedirectKind::HereString => kind == InputKind::Inline,
                _ => kind == InputKind::File,
            },
        }
    }

    /// Returns whether an argument, or inline input, contains a statement of SQL.
    fn statement(&self, statement: crate::rules::Statement) -> Match {
        let line = self.subject.line;
        let mut words: Vec<(Cow<'_, Word>, bool)> = Vec::new();
        for argument in &self.subject.arguments {
            match argument {
                Argument::Option { value: Some(value), index, .. } => {
                    let value = self.subject.value_word(value, *index);
                    // `-v NAME=STATEMENT`
                    let start = value.certain_start();
                    let name = start.split_once('=').map(|(name, _)| name);
                    let is_name = |name: &&str| name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
                    if let Some(name) = name.filter(is_name) {
                        words.push((Cow::Owned(value.without_start(name.len() + 1)), true));
                    }
                    words.push((value, true));
                }
                Argument::Option { .. } => {}
                Argument::Operand { word, .. } | Argument::Either { word, .. } => {
                    words.push((Cow::Borrowed(*word), false));
                }
            }
        }
        words.extend(self.input_texts().into_iter().map(|word| (word, true)));
        if self.subject.command.appended {
            return Match::Maybe;
        }
        Match::any(words.iter().map(|(word, is_text)| {
            if let Some(text) = word.text() {
                return sql::contains(&text, statement).into();
            }
            // Each expansion counts as one unknown name or value.
            let mut text = String::new();
            for part in &word.parts {
                match part {
                    Part::Literal { text: literal, .. } => text.push_str(literal),
                    _ => text.push_str(" x "),
                }
            }
            let unknown = word.parts.iter().any(|part| line.can_be_anything(part));
            let is_all_unknown = text.trim() == "x";
            match sql::contains(&text, statement) {
                true => Match::Yes,
                false if unknown && (is_all_unknown || sql_can_follow(&text)) => Match::Maybe,
                false if *is_text && is_all_unknown => Match::Maybe,
                false => Match::No,
            }
        }))
    }

    /// Returns whether the command is a function that calls itself in the background, or more than once in pipes.
    fn forks_itself(&self) -> bool {
        let reading = self.subject.line.reading;
        let Some(own) = self.subject.command.program.name() else { return false };
        let is_own = |kind: &ScopeKind| matches!(kind, ScopeKind::Function(name) if name == own);
        let calls = |kind: fn(&ScopeKind) -> bool| {
            let ids = reading.ids();
            let calls_itself = |id: &CommandId| {
                reading.command(*id).program.name() == Some(own)
                    && reading.is_in(*id, is_own)
                    && reading.is_in(*id, kind)
            };
            ids.filter(calls_itself).count()
        };
        reading.is_in(self.subject.id, is_own)
            && (calls(|kind| matches!(kind, ScopeKind::Background)) > 0
                || calls(|kind| matches!(kind, ScopeKind::PipelinePart)) > 1)
    }

    /// Requires that one of the files is in one of the places.
    fn in_places<'f>(&mut self, names: &[&str], files: impl IntoIterator<Item = &'f FileWord>) {
        let best = self.best_in_places(names, files);
        self.require_best(best);
    }

    fn best_in_places<'f>(&self, names: &[&str], files: impl IntoIterator<Item = &'f FileWord>) -> Best<'f> {
        let mut best = Best::default();
        for file in files {
            let found = file.is_in(names, self.rules, self.subject.line);
            if found > best.found {
                best = Best { found, file: Some(file) };
            }
        }
        best
    }

    fn require_best(&mut self, best: Best<'_>) {
        if let Some(path) = best.file.and_then(|file| file.path.text()) {
            self.matched.path = Some(path);
        }
        self.require_at(best.found, best.file.map(|file| file.span));
    }

    /// Returns the files that the command runs: the values of the options of the rule, or else the first operand after its
    /// subcommand.
    fn run_files(&self, wanted: &Conditions<'_>) -> Vec<Cow<'a, Word>> {
        let flags: Vec<&str> = wanted.flags.iter().map(|flag| split_flag(flag).0).collect();
        let values: Vec<_> = self.subject.values(&flags).collect();
        let mut operands = self.operands_after_subcommand(wanted);
        // `-i FILE`, where the option has no value.
        if wanted.flags.is_empty() {
            operands.truncate(1);
        }
        if values.is_empty() { operands } else { values }
    }

    /// Returns the file that is run, if the program is written with a folder. Empty otherwise.
    fn program_file(&self) -> Vec<Cow<'a, Word>> {
        let word = self.subject.command.words.first();
        let is_file = |word: &&Word| {
            word.parts.iter().any(|part| match part {
                Part::Literal { text, .. } => text.contains('/'),
                part => part.splits() || matches!(part, Part::Variable { .. } | Part::Substitution { .. }),
            })
        };
        word.filter(is_file).map(Cow::Borrowed).into_iter().collect()
    }

    /// Returns whether a command is one of these programs. A subcommand can follow the name of a program.
    fn is_program(&self, id: CommandId, programs: &[&str]) -> bool {
        let subject = Subject::new(self.subject.line, id);
        programs.iter().any(|program| {
            let mut words = program.split(' ');
            let name = words.next().unwrap_or_default();
            let mut operands = subject.operands();
            let is_given = |word: &str| {
                if word.starts_with('-') {
                    return subject.command.arguments().iter().any(|own| own.literal().as_deref() == Some(word));
                }
                operands.next().is_some_and(|operand| pattern::matches_word(word, operand) == Match::Yes)
            };
            let is_path = || subject.command.words.first().and_then(Word::text).is_some_and(|path| path == name);
            let is_named = if name.contains('/') { is_path() } else { subject.is_called(&[name]) };
            is_named && words.all(is_given)
        })
    }

    fn comes_from(&self, patterns: &[&str], by: By<'_>) -> bool {
        let found = sources(self.subject.line, self.subject.id, by);
        // The commands in a text that the line writes are judged instead.
        let read_texts = &self.subject.line.reading.read_texts;
        let is_read = |id: &CommandId| read_texts.contains(&(self.subject.id, *id));
        found.into_iter().any(|id| !is_read(&id) && self.is_program(id, patterns))
    }

    /// Returns whether a file that the value of an option names without its extension, as `python -m NAME` does, or together with
    /// the name of a setting, comes from one of these programs.
    fn module_comes_from(&self, patterns: &[&str], values: &[Cow<'_, Word>]) -> bool {
        values.iter().filter_map(|value| value.text()).any(|value| {
            let (name, setting) = value.split_once('=').unwrap_or((&value, ""));
            let file = [Cow::Owned(Word::plain(setting, Span::default()))];
            self.comes_from(patterns, By::Module(name))
                || !setting.is_empty() && self.comes_from(patterns, By::Words(&file))
        })
    }

    /// Returns whether a command runs an installed program: its name has no folder, or a pattern has the same, and the line defines
    /// no function or alias that could replace it.
    fn is_installed(&self, id: CommandId, patterns: &[&str]) -> bool {
        let reading = self.subject.line.reading;
        let word = reading.command(id).words.first().and_then(Word::text);
        let is_defined = |name: &str| {
            let is_function = |kind: &ScopeKind| matches!(kind, ScopeKind::Function(own) if own == name);
            reading.scopes.iter().any(|scope| is_function(&scope.kind))
                || reading.commands.iter().any(|command| matches!(command.program.name(), Some("alias" | "hash")))
        };
        let is_pattern = |name: &str| patterns.iter().any(|pattern| pattern.split(' ').next() == Some(name));
        word.is_some_and(|name| (!name.contains('/') || is_pattern(&name)) && !is_defined(&name))
    }

    /// Returns whether the command has sources, and all of them are these programs.
    fn comes_only_from(&self, patterns: &[&str]) -> bool {
        let found = sources(self.subject.line, self.subject.id, By::Both);
        let mut parts = self.subject.command.arguments().iter().flat_map(|word| &word.parts);
        let is_plain = |part: &Part| {
            matches!(part, Part::Substitution { .. } | Part::ProcessSubstitution { .. } | Part::Literal { .. })
        };
        // An argument can appear in the code that a program prints.
        let has_plain_arguments = |id: CommandId| {
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.,/=:@+".contains(letter);
            let mut arguments = self.subject.line.reading.command(id).arguments().iter();
            arguments.all(|word| word.text().is_some_and(|text| text.chars().all(is_plain)))
        };
        let is_trusted =
            |id| self.is_program(id, patterns) && self.is_installed(id, patterns) && has_plain_arguments(id);
        !found.is_empty() && found.into_iter().all(is_trusted) && parts.all(is_plain)
    }

    /// Returns whether a pattern matches a word. If only unset variables and numbers in the word are unknown, a possible match counts
    /// as none.
    pub(super) fn matches(&self, pattern: &str, word: &Word) -> Match {
        if let [Part::Literal { text, .. }] = word.parts.as_slice()
            && !(self.ignore_case && has_case(text))
        {
            return pattern::matches(pattern, text).into();
        }
        match self.compare(pattern, word) {
            Match::Maybe if !word.parts.iter().any(|part| self.subject.line.can_be_anything(part)) => Match::No,
            found => found,
        }
    }

    pub(super) fn compare(&self, pattern: &str, word: &Word) -> Match {
        let line = self.subject.line;
        let changes = |part: &Part| match part {
            Part::Literal { text, .. } => self.ignore_case && has_case(text),
            part => line.is_working_directory(part) || is_home(part),
        };
        if !word.parts.iter().any(changes) {
            return pattern::matches_word(pattern, word);
        }
        let mut word = word.clone();
        for part in &mut word.parts {
            if line.is_working_directory(part) {
                *part = Part::Literal { text: line.start_path().to_owned(), origin: Origin::Expanded };
            } else if is_home(part) {
                *part = Part::Literal { text: line.home_path(), origin: Origin::Expanded };
            }
            if let Part::Literal { text, .. } = part
                && self.ignore_case
            {
                *text = text.to_lowercase();
            }
        }
        pattern::matches_word(pattern, &word)
    }

    /// Requires that one of the operands is outside all of these places.
    fn outside_places(&mut self, names: &[&str]) {
        let places: Vec<&Place<'_>> = names.iter().filter_map(|name| self.rules.place(name)).collect();
        let mut best = Best::default();
        for file in self.subject.operand_files() {
            let outside = !Match::any(places.iter().map(|place| file.path.is_in(place, self.subject.line)));
            if outside > best.found {
                best = Best { found: outside, file: Some(file) };
            }
        }
        self.require_best(best.or_appended(self.subject.command));
    }
}

/// Returns whether a text has, or may have, letters in upper case.
fn has_case(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii())
}

/// The file that meets a condition best.
#[derive(Clone, Copy)]
struct Best<'f> {
    found: Match,
    file: Option<&'f FileWord>,
}

impl Default for Best<'_> {
    fn default() -> Self {
        Self { found: Match::No, file: None }
    }
}

impl Best<'_> {
    /// Includes the operands that are added at run time.
    fn or_appended(self, command: &Command) -> Self {
        if command.appended { Self { found: self.found.max(Match::Maybe), ..self } } else { self }
    }
}

/// Returns whether a word is a letter or a long name after a dash.
fn looks_like_option(word: &Word) -> bool {
    let start = word.certain_start();
    let name = start.strip_prefix("--").or_else(|| start.strip_prefix('-'));
    name.is_some_and(|name| name.starts_with(|first: char| first.is_ascii_alphabetic()))
        && !start.contains(char::is_whitespace)
}

/// Returns the position of an argument.
fn position(argument: &Argument<'_>) -> usize {
    match argument {
        Argument::Option { index, .. } | Argument::Operand { index, .. } | Argument::Either { index, .. } => *index,
    }
}

/// Returns the text of a word, with `~` for the home folder, and with [`UNKNOWN`] for other expansions.
fn with_placeholders(word: &Word) -> String {
    let mut text = String::new();
    for part in &word.parts {
        match part {
            Part::Literal { text: literal, .. } => text.push_str(literal),
            part if is_home(part) => text.push('~'),
            _ => text.push(UNKNOWN),
        }
    }
    text
}

/// Returns the certain parts of words, with a space between words.
fn joined(words: &[Word]) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        for part in &word.parts {
            match part {
                Part::Literal { text: literal, .. } => text.push_str(literal),
                _ => text.push(UNKNOWN),
            }
        }
    }
    text
}

/// Returns an argument of `echo` or `printf`, with a newline for each `\\n`.
fn without_escapes(word: &Word) -> Word {
    let mut word = word.clone();
    for part in &mut word.parts {
        if let Part::Literal { text, .. } = part
            && text.contains("\\n")
        {
            *text = text.replace("\\n", "\n");
        }
    }
    word
}

/// Returns whether a part of a word stands for the home folder.
fn is_home(part: &Part) -> bool {
    match part {
        Part::Tilde { user } => user.is_empty(),
        Part::Variable { name, operation: None, .. } => name == "HOME",
        _ => false,
    }
}

/// Returns the text of a word, if it is certain, with `~` for the home folder.
fn text_below_home(word: &Word) -> Option<Cow<'_, str>> {
    if !word.parts.iter().any(is_home) {
        return word.text();
    }
    let mut text = String::new();
    for part in &word.parts {
        match part {
            Part::Literal { text: literal, .. } => text.push_str(literal),
            part if is_home(part) => text.push('~'),
            _ => return None,
        }
    }
    Some(text.into())
}

/// Returns whether the last statement of the text has no words besides an unknown one, which can then be any statement.
fn sql_can_follow(text: &str) -> bool {
    let last = text.rsplit(';').next().unwrap_or_default().trim();
    last == "x" || last.is_empty()
}
