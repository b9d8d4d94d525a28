//! `toolc sessions`: lists, shows, searches, exports and removes recorded conversations.

use std::collections::BTreeSet;
use std::env;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use toolc_config::Home;
use toolc_store::{Database, MessageKind, Order, Search, SearchHit, SessionInfo, Sessions, StoredMessage};

use crate::agent::conversation::StoredCall;
use crate::agent::resume::find_to_resume;
use crate::agent::writer::Writer;
use crate::ground::ask::{self, print};
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::time;

/// The last part of the help.
const EXIT_STATUS: &str = "\
ID is the name of a conversation, or the beginning of its name. The conversations are stored in state.db in TOOLC_HOME.

Exit status:
  0  success
  1  nothing was found
  2  the command line is wrong, or state.db cannot be used";

/// The number of conversations that are listed by default.
const DEFAULT_LIMIT: usize = 20;

/// The arguments of `sessions`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct SessionsArgs {
    /// Without a command, lists the latest conversations.
    #[command(subcommand)]
    command: Option<SessionsCommand>,
}

#[derive(Debug, Subcommand)]
enum SessionsCommand {
    /// List the latest conversations.
    List {
        /// The maximum number of conversations.
        #[arg(long, default_value_t = DEFAULT_LIMIT)]
        limit: usize,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show a conversation.
    Show {
        /// The conversation, or the beginning of its name. Default: the latest one of the current directory.
        id: Option<String>,
    },
    /// Find messages that contain all words. Words in quotes must follow each other.
    Search {
        /// The words.
        #[arg(required = true)]
        words: Vec<String>,
        /// The maximum number of messages.
        #[arg(long, default_value_t = 10)]
        limit: usize,
        /// List the latest message first, instead of the best match.
        #[arg(long)]
        newest: bool,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the messages of conversations as JSON lines. Default: all conversations.
    Export {
        /// The conversations.
        ids: Vec<String>,
    },
    /// Remove conversations.
    Remove {
        /// The conversations.
        #[arg(required = true)]
        ids: Vec<String>,
    },
}

impl SessionsArgs {
    /// Runs the command.
    pub(crate) fn run(&self, home: &Home) -> Result<ExitCode> {
        let sessions = Sessions::new(Arc::new(Database::new(home.state())));
        let list_latest = SessionsCommand::List { limit: DEFAULT_LIMIT, json: false };
        match self.command.as_ref().unwrap_or(&list_latest) {
            SessionsCommand::List { limit, json } => {
                let all = sessions.list(*limit)?;
                let text = if *json { json_line(all.iter().map(info_json)) } else { list(&all) };
                print(&text)?;
                Ok(ExitCode::SUCCESS)
            }
            SessionsCommand::Show { id } => show_one(&sessions, id.as_deref()).map(|()| ExitCode::SUCCESS),
            SessionsCommand::Search { words, limit, newest, json } => {
                let order = if *newest { Order::Newest } else { Order::Best };
                let hits =
                    sessions.search(&Search { query: &words.join(" "), order, limit: *limit, ..Search::default() })?;
                print(&if *json { json_line(hits.iter().map(hit_json)) } else { hits.iter().map(hit_text).collect() })?;
                Ok(ExitCode::from(u8::from(hits.is_empty())))
            }
            SessionsCommand::Export { ids } => {
                let chosen = if ids.is_empty() {
                    sessions.list(usize::MAX)?
                } else {
                    ids.iter().map(|id| find_one(&sessions, id)).collect::<Result<_, _>>()?
                };
                for info in chosen {
                    export(&sessions, &info)?;
                }
                Ok(ExitCode::SUCCESS)
            }
            SessionsCommand::Remove { .. } if toolc_process::is_inside_a_tool() => Err(Error::NeedsPerson(
                "only a person can remove conversations: this command does not run inside a tool".to_owned(),
            )),
            SessionsCommand::Remove { ids } => {
                // If one of the conversations is unknown, or a process works on it, none is removed.
                let infos = ids.iter().map(|id| find_one(&sessions, id)).collect::<Result<Vec<_>, _>>()?;
                let names: BTreeSet<&str> = infos.iter().map(|info| &*info.name).collect();
                let lock = |name: &&str| Writer::lock(home, name, "");
                let _writers = names.iter().map(lock).collect::<Result<Vec<_>, _>>()?;
                for name in names {
                    sessions.remove(name)?;
                }
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

/// Prints the messages of a conversation.
fn show_one(sessions: &Sessions, id: Option<&str>) -> Result<()> {
    let here = env::current_dir().map_err(|error| Error::failed("find the current directory", error))?;
    let info = find_to_resume(sessions, id, &here)?;
    print(&format!("{}\n", line(&info)))?;
    for message in sessions.messages(&info.name)? {
        let (kind, time) = (message.kind.word(), time::text(message.time));
        print(&format!("\n{kind}  {time}\n{}\n", escape_for_terminal(&message.text)))?;
        if let Some(ids) = call_ids(&message) {
            print(&format!("{ids}\n"))?;
        }
    }
    Ok(())
}

/// Returns the ids of the calls in a message of the model, with which `toolc why --call` explains them.
fn call_ids(message: &StoredMessage) -> Option<String> {
    if message.kind != MessageKind::Model {
        return None;
    }
    let calls: Vec<StoredCall> = serde_json::from_str(&message.details).ok()?;
    let ids = calls.iter().map(|call| format!("{} ({})", show::one_line(&call.id), show::one_line(&call.name)));
    (!calls.is_empty()).then(|| format!("[call ids: {}]", ids.collect::<Vec<_>>().join(", ")))
}

/// Returns the only conversation whose name begins with `id`.
fn find_one(sessions: &Sessions, id: &str) -> Result<SessionInfo> {
    find_to_resume(sessions, Some(id), Path::new(""))
}

/// Prints the messages of a conversation, without holding all of them in memory.
fn export(sessions: &Sessions, info: &SessionInfo) -> Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut result = Ok(());
    let each = |message: StoredMessage| {
        if result.is_ok() {
            result = writeln!(out, "{}", message_json(info, &message));
        }
    };
    sessions.each_message(&info.name, each)?;
    ask::check_write(result.and_then(|()| out.flush()))
}

/// Returns the messages of a conversation, each as a line of JSON.
///
/// # Errors
/// If no conversation, or more than one, has a name that begins with `id`, or state.db cannot be used.
pub(super) fn exported(home: &Home, id: &str) -> Result<String> {
    let sessions = Sessions::new(Arc::new(Database::new(home.state())));
    let info = find_one(&sessions, id)?;
    let mut lines = String::new();
    sessions.each_message(&info.name, |message| lines += &format!("{}\n", message_json(&info, &message)))?;
    Ok(lines)
}

fn list(sessions: &[SessionInfo]) -> String {
    if sessions.is_empty() {
        return "no conversations\n".to_owned();
    }
    let lines: Vec<String> = sessions.iter().map(line).collect();
    lines.join("\n") + "\n"
}

/// Returns a line about a conversation.
pub(super) fn line(info: &SessionInfo) -> String {
    let [model, title, directory] = [&info.model, &info.title, &info.directory].map(|text| show::one_line(text));
    format!("{}  {}, {model}, in {directory}: {title}", info.name, show::counted(info.messages, "message"))
}

fn hit_text(hit: &SearchHit) -> String {
    let SearchHit { message, excerpt, .. } = hit;
    format!(
        "{}  {}  {}\n    {}\n",
        message.session,
        time::text(message.time),
        message.kind.word(),
        show::one_line(excerpt)
    )
}

fn info_json(info: &SessionInfo) -> Value {
    let tokens = &info.tokens;
    json!({
        "session": info.name,
        "started": time::text(info.started),
        "updated": time::text(info.updated),
        "source": info.source,
        "directory": info.directory,
        "api": info.api,
        "model": info.model,
        "title": info.title,
        "messages": info.messages,
        "tokens": { "input": tokens.input, "cached": tokens.cached, "output": tokens.output },
    })
}

fn hit_json(hit: &SearchHit) -> Value {
    let message = &hit.message;
    json!({
        "session": message.session,
        "message": message.id,
        "kind": message.kind.word(),
        "time": time::text(message.time),
        "excerpt": hit.excerpt,
    })
}

fn message_json(info: &SessionInfo, message: &StoredMessage) -> Value {
    let parsed = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    let tokens =
        message.tokens.map(|tokens| json!({ "input": tokens.input, "cached": tokens.cached, "output": tokens.output }));
    json!({
        "session": message.session,
        "api": message.api.as_ref().unwrap_or(&info.api),
        "model": info.model,
        "message": message.id,
        "kind": message.kind.word(),
        "time": time::text(message.time),
        "text": message.text,
        "details": parsed(&message.details),
        "raw": parsed(&message.raw),
        "tokens": tokens,
    })
}

fn json_line(values: impl Iterator<Item = Value>) -> String {
    format!("{}\n", values.collect::<Value>())
}

/// Escapes control characters if standard output is a terminal; otherwise returns the text unchanged.
fn escape_for_terminal(text: &str) -> String {
    if io::stdout().is_terminal() { show::lines(text) } else { text.to_owned() }
}
