//! The files of a bundle match the JSON Schemas in `docs/export/`, which describe every key.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use toolc_codegen::dialects::DIALECTS;

use super::{export, read};
use crate::gen_command::Project;

fn format(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../docs/export/{name}.schema.json"));
    serde_json::from_str(&fs::read_to_string(path).expect("the schema can be read")).expect("a schema is JSON")
}

/// Makes a schema refuse keys that it does not describe.
fn close(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(close),
        Value::Object(map) => {
            if map.contains_key("properties") && map.get("type") == Some(&json!("object")) {
                map.entry("additionalProperties").or_insert(json!(false));
            }
            map.values_mut().for_each(close);
        }
        _ => {}
    }
}

fn assert_matches(name: &str, file: &Value, from: &str) {
    let open = format(name);
    let mut closed = open.clone();
    close(&mut closed);
    for schema in [open, closed] {
        let validator = jsonschema::draft202012::new(&schema).expect("a schema");
        let errors: Vec<String> =
            validator.iter_errors(file).take(3).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{name} of {from}: {errors:#?}");
    }
}

#[test]
fn the_files_of_a_bundle_match_the_published_formats() {
    for (from, project) in [("the golden project", Project::golden()), ("the shipped project", Project::shipped())] {
        for options in [&[][..], &["--dialect", "mcp", "--available", ""]] {
            export(&project, options);
            assert_matches("bundle", &read(&project, "bundle.json"), from);
            assert_matches("catalog", &read(&project, "catalog.json"), from);
            for dialect in DIALECTS {
                for format in ["rewrites", "turns"] {
                    let path = format!("{format}/{}.json", dialect.name);
                    if project.path("out").join(&path).exists() {
                        assert_matches(format, &read(&project, &path), from);
                    }
                }
            }
        }
    }
}

#[test]
fn the_published_formats_refuse_other_files() {
    let project = Project::golden();
    export(&project, &["--dialect", "openai-strict", "--dialect", "typescript"]);
    let paths = [
        ("bundle", "bundle.json", "/files/0/sha256"),
        ("catalog", "catalog.json", "/tools/0/name"),
        ("rewrites", "rewrites/openai-strict.json", "/tools/delegate/arguments/properties/depth/null_is_absent"),
        ("turns", "turns/openai-strict.json", "/tools/depends/parts/0/at"),
        ("turns", "turns/typescript.json", "/tools/depends/parts/0/text/1/comment"),
    ];
    for (name, path, pointer) in paths {
        let validator = jsonschema::draft202012::new(&format(name)).expect("a schema");
        let mut file = read(&project, path);
        assert!(validator.is_valid(&file), "{name}");
        *file.pointer_mut(pointer).unwrap_or_else(|| panic!("{path} has {pointer}")) = json!(7);
        assert!(!validator.is_valid(&file), "{name}");
    }
}
