//! Follows lists whose items become arguments: `echo FILE | xargs tee`, `parallel systemctl ::: poweroff`.

use std::ops::Range;

use super::Unfolder;
use super::editors::edits_text;
use crate::doubt::DoubtKind;
use crate::flags::{self, Argument};
use crate::programs::{CodeShell, program_name};
use crate::reading::{Command, How, Input};
use crate::syntax::{CommandId, Glob, Origin, Part, RedirectKind, Word};
use crate::work::{COPY, MAX_BYTES};

/// The maximum number of commands that are made of a list, each with its own items.
const MAX_COMMANDS: usize = 32;
/// The maximum number of items that are followed.
const MAX_ITEMS: usize = 256;

/// Programs that print the names of the files among their operands.
const NAMERS: &[&str] = &["dirname", "greadlink", "grealpath", "ls", "readlink", "realpath"];
/// Programs that print the names of files in the folders among their operands.
const FINDERS: &[&str] = &["find", "gfind"];
/// Programs that print a part of what they read.
const FILTERS: &[&str] = &["cat", "grep", "head", "sed", "sort", "tail", "tr", "uniq"];
/// The maximum number of filters that are followed.
const MAX_FILTERS: usize = 4;
/// The options of `xargs` with which each command gets only some of the items.
const PER_COMMAND: &[&str] = &["-L", "-l", "-n", "--max-args", "--max-lines"];

/// A list of items.
struct List {
    items: Vec<Word>,
    /// Whether the items are files that another program finds.
    is_found: bool,
}

