//! The files of a new project.

use minijinja::context;

use super::toolc_source::ToolcSource;
use crate::failure::Failure;
use crate::{markdown, names};

/// A project to create.
#[derive(Debug)]
pub(crate) struct NewProject {
    /// The name of the package.
    name: String,
    toolc: ToolcSource,
}

/// The files of a project: the path, and the text. A source whose name ends in `.jinja` is a template, with `{{ name }}` and so on.
const FILES: &[(&str, File)] = &[
    (".cargo/config.toml", File::Text(include_str!("project/cargo-config.toml"))),
    (".editorconfig", File::Text(include_str!("project/editorconfig"))),
    (".gitattributes", File::Text(include_str!("project/gitattributes"))),
    (".github/workflows/ci.yml", File::Template(include_str!("project/workflow.yml.jinja"))),
    (".gitignore", File::Text(include_str!("project/gitignore"))),
    (".vscode/extensions.json", File::Text(include_str!("project/vscode-extensions.json"))),
    (".vscode/settings.json", File::Text(include_str!("project/vscode-settings.json"))),
    ("Cargo.toml", File::Template(include_str!("project/Cargo.toml.jinja"))),
    ("README.md", File::Template(include_str!("project/README.md.jinja"))),
    ("build.rs", File::Text(include_str!("project/build.rs"))),
    ("manifests/env.toml", File::Text(include_str!("project/env.toml"))),
    ("manifests/tools/add_note.toml", File::Text(include_str!("project/add_note.toml"))),
    ("manifests/tools/archive_notes.toml", File::Text(include_str!("project/archive_notes.toml"))),
    ("manifests/tools/find_notes.toml", File::Text(include_str!("project/find_notes.toml"))),
    ("manifests/toolsets/notes.toml", File::Text(include_str!("project/notes.toml"))),
    ("src/lib.rs", File::Text(include_str!("project/lib.rs"))),
    ("src/main.rs", File::Template(include_str!("project/main.rs.jinja"))),
    ("tests/tools.rs", File::Template(include_str!("project/tests.rs.jinja"))),
    ("toolc.toml", File::Text(include_str!("project/toolc.toml"))),
    ("xtask/Cargo.toml", File::Text(include_str!("project/xtask.Cargo.toml"))),
    ("xtask/src/compiler.rs", File::Text(include_str!("project/xtask.compiler.rs"))),
    ("xtask/src/main.rs", File::Text(include_str!("project/xtask.main.rs"))),
];

#[derive(Debug)]
enum File {
    Text(&'static str),
    Template(&'static str),
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
        const TYPES: &[&str] = &["AtomicUsize", "Env", "Harness", "Ordering", "Path", "PathBuf"];
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
        // Other sources can differ from the package that has the same version.
        let published = matches!(self.toolc, ToolcSource::Version(_));
        let context = context! {
            published,
            compiler => if published { "cargo-toolc" } else { "cargo xtask" },
            name => &self.name,
            crate_name => crate_name(&self.name),
            rust_version => env!("CARGO_PKG_RUST_VERSION"),
            dependencies => self.toolc.dependencies().trim_end(),
            // A folder with a workspace of its own.
            exclude => match &self.toolc {
                ToolcSource::Inside(folder) => Some(toml_edit::Value::from(folder).to_string()),
                _ => None,
            },
            outside => match &self.toolc {
                ToolcSource::Outside(folder) => Some(folder.to_string_lossy()),
                _ => None,
            },
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
        let is_name = |name: &str| NewProject::new(name, ToolcSource::Version("0.1.0".to_owned())).is_ok();
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
            ToolcSource::Outside(r#"C:\a "quoted" folder"#.into()),
            ToolcSource::Inside("toolc".to_owned()),
            ToolcSource::Git("https://example.org/toolc".to_owned()),
            ToolcSource::Version("0.1.0".to_owned()),
        ];
        for (source, key) in sources.into_iter().zip(["path", "path", "git", "version"]) {
            let is_inside = matches!(source, ToolcSource::Inside(_));
            let is_outside = matches!(source, ToolcSource::Outside(_));
            let files = NewProject::new("agent", source).unwrap().files();
            let text = |path: &str| &files.iter().find(|(found, _)| *found == path).unwrap().1;
            let find = |path: &str| text(path).parse::<toml::Table>().unwrap();
            let (root, xtask) = (find("Cargo.toml"), find("xtask/Cargo.toml"));
            for (table, names) in [
                (&root["dependencies"], &["toolc", "toolc-cli"][..]),
                (&root["dev-dependencies"], &["toolc"]),
                (&root["build-dependencies"], &["toolc-build"]),
                (&xtask["dependencies"], &["toolc-codegen"]),
            ] {
                for name in names {
                    assert_eq!(table[*name]["workspace"].as_bool(), Some(true), "{name}");
                    assert!(root["workspace"]["dependencies"][*name].get(key).is_some(), "{name}");
                }
            }
            assert_eq!(root["workspace"].get("exclude").is_some(), is_inside);
            for path in ["Cargo.toml", "README.md"] {
                assert_eq!(text(path).contains("only on this machine"), is_outside, "{path}");
            }
        }
    }
}
