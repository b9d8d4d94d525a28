//! Finds the files that a command writes.

use std::borrow::Cow;

use crate::certainty::Match;
use crate::judge::subject::{Subject, after_prefix};
use crate::programs::{Program, Writes};
use crate::reading::{Directory, How};
use crate::rules::{ORDINARY_NAME, pattern};
use crate::syntax::{Origin, Part, Word};
use crate::unfold::edits_text;

impl<'a> Subject<'a> {
    /// Returns the words that name files which the command writes.
    pub(crate) fn written(&self) -> Vec<Cow<'a, Word>> {
        let mut words: Vec<Cow<'a, Word>> = Vec::new();
        let to_files = self.command.redirects.iter().filter(|redirect| redirect.kind.writes());
        let to_files = to_files.filter(|redirect| !redirect.targets_descriptor());
        words.extend(to_files.map(|redirect| Cow::Borrowed(&redirect.target)));
        if let Some(effects) = self.effects() {
            words.extend(effects.writes.iter().cloned().map(Cow::Owned));
        }
        let Some(program) = self.program.filter(|program| !program.writes.is_empty()) else { return words };
        let operands: Vec<&'a Word> = self.operands().collect();
        let all = || operands.iter().copied().map(Cow::Borrowed);
        for writes in program.writes {
            match writes {
                Writes::OperandsUnless(options) | Writes::LastOperandUnless(options)
                    if self.certainly_has_option(options) => {}
                Writes::LastOperand | Writes::LastOperandUnless(_) if self.is_on_another_machine(operands.last()) => {}
                Writes::Operands | Writes::OperandsUnless(_) => words.extend(all()),
                Writes::FirstOperand => words.extend(all().take(1)),
                Writes::LastOperand | Writes::LastOperandUnless(_) => {
                    words.extend(all().skip(operands.len().saturating_sub(1).max(1)));
                }
                Writes::LastOperandOf(subcommands) => words.extend(self.last_operand_of(subcommands, &operands)),
                Writes::OperandsWith(options) if self.has_option(options) => words.extend(all()),
                Writes::Values(options) => {
                    let options: Vec<&str> = options.iter().copied().filter(|option| !option.contains(' ')).collect();
                    words.extend(self.values(&options));
                    words.extend(self.in_folders(&options, program));
                    // An expansion can be the option with its value.
                    let several = all().filter(|word| word.splits() && self.can_be_option(word));
                    words.extend(several);
                }
                Writes::UrlNames { with, folder } if with.is_empty() || self.has_option(with) => {
                    let names = operands.iter().flat_map(|word| url_name(word).into_iter().chain(usual_names(word)));
                    let folder = self.values(folder).last();
                    words.extend(names.map(|name| match &folder {
                        Some(folder) => Cow::Owned(in_folder(folder, &name)),
                        None => Cow::Owned(name),
                    }));
                }
                Writes::After(prefix) => words.extend(operands.iter().filter_map(|word| after_prefix(word, prefix))),
                Writes::OperandsWith(_) | Writes::UrlNames { .. } | Writes::Unpacked { .. } => {}
            }
        }
        words.extend(self.made_archives());
        if program.writes.iter().any(|writes| self.writes_added(writes)) && self.is_given_edited_names() {
            words.push(Cow::Owned(Word { parts: vec![Part::Unknown { splits: false }], span: self.command.span }));
        }
        if self.is_in_known_directory() {
            words.extend(self.unpacks_to().filter(|(_, is_named)| !is_named).map(|(folder, _)| folder));
        }
        words
    }

    /// Returns the values of options that name a file only after other options, which are given: that of `-f` after `tar -c`.
    pub(crate) fn made_archives(&self) -> Vec<Cow<'a, Word>> {
        let entries = self.program.into_iter().flat_map(|program| program.writes).flat_map(|writes| match writes {
            Writes::Values(options) => *options,
            _ => &[],
        });
        let mut archives = Vec::new();
        for (others, option) in entries.filter_map(|entry| entry.rsplit_once(' ')) {
            if self.can_have_option(option) && others.split(' ').all(|other| self.has_option(&[other])) {
                archives.extend(self.values(&[option]));
            }
        }
        archives
    }

    /// Returns whether an operand of a program that copies to other machines names a file of one: `HOST:FILE`.
    fn is_on_another_machine(&self, operand: Option<&&Word>) -> bool {
        let has_host = |word: &&Word| {
            let start = word.certain_start();
            start.find(':').is_some_and(|at| at > 0 && !start[..at].contains('/'))
        };
        self.is_called(REMOTE_COPIERS) && operand.is_some_and(has_host)
    }

    /// Returns whether the command writes the files among arguments that are added to it.
    fn writes_added(&self, writes: &Writes<'_>) -> bool {
        match writes {
            Writes::Operands | Writes::LastOperand => true,
            Writes::OperandsUnless(options) | Writes::LastOperandUnless(options) => !self.certainly_has_option(options),
            Writes::OperandsWith(options) => self.has_option(options),
            _ => false,
        }
    }

    /// Returns whether arguments are added to the command that others have edited, so that they can be any: `ls | tr a b | xargs tee`.
    fn is_given_edited_names(&self) -> bool {
        let Some(via) = self.command.via.filter(|via| self.command.appended && via.how == How::Arguments) else {
            return false;
        };
        let mut listers = Vec::new();
        self.add_listing_input(via.command, &mut listers);
        listers.into_iter().any(|id| edits_text(self.line.reading.command(id)))
    }

    /// Returns the values of options that name files, within the folder that another option names: `curl --output-dir FOLDER -o FILE`.
    fn in_folders<'o>(
        &'o self,
        options: &'o [&'o str],
        program: &'o Program<'o>,
    ) -> impl Iterator<Item = Cow<'a, Word>> + 'o {
        program.writes.iter().flat_map(move |writes| {
            let Writes::UrlNames { folder, .. } = writes else { return Vec::new() };
            let Some(path) = self.values(folder).last() else { return Vec::new() };
            let names: Vec<&str> = options.iter().copied().filter(|option| !folder.contains(option)).collect();
            self.values(&names).map(|file| Cow::Owned(in_folder(&path, &file))).collect()
        })
    }

    /// Returns the last operand after one of these subcommands, or the name that its URL implies.
    fn last_operand_of(&self, subcommands: &[&[&str]], operands: &[&'a Word]) -> Option<Cow<'a, Word>> {
        let is_given = |subcommand: &&[&str]| {
            let mut pairs = subcommand.iter().zip(operands);
            operands.len() >= subcommand.len()
                && pairs.all(|(word, operand)| pattern::matches_word(word, operand) != Match::No)
        };
        let is_whole = |subcommand: &&[&str]| is_given(subcommand) && operands.len() > subcommand.len();
        // `git clone URL`: the name comes from the URL.
        let is_implicit = |subcommand: &&[&str]| subcommand.last() == Some(&"*") && is_given(subcommand);
        let last = operands.last()?;
        if subcommands.iter().any(is_whole) {
            Some(Cow::Borrowed(last))
        } else if self.is_in_known_directory() && subcommands.iter().any(is_implicit) {
            url_name(last).map(Cow::Owned)
        } else {
            None
        }
    }

    /// Returns whether the working directory is known. Elsewhere, a program whose files have no names in the line is trusted.
    fn is_in_known_directory(&self) -> bool {
        self.command.directory != Directory::Unknown
    }

    /// Returns the folder into which the command unpacks an archive, and whether the command names it. Returns `None` if it
    /// unpacks nothing.
    pub(crate) fn unpacks_to(&self) -> Option<(Cow<'a, Word>, bool)> {
        let program = self.program?;
        // The other side chooses the names of the files.
        let is_download = program.writes.iter().any(|writes| matches!(writes, Writes::UrlNames { .. }));
        let is_implicit = |words: &[&str]| {
            program.writes.iter().any(|writes| matches!(writes, Writes::LastOperandOf(list) if list.contains(&words)))
        };
        let here = || (Cow::Owned(Word::plain(".", self.command.span)), is_download);
        program.writes.iter().find_map(|writes| match writes {
            Writes::Unpacked { unless, .. } if self.certainly_has_option(unless) => None,
            Writes::Unpacked { with, folder, to_operand: false, .. }
                if with.is_empty() || with.iter().any(|words| self.operands_after(words).is_some()) =>
            {
                let in_value = with.iter().find_map(|words| self.folder_of_value(words));
                Some(in_value.or_else(|| self.values(folder).last()).map_or_else(here, |folder| (folder, true)))
            }
            Writes::Unpacked { with, to_operand: true, .. } => {
                let folder = with.iter().find_map(|words| match self.operands_after(words)?.pop() {
                    Some(folder) => Some(Cow::Borrowed(folder)),
                    // `svn export URL`: the name comes from the URL.
                    None if is_implicit(words) => {
                        let url = self.operands().last().filter(|word| word.certain_start().contains("://"));
                        url.and_then(url_name).map(Cow::Owned)
                    }
                    None => None,
                })?;
                Some((folder, true))
            }
            _ => None,
        })
    }

    /// Returns the operands after a subcommand, whose words are the first operands, and options in any position. Returns `None`
    /// without the subcommand.
    fn operands_after(&self, subcommand: &[&str]) -> Option<Vec<&'a Word>> {
        let mut operands = self.operands();
        let is_given = subcommand.iter().all(|word| {
            if word.starts_with('-') {
                match pattern::split_flag(word) {
                    (option, None) => self.has_option(&[option]),
                    (option, Some(_)) => self.value_like(option, word).is_some(),
                }
            } else {
                operands.next().is_some_and(|operand| pattern::matches_word(word, operand) != Match::No)
            }
        });
        is_given.then(|| operands.collect())
    }

    /// Returns the value of an option that matches the pattern after the `=` of a flag.
    fn value_like(&self, option: &str, flag: &str) -> Option<Cow<'a, Word>> {
        let (_, pattern) = pattern::split_flag(flag);
        self.values(&[option])
            .find(|value| pattern.is_none_or(|wanted| pattern::matches_word(wanted, value) != Match::No))
    }

    /// Returns the folder in the value of an option with a pattern: `curl -o FOLDER/#1`.
    fn folder_of_value(&self, words: &[&str]) -> Option<Cow<'a, Word>> {
        let flag = words.iter().find(|word| word.starts_with('-') && word.contains('='))?;
        let value = self.value_like(pattern::split_flag(flag).0, flag)?;
        let slash = |part: &Part| match part {
            Part::Literal { text, .. } => text.rfind('/'),
            _ => None,
        };
        let (index, at) = value.parts.iter().enumerate().rev().find_map(|(index, part)| Some((index, slash(part)?)))?;
        let mut parts = value.parts[..=index].to_vec();
        if let Some(Part::Literal { text, .. }) = parts.last_mut() {
            text.truncate(at + 1);
        }
        Some(Cow::Owned(Word { parts, span: value.span }))
    }

    /// Returns the names that files get if the command writes them to a folder: those of its operands, and an ordinary one. Empty if
    /// the command does not take folders for its files.
    pub(crate) fn file_names(&self) -> Vec<&'a str> {
        let copies = |writes: &Writes<'_>| {
            matches!(
                writes,
                Writes::LastOperand | Writes::LastOperandUnless(_) | Writes::LastOperandOf(_) | Writes::UrlNames { .. }
            )
        };
        let is_of_option = |writes: &Writes<'_>| matches!(writes, Writes::Values(_) | Writes::Unpacked { .. });
        let is_copier = |program: &Program<'_>| {
            program.writes.iter().any(copies) || !program.writes.is_empty() && program.writes.iter().all(is_of_option)
        };
        if !self.program.is_some_and(is_copier) {
            return Vec::new();
        }
        let last = |word: &'a Word| match word.parts.last() {
            // `HOST:FILE`
            Some(Part::Literal { text, .. }) => text.trim_end_matches('/').rsplit(['/', ':']).next(),
            _ => None,
        };
        let is_content = |word: &&Word| self.is_called(CONTENT_COPIERS) && word.certain_end().ends_with('/');
        let names = self
            .operands()
            .filter(|word| !is_content(word))
            .filter_map(last)
            .filter(|name| !matches!(*name, "" | "." | ".."));
        names.take(MAX_NAMES).chain([ORDINARY_NAME]).collect()
    }
}

