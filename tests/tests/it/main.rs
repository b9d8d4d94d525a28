//! The fast tests of the workspace, in one program that links once. What runs cargo, starts many processes or measures
//! its own process is in `../slow`. `tests/README.md` describes the layout.

mod agreement;
mod bench_project;
mod bridge;
mod calls;
mod corpora;
mod defects;
mod diagnostics;
mod dialects;
mod docs;
mod flow;
mod format;
/// Properties that the fuzz targets share with these tests.
#[allow(unreachable_pub, dead_code, reason = "in `fuzz/` it is a library")]
#[path = "../../../fuzz/src/lib.rs"]
mod fuzz;
mod gen_command;
mod golden;
mod hostile;
mod layers;
mod ledger;
mod lint;
mod living;
mod mutations;
mod names;
mod order;
mod original;
mod readme;
mod rules;
mod synth;
mod tokens;
mod turns;
mod wire;
mod words;