impl Unfolder<'_> {
    /// Adds the commands that a program such as `xargs` makes of a list, as far as that is known. `words` are the command to which the
    /// items are added, or in which a placeholder stands for one. Returns whether these commands are all that run.
    pub(super) fn open_list(
        &mut self,
        index: usize,
        arguments: &[Word],
        words: &[Word],
        placeholder: Option<&str>,
    ) -> bool {
        let name = self.reading.commands[index].program.name().unwrap_or_default();
        let program = self.programs.get(name);
        let value_options = program.map_or(&[][..], |program| program.value_options);
        let is_parallel = name == "parallel" || program.is_some_and(|program| program.name == "parallel");
        let signs = words.iter().position(is_list_sign).filter(|_| is_parallel);
        let template = &words[..signs.unwrap_or(words.len())];
        if is_parallel && has_option(arguments, value_options, &["-U", "--arg-sep", "--parens", "--rpl"]) {
            self.open_unknown(index, template, |word| vec![Part::Unknown { splits: word.literal().is_none() }]);
            return false;
        }
        if is_parallel && has_option(arguments, value_options, &["-C", "--colsep"])
            || template.iter().any(has_expression)
        {
            self.open_unknown(index, template, with_unknown_items);
            return false;
        }
        if let Some(signs) = signs {
            self.open_own_list(index, &words[..signs], &words[signs..], placeholder);
            return false;
        }
        if words.is_empty() {
            return false;
        }
        let Some(List { items, is_found }) =
            self.list(index, arguments, value_options, placeholder.is_some() || is_parallel)
        else {
            return false;
        };
        if items.is_empty() || is_found && !self.writes_items(words, placeholder) {
            return false;
        }
        if !is_found && items.len() >= MAX_ITEMS {
            // Others may follow.
            self.doubt(DoubtKind::BuiltCode, self.reading.commands[index].span);
        }
        if is_parallel {
            let template = Template { words, placeholder: placeholder.unwrap_or("{}") };
            let rows: Vec<Vec<&Word>> = items.iter().map(|item| vec![item]).collect();
            self.open_templates(index, &template, &rows);
            return false;
        }
        let added = if let Some(placeholder) = placeholder {
            items.iter().take(MAX_COMMANDS).all(|item| self.add_filled(index, words, placeholder, item))
        } else {
            let is_each = items.len() > 1 && has_option(arguments, value_options, PER_COMMAND);
            let each = items.iter().take(if is_each { MAX_COMMANDS } else { 0 }).map(std::slice::from_ref);
            each.chain([items.as_slice()]).all(|items| self.add_listed(index, [words, items].concat()))
        };
        if !added || placeholder.is_some() && items.len() > MAX_COMMANDS {
            self.doubt(DoubtKind::BuiltCode, self.reading.commands[index].span);
        }
        added && !is_found && items.len() < MAX_ITEMS && items.iter().all(is_certain)
    }

    /// Adds a command in which an item replaces the placeholder. Returns false if a limit is exceeded.
    fn add_filled(&mut self, index: usize, words: &[Word], placeholder: &str, item: &Word) -> bool {
        let mut left = MAX_BYTES;
        let lookup = |rest: &str| rest.starts_with(placeholder).then(|| (placeholder.len(), item.clone()));
        let start = placeholder.chars().next().unwrap_or('{');
        let filled = words.iter().map(|word| filled(word, &[start], lookup, false, &mut left)).collect();
        match filled {
            Some(filled) => self.add_listed(index, filled),
            None => false,
        }
    }

    /// Adds a command with items among its arguments. Returns false if a limit is exceeded.
    fn add_listed(&mut self, index: usize, words: Vec<Word>) -> bool {
        let Some(added) = self.add_command(index, words, How::Arguments) else { return false };
        self.reading.commands[added].listed = true;
        true
    }

    /// Adds the commands that `parallel` makes of the lists among its arguments: `parallel COMMAND ::: ITEMS ::: ITEMS`.
    fn open_own_list(&mut self, index: usize, words: &[Word], lists: &[Word], placeholder: Option<&str>) {
        let mut rows: Vec<Vec<&Word>> = Vec::new();
        for (number, list) in lists.chunk_by(|_, next| !is_list_sign(next)).enumerate() {
            let [sign, items @ ..] = list else { return };
            let sign = sign.text().unwrap_or_default();
            // More items are in files.
            if sign.starts_with("::::") || number == MAX_LISTS {
                return self.open_unknown(index, words, with_unknown_items);
            }
            if rows.is_empty() {
                rows = items.iter().map(|item| vec![item]).collect();
            } else if sign.ends_with('+') {
                for (row, item) in rows.iter_mut().zip(items) {
                    row.push(item);
                }
            } else {
                rows.truncate(MAX_COMMANDS + 1);
                let items = &items[..items.len().min(MAX_COMMANDS + 1)];
                rows = rows.iter().flat_map(|row| items.iter().map(move |item| with(row, item))).collect();
            }
        }
        self.open_templates(index, &Template { words, placeholder: placeholder.unwrap_or("{}") }, &rows);
    }

    /// Adds the command that `parallel` makes of items that are not known, or in a way that is not followed. `fill` returns the parts
    /// of an argument with items in it.
    fn open_unknown(&mut self, index: usize, words: &[Word], fill: impl Fn(&Word) -> Vec<Part>) {
        let Some((program, words)) = words.split_first() else { return };
        let is_option = |word: &Word| word.certain_start().starts_with('-');
        let fill = |word: &Word| if is_option(word) { word.parts.clone() } else { fill(word) };
        let filled = words.iter().map(|word| Word { parts: fill(word), span: word.span });
        let filled: Vec<Word> = [program.clone()].into_iter().chain(filled).collect();
        if let Some(added) = self.add_command(index, filled, How::Arguments) {
            self.reading.commands[added].appended = true;
        }
    }

    /// Adds the commands that `parallel` makes of a template, which a shell reads.
    fn open_templates(&mut self, index: usize, template: &Template<'_>, rows: &[Vec<&Word>]) {
        let is_template_certain = template.words.iter().all(is_certain);
        let is_one_text = matches!(template.words, [only] if only.certain_start().contains(char::is_whitespace));
        let span = self.reading.commands[index].span;
        for row in rows.iter().take(MAX_COMMANDS) {
            let is_code = is_template_certain && row.iter().all(|item| is_certain(item));
            if !is_code && (template.words.is_empty() || is_one_text) {
                // Code with an expansion in it would be a doubt.
                continue;
            }
            let Some(words) = template.filled(row, is_code) else { return self.doubt(DoubtKind::BuiltCode, span) };
            if is_code {
                self.read_words(index, &words, CodeShell::Any);
            } else {
                self.add_command(index, words, How::Arguments);
            }
            if self.exhausted {
                return;
            }
        }
        if rows.len() > MAX_COMMANDS {
            self.doubt(DoubtKind::BuiltCode, span);
        }
    }

    /// Returns the items that a command reads. With `by_line`, each line is an item, and otherwise each word.
    fn list(&mut self, index: usize, arguments: &[Word], value_options: &[&str], by_line: bool) -> Option<List> {
        let id = CommandId::try_from(index).ok()?;
        let list = match file_of_list(arguments, value_options) {
            Some(file) => self.text_of_file(file, MAX_FILTERS)?,
            None => self.text_of_input(id, MAX_FILTERS)?,
        };
        // Many programs can read the same text.
        if !self.spend(list.items.iter().map(bytes_of).sum()) {
            return None;
        }
        Some(if list.is_found { list } else { List { items: items(&list.items, by_line), ..list } })
    }

    /// Returns the text that a command reads, or the files that another program finds.
    fn text_of_input(&mut self, id: CommandId, filters: usize) -> Option<List> {
        match self.reading.input(id) {
            Input::Redirect(redirect) => {
                let target = redirect.target.clone();
                match redirect.kind {
                    RedirectKind::HereDocument | RedirectKind::HereString => {
                        Some(List { items: vec![target], is_found: false })
                    }
                    _ => self.text_of_file(&target, filters),
                }
            }
            Input::Commands(commands) => self.text_of_commands(commands, filters),
            Input::Inherited => None,
        }
    }

    /// Returns the text of a file: the output of `<(...)`, or what the line has written.
    fn text_of_file(&mut self, file: &Word, filters: usize) -> Option<List> {
        if let Some(commands) = printers_of(file) {
            return self.text_of_commands(commands, filters);
        }
        let items = self.written_text(&file.text()?)?;
        self.spend(COPY * items.len()).then_some(List { items, is_found: false })
    }

    /// Returns the text that commands print, or the files that one of them finds. What a filter such as `sort` leaves out of a text
    /// does not matter.
    fn text_of_commands(&mut self, commands: Range<CommandId>, filters: usize) -> Option<List> {
        let mut printed = Vec::new();
        for id in commands.clone() {
            if !self.spend(COPY * (1 + self.reading.command(id).words.len())) {
                return None;
            }
            if let Some(words) = self.printed_words(id) {
                printed.extend(words);
                continue;
            }
            if commands.len() > 1 {
                continue;
            }
            let command = self.reading.command(id);
            if edits_text(command) {
                return None;
            }
            let name = command.words.first().and_then(Word::text).unwrap_or_default();
            if filters == 0 || !FILTERS.contains(&&*name) {
                return Some(List { items: found(command), is_found: true });
            }
            let file = command.arguments().last().cloned();
            let of_file = file.and_then(|file| self.text_of_file(&file, filters - 1));
            return of_file.or_else(|| self.text_of_input(id, filters - 1));
        }
        Some(List { items: printed, is_found: false })
    }

    /// Returns the text that `echo`, `printf` or `cat` prints, as far as that is known.
    fn printed_words(&self, id: CommandId) -> Option<Vec<Word>> {
        let command = self.reading.command(id);
        // The commands of `<(...)` come later, and are not unfolded yet.
        match &*command.words.first()?.text()? {
            "echo" => {
                let is_option =
                    |word: &&Word| word.text().is_some_and(|text| matches!(&*text, "-n" | "-e" | "-ne" | "-en"));
                Some(spaced(command.arguments().iter().skip_while(is_option)))
            }
            "printf" => formatted(command.arguments()),
            "cat" => self.printed_text(id).map(|(words, _)| words),
            _ => None,
        }
    }

    /// Returns whether a program writes the files that are added to its arguments, or that a placeholder stands for.
    fn writes_items(&self, words: &[Word], placeholder: Option<&str>) -> bool {
        let writes = |word: &Word| {
            let program = word.text().and_then(|text| self.programs.get(program_name(&text)));
            program.is_some_and(|program| !program.writes.is_empty() || program.script_language.is_some())
        };
        let is_last =
            |placeholder: &str| words.last().and_then(Word::text).is_some_and(|last| last.contains(placeholder));
        words.iter().take(MAX_WRAPPERS).any(writes) && placeholder.is_none_or(is_last)
    }
}

