//! The programs that are packaged.

/// A program, with what its packages say about it.
#[derive(Debug)]
pub struct Program {
    /// The name of the program and of its packages.
    pub name: &'static str,
    /// The package of this workspace that builds it.
    pub(crate) package: &'static str,
    /// One line.
    pub(crate) summary: &'static str,
    /// The page of the package, in Markdown.
    pub(crate) readme: &'static str,
}

/// The compiler.
pub const COMPILER: Program = Program {
    name: "cargo-toolc",
    package: "cargo-toolc",
    summary: "The compiler and linter of tool manifests for LLM agents",
    readme: include_str!("../../cargo-toolc/README.md"),
};

/// The agent. The compiler has its own packages, because linting in CI needs nothing else, and they are much smaller.
pub const AGENT: Program = Program {
    name: "toolc",
    package: "toolc-host",
    summary: "An agent in the terminal, with tools, plugins and MCP servers",
    readme: include_str!("toolc.md"),
};

/// All programs.
pub const PROGRAMS: [&Program; 2] = [&COMPILER, &AGENT];

/// The licenses: the name of the file, and the text.
pub(crate) const LICENSES: [(&str, &str); 2] =
    [("LICENSE-APACHE", include_str!("../../LICENSE-APACHE")), ("LICENSE-MIT", include_str!("../../LICENSE-MIT"))];

/// The licenses, as SPDX writes them.
pub(crate) const LICENSE: &str = "MIT OR Apache-2.0";
