//! rig: `#[rig_tool]` on functions, in a `ToolSet`. The conversion of the definitions for a vendor is not measured.

use std::hint::black_box;

use rig::rig_tool;
use rig::tool::{ToolContext, ToolExecutionError, ToolSet};

use super::Side;
use crate::ready::ready;
use crate::tools::{DONE, tools};

#[path = "../../smallest/rig/src/trivial.rs"]
mod trivial;

macro_rules! functions {
    ($($doc:tt $name:ident $tool:ident { $($about:tt $field:ident: [$($type:tt)*],)* })*) => {
        $(
            #[doc = $doc]
            #[rig_tool]
            fn $name($(#[doc = $about] $field: $($type)*),*) -> Result<String, ToolExecutionError> {
                black_box(($($field,)*));
                Ok(DONE.to_owned())
            }
        )*

        fn set() -> ToolSet {
            let mut set = ToolSet::default();
            set.add_tool(trivial::Trivial);
            $(set.add_tool($tool);)*
            set
        }
    };
}

tools!(functions);

pub(crate) struct Rig(ToolSet);

impl Rig {
    pub(crate) fn new() -> Self {
        Self(set())
    }
}

impl Side for Rig {
    fn list(&self, show: &mut dyn FnMut(&str)) {
        show(&serde_json::to_string(&self.0.tool_definitions()).expect("definitions are JSON"));
    }

    fn call(&self, arguments: &str) -> String {
        let result = ready(self.0.execute("trivial", arguments, &mut ToolContext::new()));
        assert!(result.is_success(), "right arguments");
        result.output().render()
    }
}
