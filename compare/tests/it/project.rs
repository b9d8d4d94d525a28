//! Projects in temporary folders, with repositories.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A folder of a test.
pub(crate) struct Project(TempDir);

impl Project {
    /// Creates a folder with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(tempfile::tempdir().expect("a folder can be created"));
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder can be created");
        fs::write(path, text).expect("a file can be written");
    }

    /// Runs git in the folder.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        git(self.path(), args)
    }

    /// Creates a repository with everything in the folder as its first commit, and the tag `old` at it.
    pub(crate) fn commit(self) -> Self {
        self.git(&["init", "-q", "-b", "main"]);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "first"]);
        self.git(&["tag", "old"]);
        self
    }
}

/// Runs git, without the settings of the user.
pub(crate) fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(args);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.output().expect("git runs");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it is text")
}

/// A toolset, and a tool with these parameters.
pub(crate) const TOOLSET: &str = "name = \"notes\"\ndescription = \"Notes.\"\n";

/// Returns a tool with this name and these parameters.
pub(crate) fn tool(name: &str, rest: &str) -> String {
    format!("name = \"{name}\"\ntoolset = \"notes\"\ndescription = \"Adds a note to the list.\"\n{rest}")
}

/// Returns the names of the tools of declarations.
pub(crate) fn names(declarations: &serde_json::Value) -> Vec<&str> {
    declarations["tools"].as_array().expect("a list").iter().map(|tool| tool["name"].as_str().expect("text")).collect()
}
