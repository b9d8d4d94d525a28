//! `toolc config`: checks, shows and changes the configuration of a profile.

use std::cell::OnceCell;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::Command;

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};
use toolc::redaction::without_secrets;
use toolc_config::{
    Config, ConfigFile, Draft, Edited, EnvFile, Home, KnownNames, foreign_variables, set_values, to_toml, unset_values,
    value_of,
};

use crate::approval::{permissions, rules};
use crate::assembly::names_for_checks;
use crate::ground::ask::{print, read_line, require_person};
use crate::ground::error::{Error, Result};
use crate::ground::tell::{tell, tell_part};
use crate::sources::instructions::{self, InstructionFile};

/// The last part of the help.
const EXIT_STATUS: &str = "\
Exit status:
  0  success
  1  check: the configuration has mistakes; get: the key has no value
  2  the command line is wrong, the configuration has mistakes, or the command runs inside a tool";

/// The arguments of `config`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Check config.toml, .env and the command rules of the home folder, and report all mistakes.
    Check,
    /// Show the configuration as config.toml would say it: its values, and the defaults of the other keys. Values of .env are not shown.
    Show {
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the value of a key, such as `approval.mode`.
    Get {
        /// The key.
        key: String,
    },
    /// Set keys in config.toml, and keep its comments. Does not run inside a tool.
    Set {
        /// Keys and their values, such as `approval.timeout 90s`. Texts of a list are separated by commas.
        #[arg(required = true, num_args = 2.., value_names = ["KEY", "VALUE"])]
        settings: Vec<String>,
    },
    /// Remove keys or tables from config.toml, so that their defaults count. Does not run inside a tool.
    Unset {
        /// The keys.
        #[arg(required = true, value_name = "KEY")]
        keys: Vec<String>,
    },
    /// Edit a copy of config.toml with the program in `VISUAL` or `EDITOR`, check it, and replace the file. Does not run inside a tool.
    Edit,
    /// Print the path of config.toml.
    Path,
    /// Print the JSON Schema of config.toml, for editors.
    Schema,
}

impl ConfigArgs {
    /// Runs the command, and returns the exit status.
    pub(crate) fn run(&self, home: &Home) -> Result<u8> {
        match &self.command {
            ConfigCommand::Path => {
                home.check_exists()?;
                print(&format!("{}\n", home.config().display())).map(|()| 0)
            }
            ConfigCommand::Schema => print(&format!("{:#}\n", toolc_config::schema())).map(|()| 0),
            ConfigCommand::Show { json } => {
                home.check_exists()?;
                show(home, *json).map(|()| 0)
            }
            ConfigCommand::Get { key } => {
                home.check_exists()?;
                get(home, key)
            }
            ConfigCommand::Set { settings } => {
                require_to_change(home)?;
                let (pairs, []) = settings.as_chunks::<2>() else {
                    return Err(Error::Invalid(
                        "expected a value after each key: `toolc config set KEY VALUE`".to_owned(),
                    ));
                };
                let pairs: Vec<(&str, &str)> = pairs.iter().map(|[key, value]| (&**key, &**value)).collect();
                report_change(home, set_values(home, &pairs, &|config| names(home, config))?)
            }
            ConfigCommand::Unset { keys } => {
                require_to_change(home)?;
                let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
                report_change(home, unset_values(home, &keys, &|config| names(home, config))?)
            }
            ConfigCommand::Edit => {
                require_to_change(home)?;
                edit(home)
            }
            ConfigCommand::Check => {
                let problems = problems(home);
                for problem in &problems {
                    tell!("error: {problem}\n");
                }
                if !problems.is_empty() {
                    return Ok(1);
                }
                for note in notes(home)? {
                    tell!("note: {note}");
                }
                print(&format!("{}: no mistakes\n", home.config().display()))?;
                Ok(0)
            }
        }
    }
}

fn require_to_change(home: &Home) -> Result<()> {
    require_person("change the configuration")?;
    Ok(home.check_exists()?)
}

