//! Properties that hold for any input, and seeds. libFuzzer tries mutations of the seeds (see the README); the tests of the
//! workspace include this file and try some thousands.

pub mod arguments;
#[path = "../../commands/tests/total/check.rs"]
pub mod commands;
pub mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use toolc::FactValue;
use toolc_codegen::compile;
use toolc_codegen::diagnostic::{Diagnostic, Level, Places, Renderer};
use toolc_codegen::dialects::DIALECTS;
use toolc_codegen::emit::emit;
use toolc_codegen::fix::fix;
use toolc_codegen::lint::Options;
use toolc_codegen::lower::definition;
use toolc_codegen::manifest::keys::{CHOICE, Key, KeyType, PROPERTY, SCHEMA};
use toolc_codegen::report::{Format, Report, Shown};
use toolc_codegen::source::{Kind, Sources};
use toolc_codegen::text::condition::{self, AtomExpr, Condition, ParsedAtom};
use toolc_codegen::text::{Fault, template};
use toolc_tests::arguments::{misspell, valid_arguments};
use toolc_tests::random::Random;
use toolc_tests::schemas;

use arguments::{Subject, check_arguments, check_repairs};

/// Compiles a project. Asserts that its findings can be written in every format and fixed, or that all output can be generated from
/// its catalog. `input` has the files one after the other, each below a line `--- PATH`.
pub fn manifest(input: &str) {
    let sources = Sources::from_memory(files(input));
    let compilation = compile(&sources);
    let renderer = Renderer::new(&sources, false);
    for found in &compilation.diagnostics {
        let text = renderer.render(found);
        assert!(text.contains(found.code.id) && text.contains("-->"), "{text}");
        for (place, _) in std::iter::once(&found.at).chain(&found.related) {
            check_span(place.span(), &sources.get(place.source).text);
        }
    }
    let places = Places::new(&sources);
    let report = Report {
        findings: &compilation.diagnostics,
        places: &places,
        checked: None,
        colour: false,
        shown: Shown::All,
        program: "cargo xtask",
    };
    for format in &Format::ALL[1..] {
        (format.write)(&report);
    }
    if compilation.diagnostics.iter().any(|found| !found.fix.is_empty()) {
        check_fixed(&sources, &sources.with(&fix(&sources, &Options::default())));
    }
    let errors = compilation.diagnostics.iter().any(|found| found.level == Level::Error);
    let Some(catalog) = compilation.catalog else { return assert!(errors, "neither a catalog nor an error") };
    assert!(!errors, "a catalog and an error");
    emit(&catalog);
    let count = catalog.tools().count();
    for (turn, (_, tool)) in catalog.tools().enumerate() {
        // Turns with no tool, all tools, and every second tool.
        let members = (0..count).map(|index| [false, true, index % 2 == 0][turn % 3]).collect::<Vec<_>>();
        for dialect in DIALECTS {
            if let Some(definition) = definition(dialect, &catalog, tool).definition {
                catalog.turn_values(tool, &members).value(&definition);
            }
        }
    }
}

/// Asserts that fixes break nothing: no file becomes invalid, no catalog gets an error, and nothing is left to fix.
fn check_fixed(before: &Sources, after: &Sources) {
    let broken = |sources: &Sources, is_broken: fn(&Diagnostic) -> bool| -> BTreeSet<String> {
        let findings = compile(sources).diagnostics;
        let broken = findings.iter().filter(|found| is_broken(found));
        broken.map(|found| format!("{}: {}", sources.get(found.at.0.source).path, found.message)).collect()
    };
    let texts = || {
        let texts: Vec<String> = after.all().iter().map(|file| format!("--- {}\n{}", file.path, file.text)).collect();
        texts.concat()
    };
    let is_invalid = |found: &Diagnostic| found.code.id == "C001";
    if broken(before, is_invalid).is_empty() {
        assert_eq!(broken(after, is_invalid), BTreeSet::new(), "{}", texts());
    }
    let is_error = |found: &Diagnostic| found.level == Level::Error;
    if broken(before, is_error).is_empty() {
        assert_eq!(broken(after, is_error), BTreeSet::new(), "{}", texts());
    }
    assert_eq!(fix(after, &Options::default()), [], "{}", texts());
}

/// Asserts that a condition has an error with a position, or parses, also after it has been printed, and within a template.
pub fn condition(text: &str) {
    match condition::parse(text) {
        Err(fault) => check_fault(&fault, text),
        Ok(condition) => {
            let bare = condition.clone().map(&mut |atom: ParsedAtom| {
                check_span(atom.span.clone(), text);
                atom.atom
            });
            match condition::parse(&print(&bare)) {
                Ok(again) => assert_eq!(again.map(&mut |atom: ParsedAtom| atom.atom), bare),
                // Printing adds parentheses, which can exceed the maximum depth.
                Err(fault) => assert!(fault.message.contains("deep"), "{fault:?}"),
            }
            let within = format!("{{% if {text} %}}x{{% endif %}}");
            assert!(template::parse(&within).is_ok(), "the condition does not parse in a template: {within:?}");
        }
    }
}

