//! Judges the input of background processes. If a process runs its input, each line needs approval before it is written.

mod language;
mod system_programs;

use std::collections::VecDeque;

use toolc::approval::{InputLanguage, ProgramInput};
use toolc::{Call, ErrorKind, ToolError};

use language::Language;
pub(crate) use language::Languages;
pub(crate) use system_programs::SystemPrograms;

/// The characters that begin a command in a pager.
const MARKS: [char; 3] = ['!', '|', '#'];
/// The maximum length of a line that is judged, in bytes.
const MAX_LINE: usize = 64 * 1024;
/// The maximum number of earlier lines with which a line is judged. With more lines, the judge would give up and ask.
const MAX_EARLIER: usize = 24;
/// The maximum size of these earlier lines, in bytes.
const MAX_EARLIER_BYTES: usize = 2 * 1024;

/// The input of a process so far.
#[derive(Debug, Clone)]
pub(crate) struct TypedInput {
    languages: Languages,
    has_terminal: bool,
    /// The directory in which the process was started, or `None` if a line that is no longer in `earlier` may have changed it.
    directory: Option<String>,
    /// The lines before the current one.
    earlier: VecDeque<String>,
    /// The current line after the edits of a terminal: Ctrl-C clears the line, and a tab may complete a word.
    line: String,
    /// The current line for a program that reads bytes: all input since the end of the previous line.
    raw_line: String,
}

impl TypedInput {
    /// Returns the input of a process that `command` starts in `directory`. The command counts as an earlier line, because a `cd` in it
    /// holds for a shell that it starts.
    pub(crate) fn new(languages: Languages, has_terminal: bool, directory: Option<String>, command: &str) -> Self {
        let earlier = VecDeque::from_iter(may_change_directory(command).then(|| command.to_owned()));
        Self { languages, has_terminal, directory, earlier, line: String::new(), raw_line: String::new() }
    }

    /// Adds input that will be written, and gets approval of each line that it completes.
    ///
    /// # Errors
    /// Returns the error for the model if the input must not be written.
    pub(crate) fn add(&mut self, data: &str, call: &Call<'_>) -> Result<(), ToolError> {
        if self.languages.is_data() {
            return Ok(());
        }
        if self.languages.has(Language::Keys) {
            // An editor can run code before the line ends.
            self.approve(data.trim(), InputLanguage::Other, call)?;
        }
        for c in data.chars() {
            self.add_char(c, call)?;
            if self.raw_line.len().max(self.line.len()) > MAX_LINE {
                let text = "the line is too long to be judged: nothing was written. Write less before a newline";
                return Err(ToolError::with_kind(ErrorKind::Refused, text));
            }
        }
        // A pager can run a command before the line ends.
        self.judge_marked(call)
    }

    /// Gets approval of an incomplete line at the end of the input.
    ///
    /// # Errors
    /// Returns the error for the model if the input must not be closed.
    pub(crate) fn end(&mut self, call: &Call<'_>) -> Result<(), ToolError> {
        self.judge(call)
    }

    fn add_char(&mut self, c: char, call: &Call<'_>) -> Result<(), ToolError> {
        match c {
            '\n' => self.end_line(call)?,
            // Return and Ctrl-O run a line in a line editor.
            '\r' | '\u{f}' if self.has_terminal => self.end_line(call)?,
            // Ctrl-C, Ctrl-Z, Ctrl-\ and Ctrl-U discard the line.
            '\u{3}' | '\u{1a}' | '\u{1c}' | '\u{15}' if self.has_terminal => {
                self.line.clear();
                self.raw_line.push(' ');
            }
            // Ctrl-D sends the incomplete line to the program.
            '\u{4}' if self.has_terminal => self.judge(call)?,
            // A tab completes a word to an unknown text.
            '\t' if self.has_terminal && self.line.ends_with(|last: char| !last.is_whitespace()) => {
                self.line.push('*');
                self.raw_line.push(c);
            }
            _ => {
                self.line.push(c);
                self.raw_line.push(c);
            }
        }
        Ok(())
    }

    /// Gets approval of the current line, in each form in which a program may read it.
    fn judge(&mut self, call: &Call<'_>) -> Result<(), ToolError> {
        let (line, raw_line) = (self.line.trim(), self.raw_line.trim());
        if self.languages.has(Language::Shell) {
            self.approve(line, InputLanguage::Shell, call)?;
            if raw_line != line {
                self.approve(raw_line, InputLanguage::Shell, call)?;
            }
        }
        if self.languages.has(Language::Other) {
            self.approve(raw_line, InputLanguage::Other, call)?;
        }
        self.judge_marked(call)
    }

    /// Gets approval of the text after each mark in the current line. Any mark can begin a command, and the text before a mark does not
    /// belong to the command.
    fn judge_marked(&self, call: &Call<'_>) -> Result<(), ToolError> {
        if !self.languages.has(Language::ShellAfterMark) {
            return Ok(());
        }
        self.raw_line.match_indices(MARKS).try_for_each(|(at, mark)| {
            let rest = &self.raw_line[at + mark.len()..];
            // In a pager, `|` is followed by the name of a position, which is one letter, and then by the command.
            let skipped = if mark == "|" { rest.chars().next().map_or(0, char::len_utf8) } else { 0 };
            self.approve(rest[skipped..].trim(), InputLanguage::Shell, call)
        })
    }

    fn approve(&self, line: &str, language: InputLanguage, call: &Call<'_>) -> Result<(), ToolError> {
        if line.is_empty() {
            return Ok(());
        }
        let earlier: Vec<String> = match language {
            InputLanguage::Shell if self.languages.has(Language::Shell) => self.earlier.iter().cloned().collect(),
            _ => Vec::new(),
        };
        call.approve_input_blocking(ProgramInput {
            line,
            earlier: &earlier,
            language,
            directory: self.directory.as_deref(),
            parameter: "data",
            tool: "terminal",
        })
    }

    /// Gets approval of the current line, and keeps it for the judgement of later lines.
    fn end_line(&mut self, call: &Call<'_>) -> Result<(), ToolError> {
        self.judge(call)?;
        self.languages.add_languages_of_programs_in(&self.line);
        self.earlier.push_back(std::mem::take(&mut self.line));
        self.raw_line.clear();
        let mut bytes: usize = self.earlier.iter().map(String::len).sum();
        while self.earlier.len() > MAX_EARLIER || bytes > MAX_EARLIER_BYTES {
            let Some(forgotten) = self.earlier.pop_front() else { break };
            bytes -= forgotten.len();
            if may_change_directory(&forgotten) {
                self.directory = None;
            }
        }
        Ok(())
    }
}

/// Returns whether a line, or a part of a command, may change the directory of a shell.
fn may_change_directory(line: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " _-=/:,+@%".contains(c);
    let is_word =
        |word: &str| matches!(word, "cd" | "pushd" | "popd" | "eval" | "source" | "exec" | "command" | "builtin");
    !line.chars().all(is_plain) || line.split(' ').any(is_word)
}
