//! The words of a command that name files.

use std::borrow::Cow;

use crate::flags::has_dash;
use crate::judge::file::FileWord;
use crate::judge::searches::{is_filter, searches};
use crate::judge::sources::substitutions;
use crate::judge::subject::{Subject, after_prefix};
use crate::judge::text::{with_placeholders, with_unknown};
use crate::reading::{Command, How, Input};
use crate::syntax::{CommandId, Part, RedirectKind, Word};

impl<'a> Subject<'a> {
    /// Returns words as files.
    pub(super) fn files<'w>(&self, words: impl IntoIterator<Item = Cow<'w, Word>>) -> Vec<FileWord> {
        words.into_iter().map(|word| FileWord::new(&word, &[], self.command, self.line)).collect()
    }

    /// Returns words as files that are read.
    pub(super) fn files_to_read(&self, words: &[Cow<'_, Word>]) -> Vec<FileWord> {
        words.iter().map(|word| FileWord::read(word, self.command, self.line)).collect()
    }

    /// Returns the operands as files.
    pub(super) fn operand_files(&self) -> &[FileWord] {
        self.files.operands.get_or_init(|| self.files(self.operands().map(Cow::Borrowed)))
    }

    /// Returns the [arguments](Self::argument_words) as files.
    pub(super) fn argument_files(&self) -> &[FileWord] {
        self.files.arguments.get_or_init(|| {
            let mut words = self.argument_words();
            words.extend(self.followed_links());
            self.files_to_read(&words)
        })
    }

    /// Returns the files that the command writes.
    pub(super) fn written_files(&self) -> &[FileWord] {
        self.files.written.get_or_init(|| {
            let names = self.file_names();
            let archives = self.made_archives();
            let is_target = |word: &Word| {
                self.command.redirects.iter().any(|redirect| redirect.target.span == word.span)
                    || archives.iter().any(|archive| archive.span == word.span)
            };
            let file = |word: Cow<'_, Word>| {
                let names = if is_target(&word) { &[][..] } else { &names };
                FileWord::new(&word, names, self.command, self.line)
            };
            self.written().into_iter().map(file).collect()
        })
    }

    /// Returns the files that the command can read.
    pub(super) fn read_files(&self) -> impl Iterator<Item = &FileWord> {
        let listed = self.files.listed.get_or_init(|| {
            let mut files = self.files_to_read(&self.listed_words());
            let searches = searches(&self.listing_commands()).into_iter();
            files.extend(searches.map(|search| FileWord::searched(search, self.command, self.line)));
            files
        });
        self.argument_files().iter().chain(listed).chain(self.input_files())
    }

    /// Returns the files that redirections of the command read.
    pub(super) fn input_files(&self) -> &[FileWord] {
        self.files.input.get_or_init(|| self.files_to_read(&self.input_words()))
    }

    /// Returns the values of options, each without the target if it is a mount: `SOURCE:TARGET`,
    /// `source=SOURCE,target=TARGET`.
    pub(super) fn mounted_words(&self, options: &[&str]) -> Vec<Cow<'a, Word>> {
        let mut words: Vec<Cow<'a, Word>> = self.values(options).collect();
        let parts: Vec<Cow<'a, Word>> = words.iter().flat_map(|word| mount_sources(word)).map(Cow::Owned).collect();
        let has_target = |part: &Part| matches!(part, Part::Literal { text, .. } if text.contains(':'));
        words.retain(|word| !word.parts.iter().any(has_target));
        words.extend(parts);
        words
    }

    /// Returns the words that can name files which the command reads.
    pub(super) fn read_words(&self) -> Vec<Cow<'a, Word>> {
        let mut words = self.argument_words();
        words.extend(self.listed_words());
        words.extend(self.input_words());
        words
    }

    /// Returns the files that redirections of the command read.
    pub(super) fn input_words(&self) -> Vec<Cow<'a, Word>> {
        let reads = |kind: RedirectKind| matches!(kind, RedirectKind::Read | RedirectKind::ReadWrite);
        let read = self.command.redirects.iter().filter(|redirect| reads(redirect.kind));
        read.map(|redirect| Cow::Borrowed(&redirect.target)).collect()
    }

    /// Returns the arguments of commands that list the files which the command reads: in substitutions, or as input of `xargs`.
    /// The files that a script reads are included.
    fn listed_words(&self) -> Vec<Cow<'a, Word>> {
        let mut words: Vec<Cow<'a, Word>> =
            self.listers().flat_map(Command::arguments).chain(self.inline_names()).map(Cow::Borrowed).collect();
        let read_by_script = self.effects().into_iter().flat_map(|effects| &effects.reads);
        words.extend(read_by_script.cloned().map(Cow::Owned));
        words
    }

    /// Returns the commands that list the files which the command reads: in substitutions, as input of `xargs`, as `find -exec`,
    /// or as the source of a variable.
    fn listers(&self) -> impl Iterator<Item = &'a Command> + use<'a> {
        let is_lister = |command: &&Command| command.program.name().is_some_and(|name| LISTERS.contains(&name));
        self.listing_commands().into_iter().filter(is_lister)
    }

    /// Returns the listers, and the filters between them and the command.
    fn listing_commands(&self) -> Vec<&'a Command> {
        let (line, command) = (self.line, self.command);
        let reading = line.reading;
        let mut sources: Vec<CommandId> = command.arguments().iter().flat_map(substitutions).flatten().collect();
        let has_unknown = |word: &Word| word.parts.iter().any(|part| matches!(part, Part::Unknown { .. }));
        if let Some(via) = command.via.filter(|via| via.how == How::Arguments)
            && (command.appended
                || command.arguments().iter().any(has_unknown)
                || matches!(reading.command(via.command).program.name(), Some("fd" | "fdfind")))
        {
            sources.push(via.command);
            self.add_listing_input(via.command, &mut sources);
        }
        if self.reads_names() {
            self.add_listing_input(self.id, &mut sources);
        }
        let variables = command.arguments().iter().flat_map(|word| &word.parts).filter_map(|part| match part {
            Part::Variable { name, .. } if reading.assigned.contains_key(name) => Some(name),
            _ => None,
        });
        for name in variables.take(MAX_VARIABLES) {
            for id in line.ids() {
                let setter = reading.command(id);
                let own = setter.assignments.iter().filter(|assignment| assignment.name == *name);
                let values = own.flat_map(|assignment| assignment.each.iter().chain([&assignment.value]));
                sources.extend(values.flat_map(substitutions).flatten());
                let is_read = setter.program.name().is_some_and(|name| READERS.contains(&name));
                if is_read && setter.arguments().iter().any(|word| word.text().is_some_and(|text| text == *name)) {
                    self.add_listing_input(id, &mut sources);
                }
            }
        }
        sources.into_iter().map(|id| reading.command(id)).collect()
    }

    /// Returns whether the command reads names of files from standard input: `cpio -o`, `tar -T -`, `zip -@`.
    fn reads_names(&self) -> bool {
        let Some(name) = self.name.filter(|name| NAME_READERS.contains(name)) else { return false };
        self.command.arguments().iter().filter_map(Word::literal).any(|word| match &*word {
            "-" | "-@" => true,
            word if name == "cpio" => word.starts_with("--") || has_dash(word) && word.contains(['o', 'p']),
            word => word.ends_with("=-") || word.starts_with("-T") && word.ends_with('-'),
        })
    }

    /// Adds the commands whose output another command reads, through filters.
    pub(super) fn add_listing_input(&self, id: CommandId, sources: &mut Vec<CommandId>) {
        let mut open = vec![id];
        for _ in 0..MAX_FILTERS {
            let Some(next) = open.pop() else { return };
            let first = sources.len();
            match self.line.reading.input(next) {
                Input::Commands(range) => sources.extend(range),
                Input::Redirect(redirect) => {
                    sources.extend(substitutions(&redirect.target).flatten());
                }
                Input::Inherited => {}
            }
            let filters = sources[first..].iter().copied().filter(|id| is_filter(self.line.reading.command(*id)));
            open.extend(filters);
        }
    }

    /// Returns the name of a file that the line itself gives to `xargs` as its input.
    fn inline_names(&self) -> Option<&'a Word> {
        let via = self.command.via.filter(|via| via.how == How::Arguments)?;
        let is_lister =
            self.line.reading.command(via.command).program.name().is_some_and(|name| name.ends_with("xargs"));
        match self.line.reading.input(via.command) {
            Input::Redirect(redirect) if is_lister && redirect.kind == RedirectKind::HereString => {
                Some(&redirect.target)
            }
            _ => None,
        }
    }

    /// Returns the arguments, and the parts of them that can name files.
    pub(super) fn argument_words(&self) -> Vec<Cow<'a, Word>> {
        let mut words: Vec<Cow<'a, Word>> = Vec::new();
        let has_code = self.name.is_some_and(|name| CODE_READERS.contains(&name));
        for word in self.words_without_command() {
            if has_code {
                words.extend(paths_in_code(word).into_iter().map(Cow::Owned));
            }
            let Some(Part::Literal { text, .. }) = word.parts.first() else {
                words.push(Cow::Borrowed(word));
                continue;
            };
            // No place has a file with the name of an option.
            if !has_dash(text) || text.contains('/') {
                words.push(Cow::Borrowed(word));
            }
            // Most words have none of the signs. A loop is faster than searches here.
            let has_sign = text.bytes().any(|byte| matches!(byte, b':' | b'=' | b'@' | b'<'));
            if has_sign && let Some(at) = text.find("file://") {
                words.extend(after_prefix(word, &text[..at + "file://".len()]));
            }
            // `if=FILE`, `--data=@FILE`, `-F field=@FILE`, `-F field=<FILE`, `-TFILE`.
            for separator in ['=', '@', '<'].into_iter().filter(|_| has_sign) {
                if let Some(at) = text.find(separator) {
                    words.extend(after_prefix(word, &text[..=at]));
                    let rest = &text[at + 1..];
                    if let Some(next) = rest.find('@') {
                        words.extend(after_prefix(word, &text[..at + 2 + next]));
                    }
                }
            }
            if has_dash(text) && !text.starts_with("--") && text.len() > 2 && text.is_char_boundary(2) {
                words.extend(after_prefix(word, &text[..2]));
            }
        }
        // `[ a = b ]`: nothing follows the sign.
        words.retain(|word| !word.text().is_some_and(|text| text.is_empty()));
        words
    }
}

