//! llm-tool: `#[llm_tool]` on functions. The library keeps each schema as text, so the list is joined from these texts, which is four
//! times as fast as serializing its definitions.

use std::hint::black_box;

use llm_tool::{ToolContext, ToolError, ToolRegistry, llm_tool};
use serde_json::to_writer;

use super::Side;
use crate::ready::ready;
use crate::tools::{DONE, tools};

#[path = "../../smallest/llm-tool/src/trivial.rs"]
mod trivial;

macro_rules! functions {
    ($($doc:tt $name:ident $tool:ident { $($about:tt $field:ident: [$($type:tt)*],)* })*) => {
        $(
            #[doc = $doc]
            #[llm_tool]
            fn $name($(#[doc = $about] $field: $($type)*),*) -> Result<String, ToolError> {
                black_box(($($field,)*));
                Ok(DONE.to_owned())
            }
        )*

        fn registry() -> ToolRegistry {
            ToolRegistry::new().with_tool(trivial::Trivial)$(.with_tool($tool))*
        }
    };
}

tools!(functions);

pub(crate) struct LlmTool {
    registry: ToolRegistry,
    context: ToolContext,
}

impl LlmTool {
    pub(crate) fn new() -> Self {
        Self { registry: registry(), context: ToolContext::new() }
    }
}

impl Side for LlmTool {
    fn list(&self, show: &mut dyn FnMut(&str)) {
        let mut out = Vec::new();
        for definition in &*self.registry.definitions_slice() {
            out.extend_from_slice(if out.is_empty() { b"[" } else { b"," });
            out.extend_from_slice(br#"{"type":"function","function":{"name":"#);
            to_writer(&mut out, &definition.name).expect("a Vec takes all");
            out.extend_from_slice(br#","description":"#);
            to_writer(&mut out, &definition.description).expect("a Vec takes all");
            out.extend_from_slice(br#","parameters":"#);
            out.extend_from_slice(definition.parameter_schema_json().as_bytes());
            out.extend_from_slice(b"}}");
        }
        out.push(b']');
        show(std::str::from_utf8(&out).expect("JSON is UTF-8"));
    }

    fn call(&self, arguments: &str) -> String {
        let output = ready(self.registry.dispatch_str("trivial", arguments, &self.context));
        output.expect("right arguments").into_content()
    }
}
