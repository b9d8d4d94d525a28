//! Adds the handler of a new tool whose toolset has handlers in another language: a program with a method that raises an error, if there
//! is no program yet.

use std::path::Path;

use super::FileChanges;
use crate::catalog::{Catalog, Tool, Toolset};
use crate::lower::words::{identifier, of_tool, pascal};
use crate::manifest::HandlerLanguage;
use crate::names;

/// A tool that needs a handler in a program.
pub(crate) struct NewMethod<'c> {
    catalog: &'c Catalog,
    tool: &'c Tool,
    toolset: &'c Toolset,
    language: HandlerLanguage,
}

impl<'c> NewMethod<'c> {
    /// Returns `None` if the handlers are in Rust.
    pub(crate) fn new(catalog: &'c Catalog, tool: &'c Tool) -> Option<Self> {
        let toolset = &catalog[tool.home];
        let language = toolset.manifest.program_language()?.value;
        Some(Self { catalog, tool, toolset, language })
    }

    /// Adds the program, if it does not exist and its place is the usual one. Returns what the user has to do.
    pub(crate) fn add(&self, root: &Path, program: &str, changes: &mut FileChanges) -> String {
        let (tool, toolset) = (self.tool.name(), self.toolset.name());
        let rust = names::program(toolset);
        let field = names::module(toolset);
        let described = format!("next: describe `{tool}` and its parameters in manifests/tools/{tool}.toml");
        let host = format!(
            "in Rust, `Handlers {{ {field}: {rust}::new(env!(\"CARGO_MANIFEST_DIR\")), .. }}` runs the program, with the dependency \
             `toolc-program` in Cargo.toml"
        );
        match self.usual_file().filter(|file| !root.join(file).exists()) {
            Some(file) => {
                changes.create(root.join(&file), self.program());
                format!("{described}, run `{program} gen`, and replace the method in {file};\n{host}\n")
            }
            None => format!(
                "{described}, run `{program} gen`, and add this method to the program of `{toolset}`;\n{host}\n\n{}",
                self.method()
            ),
        }
    }

    /// Returns the path of the program, if the manifest names no other command and the generated module is next to it.
    fn usual_file(&self) -> Option<String> {
        let toolset = self.toolset.name();
        let settings = self.catalog.settings();
        let (folder, module, extension) = match self.language {
            HandlerLanguage::Rust => return None,
            HandlerLanguage::Python => ("python", settings.python.as_deref(), "py"),
            HandlerLanguage::TypeScript => ("typescript", settings.typescript.as_deref(), "ts"),
        };
        let is_usual = self.toolset.manifest.program.as_ref().is_none_or(|program| program.command.is_empty())
            && module == self.language.default_folder();
        is_usual.then(|| format!("{folder}/{toolset}.{extension}"))
    }

    fn arguments(&self) -> String {
        pascal(&[self.tool.name(), "arguments"])
    }

    fn method(&self) -> String {
        let (name, arguments) = (self.tool.name(), self.arguments());
        match self.language {
            HandlerLanguage::Python => format!(
                "    def {}(self, arguments: {arguments}, /) -> object:\n        raise ToolError(\"`{name}` is not implemented\")\n",
                of_tool(self.catalog, self.tool)
            ),
            HandlerLanguage::Rust | HandlerLanguage::TypeScript => format!(
                "  {name}: (args: {arguments}) => {{\n    throw new ToolError(\"`{name}` is not implemented\");\n  }},\n"
            ),
        }
    }

    /// Returns the program with the method.
    fn program(&self) -> String {
        let toolset = self.toolset.name();
        let (arguments, method) = (self.arguments(), self.method());
        match self.language {
            HandlerLanguage::Python => {
                let (class, function) = (pascal(&[toolset]), format!("{}_handlers", identifier(toolset)));
                format!(
                    "\"\"\"The handlers of the toolset `{toolset}`.\"\"\"\n\n\
                     from toolc import ToolError\nfrom toolc.plugin import serve\nfrom tools import {arguments}, {function}\n\n\n\
                     class {class}:\n{method}\n\nserve({function}({class}()))\n"
                )
            }
            HandlerLanguage::Rust | HandlerLanguage::TypeScript => {
                let pascal = pascal(&[toolset, "handlers"]);
                let function = pascal[..1].to_ascii_lowercase() + &pascal[1..];
                format!(
                    "// The handlers of the toolset `{toolset}`.\n\n\
                     import {{ ToolError }} from \"@toolc/runtime\";\nimport {{ serve }} from \"@toolc/runtime/plugin\";\n\
                     import {{ type {arguments}, {function} }} from \"./tools/index.ts\";\n\n\
                     await serve(\n  {function}({{\n{}  }}),\n);\n",
                    method.lines().map(|line| format!("  {line}\n")).collect::<Vec<_>>().concat()
                )
            }
        }
    }
}
