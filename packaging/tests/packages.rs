//! The content of the packages, as other programs read it. The packaged program is this test itself.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use toolc_packaging::{COMPILER, PLATFORMS, Packages, Platform, VERSION, write};

/// The files of an archive: the content, and the permissions.
type Files = BTreeMap<String, (Vec<u8>, u32)>;

/// Packages that several tests read, in a folder that exists as long as they run.
static PACKAGES: LazyLock<(Packages, TempDir)> = LazyLock::new(|| {
    let out = TempDir::new().unwrap();
    (packages(out.path()), out)
});

fn packages(out: &Path) -> Packages {
    write(&COMPILER, &env::current_exe().unwrap(), out).unwrap()
}

fn wheel(path: &Path) -> Files {
    let mut zip = zip::ZipArchive::new(File::open(path).unwrap()).unwrap();
    let count = zip.len();
    let read = |index| {
        let mut file = zip.by_index(index).unwrap();
        let mut content = Vec::new();
        file.read_to_end(&mut content).unwrap();
        (file.name().unwrap().into_owned(), (content, file.unix_mode().unwrap() & 0o777))
    };
    (0..count).map(read).collect()
}

fn npm(path: &Path) -> Files {
    let mut tar = tar::Archive::new(GzDecoder::new(File::open(path).unwrap()));
    let read = |file: std::io::Result<tar::Entry<'_, _>>| {
        let mut file = file.unwrap();
        let mut content = Vec::new();
        file.read_to_end(&mut content).unwrap();
        (file.path().unwrap().display().to_string(), (content, file.header().mode().unwrap()))
    };
    tar.entries().unwrap().map(read).collect()
}

fn text(files: &Files, path: &str) -> String {
    let (content, mode) = &files.get(path).unwrap_or_else(|| panic!("{path}: {:?}", files.keys()));
    assert_eq!(*mode, 0o644, "{path}");
    String::from_utf8(content.clone()).unwrap()
}

#[test]
fn a_wheel_lists_each_of_its_files_with_its_digest() {
    let Packages { platform, wheel: path, .. } = &PACKAGES.0;
    let name = path.file_name().unwrap().to_str().unwrap();
    assert_eq!(name, format!("cargo_toolc-{VERSION}-py3-none-{}.whl", platform.wheel_tags()));
    let files = wheel(path);
    let base = format!("cargo_toolc-{VERSION}");
    let mut listed = 0;
    for line in text(&files, &format!("{base}.dist-info/RECORD")).lines() {
        let [path, digest, size] = line.split(',').collect::<Vec<_>>().try_into().unwrap();
        let (content, _) = &files[path];
        listed += 1;
        if path.ends_with("/RECORD") {
            assert_eq!((digest, size), ("", ""));
            continue;
        }
        assert_eq!(size, content.len().to_string(), "{path}");
        assert_eq!(digest, format!("sha256={}", URL_SAFE_NO_PAD.encode(Sha256::digest(content))), "{path}");
    }
    assert_eq!(listed, files.len());

    let program = format!("{base}.data/scripts/cargo-toolc{}", env::consts::EXE_SUFFIX);
    let (content, mode) = &files[&program];
    assert!(*content == fs::read(env::current_exe().unwrap()).unwrap() && *mode == 0o755);
    let metadata = text(&files, &format!("{base}.dist-info/METADATA"));
    for line in ["Name: cargo-toolc", &format!("Version: {VERSION}"), "License-Expression: MIT OR Apache-2.0"] {
        assert!(metadata.lines().any(|found| found == line), "{metadata}");
    }
    let tags = text(&files, &format!("{base}.dist-info/WHEEL"));
    let tags: Vec<_> = tags.lines().filter_map(|line| line.strip_prefix("Tag: py3-none-")).collect();
    assert_eq!(tags.join("."), platform.wheel_tags());
    for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
        assert!(!text(&files, &format!("{base}.dist-info/licenses/{license}")).is_empty());
    }
}

#[test]
fn the_launcher_depends_on_the_package_of_each_platform() {
    let Packages { launcher, npm: program, .. } = &PACKAGES.0;
    let about = |files: &Files| serde_json::from_str::<Value>(&text(files, "package/package.json")).unwrap();
    let (launcher, program) = (npm(launcher), npm(program));
    let main = about(&launcher);
    assert_eq!(main["name"], "cargo-toolc");
    assert_eq!(main["bin"], json!({ "cargo-toolc": "bin/cargo-toolc.js" }));
    let packages = main["optionalDependencies"].as_object().unwrap();
    assert_eq!(packages.len(), PLATFORMS.len());
    assert!(packages.values().all(|version| version == VERSION));
    let (script, mode) = &launcher["package/bin/cargo-toolc.js"];
    let script = String::from_utf8(script.clone()).unwrap();
    assert!(*mode == 0o755 && script.starts_with("#!/usr/bin/env node\n") && !script.contains("{{"), "{script}");

    let own = about(&program);
    assert!(packages.contains_key(own["name"].as_str().unwrap()), "{own}");
    let place = format!("{}-{}", own["os"][0].as_str().unwrap(), own["cpu"][0].as_str().unwrap());
    assert_eq!(own["name"], format!("@toolc/cargo-toolc-{place}"));
    let (content, mode) = &program[&format!("package/bin/cargo-toolc{}", env::consts::EXE_SUFFIX)];
    assert!(*content == fs::read(env::current_exe().unwrap()).unwrap() && *mode == 0o755);
}

