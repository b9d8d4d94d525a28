//! `toolc skills search`, and `inspect` of a skill that is not installed.

use std::fmt::Write as _;

use clap::Args;
use serde_json::{Value, json};
use toolc_hub::{Description, Hit, Hub, Identifier, SourceKind};

use super::console::Console;
use super::shown::{self, REFUSED, SOURCES};
use crate::ground::error::Result;
use crate::ground::show;

/// The arguments of `skills search`.
#[derive(Debug, Args)]
pub(super) struct SearchArgs {
    /// The words that the name and the description must have.
    #[arg(required = true)]
    words: Vec<String>,
    /// Search only this source.
    #[arg(long, value_name = "SOURCE", value_parser = SOURCES.map(|(word, _)| word))]
    source: Option<String>,
    /// The maximum number of skills of a source.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=100))]
    limit: u16,
    /// Print one line of JSON.
    #[arg(long)]
    json: bool,
}

/// Searches the sources. Returns the exit status.
pub(super) fn run(args: &SearchArgs, hub: &Hub, console: &dyn Console) -> Result<u8> {
    let only = args.source.as_deref().and_then(|word| SOURCES.iter().find(|(known, _)| *known == word));
    let found = hub.search(&args.words.join(" "), args.limit.into(), only.map(|(_, kind)| *kind));
    if args.json {
        let failure = |(source, error): &(SourceKind, toolc_hub::SourceError)| json!({ "source": source, "error": error.to_string() });
        let object = json!({
            "skills": found.hits.iter().map(hit_json).collect::<Vec<_>>(),
            "failures": found.failures.iter().map(failure).collect::<Vec<_>>(),
        });
        console.print(&format!("{object}\n"))?;
    } else {
        let mut text: String = found.hits.iter().map(hit_text).collect();
        if found.hits.is_empty() {
            text += "no skill was found\n";
        } else {
            text +=
                "\n`toolc skills inspect ID` shows a skill with its files, and `toolc skills install ID` installs it\n";
        }
        console.print(&text)?;
        for (source, error) in &found.failures {
            console.note(&format!("warning: {source} was not searched: {}", show::one_line(&error.to_string())));
        }
    }
    Ok(if found.hits.is_empty() { REFUSED } else { 0 })
}

fn hit_text(hit: &Hit) -> String {
    let mut about = vec![hit.trust.to_string(), hit.source.to_string()];
    about.extend(hit.group.clone());
    about.extend(hit.installs.map(|installs| format!("installed {installs} times")));
    let mut text = format!("{}   {}\n", show::one_line(&hit.id.to_string()), show::one_line(&about.join(", ")));
    let description = if hit.description.is_empty() { "(no description)" } else { &hit.description };
    let _ = writeln!(text, "    {}: {}", show::one_line(&hit.name), show::one_line(description));
    text
}

fn hit_json(hit: &Hit) -> Value {
    let Hit { id, name, description, source, trust, group, installs } = hit;
    json!({
        "id": id, "name": name, "description": description, "source": source, "trust": trust, "group": group, "installs": installs,
    })
}

/// Shows a skill of a source: what it says about it, its files, and what the guard says. Returns the exit status.
pub(super) fn inspect(id: &Identifier, hub: &Hub, as_json: bool, console: &dyn Console) -> Result<u8> {
    let described = match hub.inspect(id) {
        Ok(described) => described,
        Err(error) => return shown::refused(error.into(), console),
    };
    if !described.contains.is_empty() {
        return console.print(&several(&described, as_json)).map(|()| 0);
    }
    match hub.preview(id) {
        Ok(preview) if as_json => console.print(&format!("{}\n", shown::preview_json(&preview)))?,
        Ok(preview) => console.print(&shown::preview(&preview))?,
        Err(error) => return shown::refused(error, console),
    }
    Ok(0)
}

/// Returns what has several skills, such as a plugin or a repository.
fn several(described: &Description, as_json: bool) -> String {
    if as_json {
        let Description { name, description, source, trust, version, url, contains, warnings, .. } = described;
        let object = json!({
            "name": name, "description": description, "source": source, "id": described.id, "url": url, "version": version, "trust": trust,
            "warnings": warnings, "contains": contains,
        });
        return format!("{object}\n");
    }
    let mut text =
        format!("{}\n{}\n\nskills:\n", show::one_line(&described.name), show::one_line(&described.description));
    for id in &described.contains {
        let _ = writeln!(text, "  {}", show::one_line(&id.to_string()));
    }
    for warning in &described.warnings {
        let _ = writeln!(text, "warning: {}", show::one_line(warning));
    }
    text
}