/// Asserts that a template has an error with a position, or parses, also as a part of another template.
pub fn template(text: &str) {
    match template::parse(text) {
        Err(fault) => check_fault(&fault, text),
        Ok(_) => {
            for within in [format!("a {text}\n b"), format!("{{% if tools.a %}}\n{text}\n{{% endif %}}")] {
                if let Err(fault) = template::parse(&within) {
                    assert!(fault.message.contains("deep"), "{within:?}: {fault:?}");
                }
            }
        }
    }
}

/// Checks a call with [`check_arguments`] and [`check_repairs`]. `input` has a character that selects one of [`SUBJECTS`], and the text of the arguments.
pub fn call(input: &str) {
    let Some(first) = input.chars().next() else { return };
    let (subject, text) = (&SUBJECTS[first as usize % SUBJECTS.len()], &input[first.len_utf8()..]);
    check_arguments(subject, text);
    check_repairs(subject, text);
}

/// The tools that are called: the tools of the golden project, and random ones.
static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let golden = read_all(&tests().join("projects/golden")).into_iter();
    let mut subjects = Subject::all(golden.filter(|(path, _)| is_manifest(path)).collect());
    subjects.extend(Subject::all(schemas::project(RANDOM_TOOLS, &mut Random(1))));
    subjects
});

/// The number of random tools.
const RANDOM_TOOLS: usize = 40;

/// Asserts that an error has a message and a position within the text.
fn check_fault(fault: &Fault, text: &str) {
    assert!(!fault.message.is_empty());
    check_span(fault.span.clone(), text);
}

fn check_span(span: Range<usize>, text: &str) {
    assert!(text.get(span.clone()).is_some(), "{span:?} of {} bytes", text.len());
}

/// Prints a condition, with all possible parentheses.
fn print(condition: &Condition<AtomExpr>) -> String {
    let joined = |parts: &[Condition<AtomExpr>], word| parts.iter().map(print).collect::<Vec<_>>().join(word);
    match condition {
        Condition::Atom(AtomExpr::Tool(name)) => format!("tools.{name}"),
        Condition::Atom(AtomExpr::Fact(name, None)) => format!("facts.{name}"),
        Condition::Atom(AtomExpr::Fact(name, Some((comparison, value)))) => {
            let value = match value {
                FactValue::Text(text) => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
                FactValue::Boolean(flag) => flag.to_string(),
                FactValue::Integer(integer) => integer.to_string(),
            };
            format!("facts.{name} {} {value}", comparison.sign())
        }
        Condition::Not(inner) => format!("not {}", print(inner)),
        Condition::And(parts) => format!("({})", joined(parts, " and ")),
        Condition::Or(parts) => format!("({})", joined(parts, " or ")),
    }
}

/// Splits the input of [`manifest`] into files: path and text.
fn files(input: &str) -> Vec<(String, String)> {
    let parts = input.split("--- ").filter_map(|part| part.split_once('\n'));
    parts.map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

/// The seeds of all targets, and the dictionary.
#[derive(Debug, Default)]
pub struct Seeds {
    /// For [`manifest`].
    pub manifests: BTreeSet<String>,
    /// For [`condition`].
    pub conditions: BTreeSet<String>,
    /// For [`template`].
    pub templates: BTreeSet<String>,
    /// For [`call`].
    pub calls: BTreeSet<String>,
    /// For [`wire::message`].
    pub messages: BTreeSet<String>,
    /// For [`commands::line`].
    pub commands: BTreeSet<String>,
    /// The dictionary: keywords, keys, and values that often break programs.
    pub words: BTreeSet<&'static str>,
}

impl Seeds {
    /// Collects the seeds in this repository: each tool of the golden project with the files that it needs, the rest of that project,
    /// and both versions of each fixture of a diagnostic.
    pub fn collect() -> Self {
        let tests = tests();
        let messages = wire::seeds(&read_all(&tests.join("wire")));
        let commands = commands::SEEDS.iter().map(|&line| line.to_owned()).collect();
        let mut seeds = Self { words: words(), calls: calls(), messages, commands, ..Self::default() };

        let golden = read_all(&tests.join("projects/golden"));
        let (tools, rest): (Vec<_>, Vec<_>) =
            golden.iter().filter(|(path, _)| is_manifest(path)).partition(|(path, _)| is_tool(path));
        let shared: Vec<_> = rest.iter().copied().filter(|(path, _)| path.matches('/').count() < 2).collect();
        for (path, text) in tools {
            let tool: toml::Table = text.parse().expect("a golden manifest is TOML");
            let home = tool["toolset"].as_str().unwrap_or_default();
            let home_path = format!("manifests/toolsets/{home}.toml");
            let home = format!("name = \"{home}\"\ndescription = \"Tools.\"\n");
            seeds.add([(path, text), (&home_path, &home)].into_iter().chain(shared.iter().copied()));
        }
        seeds.add(rest);

        let base = files(include_str!("../../tests/diagnostics/base.txt"));
        for (path, fixture) in read_all(&tests.join("diagnostics")) {
            for version in ["broken ", "fixed "] {
                let written: Vec<(String, String)> = (files(&fixture).into_iter())
                    .filter_map(|(path, text)| Some((path.strip_prefix(version)?.to_owned(), text)))
                    .collect();
                let missing = base.iter().filter(|(path, _)| !written.iter().any(|(written, _)| written == path));
                // Skip snapshots.
                if path.ends_with("txt") && !written.is_empty() {
                    seeds.add(written.iter().chain(missing).map(|(path, text)| (path, text)));
                }
            }
        }
        seeds
    }

    /// Adds a project, and the conditions and templates in it.
    fn add<'f>(&mut self, project: impl IntoIterator<Item = (&'f String, &'f String)>) {
        let mut seed = String::new();
        for (path, text) in project {
            seed += &format!("--- {path}\n{text}");
            if let Ok(table) = text.parse::<toml::Table>() {
                self.add_texts(&toml::Value::Table(table));
            }
        }
        self.manifests.insert(seed);
    }

    fn add_texts(&mut self, value: &toml::Value) {
        for item in value.as_array().into_iter().flatten() {
            self.add_texts(item);
        }
        for (key, value) in value.as_table().into_iter().flatten() {
            match value.as_str() {
                Some(text) if key == "when" => drop(self.conditions.insert(text.to_owned())),
                Some(text) if key == "description" => drop(self.templates.insert(text.to_owned())),
                _ => self.add_texts(value),
            }
        }
    }
}