/// Programs that print names of files.
const LISTERS: &[&str] = &[
    "dir", "du", "echo", "exa", "eza", "fd", "fdfind", "find", "gfind", "locate", "ls", "lsd", "mdfind", "mlocate",
    "plocate", "printf", "readlink", "realpath", "stat", "tree", "vdir",
];
/// Programs that can read names of files from standard input.
const NAME_READERS: &[&str] = &["7z", "cpio", "du", "find", "grep", "pax", "rsync", "sort", "tar", "wc", "zip"];
/// Programs whose arguments are code that can name files: `mysql -e "LOAD DATA INFILE '/FILE'"`, `yq 'load_str("/FILE")'`.
const CODE_READERS: &[&str] = &[
    "clickhouse",
    "clickhouse-client",
    "clickhouse-local",
    "duckdb",
    "gojq",
    "jq",
    "lftp",
    "litecli",
    "mlr",
    "mycli",
    "mysql",
    "pgcli",
    "psql",
    "smbclient",
    "sqlite3",
    "usql",
    "yq",
];
/// The maximum number of paths in the code of one argument.
const MAX_PATHS: usize = 16;
/// Builtins that set variables to their input.
const READERS: &[&str] = &["mapfile", "read", "readarray"];
/// The maximum number of filters between a search and the program that reads what it finds.
const MAX_FILTERS: usize = 8;
/// The maximum number of variables whose sources are looked for.
const MAX_VARIABLES: usize = 8;

