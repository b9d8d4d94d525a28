//! The tokens of a program with its brackets, imports and chains of names.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::lex::{self, Kind, Token};
use crate::language::Language;

/// A program as tokens.
pub(crate) struct Program {
    pub(crate) language: &'static Language,
    pub(crate) tokens: Vec<Token>,
    /// For each bracket, the index of the other one of its pair, or the number of tokens if it has none.
    pub(crate) pair: Vec<usize>,
    /// Names that stand for others: names of imports, and of functions that are assigned.
    pub(crate) aliases: BTreeMap<String, String>,
    /// The number of tokens that may still be looked at.
    work: Cell<usize>,
}

/// How often each token may be looked at, and how many looks a program may take: about half a second.
const WORK_PER_TOKEN: usize = 200;
const MAX_WORK: usize = 6_000_000;

/// Names that are joined by `.` and the like.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    /// The whole chain with `.`, after aliases have been replaced. It begins with `.` if what comes before is not a name.
    pub(crate) path: String,
    /// The first name as it is written.
    pub(crate) first: String,
    /// The index after the chain, without its call.
    pub(crate) end: usize,
    /// The brackets of the call.
    pub(crate) call: Option<(usize, usize)>,
    /// Whether a part of the chain is put together from pieces.
    pub(crate) is_built: bool,
}

impl Chain {
    /// Returns the last name.
    pub(crate) fn last(&self) -> &str {
        self.path.rsplit(['.', ':']).next().unwrap_or_default()
    }

    /// Returns whether the chain is in a list, in which a leading `.` stands for any beginning.
    pub(crate) fn is_in(&self, list: &[&str]) -> bool {
        list.iter().any(|entry| matches_entry(&self.path, entry))
    }
}

/// Returns whether a path is an entry of a table.
pub(crate) fn matches_entry(path: &str, entry: &str) -> bool {
    match entry.strip_prefix('.') {
        Some(last) => path.strip_suffix(last).is_some_and(|before| before.ends_with('.')),
        None => path == entry,
    }
}

/// The maximum number of names in a chain.
const MAX_CHAIN: usize = 12;

impl Program {
    pub(crate) fn new(text: &str, language: &'static Language) -> Self {
        let tokens = lex::tokens(text, language);
        let pair = pairs(&tokens);
        let work = Cell::new(((tokens.len() + 100) * WORK_PER_TOKEN).min(MAX_WORK));
        let mut program = Self { language, tokens, pair, aliases: BTreeMap::new(), work };
        program.read_imports();
        program
    }

    /// Takes steps from the budget, and returns whether it is not exhausted.
    pub(crate) fn spend(&self, steps: usize) -> bool {
        let left = self.work.get().checked_sub(steps);
        self.work.set(left.unwrap_or_default());
        left.is_some()
    }

