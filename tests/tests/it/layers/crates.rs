//! A crate as modules that use each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::uses::{self, ModulePath, Source};

/// The sources of a crate: path relative to the folder of sources, and text.
pub(crate) type Texts = BTreeMap<String, String>;

/// Returns the sources in a folder, without those in `bin`: each program is a crate of its own. A folder that does not exist has
/// no sources.
pub(crate) fn texts(folder: &Path) -> Texts {
    let mut texts = Texts::new();
    if folder.exists() {
        add_texts(folder, "", &mut texts);
    }
    texts.retain(|name, _| !name.starts_with("bin/"));
    texts
}

fn add_texts(folder: &Path, prefix: &str, texts: &mut Texts) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let name = format!("{prefix}{}", path.file_name().expect("an entry has a name").to_string_lossy());
        if path.is_dir() {
            add_texts(&path, &format!("{name}/"), texts);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            texts.insert(name, fs::read_to_string(&path).expect("the file can be read"));
        }
    }
}

/// The sources of a crate, without tests.
#[derive(Clone)]
pub(crate) struct Crate {
    texts: Texts,
    files: Vec<File>,
    /// The position of each module's file.
    modules: BTreeMap<ModulePath, usize>,
    /// The names that `use` declares, with what they mean. Generated modules, whose files are elsewhere, count as other crates.
    names: BTreeMap<ModulePath, Option<ModulePath>>,
}

#[derive(Clone)]
struct File {
    name: String,
    module: ModulePath,
    source: Source,
}

/// A use of a module by another one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrow<'c> {
    pub from: &'c [String],
    pub to: &'c [String],
    file: &'c str,
    line: usize,
}

impl Arrow<'_> {
    /// Returns the place in the sources.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

impl Crate {
    pub(crate) fn new(texts: Texts) -> Self {
        let mut files: Vec<File> = texts.iter().map(|(name, text)| File::new(name, module_of(name), text)).collect();
        let moved: BTreeMap<String, ModulePath> = files.iter().flat_map(File::moved).collect();
        for file in &mut files {
            if let Some(module) = moved.get(&file.name) {
                *file = File::new(&file.name, module.clone(), &texts[&file.name]);
            }
        }
        let for_tests: BTreeSet<ModulePath> = files.iter().flat_map(|file| file.source.test_modules.clone()).collect();
        files.retain(|file| (1..=file.module.len()).all(|length| !for_tests.contains(&file.module[..length])));
        // If a program has a library, too, the modules belong to the program: `main.rs` is after `lib.rs`.
        let modules = files.iter().enumerate().map(|(at, file)| (file.module.clone(), at)).collect();
        let elsewhere = moved.into_iter().filter(|(file, _)| !texts.contains_key(file));
        let names = files.iter().flat_map(|file| file.source.names.clone());
        let names = names.chain(elsewhere.map(|(_, module)| (module, None))).collect();
        Self { texts, files, modules, names }
    }

    /// Returns the crate with a line at the end of a top-level module.
    pub(crate) fn with(&self, module: &str, line: &str) -> Self {
        let mut changed = self.clone();
        let file = changed.files.iter_mut().find(|file| file.module == [module]).expect("the module exists");
        *file = File::new(&file.name, file.module.clone(), &format!("{}\n{line}\n", self.texts[&file.name]));
        changed
    }

    /// Returns all modules.
    pub(crate) fn modules(&self) -> impl Iterator<Item = &[String]> {
        self.files.iter().map(|file| file.module.as_slice())
    }

    /// Returns what modules use of other modules. A re-export of what is below a module is not a use by that module; the use of a
    /// name that is re-exported is a use of the module that declares the name.
    pub(crate) fn arrows(&self) -> Vec<Arrow<'_>> {
        let mut arrows = Vec::new();
        for file in &self.files {
            for used in &file.source.uses {
                let Some(to) = self.module_with(&used.path, 16) else { continue };
                if to != file.module && !(used.is_reexport && to.starts_with(&file.module)) {
                    arrows.push(Arrow { from: &file.module, to, file: &file.name, line: used.line });
                }
            }
        }
        arrows
    }

    /// Returns the module that has an item, following at most as many re-exports.
    fn module_with(&self, path: &[String], reexports: usize) -> Option<&[String]> {
        let known = (0..=path.len()).rev().find(|length| self.modules.contains_key(&path[..*length]));
        let declared = (1..=path.len()).find(|length| self.names.contains_key(&path[..*length]));
        match declared.filter(|length| Some(*length) > known) {
            Some(length) => {
                let target = self.names[&path[..length]].as_ref().filter(|_| reexports > 0)?;
                self.module_with(&[target, &path[length..]].concat(), reexports - 1)
            }
            None => Some(&self.files[self.modules[&path[..known?]]].module),
        }
    }
}

impl File {
    fn new(name: &str, module: ModulePath, text: &str) -> Self {
        let source = uses::read(&module, text).unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { name: name.to_owned(), module, source }
    }

    /// Returns the files that `#[path]` names in this one, with their modules.
    fn moved(&self) -> impl Iterator<Item = (String, ModulePath)> {
        let folder = self.name.rfind('/').map_or("", |end| &self.name[..=end]);
        self.source.moved.iter().map(move |(file, module)| (format!("{folder}{file}"), module.clone()))
    }
}

/// Returns the path of a file's module.
fn module_of(file: &str) -> ModulePath {
    let path = file.strip_suffix(".rs").unwrap_or(file);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if path == "lib" || path == "main" { ModulePath::new() } else { path.split('/').map(str::to_owned).collect() }
}
