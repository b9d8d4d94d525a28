//! Checks whether a command meets the conditions of a rule.

use std::borrow::Cow;

use crate::certainty::Match;
use crate::flags::{Argument, has_dash};
use crate::judge::file::FileWord;
use crate::judge::links::makes_links;
use crate::judge::subject::{INPUT_FILES, Subject};
use crate::judge::text::is_home;
use crate::reading::{Command, Input};
use crate::rules::{Conditions, ExpansionKind, InputKind, Rule, RuleSet, ScriptEffect, Verdict, pattern};
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
    pub(super) ignore_case: bool,
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

impl Check<'_, '_> {
    /// Checks the conditions, the cheap ones first.
    fn all(&mut self, wanted: &Conditions<'_>) {
        if self.invocation(wanted) && self.arguments_and_variables(wanted) && self.inputs_and_statements(wanted) {
            self.places(wanted);
            if self.can_match() {
                self.sources(wanted);
            }
        }
    }

    /// Checks how the program is called. Returns whether the rule can still match.
    fn invocation(&mut self, wanted: &Conditions<'_>) -> bool {
        if !wanted.subcommands.is_empty() {
            let found = self.any_subcommand(wanted.subcommands);
            if !self.require(found) {
                return false;
            }
        }
        if !wanted.flags.is_empty() {
            let (found, span) = self.any_flag(wanted.flags);
            if !self.require_at(found, span) {
                return false;
            }
        }
        if self.has_excluding_flag(wanted.without_flags) {
            return self.require(Match::No);
        }
        if !wanted.only_flags.is_empty() && !self.require(self.has_only(wanted)) {
            return false;
        }
        wanted.run_by.is_empty() || self.require(self.is_run_by(wanted.run_by).into())
    }

    /// Checks the operands, the arguments and the variables. Returns whether the rule can still match.
    fn arguments_and_variables(&mut self, wanted: &Conditions<'_>) -> bool {
        if wanted.no_operands && !self.require(self.has_no_operands(wanted).into()) {
            return false;
        }
        if !wanted.arguments.is_empty() {
            let (found, span) = self.arguments(wanted.arguments);
            if !self.require_at(found, span) {
                return false;
            }
        }
        if !wanted.expansions.is_empty() {
            let found = wanted.expansions.iter().any(|kind| self.has_expansion(*kind));
            if !self.require(found.into()) {
                return false;
            }
        }
        if !wanted.folders_after.is_empty() {
            let (found, span) = self.folders_after(wanted.folders_after);
            if !self.require_at(found, span) {
                return false;
            }
        }
        if wanted.variables.is_empty() {
            return true;
        }
        let (found, span) = self.variables(wanted.variables, wanted.without_variables);
        self.require_at(found, span)
    }

    /// Checks the input of the program, the statements around it and its script. Returns whether the rule can still match.
    fn inputs_and_statements(&mut self, wanted: &Conditions<'_>) -> bool {
        if !wanted.input.is_empty() {
            let found = wanted.input.iter().any(|kind| self.has_input(*kind));
            if !self.require(found.into()) {
                return false;
            }
        }
        if !wanted.statements.is_empty() {
            let found = Match::any(wanted.statements.iter().map(|statement| self.statement(*statement)));
            if !self.require(found) {
                return false;
            }
        }
        if !wanted.script.is_empty() && !self.require(self.script(wanted.script)) {
            return false;
        }
        if !wanted.input_lines.is_empty() {
            let found = self.input_lines(wanted.input_lines);
            if !self.require(found) {
                return false;
            }
        }
        if wanted.own_processes {
            let (found, span) = self.own_processes();
            if !self.require_at(found, span) {
                return false;
            }
        }
        !wanted.forks_itself || self.require(self.forks_itself().into())
    }

    /// Returns whether a wrapper with one of these names runs the command.
    fn is_run_by(&self, names: &[&str]) -> bool {
        let is_one = |name| names.iter().any(|pattern| pattern::matches(pattern, name));
        let mut wrappers = self.subject.line.reading.wrappers(self.subject.id);
        wrappers.any(|(wrapper, _)| wrapper.program.name().is_some_and(is_one))
    }

    /// Returns whether the program has no operands after the subcommand, or reads its script from standard input.
    fn has_no_operands(&self, wanted: &Conditions<'_>) -> bool {
        let operands = self.subject.arguments.iter().filter_map(|argument| match argument {
            Argument::Operand { word, .. } => Some(*word),
            Argument::Option { .. } | Argument::Either { .. } => None,
        });
        let mut operands = operands.skip(self.operands_of_subcommand(wanted));
        // `python3 - ARGUMENT` reads its script from standard input, and `uv run -` has a subcommand.
        let is_input = |word: &Word| {
            has_dash(&word.certain_start()) || word.text().is_some_and(|text| INPUT_FILES.contains(&&*text))
        };
        operands.next().is_none_or(is_input)
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
            self.operands_in(wanted.operands_in);
        }
        if !wanted.sources_in.is_empty() && self.can_match() {
            let mut sources: Vec<_> = subject.operands().map(Cow::Borrowed).collect();
            // `ln -s TARGET`, `mv -t FOLDER SOURCE`
            let are_all = sources.len() == 1 && makes_links(subject.command)
                || subject.values(&["-t", "--target-directory"]).next().is_some();
            // `mv A F*`: a pattern can stand for several files, the last of which is the target.
            let is_pattern = |word: &Cow<'_, Word>| word.parts.iter().any(|part| matches!(part, Part::Glob(_)));
            if !are_all && !sources.last().is_some_and(is_pattern) {
                sources.pop();
            }
            sources.extend(subject.followed_links());
            self.in_places(wanted.sources_in, subject.files_to_read(&sources).iter().filter(is_known));
        }
        if !wanted.values_in.is_empty() && self.can_match() {
            let options: Vec<&str> = wanted.flags.iter().map(|flag| pattern::split_flag(flag).0).collect();
            let values = subject.files_to_read(&subject.mounted_words(&options));
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
        if !wanted.unpacks_into.is_empty() && self.can_match() {
            let folder = subject.unpacks_to().map(|(folder, _)| folder);
            self.in_places(wanted.unpacks_into, subject.files(folder).iter().filter(is_known));
        }
        if !wanted.input_in.is_empty() && self.can_match() {
            self.in_places(wanted.input_in, subject.input_files().iter().filter(has_known_folder));
        }
        if !wanted.reads.is_empty() && self.can_match() {
            self.in_places(wanted.reads, subject.read_files().filter(has_known_folder));
        }
    }