/// The maximum number of words before a program in the command of `xargs`, such as `sudo`.
const MAX_WRAPPERS: usize = 3;

/// A command of `parallel`, in which replacement strings stand for items.
struct Template<'w> {
    words: &'w [Word],
    placeholder: &'w str,
}

impl Template<'_> {
    /// Returns the command with items in place of the replacement strings. Without any, the items follow the command. With `quoted`,
    /// the words are code, in which each item stays one word. Returns `None` if the result is too long.
    fn filled(&self, row: &[&Word], quoted: bool) -> Option<Vec<Word>> {
        if self.words.is_empty() {
            return Some(row.iter().map(|item| (*item).clone()).collect());
        }
        let mut left = MAX_BYTES;
        let start = self.placeholder.chars().next().unwrap_or('{');
        let fill = |word: &Word| filled(word, &['{', start], |rest| self.item(rest, row), quoted, &mut left);
        let mut words = self.words.iter().map(fill).collect::<Option<Vec<Word>>>()?;
        if words.iter().zip(self.words).all(|(new, old)| new == old) {
            words.extend(row.iter().map(|item| {
                let mut word = Word { parts: Vec::new(), span: item.span };
                item.parts.iter().for_each(|part| push_item(&mut word, part, quoted));
                word
            }));
        }
        Some(words)
    }

    /// Returns the length of the replacement string at the beginning of a text, and what it stands for.
    fn item(&self, rest: &str, row: &[&Word]) -> Option<(usize, Word)> {
        if rest.starts_with(self.placeholder) {
            let parts = spaced(row.iter().copied()).into_iter().flat_map(|word| word.parts);
            let mut all = Word { parts: parts.collect(), span: row[0].span };
            // Without the newline at its end.
            all.parts.pop();
            return Some((self.placeholder.len(), all));
        }
        let inside = rest.strip_prefix('{')?;
        let end = inside.bytes().take(MAX_REPLACEMENT).position(|byte| byte == b'}')?;
        let inside = &inside[..end];
        let digits = inside.trim_end_matches(['.', '/']);
        let number: isize = if digits.is_empty() { 1 } else { digits.parse().ok()? };
        let position = if number < 0 {
            row.len().checked_add_signed(number)?
        } else {
            usize::try_from(number).ok()?.checked_sub(1)?
        };
        let item = row.get(position).filter(|_| !digits.is_empty() || row.len() == 1)?;
        let text = item.text().unwrap_or_default();
        let (folder, name) = text.rsplit_once('/').unwrap_or((".", &text));
        let stem = |text: &str| text.rsplit_once('.').map_or(text, |(stem, _)| stem).to_owned();
        let form = match &inside[digits.len()..] {
            "" => return Some((end + 2, (*item).clone())),
            "." => stem(&text),
            "/" => name.to_owned(),
            "//" => if folder.is_empty() { "/" } else { folder }.to_owned(),
            "/." => stem(name),
            _ => return None,
        };
        Some((end + 2, Word::plain(&form, item.span)))
    }
}