/// Returns the names that a configuration may use, or `None` if the plugins cannot be loaded.
fn names(home: &Home, config: &Config) -> Option<KnownNames> {
    names_for_checks(home, config).ok().map(|(names, _)| names)
}

/// Prints what a change has done, and warnings about what is wrong elsewhere, such as in `.env` and the permissions.
fn report_change(home: &Home, edited: Edited) -> Result<u8> {
    if edited == Edited::Unchanged {
        return print("the configuration is already so\n").map(|()| 0);
    }
    for problem in problems(home) {
        tell!("warning: {problem}");
    }
    print(&format!("written: {}\n", home.config().display())).map(|()| 0)
}

/// Prints the value of a key: a text as it is, and other values as in JSON. Returns the exit status.
fn get(home: &Home, key: &str) -> Result<u8> {
    let env = EnvFile::read(home)?;
    let file = ConfigFile::read_with(home, &env, std::env::vars_os())?;
    let mut values = Value::Object(file.to_json());
    hide_secrets(&mut values);
    let Value::Object(values) = values else { return Ok(1) };
    match value_of(&values, key)? {
        Some(Value::String(text)) => print(&format!("{text}\n")).map(|()| 0),
        Some(value) => print(&format!("{value}\n")).map(|()| 0),
        None => {
            tell!("{}", not_set(key));
            Ok(1)
        }
    }
}

/// Says what counts for a key that is not set and has no single default.
fn not_set(key: &str) -> String {
    match key {
        "approval.mode" => format!("`{key}` is not set: the mode is `ask`, and `deny` where no person can be asked"),
        _ => format!("`{key}` is not set, and has no single default"),
    }
}

/// Lets a person edit a copy of the file until it has no mistakes. Returns the exit status.
fn edit(home: &Home) -> Result<u8> {
    let editor = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|text| !text.trim().is_empty()));
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    let words = shlex::split(&editor).filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| Error::Invalid(format!("the editor `{editor}` is not a command line")))?;
    let draft = Draft::new(home)?;
    loop {
        let status = Command::new(&words[0]).args(&words[1..]).arg(draft.path()).status();
        let status = status.map_err(|error| Error::failed(format!("start the editor `{editor}`"), error))?;
        if !status.success() {
            return Err(Error::Invalid(format!("the editor `{editor}` failed ({status}): nothing was changed")));
        }
        match draft.save(&|config| names(home, config)) {
            Ok(edited) => return report_change(home, edited),
            Err(problem) if io::stdin().is_terminal() => {
                tell!("error: {problem}");
                tell_part!("Edit it again? [Y/n] ");
                io::stderr().flush()?;
                let answer = read_line()?.unwrap_or_else(|| "n".to_owned());
                if answer.trim().to_lowercase().starts_with('n') {
                    return Err(Error::Invalid("nothing was changed".to_owned()));
                }
            }
            Err(problem) => return Err(problem.into()),
        }
    }
}

/// Returns all problems of the files of a profile. A file with mistakes does not hide those of the others.
pub(super) fn problems(home: &Home) -> Vec<String> {
    let mut problems: Vec<String> = home.check_exists().err().map(|problem| problem.to_string()).into_iter().collect();
    let env = EnvFile::read(home);
    let without = EnvFile::default();
    let (registry, unloaded) = (OnceCell::new(), OnceCell::new());
    let find_names = |config: &Config| match names_for_checks(home, config) {
        Ok((names, found)) => {
            let _ = registry.set(found);
            Some(names)
        }
        Err(problem) => {
            let _ = unloaded.set(problem.to_string());
            None
        }
    };
    let used_env = env.as_ref().unwrap_or(&without);
    let checked = ConfigFile::check_all(home, used_env, std::env::vars_os(), &find_names).map(drop);
    // Without a file, nothing has looked for names, and a file with mistakes in its syntax has none.
    if registry.get().is_none() {
        find_names(&Config::default());
    }
    problems.extend(checked.err().map(|problem| problem.to_string()));
    problems.extend(unloaded.into_inner());
    if let Some(registry) = registry.get() {
        problems.extend(permissions::problems_of_user(home, &permissions::known_tools(registry)));
    }
    problems.extend(env.err().map(|problem| problem.to_string()));
    problems.extend(rules::problems(home));
    problems
}

