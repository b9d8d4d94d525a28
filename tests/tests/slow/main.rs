//! The slow tests of the workspace: they run cargo or many processes, or measure their own process. One program, apart from
//! the fast one in `../it`. `tests/README.md` describes the layout.

mod bfcl;
mod build_script;
mod compiled;
mod grammars;
mod instructions;
mod killed_gen;
mod languages;
mod lean_runtime;
mod programs;
mod python;
mod report_paths;
mod sdks;
mod skill_scripts;
mod stress;
mod strict_check;
mod text_rules;
mod typescript;
mod vendor_fields;
mod watch;