/// Returns the absolute paths, and those below the home folder, that a word with code contains.
fn paths_in_code(word: &Word) -> Vec<Word> {
    let text = with_placeholders(word);
    let is_end = |letter: char| letter.is_whitespace() || "'\"`(),;".contains(letter);
    if word.parts.len() < 2 && !text.contains(is_end) {
        return Vec::new();
    }
    let path = |name: &str| match name.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some(rest) => {
            let mut path = with_unknown(rest, word.span);
            path.parts.insert(0, Part::Tilde { user: String::new() });
            path
        }
        None => with_unknown(name, word.span),
    };
    let names = text.split(is_end).filter(|piece| piece.starts_with(['/', '~']) && *piece != "/");
    names.take(MAX_PATHS).map(path).collect()
}

/// The keys whose values are files of this machine, in options such as `--mount type=bind,source=FILE` and
/// `--output type=local,dest=FILE`.
const FILE_KEYS: &[&str] = &["source=", "src=", "device=", "dest="];

/// Returns the parts of a word that can be the source of a mount: before a `:`, and after one of [`FILE_KEYS`] up to a `,`. Without
/// a `,`, the part after the first `=` is included, as in `--from-file=NAME=FILE`. Quotes around a part, as in
/// `type=bind,"source=FILE"`, are removed, and so is a `=` before the word, as in `-v=SOURCE:TARGET`.
fn mount_sources(word: &Word) -> Vec<Word> {
    let unquoted = without_quotes(word);
    let assigned = after_prefix(&unquoted, "=");
    let word = assigned.as_deref().unwrap_or(&unquoted);
    let literals = || {
        word.parts.iter().enumerate().filter_map(|(index, part)| match part {
            Part::Literal { text, .. } => Some((index, text.as_str())),
            _ => None,
        })
    };
    let mut sources = Vec::new();
    if let Some((index, at)) = literals().find_map(|(index, text)| Some((index, text.find(':')?))) {
        sources.push(cut(word, (0, 0), Some((index, at))));
    } else if assigned.is_some() {
        sources.push(word.clone());
    }
    let commas = || literals().flat_map(|(index, text)| text.match_indices(',').map(move |(at, _)| (index, at)));
    // Each field begins at the beginning of the word, or after a comma.
    for (index, at) in [(0, 0)].into_iter().chain(commas().map(|(index, at)| (index, at + 1))) {
        let Some(Part::Literal { text, .. }) = word.parts.get(index) else { continue };
        let field = text[at..].trim_start();
        let option = field.strip_prefix("volume-opt=").unwrap_or(field);
        if let Some(value) = FILE_KEYS.iter().find_map(|key| option.strip_prefix(key)) {
            let start = text.len() - value.len();
            sources.push(cut(word, (index, start), commas().find(|end| *end >= (index, start))));
        }
    }
    if commas().next().is_none()
        && let Some((index, at)) = literals().find_map(|(index, text)| Some((index, text.find('=')? + 1)))
    {
        sources.push(cut(word, (index, at), None));
    }
    sources
}