/// The maximum length of a replacement string after its `{`.
const MAX_REPLACEMENT: usize = 8;
/// The maximum number of lists of a command that are followed.
const MAX_LISTS: usize = 8;

/// Returns whether one of these options comes before the command.
fn has_option(arguments: &[Word], value_options: &[&str], options: &[&str]) -> bool {
    flags::arguments(arguments, value_options)
        .take_while(|argument| !matches!(argument, Argument::Operand { .. }))
        .any(|argument| matches!(argument, Argument::Option { name, .. } if options.contains(&&*name)))
}

/// Returns whether a word has a replacement string that is a program of Perl: `{= ... =}`.
fn has_expression(word: &Word) -> bool {
    word.text().is_some_and(|text| text.contains("{="))
}

/// Returns a row of items with another one.
fn with<'w>(row: &[&'w Word], item: &'w Word) -> Vec<&'w Word> {
    [row, &[item]].concat()
}

/// Returns the parts of a word with unknown text in place of its replacement strings.
fn with_unknown_items(word: &Word) -> Vec<Part> {
    let Some(text) = word.text() else { return word.parts.clone() };
    let mut filled = Word { parts: Vec::new(), span: word.span };
    let mut rest = &*text;
    while let Some((before, after)) = rest.split_once('{') {
        push_literal(&mut filled, before);
        filled.parts.push(Part::Unknown { splits: false });
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    push_literal(&mut filled, rest);
    filled.parts
}

fn is_list_sign(word: &Word) -> bool {
    word.literal().is_some_and(|text| matches!(&*text, ":::" | ":::+" | "::::" | "::::+"))
}

/// Returns whether a word is a text, or one below the home folder.
fn is_certain(word: &Word) -> bool {
    let is_home = |part: &Part| match part {
        Part::Literal { .. } | Part::Tilde { .. } => true,
        Part::Variable { name, operation: None, .. } => name == "HOME",
        _ => false,
    };
    word.parts.iter().all(is_home)
}

/// Returns the file with the items that an option names: `xargs -a FILE`.
fn file_of_list<'w>(arguments: &'w [Word], value_options: &[&str]) -> Option<&'w Word> {
    flags::arguments(arguments, value_options).find_map(|argument| match argument {
        Argument::Option { name, value: Some(flags::Value::Word(word)), .. }
            if matches!(&*name, "-a" | "--arg-file") =>
        {
            Some(word)
        }
        _ => None,
    })
}

