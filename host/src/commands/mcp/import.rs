//! `toolc mcp import`: adds the servers of Claude Desktop or VS Code. Values of variables are written to `.env`, and the servers are
//! added as disabled, so that nothing is started.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use jsonc_parser::{ParseOptions, parse_to_serde_value, parse_to_value};
use serde_json::{Map, Value};
use toolc::approval::{is_credential, is_secret};
use toolc_config::{EnvFile, Home, McpServer, add_server, is_name, remove_server, set_variable};

use super::location;
use crate::ground::ask;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::tell::{tell, tell_part};
use crate::profile::Profile;

/// The maximum size of the file, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// The keys of another program's configuration that are used, or that only say what is clear without them.
const KNOWN_KEYS: &[&str] =
    &["type", "command", "args", "env", "cwd", "url", "headers", "transport", "name", "description"];

/// A server that was read from another program's configuration.
#[derive(Debug, PartialEq)]
struct ImportedServer {
    server: McpServer,
    /// Variables to set: their names and values.
    variables: Vec<(String, String)>,
    /// Notes for the person.
    notes: Vec<String>,
}

/// Shows the servers of a file, asks, and adds them.
pub(super) fn import(home: &Home, path: &Path, yes: bool) -> Result<u8> {
    let profile = Profile::read(home.clone())?;
    let configured: Vec<&str> = profile.config().mcp.servers.iter().map(|server| server.name.as_str()).collect();
    let env_file = EnvFile::read(home)?;
    let servers = find_servers(&read_file(path)?, path)?;
    let mut imported = Vec::new();
    for (name, settings) in &servers {
        let name = server_name(name);
        if configured.contains(&name.as_str())
            || imported.iter().any(|other: &ImportedServer| other.server.name == name)
        {
            tell!("skipped: a server named `{name}` already exists");
            continue;
        }
        let reader = Importer { name: &name, env_file: &env_file, previous: &imported };
        match reader.parse(settings) {
            Ok(server) => imported.push(server),
            Err(reason) => tell!("skipped: `{}`: {}", show::one_line(&name), show::one_line(&reason.to_string())),
        }
    }
    if imported.is_empty() {
        return Err(Error::Invalid(format!("{} contains no server that can be added", path.display())));
    }
    tell_part!("{}", imported.iter().map(describe).collect::<String>());
    if !yes && !confirm()? {
        tell!("no server was added");
        return Ok(1);
    }
    let added = add(home, &imported);
    if added.is_empty() {
        return Err(Error::Invalid("no server could be added".to_owned()));
    }
    let text = "added as disabled: `toolc mcp test NAME` starts one once, and `toolc mcp enable NAME` enables it";
    ask::print(&format!("{}\n{text}\n", added.join("\n"))).map(|()| u8::from(added.len() < imported.len()))
}

/// Adds servers and sets their variables. Returns the names of the added servers. A server that cannot be added does not affect the others,
/// and sets no variables.
fn add<'i>(home: &Home, imported: &'i [ImportedServer]) -> Vec<&'i str> {
    let mut added = Vec::new();
    for ImportedServer { server, variables, .. } in imported {
        let set = || variables.iter().try_for_each(|(name, value)| set_variable(home, name, value));
        // A server without its variables would look complete.
        let set_or_remove = || set().or_else(|error| remove_server(home, &server.name).and(Err(error)));
        match add_server(home, server).and_then(|_| set_or_remove()) {
            Ok(()) => added.push(server.name.as_str()),
            Err(reason) => {
                tell!("not added: `{}`: {}", show::one_line(&server.name), show::lines(&reason.to_string()));
            }
        }
    }
    added
}

