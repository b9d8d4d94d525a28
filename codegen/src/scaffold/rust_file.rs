//! A Rust source file: where a trait is implemented or a struct is built, and by which path a name is imported.

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, ExprStruct, File, Item, ItemFn, ItemImpl, ItemMod, Meta, Path, Token, UseTree};

/// A parsed file.
pub(super) struct RustFile(File);

/// The place of an implementation, or of a struct expression.
pub(super) struct Place {
    /// The module of the trait or struct, as a path that is valid at this place. `None` if it is unknown, for example because of
    /// a glob import. Empty if the item is in the same module.
    pub(super) module: Option<String>,
    /// The offset of the opening brace.
    pub(super) open: usize,
    /// The offset of the closing brace.
    pub(super) close: usize,
}

impl RustFile {
    /// Parses a file. Returns `None` if it is not valid Rust.
    pub(super) fn parse(text: &str) -> Option<Self> {
        syn::parse_file(text).ok().map(Self)
    }

    /// Returns the implementations of the trait `name`, except those in tests.
    pub(super) fn implementations(&self, name: &str) -> Vec<Place> {
        self.find(name).implementations
    }

    /// Returns the expressions `NAME { .. }`, except those in tests.
    pub(super) fn struct_expressions(&self, name: &str) -> Vec<Place> {
        self.find(name).expressions
    }

    fn find<'f>(&'f self, name: &'f str) -> Finder<'f> {
        let mut finder = Finder { name, items: &self.0.items, implementations: Vec::new(), expressions: Vec::new() };
        finder.visit_file(&self.0);
        finder
    }

    /// Returns how the file refers to an item of the crate `toolc`: `Call` if the file imports it, or else `toolc::Call`.
    pub(super) fn toolc_item(&self, name: &str) -> String {
        match import(&self.0.items, name) {
            Some(module) if module == "toolc" => name.to_owned(),
            _ => format!("toolc::{name}"),
        }
    }

    /// Returns whether the root of the file declares or imports `name`.
    pub(super) fn has_name(&self, name: &str) -> bool {
        let declares = |item: &Item| match item {
            Item::Const(item) => item.ident == name,
            Item::Enum(item) => item.ident == name,
            Item::Fn(item) => item.sig.ident == name,
            Item::Static(item) => item.ident == name,
            Item::Struct(item) => item.ident == name,
            Item::Trait(item) => item.ident == name,
            Item::Type(item) => item.ident == name,
            Item::Union(item) => item.ident == name,
            _ => false,
        };
        self.0.items.iter().any(declares) || import(&self.0.items, name).is_some()
    }

    /// Returns whether the root of the file declares a function without parameters.
    pub(super) fn has_function(&self, name: &str) -> bool {
        self.0.items.iter().any(|item| matches!(item, Item::Fn(f) if f.sig.ident == name && f.sig.inputs.is_empty()))
    }

    /// Returns the offset of the module with tests at the end of the file, or else the end of the file.
    pub(super) fn end_of_code(&self, text: &str) -> usize {
        match self.0.items.last() {
            Some(Item::Mod(tests)) if is_test(&tests.attrs) => tests.attrs[0].pound_token.span.byte_range().start,
            _ => text.len(),
        }
    }
}

/// Finds implementations of a trait, and expressions of a struct.
struct Finder<'f> {
    name: &'f str,
    /// The items of the innermost module, which has the imports.
    items: &'f [Item],
    implementations: Vec<Place>,
    expressions: Vec<Place>,
}

impl Finder<'_> {
    /// Returns the place of an item with this path, if the path ends in the name.
    fn place(&self, path: &Path, braces: proc_macro2::extra::DelimSpan) -> Option<Place> {
        let mut segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        segments.pop_if(|last| last == self.name)?;
        let module = if segments.is_empty() {
            import(self.items, self.name).or_else(|| self.declares().then(String::new))
        } else {
            let root = if path.leading_colon.is_some() { "::" } else { "" };
            Some(format!("{root}{}", segments.join("::")))
        };
        Some(Place { module, open: braces.open().byte_range().start, close: braces.close().byte_range().start })
    }

    /// Returns whether the innermost module declares the name.
    fn declares(&self) -> bool {
        self.items.iter().any(|item| match item {
            Item::Struct(item) => item.ident == self.name,
            Item::Trait(item) => item.ident == self.name,
            _ => false,
        })
    }
}

impl<'f> Visit<'f> for Finder<'f> {
    fn visit_item_mod(&mut self, module: &'f ItemMod) {
        if let Some((_, items)) = &module.content
            && !is_test(&module.attrs)
        {
            let outer = std::mem::replace(&mut self.items, items);
            visit::visit_item_mod(self, module);
            self.items = outer;
        }
    }

    fn visit_item_fn(&mut self, function: &'f ItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_item_impl(&mut self, item: &'f ItemImpl) {
        if is_test(&item.attrs) {
            return;
        }
        if let Some((path, _)) = &item.trait_ {
            self.implementations.extend(self.place(path, item.brace_token.span));
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_expr_struct(&mut self, expression: &'f ExprStruct) {
        if expression.rest.is_none() {
            self.expressions.extend(self.place(&expression.path, expression.brace_token.span));
        }
        visit::visit_expr_struct(self, expression);
    }
}

/// Returns whether an item is only compiled for tests: `#[test]`, `#[cfg(test)]`, `#[cfg(all(test, ..))]`.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test") || attribute.path().is_ident("cfg") && requires_test(&attribute.meta)
    })
}

/// Returns whether a condition of `cfg` is only true in tests.
fn requires_test(condition: &Meta) -> bool {
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("cfg") || list.path.is_ident("all") => {
            let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
            parts.is_ok_and(|parts| parts.iter().any(requires_test))
        }
        _ => false,
    }
}

/// Returns the module from which `items` import `name`: `toolc` for `use toolc::{Call, ..}`.
fn import(items: &[Item], name: &str) -> Option<String> {
    items.iter().find_map(|item| {
        let Item::Use(import) = item else { return None };
        let mut path = Vec::new();
        let root = if import.leading_colon.is_some() { "::" } else { "" };
        has_leaf(&import.tree, name, &mut path).then(|| format!("{root}{}", path.join("::")))
    })
}

/// Returns whether a tree of imports has this name, and collects the path to it. A renamed item has another name, and a glob
/// may import anything.
fn has_leaf(tree: &UseTree, name: &str, path: &mut Vec<String>) -> bool {
    match tree {
        UseTree::Path(part) => {
            path.push(part.ident.to_string());
            let found = has_leaf(&part.tree, name, path);
            if !found {
                path.pop();
            }
            found
        }
        UseTree::Name(leaf) => leaf.ident == name,
        UseTree::Group(group) => group.items.iter().any(|tree| has_leaf(tree, name, path)),
        UseTree::Rename(_) | UseTree::Glob(_) => false,
    }
}
