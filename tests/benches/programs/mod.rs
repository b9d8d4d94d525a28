//! Two programs with the same tools: one from gen, and one with a serde derive and a `match` arm for each tool. Both contain the
//! definitions. A handler returns the first string of its arguments, so that they are read.

mod by_hand;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::processor;

/// The cost of building a program.
pub(crate) struct Built {
    pub(crate) wall: Duration,
    /// Processor time, or `None` if the system does not report it.
    pub(crate) processor: Option<Duration>,
    /// The size of the stripped program.
    pub(crate) bytes: u64,
}

/// Builds both programs in release mode, after their dependencies. `project` has the output of gen.
pub(crate) fn build(project: &Path) -> [Built; 2] {
    let catalog = fs::read_to_string(project.join("generated/catalog.json")).expect("gen has written the catalog");
    let catalog: Value = serde_json::from_str(&catalog).expect("the catalog is JSON");
    let tools = catalog["tools"].as_array().expect("the catalog has tools");
    let definitions: Vec<Value> = tools.iter().map(|tool| definition(project, text(tool, "name"))).collect();
    [("ours", with_toolc(project, tools)), ("by-hand", by_hand::program(&definitions))]
        .map(|(name, program)| release(project, name, &program, &definitions))
}

fn definition(project: &Path, name: &str) -> Value {
    let path = project.join(format!("generated/schemas/openai/tools/{name}.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("a definition is JSON")
}

/// Returns the program with the generated code: handlers of every toolset, and a call of the tool that the command line names.
fn with_toolc(project: &Path, tools: &[Value]) -> String {
    let library = project.join("generated/rust/lib.rs");
    let mut program = format!(
        "#[path = \"{}\"]\nmod generated;\nuse toolc::{{Call, Dialect, ToolOutput, Registry, ToolCall, ToolResult}};\nstruct Handlers;\n",
        library.display().to_string().escape_default()
    );
    let mut toolsets: Vec<&str> = tools.iter().map(|tool| text(tool, "toolset")).collect();
    toolsets.sort_unstable();
    toolsets.dedup();
    for toolset in toolsets {
        let _ = writeln!(program, "impl generated::{}Tools for Handlers {{", pascal(toolset));
        for tool in tools.iter().filter(|tool| text(tool, "toolset") == toolset) {
            let (name, first) = (text(tool, "name"), first(tool));
            let _ = writeln!(
                program,
                "    fn {name}(&self, args: generated::{toolset}::{name}::Args, _: &Call<'_>) -> \
                 ToolResult {{ Ok(ToolOutput::text(args.{first})) }}"
            );
        }
        program += "}\n";
    }
    program
        + "fn main() -> Result<(), Box<dyn std::error::Error>> {\n    \
        let [name, arguments] = [1, 2].map(|at| std::env::args().nth(at).unwrap_or_default());\n    \
        let registry = Registry::new();\n    registry.add(generated::shared_provider(Handlers))?;\n    \
        let turn = registry.session().build()?.turn_blocking(Dialect::OpenAi);\n    \
        if name.is_empty() { println!(\"{}\", turn.definitions()); return Ok(()); }\n    \
        let request = ToolCall::new(&name, &arguments);\n    \
        let mut call = std::pin::pin!(turn.call(&request));\n    \
        let context = &mut std::task::Context::from_waker(std::task::Waker::noop());\n    \
        if let std::task::Poll::Ready(answer) = std::future::Future::poll(call.as_mut(), context) {\n        \
        println!(\"{}\", answer.json);\n    }\n    Ok(())\n}\n"
}

fn release(project: &Path, name: &str, program: &str, definitions: &[Value]) -> Built {
    let folder = project.join(name);
    fs::create_dir_all(folder.join("src")).expect("failed to make a folder");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = format!(
        "[package]\nname = \"program-{name}\"\nedition = \"2024\"\n\
         [dependencies]\ntoolc = {{ path = '{}', default-features = false }}\nserde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n\
         [profile.release]\nstrip = true\n[workspace]\n",
        here.join("../runtime").display()
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("failed to write the program's manifest");
    // The versions in this lock file are available offline.
    fs::copy(here.join("../Cargo.lock"), folder.join("Cargo.lock")).expect("failed to copy Cargo.lock");
    let list = Value::from(definitions.to_vec()).to_string();
    fs::write(folder.join("src/definitions.json"), list).expect("failed to write the definitions");

    let main = folder.join("src/main.rs");
    let build = |program: &str| {
        fs::write(&main, program).expect("failed to write the program");
        let (start, processor) = (Instant::now(), processor::of_children());
        let output = Command::new(env!("CARGO"))
            .args(["build", "--release", "--quiet", "--offline"])
            .current_dir(&folder)
            .env("CARGO_TARGET_DIR", env!("CARGO_TARGET_TMPDIR"))
            .output()
            .expect("failed to run cargo");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let processor = processor::of_children().zip(processor).map(|(after, before)| after.saturating_sub(before));
        (start.elapsed(), processor)
    };
    build("fn main() {}");
    let (wall, processor) = build(program);

    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("release").join(format!("program-{name}"));
    let tool = &definitions[0]["function"];
    let arguments = format!("{{{:?}: \"hello\"}}", first(tool));
    let output = Command::new(&program).args([text(tool, "name"), &arguments]).output();
    let output = output.expect("failed to start the program");
    assert!(String::from_utf8_lossy(&output.stdout).contains("hello"), "{name}: {output:?}");
    let listed = Command::new(&program).output().expect("failed to start the program").stdout;
    assert!(listed.len() > 500 * definitions.len(), "{name} lists {} bytes", listed.len());
    Built { wall, processor, bytes: fs::metadata(&program).expect("failed to find the program").len() }
}

/// Returns the name of the property that each synthetic tool requires, a string.
fn first(tool: &Value) -> &str {
    tool["parameters"]["required"][0].as_str().expect("a synthetic tool requires a text")
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// Returns `one_two` as `OneTwo`.
fn pascal(name: &str) -> String {
    name.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}
