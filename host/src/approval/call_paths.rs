//! Paths of calls, as the file tools locate them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use toolc::behaviour::Parallel;
use toolc::{Call, Tool};
use toolc_environment::Environment;
use toolc_files::patched_files;
use toolc_permissions::{PathSource, Paths};
use toolc_workspace::{Environments, Workspace};

/// The space of the keys of tools that act on files.
const FILES: &str = "files";

/// The environments in which the tools of this host act.
pub(crate) struct CallPaths(pub(crate) Environments);

impl PathSource for CallPaths {
    fn paths<'c>(&'c self, call: &'c Call<'c>) -> Option<Box<dyn Paths + 'c>> {
        let environment = self.0.for_call(call).ok()?;
        let workspace = self.0.workspace(&*environment).ok()?;
        Some(Box::new(EnvironmentPaths { environment, workspace }))
    }

    fn is_path(&self, tool: &Tool, parameter: &str) -> bool {
        matches!(&tool.behaviour.parallel, Parallel::Keyed { key, space } if key == parameter && space == FILES)
    }

    fn other_paths(&self, tool: &str, parameter: &str, arguments: &Value) -> Vec<Option<String>> {
        let patch = arguments["patch"].as_str().filter(|patch| !patch.is_empty());
        let ("patch", "path", Some(patch)) = (tool, parameter, patch) else { return Vec::new() };
        match patched_files(patch, arguments["path"].as_str()) {
            Some(files) => files.into_iter().map(Some).collect(),
            None => vec![None],
        }
    }
}

/// The files of an environment, with its working directory.
struct EnvironmentPaths {
    environment: Arc<dyn Environment>,
    workspace: Workspace,
}

impl Paths for EnvironmentPaths {
    fn directory(&self) -> Option<PathBuf> {
        Some(self.workspace.dir().to_owned())
    }

    fn home(&self) -> Option<PathBuf> {
        self.workspace.home().map(Path::to_owned)
    }

    fn locate(&self, text: &str) -> Option<PathBuf> {
        self.workspace.locate(&*self.environment.files(), text).ok()
    }

    fn written(&self, text: &str) -> Option<PathBuf> {
        Some(self.workspace.absolute(text))
    }

    fn resolve(&self, path: &Path) -> Option<PathBuf> {
        self.environment.files().resolve(path).ok()
    }
}
