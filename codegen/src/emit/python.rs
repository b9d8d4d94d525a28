//! `python/tools.py`: the tools that scripts can call, as typed functions. Hosts send a part of it to the interpreter of a script:
//! the functions of the tools that the script can call.

use toolc::catalog::python_module;

use super::{Draft, Inputs};
use crate::lower::Lowered;
use crate::project::MARK;

pub(super) fn emit<'c>(catalog: &'c Lowered<'c>) -> Vec<Draft<'c>> {
    if !catalog.tools().any(|(_, tool)| tool.manifest.scripts) {
        return Vec::new();
    }
    let text = || {
        let tools = catalog.tools().filter(|(_, tool)| tool.manifest.scripts).map(|(id, _)| catalog.tool(id));
        format!(
            "# {MARK} from the manifests. Edit those, never this file.\n\n\"\"\"The tools that scripts can call.\"\"\"\n\n{}",
            python_module(tools)
        )
    };
    vec![Draft::new("python/tools.py", Inputs::All, text)]
}
