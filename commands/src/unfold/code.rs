//! Reads code inside words and on standard input.

use super::{Unfolder, only_part};
use crate::characters::UNKNOWN;
use crate::doubt::DoubtKind;
use crate::programs::CodeShell;
use crate::reading::{Command, How, Input, Shells, Via};
use crate::span::Span;
use crate::syntax::{
    CommandId, Dialect, Dialects, Parsed, Part, Redirect, RedirectKind, ScopeId, ScopeKind, Script, Spans, Word, parse,
};
use crate::work::MAX_DEPTH;

/// Variables that stay as they are in code: their values do not come from the line, and contain no code.
const HARMLESS: &[&str] =
    &["HOME", "PWD", "OLDPWD", "USER", "LOGNAME", "UID", "EUID", "HOSTNAME", "RANDOM", "TMPDIR", "?", "$", "#", "!"];

/// Where a text comes from, and how it is read.
#[derive(Debug)]
pub(super) struct TextOrigin {
    pub(super) kind: ScopeKind,
    pub(super) parent: Option<ScopeId>,
    pub(super) via: Option<Via>,
    pub(super) depth: usize,
    /// The dialects to read it in. The first one is always read, and another one only if it reads the text differently.
    pub(super) dialects: Dialects,
    pub(super) spans: Spans,
}

/// Returns the dialects of a set of shells.
pub(super) fn dialects(shells: Shells) -> Dialects {
    match shells {
        Shells { bash: true, posix: false } => Dialects::BASH,
        Shells { bash: false, posix: true } => Dialects::POSIX,
        _ => Dialects::ALL,
    }
}

/// Returns the shells that have these dialects.
pub(super) fn shells(dialects: Dialects) -> Shells {
    Shells {
        bash: dialects.contains(Dialect::Bash),
        posix: dialects.contains(Dialect::Dash) || dialects.contains(Dialect::Ash),
    }
}

/// Code whose text may be known only in part.
#[derive(Debug, Default)]
struct Code {
    text: String,
    /// Whether a part of the text is known only at run time.
    built: bool,
    /// Whether a part of the text is known.
    literal: bool,
}

