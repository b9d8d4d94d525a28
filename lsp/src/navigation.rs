//! Definitions, references and symbols.

use std::fs;
use std::ops::Range as Span;
use std::path::{Path, PathBuf};

use lsp_types::{DocumentSymbol, Location, SymbolInformation, SymbolKind};
use toolc_codegen::Sources;
use toolc_codegen::source::{Kind, Source};
use walkdir::{DirEntry, WalkDir};

use crate::findings::address;
use crate::names::{Symbol, declares, is_declared, occurrences, path_of};
use crate::scan::{Node, Role, scan};
use crate::text::{self, Encoding};
use crate::vocabulary::Target;

/// The maximum number of Rust files that are searched for a handler, and the maximum size of each.
const MAX_FILES: usize = 5_000;
const MAX_BYTES: u64 = 1 << 20;

/// The maximum number of symbols of a project that are returned.
const MAX_SYMBOLS: usize = 256;

/// A place in a file of the project.
pub(crate) type Spot = (String, Span<usize>);

/// Returns where a name is declared.
pub(crate) fn definition(sources: &Sources, own: &Source, symbol: &Symbol) -> Option<Spot> {
    let path = match symbol.target {
        Target::Parameter => own.path.clone(),
        target => path_of(target, &symbol.name)?,
    };
    let source = sources.get(sources.find(&path)?);
    let (kind, text) = (source.kind?, &source.text);
    let found = scan(text);
    let is_declaration = |node: &&Node| match symbol.target {
        Target::Tool | Target::Toolset => node.role == Role::Text && node.path == ["name"],
        target => declares(kind, node, target) && text[node.range.clone()] == symbol.name,
    };
    let node = found.nodes.iter().find(is_declaration);
    let is_file = matches!(symbol.target, Target::Tool | Target::Toolset);
    let range = node.map(|node| node.range.clone()).or(is_file.then_some(0..0))?;
    Some((path, range))
}

/// Returns where a name occurs: in every manifest, or in its own file if it is a parameter.
pub(crate) fn references(sources: &Sources, own: &Source, symbol: &Symbol) -> Vec<Spot> {
    let is_tool = is_declared(sources, Target::Tool, &symbol.name);
    let files = sources.all().iter().filter(|source| symbol.target != Target::Parameter || source.path == own.path);
    let spots = files.flat_map(|source| {
        let found = occurrences(source, symbol.target, &symbol.name, is_tool);
        found.into_iter().map(|range| (source.path.clone(), range))
    });
    spots.collect()
}

/// Returns the place as the protocol has it.
pub(crate) fn location(sources: &Sources, root: &Path, (path, range): &Spot, encoding: Encoding) -> Option<Location> {
    let source = sources.get(sources.find(path)?);
    Some(Location::new(address(root, path)?, text::range(&source.text, range, encoding)))
}

/// Finds the methods that handle a tool in the Rust sources of a project: those in an `impl` of a generated trait.
pub(crate) fn handlers(root: &Path, tool: &str, encoding: Encoding) -> Vec<Location> {
    let method = tool.replace('-', "_");
    let is_searched = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0 || !(name.starts_with('.') || ["target", "generated", "node_modules"].contains(&&*name))
    };
    let files = WalkDir::new(root).max_depth(12).into_iter().filter_entry(is_searched).filter_map(Result::ok);
    let is_rust = |entry: &DirEntry| {
        entry.file_type().is_file() && entry.path().extension().is_some_and(|extension| extension == "rs")
    };
    let files = files.filter(is_rust).take(MAX_FILES);
    let small = files.filter(|entry| entry.metadata().is_ok_and(|about| about.len() <= MAX_BYTES));
    let found = small.flat_map(|entry| {
        let path = entry.into_path();
        let text = fs::read_to_string(&path).unwrap_or_default();
        let places = methods(&text, &method);
        places.into_iter().filter_map(|range| handler(&path, &text, &range, encoding)).collect::<Vec<_>>()
    });
    found.collect()
}

fn handler(path: &PathBuf, text: &str, range: &Span<usize>, encoding: Encoding) -> Option<Location> {
    Some(Location::new(lsp_types::Url::from_file_path(path).ok()?, text::range(text, range, encoding)))
}

