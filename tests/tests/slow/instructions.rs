//! The number of instructions of each stage of the compiler, of calls and of definitions, compared with recorded numbers. Times of a busy
//! machine vary by half; these numbers vary by a hundredth, so a stage that becomes twice as slow is found here.
//!
//! `callgrind` writes its count whenever a stage begins. The code is not optimized, as in all tests.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::pin::pin;
use std::process::Command;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde_json::json;
use toolc::args::Slots;
use toolc::catalog::Definition;
use toolc::schema::Table;
use toolc::{Call, Dialect, HandlerReply, Registry, Tool, ToolCall, ToolOutput, ToolProvider, Toolset, Turn};
use toolc_codegen::cli::capture;
use toolc_test_support::programs;
use toolc_tests::synth;

/// Set for the process that is counted: the folder of its project.
const PROJECT: &str = "TOOLC_COUNTED_PROJECT";
/// Precedes the name of a stage in the output of that process.
const STAGE: &str = "stage: ";
/// The name of what comes after all stages.
const END: &str = "end";
/// The recorded numbers: a line for each stage, with its name and its instructions in thousands.
const RECORDED: &str = "instructions.txt";
/// The number of tools of the project. Most stages take some time for each, and `lint` also for its rules.
const TOOLS: usize = 20;
/// A stage may differ from its recorded number by this factor: other toolchains and processors change it by less.
const FACTOR: f64 = 1.6;
/// Stages with fewer instructions, in thousands, are not compared, because constant parts outweigh the work.
const SMALLEST: u64 = 500;

#[test]
fn no_stage_takes_many_more_instructions_than_recorded() {
    if let Some(root) = std::env::var_os(PROJECT) {
        return run_stages(Path::new(&root));
    }
    if !programs::has("valgrind") {
        return;
    }
    let counted = count();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join(RECORDED);
    let mut now = String::new();
    for (stage, count) in &counted {
        writeln!(now, "{stage:<32}{count:>10}").expect("a string takes all text");
    }
    let recorded: BTreeMap<String, u64> = fs::read_to_string(&here).unwrap_or_default().lines().map(entry).collect();
    let is_close = |stage: &String, count: u64| {
        let Some(&recorded) = recorded.get(stage) else { return false };
        #[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
        let ratio = count as f64 / recorded as f64;
        count.max(recorded) < SMALLEST || (1.0 / FACTOR..FACTOR).contains(&ratio)
    };
    let others: Vec<&String> =
        counted.iter().filter(|(stage, count)| !is_close(stage, *count)).map(|(s, _)| s).collect();
    assert!(
        others.is_empty() && counted.len() == recorded.len(),
        "the instructions of these stages, in thousands, differ from {} by more than {FACTOR}: {others:?}. If that is meant, the file \
         becomes:\n{now}",
        here.display(),
    );
}

fn entry(line: &str) -> (String, u64) {
    let (stage, count) = line.trim_end().rsplit_once(' ').expect("a stage and a number");
    (stage.trim_end().to_owned(), count.parse().expect("a number"))
}