    /// Returns whether no condition has failed so far.
    pub(super) fn can_match(&self) -> bool {
        self.matched.certainty != Match::No
    }

    /// Adds the result of a condition. Returns whether the rule can still match.
    pub(super) fn require(&mut self, found: Match) -> bool {
        self.matched.certainty = self.matched.certainty & found;
        self.can_match()
    }

    fn require_at(&mut self, found: Match, span: Option<Span>) -> bool {
        if span.is_some() {
            self.matched.span = span;
        }
        self.require(found)
    }

    /// Returns whether the script of the program has one of these effects.
    fn script(&self, wanted: &[ScriptEffect]) -> Match {
        let Some(effects) = self.subject.effects() else { return Match::No };
        Match::any(wanted.iter().map(|effect| match effect {
            ScriptEffect::RunsCommands => effects.runs.into(),
            ScriptEffect::Unknown => {
                if effects.unknown {
                    Match::Maybe
                } else {
                    Match::No
                }
            }
        }))
    }

    fn has_expansion(&self, kind: ExpansionKind) -> bool {
        let line = self.subject.line;
        let is_output = |part: &Part| matches!(part, Part::Substitution { .. });
        let is_kind = |part: &Part| match (kind, part) {
            // `X=$(COMMAND); program "$X"`
            (ExpansionKind::Substitution, Part::Variable { name, operation: None, .. }) => {
                line.only_value(name).is_some_and(|value| value.parts.iter().any(is_output))
            }
            (ExpansionKind::Substitution, part) => is_output(part),
            (ExpansionKind::Variable, part) => matches!(part, Part::Variable { .. }),
            (ExpansionKind::Appended, _) => false,
        };
        kind == ExpansionKind::Appended && self.subject.command.appended
            || self.subject.command.arguments().iter().flat_map(|word| &word.parts).any(is_kind)
    }

    /// Returns whether the command sets one of these variables.
    fn variables(&self, patterns: &[&str], except: &[&str]) -> (Match, Option<Span>) {
        let set = self.subject.set_variables().iter();
        let found = set.map(|variable| (variable.is_one(patterns, except), Some(variable.span)));
        found.rev().max_by_key(|(found, _)| *found).filter(|(found, _)| *found > Match::No).unwrap_or((Match::No, None))
    }

    fn has_input(&self, kind: InputKind) -> bool {
        match self.subject.line.reading.input(self.subject.id) {
            Input::Inherited => false,
            Input::Commands(_) => kind == InputKind::Pipe,
            Input::Redirect(redirect) => match redirect.kind {
                RedirectKind::HereDocument | RedirectKind::HereString => kind == InputKind::Inline,
                // Nothing is read from there.
                _ if redirect.target.text().as_deref() == Some("/dev/null") => false,
                _ => kind == InputKind::File,
            },
        }
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

    /// Requires that an operand is in one of these places, or a file that the command finds in one.
    fn operands_in(&mut self, names: &[&str]) {
        let subject = self.subject;
        let found = subject.files_to_read(&subject.followed_links());
        let best = self.best_in_places(names, subject.operand_files().iter().chain(&found));
        self.require_best(best.or_appended(subject.command));
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

    /// Returns whether a pattern matches a word. If only unset variables and numbers in the word are unknown, a possible match counts
    /// as none.
    pub(super) fn matches(&self, pattern: &str, word: &Word) -> Match {
        if let [Part::Literal { text, .. }] = word.parts.as_slice() {
            let matches = if self.ignore_case { pattern::matches_lowercase } else { pattern::matches };
            return matches(pattern, text).into();
        }
        match self.compare(pattern, word) {
            Match::Maybe if !word.parts.iter().any(|part| self.subject.line.can_be_anything(part)) => {
                self.matches_as_written(pattern, word).into()
            }
            found => found,
        }
    }

    /// Returns whether a word with patterns matches as it is written, which a shell passes on if no file has such a name. Only words
    /// with a colon count, as names of files rarely have one: `+refs/heads/*:refs/heads/*`.
    fn matches_as_written(&self, pattern: &str, word: &Word) -> bool {
        let text = word.pattern_text().filter(|text| text.contains(':'));
        text.is_some_and(|text| pattern::matches(pattern, &if self.ignore_case { text.to_lowercase() } else { text }))
    }

    pub(super) fn compare(&self, pattern: &str, word: &Word) -> Match {
        let line = self.subject.line;
        let changes = |part: &Part| match part {
            Part::Literal { text, .. } => self.ignore_case && pattern::has_case(text),
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
        let places: Vec<usize> = names.iter().filter_map(|name| self.rules.place_index(name)).collect();
        let mut best = Best::default();
        for file in self.subject.operand_files() {
            let outside = file.is_outside(&places, self.rules, self.subject.line);
            if outside > best.found {
                best = Best { found: outside, file: Some(file) };
            }
        }
        self.require_best(best.or_appended(self.subject.command));
    }
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