/// The packages that cargo compiles into the program, and the texts of their licenses, are in each package with the program.
#[test]
fn a_package_names_each_dependency_of_its_program_and_has_its_license() {
    let Packages { wheel: path, npm: program, launcher, .. } = &PACKAGES.0;
    let notices = text(&wheel(path), &format!("cargo_toolc-{VERSION}.dist-info/licenses/THIRD-PARTY.txt"));
    assert_eq!(text(&npm(program), "package/THIRD-PARTY.txt"), notices);
    assert!(!npm(launcher).contains_key("package/THIRD-PARTY.txt"), "it contains no program");
    let metadata = text(&wheel(path), &format!("cargo_toolc-{VERSION}.dist-info/METADATA"));
    assert!(metadata.contains("\nLicense-File: THIRD-PARTY.txt\n"), "{metadata}");

    let (list, texts) = notices.split_once("\n=====").unwrap();
    let mut tree = std::process::Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    tree.args(["tree", "--locked", "--package", "cargo-toolc", "--edges", "normal,no-proc-macro", "--prefix", "none"]);
    let tree = tree.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    let tree = String::from_utf8(tree.stdout).unwrap();
    let mut count = 0;
    // A package of the workspace has the path of its folder.
    for line in tree.lines().filter(|line| !line.contains(env!("CARGO_MANIFEST_DIR").trim_end_matches("packaging"))) {
        let [name, version] = line.split(' ').take(2).collect::<Vec<_>>().try_into().unwrap();
        let package = format!("{name} {}", version.trim_start_matches('v'));
        let listed = list.lines().find_map(|line| line.strip_prefix(&format!("{package}: ")));
        assert!(
            listed.is_some_and(|license| !license.is_empty() && !license.starts_with(',')),
            "{package}: {listed:?}"
        );
        let has_text = texts.lines().any(|line| line == package || line.starts_with(&format!("{package} (")));
        assert!(has_text, "{package} has no text of its license");
        count += 1;
    }
    assert!(count > 50, "{tree}");
    // The text of a folder with code of others, and the usual text for a package without one.
    for known in ["Apache License", "Permission is hereby granted", "(src/unicode_tables/LICENSE-UNICODE)"] {
        assert!(texts.contains(known), "{known}");
    }
}

#[test]
fn packages_of_the_same_program_have_the_same_bytes() {
    let read = |path: &Path| fs::read(path).unwrap();
    let out = TempDir::new().unwrap();
    let (first, second) = (&PACKAGES.0, packages(out.path()));
    for (one, other) in [(&first.wheel, second.wheel), (&first.launcher, second.launcher), (&first.npm, second.npm)] {
        assert_eq!(one.file_name(), other.file_name());
        assert!(read(one) == read(&other), "{}", one.display());
    }
}

#[test]
fn a_file_that_is_not_a_program_is_refused_and_nothing_is_written() {
    let folder = TempDir::new().unwrap();
    let (binary, out) = (folder.path().join("cargo-toolc"), folder.path().join("out"));
    fs::write(&binary, "#!/bin/sh\n").unwrap();
    let error = write(&COMPILER, &binary, &out).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: not a program: ", binary.display())), "{error}");
    let missing = write(&COMPILER, &folder.path().join("missing"), &out).unwrap_err().to_string();
    assert!(missing.starts_with("failed to read "), "{missing}");
    assert!(!out.exists());
}

/// The dynamic linker of glibc lists the same versions as this crate reads.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn a_program_for_linux_names_the_glibc_that_it_needs() {
    let program = fs::read(env::current_exe().unwrap()).unwrap();
    let tags = Platform::read(&program).unwrap().wheel_tags();
    let minor = tags.strip_prefix("manylinux_2_").and_then(|rest| rest.split('_').next()?.parse::<u32>().ok()).unwrap();
    // The names of versions are texts in the program.
    let texts = program.split(|byte| *byte == 0).filter_map(|text| text.strip_prefix(b"GLIBC_2."));
    let newest = texts.filter_map(|minor| str::from_utf8(minor).ok()?.split('.').next()?.parse().ok()).max();
    assert_eq!(minor, newest.map_or(17, |newest: u32| newest.max(17)), "{tags}");
}
