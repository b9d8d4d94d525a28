//! Judges one file, by its kind: documents, code, manifests and data, and the code in them.

use crate::code;
use crate::codes::{Code, Severity};
use crate::context::Context;
use crate::entries::Entry;
use crate::fences::{by_shebang, language_of, looks_like_command, without_prompts};
use crate::files;
use crate::language;
use crate::markdown::{self, Part, PartKind};
use crate::purpose::Topic;
use crate::quoting::{self, Around};
use crate::report::Kind;
use crate::unit::{Found, Inner, Judged, Unit, Voice};
use crate::{deeds, directives, encoded, front_matter, hidden, manifests, notebooks, prose, shell, unmarked, uses};

/// How deep code in code is judged, and how many pieces of it in one file.
const MAX_DEPTH: usize = 4;
const MAX_INNER: usize = 2_000;

/// Returns the language as which a file has been judged by its kind.
pub(crate) fn own_language(path: &str, kind: Kind, text: &str) -> Option<&'static str> {
    match kind {
        Kind::Shell => Some("sh"),
        Kind::Code => {
            Some(language::language(&files::end_of(path)).map_or_else(|| by_shebang(text), |language| language.name))
        }
        _ => None,
    }
}

/// Judges a text that is run as code of a language.
pub(crate) fn judge_as(language: &str, text: &str, context: &Context<'_>, found: &mut Vec<Found>) {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let unit = Unit::at(&text[start..], start, Voice::Runs);
    match language {
        "make" => add_judged(&unit, manifests::check("Makefile", &unit), context, MAX_DEPTH, found),
        uses::SETTINGS => settings(&unit, context, found),
        language => judge_code(language, &unit, context, MAX_DEPTH, found),
    }
    if language == "sh" {
        // `sed -n 5p FILE | sh`: each line can run without those before it.
        for line in unit.into_lines().into_iter().filter(|(_, line)| looks_like_command(line.trim())) {
            let line = Unit::at(&line.1, line.0, Voice::Runs);
            judge_code("sh", &line, context, MAX_DEPTH, found);
        }
    }
}

/// Files that programs write, with digests that look like encoded texts.
const LOCKS: &[&str] = &[
    "Cargo.lock",
    "Gemfile.lock",
    "Pipfile.lock",
    "Podfile.lock",
    "bun.lock",
    "composer.lock",
    "deno.lock",
    "flake.lock",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "pdm.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pubspec.lock",
    "uv.lock",
    "yarn.lock",
];

/// Judges a file by its kind.
pub(crate) fn judge_text(path: &str, kind: Kind, text: &str, context: &Context<'_>) -> Vec<Found> {
    let is_code = matches!(kind, Kind::Shell | Kind::Code | Kind::Manifest);
    let is_lock = LOCKS.contains(&path.rsplit('/').next().unwrap_or(path));
    let mut found = hidden::check(text, is_code);
    if !is_lock {
        found.extend(encoded::find(text));
    }
    let end = files::end_of(path);
    let unit = Unit::whole(text);
    match kind {
        Kind::Markdown => document(text, context, &mut found),
        Kind::Shell => judge_code("sh", &unit, context, MAX_DEPTH, &mut found),
        Kind::Code => {
            let name = language::language(&end).map_or_else(|| by_shebang(text), |language| language.name);
            judge_code(name, &unit, context, MAX_DEPTH, &mut found);
            found.extend(prose::switched(&unit, context));
            install_hook(path, &unit, &mut found);
        }
        Kind::Manifest if !is_lock => {
            let judged = manifests::check(path, &unit);
            add_judged(&unit, judged, context, MAX_DEPTH, &mut found);
            found.extend(prose::switched(&unit, context));
        }
        Kind::Text if !is_lock => data(&end, &unit, context, &mut found),
        _ => {}
    }
    found
}

