//! Follows texts that the line writes into files, and then runs: `echo 'id' > x.sh; sh x.sh`.

use super::Unfolder;
use super::renamed::plain;
use crate::programs::{CodeShell, Runs, SHELL};
use crate::reading::How;
use crate::span::Span;
use crate::syntax::{CommandId, Descriptor, Redirect, RedirectKind, Word};

/// The maximum number of texts that are followed.
const MAX_TEXTS: usize = 64;

/// A text that the line writes into a file.
#[derive(Debug)]
pub(super) struct Written {
    /// The path, without `./` at its beginning.
    file: String,
    writer: CommandId,
    /// The text, and where it is. `None` if it is not certain.
    text: Option<(Vec<Word>, Span)>,
}

impl Unfolder<'_> {
    /// Records the texts that a command writes into files.
    pub(super) fn record_written(&mut self, index: usize) {
        let Ok(writer) = CommandId::try_from(index) else { return };
        let is_output = |redirect: &&Redirect| redirect.kind.writes() && !redirect.targets_descriptor();
        let redirects: Vec<Redirect> =
            self.reading.commands[index].redirects.iter().filter(is_output).cloned().collect();
        let is_printed_to = |redirect: &Redirect| {
            let is_plain =
                matches!(redirect.kind, RedirectKind::Write | RedirectKind::Overwrite | RedirectKind::Append);
            is_plain && matches!(redirect.descriptor, None | Some(Descriptor::Number(1)))
        };
        let is_only = redirects.iter().filter(|redirect| is_printed_to(redirect)).count() == 1;
        for redirect in &redirects {
            let Some(file) = redirect.target.text() else { continue };
            if self.written.len() >= MAX_TEXTS {
                return;
            }
            let text = (is_only && is_printed_to(redirect)).then(|| self.printed_text(writer)).flatten();
            self.written.push(Written { file: plain(&file).to_owned(), writer, text });
        }
    }

    /// Reads what the line has written into a file, as code that the command at `index` runs.
    pub(super) fn read_written(&mut self, index: usize, file: &str, shell: CodeShell) {
        let Ok(reader) = CommandId::try_from(index) else { return };
        let file = plain(file);
        let mut words = Vec::new();
        let mut ids = Vec::new();
        for written in self.written.iter().filter(|written| written.file == file) {
            let Some((text, span)) = &written.text else { return };
            if !words.is_empty() {
                words.push(Word::plain("\n", *span));
            }
            words.extend(text.iter().cloned());
            ids.push(written.writer);
        }
        if let Some(first) = words.first() {
            let span = first.span;
            self.read_texts(index, &words, span, shell, How::Code);
            self.reading.read_texts.extend(ids.into_iter().map(|writer| (reader, writer)));
        }
    }

    /// Returns what the line has written into a file, if that is certain.
    pub(super) fn written_text(&self, file: &str) -> Option<Vec<Word>> {
        let file = plain(file);
        let mut words = Vec::new();
        for written in self.written.iter().filter(|written| written.file == file) {
            let (text, span) = written.text.as_ref()?;
            words.extend(text.iter().cloned());
            words.push(Word::plain("\n", *span));
        }
        (!words.is_empty()).then_some(words)
    }

    /// Reads what the line has written into the file of a program: `./x.sh`. Its first line names the shell that reads it.
    pub(super) fn open_written_program(&mut self, index: usize) {
        let words = &self.reading.commands[index].words;
        let Some(path) = words[0].text().filter(|path| path.contains('/')) else { return };
        let path = path.into_owned();
        let first = self.written.iter().find(|written| written.file == plain(&path));
        let Some((text, _)) = first.and_then(|first| first.text.as_ref()) else { return };
        let start = text.first().map(Word::certain_start).unwrap_or_default();
        let shell = match start.strip_prefix("#!") {
            None => Some(CodeShell::Any),
            Some(line) => {
                let mut words = line.lines().next().unwrap_or_default().split_whitespace();
                let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
                let interpreter = words.next().map(name).unwrap_or_default();
                let interpreter = match (interpreter.as_str(), words.next()) {
                    ("env", Some(program)) => name(program),
                    _ => interpreter,
                };
                shell_of(&interpreter)
            }
        };
        if let Some(shell) = shell {
            self.read_written(index, &path, shell);
        }
    }
}

/// Returns the syntax of a shell that is called by this name.
pub(super) fn shell_of(name: &str) -> Option<CodeShell> {
    SHELL.get(name)?.runs.iter().find_map(|runs| match runs {
        Runs::Input { shell } => Some(*shell),
        _ => None,
    })
}