fn read_file(path: &Path) -> Result<Value> {
    let failed = |error: &dyn std::fmt::Display| format!("failed to read {}: {error}", path.display());
    let file = fs::File::open(path).map_err(|error| failed(&error))?;
    if !file.metadata().is_ok_and(|meta| meta.is_file()) {
        return Err(Error::Invalid(failed(&"not a regular file")));
    }
    let mut text = String::new();
    file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(|error| failed(&error))?;
    if text.len() as u64 > MAX_BYTES {
        return Err(Error::Invalid(failed(&format!("the file has more than {MAX_BYTES} bytes"))));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    // VS Code allows comments and trailing commas.
    let (options, invalid) =
        (ParseOptions::default(), |error: &dyn std::fmt::Display| failed(&format!("invalid JSON: {error}")));
    // This parser checks the depth of the JSON, and the next one does not.
    parse_to_value(text, &options).map_err(|error| invalid(&error))?;
    parse_to_serde_value(text, &options).map_err(|error| invalid(&error)).map_err(Error::Invalid)
}

/// Returns the servers of a file: `mcpServers` of Claude Desktop, `servers` of VS Code's `mcp.json`, or `mcp.servers` of the settings of VS Code.
fn find_servers(file: &Value, path: &Path) -> Result<Map<String, Value>> {
    let known = [&file["mcpServers"], &file["servers"], &file["mcp"]["servers"]];
    let servers = known.into_iter().find_map(Value::as_object);
    servers
        .cloned()
        .ok_or_else(|| {
            let path = path.display();
            format!("{path} has no MCP servers: expected `mcpServers` (Claude Desktop) or `servers` (VS Code)")
        })
        .map_err(Error::Invalid)
}

/// Returns what the other program, or a shell, would replace in a text: `${workspaceFolder}`, `${env:HOME}`, `{{name}}` or `%APPDATA%`.
fn references(text: &str) -> Vec<String> {
    /// The maximum length of a reference.
    const MAX: usize = 100;
    let is_name = |name: &str| {
        let is_letter = |c: char| c.is_alphanumeric() || "_:.-/ ?(){}$".contains(c);
        !name.trim().is_empty() && name.len() <= MAX && name.chars().all(is_letter)
    };
    let mut found = Vec::new();
    for (begin, end) in [("${", "}"), ("{{", "}}"), ("%", "%")] {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once(begin) {
            let Some((name, next)) = after.split_once(end) else { break };
            // A text such as `50% of 60%` has no variable.
            let is_variable = if begin == "%" { is_variable_name(name) } else { is_name(name) };
            let reference = format!("{begin}{name}{end}");
            if is_variable && !found.contains(&reference) {
                found.push(reference);
            }
            rest = if begin == "%" && !is_variable { after } else { next };
        }
    }
    let is_shell = |word: &str| word.strip_prefix('$').is_some_and(is_variable_name);
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'));
    found.extend(words.filter(|word| is_shell(word)).map(str::to_owned));
    found
}

/// Returns the variable that a reference names, and whether the reference has a default: `env:HOME`, `API_KEY` or `API_KEY:-none`. Other
/// words, such as `workspaceFolder`, are values of the other program.
fn source_variable(reference: &str) -> Option<(&str, bool)> {
    if let Some(name) = reference.strip_prefix("env:") {
        return is_name(name).then_some((name, false));
    }
    let (name, has_default) = reference.split_once(":-").map_or((reference, false), |(name, _)| (name, true));
    is_variable_name(name).then_some((name, has_default))
}

/// Returns whether an address contains what looks like a secret: a password, or a key in its path or query.
fn has_secret(url: &str) -> bool {
    let url = references(url).iter().fold(url.to_owned(), |url, reference| url.replace(reference, ""));
    is_secret("", &url) || url.split(['/', '?', '&', '=', '#']).any(|part| is_secret("", part))
}

/// Returns whether a text is the name of a variable as programs write them: with a letter that is not small.
fn is_variable_name(name: &str) -> bool {
    is_name(name) && name.chars().all(|c| !c.is_ascii_lowercase()) && name.len() > 1
}

/// Returns the arguments of a program. Numbers and booleans are taken as they are written, as other programs do.
fn arguments(args: &Value) -> Result<Vec<String>> {
    let text = |arg: &Value| match arg {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(arg.to_string()),
        _ => None,
    };
    let args = match args {
        Value::Null => Some(Vec::new()),
        Value::Array(args) => args.iter().map(text).collect(),
        _ => None,
    };
    args.ok_or_else(|| Error::Invalid("expected a list of strings as `args`".to_owned()))
}

/// Returns whether a path does not depend on the folder in which a program is started, nor on variables of the other program.
fn is_independent(path: &str) -> bool {
    (path.starts_with("~/") || Path::new(path).is_absolute()) && references(path).is_empty()
}

/// Converts a name to a valid name of a server.
fn server_name(name: &str) -> String {
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    let parts = name.split(|c| !is_letter(c)).filter(|part| !part.is_empty());
    let name: String = parts.collect::<Vec<_>>().join("-").chars().take(32).collect();
    let name = name.trim_end_matches('-');
    if name.is_empty() { "server".to_owned() } else { name.to_owned() }
}

/// Parses the settings of one server.
struct Importer<'i> {
    name: &'i str,
    /// The variables of `.env`.
    env_file: &'i EnvFile,
    /// The servers that were read before. Their variables will be set, too.
    previous: &'i [ImportedServer],
}

