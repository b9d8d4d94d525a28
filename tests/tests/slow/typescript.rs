//! The declarations of the dialect `typescript` under `tsc --strict`: they compile, together and each alone, and their types agree
//! with the JSON Schemas. Every value that a schema allows is of its type. A value of the type that the schema refuses is refused for
//! one of the reasons in [`loosened`].

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use toolc::{Dialect, DynamicTool, Registry, ToolOutput};
use toolc_codegen::compile;
use toolc_codegen::dialects::{self, Dialect as Record};
use toolc_codegen::lower::definition;
use toolc_codegen::source::Sources;
use toolc_test_support::packages;
use toolc_tests::arguments::{mutate, unrelated_arguments, valid_arguments};
use toolc_tests::random::Random;
use toolc_tests::schemas;

use crate::python::in_tests;

const PACKAGES: &str = "typescript@5.9.3\n";
/// The number of random tools, unless `TOOLC_TOOLS` says another one.
const TOOLS: usize = 150;
/// The values that are tried for each schema.
const VALUES: usize = 24;

/// A program of TypeScript: path and text of each file.
type Program = BTreeMap<String, String>;

/// What the compiler found in a program.
#[derive(Debug)]
struct Found {
    /// File, line (from 0) and message.
    errors: Vec<(String, usize, String)>,
    /// What each file of declarations consists of.
    declared: Vec<Value>,
}

/// Checks programs with the compiler of TypeScript. Prints why it is skipped if there is none.
fn tsc(programs: &[Program]) -> Option<Vec<Found>> {
    let found = packages::npm("typescript", PACKAGES).and_then(|folder| {
        packages::run(Command::new("node").arg("--version")).map_err(|why| format!("no Node.js: {why}"))?;
        Ok(folder)
    });
    let folder = match found {
        Ok(folder) => folder,
        Err(why) => {
            packages::missing("no TypeScript", &why);
            return None;
        }
    };
    let input = tempfile::NamedTempFile::new().expect("there is a folder for temporary files");
    fs::write(input.path(), json!(programs).to_string()).expect("the file is writable");
    let mut command = Command::new("node");
    command.arg(in_tests("sdks/typescript.mjs")).arg(folder).arg(input.path());
    let out = packages::run(&mut command).unwrap_or_else(|why| panic!("{why}"));
    let all: Vec<Value> = serde_json::from_str(&out).expect("the script prints JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let error = |it: &Value| {
        let line = it["line"].as_u64().and_then(|line| usize::try_from(line).ok()).expect("a line");
        (text(&it["file"]), line, text(&it["message"]))
    };
    let found = |one: &Value| Found {
        errors: one["errors"].as_array().expect("a list").iter().map(error).collect(),
        declared: one["declared"].as_array().expect("a list").clone(),
    };
    assert_eq!(all.len(), programs.len());
    Some(all.iter().map(found).collect())
}

fn typescript() -> &'static Record {
    dialects::find("typescript").expect("there is such a dialect")
}

/// A schema, and the type that a declaration has for it.
struct Subject {
    /// The name of the tool and the part of it.
    title: String,
    declaration: String,
    /// The type, such as `Parameters<typeof tools.read_file>[0]`.
    ty: String,
    schema: Value,
}

/// Returns the declaration of each tool of a project with everything in it, and the schemas of its arguments and result.
fn subjects(sources: &Sources) -> (Vec<(String, String)>, Vec<Subject>) {
    let catalog = compile(sources).catalog.expect("the tools compile");
    let (mut declarations, mut subjects) = (Vec::new(), Vec::new());
    for (_, tool) in catalog.tools() {
        let Some(document) = definition(typescript(), &catalog, tool).definition else { continue };
        let json = catalog.full_turn_values(tool).value(&document);
        let declaration = typescript().written(json.to_string());
        let name = json["name"].as_str().expect("a tool has a name");
        let types = [
            ("parameters", format!("Parameters<typeof tools.{name}>[0]")),
            ("returns", format!("Awaited<ReturnType<typeof tools.{name}>>")),
        ];
        for (part, ty) in types {
            if let Some(schema) = json.get(part) {
                let (declaration, schema) = (declaration.clone(), schema.clone());
                subjects.push(Subject { title: format!("{name}: {part}"), declaration, ty, schema });
            }
        }
        declarations.push((format!("{name}.d.ts"), declaration));
    }
    (declarations, subjects)
}

