//! The fast tests of the workspace, in one program that links once. Tests that run cargo, start many processes or measure
//! their own process are in `../slow`. `tests/README.md` describes the layout.

mod any_order;
mod argument_readers;
mod bench_projects;
mod blocking_calls;
mod build_cache;
mod calls;
mod command_approval;
mod command_rules;
mod consequences;
mod corpora;
mod defects;
mod diagnostics;
mod dialects;
mod export;
mod format_command;
mod function_length;
/// Properties that the fuzz targets share with these tests.
#[expect(unreachable_pub, reason = "in `fuzz/` it is a library")]
#[path = "../../../fuzz/src/lib.rs"]
mod fuzz;
mod gen_command;
mod golden;
mod guides;
mod hidden_module;
mod hooks_and_approval;
mod host_values;
mod hostile_manifests;
mod http_clients;
mod inspect_commands;
mod kept;
mod known_names;
mod layers;
mod links;
mod lint;
mod listed_dialects;
mod manifests_at_build;
mod mutations;
mod odd_names;
mod original;
mod programs;
mod published;
mod python_module;
mod quiet_output;
mod readme;
mod registry_changes;
mod repairs;
mod rewritten_commands;
mod root_names;
mod rules;
mod schema_files;
mod shipped_manifests;
mod syntax;
mod synth;
mod text_rules;
mod token_estimates;
mod turns;
mod unchanged_files;
mod unknown_directories;
mod unsafe_code;
mod unused_dependencies;
mod wire;
mod words;
mod words_in_definitions;
mod wrappers;