    /// Returns whether the budget is exhausted, so that not all flows were followed.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.work.get() == 0
    }

    pub(crate) fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at)
    }

    pub(crate) fn is(&self, at: usize, sign: &str) -> bool {
        self.token(at).is_some_and(|token| token.is(sign))
    }

    pub(crate) fn is_name(&self, at: usize, name: &str) -> bool {
        self.token(at).is_some_and(|token| token.is_name(name))
    }

    fn name(&self, at: usize) -> Option<&str> {
        self.token(at).filter(|token| token.kind == Kind::Name).map(|token| token.text.as_str())
    }

    pub(crate) fn is_text(&self, at: usize) -> bool {
        self.token(at).is_some_and(|token| token.kind == Kind::Text)
    }

    fn is_dot(&self, at: usize) -> bool {
        self.token(at)
            .is_some_and(|token| token.kind == Kind::Sign && matches!(token.text.as_str(), "." | "?." | "::" | "->"))
    }

    /// Returns whether a name is the first one of a chain, or follows what is not a name.
    pub(crate) fn begins_chain(&self, at: usize) -> bool {
        at == 0
            || !self.is_dot(at - 1)
            || at >= 2 && !matches!(self.tokens[at - 2].kind, Kind::Name) && !self.is(at - 2, "]")
    }

    /// Returns the chain that begins with a name.
    pub(crate) fn chain(&self, at: usize) -> Option<Chain> {
        let first = self.name(at)?;
        let follows_value = at > 0 && self.is_dot(at - 1);
        let (mut path, mut next, mut is_built) = self.start(at, first);
        if follows_value {
            path.insert(0, '.');
        }
        for _ in 0..MAX_CHAIN {
            if self.is(next, "!") && self.is_dot(next + 1) {
                next += 1;
            }
            if self.is_dot(next) && self.name(next + 1).is_some() {
                let join = if self.is(next, "::") { "::" } else { "." };
                path.push_str(join);
                path.push_str(self.name(next + 1).unwrap_or_default());
                next += 2;
            } else if self.is(next, "[") || self.is(next, "?.") && self.is(next + 1, "[") {
                let open = if self.is(next, "[") { next } else { next + 1 };
                let Some((index, built)) = self.plain_index(open) else { break };
                path.push('.');
                path.push_str(&index);
                is_built |= built;
                next = self.pair[open] + 1;
            } else {
                break;
            }
        }
        // `globalThis.process` is `process`, and `builtins.exec` is `exec`.
        for global in ["globalThis.", "global.", "builtins.", "__builtins__."] {
            if path.starts_with(global) {
                path.drain(..global.len());
            }
        }
        let call = self.call_at(next).or_else(|| self.bare_call(&path, next));
        Some(Chain { path, first: first.to_owned(), end: next, call, is_built })
    }

    /// Returns the brackets of a call, or the statement after the name in languages that need no brackets.
    fn call_at(&self, next: usize) -> Option<(usize, usize)> {
        if self.is(next, "(") {
            return Some((next, self.pair[next].min(self.tokens.len())));
        }
        if self.is(next, "?.") && self.is(next + 1, "(") {
            return Some((next + 1, self.pair[next + 1].min(self.tokens.len())));
        }
        // `(Object.getPrototypeOf(f).constructor)(…)`.
        if self.is(next, ")") && self.is(next + 1, "(") && next > 0 && self.is_name(next - 1, "constructor") {
            return Some((next + 1, self.pair[next + 1].min(self.tokens.len())));
        }
        let needs_none = matches!(self.language.name, "ruby" | "perl" | "powershell" | "lua");
        (needs_none && next > 0 && self.is_text(next)).then(|| (next - 1, self.expression_end(next)))
    }

    /// Returns the statement after a function that runs code, in languages that need no brackets: `eval $code`, `eval URI.open(x).read`.
    fn bare_call(&self, path: &str, next: usize) -> Option<(usize, usize)> {
        const RUNNING: &[&str] = &[
            "include",
            "include_once",
            "require_once",
            "eval",
            "instance_eval",
            "class_eval",
            "module_eval",
            "system",
            "exec",
            "spawn",
            "require",
            "do",
            "load",
        ];
        let last = path.rsplit(['.', ':']).next().unwrap_or_default();
        let needs_none = matches!(self.language.name, "ruby" | "perl" | "php") && RUNNING.contains(&last);
        let is_file = matches!(last, "include" | "include_once" | "require" | "require_once") && self.is_text(next);
        let begins = is_file || self.token(next).is_some_and(|token| token.kind == Kind::Name);
        (needs_none && begins && next > 0).then(|| (next - 1, self.expression_end(next)))
    }

    /// Returns the first part of a chain: a name, or a module or an attribute that a call names.
    fn start(&self, at: usize, first: &str) -> (String, usize, bool) {
        let plain = || (self.aliases.get(first).cloned().unwrap_or_else(|| first.to_owned()), at + 1, false);
        // `Reflect.get(object, name)` is `getattr(object, name)`.
        let is_reflect = first == "Reflect" && self.is(at + 1, ".") && self.is_name(at + 2, "get");
        let open = if is_reflect { at + 3 } else { at + 1 };
        if !self.is(open, "(") {
            return plain();
        }
        let close = self.pair[open];
        if close >= self.tokens.len() {
            return plain();
        }
        if matches!(first, "require" | "__import__" | "import_module" | "import") {
            let is_used = self.is_dot(close + 1) || self.is(close + 1, "[");
            if let Some((module, built)) = self.constant(open + 1, close).filter(|_| is_used) {
                return (module_name(&module), close + 1, built);
            }
        }
        // `vars(builtins)["exec"]`.
        if matches!(first, "vars" | "globals" | "locals") && self.is(close + 1, "[") {
            return ("builtins".to_owned(), close + 1, false);
        }
        if matches!(first, "getattr" | "Reflect") {
            let comma = (open + 1..close).find(|at| self.is(*at, ","));
            if let Some((comma, object)) = comma.and_then(|comma| Some((comma, self.chain(open + 1)?))) {
                let end = (comma + 1..close).find(|at| self.is(*at, ",")).unwrap_or(close);
                if let Some((attribute, built)) = self.constant(comma + 1, end) {
                    return (format!("{}.{attribute}", object.path), close + 1, built || object.is_built);
                }
            }
        }
        plain()
    }

    /// Returns the name in an index, and whether it is put together.
    fn plain_index(&self, open: usize) -> Option<(String, bool)> {
        let close = self.pair[open];
        let (text, built) = self.constant(open + 1, close)?;
        let is_name = !text.is_empty()
            && text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '-'));
        is_name.then_some((text, built))
    }

    /// Returns a text of literals that are joined by `+`, and whether it has several pieces.
    pub(crate) fn constant(&self, from: usize, to: usize) -> Option<(String, bool)> {
        let (mut text, mut pieces) = (String::new(), 0);
        for at in from..to.min(self.tokens.len()) {
            match &self.tokens[at] {
                token if token.kind == Kind::Text => {
                    text.push_str(&token.text);
                    pieces += usize::from(!token.text.is_empty());
                }
                token if token.is("+") || token.is("(") || token.is(")") => {}
                _ => return None,
            }
        }
        (pieces > 0).then_some((text, pieces > 1))
    }

    /// Returns the index after an expression: at a comma, a bracket that closes, or the end of the statement.
    pub(crate) fn expression_end(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(token) = self.token(at).filter(|_| self.spend(1)) {
            match token.kind {
                Kind::Line => {
                    let goes_on = self.is_dot(at + 1)
                        || at > from
                            && self.tokens[at - 1].kind == Kind::Sign
                            && matches!(
                                self.tokens[at - 1].text.as_str(),
                                "+" | "=" | "," | "&&" | "||" | "?" | ":" | "|" | "=>" | "(" | "["
                            )
                        || at == from;
                    if !goes_on {
                        return at;
                    }
                }
                Kind::Sign => match token.text.as_str() {
                    "(" | "[" | "{" => {
                        at = self.pair[at];
                        if at >= self.tokens.len() {
                            return self.tokens.len();
                        }
                    }
                    ")" | "]" | "}" | ";" | "," => return at,
                    _ => {}
                },
                _ => {}
            }
            at += 1;
        }
        at.min(self.tokens.len())
    }

    /// Returns the ranges of the arguments of a call.
    pub(crate) fn arguments(&self, (open, close): (usize, usize)) -> Vec<(usize, usize)> {
        let (mut found, mut start) = (Vec::new(), open + 1);
        while start < close && found.len() < 32 {
            let end = self.expression_end(start).clamp(start, close);
            if end > start {
                found.push((start, end));
            }
            start = end + 1;
        }
        found
    }

    fn read_imports(&mut self) {
        for at in 0..self.tokens.len() {
            match self.tokens[at].text.as_str() {
                "import" if self.begins_import(at) => self.read_import(at),
                "from" if self.tokens[at].kind == Kind::Name && self.language.name == "python" => self.read_from(at),
                "require" | "import_module" | "__import__" if self.is(at + 1, "(") => self.read_require(at),
                "process" | "globalThis" | "global" | "module" | "os" | "Reflect" => self.read_members(at),
                _ => {}
            }
        }
    }

    /// Returns whether a name begins an import, and is not a part of `from m import a`.
    fn begins_import(&self, at: usize) -> bool {
        let is_first = at == 0 || self.tokens[at - 1].kind == Kind::Line || self.is(at - 1, ";");
        self.tokens[at].kind == Kind::Name && (is_first || self.language.name != "python")
    }

    /// `import a.b as c, d` and `import x, {y as z} from 'm'`.
    fn read_import(&mut self, at: usize) {
        if self.language.name != "python" {
            let end = (at..self.tokens.len().min(at + 200)).find(|at| self.is_text(*at));
            if let Some(end) = end.filter(|end| *end > at + 1 && !self.is(at + 1, "(")) {
                let module = module_name(&self.tokens[end].text);
                self.bind(at + 1, end, &module);
            }
            return;
        }
        let mut next = at + 1;
        while let Some(chain) = self.raw_chain(next) {
            let (module, end) = chain;
            if self.is_name(end, "as") {
                if let Some(alias) = self.name(end + 1).map(str::to_owned) {
                    self.aliases.insert(alias, module);
                }
                next = end + 2;
            } else {
                next = end;
            }
            if !self.is(next, ",") {
                break;
            }
            next += 1;
        }
    }

    /// `from m import a as b, c`.
    fn read_from(&mut self, at: usize) {
        let Some((module, end)) = self.raw_chain(at + 1) else { return };
        if !self.is_name(end, "import") {
            return;
        }
        let stop = if self.is(end + 1, "(") { self.pair[end + 1] } else { self.expression_line_end(end + 1) };
        self.bind(end + 1, stop.min(self.tokens.len()), &module);
    }

    /// `const m = require('m')`, `const {a: b} = require('m')` and `m = __import__('m')`.
    fn read_require(&mut self, at: usize) {
        let close = self.pair[at + 1];
        let Some((module, _)) = self.constant(at + 2, close) else { return };
        let mut module = module_name(&module);
        // `.promises` and the like.
        let mut after = close + 1;
        while self.is_dot(after) && self.name(after + 1).is_some() {
            module = format!("{module}.{}", self.name(after + 1).unwrap_or_default());
            after += 2;
        }
        if self.is(after, "(") {
            return;
        }
        let mut equals = at;
        while equals > 0 && at - equals < 8 && !self.is(equals, "=") {
            equals -= 1;
        }
        if !self.is(equals, "=") || equals == 0 {
            return;
        }
        let start = if self.is(equals - 1, "}") { self.pair[equals - 1] } else { equals - 1 };
        if start < equals {
            self.bind(start, equals, &module);
        }
    }

    /// `const {env: e} = process` and `const load = module.constructor._load`.
    fn read_members(&mut self, at: usize) {
        let is_whole = !self.is_dot(at + 1) && !self.is(at + 1, "[") && !self.is(at + 1, "(");
        if at >= 2 && is_whole && self.is(at - 1, "=") && self.is(at - 2, "}") {
            let object = self.tokens[at].text.clone();
            let start = self.pair[at - 2];
            if start < at {
                self.bind(start, at - 1, &object);
            }
        }
        let name = at.checked_sub(2).filter(|_| self.is(at - 1, "=")).and_then(|at| self.name(at)).map(str::to_owned);
        let member = self.chain(at).filter(|chain| chain.call.is_none() && at + 1 < chain.end);
        if let Some((name, member)) = name.zip(member).filter(|_| at < 3 || !self.is_dot(at - 3)) {
            self.aliases.insert(name, member.path);
        }
    }

    /// Makes names stand for a module, or for its members if they are in braces or after `from`.
    fn bind(&mut self, from: usize, to: usize, module: &str) {
        let is_from = self.language.name == "python" && from > 0 && self.is_name(from - 1, "import");
        let mut in_braces = is_from;
        let mut at = from;
        while at < to {
            if self.is(at, "{") {
                in_braces = true;
            } else if self.is(at, "}") {
                in_braces = false;
            } else if let Some(name) = self
                .name(at)
                .filter(|name| !matches!(*name, "as" | "type" | "from" | "const" | "let" | "var"))
                .map(str::to_owned)
            {
                let renamed = self.is_name(at + 1, "as") || self.is(at + 1, ":");
                let alias = if renamed { self.name(at + 2).map(str::to_owned) } else { None };
                let target = if in_braces { format!("{module}.{name}") } else { module.to_owned() };
                let is_module = !in_braces;
                let own = alias.unwrap_or_else(|| name.clone());
                if !(is_module && own == module) {
                    self.aliases.insert(own, target);
                }
                at += if renamed { 2 } else { 0 };
            }
            at += 1;
        }
    }

    fn raw_chain(&self, at: usize) -> Option<(String, usize)> {
        let mut path = self.name(at)?.to_owned();
        let mut next = at + 1;
        while self.is(next, ".") && self.name(next + 1).is_some() && next < at + 2 * MAX_CHAIN {
            path = format!("{path}.{}", self.name(next + 1)?);
            next += 2;
        }
        Some((path, next))
    }

    fn expression_line_end(&self, from: usize) -> usize {
        (from..self.tokens.len())
            .find(|at| self.tokens[*at].kind == Kind::Line || self.is(*at, ";"))
            .unwrap_or(self.tokens.len())
    }
}

