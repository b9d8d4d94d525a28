//! The built-in table of programs, for users without a catalog: it has the programs of the catalog that run others.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use toolc::commands::programs::{Program, ProgramTable, Rest, Runs, Session, USUAL, Writes};

/// Returns the programs of the catalog that run others.
fn wrappers() -> Vec<(&'static str, &'static Program<'static>)> {
    let all: &ProgramTable<'static> = toolc_catalog::commands::rules().programs();
    all.entries().iter().filter(|(_, program)| !program.runs.is_empty()).copied().collect()
}

#[test]
fn the_built_in_table_has_the_wrappers_of_the_catalog() {
    let expected = wrappers();
    if USUAL.entries() == expected {
        return;
    }
    let is_missing_in = |entries: &[(&str, &Program<'_>)], entry: &(&str, &Program<'_>)| !entries.contains(entry);
    let added = expected.iter().filter(|entry| is_missing_in(USUAL.entries(), entry));
    let removed = USUAL.entries().iter().filter(|entry| is_missing_in(&expected, entry));
    let different: BTreeSet<&str> = added.chain(removed).map(|(name, _)| *name).collect();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("usual.rs");
    std::fs::write(&path, source(&expected)).expect("failed to write");
    panic!(
        "these differ from `manifests/commands/programs.toml`: {different:?}; copy {} to commands/src/programs/usual.rs",
        path.display()
    );
}

/// Returns the built-in table as Rust.
fn source(entries: &[(&str, &Program<'_>)]) -> String {
    let mut text = String::from(
        "//! Wrappers that are common on Unix: a table for programs without one of their own. It has the programs of\n\
         //! `manifests/commands/programs.toml` that run others; a test compares them, and writes this file anew.\n\n\
         use super::CodeShell::{Any, Bash, Foreign};\n\
         use super::{Program, ProgramTable, Rest, Runs, Session, Writes};\n\n\
         /// Common wrappers, such as `sudo`, `env`, `xargs` and `find`.\n\
         #[rustfmt::skip]\n\
         pub static USUAL: ProgramTable<'_> = ProgramTable::new(&[\n",
    );
    let constant = |program: &Program<'_>| program.name.replace(['-', '.'], "_").to_uppercase();
    let mut shared: Vec<&Program<'_>> = Vec::new();
    for (name, program) in entries {
        if program.name.is_empty() {
            writeln!(text, "    (\"{name}\", &{}),", program_source(program, 4)).expect("a string takes any text");
        } else {
            writeln!(text, "    (\"{name}\", &{}),", constant(program)).expect("a string takes any text");
            if !shared.iter().any(|other| other.name == program.name) {
                shared.push(program);
            }
        }
    }
    text.push_str("]);\n\n");
    shared.sort_by_key(|program| program.name);
    for program in shared {
        let source = program_source(program, 0);
        writeln!(text, "#[rustfmt::skip]\nstatic {}: Program<'_> = {source};", constant(program))
            .expect("a string takes any text");
    }
    text
}

fn program_source(program: &Program<'_>, indent: usize) -> String {
    let Program {
        name,
        value_options,
        options_first,
        last_options,
        dashless,
        directory_options,
        elsewhere,
        runs,
        writes,
        script_language,
    } = *program;
    let margin = " ".repeat(indent + 4);
    let mut fields = String::new();
    let mut field = |name: &str, value: String| {
        writeln!(fields, "{margin}{name}: {value},").expect("a string takes any text");
    };
    if !name.is_empty() {
        field("name", format!("{name:?}"));
    }
    if !value_options.is_empty() {
        let width = 120 - indent - 8;
        let mut lines = vec![String::new()];
        for option in value_options.iter().map(|option| format!("{option:?}, ")) {
            if lines.last().is_some_and(|line| line.len() + option.len() > width) {
                lines.push(String::new());
            }
            if let Some(line) = lines.last_mut() {
                line.push_str(&option);
            }
        }
        let one = lines.len() == 1 && lines[0].len() < width - 20;
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        field(
            "value_options",
            if one {
                format!("&[{}]", lines[0].trim_end_matches(','))
            } else {
                format!("&[\n{margin}    {}\n{margin}]", lines.join(&format!("\n{margin}    ")))
            },
        );
    }
    if options_first {
        field("options_first", "true".to_owned());
    }
    if !last_options.is_empty() {
        field("last_options", format!("&{last_options:?}"));
    }
    if dashless {
        field("dashless", "true".to_owned());
    }
    if !directory_options.is_empty() {
        field("directory_options", format!("&{directory_options:?}"));
    }
    if !elsewhere.is_empty() {
        field("elsewhere", format!("&{elsewhere:?}"));
    }
    if !runs.is_empty() {
        let runs: Vec<String> = runs.iter().map(runs_source).collect();
        field("runs", list_source(&runs, &margin));
    }
    if !writes.is_empty() {
        let writes: Vec<String> = writes.iter().map(writes_source).collect();
        field("writes", list_source(&writes, &margin));
    }
    if let Some(language) = script_language {
        field("script_language", format!("Some(ScriptLanguage::{language:?})"));
    }
    format!("Program {{\n{fields}{margin}..Program::EMPTY\n{}}}", " ".repeat(indent))
}

fn list_source(items: &[String], margin: &str) -> String {
    match items {
        [item] => format!("&[{item}]"),
        items => format!("&[\n{margin}    {},\n{margin}]", items.join(&format!(",\n{margin}    "))),
    }
}

fn runs_source(runs: &Runs<'_>) -> String {
    match runs {
        Runs::Rest(rest) if *rest == Rest::PLAIN => "Runs::Rest(Rest::PLAIN)".to_owned(),
        Runs::Rest(Rest { after, skip, assignments, appends, placeholder, unless, split }) => {
            let mut fields = String::new();
            let lists = [("after", after), ("placeholder", placeholder), ("unless", unless), ("split", split)];
            for (name, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
                write!(fields, "{name}: &{list:?}, ").expect("a string takes any text");
            }
            if *skip > 0 {
                write!(fields, "skip: {skip}, ").expect("a string takes any text");
            }
            for (name, _) in [("assignments", assignments), ("appends", appends)].iter().filter(|(_, flag)| **flag) {
                write!(fields, "{name}: true, ").expect("a string takes any text");
            }
            format!("Runs::Rest(Rest {{ {fields}..Rest::PLAIN }})")
        }
        Runs::Code { options, shell, first_operand } => {
            format!("Runs::Code {{ options: &{options:?}, shell: {shell:?}, first_operand: {first_operand} }}")
        }
        Runs::Joined { after, skip, shell, unless } => {
            format!("Runs::Joined {{ after: &{after:?}, skip: {skip}, shell: {shell:?}, unless: &{unless:?} }}")
        }
        Runs::Operand { skip, shell } => format!("Runs::Operand {{ skip: {skip}, shell: {shell:?} }}"),
        Runs::Between { starts, ends, placeholder } => {
            format!("Runs::Between {{ starts: &{starts:?}, ends: &{ends:?}, placeholder: {placeholder:?} }}")
        }
        Runs::Input { shell } => format!("Runs::Input {{ shell: {shell:?} }}"),
        Runs::Session(Session { after, skip, with, unless, shell }) => {
            format!(
                "Runs::Session(Session {{ after: &{after:?}, skip: {skip}, with: &{with:?}, unless: &{unless:?}, shell: {shell:?} }})"
            )
        }
        Runs::File { after, options, unless } => {
            format!("Runs::File {{ after: &{after:?}, options: &{options:?}, unless: &{unless:?} }}")
        }
    }
}

fn writes_source(writes: &Writes<'_>) -> String {
    match writes {
        Writes::Operands => "Writes::Operands".to_owned(),
        Writes::OperandsUnless(options) => format!("Writes::OperandsUnless(&{options:?})"),
        Writes::LastOperandUnless(options) => format!("Writes::LastOperandUnless(&{options:?})"),
        Writes::FirstOperand => "Writes::FirstOperand".to_owned(),
        Writes::LastOperand => "Writes::LastOperand".to_owned(),
        Writes::LastOperandOf(subcommands) => {
            let subcommands: Vec<String> = subcommands.iter().map(|words| format!("&{words:?}")).collect();
            format!("Writes::LastOperandOf(&[{}])", subcommands.join(", "))
        }
        Writes::OperandsWith(options) => format!("Writes::OperandsWith(&{options:?})"),
        Writes::Values(options) => format!("Writes::Values(&{options:?})"),
        Writes::After(text) => format!("Writes::After({text:?})"),
        Writes::UrlNames { with, folder } => format!("Writes::UrlNames {{ with: &{with:?}, folder: &{folder:?} }}"),
        Writes::Unpacked { with, folder } => format!("Writes::Unpacked {{ with: &{with:?}, folder: &{folder:?} }}"),
    }
}