/// Returns the commands of `<(...)`.
fn printers_of(file: &Word) -> Option<Range<CommandId>> {
    match file.parts.as_slice() {
        [Part::ProcessSubstitution { commands, input: true }] => Some(commands.clone()),
        _ => None,
    }
}

/// Returns words with a space between them.
fn spaced<'w>(words: impl Iterator<Item = &'w Word>) -> Vec<Word> {
    let mut spaced = Vec::new();
    for word in words.take(MAX_ITEMS) {
        if !spaced.is_empty() {
            spaced.push(Word::plain(" ", word.span));
        }
        spaced.push(word.clone());
    }
    spaced.extend(spaced.last().map(|last| Word::plain("\n", last.span)));
    spaced
}

/// Returns what `printf` prints, or `None` if its format has other escapes than the usual ones.
fn formatted(arguments: &[Word]) -> Option<Vec<Word>> {
    let (format, arguments) = arguments.split_first()?;
    let text = without_escapes(&format.text()?)?.replace("%%", "%\u{1}");
    let pieces: Vec<&str> = text.split('%').collect();
    let mut rest = arguments;
    let mut words = Vec::new();
    loop {
        let before = rest.len();
        for (at, piece) in pieces.iter().enumerate() {
            let literal = match piece.strip_prefix(['s', 'b', 'q', 'd']) {
                Some(after) if at > 0 => {
                    if let Some((first, others)) = rest.split_first() {
                        words.push(first.clone());
                        rest = others;
                    }
                    after
                }
                _ if at > 0 && !piece.starts_with('\u{1}') => return None,
                _ => piece,
            };
            words.push(Word::plain(&literal.replace('\u{1}', "%"), format.span));
        }
        if rest.is_empty() || rest.len() == before || words.len() > MAX_ITEMS {
            return Some(words);
        }
    }
}

/// Returns a format without its escapes, or `None` if it has unusual ones.
fn without_escapes(format: &str) -> Option<String> {
    let (mut text, mut letters) = (String::with_capacity(format.len()), format.chars().peekable());
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            text.push(letter);
            continue;
        }
        text.push(match letters.next()? {
            'n' => '\n',
            't' => '\t',
            '0' if !letters.peek().is_some_and(char::is_ascii_digit) => '\0',
            '\\' => '\\',
            _ => return None,
        });
    }
    Some(text)
}

/// Splits a text into its lines, or into its words.
fn items(text: &[Word], by_line: bool) -> Vec<Word> {
    let is_separator =
        |letter: char| if by_line { matches!(letter, '\n' | '\0') } else { letter.is_whitespace() || letter == '\0' };
    let mut items: Vec<Word> = Vec::new();
    let mut current = Word::default();
    for word in text {
        current.span = word.span;
        for part in &word.parts {
            let Part::Literal { text, .. } = part else {
                current.parts.push(part.clone());
                continue;
            };
            for (at, piece) in text.split(is_separator).enumerate() {
                if at > 0 && !current.parts.is_empty() {
                    items.push(std::mem::replace(&mut current, Word { parts: Vec::new(), span: word.span }));
                }
                // `xargs` removes quotes and backslashes.
                let piece = piece.replace(['\'', '"', '\\'], "");
                if !piece.is_empty() {
                    current.parts.push(Part::Literal { text: piece, origin: Origin::Expanded });
                }
            }
        }
        if items.len() >= MAX_ITEMS {
            return items;
        }
    }
    if !current.parts.is_empty() {
        items.push(current);
    }
    items
}