fn project(path: &str) -> Sources {
    Sources::scan(&in_tests(path)).expect("the project can be read")
}

#[test]
fn declarations_compile_together_and_alone() {
    let random = Sources::from_memory(schemas::project(tools(), &mut Random(5)));
    for sources in [project("projects/golden"), project(".."), random] {
        let (declarations, _) = subjects(&sources);
        let mut programs: Vec<Program> = vec![declarations.iter().cloned().collect()];
        programs.extend(declarations.into_iter().map(|file| Program::from([file])));
        let Some(found) = tsc(&programs) else { return };
        for (program, Found { errors, .. }) in programs.iter().zip(found) {
            assert!(errors.is_empty(), "{errors:?}\n{}", program[errors[0].0.trim_start_matches('/')]);
        }
    }
}

#[test]
fn the_files_that_gen_writes_compile() {
    let folder = in_tests("projects/golden/generated/schemas/typescript");
    let read = |folder: PathBuf| -> Program {
        let entries = fs::read_dir(&folder).expect("gen wrote the folder").map(|entry| entry.expect("readable").path());
        let name = |path: &Path| path.file_name().expect("a file").to_string_lossy().into_owned();
        entries.map(|path| (name(&path), fs::read_to_string(&path).expect("readable"))).collect()
    };
    let mut programs = vec![read(folder.join("tools"))];
    // Each file of a toolset is a program of its own: tools of several toolsets are in each of them.
    programs.extend(read(folder.join("toolsets")).into_iter().map(|file| Program::from([file])));
    let Some(found) = tsc(&programs) else { return };
    for Found { errors, .. } in found {
        assert!(errors.is_empty(), "{errors:?}");
    }
}

/// Returns the number of random tools.
fn tools() -> usize {
    std::env::var("TOOLC_TOOLS").ok().and_then(|count| count.parse().ok()).unwrap_or(TOOLS)
}

/// Keywords that types do not express: the comment says them.
const IN_WORDS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "dependentRequired",
    "propertyNames",
    "patternProperties",
    "unevaluatedProperties",
];

