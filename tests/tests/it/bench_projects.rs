//! The committed projects that the benchmarks compile are what `synth` and gen write.

use std::fs;
use std::path::{Path, PathBuf};

use toolc_codegen::cli::capture;
use toolc_tests::synth;

fn root(project: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("projects").join(project)
}

#[test]
fn generated_files_of_benchmark_projects_are_up_to_date() {
    for project in ["bench", "smallest"] {
        let (status, out, err) = capture(["--root", &root(project).display().to_string(), "gen", "--check"]);
        assert_eq!((status, err.as_str()), (0, ""), "{project}: {out}");
    }
}

#[test]
fn benchmark_manifests_are_the_output_of_synth_and_three_written_by_hand() {
    let root = root("bench");
    let mut expected: Vec<String> = [
        "manifests/tools/open_page.toml",
        "manifests/tools/send_reply.toml",
        "manifests/tools/trivial.toml",
        "manifests/toolsets/bench.toml",
    ]
    .map(String::from)
    .into();
    for (path, text) in synth::project(37, 0) {
        let found =
            fs::read_to_string(root.join(&path)).unwrap_or_else(|error| panic!("failed to read {path}: {error}"));
        assert_eq!(found, text, "{path}: write it again with `synth 37`");
        expected.push(path);
    }
    let mut found: Vec<String> = Vec::new();
    for folder in ["manifests/tools", "manifests/toolsets"] {
        for entry in fs::read_dir(root.join(folder)).expect("failed to read the manifests") {
            found.push(format!("{folder}/{}", entry.expect("failed to read the manifests").file_name().display()));
        }
    }
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}