/// Returns the files outside of the working directory that a program finds, as far as their names are known.
fn found(command: &Command) -> Vec<Word> {
    let name = command.words.first().and_then(Word::text).unwrap_or_default();
    let name = program_name(&name);
    let is_option = |word: &&Word| word.certain_start().starts_with(['-', '(', '!']);
    let is_elsewhere = |word: &&Word| match word.parts.first() {
        Some(Part::Tilde { .. }) => true,
        Some(Part::Literal { text, .. }) => text.starts_with('/') || text.starts_with(".."),
        Some(Part::Variable { name, .. }) => name == "HOME",
        _ => false,
    };
    let arguments = command.arguments();
    if NAMERS.contains(&name) {
        return arguments.iter().filter(is_elsewhere).take(MAX_COMMANDS).cloned().collect();
    }
    if !FINDERS.contains(&name) {
        return Vec::new();
    }
    let is_name = |word: &Word| word.text().is_some_and(|text| matches!(&*text, "-name" | "-iname"));
    let pattern = arguments.windows(2).find(|pair| is_name(&pair[0])).and_then(|pair| pair[1].text());
    let folders = arguments.iter().take_while(|word| !is_option(word)).filter(is_elsewhere).take(MAX_COMMANDS);
    let literal = |text: &str| Part::Literal { text: text.to_owned(), origin: Origin::Quoted };
    let below = |folder: &Word| {
        let mut file = folder.clone();
        file.parts.extend([literal("/"), Part::Unknown { splits: false }]);
        if let Some(pattern) = &pattern {
            file.parts.push(literal("/"));
            file.parts.extend(pattern.chars().map(|letter| match letter {
                '*' => Part::Glob(Glob::AnyText),
                '?' => Part::Glob(Glob::AnyChar),
                letter => literal(letter.encode_utf8(&mut [0; 4])),
            }));
        }
        file
    };
    folders.map(below).collect()
}

/// Returns a word with items in place of their placeholders, each of which begins with one of `starts`. `lookup` returns the length of
/// the placeholder at the beginning of a text, and its item. With `quoted`, the word is code, in which an item stays one word. Returns
/// `None` if the word has more bytes than are left.
fn filled(
    word: &Word,
    starts: &[char],
    lookup: impl Fn(&str) -> Option<(usize, Word)>,
    quoted: bool,
    left: &mut usize,
) -> Option<Word> {
    // Literal braces are separate parts.
    let joined = word.text().map(|text| Word::plain(&text, word.span));
    let mut filled = Word { parts: Vec::with_capacity(word.parts.len()), span: word.span };
    let mut is_changed = false;
    for part in &joined.as_ref().unwrap_or(word).parts {
        let Part::Literal { text, .. } = part else {
            filled.parts.push(part.clone());
            continue;
        };
        let mut rest = text.as_str();
        let mut from = 0;
        while let Some(at) = rest[from..].find(starts).map(|at| from + at) {
            let Some((length, item)) = lookup(&rest[at..]) else {
                from = at + rest[at..].chars().next().map_or(1, char::len_utf8);
                continue;
            };
            is_changed = true;
            push_literal(&mut filled, &rest[..at]);
            *left = left.checked_sub(at + bytes_of(&item))?;
            item.parts.iter().for_each(|part| push_item(&mut filled, part, quoted));
            (rest, from) = (&rest[at + length..], 0);
        }
        push_literal(&mut filled, rest);
    }
    if is_changed { Some(filled) } else { Some(word.clone()) }
}

/// Returns the approximate size of a word.
fn bytes_of(word: &Word) -> usize {
    let bytes = |part: &Part| match part {
        Part::Literal { text, .. } => text.len() + 1,
        _ => COPY,
    };
    word.parts.iter().map(bytes).sum()
}

fn push_item(word: &mut Word, part: &Part, quoted: bool) {
    match part {
        Part::Literal { text, .. } if quoted => push_literal(word, &quote(text)),
        part => word.parts.push(part.clone()),
    }
}

fn push_literal(word: &mut Word, text: &str) {
    if !text.is_empty() {
        word.parts.push(Part::Literal { text: text.to_owned(), origin: Origin::Plain });
    }
}

/// Returns a text as one word of a shell.
fn quote(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./,=:@%+".contains(letter);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