/// The members of every object of JavaScript.
const INHERITED: &[&str] = &[
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// Returns the schema of what the type of a schema allows. It is looser in these ways, and in no other:
///
/// 1. The keywords of [`IN_WORDS`] are ignored, and integers may be any number.
/// 2. More than one alternative of `oneOf` may match.
/// 3. Where several schemas are for one value (`anyOf`, `oneOf`, `allOf`, a `$ref` and what is next to it), an object may have
///    properties that one of them refuses, also within its properties. Where one of them is for objects without required properties,
///    other values satisfy it.
/// 4. Where `additionalProperties` is a schema, further properties may also be of the type of a declared one.
/// 5. An optional property that every object of JavaScript has, such as `constructor`, may have any value.
fn loosened(schema: &Value) -> Value {
    let mut joined = BTreeSet::new();
    joined_definitions(schema, false, &mut joined);
    loop {
        let before = joined.clone();
        for uri in &before {
            let target = uri.strip_prefix('#').and_then(|pointer| schema.pointer(pointer));
            joined_definitions(target.unwrap_or(&Value::Null), true, &mut joined);
        }
        if joined == before {
            return loosened_within(schema, false, &joined);
        }
    }
}

/// Collects the definitions that are one of several schemas for a value.
fn joined_definitions(schema: &Value, is_joined: bool, out: &mut BTreeSet<String>) {
    let Value::Object(words) = schema else { return };
    let joins = is_joined || joins(words);
    for (word, value) in words {
        match (word.as_str(), value) {
            ("$ref", Value::String(uri)) if joins => {
                out.insert(uri.clone());
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(all)) => {
                for one in all {
                    joined_definitions(one, true, out);
                }
            }
            ("$defs", Value::Object(all)) => all.values().for_each(|one| joined_definitions(one, false, out)),
            ("properties", Value::Object(all)) => all.values().for_each(|one| joined_definitions(one, joins, out)),
            ("prefixItems", Value::Array(all)) => all.iter().for_each(|one| joined_definitions(one, joins, out)),
            ("items" | "additionalProperties", one) => joined_definitions(one, joins, out),
            _ => {}
        }
    }
}

/// Returns whether a schema consists of several.
fn joins(words: &Map<String, Value>) -> bool {
    ["anyOf", "oneOf", "allOf"].iter().any(|word| words.contains_key(*word))
        || (words.contains_key("$ref")
            && words.keys().any(|word| !["$ref", "description", "$defs"].contains(&word.as_str())))
}

fn loosened_within(schema: &Value, is_joined: bool, joined: &BTreeSet<String>) -> Value {
    let Value::Object(words) = schema else { return schema.clone() };
    let is_joined = is_joined || joins(words);
    let all = |list: &Value, is_joined| -> Value {
        list.as_array().into_iter().flatten().map(|one| loosened_within(one, is_joined, joined)).collect()
    };
    let is_required = |name: &String| {
        words.get("required").is_some_and(|all| all.as_array().is_some_and(|all| all.contains(&json!(name))))
    };
    let values = |map: &Value, is_definition: bool| -> Value {
        let each = |(name, one): (&String, &Value)| {
            if !is_definition && INHERITED.contains(&name.as_str()) && !is_required(name) {
                return (name.clone(), json!(true));
            }
            let is_joined = if is_definition { joined.contains(&format!("#/$defs/{name}")) } else { is_joined };
            (name.clone(), loosened_within(one, is_joined, joined))
        };
        map.as_object().into_iter().flatten().map(each).collect::<Map<_, _>>().into()
    };
    let mut out = Map::new();
    for (word, value) in words.iter().filter(|(word, _)| !IN_WORDS.contains(&word.as_str())) {
        let (word, value) = match word.as_str() {
            "type" => {
                let number = |name: &Value| if name == "integer" { json!("number") } else { name.clone() };
                let names: Vec<Value> = match value {
                    Value::Array(names) => names.iter().map(number).collect(),
                    name => vec![number(name)],
                };
                (
                    "type",
                    names.into_iter().fold(json!([]), |mut all, name| {
                        let list = all.as_array_mut().expect("a list");
                        if !list.contains(&name) {
                            list.push(name);
                        }
                        all
                    }),
                )
            }
            "anyOf" | "allOf" => (word.as_str(), all(value, true)),
            "oneOf" if words.contains_key("anyOf") => continue,
            "oneOf" => ("anyOf", all(value, true)),
            "prefixItems" => ("prefixItems", all(value, is_joined)),
            "properties" => ("properties", values(value, false)),
            "$defs" => ("$defs", values(value, true)),
            "items" => ("items", loosened_within(value, is_joined, joined)),
            "additionalProperties" if is_joined => continue,
            "additionalProperties" if words.contains_key("patternProperties") => continue,
            "additionalProperties" if value.is_object() => {
                let properties = values(&words.get("properties").cloned().unwrap_or_default(), false);
                let types = properties.as_object().into_iter().flatten().map(|(_, one)| one.clone());
                (
                    "additionalProperties",
                    json!({ "anyOf": types.chain([loosened_within(value, false, joined)]).collect::<Vec<_>>() }),
                )
            }
            word => (word, value.clone()),
        };
        out.insert(word.to_owned(), value);
    }
    let is_weak =
        out.get("type").is_some_and(|names| names.as_array().is_some_and(|names| names.contains(&json!("object"))))
            && out.get("required").is_none_or(|names| *names == json!([]));
    if is_joined && is_weak {
        let defs = out.remove("$defs").map(|defs| ("$defs".to_owned(), defs));
        let either = json!([out, { "type": ["string", "number", "boolean", "array"] }]);
        return [("anyOf".to_owned(), either)].into_iter().chain(defs).collect::<Map<_, _>>().into();
    }
    out.into()
}

/// Returns whether TypeScript reads a literal as the value: numbers are exact in JavaScript, and no key is special.
fn is_literal(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(is_literal),
        Value::Object(map) => map.iter().all(|(key, value)| key != "__proto__" && is_literal(value)),
        Value::Number(number) => {
            number.as_f64().is_some_and(|number| number.abs() < 2_f64.powi(53) || number.fract() != 0.0)
        }
        _ => true,
    }
}

