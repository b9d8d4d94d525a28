//! The notices of the packages that a program contains: their names, and the texts of their licenses, as cargo has downloaded them.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::error::Error;
use crate::platform::Platform;
use crate::program::Program;

/// The name of the file.
pub(crate) const FILE: &str = "THIRD-PARTY.txt";

/// How the names of files with licenses begin, in lower case.
const NAMES: [&str; 6] = ["license", "licence", "copying", "notice", "unlicense", "copyright"];

/// Extensions of files that are named after licenses, and are something else.
const OTHER_EXTENSIONS: [&str; 8] = ["c", "h", "json", "py", "rs", "toml", "yaml", "yml"];

/// The text of the license MIT, for packages that name it and contain no text.
const MIT: &str = include_str!("../../LICENSE-MIT");

/// The terms of other licenses, likewise.
const OTHERS: [(&str, &str); 3] = [
    ("BSD-3-Clause", include_str!("../licenses/BSD-3-Clause.txt")),
    ("BSL-1.0", include_str!("../licenses/BSL-1.0.txt")),
    ("MPL-2.0", include_str!("../licenses/MPL-2.0.txt")),
];

/// A package from a registry.
#[derive(Debug)]
struct Package {
    name: String,
    version: String,
    license: String,
    /// Where its source code is.
    source: String,
    authors: Vec<String>,
    folder: PathBuf,
}

/// Returns the notices for a program: each package of a registry whose code it contains on this platform, and the texts of their licenses.
///
/// # Errors
/// If cargo fails, or if a package has no text of its license.
pub(crate) fn notices(program: &Program, platform: &Platform) -> Result<String, Error> {
    let packages = packages(program, platform)?;
    let mut text = format!(
        "The program `{}` contains code of the packages below, and the standard library of Rust (https://github.com/rust-lang/rust, \
         MIT OR Apache-2.0). The texts of the licenses follow the list.\n\n",
        program.name
    );
    // Many packages have the same text.
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in &packages {
        let Package { name, version, license, source, .. } = package;
        let _ = writeln!(text, "{name} {version}: {license}{}{source}", if source.is_empty() { "" } else { ", " });
        for (file, license) in package.licenses()? {
            texts.entry(license).or_default().push(format!("{name} {version}{file}"));
        }
    }
    let mut texts: Vec<(Vec<String>, String)> = texts.into_iter().map(|(text, packages)| (packages, text)).collect();
    texts.sort_unstable();
    let rule = "=".repeat(80);
    for (packages, license) in texts {
        let _ = write!(text, "\n{rule}\n{}\n{rule}\n\n{license}\n", packages.join("\n"));
    }
    Ok(text)
}