/// Returns valid and almost valid arguments for each of [`SUBJECTS`].
fn calls() -> BTreeSet<String> {
    let mut random = Random(1);
    let mut calls = BTreeSet::new();
    for (index, subject) in SUBJECTS.iter().enumerate() {
        let selector = u32::try_from(index + SUBJECTS.len()).ok().and_then(char::from_u32).expect("a small number");
        for _ in 0..3 {
            let mut value = valid_arguments(&subject.schema, &mut random);
            calls.insert(format!("{selector}{value}"));
            misspell(&mut value, &mut random);
            calls.insert(format!("{selector}{value}"));
        }
    }
    calls
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests")
}

fn is_manifest(path: &str) -> bool {
    Kind::ALL.iter().any(|kind| path.starts_with(kind.place()))
}

fn is_tool(path: &str) -> bool {
    path.starts_with(Kind::Tool.place())
}

/// Reads all files below a folder. Returns their texts by relative path.
fn read_all(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("failed to read a folder of seeds") {
        let entry = entry.expect("failed to read a folder of seeds");
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            let nested = read_all(&entry.path()).into_iter();
            files.extend(nested.map(|(path, text)| (format!("{name}/{path}"), text)));
        } else {
            files.insert(name, std::fs::read_to_string(entry.path()).expect("failed to read a seed"));
        }
    }
    files
}

/// Returns keywords, keys, punctuation, and values that often break programs.
fn words() -> BTreeSet<&'static str> {
    const SIGNS: &str = "tools. facts. tools.t facts.depth and or not == != <= >= < > ( ) ' true false {% %} {{ }} {# #} \
         if elif else endif available('t') join=' \\ \"\"\" \'\'\' = string integer number boolean array object null";
    const OTHERS: [&str; 26] = [
        "--- manifests/tools/t.toml\n",
        "--- manifests/toolsets/s.toml\n",
        "--- manifests/facts.toml\n",
        "[params.x]\n",
        "[params.x.items]\n",
        "[schema.'$defs'.x]\n",
        "'#/$defs/x'",
        "{ value = ",
        ", when = ",
        "{ json = '",
        "9223372036854775807",
        "1e999",
        "nan",
        "2026-01-01",
        "\\u00e9",
        "\r\n",
        "\u{feff}",
        "é",
        "null",
        "\" NULL \"",
        "True",
        "None",
        "{}",
        "-0.0",
        "9007199254740993",
        "\\ud83d\\ude00",
    ];
    let mut words: BTreeSet<&str> = SIGNS.split(' ').chain(OTHERS).collect();
    let kinds = Kind::ALL.iter().flat_map(|kind| kind.keys());
    for keys in kinds.copied().chain([SCHEMA, PROPERTY, CHOICE]) {
        add_words(keys, &mut words);
    }
    words.extend(commands::WORDS);
    words
}

fn add_words(keys: &'static [Key], words: &mut BTreeSet<&'static str>) {
    for key in keys {
        words.insert(key.name);
        match key.key_type {
            KeyType::Word(list) | KeyType::Words(list) | KeyType::WordsByName(list) => {
                words.extend(list.iter().map(|(word, _)| *word));
            }
            KeyType::Table(keys) | KeyType::Tables(keys) | KeyType::List(keys) => add_words(keys, words),
            _ => {}
        }
    }
}
