//! Tools, toolsets and parameters may have names that mean something else in Rust: the generated code compiles.

#[path = "../../projects/names/src/generated/mod.rs"]
#[rustfmt::skip]
mod names;

use toolc::{Call, Dialect, Registry, ToolCall, ToolError, ToolOutput, ToolResult};

/// Handlers that return their arguments as text.
struct DebugHandlers;

macro_rules! handle {
    ($($name:ident $module:ident $handlers:ident)*) => {
        $(impl names::$handlers for DebugHandlers {
            fn $name(&self, args: names::$module::$module::Args, _: &Call<'_>) -> ToolResult {
                Ok(ToolOutput::text(format!("{args:?}")))
            }
        })*

        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

handle! {
    clippy clippy_ ClippyTools
    compiled compiled CompiledTools
    core core CoreTools
    diagnostic diagnostic_ DiagnosticTools
    r#gen r#gen GenTools
    main main_ MainTools
    r#mod mod_ ModTools
    rustfmt rustfmt_ RustfmtTools
    std std StdTools
    toolc toolc_ ToolcTools
}

impl names::Self_Tools for DebugHandlers {
    fn self_(&self, args: names::self_::self_::Args, _: &Call<'_>) -> Result<names::self_::self_::Returns, ToolError> {
        let text = format!("{:?}", args.tagged);
        let all = args.all.unwrap_or_default();
        Ok(names::self_::self_::Returns { all, foo: None, args: text, self_: None })
    }
}

#[test]
fn odd_names_of_definitions_and_alternatives_get_distinct_types() {
    let registry = Registry::new();
    registry.add(names::shared_provider(DebugHandlers)).unwrap();
    let turn = registry.session().build().unwrap().turn_blocking(Dialect::OpenAi);
    let answer = |arguments: &str| pollster::block_on(turn.call(&ToolCall::new("self", arguments))).json;
    let all = r#"{"all":[{"r":{"type":[[]]}},"FooBar",[[]],3,true]"#;
    let default = r#""AB(TaggedAB { self_: Some(\"crate\") })""#;
    assert_eq!(answer(&format!("{all}}}")), format!(r#"{all},"args":{default}}}"#));
    for (tagged, seen) in [
        (r#"{"":"a-b"}"#, "AMinusB"),
        (r#"{"":"a_b"}"#, "AB(TaggedAB { self_: None })"),
        (r#"{"":"self"}"#, "Self_"),
        (
            r#"{"":"","rest":"x","rest3":true}"#,
            r#"Empty(TaggedEmpty { rest: Some(\"x\"), rest2: None, rest3: {\"rest3\": Bool(true)} })"#,
        ),
    ] {
        assert_eq!(answer(&format!(r#"{{"tagged":{tagged}}}"#)), format!(r#"{{"all":[],"args":"{seen}"}}"#));
    }
}

#[test]
fn every_tool_with_an_odd_name_can_be_called() {
    let registry = Registry::new();
    registry.add(names::shared_provider(DebugHandlers)).unwrap();
    let turn = registry.session().build().unwrap().turn_blocking(Dialect::OpenAi);
    for name in NAMES.iter().map(|name| name.trim_start_matches("r#")) {
        let call = ToolCall::new(name, r#"{"option": {"vec": "x"}, "args": "none"}"#);
        let answer = pollster::block_on(turn.call(&call));
        assert_eq!(
            answer.json, r#""Args { from: Here, option: Some(Option2 { vec: Some(\"x\") }), args: Some(None) }""#,
            "{name}"
        );
    }
}

#[test]
fn generated_files_of_the_project_with_odd_names_are_up_to_date() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/projects/names");
    let (status, out, err) = toolc_codegen::cli::capture(["--root", root, "gen", "--check"]);
    assert_eq!(status, 0, "{out}{err}");
}
