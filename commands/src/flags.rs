//! Splits the arguments of a command into options, in every spelling, and operands.

use std::borrow::Cow;
use std::ops::Range;

use crate::syntax::Word;

/// An argument of a command, as `getopt_long` reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument<'w> {
    /// An option: `-x`, `--long`. Clusters such as `-rf` give one for each letter.
    Option {
        /// The name as written, with its dashes. A long option can be abbreviated.
        name: Cow<'w, str>,
        /// The value: the text after `=`, the rest of a cluster, or the next argument if the option takes one.
        value: Option<Value<'w>>,
        /// The position of the argument.
        index: usize,
    },
    /// An operand: a word that is not an option, or after `--`.
    Operand {
        /// The word.
        word: &'w Word,
        /// The position of the argument.
        index: usize,
    },
    /// A word that may be an option or an operand, because it begins with an expansion.
    Either {
        /// The word.
        word: &'w Word,
        /// The position of the argument.
        index: usize,
    },
}

/// The value of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<'w> {
    /// A word of its own.
    Word(&'w Word),
    /// The rest of the option's own word, without expansions.
    Text(Cow<'w, str>),
    /// The rest of the option's own word, with expansions. The text is what comes before the first one.
    Built(Cow<'w, str>),
}

/// The iterator that [`arguments`] returns.
#[derive(Debug, Clone)]
pub struct Arguments<'w, 'o> {
    words: &'w [Word],
    value_options: &'o [&'o str],
    next: usize,
    /// A cluster of letters, perhaps with a sign, the position of the next letter, and the sign.
    cluster: Cow<'w, str>,
    letter: usize,
    sign: &'static str,
    only_operands: bool,
    stop_at_operand: bool,
    last_options: &'o [&'o str],
    dashless: Dashless,
}

/// Whether a cluster has no dash, as in `tar czf FILE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dashless {
    /// No more clusters do.
    Never,
    /// The next word can be such a cluster.
    Next,
    /// The current cluster is.
    Current,
}