/// Returns a word without the quotes in its literal text, and with literals that follow each other as one.
fn without_quotes(word: &Word) -> Word {
    let mut parts: Vec<Part> = Vec::with_capacity(word.parts.len());
    for part in &word.parts {
        let Part::Literal { text, origin } = part else {
            parts.push(part.clone());
            continue;
        };
        let text = text.replace('"', "");
        match parts.last_mut() {
            Some(Part::Literal { text: last, .. }) => last.push_str(&text),
            _ => parts.push(Part::Literal { text, origin: *origin }),
        }
    }
    Word { parts, span: word.span }
}

/// Returns a range of a word. Its ends are a part, and a position in the text of that part.
fn cut(word: &Word, start: (usize, usize), end: Option<(usize, usize)>) -> Word {
    let mut parts = Vec::new();
    for (index, part) in word.parts.iter().enumerate().skip(start.0) {
        let is_end = end.is_some_and(|(last, _)| last == index);
        match part {
            Part::Literal { text, origin } => {
                let from = if index == start.0 { start.1 } else { 0 };
                let to = end.filter(|_| is_end).map_or(text.len(), |(_, at)| at);
                parts.push(Part::Literal { text: text[from..to].to_owned(), origin: *origin });
            }
            part => parts.push(part.clone()),
        }
        if is_end {
            break;
        }
    }
    Word { parts, span: word.span }
}
