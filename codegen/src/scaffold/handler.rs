//! Adds the handler of a new tool to the Rust source of a project: a method that returns an error, and a test that expects the error.
//! Nothing else in these files changes.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use super::FileChanges;
use super::rust_file::{ImplPlace, RustFile};
use super::toolc_source::is_repository;
use crate::names;

/// The largest source file that is read.
const MAX_BYTES: u64 = 1 << 20;
/// The line length up to which rustfmt keeps a signature on one line.
const MAX_WIDTH: usize = 100;

/// A tool that needs a handler.
#[derive(Debug)]
pub(crate) struct NewHandler<'a> {
    pub(crate) tool: &'a str,
    pub(crate) toolset: &'a str,
    pub(crate) is_async: bool,
}

/// Where the handler of a tool was added.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// In this file, and perhaps a test in another one.
    To { file: PathBuf, tests: Option<PathBuf> },
    /// Nowhere, because the place is not clear. The user must add the method.
    Nowhere { reason: String, method: String },
}

impl NewHandler<'_> {
    /// Adds the handler and its test to the Rust files below `root`, except those of the folders `generated`.
    pub(crate) fn add(&self, root: &Path, generated: &[PathBuf], changes: &mut FileChanges) -> Added {
        let sources = sources(root, generated, &names::handlers(self.toolset).to_string());
        let (source, text) = match self.place(&sources) {
            Ok(place) => place,
            Err(reason) => {
                let method = self.method("", &format!("{}::", self.module()), |name| format!("toolc::{name}"));
                return Added::Nowhere { reason, method };
            }
        };
        changes.replace(source.path.clone(), source.text.clone(), text);
        let tests = self.add_test(root, &source.path, changes);
        Added::To { file: source.path.clone(), tests }
    }

    /// Returns the file that gets the method, and its new text; or the reason why the place is not clear.
    fn place<'s>(&self, sources: &'s [Source]) -> Result<(&'s Source, String), String> {
        let trait_name = names::handlers(self.toolset).to_string();
        match &places(sources, &trait_name, RustFile::implementations)[..] {
            [(source, place)] => Ok((source, self.in_implementation(source, place)?)),
            [] => match &places(sources, "Handlers", RustFile::struct_expressions)[..] {
                [(source, place)] => Ok((source, self.with_handlers(source, place)?)),
                [] => Err(format!("no type implements `{trait_name}`, and no `Handlers {{ .. }}` lists the handlers")),
                several => {
                    Err(format!("no type implements `{trait_name}`, and `Handlers {{ .. }}` is in {}", list(several)))
                }
            },
            several => Err(format!("several types implement `{trait_name}`: in {}", list(several))),
        }
    }

    /// Returns the text of a file with the method in the implementation of the trait.
    fn in_implementation(&self, source: &Source, place: &ImplPlace<'_>) -> Result<String, String> {
        let path = place
            .module
            .as_deref()
            .ok_or_else(|| source.does_not_import(&names::handlers(self.toolset).to_string()))?;
        let close = place.close;
        let indent = indent_of_line(&source.text, close);
        let method = self.method(&format!("{indent}    "), &self.tools_module(path), |name| place.toolc_item(name));
        let body = source.text[place.open + 1..close].trim_end();
        let separator = if body.is_empty() { "\n" } else { "\n\n" };
        let (before, after) = (source.text[..close].trim_end(), &source.text[close..]);
        Ok(format!("{before}{separator}{method}{indent}{after}"))
    }

    /// Returns the text of a file with a new type that implements the trait, and the type in `Handlers { .. }`.
    fn with_handlers(&self, source: &Source, place: &ImplPlace<'_>) -> Result<String, String> {
        let path = place.module.as_deref().ok_or_else(|| source.does_not_import("Handlers"))?;
        let field = names::module(self.toolset);
        if place.fields.iter().any(|found| field == found) {
            let trait_name = names::handlers(self.toolset);
            return Err(format!(
                "no type implements `{trait_name}`, and `Handlers {{ .. }}` in {} already has `{field}`",
                source.path.display()
            ));
        }
        if place.is_nested {
            return Err(format!("`Handlers {{ .. }}` is in a module of {}", source.path.display()));
        }
        let prefix = if path.is_empty() { String::new() } else { format!("{path}::") };
        let plain = names::plain(&names::pascal(&[self.toolset]));
        let stem = format!("{}Handlers", plain.trim_end_matches('_'));
        let mut type_name = stem.clone();
        let mut number = 1;
        while source.file.has_name(&type_name) {
            number += 1;
            type_name = format!("{stem}{number}");
        }
        let mut before = source.text[..place.close].trim_end().to_owned();
        if let Some(end) = place.missing_comma(&source.text) {
            before.insert(end, ',');
        }
        let after = &source.text[place.close..];
        let is_one_line = !source.text[place.open..place.close].contains('\n');
        let close_indent = indent_of_line(&source.text, place.close);
        let expression = if is_one_line {
            format!("{before} {field}: {type_name} {after}")
        } else {
            format!("{before}\n{close_indent}    {field}: {type_name},\n{close_indent}{after}")
        };
        // The expression is before the end of the code, so the end has moved.
        let end = source.file.end_of_code(&source.text) + expression.len() - source.text.len();
        let (code, tests) = expression.split_at(end);
        let method = self.method("    ", &self.tools_module(path), |name| place.toolc_item(name));
        let trait_name = names::handlers(self.toolset);
        let new = format!("struct {type_name};\n\nimpl {prefix}{trait_name} for {type_name} {{\n{method}}}\n");
        let gap = if tests.is_empty() { "" } else { "\n" };
        Ok(format!("{}\n\n{new}{gap}{tests}", code.trim_end()))
    }

    /// Returns the method, with its line break.
    fn method(&self, indent: &str, module: &str, toolc_item: impl Fn(&str) -> String) -> String {
        let (name, tool_module) = (names::snake(self.tool), names::module(self.tool));
        let asyncness = if self.is_async { "async " } else { "" };
        let args = format!("_args: {module}{tool_module}::Args");
        let (call, result) = (format!("_call: &{}<'_>", toolc_item("Call")), toolc_item("ToolResult"));
        let line = format!("{indent}{asyncness}fn {name}(&self, {args}, {call}) -> {result} {{");
        let signature = if line.len() <= MAX_WIDTH {
            line
        } else {
            let parameter = |text: &str| format!("{indent}    {text},\n");
            let parameters: String = ["&self", &args, &call].map(parameter).concat();
            format!("{indent}{asyncness}fn {name}(\n{parameters}{indent}) -> {result} {{")
        };
        let error = toolc_item("ToolError");
        format!("{signature}\n{indent}    Err({error}::new(\"`{}` is not implemented\"))\n{indent}}}\n", self.tool)
    }

    /// Returns the path of the toolset's module, with `::` at its end. `path` is the module that contains the trait or `Handlers`.
    fn tools_module(&self, path: &str) -> String {
        let module = self.module();
        match path.rsplit("::").next() {
            Some("") | None => format!("{module}::"),
            Some(last) if last == module => format!("{path}::"),
            Some(_) => format!("{path}::{module}::"),
        }
    }

    fn module(&self) -> String {
        names::module(self.toolset).to_string()
    }

    /// Adds a test to a file in `tests/` of the handler's package that has a function `harness()`. Returns the file.
    fn add_test(&self, root: &Path, handler: &Path, changes: &mut FileChanges) -> Option<PathBuf> {
        let packages = handler.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
        let package = packages.into_iter().find(|folder| folder.join("Cargo.toml").is_file())?;
        let mut files: Vec<PathBuf> =
            fs::read_dir(package.join("tests")).ok()?.filter_map(Result::ok).map(|entry| entry.path()).collect();
        files.sort();
        let name = names::plain(&names::snake(self.tool));
        let test = format!("{}_is_not_implemented", name.trim_end_matches('_'));
        let Source { path, text: before, .. } = files.into_iter().find_map(|path| {
            let source = Source::read(path, &["fn harness()"])?;
            (source.file.has_function("harness") && !source.file.has_name(&test)).then_some(source)
        })?;
        let after = format!(
            "{}\n\n#[test]\nfn {test}() {{\n    let response = harness().call(\"{}\", \"{{}}\");\n    \
             toolc::testing::assert_reply!(response, Err(Failed, \"not implemented\"));\n}}\n",
            before.trim_end(),
            self.tool,
        );
        changes.replace(path.clone(), before, after);
        Some(path)
    }
}