/// Returns the options and operands among arguments. `value_options` are the options that take a value, with their dashes.
pub fn arguments<'w, 'o>(words: &'w [Word], value_options: &'o [&'o str]) -> Arguments<'w, 'o> {
    Arguments {
        words,
        value_options,
        next: 0,
        cluster: Cow::Borrowed(""),
        letter: 0,
        sign: "-",
        only_operands: false,
        stop_at_operand: false,
        last_options: &[],
        dashless: Dashless::Never,
    }
}

/// Returns whether a long option as written (`--rec`) can mean `option` (`--recursive`): it is equal, or an abbreviation.
pub fn is_abbreviation(written: &str, option: &str) -> bool {
    match (written.as_bytes(), option.as_bytes()) {
        // Most options differ in their first letter, which needs no call.
        ([_, second, ..], [_, other, ..]) if second != other => false,
        ([b'-', b'-', third, ..], [_, _, other, ..]) if third != other => false,
        (written @ [b'-', b'-', _, ..], option) => option.starts_with(written),
        (written, option) => written == option,
    }
}

/// Returns whether a text begins with a dash. `str::starts_with` compares even one character by a call, and this is asked most often.
pub(crate) fn has_dash(text: &str) -> bool {
    text.as_bytes().first() == Some(&b'-')
}

impl<'w, 'o> Arguments<'w, 'o> {
    /// Treats everything after the first operand as operands, as `sudo` and `env` do.
    #[must_use]
    pub fn stop_at_operand(mut self) -> Self {
        self.stop_at_operand = true;
        self
    }

    /// Treats everything after one of these options, and after its value, as operands, as `python -m MODULE` does.
    #[must_use]
    pub fn stop_after(mut self, options: &'o [&'o str]) -> Self {
        self.last_options = options;
        self
    }

    /// Treats the first argument as a cluster of options, although it has no dash, as `tar czf FILE` does. The values of its
    /// options are the next arguments, in their order.
    #[must_use]
    pub fn dashless(mut self) -> Self {
        self.dashless = Dashless::Next;
        self
    }

    /// Returns whether an option takes the next argument as its value.
    fn takes_value(&self, name: &str) -> bool {
        if !name.starts_with("--") {
            return self.value_options.contains(&name);
        }
        // An exact name wins over others that it abbreviates.
        let mut is_abbreviated = false;
        for option in self.value_options.iter().filter(|option| option.starts_with(name)) {
            match &option[name.len()..] {
                "" => return true,
                "?" => return false,
                rest => is_abbreviated |= !rest.ends_with('?'),
            }
        }
        is_abbreviated && name.len() > 2
    }

    /// Returns whether a short option takes the rest of its cluster as its value, but never the next argument.
    fn has_attached_value(&self, name: &str) -> bool {
        self.value_options
            .iter()
            .any(|option| option.len() == name.len() + 1 && option.ends_with('?') && option.starts_with(name))
    }

    /// Returns whether a word is a group of options without a dash, as in `ps eww`. Only programs have them that have such an option
    /// with a value.
    fn is_group(&self, word: &str) -> bool {
        let is_letter = |option: &&str| option.len() == 1;
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_alphabetic())
            && self.value_options.iter().any(is_letter)
    }

    /// Returns the next argument, without regard to `last_options`.
    fn read(&mut self) -> Option<Argument<'w>> {
        if let Some(letter) = self.cluster[self.letter..].chars().next() {
            return Some(self.cluster_option(letter));
        }
        let index = self.next;
        let word = self.words.get(index)?;
        self.next += 1;
        let can_be_dashless = std::mem::replace(&mut self.dashless, Dashless::Never) == Dashless::Next;
        if self.only_operands {
            return Some(Argument::Operand { word, index });
        }
        if word.starts_with_expansion() {
            return Some(Argument::Either { word, index });
        }
        let start = word.certain_start();
        let whole = word.text().is_some();
        if start == "--" && whole {
            self.only_operands = true;
            return self.read();
        }
        if matches!(start.as_bytes(), [b'-', b'-', ..]) {
            return Some(self.long_option(start, word, index));
        }
        if can_be_dashless && whole && !start.is_empty() && start.chars().all(|letter| letter.is_ascii_alphanumeric()) {
            self.sign = "-";
            self.cluster = start;
            self.letter = 0;
            self.dashless = Dashless::Current;
            return self.read();
        }
        // `+x` is an option only where the program has such options.
        let plus =
            start.as_bytes().first() == Some(&b'+') && self.value_options.iter().any(|option| option.starts_with('+'));
        if (has_dash(&start) || plus) && (start.len() > 1 || !whole) {
            // `find -name`, `java -jar`: a long option with one dash.
            if start.len() > 2 && whole {
                if self.value_options.contains(&&*start) {
                    let value = self.next_word().map(Value::Word);
                    return Some(Argument::Option { name: start, value, index });
                }
                // `gdb -nx`: without the `?`, it would be a cluster in which `-x` takes a value.
                if self.has_attached_value(&start) {
                    return Some(Argument::Option { name: start, value: None, index });
                }
            }
            self.sign = if plus { "+" } else { "-" };
            self.cluster = start;
            self.letter = 1;
            return if self.cluster.len() == 1 { Some(Argument::Either { word, index }) } else { self.read() };
        }
        if whole && self.is_group(&start) {
            self.sign = "";
            self.cluster = start;
            self.letter = 0;
            return self.read();
        }
        self.only_operands = self.stop_at_operand;
        Some(Argument::Operand { word, index })
    }

    /// Takes the next argument, as the value of an option.
    fn next_word(&mut self) -> Option<&'w Word> {
        let word = self.words.get(self.next)?;
        self.next += 1;
        Some(word)
    }

    /// Reads the option of a letter of the cluster, with its value.
    fn cluster_option(&mut self, letter: char) -> Argument<'w> {
        let index = if self.dashless == Dashless::Current { 0 } else { self.next - 1 };
        let is_certain = self.words[index].text().is_some();
        let at = self.letter;
        self.letter += letter.len_utf8();
        let name = self.name_of_letter(at);
        let end = self.cluster.len();
        let rest = self.letter..end;
        let of_rest = |rest: Range<usize>| {
            let rest = piece(&self.cluster, rest);
            if is_certain { Value::Text(rest) } else { Value::Built(rest) }
        };
        let value = if self.has_attached_value(&name) {
            let value = Some(of_rest(rest)).filter(|value| *value != Value::Text(Cow::Borrowed("")));
            self.letter = end;
            value
        } else if !self.takes_value(&name) {
            None
        } else if (rest.is_empty() || self.dashless == Dashless::Current) && is_certain {
            self.next_word().map(Value::Word)
        } else {
            let value = of_rest(rest);
            self.letter = end;
            Some(value)
        };
        Argument::Option { name, value, index }
    }

    /// Returns the name of the option whose letter is at this position of the cluster: the sign with the letter.
    fn name_of_letter(&self, at: usize) -> Cow<'w, str> {
        let sign = at.checked_sub(self.sign.len()).filter(|sign| self.cluster.get(*sign..at) == Some(self.sign));
        match sign {
            Some(sign) => piece(&self.cluster, sign..self.letter),
            None => Cow::Owned([self.sign, &self.cluster[at..self.letter]].concat()),
        }
    }

    /// Reads a long option, which begins with this text, with its value.
    fn long_option(&mut self, start: Cow<'w, str>, word: &'w Word, index: usize) -> Argument<'w> {
        let whole = word.text().is_some();
        let (name, value) = match start.find('=') {
            Some(at) => {
                let value = piece(&start, at + 1..start.len());
                (piece(&start, 0..at), Some(if whole { Value::Text(value) } else { Value::Built(value) }))
            }
            None if whole => (start, None),
            // The name itself is built.
            None => return Argument::Either { word, index },
        };
        let takes_next = value.is_none() && self.takes_value(&name);
        let value = if takes_next { self.next_word().map(Value::Word) } else { value };
        Argument::Option { name, value, index }
    }
}