/// Returns the name of a module without the prefix of built-in ones.
fn module_name(module: &str) -> String {
    let module = module.strip_prefix("node:").unwrap_or(module);
    if module == "fs/promises" || module == "fs-extra" || module == "graceful-fs" {
        return "fs".to_owned();
    }
    // A file of the skill: `./parts.mjs` is the module `parts`.
    let Some(file) = module.strip_prefix("./").or_else(|| module.strip_prefix("../")) else {
        return module.to_owned();
    };
    let name = file.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
}

/// Returns the pairs of brackets. One that has no partner is paired with the end.
fn pairs(tokens: &[Token]) -> Vec<usize> {
    let mut pair = vec![tokens.len(); tokens.len()];
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Sign) {
        match token.text.as_str() {
            "(" | "[" | "{" => open.push((at, &token.text)),
            ")" | "]" | "}" => {
                let expected = match token.text.as_str() {
                    ")" => "(",
                    "]" => "[",
                    _ => "{",
                };
                // A wrong bracket closes what is open up to its partner, if that is near.
                let near = open.len().saturating_sub(8);
                let Some(depth) = open[near..].iter().rposition(|(_, sign)| *sign == expected).map(|at| near + at)
                else {
                    continue;
                };
                open.truncate(depth + 1);
                if let Some((start, _)) = open.pop() {
                    pair[start] = at;
                    pair[at] = start;
                }
            }
            _ => {}
        }
    }
    pair
}
