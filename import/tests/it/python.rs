//! Modules in Python, which an interpreter imports.

use std::process::Command;

use serde_json::json;

use crate::project::Folder;

const MODULE: &str = r#"
from typing import Literal, Optional
from enum import Enum

print("a module may print")

class Colour(Enum):
    RED = "red"
    BLUE = "blue"

def paint(path: str, colour: Colour = Colour.RED, width: Optional[float] = None, tags: list[str] = []) -> str:
    """Paint a picture.

    It replaces the old one.

    Args:
        path (str): The file,
            with its folder.
        width: In millimetres.
    """

def find(kind: Literal["a", "b"], limits: dict[str, int], **more):
    """Find things.

    Parameters
    ----------
    kind : str
        The kind of things.
    limits
        By name.
    """

def move(x: int, y: int):
    """Move there.

    :param x: To the right.
    :param int y: Down,
        in points.
    :returns: Nothing.
    """

def odd(value: "Missing"):
    """A function whose annotation does not exist."""

def _hidden():
    """Not public."""

def without_words(x):
    pass
"#;

fn python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("skipped: no python3");
    }
    found
}

#[test]
fn the_functions_of_a_module_are_tools() {
    if !python() {
        return;
    }
    let folder = Folder::new();
    let path = folder.write("shapes.py", MODULE);
    let path = path.to_str().expect("it is UTF-8");
    let (report, is_complete) = folder.run(&[path, "--yes"]).unwrap_or_else(|why| panic!("{why}"));
    assert!(!is_complete && report.contains("/odd") && report.contains("Missing"), "{report}");
    let files = folder.files();
    let tools: Vec<&str> = files.iter().filter_map(|(path, _)| path.strip_prefix("manifests/tools/")).collect();
    assert_eq!(tools, ["find.toml", "move.toml", "paint.toml"]);
    let (paint, _) = folder.schema("paint");
    assert_eq!(paint["required"], json!(["path"]));
    assert_eq!(paint["additionalProperties"], false);
    let properties = &paint["properties"];
    assert_eq!(properties["path"]["description"], "The file, with its folder.");
    assert_eq!(properties["width"]["description"], "In millimetres.");
    assert_eq!(properties["colour"]["enum"], json!(["red", "blue"]));
    assert_eq!(properties["tags"]["items"]["type"], "string");
    let text = folder.read("manifests/tools/paint.toml");
    assert!(
        text.contains("Paint a picture.") && text.contains("It replaces the old one.") && !text.contains("Args"),
        "{text}"
    );
    let (find, _) = folder.schema("find");
    assert_eq!(find["properties"]["kind"]["description"], "The kind of things.");
    assert_eq!(find["properties"]["limits"]["description"], "By name.");
    assert_eq!(find["properties"]["limits"]["additionalProperties"]["type"], "integer");
    assert_eq!(find["additionalProperties"], true);
    let (moved, _) = folder.schema("move");
    assert_eq!(moved["properties"]["x"]["description"], "To the right.");
    assert_eq!(moved["properties"]["y"]["description"], "Down, in points.");
}

#[test]
fn a_module_is_run_only_after_consent() {
    let folder = Folder::new();
    let (path, trace) = (folder.path("trace.py"), folder.path("trace"));
    folder.write("trace.py", &format!("open({:?}, 'w').close()\n", trace.display().to_string()));
    let error = folder.run(&[path.to_str().expect("it is UTF-8")]).expect_err("no terminal can answer");
    assert!(error.contains("--yes") && !trace.exists(), "{error}");
    let missing = folder.run(&["missing.py"]).expect_err("it does not exist");
    assert!(missing.contains("failed to read"), "{missing}");
    let other = folder.run(&[path.to_str().expect("it is UTF-8"), "--yes", "--python", "no-such-python"]);
    assert!(other.is_err_and(|error| error.contains("--python PROGRAM")));
}

/// Each file of `tests/frameworks` declares the same tool with a framework, whose interpreter is `FOLDER/NAME/bin/python`.
#[test]
#[ignore = "needs environments with the frameworks in TOOLC_IMPORT_PYTHONS"]
fn tools_of_frameworks_mean_the_same() {
    let pythons = std::env::var("TOOLC_IMPORT_PYTHONS").expect("TOOLC_IMPORT_PYTHONS names a folder");
    let frameworks = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frameworks");
    let mut count = 0;
    for file in std::fs::read_dir(frameworks).expect("a folder") {
        let path = file.expect("an entry").path();
        let name =
            path.file_stem().and_then(|stem| stem.to_str()).expect("it is UTF-8").trim_start_matches("of_").to_owned();
        let interpreter = format!("{pythons}/{name}/bin/python");
        let module = path.to_str().expect("it is UTF-8");
        let project = Folder::new();
        let (report, _) =
            project.run(&[module, "--python", &interpreter, "--yes"]).unwrap_or_else(|why| panic!("{name}: {why}"));
        let (schema, _) = project.schema("add_order");
        let properties = &schema["properties"];
        assert_eq!(properties["customer"]["type"], "string", "{name}: {schema} {report}");
        assert_eq!(properties["count"]["type"], "integer", "{name}: {schema}");
        assert!(
            schema["required"].as_array().is_some_and(|names| names.contains(&json!("customer"))),
            "{name}: {schema}"
        );
        assert!(project.read("manifests/tools/add_order.toml").contains("Adds an order."), "{name}");
        count += 1;
    }
    assert_eq!(count, 13);
}
