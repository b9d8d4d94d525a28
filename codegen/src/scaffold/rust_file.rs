//! A Rust source file: where a trait is implemented or a struct is built, and by which path a name is imported.

use proc_macro2::{TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{
    AttrStyle, Attribute, ExprStruct, File, Item, ItemFn, ItemImpl, ItemMod, Member, Meta, Path, Token, UseTree,
    Visibility,
};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A parsed file.
pub(super) struct RustFile {
    file: File,
    /// The length of what the parser leaves out: a byte order mark, and a first line `#!...`. Spans begin after it.
    skipped: usize,
}

/// The place of an implementation, or of a struct expression.
pub(super) struct ImplPlace<'f> {
    /// The module of the trait or struct, as a path that is valid at this place. `None` if it is unknown, for example because of
    /// a glob import. Empty if the item is in the same module.
    pub(super) module: Option<String>,
    /// The offset of the opening brace.
    pub(super) open: usize,
    /// The offset of the closing brace.
    pub(super) close: usize,
    /// Whether the place is in a module of the file.
    pub(super) is_nested: bool,
    /// The names of the fields of a struct expression.
    pub(super) fields: Vec<String>,
    /// The items of the innermost module, which has the imports.
    items: &'f [Item],
}

impl ImplPlace<'_> {
    /// Returns the offset after the last field of a struct expression, if no comma follows it.
    pub(super) fn missing_comma(&self, text: &str) -> Option<usize> {
        let start = self.open + 1;
        let tokens: TokenStream = text[start..self.close].parse().ok()?;
        match tokens.into_iter().last()? {
            TokenTree::Punct(punct) if punct.as_char() == ',' => None,
            last => Some(start + last.span().byte_range().end),
        }
    }

    /// Returns how the code at this place refers to an item of the crate `toolc`: `Call` if it is imported, or else
    /// `toolc::Call`.
    pub(super) fn toolc_item(&self, name: &str) -> String {
        match import(self.items, name) {
            Some(module) if module == "toolc" => name.to_owned(),
            _ => format!("toolc::{name}"),
        }
    }
}

impl RustFile {
    /// Parses a file. Returns `None` if it is not valid Rust.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let file = syn::parse_file(text).ok()?;
        let mark = text.strip_prefix(BYTE_ORDER_MARK).map_or(0, |_| BYTE_ORDER_MARK.len_utf8());
        let skipped = mark + file.shebang.as_ref().map_or(0, String::len);
        Some(Self { file, skipped })
    }

    /// Returns the implementations of the trait `name`, except those in tests.
    pub(super) fn implementations<'f>(&'f self, name: &str) -> Vec<ImplPlace<'f>> {
        self.find(name).implementations
    }

    /// Returns the expressions `NAME { .. }`, except those in tests.
    pub(super) fn struct_expressions<'f>(&'f self, name: &str) -> Vec<ImplPlace<'f>> {
        self.find(name).expressions
    }

    fn find<'f, 'n>(&'f self, name: &'n str) -> Finder<'f, 'n> {
        let mut finder = Finder {
            name,
            skipped: self.skipped,
            items: &self.file.items,
            is_nested: false,
            implementations: Vec::new(),
            expressions: Vec::new(),
        };
        finder.visit_file(&self.file);
        finder
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
        self.file.items.iter().any(declares) || import(&self.file.items, name).is_some()
    }

    /// Returns whether the root of the file declares a function without parameters, which is not async.
    pub(super) fn has_function(&self, name: &str) -> bool {
        let is_plain = |f: &ItemFn| f.sig.ident == name && f.sig.inputs.is_empty() && f.sig.asyncness.is_none();
        self.file.items.iter().any(|item| matches!(item, Item::Fn(f) if is_plain(f)))
    }

    /// Returns the offset of the module with tests at the end of the file, or else the end of the file.
    pub(super) fn end_of_code(&self, text: &str) -> usize {
        match self.file.items.last() {
            Some(Item::Mod(tests)) if is_test(&tests.attrs) => self.skipped + start_of_module(tests),
            _ => text.len(),
        }
    }
}

/// Finds implementations of a trait, and expressions of a struct.
struct Finder<'f, 'n> {
    name: &'n str,
    /// See [`RustFile`].
    skipped: usize,
    /// The items of the innermost module, which has the imports.
    items: &'f [Item],
    /// Whether the innermost module is not the file.
    is_nested: bool,
    implementations: Vec<ImplPlace<'f>>,
    expressions: Vec<ImplPlace<'f>>,
}

impl<'f> Finder<'f, '_> {
    /// Returns the place of something with this path, if the path ends in the name.
    fn place(&self, path: &Path, braces: proc_macro2::extra::DelimSpan) -> Option<ImplPlace<'f>> {
        let mut segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        segments.pop_if(|last| last == self.name)?;
        let module = if segments.is_empty() {
            import(self.items, self.name).or_else(|| self.declares_trait().then(String::new))
        } else {
            let root = if path.leading_colon.is_some() { "::" } else { "" };
            Some(format!("{root}{}", segments.join("::")))
        };
        Some(ImplPlace {
            module,
            open: self.skipped + braces.open().byte_range().start,
            close: self.skipped + braces.close().byte_range().start,
            is_nested: self.is_nested,
            fields: Vec::new(),
            items: self.items,
        })
    }

    /// Returns whether the innermost module declares the name as a trait.
    fn declares_trait(&self) -> bool {
        self.items.iter().any(|item| matches!(item, Item::Trait(item) if item.ident == self.name))
    }
}

impl<'f> Visit<'f> for Finder<'f, '_> {
    fn visit_item_mod(&mut self, module: &'f ItemMod) {
        if let Some((_, items)) = &module.content
            && !is_test(&module.attrs)
        {
            let outer = (self.items, self.is_nested);
            (self.items, self.is_nested) = (items, true);
            visit::visit_item_mod(self, module);
            (self.items, self.is_nested) = outer;
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
        if expression.rest.is_none()
            && let Some(mut place) = self.place(&expression.path, expression.brace_token.span)
        {
            let name = |member: &Member| match member {
                Member::Named(name) => name.to_string(),
                Member::Unnamed(index) => index.index.to_string(),
            };
            place.fields = expression.fields.iter().map(|field| name(&field.member)).collect();
            self.expressions.push(place);
        }
        visit::visit_expr_struct(self, expression);
    }
}

/// Returns the offset of a module, with the attributes before it.
fn start_of_module(module: &ItemMod) -> usize {
    let attribute = module.attrs.iter().find(|attribute| matches!(attribute.style, AttrStyle::Outer));
    let span = match (attribute, &module.vis) {
        (Some(attribute), _) => attribute.pound_token.span,
        (None, Visibility::Public(token)) => token.span,
        (None, Visibility::Restricted(visibility)) => visibility.pub_token.span,
        (None, Visibility::Inherited) => module.mod_token.span,
    };
    span.byte_range().start
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
