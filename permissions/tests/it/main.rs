//! Rules and calls with expected verdicts, and a comparison with a slow reference.

mod aliases;
mod documented;
mod files;
mod offers;
mod reference;
mod schema;
mod table;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use toolc::approval::PermissionCall;
use toolc::behaviour::Behaviour;
use toolc::{Call, Task, Tool, ToolCall};
use toolc_permissions::{PathSource, Paths, PermissionSet, SessionPermissions, Verdict, Verdicts, WrittenPaths};

/// Files of a test: the working directory `/work`, the home folder `/home/user`, and some links.
pub struct TestFiles;

/// Links, each with its target.
pub const LINKS: &[(&str, &str)] = &[
    ("/work/link", "/etc"),
    ("/work/inside", "/work/src"),
    ("/data", "/srv/data"),
    ("/home/user/work", "/work"),
    ("/work/prod.env", "/srv/env"),
    ("/work/deep/secrets", "/srv/vault"),
    ("/work/my link", "/srv/my data"),
    ("/work/up", "/home/user"),
];

/// The paths of a call in these files.
pub struct TestPaths(WrittenPaths);

impl PathSource for TestFiles {
    fn paths<'c>(&'c self, _: &'c Call<'c>) -> Option<Box<dyn Paths + 'c>> {
        let written = WrittenPaths { directory: Some("/work".into()), home: Some("/home/user".into()) };
        Some(Box::new(TestPaths(written)))
    }

    fn is_path(&self, tool: &Tool, parameter: &str) -> bool {
        tool.toolset == "file" && parameter == "path"
    }

    fn other_paths(&self, tool: &str, parameter: &str, arguments: &Value) -> Vec<Option<String>> {
        match (tool, parameter, &arguments["patch"]) {
            ("patch", "path", Value::String(patch)) => {
                patch.lines().map(|line| (line != "?").then(|| line.to_owned())).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Paths for TestPaths {
    fn directory(&self) -> Option<PathBuf> {
        self.0.directory()
    }

    fn home(&self) -> Option<PathBuf> {
        self.0.home()
    }

    fn locate(&self, text: &str) -> Option<PathBuf> {
        if text.contains('\0') {
            return None;
        }
        self.resolve(&self.0.locate(text)?)
    }

    fn written(&self, text: &str) -> Option<PathBuf> {
        self.0.locate(text)
    }

    fn resolve(&self, path: &Path) -> Option<PathBuf> {
        let mut path = path.to_owned();
        while let Some((link, target)) = LINKS.iter().find(|(link, _)| path.starts_with(link)) {
            let rest = path.strip_prefix(link).expect("it starts with the link");
            path = if rest.as_os_str().is_empty() { target.into() } else { Path::new(target).join(rest) };
        }
        Some(path)
    }
}

/// Judges a call of a tool with these rules.
pub fn judge(rules: &Arc<PermissionSet>, tool: &Tool, environment: Option<&str>, arguments: &Value) -> Verdicts {
    let task = Task::new("test");
    if let Some(kind) = environment {
        task.set_environment(kind);
    }
    let call = Call::new(ToolCall::new(&tool.name, "{}").with_task(&task));
    let permissions = SessionPermissions::new(Arc::clone(rules)).paths(Arc::new(TestFiles));
    permissions.judge(&PermissionCall::new(tool, arguments, &call))
}

/// Returns a tool with this behaviour.
pub fn tool(name: &str, toolset: &str, behaviour: Behaviour) -> Tool {
    let mut tool = Tool::new(name.to_owned(), toolset.to_owned());
    tool.behaviour = behaviour;
    tool
}

/// Returns the word for a verdict.
pub fn word(verdict: Verdict) -> &'static str {
    toolc_tables::Words::word(verdict)
}
