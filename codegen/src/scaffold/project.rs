//! The files of a new project.

use std::path::{Path, PathBuf};

use minijinja::context;

use crate::failure::Failure;
use crate::{markdown, names};

/// A project to create.
#[derive(Debug)]
pub(crate) struct NewProject {
    /// The name of the package.
    name: String,
    toolc: ToolcSource,
}

/// Where the crates of toolc come from.
#[derive(Debug)]
pub(crate) enum ToolcSource {
    /// A copy of toolc's repository.
    Path(PathBuf),
    /// A Git repository.
    Git(String),
    /// The registry.
    Version(&'static str),
}

/// The files of a project: the path, and the text. A source whose name ends in `.jinja` is a template, with `{{ name }}` and so on.
const FILES: &[(&str, File)] = &[
    (".cargo/config.toml", File::Text(include_str!("project/cargo-config.toml"))),
    (".editorconfig", File::Text(include_str!("project/editorconfig"))),
    (".gitattributes", File::Text(include_str!("project/gitattributes"))),
    (".github/workflows/ci.yml", File::Text(include_str!("project/workflow.yml"))),
    (".gitignore", File::Text(include_str!("project/gitignore"))),
    (".vscode/extensions.json", File::Text(include_str!("project/vscode-extensions.json"))),
    (".vscode/settings.json", File::Text(include_str!("project/vscode-settings.json"))),
    ("Cargo.toml", File::Template(include_str!("project/Cargo.toml.jinja"))),
    ("README.md", File::Template(include_str!("project/README.md.jinja"))),
    ("build.rs", File::Text(include_str!("project/build.rs"))),
    ("manifests/tools/add_note.toml", File::Text(include_str!("project/add_note.toml"))),
    ("manifests/tools/find_notes.toml", File::Text(include_str!("project/find_notes.toml"))),
    ("manifests/toolsets/notes.toml", File::Text(include_str!("project/notes.toml"))),
    ("src/lib.rs", File::Text(include_str!("project/lib.rs"))),
    ("src/main.rs", File::Template(include_str!("project/main.rs.jinja"))),
    ("tests/tools.rs", File::Template(include_str!("project/tests.rs.jinja"))),
    ("toolc.toml", File::Text(include_str!("project/toolc.toml"))),
    ("xtask/Cargo.toml", File::Template(include_str!("project/xtask.Cargo.toml.jinja"))),
    ("xtask/src/main.rs", File::Text(include_str!("project/xtask.main.rs"))),
];

#[derive(Debug)]
enum File {
    Text(&'static str),
    Template(&'static str),
}

impl ToolcSource {
    /// Returns the repository from which this compiler was built, if it still exists, or else the registry.
    pub(crate) fn of_this_compiler() -> Self {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
        match repository.filter(|folder| is_repository(folder)) {
            Some(folder) => ToolcSource::Path(folder.to_owned()),
            None => ToolcSource::Version(env!("CARGO_PKG_VERSION")),
        }
    }

    /// Returns a copy of toolc's repository in a folder.
    ///
    /// # Errors
    /// If the folder does not contain toolc's crates.
    pub(crate) fn path(folder: &Path) -> Result<Self, Failure> {
        let absolute = folder.canonicalize().map_err(|error| Failure::io("find", folder, &error))?;
        if !is_repository(&absolute) {
            let message = format!("{} is not toolc's repository: it has no runtime/Cargo.toml", folder.display());
            return Err(Failure::new(message));
        }
        Ok(ToolcSource::Path(absolute))
    }

    /// Returns the source of a dependency on the crate in `folder` of the repository, such as `path = "..."`.
    fn dependency(&self, folder: &str) -> String {
        let text = |value: &str| toml_edit::Value::from(value).to_string();
        match self {
            ToolcSource::Path(repository) => format!("path = {}", text(&repository.join(folder).to_string_lossy())),
            ToolcSource::Git(url) => format!("git = {}", text(url)),
            ToolcSource::Version(version) => format!("version = {}", text(version)),
        }
    }
}

fn is_repository(folder: &Path) -> bool {
    ["runtime", "cli", "codegen", "build"].iter().all(|krate| folder.join(krate).join("Cargo.toml").is_file())
}

impl NewProject {
    /// Returns a project with a package of this name.
    ///
    /// # Errors
    /// If cargo would not accept the name.
    pub(crate) fn new(name: &str, toolc: ToolcSource) -> Result<Self, Failure> {
        /// The names of Rust's own crates, and of other crates in a new project.
        const TAKEN: &[&str] = &[
            "alloc",
            "core",
            "proc_macro",
            "serde_json",
            "std",
            "test",
            "toolc",
            "toolc_build",
            "toolc_cli",
            "toolc_codegen",
            "xtask",
        ];
        /// The names of types in the tests of a new project.
        const TYPES: &[&str] = &["AtomicUsize", "Harness", "Ordering", "Path"];
        /// The names of folders that cargo writes next to the programs.
        const CARGO: &[&str] = &["build", "deps", "examples", "incremental"];
        let is_plain = name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let crate_name = crate_name(name);
        let problem = if !is_plain {
            "a name consists of letters, digits, `-` and `_`, and begins with a letter"
        } else if TAKEN.contains(&&*crate_name) {
            "another crate of the project has this name"
        } else if TYPES.contains(&&*crate_name) {
            "a type in the tests of the project has this name"
        } else if CARGO.contains(&name) {
            "cargo has a folder of this name next to the program"
        } else if names::is_keyword(&crate_name) {
            "it is a keyword of Rust"
        } else {
            return Ok(Self { name: name.to_owned(), toolc });
        };
        Err(Failure::new(format!(
            "`{name}` cannot be the name of a package: {problem}; pass another one with --name NAME"
        )))
    }

    /// Returns the files: the path relative to the project, and the text.
    pub(crate) fn files(&self) -> Vec<(&'static str, String)> {
        let context = context! {
            name => &self.name,
            crate_name => crate_name(&self.name),
            rust_version => env!("CARGO_PKG_RUST_VERSION"),
            toolc => self.toolc.dependency("runtime"),
            toolc_build => self.toolc.dependency("build"),
            toolc_cli => self.toolc.dependency("cli"),
            toolc_codegen => self.toolc.dependency("codegen"),
        };
        // The renderer drops the line break at the end.
        let render = |template: &str| format!("{}\n", markdown::render(template, context.clone()));
        let text = |file: &File| match file {
            File::Text(text) => (*text).to_owned(),
            File::Template(template) => render(template),
        };
        FILES.iter().map(|(path, file)| (*path, text(file))).collect()
    }
}

fn crate_name(package: &str) -> String {
    package.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_cargo_accepts_are_names_of_projects() {
        let is_name = |name: &str| NewProject::new(name, ToolcSource::Version("0.1.0")).is_ok();
        for name in ["agent", "my-agent", "a_1", "Agent"] {
            assert!(is_name(name), "{name}");
        }
        for name in [
            "",
            "1a",
            "-a",
            "a b",
            "é",
            "a.b",
            "../a",
            "toolc",
            "toolc-cli",
            "xtask",
            "test",
            "fn",
            "gen",
            "toolc-codegen",
            "build",
            "deps",
            "Path",
            "Harness",
        ] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn every_kind_of_dependency_is_toml() {
        let sources = [
            ToolcSource::Path(r#"C:\a "quoted" folder"#.into()),
            ToolcSource::Git("https://example.org/toolc".to_owned()),
            ToolcSource::Version("0.1.0"),
        ];
        for (source, key) in sources.into_iter().zip(["path", "git", "version"]) {
            let files = NewProject::new("agent", source).unwrap().files();
            let find =
                |path: &str| files.iter().find(|(found, _)| *found == path).unwrap().1.parse::<toml::Table>().unwrap();
            for (table, names) in [
                ("dependencies", &["toolc", "toolc-cli"][..]),
                ("dev-dependencies", &["toolc"]),
                ("build-dependencies", &["toolc-build"]),
            ] {
                for name in names {
                    assert!(find("Cargo.toml")[table][*name].get(key).is_some(), "{name}");
                }
            }
            assert!(find("xtask/Cargo.toml")["dependencies"]["toolc-codegen"].get(key).is_some());
        }
    }
}