/// The commands of setuptools that an installation runs.
const STEPS: &[&str] = &[
    "install",
    "develop",
    "egg_info",
    "build",
    "build_py",
    "build_scripts",
    "sdist",
    "bdist_wheel",
    "editable_wheel",
    "install_lib",
];

/// `setup.py` with commands of its own runs them at every installation.
fn install_hook(path: &str, unit: &Unit, found: &mut Vec<Found>) {
    let name = path.rsplit('/').next().unwrap_or_default();
    if let Some(at) = unit.text.find("cmdclass").filter(|_| name == "setup.py") {
        let finding = Found::in_unit(
            unit,
            Code::InstallHook,
            at..at + 8,
            "An installation of the package runs commands of its own.",
        );
        // Commands with names of their own run only if they are named.
        let value = unit.text[at + 8..].trim_start_matches([' ', '=', ':', '"', '\'']);
        let table = value.strip_prefix('{').and_then(|rest| rest.split('}').next());
        let is_step = |table: &str| {
            STEPS.iter().any(|step| table.contains(&format!("\"{step}\"")) || table.contains(&format!("'{step}'")))
        };
        found.push(if table.is_some_and(|table| !is_step(table)) { finding.into_note() } else { finding });
    }
}

/// Data: texts in them, and scripts of pages.
fn data(end: &str, unit: &Unit, context: &Context<'_>, found: &mut Vec<Found>) {
    match end {
        "html" | "htm" | "svg" | "xhtml" => {
            for (start, script) in scripts(&unit.text) {
                judge_code("javascript", &Unit::at(script, start, Voice::Runs), context, MAX_DEPTH, found);
            }
        }
        "yml" | "yaml" => {
            let judged = manifests::check("settings.yaml", unit);
            add_judged(unit, judged, context, MAX_DEPTH, found);
        }
        "ipynb" => {
            for cell in notebooks::cells(&unit.text) {
                judge_cell(&cell, unit, context, found);
            }
        }
        "json" | "jsonc" | "json5" => {
            let judged = manifests::check("settings.json", unit);
            add_judged(unit, judged, context, MAX_DEPTH, found);
        }
        _ => {}
    }
    if let Some(at) = unit.text.to_ascii_lowercase().find("load_extension(").filter(|_| end == "sql") {
        let message = "The statement loads a library, which is not judged.";
        found.push(Found::in_unit(unit, Code::Program, at..at + 15, message));
    }
    if !matches!(end, "csv" | "tsv" | "json" | "html" | "svg" | "css" | "xml") {
        settings(unit, context, found);
        for (at, command, _) in unmarked::commands(&unit.text) {
            judge_code("sh", &unit.within(at, command), context, MAX_DEPTH, found);
        }
    }
    found.extend(prose::switched(unit, context));
    if let Some(manipulation) = toolc_scan::manipulation(&unit.text) {
        let around = &unit.text
            [unit.text.floor_char_boundary(manipulation.span.start.saturating_sub(200))..manipulation.span.end];
        let finding = Found::in_unit(
            unit,
            Code::Manipulates,
            manipulation.span.clone(),
            format!("The text {}.", manipulation.what),
        );
        let is_data = matches!(end, "html" | "htm" | "svg" | "css" | "xml" | "xsd");
        found.push(if quoting::warns(around) || is_data && !manipulation.what.contains("instructions") {
            finding.into_note()
        } else {
            finding
        });
    }
}

/// Judges a cell of a notebook.
fn judge_cell(cell: &notebooks::Cell, unit: &Unit, context: &Context<'_>, found: &mut Vec<Found>) {
    if let Some(language) = cell.language {
        judge_code(language, &unit.within(cell.at, cell.text.clone()), context, MAX_DEPTH, found);
        return;
    }
    let mut inside = Vec::new();
    document(&cell.text, context, &mut inside);
    found.extend(inside.into_iter().map(|finding| derived(finding, &cell.text, cell.at)));
}

