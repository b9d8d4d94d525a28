//! The options among the arguments of a command, in every spelling.

use crate::syntax::Word;

/// An argument of a command, as `getopt_long` reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument<'w> {
    /// An option: `-x`, `--long`. Clusters such as `-rf` give one for each letter.
    Option {
        /// The name, with its dashes. A long option is as it was written, and can be an abbreviation.
        name: String,
        /// The value after `=`, in the rest of a cluster, or in the next argument if the option takes one.
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
    /// A word that can be an option or an operand, because it begins with an expansion.
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
    /// The rest of the option's word, which is certain.
    Text(String),
    /// The rest of the option's word, which has expansions. The text is what is certain of its beginning.
    Built(String),
}

/// Reads arguments.
#[derive(Debug, Clone)]
pub struct Arguments<'w, 'o> {
    words: &'w [Word],
    value_options: &'o [&'o str],
    next: usize,
    /// The letters of a cluster that are left.
    cluster: String,
    only_operands: bool,
    stop_at_operand: bool,
}

/// Returns the options and operands among arguments. `value_options` are the options that take a value, with their dashes.
pub fn arguments<'w, 'o>(words: &'w [Word], value_options: &'o [&'o str]) -> Arguments<'w, 'o> {
    Arguments { words, value_options, next: 0, cluster: String::new(), only_operands: false, stop_at_operand: false }
}

/// Returns whether a long option as written (`--rec`) can be this one (`--recursive`): it is equal, or an abbreviation.
pub fn is_abbreviation(written: &str, option: &str) -> bool {
    written == option || written.len() > 2 && written.starts_with("--") && option.starts_with(written)
}

impl Arguments<'_, '_> {
    /// Treats everything after the first operand as operands, as `sudo` and `env` do.
    #[must_use]
    pub fn stop_at_operand(mut self) -> Self {
        self.stop_at_operand = true;
        self
    }

    fn takes_value(&self, name: &str) -> bool {
        if !name.starts_with("--") {
            return self.value_options.contains(&name);
        }
        // An exact name wins over others that it abbreviates.
        self.value_options.contains(&name) || self.value_options.iter().any(|option| is_abbreviation(name, option))
    }
}

impl<'w> Iterator for Arguments<'w, '_> {
    type Item = Argument<'w>;

    fn next(&mut self) -> Option<Argument<'w>> {
        if let Some(letter) = self.cluster.chars().next() {
            let index = self.next - 1;
            let word = &self.words[index];
            let mut rest = self.cluster.split_off(letter.len_utf8());
            let sign = if word.certain_start().starts_with('+') { '+' } else { '-' };
            let name = format!("{sign}{letter}");
            let takes_value = self.takes_value(&name);
            let value = if !takes_value {
                self.cluster = std::mem::take(&mut rest);
                None
            } else {
                self.cluster.clear();
                if word.text().is_none() {
                    Some(Value::Built(rest))
                } else if rest.is_empty() {
                    let value = self.words.get(self.next).map(Value::Word);
                    self.next += usize::from(value.is_some());
                    value
                } else {
                    Some(Value::Text(rest))
                }
            };
            return Some(Argument::Option { name, value, index });
        }
        let index = self.next;
        let word = self.words.get(index)?;
        self.next += 1;
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
            return self.next();
        }
        if let Some(long) = start.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) if whole => (name, Some(Value::Text(value.to_owned()))),
                Some((name, value)) => (name, Some(Value::Built(value.to_owned()))),
                None if whole => (long, None),
                // The name itself is built.
                None => return Some(Argument::Either { word, index }),
            };
            let name = format!("--{name}");
            let value = value.or_else(|| {
                let value = self.takes_value(&name).then(|| self.words.get(self.next)).flatten()?;
                self.next += 1;
                Some(Value::Word(value))
            });
            return Some(Argument::Option { name, value, index });
        }
        // `+x` is an option only where the program has such options.
        let plus = start.starts_with('+') && self.value_options.iter().any(|option| option.starts_with('+'));
        if (start.starts_with('-') || plus) && (start.len() > 1 || !whole) {
            // `find -name`, `java -jar`: a long option with one dash.
            if self.value_options.contains(&start.as_str()) && start.len() > 2 && whole {
                let value = self.words.get(self.next).map(Value::Word);
                self.next += usize::from(value.is_some());
                return Some(Argument::Option { name: start, value, index });
            }
            self.cluster = start[1..].to_owned();
            return if self.cluster.is_empty() { Some(Argument::Either { word, index }) } else { self.next() };
        }
        self.only_operands = self.stop_at_operand;
        Some(Argument::Operand { word, index })
    }
}