/// Returns notes about variables: those that set something, and those of other programs that do not.
fn notes(home: &Home) -> Result<Vec<String>> {
    let env = EnvFile::read(home)?;
    let file = ConfigFile::read_with(home, &env, std::env::vars_os())?;
    let set = file.set_by_variables().iter().map(ToString::to_string);
    Ok(set.chain(foreign_variables(&env)).collect())
}

fn show(home: &Home, as_json: bool) -> Result<()> {
    let env = EnvFile::read(home)?;
    let file = ConfigFile::read_with(home, &env, std::env::vars_os())?;
    let mut shown = Map::from_iter([
        ("profile".to_owned(), home.profile().to_string().into()),
        ("home".to_owned(), home.path().display().to_string().into()),
    ]);
    let mut settings = Value::Object(file.to_json());
    hide_secrets(&mut settings);
    let Value::Object(mut settings) = settings else { return Ok(()) };
    if !as_json {
        return print(&(as_comments(home, &env, &file)? + &to_toml(&settings)));
    }
    shown.append(&mut settings);
    shown.insert("variables".to_owned(), env.names().collect());
    let origins = file.set_by_variables().iter().map(|set| (set.key.clone(), json!(set.origin())));
    shown.insert("set_by_variables".to_owned(), Value::Object(origins.collect()));
    shown.insert("instruction_files".to_owned(), instruction_files(home, file.config())?);
    print(&format!("{}\n", Value::Object(shown)))
}

/// Returns what is not in config.toml as comments: the profile, the variables, and the files with instructions.
fn as_comments(home: &Home, env: &EnvFile, file: &ConfigFile) -> Result<String> {
    let mut text = format!("# profile {}, in {}\n", home.profile(), home.path().display());
    let names: Vec<&str> = env.names().collect();
    if !names.is_empty() {
        text += &format!("# variables in .env: {}\n", names.join(", "));
    }
    for set in file.set_by_variables() {
        text += &format!("# {set}\n");
    }
    for found in instruction_files(home, file.config())?.as_array().into_iter().flatten() {
        text += &format!(
            "# instructions: {} ({}, {} bytes)\n",
            found["path"].as_str().unwrap_or_default(),
            found["state"].as_str().unwrap_or_default(),
            found["bytes"]
        );
    }
    Ok(text + "\n")
}

/// Returns the files with standing instructions for work in the current directory, each with its state.
fn instruction_files(home: &Home, config: &Config) -> Result<Value> {
    let Ok(directory) = std::env::current_dir() else { return Ok(json!([])) };
    let files = instructions::find(home, &config.instructions.names(), &directory)?;
    let file = |file: &InstructionFile| json!({ "path": file.path, "bytes": file.bytes, "state": file.state.word() });
    Ok(files.iter().map(file).collect())
}

/// Replaces what seems to be secret in the values: the file is not for keys, but an address or an argument can contain one.
fn hide_secrets(value: &mut Value) {
    match value {
        Value::String(text) => *text = without_secrets(text, &[]),
        Value::Array(items) => {
            let mut option = String::new();
            for item in items {
                let Value::String(text) = item else {
                    hide_secrets(item);
                    continue;
                };
                let next = text.clone();
                // `--token`, and its value in the next item.
                let hidden = without_secrets(&format!("{option} {text}"), &[]);
                *text = match hidden.strip_prefix(&*option).and_then(|rest| rest.strip_prefix(' ')) {
                    Some(hidden) => hidden.to_owned(),
                    None => without_secrets(text, &[]),
                };
                option = next;
            }
        }
        Value::Object(members) => members.values_mut().for_each(hide_secrets),
        _ => {}
    }
}