impl Importer<'_> {
    fn parse(&self, settings: &Value) -> Result<ImportedServer> {
        let (mut variables, mut notes) = (Vec::new(), Vec::new());
        let server = match (settings["command"].as_str(), settings["url"].as_str()) {
            (Some(command), _) => self.program(command, settings, &mut variables, &mut notes)?,
            (None, Some(url)) => self.address(url, settings, &mut variables, &mut notes)?,
            (None, None) => return Err(Error::Invalid("expected `command` or `url`, got neither".to_owned())),
        };
        let server = McpServer { enabled: false, ..server };
        let places = [&server.directory, &server.url, &server.command].into_iter().flatten().chain(&server.args);
        let found: BTreeSet<String> = places.flat_map(|text| references(text)).collect();
        for reference in found {
            notes.push(format!("replace `{reference}` in config.toml: toolc does not expand it"));
        }
        let unknown =
            settings.as_object().into_iter().flat_map(Map::keys).filter(|key| !KNOWN_KEYS.contains(&key.as_str()));
        for key in unknown {
            notes.push(format!("`{key}` has no effect: toolc does not know it"));
        }
        Ok(ImportedServer { server, variables, notes })
    }

    fn program(
        &self,
        command: &str,
        settings: &Value,
        variables: &mut Vec<(String, String)>,
        notes: &mut Vec<String>,
    ) -> Result<McpServer> {
        let args = arguments(&settings["args"])?;
        if args.iter().any(|arg| {
            arg.split_once('=').map_or_else(|| is_credential("", arg), |(name, value)| is_credential(name, value))
        }) {
            notes.push("an argument looks like a secret: secrets do not belong in config.toml".to_owned());
        }
        let mut env = Vec::new();
        for (name, value) in settings["env"].as_object().into_iter().flatten() {
            if !is_name(name) {
                return Err(Error::Invalid(format!("`{name}` in `env` is not a valid name of a variable")));
            }
            if value.is_null() {
                notes.push(format!("`{name}` in `env` is left out: it has no value"));
                continue;
            }
            env.push(format!("{name}={}", self.variable(name, value, variables, notes)?));
        }
        let directory = settings["cwd"].as_str().filter(|path| is_independent(path)).map(str::to_owned);
        if directory.is_none() && !settings["cwd"].is_null() {
            notes.push(format!(
                "`cwd` is left out: it is {}, and toolc needs `/...` or `~/...` as the `directory` in config.toml",
                settings["cwd"]
            ));
        }
        Ok(McpServer {
            command: Some(command.to_owned()),
            args,
            env,
            directory,
            ..McpServer::new(self.name.to_owned())
        })
    }

    fn address(
        &self,
        url: &str,
        settings: &Value,
        variables: &mut Vec<(String, String)>,
        notes: &mut Vec<String>,
    ) -> Result<McpServer> {
        let (mut headers, mut bearer_variable) = (Vec::new(), None);
        if settings["type"] == "sse" {
            return Err(Error::Invalid(
                "the transport `sse` is not supported: MCP has replaced it with streamable HTTP".to_owned(),
            ));
        }
        if has_secret(url) {
            notes.push("`url` contains what looks like a secret: secrets do not belong in config.toml".to_owned());
        }
        for (name, value) in settings["headers"].as_object().into_iter().flatten() {
            let variable_name: String =
                name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
            let token = value.as_str().and_then(|value| value.strip_prefix("Bearer "));
            match token.filter(|_| name.eq_ignore_ascii_case("authorization")) {
                Some(token) => {
                    let token = Value::from(token);
                    bearer_variable = Some(self.variable(&self.prefixed("TOKEN"), &token, variables, notes)?);
                }
                None => {
                    headers
                        .push((name.clone(), self.variable(&self.prefixed(&variable_name), value, variables, notes)?));
                }
            }
        }
        let url = Some(url.to_owned());
        Ok(McpServer { url, headers, bearer_variable, ..McpServer::new(self.name.to_owned()) })
    }

    /// Returns the variable that will hold a value, and adds it to the variables to set. Avoids names that already have another value.
    fn variable(
        &self,
        name: &str,
        value: &Value,
        variables: &mut Vec<(String, String)>,
        notes: &mut Vec<String>,
    ) -> Result<String> {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => {
                return Err(Error::Invalid(format!(
                    "expected a string, a number or a boolean as the value of `{name}`"
                )));
            }
        };
        if value.contains(['\n', '\r', '\0']) {
            return Err(Error::Invalid(format!(
                "the value of `{name}` has more than one line, which .env does not support"
            )));
        }
        let reference = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        if let Some((source, has_default)) = reference.and_then(source_variable) {
            if has_default {
                notes.push(format!(
                    "set the variable {source} in .env if it is not set: toolc does not use the default"
                ));
            }
            return Ok(source.to_owned());
        }
        if let Some(reference) = reference
            && references(&value).len() == 1
        {
            let why = match reference.split_once(':') {
                Some(("input", _)) => "the other program asks the user for its value".to_owned(),
                _ => format!("only the other program knows its value, `{value}`"),
            };
            notes.push(format!("set the variable {name} in .env: {why}"));
            return Ok(name.to_owned());
        }
        for reference in references(&value) {
            notes.push(format!("replace `{reference}` in the variable {name} in .env: toolc does not expand it"));
        }
        let previous = self.previous.iter().flat_map(|imported| &imported.variables);
        let current_value = |name: &str| {
            let known = previous.clone().chain(variables.iter()).find(|(known, _)| known == name);
            known.map(|(_, value)| value.as_str()).or_else(|| self.env_file.get(name))
        };
        let name = [name.to_owned(), self.prefixed(name)]
            .into_iter()
            .find(|name| current_value(name).is_none_or(|current| current == value));
        let name = name.ok_or("its variables are already set to other values in .env")?;
        if current_value(&name).is_none() {
            variables.push((name.clone(), value));
        }
        Ok(name)
    }

    /// Returns the name of a variable, with the name of the server as its prefix.
    fn prefixed(&self, name: &str) -> String {
        let server: String = self.name.to_ascii_uppercase().replace('-', "_");
        let server = if server.starts_with(|c: char| c.is_ascii_digit()) { format!("MCP_{server}") } else { server };
        format!("{server}_{name}")
    }
}