/// How many values were judged in each way.
#[derive(Debug, Default)]
struct Counts {
    valid: usize,
    refused: usize,
    /// The schema refuses them, but their type does not.
    inexpressible: usize,
}

/// Asserts that the types of `subjects` agree with their schemas, for these values of each.
fn check_agreement(subjects: &[Subject], values: &[Vec<Value>]) -> Option<Counts> {
    let programs: Vec<Program> = subjects
        .iter()
        .zip(values)
        .map(|(Subject { declaration, ty, .. }, values)| {
            let lines: Vec<String> =
                values.iter().enumerate().map(|(at, value)| format!("const a{at}: {ty} = {value};")).collect();
            let files = [("tool.d.ts", declaration.clone()), ("use.ts", format!("export {{}};{}\n", lines.join("\n")))];
            files.into_iter().map(|(path, text)| (path.to_owned(), text)).collect()
        })
        .collect();
    let found = tsc(&programs)?;
    let mut counts = Counts::default();
    for ((subject, values), Found { errors, .. }) in subjects.iter().zip(values).zip(found) {
        let Subject { title, declaration, schema, .. } = subject;
        let compiled = |schema: &Value| {
            jsonschema::draft202012::new(schema).unwrap_or_else(|error| panic!("{title}: {error}: {schema}"))
        };
        let (exact, loose) = (compiled(schema), compiled(&loosened(schema)));
        for (line, value) in values.iter().enumerate() {
            let error = errors.iter().find(|(file, at, _)| file.ends_with("use.ts") && *at == line);
            match (exact.is_valid(value), error) {
                (true, Some((.., why))) => {
                    panic!("{title}: the type refuses {value}, which is valid: {why}\n{schema}\n{declaration}");
                }
                (true, None) => counts.valid += 1,
                (false, Some(_)) => counts.refused += 1,
                (false, None) => {
                    let is_explained = loose.is_valid(value);
                    assert!(
                        is_explained,
                        "{title}: the type allows {value}, which is not valid:\n{schema}\n{declaration}"
                    );
                    counts.inexpressible += 1;
                }
            }
        }
        let other = errors.iter().find(|(file, ..)| !file.ends_with("use.ts"));
        assert!(other.is_none(), "{title}: {other:?}\n{declaration}");
    }
    Some(counts)
}

/// Returns values for a schema: some that it allows, some that it nearly allows, and others.
fn values(schema: &Value, random: &mut Random) -> Vec<Value> {
    let mut all: Vec<Value> = (0..VALUES)
        .map(|number| {
            let mut value = match number % 8 {
                7 => unrelated_arguments(schema, random),
                _ => valid_arguments(schema, random),
            };
            if number % 2 == 1 {
                mutate(&mut value, random);
            }
            value
        })
        .filter(is_literal)
        .collect();
    all.dedup();
    all
}

#[test]
fn types_agree_with_the_schemas_of_catalogs() {
    for path in ["projects/golden", ".."] {
        let (_, subjects) = subjects(&project(path));
        let mut random = Random(23);
        let values: Vec<Vec<Value>> = subjects.iter().map(|subject| values(&subject.schema, &mut random)).collect();
        let Some(counts) = check_agreement(&subjects, &values) else { return };
        eprintln!("{path}: {counts:?}");
        assert!(counts.valid > 200 && counts.refused > 200, "{counts:?}");
    }
}

#[test]
fn types_agree_with_random_schemas() {
    let mut random = Random(42);
    let (_, subjects) = subjects(&Sources::from_memory(schemas::project(tools(), &mut random)));
    let values: Vec<Vec<Value>> = subjects.iter().map(|subject| values(&subject.schema, &mut random)).collect();
    let Some(counts) = check_agreement(&subjects, &values) else { return };
    eprintln!("{counts:?}");
    assert!(counts.valid > 300 && counts.refused > 300, "{counts:?}");
}