/// Programs that copy to other machines.
const REMOTE_COPIERS: &[&str] = &["rcp", "rsync", "scp"];
/// Programs that copy only the content of a folder if a slash follows its name.
const CONTENT_COPIERS: &[&str] = &["rsync"];

/// The maximum number of operands whose names are tried in a folder.
const MAX_NAMES: usize = 8;

/// Returns the last part of a URL or of the path of a file, if it is certain.
pub(crate) fn url_name(url: &Word) -> Option<Word> {
    let end = url.certain_end();
    let path = end.split(['?', '#']).next().unwrap_or_default();
    let is_whole = url.text().is_some();
    let name = match path.trim_end_matches('/').rsplit_once('/') {
        Some((_, name)) => name,
        None if is_whole => path,
        None => return None,
    };
    // `HOST:FILE`
    let name = name.rsplit(':').next().unwrap_or_default();
    (!name.is_empty()).then(|| Word::plain(name, url.span))
}

/// Returns other names that downloaders give to the file of a URL: that of a page for a folder or a whole host, and the name with the
/// query.
fn usual_names(url: &Word) -> Vec<Word> {
    let Some(text) = url.text() else { return Vec::new() };
    let (whole, without_scheme) = (text.split('#').next().unwrap_or_default(), text.split_once("://"));
    let path = without_scheme.map_or(whole, |(_, rest)| rest.split('#').next().unwrap_or_default());
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let name = match path.rsplit_once('/') {
        None | Some((_, "")) => "index.html",
        Some((_, name)) if !query.is_empty() => name,
        Some(_) => return Vec::new(),
    };
    let with_query = (!query.is_empty()).then(|| Word::plain(&format!("{name}?{query}"), url.span));
    [Word::plain(name, url.span)].into_iter().chain(with_query).collect()
}

/// Returns the path of a file in a folder.
pub(crate) fn in_folder(folder: &Word, file: &Word) -> Word {
    let mut parts = folder.parts.clone();
    parts.push(Part::Literal { text: "/".to_owned(), origin: Origin::Plain });
    parts.extend(file.parts.iter().cloned());
    Word { parts, span: file.span }
}
