//! Finds the files that a command writes.

use std::borrow::Cow;

use crate::certainty::Match;
use crate::judge::subject::{Subject, after_prefix};
use crate::programs::{Program, Writes};
use crate::reading::{Directory, How};
use crate::rules::pattern;
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
                Writes::Operands | Writes::OperandsUnless(_) => words.extend(all()),
                Writes::FirstOperand => words.extend(all().take(1)),
                Writes::LastOperand | Writes::LastOperandUnless(_) => {
                    words.extend(all().skip(operands.len().saturating_sub(1).max(1)));
                }
                Writes::LastOperandOf(subcommands) => words.extend(self.last_operand_of(subcommands, &operands)),
                Writes::OperandsWith(options) if self.has_option(options) => words.extend(all()),
                Writes::Values(options) => {
                    words.extend(self.values(options));
                    words.extend(self.in_folders(options, program));
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
        if program.writes.iter().any(|writes| self.writes_added(writes)) && self.is_given_edited_names() {
            words.push(Cow::Owned(Word { parts: vec![Part::Unknown { splits: false }], span: self.command.span }));
        }
        if self.is_in_known_directory() {
            words.extend(self.unpacks_to().filter(|(_, is_named)| !is_named).map(|(folder, _)| folder));
        }
        words
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
        let here = || (Cow::Owned(Word::plain(".", self.command.span)), false);
        self.program?.writes.iter().find_map(|writes| match writes {
            Writes::Unpacked { unless, .. } if self.certainly_has_option(unless) => None,
            Writes::Unpacked { with, folder, to_operand: false, .. }
                if with.is_empty() || with.iter().any(|words| self.operands_after(words).is_some()) =>
            {
                Some(self.values(folder).last().map_or_else(here, |folder| (folder, true)))
            }
            Writes::Unpacked { with, to_operand: true, .. } => {
                let folder = with.iter().find_map(|words| self.operands_after(words)?.pop())?;
                Some((Cow::Borrowed(folder), true))
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
                self.has_option(&[*word])
            } else {
                operands.next().is_some_and(|operand| pattern::matches_word(word, operand) != Match::No)
            }
        });
        is_given.then(|| operands.collect())
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
        let names = self.operands().filter_map(last).filter(|name| !matches!(*name, "" | "." | ".."));
        names.take(MAX_NAMES).chain([ORDINARY_NAME]).collect()
    }
}

/// The maximum number of operands whose names are tried in a folder.
const MAX_NAMES: usize = 8;

/// A name that no pattern contains: only `*` and `**` match it.
const ORDINARY_NAME: &str = "\u{0}file";

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
