//! Reads what the person types.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{
    Cmd, ConditionalEventHandler, Config, Context, Editor, Event, EventContext, EventHandler, Helper, KeyCode,
    KeyEvent, Modifiers, RepeatCount,
};
use toolc::redaction::Redactor;
use toolc_skills::Skills;
use toolc_store::Sessions;

use super::commands::{COMMANDS, conversations_of};
use super::skills::SKILL;
use super::typed::PROMPT;
use super::{files, skills};

use crate::assembly::Host;
use crate::ground::error::{Error, Result};
use crate::models;

/// What the name of a model follows.
const MODEL: &str = "/model ";
/// What the name of a conversation follows.
const RESUME: &str = "/resume ";
/// The maximum number of messages in the history.
const HISTORY: usize = 2_000;

/// The input of the person.
pub(super) enum Line {
    Text(String),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D.
    End,
}

/// The line editor with its history.
pub(super) struct Input {
    editor: Editor<ChatHelper, FileHistory>,
    history: PathBuf,
    /// Keeps secrets out of the history.
    redactor: Arc<Redactor>,
}

impl Input {
    /// Returns the editor, with the history of the profile. Names of files are completed in the directory of the host.
    pub(super) fn new(host: &Host, sessions: Sessions) -> Result<Self> {
        let home = &host.profile.home;
        let (history, redactor) = (home.history(), Arc::clone(&host.redactor));
        let failed = |error: &dyn std::fmt::Display| format!("failed to read from the terminal: {error}");
        let config = Config::builder()
            .max_history_size(HISTORY)
            .and_then(|config| config.history_ignore_dups(true))
            .map_err(|error| failed(&error))?
            .history_ignore_space(true)
            .bracketed_paste(true)
            .build();
        let mut editor = Editor::with_config(config).map_err(|error| failed(&error))?;
        editor.set_helper(Some(ChatHelper {
            directory: host.directory.clone(),
            sessions,
            models: models::beginnings(host.profile.config()),
            skills: Arc::clone(&host.stores.skills),
        }));
        // Enter sends; Alt-Enter and Ctrl-J begin a new line.
        for key in [KeyEvent(KeyCode::Enter, Modifiers::ALT), KeyEvent(KeyCode::Char('J'), Modifiers::CTRL)] {
            editor.bind_sequence(Event::from(key), Cmd::Newline);
        }
        let enter = EventHandler::Conditional(Box::new(EnterAfterBackslash));
        editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::NONE), enter);
        // The chat also works without a history.
        if home.create_cache().is_ok() && make_private(&history).is_ok() {
            let _ = editor.load_history(&history);
        }
        Ok(Self { editor, history, redactor })
    }

    /// Reads one message, which begins with a draft.
    pub(super) fn read_line(&mut self, draft: &str) -> Result<Line> {
        match self.editor.readline_with_initial(PROMPT, (draft, "")) {
            Ok(text) => {
                self.remember(&text);
                Ok(Line::Text(text))
            }
            Err(ReadlineError::Interrupted) => Ok(Line::Interrupted),
            Err(ReadlineError::Eof) => Ok(Line::End),
            Err(error) => Err(Error::Invalid(format!("failed to read from the terminal: {error}"))),
        }
    }
}

impl Input {
    /// Adds a message to the history.
    pub(super) fn remember(&mut self, text: &str) {
        let _ = self.editor.add_history_entry(&*self.redactor.kept_text(text));
        let _ = self.editor.append_history(&self.history);
    }
}

/// Creates a file that only its owner can read.
fn make_private(path: &Path) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// Begins a new line in place of a backslash before the cursor. Otherwise, Enter sends the message.
///
/// [`ChatHelper`] completes a backslash to a line end: `Cmd::Replace` would leave the cursor before it.
struct EnterAfterBackslash;

impl ConditionalEventHandler for EnterAfterBackslash {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        let is_after_backslash = context.line()[..context.pos()].ends_with('\\');
        is_after_backslash.then_some(Cmd::Complete)
    }
}

/// Completes the names of commands and files.
struct ChatHelper {
    directory: PathBuf,
    sessions: Sessions,
    /// The beginnings of what can name a model.
    models: Vec<String>,
    skills: Arc<Skills>,
}

impl Completer for ChatHelper {
    type Candidate = String;

    fn complete(&self, line: &str, cursor: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = &line[..cursor];
        if typed.ends_with('\\') {
            return Ok((cursor - 1, vec!["\n".to_owned()]));
        }
        if let Some(found) = files::complete(&self.directory, typed) {
            return Ok(found);
        }
        if let Some(name) = typed.strip_prefix(MODEL) {
            let models = self.models.iter().filter(|model| model.starts_with(name)).cloned();
            return Ok((MODEL.len(), models.collect()));
        }
        if let Some(name) = typed.strip_prefix(RESUME) {
            let names = conversations_of(&self.sessions, &self.directory).unwrap_or_default();
            let names = names.into_iter().map(|info| info.name).filter(|known| known.starts_with(name));
            return Ok((RESUME.len(), names.collect()));
        }
        if let Some(name) = typed.strip_prefix(SKILL).and_then(|rest| rest.strip_prefix(' ')) {
            return Ok((SKILL.len() + 1, skills::beginning_with(&self.skills, name)));
        }
        let Some(name) = typed.strip_prefix('/') else { return Ok((0, Vec::new())) };
        let mut names: Vec<String> =
            COMMANDS.iter().map(|named| named.name.to_owned()).filter(|command| command.starts_with(typed)).collect();
        for skill in skills::beginning_with(&self.skills, name) {
            let skill = format!("/{skill}");
            if !names.contains(&skill) {
                names.push(skill);
            }
        }
        Ok((0, names))
    }
}

impl Validator for ChatHelper {}

impl Hinter for ChatHelper {
    type Hint = String;
}

impl Highlighter for ChatHelper {}

impl Helper for ChatHelper {}