/// Returns the packages of registries whose code a program contains.
fn packages(program: &Program, platform: &Platform) -> Result<Vec<Package>, Error> {
    let tree = ["tree", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"];
    let tree = cargo(&[&tree[..], &["--package", program.package, "--target", platform.target()]].concat())?;
    // A line is `NAME vVERSION`, and more for some packages.
    let words = |line: &str| {
        let mut words = line.split(' ');
        Some((words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned()))
    };
    let contained: BTreeSet<(String, String)> = tree.lines().filter_map(words).collect();
    let metadata = cargo(&["metadata", "--format-version", "1"])?;
    let metadata: Value = serde_json::from_str(&metadata)
        .map_err(|error| Error::new(format!("`cargo metadata` printed no valid JSON: {error}")))?;
    let of_registry =
        metadata["packages"].as_array().into_iter().flatten().filter(|package| !package["source"].is_null());
    let mut packages: Vec<Package> = of_registry.filter_map(Package::read).collect();
    packages.retain(|package| contained.contains(&(package.name.clone(), package.version.clone())));
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(packages)
}

impl Package {
    /// Reads a package of `cargo metadata`.
    fn read(value: &Value) -> Option<Self> {
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let texts = value["authors"].as_array().into_iter().flatten();
        Some(Self {
            name: text("name"),
            version: text("version"),
            license: text("license"),
            source: text("repository"),
            authors: texts.filter_map(Value::as_str).map(ToOwned::to_owned).collect(),
            folder: Path::new(value["manifest_path"].as_str()?).parent()?.to_owned(),
        })
    }

    /// Returns the texts of its licenses, each with the path of its file, which begins with ` (`.
    fn licenses(&self) -> Result<Vec<(String, String)>, Error> {
        let mut files = Vec::new();
        license_files(&self.folder, &mut files)
            .map_err(|error| Error::new(format!("failed to read the licenses of {}: {error}", self.name)))?;
        files.sort_unstable();
        let mut texts = Vec::new();
        for file in files {
            let bytes =
                fs::read(&file).map_err(|error| Error::new(format!("failed to read {}: {error}", file.display())))?;
            let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n").trim_matches('\n').to_owned();
            let path = file.strip_prefix(&self.folder).unwrap_or(&file);
            let path = path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
            texts.push((format!(" ({path})"), text));
        }
        if texts.is_empty() {
            texts.push((String::new(), self.usual_text()?));
        }
        Ok(texts)
    }

    /// Returns the usual text of the license, for a package without a text.
    fn usual_text(&self) -> Result<String, Error> {
        let Self { name, version, license, authors, .. } = self;
        let names = |wanted: &str| license.split(['/', ' ']).any(|word| word == wanted) && !license.contains("AND");
        let authors = if authors.is_empty() { format!("the authors of {name}") } else { authors.join(", ") };
        let text = match (MIT.split_once("\n\nPermission"), OTHERS.iter().find(|(other, _)| names(other))) {
            (Some((_, terms)), _) if names("MIT") => {
                format!("MIT License\n\nCopyright (c) {authors}\n\nPermission{terms}")
            }
            (_, Some((_, terms))) => format!("Copyright (c) {authors}\n\n{terms}"),
            _ => {
                return Err(Error::new(format!(
                    "the package {name} {version} contains no text of its license, which is `{license}`: add the text of this license to \
                     packaging/licenses"
                )));
            }
        };
        Ok(text.trim_end().to_owned())
    }
}

/// Adds the files of a folder that are named like licenses, including those of code that the package has copied.
fn license_files(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let kind = entry.file_type()?;
        if kind.is_dir() && !name.starts_with('.') {
            license_files(&entry.path(), files)?;
        }
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_license = NAMES.iter().any(|start| name.starts_with(start)) && !OTHER_EXTENSIONS.contains(&extension);
        if kind.is_file() && is_license {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// Runs cargo in the workspace, and returns what it prints.
fn cargo(args: &[&str]) -> Result<String, Error> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = Command::new(cargo).args(args).arg("--locked").current_dir(workspace).stdin(Stdio::null()).output();
    let output = output.map_err(|error| Error::new(format!("failed to run `cargo {}`: {error}", args[0])))?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(Error::new(format!("`cargo {}` failed: {}", args.join(" "), error.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_without_a_text_has_the_usual_one_of_its_license_or_is_an_error() {
        let package = |license: &str| Package {
            name: "x".to_owned(),
            version: "1.0.0".to_owned(),
            license: license.to_owned(),
            source: String::new(),
            authors: vec!["Ann".to_owned()],
            folder: PathBuf::new(),
        };
        for license in ["MIT", "Apache-2.0 OR MIT", "Apache-2.0/MIT"] {
            let text = package(license).usual_text().unwrap();
            assert!(text.starts_with("MIT License\n\nCopyright (c) Ann\n\nPermission is hereby granted"), "{text}");
            assert!(text.contains("THE SOFTWARE IS PROVIDED \"AS IS\""), "{text}");
        }
        let text = package("BSD-3-Clause").usual_text().unwrap();
        assert!(text.starts_with("Copyright (c) Ann\n\nRedistribution and use"), "{text}");
        for license in ["", "ISC", "MIT AND BSD-3-Clause", "MIT-0"] {
            let error = package(license).usual_text().unwrap_err().to_string();
            assert!(error.contains("the package x 1.0.0") && error.contains(license), "{error}");
        }
    }

    #[test]
    fn each_program_has_the_licenses_of_its_dependencies() {
        let own = fs::read(env::current_exe().unwrap()).unwrap();
        let platform = Platform::read(&own).unwrap();
        for program in crate::program::PROGRAMS {
            let notices = notices(program, &platform).unwrap();
            assert!(notices.contains("serde 1."), "{}", program.name);
        }
    }
}