/// Schemas of parameters that manifests cannot have, but tools of other programs do.
static FOREIGN: LazyLock<Vec<Value>> = LazyLock::new(|| {
    vec![
        json!({}),
        json!(true),
        json!({"properties": {"a": {"type": "string"}}, "required": ["a"]}),
        json!({"type": "object", "properties": {"a": true, "b": false}}),
        json!({"type": "object", "required": ["a"]}),
        json!({"type": "object", "required": ["a"], "additionalProperties": {"type": "number"}}),
        json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": false}),
        json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": {"type": "null"}}),
        json!({"type": "array", "prefixItems": [{"type": ["string", "null"]}]}),
        json!({"type": "array", "items": false}),
        json!({"items": {"type": "string"}}),
        json!({"type": ["array", "object"], "items": {"type": "number"}, "properties": {"a": {"type": "number"}}}),
        json!({"type": "object", "patternProperties": {"^a": {"type": "number"}}, "additionalProperties": false}),
        json!({"type": "object", "properties": {"constructor": {"type": "string"}, "toString": {"type": "number"}}}),
        json!({"type": "object", "properties": {"new": {"type": "string"}, "get": {"type": "string"}, "": {"type": "null"}},
            "additionalProperties": false}),
        json!({"enum": [{"a": 1}, [1, "b"], "c", 1.5, null, true]}),
        json!({"const": [], "type": "array"}),
        json!({"type": "string", "anyOf": [{"minLength": 2}, {"const": ""}]}),
        json!({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}},
            "additionalProperties": false, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        json!({"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"type": "object", "properties": {"b": {"type": "number"}}}]}),
        json!({"allOf": [{"properties": {"a": {"type": "string"}}, "additionalProperties": false}, {"required": ["a"]}]}),
        json!({"type": "object", "oneOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]},
            {"properties": {"a": {"const": "b"}}, "required": ["a"]}]}),
        json!({"anyOf": [{"type": "object", "additionalProperties": {"type": "string"}}, {"type": "array"}]}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "number"},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        json!({"not": {"type": "string"}}),
        json!({"type": "string", "enum": []}),
        json!({"$ref": "#/properties/x/$defs/own", "$defs": {"own": {"type": "object", "properties": {"a": {"$ref": "#/properties/x"}}}}}),
        json!({"anyOf": [{"$ref": "#/properties/x"}, {"type": "string"}]}),
        json!({"type": ["integer", "null"]}),
    ]
});

/// Values of every sort.
fn candidates() -> Vec<Value> {
    let text = r#"[null, true, 1, 1.5, -2, "", "c", "ab", [], [1], ["a"], ["a", 1], ["a", "b"], ["a", 1, null], [1, "b"], [null],
        {}, {"a": 1}, {"a": "x"}, {"a": "b"}, {"a": null}, {"a": {}}, {"a": {"a": {}}}, {"b": 1}, {"b": "x"}, {"a": "x", "b": 1},
        {"a": 1, "b": 1}, {"a": "x", "b": "y"}, {"a": "x", "c": true}, {"c": 1}, {"a": "x", "c": 1}, {"new": "x", "": null},
        {"new": 1}, {"constructor": "x"}, {"constructor": 1}, {"x": [1]}, {"ab": 1}, {"ab": "x"}, [[]], [{}], {"a": [1]}]"#;
    serde_json::from_str(text).expect("it is JSON")
}