/// Returns the places of the name in `fn NAME(` after an `impl ...Tools for`.
fn methods(text: &str, method: &str) -> Vec<Span<usize>> {
    let Some(first) = text.find("Tools for ").filter(|at| text[..*at].contains("impl")) else { return Vec::new() };
    let names = text[first..].match_indices("fn ").filter_map(|(at, keyword)| {
        let start = first + at + keyword.len();
        let start = start + if text[start..].starts_with("r#") { 2 } else { 0 };
        let rest = text[start..].strip_prefix(method)?;
        rest.starts_with(['(', '<']).then(|| start..start + method.len())
    });
    names.collect()
}

/// Returns the symbols of a file: its name with its parameters, or the names that it declares.
#[expect(deprecated, reason = "the field `deprecated` must be written, and is replaced by tags")]
pub(crate) fn file_symbols(source: &Source, encoding: Encoding) -> Vec<DocumentSymbol> {
    let text: &str = &source.text;
    let Some(kind) = source.kind else { return Vec::new() };
    let found = scan(text);
    let symbol = |name: &str, kind, span: &Span<usize>, children: Vec<DocumentSymbol>| {
        let range = text::range(text, span, encoding);
        let children = (!children.is_empty()).then_some(children);
        let name = if name.is_empty() { "?" } else { name };
        DocumentSymbol {
            name: name.to_owned(),
            detail: None,
            kind,
            tags: None,
            deprecated: None,
            range,
            selection_range: range,
            children,
        }
    };
    let mut inner: Vec<DocumentSymbol> = Vec::new();
    for node in &found.nodes {
        let declared =
            [Target::Parameter, Target::Fact, Target::Variable].into_iter().any(|target| declares(kind, node, target));
        let name = &text[node.range.clone()];
        if declared && !inner.iter().any(|other| other.name == name) {
            let of = if kind == Kind::Tool { SymbolKind::FIELD } else { SymbolKind::CONSTANT };
            inner.push(symbol(name, of, &node.range, Vec::new()));
        }
    }
    let Some(own) = found.nodes.iter().find(|node| node.role == Role::Text && node.path == ["name"]) else {
        return inner;
    };
    let of = if kind == Kind::Tool { SymbolKind::FUNCTION } else { SymbolKind::NAMESPACE };
    let mut whole = symbol(&text[own.range.clone()], of, &own.range, inner);
    whole.range = text::range(text, &(0..text.len()), encoding);
    vec![whole]
}

/// Returns the tools and toolsets of a project whose names contain the query.
#[expect(deprecated, reason = "the field `deprecated` must be written, and is replaced by tags")]
pub(crate) fn project_symbols(sources: &Sources, root: &Path, query: &str) -> Vec<SymbolInformation> {
    let query = query.to_lowercase();
    let wanted = sources.all().iter().filter_map(|source| {
        let (kind, folder) = match source.kind? {
            Kind::Tool => (SymbolKind::FUNCTION, "tool"),
            Kind::Toolset => (SymbolKind::NAMESPACE, "toolset"),
            Kind::Distribution => (SymbolKind::ENUM, "distribution"),
            _ => return None,
        };
        let start = lsp_types::Position::new(0, 0);
        source.stem.to_lowercase().contains(&query).then_some(())?;
        Some(SymbolInformation {
            name: source.stem.clone(),
            kind,
            tags: None,
            deprecated: None,
            location: Location::new(address(root, &source.path)?, lsp_types::Range::new(start, start)),
            container_name: Some(folder.to_owned()),
        })
    });
    wanted.take(MAX_SYMBOLS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_are_methods_of_an_impl_of_a_trait_of_tools() {
        let text = "fn wait() {}\nimpl TimeTools for Clock {\n    fn wait(&self) {}\n    fn wait_for(&self) {}\n    async fn r#type<T>(&self) {}\n}\n";
        let at = |method: &str| {
            methods(text, method).into_iter().map(|range| text[..range.start].matches('\n').count()).collect::<Vec<_>>()
        };
        assert_eq!((at("wait"), at("type"), at("none")), (vec![2], vec![4], vec![]));
        assert!(methods("fn wait() {}", "wait").is_empty());
    }
}
