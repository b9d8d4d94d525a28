//! What is in a bundle. A part that cannot be read says so in its place: a bug report is often about what does not work.

use std::collections::VecDeque;
use std::env;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use serde_json::{Value, json};
use toolc_cli::View;
use toolc_config::{EnvFile, Home};

use super::archive::Entry;
use super::clean::Cleaner;
use crate::approval;
use crate::assembly::{Host, Needs, Purpose};
use crate::commands::{config, mcp, sessions, tools};
use crate::ground::error::Result;
use crate::options::ToolOptions;
use crate::person::Person;
use crate::profile::Profile;
use crate::sources::servers::Wait;

/// The maximum number of lines of the log.
const LOG_LINES: usize = 200;
/// The number of bytes at the end of the log in which the lines are.
const LOG_BYTES: u64 = 256 << 10;
/// The maximum number of bytes of a configuration file that is read.
const FILE_BYTES: u64 = 1 << 20;

/// The variables whose values are in the bundle. They say what the terminal can do.
const SHOWN_VARIABLES: &[&str] = &[
    "TERM",
    "COLORTERM",
    "TERM_PROGRAM",
    "LANG",
    "LC_ALL",
    "NO_COLOR",
    "TOOLC_PROFILE",
    "TOOLC_APPROVAL",
    "TOOLC_ENVIRONMENT",
];
/// The beginnings and ends of the names of variables that are named without their values.
const NAMED_BEGINNINGS: &[&str] = &["TOOLC_", "ANTHROPIC_", "OPENAI_", "GEMINI_", "GOOGLE_", "OLLAMA_", "SSL_CERT"];
const NAMED_ENDS: &[&str] = &["_PROXY", "_proxy", "_BASE_URL", "_API_BASE"];

/// Returns the files of a bundle.
///
/// # Errors
/// If the conversation that was asked for does not exist.
pub(super) fn entries(options: &ToolOptions, home: &Home, view: View, session: Option<&str>) -> Result<Vec<Entry>> {
    let env = EnvFile::read(home);
    let cleaner = Cleaner::new(env.as_ref().unwrap_or(&EnvFile::default()));
    let conversation = session.map(|id| sessions::exported(home, id)).transpose()?;
    let names: Vec<String> = env.iter().flat_map(EnvFile::names).map(str::to_owned).collect();
    let mut entries = vec![entry("system.txt", "versions and this machine", system(home, &names))];
    entries.extend(of_host(options, home, view));
    let problems = config::problems(home);
    let checked =
        if problems.is_empty() { "no mistakes\n".to_owned() } else { without_excerpts(&problems.join("\n\n")) };
    entries.push(entry("config-check.txt", "mistakes in the files of the home folder", checked));
    for (name, about, path) in [
        ("config.toml", "the configuration, without comments", home.config()),
        ("permissions.toml", "the permissions, without comments", home.permissions()),
    ] {
        entries.extend(file(&path).map(|text| {
            let clean = cleaner.toml(&text);
            entry(
                name,
                about,
                clean.unwrap_or_else(|| "# left out: its syntax has mistakes, see config-check.txt\n".to_owned()),
            )
        }));
    }
    entries.push(entry("approvals.jsonl", "the last decisions about calls, without commands", log(home)));
    if let Some(lines) = conversation {
        entries.push(entry("session.jsonl", "the conversation that you named", lines));
    }
    for entry in &mut entries {
        // Whatever a part contains, nothing leaves without this filter.
        entry.text = cleaner.text(&entry.text);
    }
    entries.insert(0, entry("README.txt", "what is inside", readme(&entries)));
    Ok(entries)
}

fn entry(name: &str, about: &'static str, text: String) -> Entry {
    Entry { name: name.to_owned(), text, about }
}

fn readme(entries: &[Entry]) -> String {
    let mut text = "A bug report about toolc, written by `toolc doctor --bundle`.\n\n".to_owned();
    for entry in entries {
        text += &format!("{:<18} {}\n", entry.name, entry.about);
    }
    text += "\nValues of .env (a short or common one only next to its name), keys and tokens are left out or replaced by [secret], and the path of the home \
             folder by ~.\n\
             Look at the files before you send them: no program knows all secrets.\n";
    text
}

/// Returns the versions, the machine, and the variables that matter. `names` are those of `.env`.
fn system(home: &Home, names: &[String]) -> String {
    let program = env::current_exe().map_or_else(|error| error.to_string(), |path| path.display().to_string());
    let mut text = format!(
        "toolc {}\nprogram: {program}\nsystem: {} {}\nkernel: {}\nprofile: {}\n",
        env!("CARGO_PKG_VERSION"),
        env::consts::OS,
        env::consts::ARCH,
        file(Path::new("/proc/version")).map_or_else(|| "unknown".to_owned(), |text| text.trim().to_owned()),
        home.profile(),
    );
    if let Some(release) = file(Path::new("/etc/os-release")) {
        let name = release.lines().find(|line| line.starts_with("PRETTY_NAME="));
        text += &name.map(|name| format!("{name}\n")).unwrap_or_default();
    }
    for name in SHOWN_VARIABLES {
        if let Ok(value) = env::var(name) {
            text += &format!("{name}={value}\n");
        }
    }
    let is_named = |name: &String| {
        let matters = NAMED_BEGINNINGS.iter().any(|begin| name.starts_with(begin))
            || NAMED_ENDS.iter().any(|end| name.ends_with(end));
        matters && !SHOWN_VARIABLES.contains(&name.as_str())
    };
    let mut set: Vec<String> =
        env::vars_os().filter_map(|(name, _)| name.into_string().ok()).filter(is_named).collect();
    set.sort();
    text += &format!("variables that are set: {}\nvariables in .env: {}\n", set.join(", "), names.join(", "));
    text
}