#[test]
fn types_of_run_time_tools_agree_with_their_schemas() {
    let registry = Registry::new();
    let object = |schema: &Value| json!({"type": "object", "properties": {"x": schema}, "required": ["x"], "additionalProperties": false});
    for (number, schema) in FOREIGN.iter().enumerate() {
        let name = format!("t{number:03}");
        let tool = DynamicTool::sync(name, "Takes x.", object(schema), |_, _| Ok(ToolOutput::text("")));
        let tool = tool.returns(object(schema)).build().expect("the tool is valid");
        registry.add(tool).expect("the name is free");
    }
    let session = registry.session().build().expect("the session is valid");
    let text = session.turn_blocking(Dialect::TypeScript).definitions().to_owned();
    let declarations: Vec<String> = text.split_inclusive("\n}\n").map(ToOwned::to_owned).collect();
    assert_eq!(declarations.len(), FOREIGN.len());
    let subjects: Vec<Subject> = (FOREIGN.iter().zip(declarations).enumerate())
        .flat_map(|(number, (schema, declaration))| {
            let function = format!("typeof tools.t{number:03}");
            let types = [format!("Parameters<{function}>[0]"), format!("Awaited<ReturnType<{function}>>")];
            let title = schema.to_string();
            types.map(|ty| Subject {
                title: title.clone(),
                declaration: declaration.clone(),
                ty,
                schema: object(schema),
            })
        })
        .collect();
    let values: Vec<Value> = candidates().into_iter().map(|value| json!({ "x": value })).collect();
    let Some(counts) = check_agreement(&subjects, &vec![values; subjects.len()]) else { return };
    eprintln!("{counts:?}");
    assert!(counts.valid > 200 && counts.refused > 200, "{counts:?}");
}

/// Pieces of text that end comments and literals, begin other ones, or command the compiler.
const HOSTILE: &[&str] = &[
    "*/",
    "/*",
    "/**",
    "//",
    "*",
    "/",
    "\\",
    "\"",
    "'",
    "`",
    "${",
    "}",
    "{",
    "\n",
    "\r",
    "\r\n",
    "\u{2028}",
    "\u{2029}",
    "\u{85}",
    "\0",
    "\u{1b}[2J",
    "\u{202e}",
    "\u{feff}",
    "@ts-ignore",
    "@ts-expect-error",
    "@ts-nocheck",
    "@jsx x",
    "/// <reference path='x'/>",
    "*\\/",
    "\\u002a/",
    "&#42;/",
    "<!--",
    "-->",
    "#!",
    "; declare const evil: 1;",
    "evil",
    " ",
    "é",
    "🦀",
    "|",
    "): Promise<evil>; //",
];

fn hostile(random: &mut Random) -> String {
    (0..=random.below(5)).map(|_| *random.pick(HOSTILE)).collect()
}

#[test]
fn no_text_leaves_its_comment_or_literal() {
    let mut random = Random(99);
    let (mut programs, mut expected) = (Vec::new(), Vec::new());
    for _ in 0..tools() * 2 {
        let (key, value, name) = (hostile(&mut random), hostile(&mut random), hostile(&mut random));
        let mut text = || hostile(&mut random);
        let definition = json!({"name": "t", "description": text(), "parameters": {
            "type": "object", "description": text(),
            "properties": {
                format!("k{key}"): {"description": text(), "enum": [format!("v{value}")], "default": text(), "examples": [text()]},
                "list": {"type": "array", "items": {"type": "string", "description": text(), "pattern": text(), "format": text()}},
                "either": {"anyOf": [{"type": "string", "description": text()}, {"type": "null", "description": text()}]},
                "other": {"$ref": format!("#/$defs/{}", name.replace('~', "~0").replace('/', "~1").replace('%', "%25"))},
            },
            "$defs": {name.clone(): {"type": "string", "description": text(), "not": {"const": text()}}},
        }});
        let declaration = typescript().written(definition.to_string());
        assert!(!declaration.contains(['\r', '\u{2028}', '\0', '\u{1b}', '\u{202e}']), "{declaration:?}");
        programs.push(Program::from([("t.d.ts".to_owned(), declaration)]));
        expected.push((format!("k{key}"), format!("v{value}")));
    }
    let Some(found) = tsc(&programs) else { return };
    for ((program, (key, value)), Found { errors, declared }) in programs.iter().zip(expected).zip(found) {
        let text = &program["t.d.ts"];
        assert!(errors.is_empty(), "{errors:?}\n{text}");
        let declared = &declared[0];
        assert_eq!(declared["statements"], json!(["namespace tools"]), "{text}");
        assert_eq!(declared["directives"], 0, "{text}");
        let members = declared["members"].as_array().expect("a list");
        assert!(members.len() == 2 && members[0] == "function t", "{members:?}\n{text}");
        assert_eq!(declared["strings"], json!([key, value, "list", "either", "other"]), "{text}");
    }
}
