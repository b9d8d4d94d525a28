//! Toolsets whose handlers a program in Python or TypeScript runs. `slow/programs.rs` runs the programs.

use std::fs;

use serde_json::json;
use toolc::{Call, Env, ToolError};
use toolc_codegen::compile_with;
use toolc_codegen::lint::{Options, codes};
use toolc_codegen::source::Sources;
use toolc_tests::programs::notes::{NotesTools, add_note, fail_note, wait_note};
use toolc_tests::programs::{NotesProgram, notes};

#[test]
fn generated_files_of_the_project_with_programs_are_up_to_date() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/projects/programs");
    let (status, out, err) = toolc_codegen::cli::capture(["--root", root, "gen", "--check"]);
    assert_eq!(status, 0, "{out}{err}");
}

/// Handlers in Rust, which a test of a host can use in place of the program.
struct Notes;

impl NotesTools for Notes {
    fn add_note(&self, args: add_note::Args, _: &Call<'_>) -> Result<add_note::Returns, ToolError> {
        Ok(add_note::Returns { number: 1, kept: [("text".to_owned(), args.text.into())].into(), owner: None })
    }

    fn fail_note(&self, _: fail_note::Args, _: &Call<'_>) -> Result<fail_note::Returns, ToolError> {
        Err(ToolError::new("no"))
    }

    fn wait_note(&self, _: wait_note::Args, _: &Call<'_>) -> toolc::ToolResult {
        Err(ToolError::new("no"))
    }
}

#[test]
fn handlers_in_rust_can_replace_the_program() {
    let tools = toolc::testing::Harness::new(notes::provider(Notes));
    let response = tools.call("add_note", json!({ "text": "Buy tea" }));
    toolc::testing::assert_reply!(response, { "number": 1, "kept": { "text": "Buy tea" } });
}

#[test]
fn a_program_that_is_not_installed_is_an_error_that_says_so() {
    let handlers = NotesProgram::new("projects/programs");
    let tools = toolc::testing::Harness::with_session(notes::provider(handlers), |session| {
        session.env(Env::empty().with_var("PATH", "/nonexistent"))
    });
    let error = tools.call("add_note", json!({ "text": "Buy tea" })).response().json.clone();
    assert!(error.contains("failed to start the program of the toolset `notes`: "), "{error}");
    assert!(error.contains("; install `python3`, or add its folder to `PATH`"), "{error}");
}

#[test]
fn a_new_tool_gets_a_program_and_then_a_method_for_it() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("it has a folder")).expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
    };
    write("toolc.toml", "dialects = [\"openai\"]\n");
    write("manifests/toolsets/notes.toml", "name = \"notes\"\ndescription = \"Keep notes.\"\nlanguage = \"python\"\n");
    let root = folder.path().to_str().expect("the path is Unicode");
    let new = |args: &[&str]| toolc_codegen::cli::capture([&["--root", root, "new", "tool"], args].concat());
    let (status, out, err) = new(&["add_note"]);
    assert_eq!(status, 0, "{err}");
    assert!(
        out.contains("replace the method in python/notes.py;\nin Rust, `Handlers { notes: NotesProgram::new("),
        "{out}"
    );
    let program = fs::read_to_string(folder.path().join("python/notes.py")).expect("the program is written");
    let expected = "\"\"\"The handlers of the toolset `notes`.\"\"\"\n\nfrom toolc import ToolError\nfrom toolc.plugin import serve\n\
        from tools import AddNoteArguments, notes_handlers\n\n\nclass Notes:\n    \
        def add_note(self, arguments: AddNoteArguments, /) -> object:\n        \
        raise ToolError(\"`add_note` is not implemented\")\n\n\nserve(notes_handlers(Notes()))\n";
    assert_eq!(program, expected);
    let (status, out, err) = new(&["find_note", "--execution", "blocking"]);
    assert_eq!(status, 0, "{err}");
    assert!(out.ends_with("\n\n    def find_note(self, arguments: FindNoteArguments, /) -> object:\n        raise ToolError(\"`find_note` is not implemented\")\n"), "{out}");
    assert_eq!(fs::read_to_string(folder.path().join("python/notes.py")).expect("it exists"), program);
    let (status, _, err) = new(&["wait_note", "--execution", "async"]);
    assert_eq!(status, 2);
    assert!(err.contains("a program runs the tools of `notes`, which are `blocking`: omit --execution"), "{err}");
}

/// Compiles a project with a toolset of one tool. Returns what is generated, by path.
fn generated(toolset: &str, settings: &str) -> std::collections::BTreeMap<String, String> {
    let files = [
        ("toolc.toml", format!("dialects = [\"openai\"]\n{settings}")),
        ("manifests/toolsets/notes.toml", format!("name = \"notes\"\ndescription = \"Keep notes.\"\n{toolset}")),
        (
            "manifests/tools/add_note.toml",
            "name = \"add_note\"\ntoolset = \"notes\"\ndescription = \"Add a note. Returns its number.\"\n".to_owned(),
        ),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text));
    let compilation = compile_with(&Sources::from_memory(files), &Options::only(codes::NOT_PASSED_ON));
    let catalog = compilation.catalog.unwrap_or_else(|| panic!("{:?}", compilation.diagnostics));
    toolc_codegen::emit::emit(&catalog).into_iter().map(|output| (output.path, output.text)).collect()
}

#[test]
fn a_language_implies_a_command_and_the_folder_of_its_module() {
    for (language, command, module) in [
        ("python", "python3 ./python/notes.py", "python/tools/__init__.py"),
        ("typescript", "node ./typescript/dist/notes.js", "typescript/tools/index.ts"),
    ] {
        let files = generated(&format!("language = \"{language}\"\n"), "");
        assert!(files["generated/rust/notes.rs"].contains(&format!("that a program runs: `{command}`")), "{language}");
        assert!(files.contains_key(module), "{language}");
        let files = generated(&format!("language = \"{language}\"\n"), &format!("{language} = \"other/module\"\n"));
        assert!(!files.contains_key(module) && files.keys().any(|path| path.starts_with("other/module/")));
    }
    let files = generated("language = \"rust\"\n", "");
    assert!(!files.keys().any(|path| path.starts_with("python/")));
    assert!(!files["generated/rust/notes.rs"].contains("NotesProgram"));
}