/// Returns a finding in a text that stands for what is at one place of the file.
fn derived(finding: Found, text: &str, at: usize) -> Found {
    let own = text.get(finding.at.clone()).map(str::to_owned);
    Found { at: at..at, matter: finding.matter.clone().or(own), ..finding }
}

/// Commands in settings.
fn settings(unit: &Unit, context: &Context<'_>, found: &mut Vec<Found>) {
    let commands = directives::commands(&unit.text);
    // What one command downloads, another one can run.
    let first = commands.first().map_or(0, |(at, _)| *at);
    let together = commands.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n");
    let together = (commands.len() > 1).then_some(Inner { language: "sh", text: together, at: first });
    let inner = commands.into_iter().map(|(at, text)| Inner { language: "sh", text, at }).chain(together).collect();
    add_judged(unit, Judged { found: Vec::new(), inner }, context, MAX_DEPTH, found);
}

/// Returns the scripts of a page with their places.
fn scripts(text: &str) -> Vec<(usize, &str)> {
    let lower = text.to_ascii_lowercase();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(open) = lower[at..].find("<script").map(|open| at + open) {
        let Some(start) = lower[open..].find('>').map(|end| open + end + 1) else { break };
        let end = lower[start..].find("</script").map_or(lower.len(), |end| start + end);
        found.push((start, &text[start..end]));
        at = end;
    }
    found
}

fn document(text: &str, context: &Context<'_>, found: &mut Vec<Found>) {
    let document = markdown::read(text);
    if let Some(front) = &document.front {
        let judged = front_matter::check(text, front, context);
        let unit = Unit::whole(text);
        add_judged(&unit, judged, context, MAX_DEPTH, found);
    }
    let mut commands: Vec<(usize, String)> = Vec::new();
    for entry in document.front.iter().flat_map(|front| front_matter::texts(text, front)) {
        front_text(&entry, context, &mut commands, found);
    }
    found.extend(deeds::check(&document, context));
    let is_about_attacks = context.purpose.declares(&[Topic::Security]);
    let is_guide = is_about_attacks && quoting::announces_examples(&document.intro);
    for mut part in document.parts {
        part.around.is_guide = is_guide || is_about_attacks && quoting::prohibits(&part.around.after);
        let shell = judge_part(part, context, found);
        commands.extend(shell.into_iter().flat_map(Unit::into_lines));
    }
    if commands.len() > 1 {
        // What one block downloads, another one can run.
        let unit = Unit::of_lines(commands.iter().map(|(start, line)| (*start, line.as_str())), Voice::Runs);
        let mut together = Vec::new();
        judge_code("sh", &unit, context, MAX_DEPTH, &mut together);
        let crosses = |found: &Found| {
            matches!(found.code, Code::FetchAndRun | Code::CloneAndRun | Code::SendsSecrets | Code::SendsEnvironment)
        };
        found.extend(together.into_iter().filter(crosses));
    }
}

/// Judges a value of the front matter as a document of its own: an agent reads it first.
fn front_text(entry: &Entry, context: &Context<'_>, commands: &mut Vec<(usize, String)>, found: &mut Vec<Found>) {
    let mut inside = Vec::new();
    for part in markdown::read(&entry.value).parts {
        let shell = judge_part(part, context, &mut inside);
        commands.extend(shell.into_iter().flat_map(Unit::into_lines).map(|(_, line)| (entry.at, line)));
    }
    found.extend(inside.into_iter().map(|finding| derived(finding, &entry.value, entry.at)));
}