/// A source file of the project.
struct Source {
    path: PathBuf,
    text: String,
    file: RustFile,
}

impl Source {
    /// Reads a file. Returns `None` if it is not a Rust file, contains none of these words, or is not valid Rust.
    fn read(path: PathBuf, words: &[&str]) -> Option<Self> {
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        if !is_rust || fs::metadata(&path).ok()?.len() > MAX_BYTES {
            return None;
        }
        let text = fs::read_to_string(&path).ok().filter(|text| words.iter().any(|word| text.contains(word)))?;
        let file = RustFile::parse(&text)?;
        Some(Self { path, text, file })
    }

    fn does_not_import(&self, name: &str) -> String {
        format!("{} does not import `{name}` by its name", self.path.display())
    }
}

/// Reads the Rust files of a project that may implement the trait or list the handlers: not generated files, tests, examples, or
/// what git ignores.
fn sources(root: &Path, generated: &[PathBuf], trait_name: &str) -> Vec<Source> {
    /// Folders without handlers.
    const SKIPPED: [&str; 5] = ["tests", "examples", "benches", "fuzz", "target"];
    let generated = generated.to_vec();
    let is_read = move |entry: &DirEntry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_skipped = is_folder && SKIPPED.iter().any(|skipped| entry.file_name() == *skipped);
        let is_toolc = is_folder && is_repository(entry.path());
        entry.depth() == 0 || !is_skipped && !is_toolc && !generated.iter().any(|folder| entry.path() == folder)
    };
    let files = WalkBuilder::new(root).filter_entry(is_read).sort_by_file_path(Path::cmp).build();
    let words = [trait_name, "Handlers"];
    files.filter_map(Result::ok).filter_map(|entry| Source::read(entry.into_path(), &words)).collect()
}

