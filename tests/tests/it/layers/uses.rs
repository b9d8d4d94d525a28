//! Reads which modules and items of its own crate a source file uses. It reads tokens: what is in comments and strings does not
//! count, and what is in macros does.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Group, Ident, LexError, TokenStream, TokenTree};

/// The path of a module or of an item, from the root of its crate.
pub(crate) type ModulePath = Vec<String>;

/// What a file says about its crate.
#[derive(Debug, Default, Clone)]
pub(crate) struct Source {
    pub uses: Vec<Use>,
    /// The names that `use` declares, with what they mean. `None` means an item of another crate.
    pub names: BTreeMap<ModulePath, Option<ModulePath>>,
    /// The modules that exist only in tests.
    pub test_modules: Vec<ModulePath>,
    /// The files that `#[path]` names, with their modules. They are relative to the folder of this file.
    pub moved: Vec<(String, ModulePath)>,
}

/// A path in a file that leads into its own crate.
#[derive(Debug, Clone)]
pub(crate) struct Use {
    pub line: usize,
    pub path: ModulePath,
    /// Whether it is a `pub use`, with any visibility.
    pub is_reexport: bool,
}

/// Reads the source of a module.
pub(crate) fn read(module: &[String], text: &str) -> Result<Source, LexError> {
    let mut source = Source::default();
    source.module(module, text.parse()?);
    Ok(source)
}

/// A module, and the modules that are declared in it.
#[derive(Clone, Copy)]
struct Scope<'a> {
    module: &'a [String],
    children: &'a BTreeSet<String>,
}

impl Scope<'_> {
    /// Returns the path from the root of the crate. `None` if `path` leads to another crate.
    fn resolve(self, path: &[String]) -> Option<ModulePath> {
        let ups = path.iter().take_while(|name| *name == "super").count();
        let (base, rest) = match path.first()?.as_str() {
            "crate" => (&[][..], &path[1..]),
            "self" => (self.module, &path[1..]),
            "super" => (&self.module[..self.module.len().checked_sub(ups)?], &path[ups..]),
            name if self.children.contains(name) => (self.module, path),
            _ => return None,
        };
        Some([base, rest].concat())
    }
}

impl Source {
    fn module(&mut self, module: &[String], tokens: TokenStream) {
        let tokens = self.without_tests(module, tokens);
        self.add_moved(module, &tokens);
        let names = tokens.windows(2).filter(|pair| is_ident(&pair[0], "mod")).filter_map(|pair| ident(&pair[1]));
        let children = names.map(ToString::to_string).collect();
        self.tokens(Scope { module, children: &children }, &tokens);
    }

    fn tokens(&mut self, scope: Scope<'_>, tokens: &[TokenTree]) {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let next = tokens.get(at + 1).and_then(ident);
            match (token, next, tokens.get(at + 2)) {
                (TokenTree::Ident(word), Some(name), Some(TokenTree::Group(body))) if word == "mod" => {
                    self.module(&[scope.module, &[name.to_string()]].concat(), body.stream());
                    at += 3;
                }
                (TokenTree::Ident(word), ..) if word == "use" => {
                    let is_reexport = at > 0 && is_visibility(&tokens[..at]);
                    at += 1;
                    self.import(scope, &[], is_reexport, tokens, &mut at);
                }
                (TokenTree::Ident(word), ..) => {
                    let (line, path) = (word.span().start().line, path(tokens, &mut at));
                    if let Some(path) = scope.resolve(&path).filter(|_| path.len() > 1) {
                        self.uses.push(Use { line, path, is_reexport: false });
                    }
                }
                (TokenTree::Group(group), ..) => {
                    let tokens = self.without_tests(scope.module, group.stream());
                    self.tokens(scope, &tokens);
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }

    /// Reads the attributes `#[path = "..."]` and `#[cfg_attr(..., path = "...")]` of modules.
    fn add_moved(&mut self, module: &[String], tokens: &[TokenTree]) {
        let mut files = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(attribute) if at > 0 && is_punct(&tokens[at - 1], '#') => {
                    let text = attribute.stream().to_string();
                    let file = text.split_once("path = \"").and_then(|(_, rest)| rest.split_once('"'));
                    files.extend(file.map(|(file, _)| file.to_owned()));
                }
                TokenTree::Ident(word) if word == "mod" => {
                    let path = tokens.get(at + 1).and_then(ident).map(|name| [module, &[name.to_string()]].concat());
                    self.moved.extend(files.drain(..).filter_map(|file| Some((file, path.clone()?))));
                }
                TokenTree::Punct(end) if end.as_char() == ';' => files.clear(),
                _ => {}
            }
        }
    }

