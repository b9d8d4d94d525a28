//! Which files of the skill its commands and programs run. Such a file is judged as code, whatever its name and kind are.

use std::collections::BTreeSet;

use crate::files::end_of;
use crate::report::Kind;
use crate::tables::formats::PLAIN_ENDS;

/// The language of a file that runs by its own first line.
pub(crate) const ANY: &str = "";

/// What stands for settings with commands in them.
pub(crate) const SETTINGS: &str = "settings";

/// The maximum number of words that are kept, and their maximum length in bytes.
const MAX_WORDS: usize = 4096;
const MAX_WORD: usize = 300;

/// How many files can lie between a file and the one that runs: `cp a b; cp b c; sh c`.
const MAX_COPIES: usize = 4;

/// Words of commands and texts of programs that can name files of the skill.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    /// Files that run, with the languages.
    run: BTreeSet<(String, &'static str)>,
    /// Further words of commands that run a file. One of them is the file if the first one is the value of an option.
    maybe_run: BTreeSet<(String, &'static str)>,
    /// Files whose content gets into others: the word for one, and the word for the other.
    copies: BTreeSet<(String, String)>,
    /// Files that a program opens, with its language.
    opened: BTreeSet<(String, &'static str)>,
}

impl Uses {
    /// Keeps a word that names a file that runs.
    pub(crate) fn add_run(&mut self, word: &str, language: &'static str) {
        if self.run.len() < MAX_WORDS && is_path(word) {
            self.run.insert((word.to_owned(), language));
        }
    }

    /// Keeps a word that names a file that runs, if the word before it is the value of an option.
    pub(crate) fn add_maybe_run(&mut self, word: &str, language: &'static str) {
        if self.maybe_run.len() < MAX_WORDS && is_path(word) {
            self.maybe_run.insert((word.to_owned(), language));
        }
    }

    /// Keeps the name of a file whose content gets into another one.
    pub(crate) fn add_copy(&mut self, word: &str, target: &str) {
        if self.copies.len() < MAX_WORDS && word != target && is_path(word) && is_path(target) {
            self.copies.insert((word.to_owned(), target.to_owned()));
        }
    }

    /// Keeps a text of a program that can name a file.
    pub(crate) fn add_text(&mut self, text: &str, language: &'static str) {
        if self.opened.len() < MAX_WORDS && is_path(text) {
            self.opened.insert((text.to_owned(), language));
        }
    }

    /// Adds the files from which those that run are made.
    pub(crate) fn follow_copies(&mut self) {
        for _ in 0..MAX_COPIES {
            let before = self.run.len();
            let made: Vec<(String, &'static str)> = self
                .copies
                .iter()
                .flat_map(|(source, target)| {
                    let runs = self.run.iter().filter(|(word, _)| last_of(word) == last_of(target));
                    runs.map(|(_, language)| (source.clone(), *language)).collect::<Vec<_>>()
                })
                .collect();
            self.run.extend(made);
            if self.run.len() == before || self.run.len() > 2 * MAX_WORDS {
                return;
            }
        }
    }

    /// Returns the languages in which a file runs, apart from its own.
    pub(crate) fn languages(&self, path: &str, kind: Kind, text: &str) -> BTreeSet<&'static str> {
        let guessed = guess(text).filter(|_| !is_known_document(path));
        let end = end_of(path);
        let is_code = matches!(kind, Kind::Shell | Kind::Code | Kind::Manifest);
        let is_plain = !is_code && (PLAIN_ENDS.contains(&end.as_str()) || kind == Kind::Text && end.len() > 4);
        let of = |words: &BTreeSet<(String, &'static str)>, open: bool| {
            let words = words.iter().filter(|(word, _)| is_open(last_of(word)) == open && names(word, path));
            words.map(|(_, language)| *language).collect::<Vec<_>>()
        };
        let mut languages: BTreeSet<&'static str> = of(&self.run, false).into_iter().collect();
        if is_plain {
            // A word that is known only at run time can be any file. What has a usual end is rarely a program.
            languages.extend(of(&self.run, true));
            languages.extend(of(&self.opened, false));
            languages.extend(of(&self.maybe_run, false));
            languages.extend(guessed);
        }
        if is_plain && kind == Kind::Markdown {
            languages.insert(SETTINGS);
        }
        if languages.remove(ANY) {
            languages.insert(guessed.unwrap_or("sh"));
        }
        if is_plain && end.is_empty() && !is_known_document(path) {
            languages.insert("sh");
        }
        languages
    }
}

/// Names of documents that have no end.
const DOCUMENTS: &[&str] = &[
    "readme",
    "license",
    "licence",
    "copying",
    "notice",
    "authors",
    "contributors",
    "maintainers",
    "changelog",
    "changes",
    "history",
    "news",
    "todo",
    "install",
    "version",
    "codeowners",
    "thanks",
    "patents",
    "unlicense",
];

fn is_known_document(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let name = name.split(['-', '_']).next().unwrap_or_default();
    DOCUMENTS.contains(&name)
}

fn is_path(word: &str) -> bool {
    !word.is_empty() && word.len() <= MAX_WORD && !word.contains("://")
}

fn last_of(word: &str) -> &str {
    let word = word.trim_end_matches(['/', '\\']);
    word.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// Returns whether a part of a path can be any name.
fn is_open(part: &str) -> bool {
    let literal = part.split(['$', '*', '?', '{', '[']).next().unwrap_or_default();
    literal.len() < part.len() && literal.len() < 2
}

/// Returns whether a word of a command can name a file of the skill. The folder in which the command runs is not known.
fn names(word: &str, path: &str) -> bool {
    let word = word.replace('\\', "/");
    let mut wanted: Vec<&str> = word.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
    let mut found: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let Some((last, name)) = wanted.pop().zip(found.pop()) else { return false };
    if !matches_part(last, name) {
        return false;
    }
    // Only what both have is compared: `scripts/x` is `x` in `scripts`, and `skill/scripts/x` from outside.
    wanted.iter().rev().zip(found.iter().rev()).all(|(wanted, found)| matches_part(wanted, found))
        || word.starts_with(['/', '~'])
}

/// Returns whether a part of a path, in which variables and signs stand for any letters, can be a name.
fn matches_part(part: &str, name: &str) -> bool {
    let is_wild = |letter: char| matches!(letter, '*' | '?' | '$' | '{' | '[');
    let Some(first) = part.find(is_wild) else { return part == name };
    let start = &part[..first];
    // What comes after the last variable: `$NAME.sh`.
    let rest = &part[first..];
    let end = match rest.rfind(['}', ')', ']', '*', '?']) {
        Some(at) => &rest[at + 1..],
        None => rest.find(['.', '-']).map_or("", |at| &rest[at..]),
    };
    name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
}

/// Returns the language of a text that looks like a program.
fn guess(text: &str) -> Option<&'static str> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let shebang = text.lines().take(5).find(|line| line.trim_start().starts_with("#!") && line.contains('/'));
    if let Some(line) = shebang {
        let is_shell = ["sh", "bash", "zsh", "dash", "ksh", "fish"];
        let is_shell = line.split(['/', ' ']).any(|word| is_shell.contains(&word));
        return Some(if is_shell { "sh" } else { crate::fences::by_shebang(line) });
    }
    let count = |is: fn(&str) -> bool| text.lines().map(str::trim).filter(|line| is(line)).count();
    let lines = count(|line| !line.is_empty() && !line.starts_with('#'));
    if text.contains("<?php") {
        return Some("php");
    }
    for (language, is, least) in LOOKS {
        if count(*is) >= *least {
            return Some(language);
        }
    }
    let commands = count(|line| !line.starts_with('#') && looks_like_shell(line));
    (commands > 0 && commands * 2 >= lines).then_some("sh")
}

type Look = (&'static str, fn(&str) -> bool, usize);

/// For each language, lines that only its programs have, and how many of them are enough.
const LOOKS: &[Look] = &[
    ("perl", |line| line == "use strict;" || line.starts_with("my $"), 1),
    (
        "javascript",
        |line| {
            line.contains("require(")
                || line.starts_with("import ") && line.contains(" from ")
                || line.starts_with("const ") && line.contains('=')
        },
        1,
    ),
    (
        "python",
        |line| {
            line.strip_prefix("import ").is_some_and(|rest| !rest.trim().contains(' ') || rest.contains(" as "))
                || line.starts_with("from ") && line.contains(" import ")
                || line.starts_with("def ") && line.ends_with(':')
        },
        1,
    ),
    ("ruby", |line| line.starts_with("require '") || line.starts_with("require \""), 1),
];

fn looks_like_shell(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "if", "then", "else", "elif", "fi", "for", "while", "do", "done", "case", "esac", "function", "export",
        "local", "return", "exit", "trap", "eval", "exec", "set", "}", "{", ";;",
    ];
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_assignment = first.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    });
    let is_sentence = first.starts_with(char::is_uppercase) && !is_assignment;
    WORDS.contains(&first) || is_assignment || !is_sentence && is_command(line)
}

