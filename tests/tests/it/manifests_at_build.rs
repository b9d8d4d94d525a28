//! A build script compares the manifests with those of the last run of gen, whatever lies among them.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use toolc_build::{Change, ChangesError};

#[test]
fn a_build_neither_waits_for_a_pipe_nor_follows_links_without_end() {
    let project = tempfile::tempdir().expect("failed to make a folder");
    let (root, tools) = (project.path(), project.path().join("manifests/tools"));
    fs::create_dir_all(&tools).expect("failed to make a folder");
    fs::create_dir(root.join("generated")).expect("failed to make a folder");
    fs::write(root.join("generated/manifests.txt"), "").expect("failed to write");
    fs::write(tools.join("a.toml"), "").expect("failed to write");
    assert_eq!(toolc_build::changes(root), Ok(vec![Change::Added("manifests/tools/a.toml".to_owned())]));

    let error = || match toolc_build::changes(root) {
        Err(ChangesError::Unreadable(message)) => message,
        other => panic!("{other:?}"),
    };
    let pipe = tools.join("pipe.toml");
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()));
    assert!(error().ends_with("pipe.toml: it is not a file"), "{}", error());
    fs::remove_file(pipe).expect("failed to remove");
    let large = tools.join("large.toml");
    fs::File::create(&large).and_then(|file| file.set_len(5 << 20)).expect("failed to write");
    assert!(error().ends_with("it is larger than 4194304 bytes"), "{}", error());
    fs::remove_file(large).expect("failed to remove");
    // Each folder has two links to the next one, so the number of paths is 2^18.
    for depth in 0..18 {
        let folder = tools.join(format!("{depth}"));
        fs::create_dir(&folder).expect("failed to make a folder");
        for name in ["left", "right"] {
            symlink(format!("../{}", depth + 1), folder.join(name)).expect("failed to link");
        }
    }
    fs::create_dir(tools.join("18")).expect("failed to make a folder");
    assert!(
        error().contains(
            "there are more than 100000 files and folders among the manifests; a link may lead to a parent folder"
        ),
        "{}",
        error()
    );
}
