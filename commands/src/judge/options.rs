//! Checks which subcommand, options and arguments a command has.

use std::borrow::Cow;

use crate::certainty::Match;
use crate::flags::{self, Argument, has_dash, is_abbreviation};
use crate::judge::conditions::Check;
use crate::judge::text::with_placeholders;
use crate::rules::pattern;
use crate::span::Span;
use crate::syntax::{Part, Word};

impl Check<'_, '_> {
    /// Returns whether one of these subcommands is given.
    pub(super) fn any_subcommand(&self, subcommands: &[&[&str]]) -> Match {
        let mut found = Match::No;
        // The subcommands of a rule often begin with the same word, and most rules look for other ones.
        let mut last: Option<(&str, bool)> = None;
        for words in subcommands {
            let first = words.first().copied().filter(|word| !has_dash(word));
            let can_begin = first.is_none_or(|first| match last {
                Some((word, can_begin)) if word == first => can_begin,
                _ => self.can_begin_subcommand(first),
            });
            last = first.map(|first| (first, can_begin));
            if can_begin {
                found = found.max(self.subcommand(words));
            }
        }
        found
    }

    /// Returns whether this can be the first word of a subcommand. Words that are not certain can be any.
    fn can_begin_subcommand(&self, wanted: &str) -> bool {
        let can_be = |word: &Word| match word.parts.as_slice() {
            [Part::Literal { .. }] => self.matches(wanted, word) != Match::No,
            _ => true,
        };
        match self.subject.first_operand {
            Some(first) if can_be(first) => true,
            Some(_) => self.subject.has_possible_value() && self.subject.operands().any(can_be),
            None => self.subject.command.appended,
        }
    }

    /// Returns whether the operands begin with these words, and the options among the words are given.
    pub(super) fn subcommand(&self, words: &[&str]) -> Match {
        let is_operand = |word: &&&str| !has_dash(word);
        // Most rules look for other subcommands, so this is decided first.
        if let (Some(first), Some(operand)) = (words.iter().find(is_operand), self.subject.first_operand)
            && self.matches(first, operand) == Match::No
        {
            let can_follow = self.subject.has_possible_value();
            return if can_follow { self.subcommand_after_values(words) } else { Match::No };
        }
        let mut operands = self.subject.operands();
        let exact = Match::all(words.iter().map(|word| {
            if has_dash(word) {
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
    pub(super) fn subcommand_after_values(&self, words: &[&str]) -> Match {
        let wanted = words.iter().copied().filter(|word| !has_dash(word));
        let is_given = |pattern: &str| self.subject.operands().any(|word| self.matches(pattern, word) != Match::No);
        // Most subcommands have another word.
        if !wanted.clone().all(is_given) {
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
        found & Match::all(words.iter().filter(|word| has_dash(word)).map(|flag| self.flag(flag).0))
    }

    /// Returns whether one of these options is certainly given, and no later `--no-NAME` or `--NAME=false` cancels it.
    pub(super) fn has_excluding_flag(&self, flags: &[&str]) -> bool {
        if flags.is_empty() {
            return false;
        }
        let mut is_given = flags.iter().any(|flag| self.flag(flag).0 == Match::Yes);
        if !is_given {
            return false;
        }
        for argument in &self.subject.arguments {
            let Argument::Option { name, value, .. } = argument else { continue };
            let is_one = |name: &str| flags.iter().any(|flag| is_abbreviation(name, pattern::split_flag(flag).0));
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

    /// Returns whether one of these options is given, and where.
    pub(super) fn any_flag(&self, flags: &[&str]) -> (Match, Option<Span>) {
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
        let (name, value) = pattern::split_flag(flag);
        let words = self.subject.own_words();
        // `find -delete`: a long option with one dash.
        let is_single_dash = name.len() > 2 && !name.starts_with("--");
        let mut best = if is_single_dash { self.single_dash_flag(name, value) } else { (Match::No, None) };
        let mut found = |found: Match, span: Span| best = better(best, found, span);
        for argument in &self.subject.arguments {
            match argument {
                Argument::Option { name: own, value: own_value, index }
                    if !is_single_dash && is_abbreviation(own, name) =>
                {
                    let own_value = own_value.as_ref().map(|value| self.subject.option_value(own, value, *index));
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

    /// Returns whether a long option with one dash is given, and where. Any word can be it.
    fn single_dash_flag(&self, name: &str, value: Option<&str>) -> (Match, Option<Span>) {
        let mut best = (Match::No, None);
        let mut found = |found: Match, span: Span| best = better(best, found, span);
        let can_be = |word: &Word| match word.parts.as_slice() {
            [Part::Literal { text, .. }] => has_dash(text),
            _ => true,
        };
        for (index, word) in self.subject.own_words().iter().enumerate().filter(|(_, word)| can_be(word)) {
            let own = self.matches(name, word);
            let own = if own == Match::Maybe && !self.subject.can_be_option(word) { Match::No } else { own };
            found(own & self.value(value, None, index), word.span);
            // `go vet -vettool=FILE`
            if let Some((own, rest)) = word.certain_start().split_once('=') {
                let is_whole = word.text().is_some();
                let rest = if is_whole { flags::Value::Text(rest.into()) } else { flags::Value::Built(rest.into()) };
                let rest = Some(self.subject.value_word(&rest, index));
                found(self.matches(name, &Word::plain(own, word.span)) & self.value(value, rest, index), word.span);
            }
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

    pub(super) fn arguments(&self, patterns: &[&str]) -> (Match, Option<Span>) {
        let mut best = (Match::No, None);
        for argument in &self.subject.arguments {
            let (word, is_option) = match argument {
                Argument::Operand { word, .. } | Argument::Either { word, .. } => (*word, false),
                // A negative number, such as `kill -1`, looks like an option.
                Argument::Option { index, .. } => (&self.subject.command.arguments()[*index], true),
            };
            for pattern in patterns.iter().filter(|pattern| !is_option || has_dash(pattern)) {
                let found = self.matches(pattern, word);
                // The output of another command is rarely what a rule looks for. The reader has replaced that of `echo`.
                let is_output = matches!(word.parts.as_slice(), [Part::Substitution { .. }]);
                let is_ignored = || is_output || is_inner_address(pattern) && !begins_so(pattern, word);
                let found = if found == Match::Maybe && is_ignored() { Match::No } else { found };
                best = better(best, found, word.span);
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
            let whole: Vec<String> = elsewhere.iter().map(with_placeholders).collect();
            let whole = Word::plain(&whole.join(" "), first.span);
            if patterns.iter().any(|pattern| self.matches(pattern, &whole) == Match::Yes) {
                best = (Match::Yes, Some(first.span));
            }
        }
        if best.0 == Match::No && self.subject.command.appended {
            return (Match::Maybe, None);
        }
        best
    }
}

/// Returns the better of two matches, and where it is: the earlier one if they are equal.
fn better(best: (Match, Option<Span>), found: Match, span: Span) -> (Match, Option<Span>) {
    if found > best.0 { (found, Some(span)) } else { best }
}

/// Returns whether a word is a letter or a long name after a dash.
pub(super) fn looks_like_option(word: &Word) -> bool {
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

/// Returns whether a pattern is that of an address after any name, such as `-*=https://*`. An unknown value is rarely an address.
fn is_inner_address(pattern: &str) -> bool {
    pattern.split_once("://").is_some_and(|(before, _)| before.contains('*') || before.contains('['))
}

/// Returns whether a pattern matches what a word certainly begins with.
fn begins_so(pattern: &str, word: &Word) -> bool {
    pattern::matches(pattern, &word.certain_start())
}