/// Judges a part of a document. Returns its commands of a shell, if it has some that run.
fn judge_part(part: Part, context: &Context<'_>, found: &mut Vec<Found>) -> Option<Unit> {
    let mut shell = None;
    let Part { kind, mut unit, around } = part;
    match kind {
        PartKind::Prose => {
            found.extend(prose::check(&unit, &around, false, context));
            for (at, command, lead) in unmarked::commands(&unit.text) {
                let around = Around { lead, ..around.clone() };
                let voice = quoting::voice_of_code(&around, "");
                judge_code("sh", &Unit::at(&command, unit.place(at), voice), context, MAX_DEPTH, found);
            }
        }
        PartKind::Comment => comment(&unit, context, found),
        PartKind::Inline(is_loaded) => {
            if is_loaded || looks_like_command(&unit.text) {
                unit.voice = if is_loaded { Voice::Runs } else { quoting::voice_of_code(&around, "") };
                judge_code("sh", &unit, context, MAX_DEPTH, found);
                shell = Some(unit).filter(|unit| unit.voice == Voice::Runs);
            }
        }
        PartKind::Code(name) => {
            unit.voice = quoting::voice_of_code(&around, &unit.text);
            match language_of(&name, &unit.text) {
                Some("text") => found.extend(prose::check(&unit, &around, false, context)),
                Some("sh") => {
                    // The signs of a prompt are not a part of the commands.
                    let session = without_prompts(&unit).unwrap_or_else(|| unit.clone());
                    judge_code("sh", &session, context, MAX_DEPTH, found);
                    shell = Some(session).filter(|unit| unit.voice == Voice::Runs);
                }
                Some(language) => judge_code(language, &unit, context, MAX_DEPTH, found),
                None => settings(&unit, context, found),
            }
            let switched = prose::switched(&unit, context);
            found.extend(switched);
        }
    }
    shell
}

/// What is not displayed: instructions and commands in it block, whatever the text around it says.
fn comment(unit: &Unit, context: &Context<'_>, found: &mut Vec<Found>) {
    let mut inside = prose::check(unit, &Around::default(), true, context);
    inside.retain(|finding| finding.severity == Severity::Block);
    if let Some(manipulation) = toolc_scan::manipulation(&format!("<!--{}-->", unit.text)) {
        // An order by its form alone can also be for the authors of the skill.
        let is_any_order = manipulation.what.contains("an order in a comment");
        let code = if is_any_order { Code::CommentOrder } else { Code::HiddenInstruction };
        let message = format!("The text {}.", manipulation.what);
        inside.push(Found::in_unit(unit, code, 0..unit.text.len().min(200), message));
    }
    let mut commands = Vec::new();
    for line in unit
        .text
        .lines()
        .filter(|line| looks_like_command(line.trim()) || line.contains("curl ") || line.contains("wget "))
    {
        let plain = Unit::at(&line.replace('`', " "), unit.place(0), Voice::Runs);
        judge_code("sh", &plain, context, MAX_DEPTH, &mut commands);
    }
    let commands = commands.into_iter().filter(|finding| finding.severity == Severity::Block);
    found.extend(inside.into_iter().chain(commands).map(|finding| match finding.code {
        Code::CommentOrder => finding,
        _ => Found { code: Code::HiddenInstruction, ..finding },
    }));
}

/// Judges code, and the code in it.
fn judge_code(language: &str, unit: &Unit, context: &Context<'_>, depth: usize, found: &mut Vec<Found>) {
    let judged = match language {
        "sh" => shell::check(unit, context),
        name => match language::language(name) {
            Some(language) => code::check(unit, language, context),
            None => return,
        },
    };
    add_judged(unit, judged, context, depth, found);
}

fn add_judged(unit: &Unit, judged: Judged, context: &Context<'_>, depth: usize, found: &mut Vec<Found>) {
    found.extend(judged.found);
    for (number, Inner { language, text, at }) in judged.inner.into_iter().enumerate() {
        let Some(depth) = depth.checked_sub(1).filter(|_| number < MAX_INNER) else {
            found.push(Found::in_unit(unit, Code::Unread, at..at, "Code is nested in code too deeply to be judged."));
            return;
        };
        let inner = unit.within(at, text);
        judge_code(language, &inner, context, depth, found);
        if depth + 1 < MAX_DEPTH {
            found.extend(
                encoded::find(&inner.text)
                    .into_iter()
                    .map(|finding| Found { at: unit.place(at)..unit.place(at), ..finding }),
            );
        }
    }
}