/// Describes a server, without values of variables.
fn describe(imported: &ImportedServer) -> String {
    let ImportedServer { server, variables, notes } = imported;
    let mut text = format!("{}: {}\n", server.name, show::one_line(&location(server)));
    for (name, _) in variables {
        let _ = writeln!(text, "  sets {name} in .env");
    }
    for note in notes {
        let _ = writeln!(text, "  note: {}", show::one_line(note));
    }
    text
}

fn confirm() -> Result<bool> {
    ask::require_terminal("the servers")?;
    ask::confirm("Add these servers as disabled?")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn import_server(name: &str, settings: &Value, previous: &[ImportedServer]) -> Result<ImportedServer, String> {
        Importer { name, env_file: &EnvFile::default(), previous }.parse(settings).map_err(|error| error.to_string())
    }

    fn pair(a: &str, b: &str) -> (String, String) {
        (a.to_owned(), b.to_owned())
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_file() {
        let file = tempfile::NamedTempFile::new().expect("failed to make a file");
        std::fs::write(file.path(), "\u{feff}{ \"mcpServers\": {}, /* none */ }\r\n").expect("failed to write");
        assert_eq!(read_file(file.path()).expect("it is valid"), json!({ "mcpServers": {} }));
    }

    #[test]
    fn values_of_variables_are_written_to_env_and_not_shown() {
        let settings = json!({ "command": "npx", "args": ["-y", "x"], "env": { "KEY": "hunter2", "PORT": 80, "HOST": "${env:OTHER}", "ASK": "${input:key}" } });
        let first = import_server("one", &settings, &[]).expect("valid settings");
        assert!(!first.server.enabled);
        let mut env = first.server.env.clone();
        env.sort();
        assert_eq!(env, ["ASK=ASK", "HOST=OTHER", "KEY=KEY", "PORT=PORT"]);
        let mut variables = first.variables.clone();
        variables.sort();
        assert_eq!(variables, [pair("KEY", "hunter2"), pair("PORT", "80")]);
        assert!(first.notes[0].contains("set the variable ASK"), "{:?}", first.notes);
        assert!(!describe(&first).contains("hunter2"));
        // A variable with the same name and another value gets a prefix.
        let other = json!({ "command": "x", "env": { "KEY": "other", "PORT": "80" } });
        let second = import_server("two", &other, &[first]).expect("valid settings");
        assert_eq!(second.variables, [pair("TWO_KEY", "other")]);
    }

    #[test]
    fn what_the_other_program_would_replace_is_named_wherever_it_is() {
        for (settings, reference) in [
            (
                json!({ "command": "x", "env": { "ROOT": "${workspaceFolder}/data" } }),
                "`${workspaceFolder}` in the variable ROOT in .env",
            ),
            (json!({ "command": "x", "env": { "A": "a:${env:HOME}" } }), "`${env:HOME}` in the variable A"),
            (json!({ "command": "x", "env": { "A": "${input:a}${input:b}" } }), "`${input:b}` in the variable A"),
            (json!({ "command": "x", "env": { "A": "%APPDATA%\\x" } }), "`%APPDATA%` in the variable A"),
            (json!({ "command": "x", "env": { "A": "$HOME/x" } }), "`$HOME` in the variable A"),
            (json!({ "command": "x", "env": { "A": "{{ root }}/x" } }), "`{{ root }}` in the variable A"),
            (
                json!({ "command": "x", "args": ["--root", "${workspaceFolder}"] }),
                "`${workspaceFolder}` in config.toml",
            ),
            (json!({ "command": "${userHome}/x" }), "`${userHome}` in config.toml"),
            (json!({ "command": "x", "cwd": "${workspaceFolder}" }), "`cwd` is left out: it is \"${workspaceFolder}\""),
            (json!({ "command": "x", "cwd": "/a/${env:B}" }), "`cwd` is left out"),
            (json!({ "command": "x", "cwd": "server" }), "`cwd` is left out: it is \"server\""),
            (json!({ "command": "x", "cwd": 5 }), "`cwd` is left out: it is 5"),
            (json!({ "command": "x", "env": { "A": null } }), "`A` in `env` is left out"),
            (
                json!({ "command": "x", "env": { "A": "${config:a.b}" } }),
                "only the other program knows its value, `${config:a.b}`",
            ),
            (json!({ "command": "x", "env": { "A": "${command:pick}" } }), "only the other program knows its value"),
            (json!({ "command": "x", "env": { "A": "${input:key}" } }), "asks the user for its value"),
            (json!({ "url": "https://${input:host}/mcp" }), "`${input:host}` in config.toml"),
            (
                json!({ "url": "https://x/", "headers": { "X-Key": "a ${input:key}" } }),
                "`${input:key}` in the variable",
            ),
            (json!({ "command": "x", "envFile": "${workspaceFolder}/.env" }), "`envFile` has no effect"),
            (json!({ "command": "x", "disabled": true, "autoApprove": [] }), "`autoApprove` has no effect"),
        ] {
            let read = import_server("s", &settings, &[]).expect("valid settings");
            assert!(read.notes.iter().any(|note| note.contains(reference)), "{settings}: {:?}", read.notes);
        }
        for value in ["50% of 60%", "a$b", "$5", "{a}", "x", "100%", "$"] {
            let read = import_server("s", &json!({ "command": "x", "type": "stdio", "env": { "A": value } }), &[]);
            assert_eq!(read.expect("valid settings").notes, [""; 0], "{value}");
        }
    }

    #[test]
    fn a_reference_to_a_variable_takes_its_value_from_there() {
        let settings = json!({
            "command": "x", "env": { "A": "${API_KEY}", "B": "${env:HOME}", "C": "${REGION:-eu}", "D": "${workspaceFolder}" },
        });
        let read = import_server("s", &settings, &[]).expect("valid settings");
        let mut env = read.server.env.clone();
        env.sort();
        assert_eq!(env, ["A=API_KEY", "B=HOME", "C=REGION", "D=D"]);
        assert!(read.variables.is_empty(), "{:?}", read.variables);
        assert!(read.notes.iter().any(|note| note.contains("REGION in .env if it is not set")), "{:?}", read.notes);
        let settings = json!({ "url": "https://x/", "headers": { "Authorization": "Bearer ${API_KEY}", "X-Key": "${OTHER_KEY}" } });
        let read = import_server("s", &settings, &[]).expect("valid settings");
        assert_eq!(read.server.bearer_variable.as_deref(), Some("API_KEY"));
        assert_eq!(read.server.headers, [pair("X-Key", "OTHER_KEY")]);
    }

    #[test]
    fn arguments_and_a_directory_that_stand_on_their_own_are_kept() {
        let settings = json!({ "command": "x", "args": ["--port", 80, true], "cwd": "~/work" });
        let read = import_server("s", &settings, &[]).expect("valid settings");
        assert_eq!(read.server.args, ["--port", "80", "true"]);
        assert_eq!((read.server.directory.as_deref(), read.notes.len()), (Some("~/work"), 0));
    }

    #[test]
    fn a_server_that_cannot_be_added_sets_no_variables() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        let import = |name: &str, settings: Value| import_server(name, &settings, &[]).expect("valid settings");
        let imported = [
            import("bad", json!({ "command": "./run", "env": { "BAD_KEY": "x" } })),
            import("good", json!({ "command": "run", "env": { "GOOD_KEY": "y" } })),
        ];
        assert_eq!(add(&home, &imported), ["good"]);
        let env = EnvFile::read(&home).expect("it can be read");
        assert_eq!((env.get("GOOD_KEY"), env.get("BAD_KEY")), (Some("y"), None));
    }

    #[test]
    fn a_secret_in_an_address_is_noted() {
        let noted = |url: &str| {
            let notes = import_server("s", &json!({ "url": url }), &[]).expect("valid settings").notes;
            notes.iter().any(|note| note.contains("looks like a secret"))
        };
        for url in [
            "https://example.com/mcp?api_key=hunter2",
            "https://example.com/mcp?page=1&token=hunter2",
            "https://me:hunter2@example.com/mcp",
            "https://example.com/s/q7Rk2Zt9Lw4Xc8Vb1Nm5/mcp",
        ] {
            assert!(noted(url), "{url}");
        }
        for url in [
            "https://example.com/mcp",
            "https://example.com/mcp?project=ab",
            "https://example.com/?api_key=${input:key}",
        ] {
            assert!(!noted(url), "{url}");
        }
    }

    #[test]
    fn headers_and_the_bearer_token_are_stored_in_variables() {
        let settings = json!({ "url": "https://x/", "headers": { "Authorization": "Bearer hunter2", "X-Key": "k" } });
        let read = import_server("my-web", &settings, &[]).expect("valid settings");
        assert_eq!(read.server.headers, [pair("X-Key", "MY_WEB_X_KEY")]);
        assert_eq!(read.server.bearer_variable.as_deref(), Some("MY_WEB_TOKEN"));
        assert!(read.variables.contains(&pair("MY_WEB_TOKEN", "hunter2")), "{:?}", read.variables);
    }

    #[test]
    fn unsupported_settings_are_refused_or_noted() {
        for settings in [
            json!({}),
            json!({ "command": "x", "args": "one two" }),
            json!({ "command": "x", "args": [["nested"]] }),
            json!({ "command": "x", "env": { "A B": "c" } }),
            json!({ "command": "x", "env": { "A": [] } }),
            json!({ "command": "x", "env": { "A": "-----BEGIN KEY-----\nabc" } }),
            json!({ "url": "https://x/", "type": "sse" }),
        ] {
            assert!(import_server("s", &settings, &[]).is_err(), "{settings}");
        }
        let settings = json!({ "command": "x", "args": ["${workspaceFolder}", "--token=ghp_0123456789abcdefghijABCDEFGHIJ012345"] });
        let notes = import_server("s", &settings, &[]).expect("valid settings").notes;
        assert!(notes.iter().any(|note| note.contains("`${workspaceFolder}` in config.toml")), "{notes:?}");
        assert!(notes.iter().any(|note| note.contains("looks like a secret")), "{notes:?}");
        for (name, valid) in [("my server", "my-server"), ("a__b", "a-b"), ("@x/y", "x-y"), ("…", "server")] {
            assert_eq!(server_name(name), valid);
        }
    }
}