/// Returns a part of a text.
fn piece<'w>(text: &Cow<'w, str>, range: Range<usize>) -> Cow<'w, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[range]),
        Cow::Owned(text) => Cow::Owned(text[range].to_owned()),
    }
}

impl<'w> Iterator for Arguments<'w, '_> {
    type Item = Argument<'w>;

    fn next(&mut self) -> Option<Argument<'w>> {
        let argument = self.read();
        if let Some(Argument::Option { name, value: Some(_), .. }) = &argument
            && self.last_options.contains(&&**name)
        {
            self.only_operands = true;
        }
        argument
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Span;
    use crate::syntax::Part;

    const OPTIONS: &[&str] = &["-u", "-i?", "--user", "--replace?", "+o", "-all", "-nu?", "--use?"];

    /// Returns the arguments as texts: options as `NAME` or `NAME=VALUE`, operands in parentheses. A word `$` is an expansion.
    fn read(line: &str) -> String {
        let word = |text: &str| match text {
            "$" => Word { parts: vec![Part::Unknown { splits: true }], span: Span::default() },
            text => Word::plain(text, Span::default()),
        };
        let words: Vec<Word> = line.split(' ').map(word).collect();
        let text = |argument: Argument<'_>| match argument {
            Argument::Option { name, value: None, .. } => name.into_owned(),
            Argument::Option { name, value: Some(Value::Word(word)), .. } => {
                format!("{name}={}", word.text().unwrap_or_default())
            }
            Argument::Option { name, value: Some(Value::Text(text) | Value::Built(text)), .. } => {
                format!("{name}={text}")
            }
            Argument::Operand { word, .. } => format!("({})", word.text().unwrap_or_default()),
            Argument::Either { .. } => "?".to_owned(),
        };
        arguments(&words, OPTIONS).map(text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn options_are_found_in_every_spelling() {
        for (line, expected) in [
            ("-rf a", "-r -f (a)"),
            ("-u a b", "-u=a (b)"),
            ("-ua b", "-u=a (b)"),
            ("-rua b", "-r -u=a (b)"),
            ("--user a b", "--user=a (b)"),
            ("--user=a b", "--user=a (b)"),
            ("--us a b", "--us=a (b)"),
            ("-i a", "-i (a)"),
            ("-ia b", "-i=a (b)"),
            ("--replace a", "--replace (a)"),
            ("--replace=a b", "--replace=a (b)"),
            ("a -x -- -y", "(a) -x (-y)"),
            ("- -- -", "(-) (-)"),
            ("+o a +x", "+o=a +x"),
            ("-all a b", "-all=a (b)"),
            ("-nu a", "-nu (a)"),
            ("-xu a", "-x -u=a"),
            ("--use a", "--use (a)"),
            ("$ -x", "? -x"),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
        let words = ["ax", "eo", "pid", "-e", "1"].map(|text| Word::plain(text, Span::default()));
        let names = arguments(&words, &["o"]).map(|argument| match argument {
            Argument::Option { name, value, .. } => format!("{name}{}", if value.is_some() { "=" } else { "" }),
            Argument::Operand { .. } | Argument::Either { .. } => "()".to_owned(),
        });
        assert_eq!(names.collect::<Vec<_>>(), ["a", "x", "e", "o=", "-e", "()"]);
        let words = ["-xu", "a", "-u", "b"].map(|text| Word::plain(text, Span::default()));
        let after: Vec<Argument<'_>> = arguments(&words, OPTIONS).stop_after(&["-u"]).skip(2).collect();
        assert!(
            matches!(after.as_slice(), [Argument::Operand { index: 2, .. }, Argument::Operand { index: 3, .. }]),
            "{after:?}"
        );
        let words = ["cuiu", "a", "b", "c", "-u", "d"].map(|text| Word::plain(text, Span::default()));
        let read = arguments(&words, OPTIONS).dashless().map(|argument| match argument {
            Argument::Option { name, value: Some(Value::Word(word)), .. } => {
                format!("{name}={}", word.text().unwrap_or_default())
            }
            Argument::Option { name, .. } => name.into_owned(),
            Argument::Operand { word, .. } | Argument::Either { word, .. } => word.text().unwrap_or_default().into(),
        });
        assert_eq!(read.collect::<Vec<_>>(), ["-c", "-u=a", "-i", "b", "c", "-u=d"]);
        assert!(is_abbreviation("--rec", "--recursive") && !is_abbreviation("--", "--recursive"));
    }
}
