//! `toolc config`: checks and shows the configuration of a profile.

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};
use toolc::redaction::without_secrets;
use toolc_config::{Config, ConfigFile, EnvFile, Home, foreign_variables};

use crate::approval::{permissions, rules};
use crate::assembly::{check_names, registry_to_show};
use crate::ground::ask::print;
use crate::ground::error::Result;
use crate::ground::tell::tell;
use crate::sources::instructions::{self, InstructionFile};

/// The last part of the help.
const EXIT_STATUS: &str = "\
Exit status:
  0  success
  1  check: the configuration has mistakes
  2  the command line is wrong, or show: the configuration has mistakes";

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
    /// Show the configuration: the values of config.toml, and the defaults of the other keys. Values of .env are not shown.
    Show {
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
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

/// Returns all problems of the files of a profile.
fn problems(home: &Home) -> Vec<String> {
    let mut problems: Vec<String> = home.check_exists().err().map(|problem| problem.to_string()).into_iter().collect();
    let env = EnvFile::read(home);
    let without = EnvFile::default();
    match ConfigFile::read_with(home, env.as_ref().unwrap_or(&without), std::env::vars_os()) {
        Ok(file) => {
            let checked = registry_to_show(home, file.config(), &[]).and_then(|registry| {
                problems.extend(permissions::problems_of_user(home, &permissions::known_tools(&registry)));
                check_names(&file, &registry)
            });
            problems.extend(checked.err().map(|problem| problem.to_string()));
            problems.extend(file.check_directory().err().map(|problem| problem.to_string()));
        }
        Err(problem) => problems.push(problem.to_string()),
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
    if let Value::Object(settings) = &mut settings {
        shown.append(settings);
    }
    shown.insert("variables".to_owned(), env.names().collect());
    let origins = file.set_by_variables().iter().map(|set| (set.key.clone(), json!(set.origin())));
    shown.insert("set_by_variables".to_owned(), Value::Object(origins.collect()));
    shown.insert("instruction_files".to_owned(), instruction_files(home, file.config())?);
    let shown = Value::Object(shown);
    print(&if as_json { format!("{shown}\n") } else { format!("{shown:#}\n") })
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