/// Returns the stages in their order, each with its instructions in thousands.
fn count() -> Vec<(String, u64)> {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let (project, out) = (folder.path().join("project"), folder.path().join("out"));
    for (path, text) in synth::project(TOOLS, 1) {
        let path = project.join(path);
        fs::create_dir_all(path.parent().expect("a manifest is in a folder")).expect("failed to make a folder");
        fs::write(&path, text).expect("failed to write");
    }
    fs::write(project.join("toolc.toml"), "dialects = [\"openai\"]\n").expect("failed to write");
    fs::create_dir(project.join("target")).expect("failed to make a folder");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--dump-before=*Timings*measure*", "--dump-before=*instructions::begin*"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(std::env::current_exe().expect("this is a program"))
        .args(["instructions::no_stage_takes_many_more_instructions_than_recorded", "--exact", "--nocapture"])
        .env(PROJECT, &project)
        // Threads that wait for work take instructions, and more of them on a busy machine.
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .expect("failed to start valgrind");
    let [text, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{text}{err}");
    // The first part is what comes before the first stage, and the last one has no number.
    let stages = text.lines().filter_map(|line| Some(line.split_once(STAGE)?.1.to_owned()));
    stages
        .filter(|stage| stage != END)
        .zip(2..)
        .map(|(stage, part)| (stage, total(&folder.path().join(format!("out.{part}")))))
        .collect()
}

/// Returns the instructions in a part of callgrind's output, in thousands.
fn total(part: &Path) -> u64 {
    let text = fs::read_to_string(part).unwrap_or_else(|error| panic!("{}: {error}", part.display()));
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")).expect("a part has its total");
    total.trim().parse::<u64>().expect("a number") / 1_000
}

/// Begins a stage of this test.
#[inline(never)]
fn begin(stage: &str) {
    println!("{STAGE}{stage}");
}

fn run_stages(root: &Path) {
    let root = root.to_str().expect("text");
    // `write` and the rest after it are in the last stage of a command.
    for (name, command) in [("gen", "gen"), ("gen again", "gen"), ("gen changed", "gen"), ("lint", "lint")] {
        if name == "gen changed" {
            change_tool(Path::new(root));
        }
        let (status, out, err) = capture(["--root", root, command, "--timings"]);
        assert!(status < 2, "{out}{err}");
        let stages = err.lines().filter(|line| line.ends_with(" ms")).filter_map(|line| line.split_whitespace().next());
        for stage in stages.filter(|stage| *stage != "total") {
            println!("{STAGE}{name}: {stage}");
        }
    }
    begin("registry and first turn");
    let registry = Registry::new();
    registry.add(Box::new(Typed::new())).expect("the registry is empty");
    let new_turn = || registry.session().build().expect("a session").turn_blocking(Dialect::OpenAi);
    // The first one also makes what all sessions share.
    let turn = new_turn();
    begin("new sessions");
    for _ in 0..100 {
        black_box(new_turn().definitions().len());
    }
    begin("calls");
    call(&turn, r#"{"query":"open invoices","limit":25,"recursive":true,"tags":["red","blue"]}"#);
    begin("calls to repair");
    call(&turn, r#"{"query":4711,"limit":"25","recursive":"True","tags":"red"}"#);
    begin(END);
}

/// Changes the description of a tool.
fn change_tool(root: &Path) {
    let tools = fs::read_dir(root.join("manifests/tools")).expect("the project has tools");
    let path = tools.map(|tool| tool.expect("failed to read a folder").path()).min().expect("the project has tools");
    let text = fs::read_to_string(&path).expect("failed to read");
    fs::write(&path, text.replacen("description = \"", "description = \"Now: ", 1)).expect("failed to write");
}

/// Calls all tools in turn, as often as makes 100 calls or more.
fn call(turn: &Turn, arguments: &str) {
    let names: Vec<&str> = turn.tools().collect();
    for name in names.repeat(100_usize.div_ceil(names.len())) {
        let request = ToolCall::new(name, arguments);
        let response = pin!(turn.call(&request)).poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(response, Poll::Ready(response) if !response.is_error()));
    }
}

/// Tools whose arguments have types.
struct Typed(Vec<Tool>, Vec<Option<Definition>>);

impl Typed {
    fn new() -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "minLength": 1},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                "recursive": {"type": "boolean"},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["query"],
            "additionalProperties": false,
        });
        let table = Arc::new(Table::from_schema(&schema).expect("the schema is valid"));
        let tool = |index| {
            let name = format!("find_{index}");
            let text = json!({"type": "function", "function": {"name": name, "parameters": schema}}).to_string();
            (Tool::new(name, "typed").with_arguments(Arc::clone(&table)), Some(Cow::from(text).into()))
        };
        let (tools, definitions) = (0..40).map(tool).unzip();
        Self(tools, definitions)
    }
}

impl ToolProvider for Typed {
    fn tools(&self) -> &[Tool] {
        &self.0
    }

    fn definitions(&self, _: Dialect) -> &[Option<Definition>] {
        &self.1
    }

    fn toolsets(&self) -> &[Toolset] {
        &[]
    }

    fn call<'a>(&'a self, _: usize, args: Slots<'_, '_>, _: &'a Call<'a>) -> HandlerReply<'a> {
        black_box(args);
        HandlerReply::Ready(Ok(ToolOutput::text("done")))
    }
}
