//! Writes the list of the bundled skills, with their files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder =
        PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../skills").canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    find(&folder, &mut files)?;
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        let path = file.strip_prefix(&folder).expect("it is in the folder");
        let names: Vec<_> = path.iter().map(|name| name.to_str().expect("names are UTF-8")).collect();
        // A skill is `CATEGORY/NAME`.
        if let [category, name, rest @ ..] = &names[..]
            && !rest.is_empty()
        {
            let skill = format!("{category}/{name}");
            let _ = writeln!(
                list,
                "    ({skill:?}, {:?}, include_bytes!({:?})),",
                rest.join("/"),
                file.display().to_string()
            );
        }
    }
    list += "]\n";
    fs::write(Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("bundled.rs"), list)
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() { find(&entry.path(), files)? } else { files.push(entry.path()) }
    }
    Ok(())
}
