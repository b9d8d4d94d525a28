//! Tools, toolsets and parameters may be named as anything that Rust knows otherwise: what is generated compiles.

#[path = "../projects/names/src/generated/mod.rs"]
#[rustfmt::skip]
mod names;

use toolc::{Call, Dialect, Output, Registry, ToolCall, ToolError};

struct Odd;

macro_rules! handle {
    ($($name:ident $module:ident $handlers:ident)*) => {
        $(impl names::$handlers for Odd {
            fn $name(&self, args: names::$module::$module::Args, _: &Call<'_>) -> Result<Output, ToolError> {
                Ok(Output::text(format!("{args:?}")))
            }
        })*

        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

handle! {
    clippy clippy_ ClippyTools
    core core CoreTools
    diagnostic diagnostic_ DiagnosticTools
    r#gen r#gen GenTools
    main main_ MainTools
    r#mod mod_ ModTools
    rustfmt rustfmt_ RustfmtTools
    std std StdTools
    toolc toolc_ ToolcTools
}

#[test]
fn every_one_of_them_can_be_called() {
    let registry = Registry::new();
    registry.add(names::provider(Odd)).unwrap();
    let turn = registry.session().build().unwrap().turn(Dialect::OpenAi);
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
fn what_is_generated_is_up_to_date() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/projects/names");
    let (status, out, err) = toolc_codegen::cli::capture(["--root", root, "gen", "--check"]);
    assert_eq!(status, 0, "{out}{err}");
}
