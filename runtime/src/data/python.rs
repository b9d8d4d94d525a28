//! The Python module with the functions of tools, for scripts that call them.

use crate::data::catalog::Tool;

/// The beginning of every module: imports, the error, and the connection to the host.
const PRELUDE: &str = include_str!("python.py");

/// Returns the source of a Python module with the [functions](Tool::python) of these tools. Those that have none are skipped.
///
/// The module runs on Python 3.8 and later. Its function `connect` takes the function that runs a call.
///
/// ```
/// use toolc::Tool;
/// use toolc::catalog::python_module;
///
/// let source = "def now():\n    return _call(\"now\", {}, {})\n";
/// let tools = [Tool::new("now", "clock").with_python(source), Tool::new("wait", "clock")];
/// let module = python_module(&tools);
/// assert!(module.contains("def now():") && !module.contains("wait"));
/// ```
pub fn python_module<'t>(tools: impl IntoIterator<Item = &'t Tool>) -> String {
    let mut module = PRELUDE.to_owned();
    for function in tools.into_iter().filter_map(|tool| tool.python.as_deref()) {
        module.push_str("\n\n");
        module.push_str(function);
    }
    module
}