    /// Reads the tree of a `use`: `a::{b, c as d}` declares `b` and `d`.
    fn import(&mut self, scope: Scope<'_>, prefix: &[String], is_reexport: bool, tokens: &[TokenTree], at: &mut usize) {
        let line = tokens.get(*at).map_or(0, |token| token.span().start().line);
        let own = path(tokens, at);
        let full = [prefix, &own].concat();
        if let Some(TokenTree::Group(group)) = tokens.get(*at) {
            let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
            let mut inner = 0;
            while inner < tokens.len() {
                self.import(scope, &full, is_reexport, &tokens, &mut inner);
                inner += 1;
            }
            *at += 1;
            return;
        }
        let is_glob = tokens.get(*at).is_some_and(|token| is_punct(token, '*'));
        let alias = tokens.get(*at).filter(|token| is_ident(token, "as")).and_then(|_| ident(tokens.get(*at + 1)?));
        *at += if alias.is_some() { 2 } else { usize::from(is_glob) };
        let full = if full.len() > 1 && full.last().is_some_and(|name| name == "self") {
            &full[..full.len() - 1]
        } else {
            &full[..]
        };
        let path = scope.resolve(full);
        let name = alias.map(ToString::to_string).or_else(|| full.last().cloned());
        if let Some(name) = name.filter(|_| !is_glob) {
            self.names.insert([scope.module, &[name]].concat(), path.clone());
        }
        self.uses.extend(path.map(|path| Use { line, path, is_reexport }));
    }

    /// Returns the tokens without the items that exist only in tests.
    fn without_tests(&mut self, module: &[String], tokens: TokenStream) -> Vec<TokenTree> {
        let mut kept: Vec<TokenTree> = Vec::new();
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let is_test = matches!(&token, TokenTree::Group(group) if is_for_tests(group));
            let is_attribute = |at: usize, of: char| kept.len() >= at && is_punct(&kept[kept.len() - at], of);
            if is_test && is_attribute(1, '#') {
                kept.pop();
                let mut last = None;
                for token in tokens.by_ref() {
                    if last.as_ref().is_some_and(|last| is_ident(last, "mod")) {
                        self.test_modules.extend(ident(&token).map(|name| [module, &[name.to_string()]].concat()));
                    }
                    let is_end = matches!(&token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
                    if is_end && !last.is_some_and(|last| is_punct(&last, ':')) || is_punct(&token, ';') {
                        break;
                    }
                    last = Some(token);
                }
            } else if is_test && is_attribute(1, '!') && is_attribute(2, '#') {
                return Vec::new();
            } else {
                kept.push(token);
            }
        }
        kept
    }
}

/// Reads a path at a position, and moves to what follows it. A word without `::` is a path of one name.
fn path(tokens: &[TokenTree], at: &mut usize) -> ModulePath {
    let mut path = ModulePath::new();
    let is_separator =
        |at: usize| tokens.get(at..at + 2).is_some_and(|pair| pair.iter().all(|token| is_punct(token, ':')));
    if is_separator(*at) {
        // A path that begins with `::` leads to another crate.
        path.push(String::new());
        *at += 2;
    }
    while let Some(name) = tokens.get(*at).and_then(ident) {
        path.push(name.to_string());
        *at += 1;
        if !is_separator(*at) {
            break;
        }
        *at += 2;
    }
    path
}

/// Returns whether an attribute is `cfg(test)`, or `cfg(all(test, ...))`.
fn is_for_tests(attribute: &Group) -> bool {
    let text = attribute.stream().to_string().replace(' ', "");
    text == "cfg(test)" || text.starts_with("cfg(all(test,")
}

fn is_visibility(before: &[TokenTree]) -> bool {
    match before {
        [.., word, TokenTree::Group(_)] | [.., word] => is_ident(word, "pub"),
        [] => false,
    }
}

fn ident(token: &TokenTree) -> Option<&Ident> {
    if let TokenTree::Ident(ident) = token { Some(ident) } else { None }
}

fn is_ident(token: &TokenTree, word: &str) -> bool {
    ident(token).is_some_and(|ident| ident == word)
}

fn is_punct(token: &TokenTree, letter: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == letter)
}