impl Unfolder<'_> {
    /// Reads a text in its dialects, and adds its commands.
    pub(super) fn read_text(&mut self, text: &str, origin: &TextOrigin) {
        let mut readings: Vec<(Script, Dialects)> = Vec::with_capacity(1);
        let mut differing = Dialects::default();
        // Only when bash's syntax is read, the parser reports which dialects differ.
        let is_reported = origin.dialects.contains(Dialect::Bash);
        for dialect in origin.dialects.iter() {
            if is_reported && !readings.is_empty() && !differing.contains(dialect) {
                readings[0].1.insert(dialect);
                continue;
            }
            let Parsed { mut script, differs } =
                parse(text, dialect, origin.kind.clone(), origin.spans, origin.depth, self.work);
            if self.work.left() == 0 {
                self.exhaust();
            }
            if readings.is_empty() {
                differing = differs;
            } else {
                // This dialect lacks the syntax, so a shell of it runs nothing more.
                script.doubts.retain(|doubt| doubt.kind != DoubtKind::Syntax);
            }
            let is_same = |(known, _): &&mut (Script, Dialects)| {
                known.commands == script.commands && known.scopes == script.scopes && known.assigned == script.assigned
            };
            match readings.iter_mut().find(is_same) {
                Some((known, dialects)) => {
                    known.doubts.extend(script.doubts);
                    known.evaluates |= script.evaluates;
                    dialects.insert(dialect);
                }
                None => readings.push((script, Dialects::only(dialect))),
            }
        }
        for (script, dialects) in readings {
            self.add_script(script, dialects, origin);
        }
    }

    /// Reads words, joined with spaces, as code that the command at `index` runs.
    pub(super) fn read_words(&mut self, index: usize, words: &[Word], shell: CodeShell) {
        let code = self.code_of(index, words);
        let span = match (words.first(), words.last()) {
            (Some(first), Some(last)) => Span { start: first.span.start, end: last.span.end.max(first.span.end) },
            _ => return,
        };
        let is_output = code.built
            && !code.literal
            && words.iter().all(|word| matches!(only_part(word), Some(Part::Substitution { .. })));
        if is_output {
            return self.doubt(DoubtKind::OutputAsCode, span);
        }
        if code.built {
            self.doubt(DoubtKind::BuiltCode, span);
        }
        self.read_code(index, &code.text, span, shell, How::Code);
    }

    /// Reads code that the command at `index` runs.
    pub(super) fn read_code(&mut self, index: usize, text: &str, span: Span, shell: CodeShell, how: How) {
        let info = self.infos[index];
        if info.depth >= MAX_DEPTH {
            return self.doubt(DoubtKind::TooDeep, span);
        }
        let dialects = match shell {
            CodeShell::Same => info.dialects,
            CodeShell::Any => dialects(Shells::ALL),
            CodeShell::Bash => dialects(Shells::BASH),
            CodeShell::Posix => dialects(Shells::POSIX),
            CodeShell::Foreign => return self.doubt(DoubtKind::ForeignCode, span),
        };
        if !self.spend(4 + text.len() / 4) {
            return;
        }
        let origin = TextOrigin {
            kind: ScopeKind::Code { same_shell: shell == CodeShell::Same },
            parent: Some(self.reading.commands[index].scope),
            via: Some(Via { command: CommandId::try_from(index).unwrap_or(CommandId::MAX), how }),
            depth: info.depth + 1,
            dialects,
            spans: self.spans_of(text, span),
        };
        self.read_text(text, &origin);
    }

    /// Returns how positions of the code relate to the line, which may contain it unchanged.
    fn spans_of(&self, text: &str, span: Span) -> Spans {
        let raw = self.line.get(span.range()).unwrap_or_default();
        let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
        if raw == text {
            Spans::Shift(span.start as usize)
        } else if inner == text && raw.starts_with(['\'', '"']) {
            Spans::Shift(span.start as usize + 1)
        } else {
            Spans::Whole(span)
        }
    }

    /// Adds doubts about shells that read the standard input of the line, if a command replaces it, as `exec` and `coproc` can.
    pub(super) fn doubt_input(&mut self) {
        let replaces = |command: &Command| match command.program.name() {
            Some("coproc") => true,
            Some("exec") => command.redirects.iter().any(Redirect::replaces_input),
            _ => false,
        };
        if !self.reading_input.is_empty() && self.reading.commands.iter().any(replaces) {
            for span in std::mem::take(&mut self.reading_input) {
                self.doubt(DoubtKind::OutputAsCode, span);
            }
        }
    }

    /// Returns the text of words, joined with spaces.
    fn code_of(&self, index: usize, words: &[Word]) -> Code {
        let dialects = self.infos[index].dialects;
        let mut code = Code::default();
        for (position, word) in words.iter().enumerate() {
            if position > 0 {
                code.text.push(' ');
            }
            for part in &word.parts {
                match part {
                    Part::Literal { text, .. } => {
                        code.literal |= !text.is_empty();
                        code.text.push_str(text);
                    }
                    Part::Tilde { user } => {
                        code.literal = true;
                        code.text.push('~');
                        code.text.push_str(user);
                    }
                    Part::Variable { name, operation: None, .. }
                        if HARMLESS.contains(&name.as_str())
                            && !self.variables.is_assigned(name, dialects)
                            && !(name.ends_with("PWD") && self.variables.changes_directory) =>
                    {
                        code.literal = true;
                        code.text.push_str("${");
                        code.text.push_str(name);
                        code.text.push('}');
                    }
                    // A number.
                    Part::Arithmetic { .. } => {
                        code.literal = true;
                        code.text.push(UNKNOWN);
                    }
                    _ => {
                        code.built = true;
                        code.text.push(UNKNOWN);
                    }
                }
            }
        }
        code
    }

    /// Reads the standard input of the command at `index` as code.
    pub(super) fn read_input(&mut self, index: usize, shell: CodeShell) {
        let id = CommandId::try_from(index).unwrap_or(CommandId::MAX);
        let span = self.reading.commands[index].span;
        match self.reading.input(id) {
            // The standard input is that of the function's caller.
            Input::Inherited if self.reading.is_in(id, |kind| matches!(kind, ScopeKind::Function(_))) => {
                self.doubt(DoubtKind::OutputAsCode, span);
            }
            Input::Inherited => self.reading_input.push(span),
            Input::Redirect(redirect) => {
                let redirect = redirect.clone();
                self.read_redirect(index, &redirect, shell);
            }
            Input::Commands(commands) if commands.is_empty() => self.doubt(DoubtKind::OutputAsCode, span),
            Input::Commands(commands) => {
                let mut words = Vec::new();
                let mut is_plain = true;
                for id in commands.clone() {
                    let Some((printed, span)) = self.printed(id) else {
                        return self.doubt(DoubtKind::OutputAsCode, span);
                    };
                    if id > commands.start {
                        words.push(Word::plain("\n", span));
                    }
                    words.extend(printed);
                    // If this is not printed exactly once, the code is different.
                    is_plain &= !self.reading.is_in(id, |kind| kind.is_conditional() || *kind == ScopeKind::Background);
                }
                let span = match words.as_slice() {
                    [word] => word.span,
                    _ => span,
                };
                if !is_plain {
                    self.doubt(DoubtKind::BuiltCode, span);
                }
                self.read_texts(index, &words, span, shell, How::Input);
            }
        }
    }

    /// Reads texts that commands print, joined with spaces, as code that the command at `index` runs.
    pub(super) fn read_texts(&mut self, index: usize, texts: &[Word], span: Span, shell: CodeShell, how: How) {
        let code = self.code_of(index, texts);
        if code.built {
            self.doubt(DoubtKind::BuiltCode, span);
        }
        self.read_code(index, &code.text, span, shell, how);
    }

    fn read_redirect(&mut self, index: usize, redirect: &Redirect, shell: CodeShell) {
        let span = redirect.target.span;
        match redirect.kind {
            RedirectKind::HereDocument | RedirectKind::HereString => {
                let code = self.code_of(index, std::slice::from_ref(&redirect.target));
                let is_output = code.built && !code.literal;
                if code.built {
                    self.doubt(if is_output { DoubtKind::OutputAsCode } else { DoubtKind::BuiltCode }, span);
                }
                self.read_code(index, &code.text, span, shell, How::Input);
            }
            RedirectKind::Read | RedirectKind::ReadWrite => {
                let parts = &redirect.target.parts;
                let is_output = parts.iter().any(|part| matches!(part, Part::ProcessSubstitution { .. }));
                let is_network =
                    ["/dev/tcp/", "/dev/udp/"].iter().any(|start| redirect.target.certain_start().starts_with(start));
                if is_output || is_network {
                    self.doubt(DoubtKind::OutputAsCode, span);
                } else if let Some(file) = redirect.target.text() {
                    self.read_written(index, &file, shell);
                }
            }
            // The descriptor can refer to anything that was opened before.
            _ => self.doubt(DoubtKind::OutputAsCode, span),
        }
    }

    /// Returns the text that a command prints into a pipe, if that is certain.
    fn printed(&self, id: CommandId) -> Option<(Vec<Word>, Span)> {
        // A redirection of its output would keep the text from the pipe.
        let reaches_the_pipe = self.reading.command(id).redirects.iter().all(Redirect::replaces_input);
        reaches_the_pipe.then(|| self.printed_text(id)).flatten()
    }

    /// Returns the text that a command prints, if that is certain: `echo TEXT`, `printf TEXT`, `cat` with a here-document.
    pub(super) fn printed_text(&self, id: CommandId) -> Option<(Vec<Word>, Span)> {
        let command = self.reading.command(id);
        let name = match command.words.first()?.literal()? {
            name if self.variables.functions.is_empty() && !self.variables.has_aliases => name,
            _ => return None,
        };
        let mut words = command.words[1..].to_vec();
        match &*name {
            "echo" => {
                while words
                    .first()
                    .and_then(Word::text)
                    .is_some_and(|text| matches!(&*text, "-n" | "-e" | "-E" | "-ne" | "-en"))
                {
                    words.remove(0);
                }
                // Some shells print clusters of these letters, and others take them for options.
                let is_unclear = words.first().is_some_and(|word| {
                    let start = word.certain_start();
                    word.text().is_none()
                        || start.len() > 1
                            && start.starts_with('-')
                            && start[1..].trim_matches(['n', 'e', 'E']).is_empty()
                });
                let has_escape = |word: &Word| {
                    word.parts.iter().any(|part| matches!(part, Part::Literal { text, .. } if text.contains('\\')))
                };
                (!is_unclear && !words.iter().any(has_escape) && !words.is_empty()).then_some((words, command.span))
            }
            "printf" => {
                let format = words.first()?.text()?.into_owned();
                match format.as_str() {
                    "%s" | "%s\\n" if words.len() == 2 => Some((words.split_off(1), command.span)),
                    _ if words.len() == 1 && !format.contains('%') => {
                        let plain = format.replace("\\n", "\n");
                        (!plain.contains('\\')).then(|| (vec![Word::plain(&plain, words[0].span)], command.span))
                    }
                    _ => None,
                }
            }
            "cat" if words.is_empty() => {
                let redirect = command.redirects.iter().rev().find(|redirect| redirect.replaces_input())?;
                let is_text = matches!(redirect.kind, RedirectKind::HereDocument | RedirectKind::HereString);
                is_text.then(|| (vec![redirect.target.clone()], redirect.target.span))
            }
            _ => None,
        }
    }
}