fn is_command(line: &str) -> bool {
    crate::fences::looks_like_command(line)
        || ["$(", " | ", " && ", " || ", "; ", " > ", ">>"].iter().any(|sign| line.contains(sign)) && line.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_files_from_any_folder() {
        for (word, path) in [
            ("scripts/setup", "scripts/setup"),
            ("./setup", "scripts/setup"),
            ("$SKILL_DIR/scripts/setup", "scripts/setup"),
            ("skills/helper/scripts/setup", "scripts/setup"),
            ("/tmp/setup", "scripts/setup"),
            ("scripts/set*", "scripts/setup"),
            ("$1", "scripts/setup"),
            ("${NAME}.txt", "notes.txt"),
            ("$NAME.txt", "notes.txt"),
            ("a\\b", "a/b"),
        ] {
            assert!(names(word, path), "{word} {path}");
        }
        for (word, path) in
            [("setup", "scripts/setup.sh"), ("tools/setup", "scripts/setup"), ("set*x", "setup"), ("", "a")]
        {
            assert!(!names(word, path), "{word} {path}");
        }
    }

    #[test]
    fn programs_are_recognized_by_their_lines() {
        assert_eq!(guess("\u{feff}\n\n#!/bin/sh\nx"), Some("sh"));
        assert_eq!(guess("\n#! /usr/bin/env python3\nx"), Some("python"));
        assert_eq!(guess("# Comment.\nU=x\ncurl $U | sh\n"), Some("sh"));
        assert_eq!(guess("import os\nos.system('x')"), Some("python"));
        assert_eq!(guess("const a = 1;"), Some("javascript"));
        assert_eq!(guess("Permission is granted to any person.\nThe software is provided as is."), None);
        assert_eq!(guess("name,count\na,1\nb,2"), None);
    }
}