/// Returns the places that `find` finds for a name in all files.
fn places<'s>(
    sources: &'s [Source],
    name: &str,
    find: impl Fn(&'s RustFile, &str) -> Vec<ImplPlace<'s>>,
) -> Vec<(&'s Source, ImplPlace<'s>)> {
    let files = sources.iter().filter(|source| source.text.contains(name));
    files.flat_map(|source| find(&source.file, name).into_iter().map(move |place| (source, place))).collect()
}

fn list(places: &[(&Source, ImplPlace<'_>)]) -> String {
    let paths: Vec<String> = places.iter().map(|(source, _)| source.path.display().to_string()).collect();
    paths.join(", ")
}

/// Returns the white space at the beginning of the line with this offset.
fn indent_of_line(text: &str, offset: usize) -> &str {
    let start = text[..offset].rfind('\n').map_or(0, |line_break| line_break + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds the handler of `find_tea` of the toolset `notes` to `src/lib.rs`. Returns the new text of each changed file.
    fn add(lib: &str, tests: &str) -> (Added, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("Cargo.toml", "");
        write("src/lib.rs", lib);
        write("src/generated/mod.rs", "struct Handlers; impl NotesTools for Handlers {}");
        write("tests/tools.rs", tests);
        let mut changes = FileChanges::default();
        let generated = [folder.path().join("src/generated")];
        let handler = NewHandler { tool: "find_tea", toolset: "notes", is_async: false };
        let added = handler.add(folder.path(), &generated, &mut changes);
        changes.apply().unwrap();
        let written = changes.paths().map(|path| fs::read_to_string(path).unwrap()).collect();
        (added, written)
    }

    fn assert_added(lib: &str, expected: &str) {
        let (added, changed) = add(lib, "");
        assert!(matches!(added, Added::To { .. }), "{added:?}");
        assert_eq!(changed, [expected]);
    }

    #[test]
    fn the_method_is_added_to_the_implementation_and_nothing_else_changes() {
        assert_added(
            "use generated::notes::{NotesTools, add_note};\nuse toolc::{Call, ToolResult};\n\nimpl NotesTools for Notes {\n    fn add_note(&self) {} // odd   spacing\n}\n\nfn last() {}\n",
            "use generated::notes::{NotesTools, add_note};\nuse toolc::{Call, ToolResult};\n\nimpl NotesTools for Notes {\n    fn add_note(&self) {} // odd   spacing\n\n    fn find_tea(&self, _args: generated::notes::find_tea::Args, _call: &Call<'_>) -> ToolResult {\n        Err(toolc::ToolError::new(\"`find_tea` is not implemented\"))\n    }\n}\n\nfn last() {}\n",
        );
    }

    #[test]
    fn an_empty_implementation_in_a_module_gets_the_method() {
        assert_added(
            "mod handlers {\n    struct Handlers;\n    impl crate::generated::NotesTools for Handlers {}\n}\n",
            "mod handlers {\n    struct Handlers;\n    impl crate::generated::NotesTools for Handlers {\n        fn find_tea(\n            &self,\n            _args: crate::generated::notes::find_tea::Args,\n            _call: &toolc::Call<'_>,\n        ) -> toolc::ToolResult {\n            Err(toolc::ToolError::new(\"`find_tea` is not implemented\"))\n        }\n    }\n}\n",
        );
    }

    #[test]
    fn a_toolset_without_handlers_gets_a_type() {
        assert_added(
            "use generated::Handlers;\nuse toolc::{Call, ToolError, ToolResult};\n\nfn tools() {\n    generated::provider(Handlers { web: WebHandlers })\n}\n\n#[cfg(test)]\nmod tests {\n    fn f() { Handlers { web: 1 } }\n}\n",
            "use generated::Handlers;\nuse toolc::{Call, ToolError, ToolResult};\n\nfn tools() {\n    generated::provider(Handlers { web: WebHandlers, notes: NotesHandlers })\n}\n\nstruct NotesHandlers;\n\nimpl generated::NotesTools for NotesHandlers {\n    fn find_tea(&self, _args: generated::notes::find_tea::Args, _call: &Call<'_>) -> ToolResult {\n        Err(ToolError::new(\"`find_tea` is not implemented\"))\n    }\n}\n\n#[cfg(test)]\nmod tests {\n    fn f() { Handlers { web: 1 } }\n}\n",
        );
        assert_added(
            "fn tools() {\n    generated::provider(generated::Handlers {\n        web: Web,\n    })\n}\nstruct NotesHandlers;\n",
            "fn tools() {\n    generated::provider(generated::Handlers {\n        web: Web,\n        notes: NotesHandlers2,\n    })\n}\nstruct NotesHandlers;\n\nstruct NotesHandlers2;\n\nimpl generated::NotesTools for NotesHandlers2 {\n    fn find_tea(\n        &self,\n        _args: generated::notes::find_tea::Args,\n        _call: &toolc::Call<'_>,\n    ) -> toolc::ToolResult {\n        Err(toolc::ToolError::new(\"`find_tea` is not implemented\"))\n    }\n}\n",
        );
    }

    #[test]
    fn a_test_is_added_to_a_file_with_a_harness() {
        let (added, changed) = add(
            "use generated::{NotesTools};\nstruct Handlers;\nimpl NotesTools for Handlers {\n}\n",
            "fn harness() -> Harness { todo }\n",
        );
        assert!(matches!(added, Added::To { tests: Some(_), .. }), "{added:?}");
        assert_eq!(
            changed[1],
            "fn harness() -> Harness { todo }\n\n#[test]\nfn find_tea_is_not_implemented() {\n    let response = harness().call(\"find_tea\", \"{}\");\n    toolc::testing::assert_reply!(response, Err(Failed, \"not implemented\"));\n}\n"
        );
    }

    #[test]
    fn an_unclear_place_is_not_changed() {
        for (lib, reason) in [
            ("", "no type implements `NotesTools`"),
            ("use g::*; struct Handlers; impl NotesTools for Handlers {}", "does not import `NotesTools` by its name"),
            ("use g::NotesTools; struct Handlers; impl NotesTools for A {} impl NotesTools for B {}", "several types"),
            ("use g::NotesTools; struct Handlers; impl NotesTools for A {", "no type implements `NotesTools`"),
            ("use g::*; fn f() { Handlers {} }", "does not import `Handlers` by its name"),
            ("use g::Handlers; fn f() { Handlers {} } fn g() { Handlers {} }", "`Handlers { .. }` is in"),
            ("use g::Handlers; fn f() { Handlers { notes: notes() } }", "already has `notes`"),
            ("mod app { use crate::g::Handlers; fn f() { Handlers {} } }", "in a module of"),
            ("struct Handlers { web: Web } fn f() { Handlers { web: Web } }", "does not import `Handlers` by its name"),
        ] {
            let (added, changed) = add(lib, "");
            let Added::Nowhere { reason: found, method } = added else { panic!("{lib}: {added:?}") };
            assert!(found.contains(reason), "{lib}: {found}");
            assert!(method.starts_with("fn find_tea(&self, _args: notes::find_tea::Args"), "{method}");
            assert!(changed.is_empty());
        }
    }

    /// Asserts that these lines are in the new text of the file, in this order, and that the file is still valid Rust.
    #[track_caller]
    fn assert_lines(lib: &str, expected: &[&str]) {
        let (added, changed) = add(lib, "");
        assert!(matches!(added, Added::To { .. }), "{lib}: {added:?}");
        assert!(RustFile::parse(&changed[0]).is_some(), "{}", changed[0]);
        let mut rest = &*changed[0];
        for line in expected {
            let found = rest.find(line).unwrap_or_else(|| panic!("no `{line}` in {rest}"));
            rest = &rest[found + line.len()..];
        }
    }

    #[test]
    fn what_stands_before_the_code_does_not_move_the_place() {
        let code =
            "use generated::NotesTools;\n\nimpl NotesTools for Notes {\n    fn add_note(&self) {}\n}\n\nfn last() {}\n";
        for before in ["\u{feff}", "#!/usr/bin/env run\n", "\u{feff}#!/usr/bin/env run\n", "#![allow(dead_code)]\n"] {
            assert_lines(
                &format!("{before}{code}"),
                &[before, "fn add_note(&self) {}\n\n    fn find_tea(", "    }\n}\n\nfn last() {}\n"],
            );
        }
    }

    #[test]
    fn a_comment_after_the_last_handler_stays_a_comment() {
        let import = "use generated::Handlers;\nfn f() {\n    provider(";
        for (expression, expected) in [
            ("Handlers {\n        web: Web // a, b\n    }", "web: Web, // a, b\n        notes: NotesHandlers,\n    }"),
            ("Handlers {\n        web: Web, // a\n    }", "web: Web, // a\n        notes: NotesHandlers,\n    }"),
            ("Handlers {\n        web: Web, /* a */\n    }", "web: Web, /* a */\n        notes: NotesHandlers,\n    }"),
            ("Handlers { web: Web /* a */ }", "{ web: Web, /* a */ notes: NotesHandlers }"),
            ("Handlers { // none\n    }", "{ // none\n        notes: NotesHandlers,\n    }"),
            ("Handlers {}", "{ notes: NotesHandlers }"),
        ] {
            assert_lines(&format!("{import}{expression});\n}}\n"), &[expected, "struct NotesHandlers;"]);
        }
    }

    #[test]
    fn names_are_those_of_the_innermost_module() {
        assert_lines(
            "use toolc::{Call, ToolError, ToolResult};\nmod inner {\n    use crate::generated::NotesTools;\n    use toolc::ToolResult;\n    impl NotesTools for Notes {}\n}\n",
            &["_call: &toolc::Call<'_>", "-> ToolResult {", "toolc::ToolError::new("],
        );
    }

    #[test]
    fn a_new_type_stands_before_any_module_of_tests() {
        assert_lines(
            "use generated::Handlers;\nfn f() { Handlers { web: Web }; }\n\nmod tests {\n    #![cfg(test)]\n}\n",
            &["struct NotesHandlers;", "mod tests {\n    #![cfg(test)]\n}\n"],
        );
        assert_lines(
            "use generated::Handlers;\nfn f() { Handlers { web: Web }; }\n\n/// Tests.\n#[cfg(test)]\nmod tests {\n    #![allow(unused)]\n}\n",
            &["struct NotesHandlers;", "/// Tests.\n#[cfg(test)]\nmod tests {\n    #![allow(unused)]\n}\n"],
        );
    }

    #[test]
    fn line_breaks_are_those_of_the_file() {
        let (added, changed) =
            add("use generated::NotesTools;\r\nimpl NotesTools for Notes {\r\n}\r\n", "fn harness() -> Harness {}\r\n");
        assert!(matches!(added, Added::To { tests: Some(_), .. }), "{added:?}");
        for text in changed {
            assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text:?}");
            assert!(!text.contains("\r\r"), "{text:?}");
        }
    }

    #[test]
    fn a_test_calls_only_a_harness_that_it_can_call() {
        let lib = "use generated::NotesTools;\nimpl NotesTools for Notes {}\n";
        let (added, changed) = add(lib, "async fn harness() -> Harness {}\n");
        assert!(matches!(added, Added::To { tests: None, .. }), "{added:?}");
        assert_eq!(changed.len(), 1);
    }
}
