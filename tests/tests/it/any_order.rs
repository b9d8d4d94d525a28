//! The output of gen depends on what manifests say, not on the order of files and keys nor on the TOML syntax that is used.

use std::path::Path;

use toml::{Table, Value};
use toolc_codegen::compile_with;
use toolc_codegen::diagnostic::codes;
use toolc_codegen::emit::{Output, emit};
use toolc_codegen::lint::Options;
use toolc_codegen::manifest::keys::{CHOICE, Key, KeyType, PROPERTY, SCHEMA};
use toolc_codegen::source::{Kind, Sources};
use toolc_tests::random::Random;

type Files = Vec<(String, String)>;

/// A small project that uses every key.
const SMALL: &str = "projects/golden";
/// The shipped project. It takes much longer to compile, so it is changed less often.
const SHIPPED: &str = "..";

/// Reads the manifests and settings of a project of this repository.
fn manifests(project: &str) -> Files {
    fn collect(root: &Path, folder: &Path, files: &mut Files) {
        for entry in std::fs::read_dir(folder).expect("failed to read a folder") {
            let path = entry.expect("failed to read a folder").path();
            if path.is_dir() {
                collect(root, &path, files);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                let text = std::fs::read_to_string(&path).expect("failed to read");
                let path = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
                files.push((path, text));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(project);
    let mut files = Files::new();
    collect(&root, &root.join("manifests"), &mut files);
    if let Ok(settings) = std::fs::read_to_string(root.join("toolc.toml")) {
        files.push(("toolc.toml".to_owned(), settings));
    }
    files.retain(|(path, _)| path != "manifests/Cargo.toml");
    assert!(!files.is_empty(), "{project} has no manifests");
    files
}

/// Returns the output of gen, without the digests of the files, which depend on every character.
fn output(files: Files) -> Vec<Output> {
    // Without its comments, a project has the findings that they allow.
    let compilation = compile_with(&Sources::from_memory(files), &Options::only(codes::SYNTAX));
    assert!(compilation.diagnostics.is_empty(), "{:?}", compilation.diagnostics);
    let mut outputs = emit(&compilation.catalog.expect("a project without findings has a catalog"));
    outputs.retain(|output| output.path != "generated/manifests.txt");
    outputs
}

/// Asserts equality and shows only the first difference, since whole files are too long to read.
fn assert_same(left: &[Output], right: &[Output], what: &str) {
    fn lines(outputs: &[Output]) -> impl Iterator<Item = (&str, &str)> {
        outputs.iter().flat_map(|output| output.text.split('\n').map(|line| (output.path.as_str(), line)))
    }
    let differing = lines(left).zip(lines(right)).find(|(left, right)| left != right);
    assert_eq!(differing, None, "{what}");
    assert_eq!(left, right, "{what}");
}

#[test]
fn output_does_not_depend_on_the_order_or_spelling_of_files_and_keys() {
    for (project, seeds) in [(SMALL, 8), (SHIPPED, 2)] {
        let files = manifests(project);
        let expected = output(files.clone());
        for seed in 0..seeds {
            let mut random = Random(seed);
            let mut files: Files =
                files.iter().map(|(path, text)| (path.clone(), rewritten(path, text, &mut random))).collect();
            random.shuffle(&mut files);
            assert_same(&output(files), &expected, &format!("{project}, seed {seed}"));
        }
    }
}

#[test]
fn output_does_not_depend_on_line_ends_comments_and_blank_lines() {
    type Change = fn(&str) -> String;
    const CHANGES: [Change; 3] = [
        |text| format!("# First\n\n{}\n# last.", text.replace("\n[", "\n\n\n# A comment # [\n\t[")),
        |text| text.replace('\n', "\r\n"),
        |text| format!("\u{feff}{text}"),
    ];
    let changed = |files: &Files, changes: &[Change]| {
        let change = |text: &str| changes.iter().fold(text.to_owned(), |text, change| change(&text));
        files.iter().map(|(path, text)| (path.clone(), change(text))).collect()
    };
    let files = manifests(SMALL);
    let expected = output(files.clone());
    for (number, change) in CHANGES.iter().enumerate() {
        assert_same(&output(changed(&files, &[*change])), &expected, &format!("{SMALL}, change {number}"));
    }
    let files = manifests(SHIPPED);
    assert_same(&output(changed(&files, &CHANGES)), &output(files), &format!("{SHIPPED}, all changes"));
}

/// Returns an equivalent manifest, with everything shuffled whose order has no meaning.
fn rewritten(path: &str, text: &str, random: &mut Random) -> String {
    let kind = Kind::ALL.into_iter().find(|kind| path.starts_with(kind.place()));
    let mut table: Table = text.parse().expect("a manifest is TOML");
    let before = table.clone();
    shuffle_keys(&mut table, kind.expect("each of these files is a manifest").keys(), random);
    // Properties can be in two tables, and keep the author's order in both.
    let schema_first = |table: &Table| {
        let position = |key| table.keys().position(|name| name == key);
        position("schema") < position("params")
    };
    while schema_first(&table) != schema_first(&before) {
        shuffle(&mut table, random);
    }
    let mut rewritten = String::new();
    write_section(&table, "", random, &mut rewritten);
    let read: Table = rewritten.parse().unwrap_or_else(|error| panic!("{path} became invalid: {error}\n{rewritten}"));
    assert_eq!(read, before, "{path} has other values:\n{rewritten}");
    // Tables compare equal in any order, so compare their text.
    assert_eq!(format!("{read:?}"), format!("{table:?}"), "{path} is written in another order:\n{rewritten}");
    if random.below(2) == 0 { rewritten.replace('\n', "\r\n") } else { rewritten }
}

/// Shuffles the keys of a table and of the tables in it that the manifest language defines.
fn shuffle_keys(table: &mut Table, keys: &[&'static [Key]], random: &mut Random) {
    for (name, value) in table.iter_mut() {
        let Some(key) = keys.iter().copied().flatten().find(|key| key.name == name) else { continue };
        match (key.key_type, value) {
            (KeyType::Table(keys), Value::Table(table)) => shuffle_keys(table, &[keys], random),
            (KeyType::Schema | KeyType::FlagOrSchema, Value::Table(schema)) => shuffle_keys(schema, &[SCHEMA], random),
            // Properties, definitions, defaults and examples keep the author's order.
            (KeyType::Properties, Value::Table(table)) => shuffle_each(values(table), &[SCHEMA, PROPERTY], random),
            (KeyType::Tables(keys), Value::Table(table)) => {
                shuffle_each(values(table), &[keys], random);
                if key.name != "$defs" {
                    shuffle(table, random);
                }
            }
            (KeyType::WordsByName(_) | KeyType::Percents, Value::Table(table)) => shuffle(table, random),
            (KeyType::List(keys), Value::Array(items)) => shuffle_each(items, &[keys], random),
            (KeyType::Schemas, Value::Array(items)) => shuffle_each(items, &[SCHEMA], random),
            (KeyType::Choices, Value::Array(items)) => shuffle_each(items, &[CHOICE], random),
            _ => {}
        }
    }
    shuffle(table, random);
}

fn values(table: &mut Table) -> impl Iterator<Item = &mut Value> {
    table.iter_mut().map(|(_, value)| value)
}

fn shuffle_each<'v>(all: impl IntoIterator<Item = &'v mut Value>, keys: &[&'static [Key]], random: &mut Random) {
    for table in all.into_iter().filter_map(Value::as_table_mut) {
        shuffle_keys(table, keys, random);
    }
}

fn shuffle(table: &mut Table, random: &mut Random) {
    let mut entries: Vec<_> = std::mem::take(table).into_iter().collect();
    random.shuffle(&mut entries);
    // Plain values first, so that tables below can have headers.
    if random.below(2) == 0 {
        entries.sort_by_key(|(_, value)| value.is_table());
    }
    table.extend(entries);
}

/// Writes the entries of a table below its header. Keeps their order, which matters for properties and for defaults.
fn write_section(table: &Table, path: &str, random: &mut Random, out: &mut String) {
    let headers = table.values().is_sorted_by_key(Value::is_table);
    // 0: a table with a header, 1: dotted keys, 2: an inline table.
    let style = if headers { random.below(3) } else { 1 + random.below(2) };
    let mut sections = Vec::new();
    for (key, value) in table {
        let key = written_key(key);
        match value {
            Value::Table(inner) if style == 0 => sections.push((format!("{path}{key}"), inner)),
            Value::Table(inner) if style == 1 && !inner.is_empty() => {
                for (last, value) in inner {
                    write_line(&format!("{key}.{}", written_key(last)), value, random, out);
                }
            }
            _ => write_line(&key, value, random, out),
        }
    }
    for (path, inner) in sections {
        *out += &format!("{}[{path}]{}\n", space(random), space(random).trim_end_matches('\n'));
        write_section(inner, &format!("{path}."), random, out);
    }
}

fn write_line(key: &str, value: &Value, random: &mut Random, out: &mut String) {
    *out += &format!("{}{key} = {}\n", space(random), written(value, random));
}

fn written_key(key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
    if bare { key.to_owned() } else { Value::from(key).to_string() }
}

fn written(value: &Value, random: &mut Random) -> String {
    let (items, [open, close]): (Vec<String>, _) = match value {
        Value::Array(items) => (items.iter().map(|item| written(item, random)).collect(), ["[", "]"]),
        Value::Table(table) => {
            let entry = |(key, value): (&String, &Value)| format!("{} = {}", written_key(key), written(value, random));
            (table.iter().map(entry).collect(), ["{", "}"])
        }
        scalar => return scalar.to_string(),
    };
    let mut text = open.to_owned();
    for (index, item) in items.iter().enumerate() {
        text += if index > 0 { "," } else { "" };
        text += &format!("{}{item}{}", space(random), space(random));
    }
    text + close
}

/// Returns random white space, blank lines or comments.
fn space(random: &mut Random) -> &'static str {
    const SPACES: [&str; 8] = ["", "", " ", "\t", "\n", "\n\n", "# [params.none]\n", "\n# say = \"else\n  "];
    SPACES[random.below(SPACES.len())]
}