/// Returns what only an assembled host knows: the report of `doctor`, the tools and the MCP servers.
fn of_host(options: &ToolOptions, home: &Home, mut view: View) -> Vec<Entry> {
    let failed = |error: &dyn std::fmt::Display| {
        vec![entry("doctor.txt", "the report of doctor", without_excerpts(&format!("error: {error}")))]
    };
    let profile = match Profile::read(home.clone()) {
        Ok(profile) => profile,
        Err(error) => return failed(&error),
    };
    let servers: Vec<Value> = mcp::listed(&profile).iter().map(mcp::ListedServer::json).collect();
    let servers =
        entry("mcp.json", "the MCP servers, as they were last seen before", format!("{:#}\n", json!(servers)));
    let needs =
        Needs { person: Person::at_the_terminal(), warns: false, ..Needs::new(Purpose::Report, Wait::UntilStarted) };
    let host = match Host::assemble(profile, options, needs) {
        Ok(host) => host,
        Err(error) => return [failed(&error), vec![servers]].into_iter().flatten().collect(),
    };
    host.select(&mut view.selection);
    let app = host.report_sections().fold(host.app(), toolc_cli::App::doctor_section);
    let text = app.doctor_report(&view, false).unwrap_or_else(|error| format!("error: {error}\n"));
    let json =
        app.doctor_report(&view, true).unwrap_or_else(|error| format!("{}\n", json!({ "error": error.to_string() })));
    let tools = tools::listed(&host).unwrap_or_else(|error| json!({ "error": error.to_string() }));
    let entries = vec![
        entry("doctor.txt", "the report of doctor", text),
        entry("doctor.json", "the same for programs", json),
        entry("tools.json", "the toolsets and tools, and which are on", format!("{tools:#}\n")),
        servers,
    ];
    host.stop();
    entries
}

/// Returns the last decisions of the log of approvals. The commands are parts of conversations, so only their lengths are there.
fn log(home: &Home) -> String {
    let path = approval::log_path(home);
    let lines = match last_lines(&path) {
        Ok(lines) => lines,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return String::new(),
        Err(error) => return format!("the log cannot be read: {error}\n"),
    };
    let without_command = |line: &String| {
        let Ok(mut record) = serde_json::from_str::<Value>(line) else { return "{\"unreadable\":true}\n".to_owned() };
        let length = record["command"].as_str().map(|command| command.chars().count());
        if let Some(record) = record.as_object_mut() {
            record.remove("command");
            record.insert("command_chars".to_owned(), json!(length));
        }
        format!("{record}\n")
    };
    lines.iter().map(without_command).collect()
}

/// Returns the last whole lines of a file.
fn last_lines(path: &Path) -> std::io::Result<VecDeque<String>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let from = length.saturating_sub(LOG_BYTES);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(LOG_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    // The first line may begin in the middle.
    let mut lines: VecDeque<String> = text.lines().skip(usize::from(from > 0)).map(str::to_owned).collect();
    while lines.len() > LOG_LINES {
        lines.pop_front();
    }
    Ok(lines)
}

/// Returns messages about mistakes without the lines of the files, which can hold any secret: only the places are left.
fn without_excerpts(text: &str) -> String {
    let is_excerpt = |line: &&str| {
        let number = line.trim_start().split_once('|').map(|(number, _)| number.trim_end());
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    text.lines().filter(|line| !is_excerpt(line)).flat_map(|line| [line, "\n"]).collect()
}

/// Returns the text of a small file, or `None` if there is none.
fn file(path: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(path).ok()?.take(FILE_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_keep_their_places_and_lose_the_lines_of_files() {
        let text = "error[C002]: unknown key `x`\n --> /home/config.toml:12:1\n   |\n12 | x = 'secret'\n   | ^ no such key\n  3 | y = 1\n = help: a | b";
        let left =
            "error[C002]: unknown key `x`\n --> /home/config.toml:12:1\n   |\n   | ^ no such key\n = help: a | b\n";
        assert_eq!(without_excerpts(text), left);
    }

    #[test]
    fn the_end_of_a_log_has_whole_lines() {
        let file = tempfile::NamedTempFile::new().expect("failed to make a file");
        let line = |at: usize| format!("{at:>8} {}\n", "x".repeat(2_000));
        std::fs::write(file.path(), (0..300).map(line).collect::<String>()).expect("failed to write");
        let lines = last_lines(file.path()).expect("it can be read");
        assert!(lines.len() > 100 && lines.iter().all(|line| line.len() == 2_009), "{}", lines.len());
        assert!(lines.back().is_some_and(|line| line.starts_with("     299 ")));
    }
}
