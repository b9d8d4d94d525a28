//! Follows values from their sources through variables, functions and files. The order of statements does not matter: a value that gets
//! into a variable anywhere is in it everywhere.

mod sources;

use std::collections::{BTreeMap, BTreeSet};

use super::fold::{Folded, Texts, fold};
use super::lex::Kind;
use super::program::{Chain, Program, matches_entry};
use super::value::{Value, bits};
use crate::tables::calls::{CALLS, Effect};
use crate::tables::names;

/// Texts that are encodings, modes and patterns, and no parts of a path.
const PLAIN_TEXTS: &[&str] =
    &["", "~", "utf8", "utf-8", "latin-1", "ascii", "r", "rb", "*", "**", "**/*", "ignore", "replace", "$HOME"];

/// How often all assignments are read. Each pass follows a value through at least one more variable.
const PASSES: usize = 4;

/// What is known about the variables of a program.
pub(crate) struct Flow<'p> {
    pub(crate) program: &'p Program,
    pub(crate) values: BTreeMap<String, Value>,
    pub(crate) texts: Texts,
    /// The paths of files that were downloaded.
    pub(crate) downloads: BTreeSet<String>,
    functions: BTreeMap<String, Vec<String>>,
    /// What chains stand for by their names alone.
    classes: BTreeMap<String, u16>,
    /// For each open file, the names in its path.
    opened: BTreeMap<String, Vec<String>>,
    /// For each token of a function, its name.
    bodies: Vec<(usize, usize, String)>,
    /// Whether a variable of the environment is read by a name that holds a key.
    pub(crate) names_key: bool,
}

/// Returns what a call does. Names that are functions of one language only are ignored in the others.
pub(crate) fn effect(program: &Program, chain: &Chain) -> Option<Effect> {
    let is_script = matches!(program.language.name, "python" | "javascript");
    if is_script
        && matches!(
            chain.path.as_str(),
            "assert"
                | "load"
                | "system"
                | "spawn"
                | "popen"
                | "include"
                | "passthru"
                | "loadstring"
                | "request"
                | "ws"
                | "got"
                | "axios"
                | "execa"
                | "http.get"
                | "http.request"
                | "https.get"
                | "https.request"
        )
    {
        let is_import = program.aliases.contains_key(&chain.first)
            || chain.path != chain.first && program.language.name == "javascript";
        let is_module = matches!(chain.path.as_str(), "got" | "axios" | "execa" | "ws" | "request");
        if !is_import && !is_module {
            return None;
        }
    }
    match (chain.path.as_str(), program.language.name) {
        ("exec", "php" | "ruby" | "perl") => return Some(Effect::Command),
        ("exec" | "compile", name) if name != "python" => return None,
        _ => {}
    }
    CALLS.iter().find(|(entry, _)| matches_entry(&chain.path, entry)).map(|(_, effect)| *effect)
}

impl<'p> Flow<'p> {
    /// Follows the values of a program. `constants` are texts of other modules, by `MODULE.NAME`.
    pub(crate) fn new(program: &'p Program, constants: &BTreeMap<String, String>) -> Self {
        let constant = |(path, text): (&String, &String)| (path.clone(), Folded::plain(text.as_str()));
        let mut flow = Self {
            program,
            values: BTreeMap::new(),
            texts: constants.iter().map(constant).collect(),
            downloads: BTreeSet::new(),
            functions: BTreeMap::new(),
            classes: BTreeMap::new(),
            opened: BTreeMap::new(),
            bodies: Vec::new(),
            names_key: false,
        };
        flow.read_functions();
        for _ in 0..PASSES {
            if !flow.pass() || program.is_exhausted() {
                break;
            }
        }
        flow
    }

    pub(crate) fn fold(&self, from: usize, to: usize) -> Folded {
        fold(self.program, &self.texts, from, to)
    }

    /// Finds functions with the names of their parameters.
    fn read_functions(&mut self) {
        let program = self.program;
        for at in 0..program.tokens.len() {
            let token = &program.tokens[at];
            if token.kind != Kind::Name || !matches!(token.text.as_str(), "def" | "function" | "func" | "fn" | "sub") {
                continue;
            }
            // `function* f(…)`
            let at = if program.is(at + 1, "*") { at + 1 } else { at };
            let Some(name) = program.token(at + 1).filter(|token| token.kind == Kind::Name) else { continue };
            if !program.is(at + 2, "(") {
                continue;
            }
            let close = program.pair[at + 2].min(program.tokens.len());
            let parameters = program.arguments((at + 2, close)).into_iter().filter_map(|(from, _)| {
                (from..from + 3)
                    .find_map(|at| program.token(at).filter(|token| token.kind == Kind::Name))
                    .map(|token| token.text.clone())
            });
            let parameters: Vec<String> = parameters.filter(|name| name != "self" && name != "cls").collect();
            let end = self.body_end(at, close);
            self.bodies.push((close, end, name.text.clone()));
            self.functions.insert(name.text.clone(), parameters);
        }
    }

    /// Returns the end of the body of a function: by its indentation in Python, by its braces elsewhere.
    fn body_end(&self, start: usize, close: usize) -> usize {
        let program = self.program;
        if program.language.name != "python" {
            let open = (close..program.tokens.len().min(close + 40)).find(|at| program.is(*at, "{"));
            return open.map_or(close, |open| program.pair[open]);
        }
        let indent = program.tokens[start].indent;
        let mut after_line = false;
        for at in close..program.tokens.len() {
            if !program.spend(1) {
                return at;
            }
            let token = &program.tokens[at];
            if after_line && token.kind != Kind::Line && token.indent <= indent {
                return at;
            }
            after_line = token.kind == Kind::Line;
        }
        program.tokens.len()
    }

    /// Reads all assignments and calls once, and returns whether something new was found.
    fn pass(&mut self) -> bool {
        let program = self.program;
        let mut changed = false;
        for at in 0..program.tokens.len() {
            let token = &program.tokens[at];
            match token.kind {
                Kind::Sign if matches!(token.text.as_str(), "=" | "+=" | ":=" | "||" | "??") && at > 0 => {
                    changed |= self.assignment(at);
                }
                Kind::Name if matches!(token.text.as_str(), "in" | "of" | "as") => changed |= self.binding(at),
                Kind::Name if matches!(token.text.as_str(), "return" | "yield") => changed |= self.returned(at),
                Kind::Name if program.begins_chain(at) => changed |= self.call(at),
                _ => {}
            }
        }
        changed
    }

    fn assign(&mut self, name: &str, value: &Value) -> bool {
        if value.bits == 0 && value.addresses.is_empty() && value.keys.is_empty() {
            return false;
        }
        self.values.entry(name.to_owned()).or_default().add(value)
    }

    /// `a = x`, `const {a, b} = x`, `self.a = x`, `d["k"] = x`.
    fn assignment(&mut self, at: usize) -> bool {
        let program = self.program;
        let is_default = matches!(program.tokens[at].text.as_str(), "||" | "??");
        if is_default {
            return false;
        }
        let end = program.expression_end(at + 1);
        // `a, b = x` and `a = b = x`.
        let value = self.value(at + 1, end);
        let targets = self.targets(at);
        let is_one = targets.len() == 1;
        let mut changed = false;
        for target in targets {
            changed |= self.assign(&target, &value);
            if is_one {
                self.remember_file(&target, at + 1, end);
                changed |= self.assign_text(&target, at, end);
            }
        }
        changed
    }

    /// Remembers the text of a variable that is assigned once.
    fn assign_text(&mut self, target: &str, at: usize, end: usize) -> bool {
        let folded = self.fold(at + 1, end);
        let is_function =
            end > at + 1 && self.program.chain(at + 1).is_some_and(|chain| chain.end == end && chain.call.is_none());
        if is_function || folded.text.is_empty() || folded.text == super::fold::UNKNOWN {
            return false;
        }
        match self.texts.get_mut(target) {
            None => {
                self.texts.insert(target.to_owned(), folded);
                true
            }
            Some(known) if self.program.is(at, "+=") && known.pieces < 64 && !known.text.ends_with(&folded.text) => {
                known.text.push_str(&folded.text);
                known.pieces += folded.pieces;
                known.is_complete &= folded.is_complete;
                true
            }
            Some(known) if !known.is_complete && folded.is_complete => {
                *known = folded;
                true
            }
            Some(_) => false,
        }
    }

    /// Returns the names on the left side of an assignment.
    fn targets(&self, at: usize) -> Vec<String> {
        let program = self.program;
        let mut names = Vec::new();
        let mut next = at;
        while next > 0 && at - next < 40 && names.len() < 12 {
            next -= 1;
            let token = &program.tokens[next];
            match token.kind {
                Kind::Name => {
                    let is_keyword = matches!(
                        token.text.as_str(),
                        "const"
                            | "let"
                            | "var"
                            | "my"
                            | "local"
                            | "if"
                            | "while"
                            | "return"
                            | "else"
                            | "export"
                            | "await"
                            | "type"
                            | "auto"
                    );
                    if is_keyword {
                        break;
                    }
                    if next > 0 && (program.is(next - 1, ".") || program.is(next - 1, "->")) && next > 1 {
                        names.push(format!("{}.{}", program.tokens[next - 2].text, token.text));
                        next -= 2;
                        continue;
                    }
                    // A type: `x: str = ...`.
                    let is_type = next > 0
                        && program.is(next - 1, ":")
                        && !program.tokens[next - 2.min(next)].is("{")
                        && program.language.name == "python";
                    if !is_type {
                        names.push(token.text.clone());
                    }
                }
                Kind::Sign if matches!(token.text.as_str(), "," | ":" | "{" | "}" | "[" | "]" | "*" | "...") => {
                    if token.text == "]" && program.pair[next] < next {
                        next = program.pair[next];
                    }
                    if token.text == "{"
                        && !(next > 0
                            && matches!(program.tokens[next - 1].text.as_str(), "const" | "let" | "var" | "("))
                    {
                        break;
                    }
                }
                _ => break,
            }
        }
        names
    }

    /// `for a in x`, `for (const a of x)`, `with x as a`.
    fn binding(&mut self, at: usize) -> bool {
        let program = self.program;
        if program.is_name(at, "as") {
            let Some(name) =
                program.token(at + 1).filter(|token| token.kind == Kind::Name).map(|token| token.text.clone())
            else {
                return false;
            };
            let start = (at.saturating_sub(60)..at)
                .rev()
                .find(|at| program.is_name(*at, "with") || program.tokens[*at].kind == Kind::Line)
                .unwrap_or(at);
            let value = self.value(start, at);
            self.remember_file(&name, start, at);
            return self.assign(&name, &value);
        }
        let before = at.saturating_sub(8)..at;
        if !before.clone().any(|at| program.is_name(at, "for")) {
            return false;
        }
        let end = self.iterable_end(at + 1);
        let value = self.value(at + 1, end);
        let names: Vec<String> = before
            .rev()
            .take_while(|at| !program.is_name(*at, "for"))
            .filter_map(|at| program.token(at))
            .filter(|token| token.kind == Kind::Name)
            .map(|token| token.text.clone())
            .collect();
        if let [name] = names.as_slice() {
            self.assign_text(name, at, end);
        }
        let mut changed = false;
        for name in &names {
            changed |= self.assign(name, &value);
        }
        changed
    }

    /// Returns the end of what a loop goes through: in Python, the colon.
    fn iterable_end(&self, from: usize) -> usize {
        let program = self.program;
        let end = program.expression_end(from);
        if program.language.name != "python" {
            return end;
        }
        let mut at = from;
        while at < end && !program.is(at, ":") {
            let is_open = ["(", "[", "{"].iter().any(|sign| program.is(at, sign));
            at = if is_open { program.pair[at].max(at) + 1 } else { at + 1 };
        }
        at.min(end)
    }

    /// Remembers the names in the path of a file that is opened.
    fn remember_file(&mut self, name: &str, from: usize, to: usize) {
        let program = self.program;
        let open = (from..to.min(from + 40)).find(|at| {
            program.token(*at).is_some_and(|token| {
                token.kind == Kind::Name
                    && matches!(
                        token.text.as_str(),
                        "open" | "createWriteStream" | "fdopen" | "ZipFile" | "TarFile" | "GzipFile"
                    )
            })
        });
        if let Some(open) = open {
            let names = program.tokens[open + 1..to.min(program.tokens.len())]
                .iter()
                .filter(|token| token.kind == Kind::Name || token.kind == Kind::Text);
            let names: Vec<String> = names.map(|token| token.text.clone()).take(8).collect();
            let owner = open
                .checked_sub(2)
                .and_then(|at| program.token(at))
                .filter(|_| program.is(open - 1, "."))
                .map(|token| token.text.clone());
            self.opened.insert(name.to_owned(), names.into_iter().chain(owner).collect());
        }
    }

    fn returned(&mut self, at: usize) -> bool {
        let body =
            self.bodies.iter().filter(|(from, to, _)| *from <= at && at < *to).min_by_key(|(from, to, _)| to - from);
        let Some(name) = body.map(|(_, _, name)| name.clone()) else { return false };
        let value = self.value(at + 1, self.program.expression_end(at + 1));
        self.assign(&name, &value)
    }

    /// Follows the arguments of a call into the parameters of a function, into callbacks, and into files.
    fn call(&mut self, at: usize) -> bool {
        let program = self.program;
        let Some(chain) = program.chain(at) else { return false };
        let Some(call) = chain.call.filter(|(open, close)| close > open) else { return false };
        let mut changed = self.parameters(at, &chain, call);
        changed |= self.callbacks(at, call);
        if matches!(effect(program, &chain), Some(Effect::Write | Effect::Save)) {
            changed |= self.written(at, &chain, call);
        }
        if program.language.name == "perl" && chain.path == "open" {
            changed |= self.opened_program(call);
        }
        if names::ADDERS.contains(&chain.last()) && chain.path.contains('.') {
            changed |= self.added(&chain, call);
        }
        changed
    }

    /// `list.append(x)` and `archive.add(path)`: what is added is in the list, in the archive, and in the file behind the archive.
    fn added(&mut self, chain: &Chain, (open, close): (usize, usize)) -> bool {
        let mut value = self.value(open + 1, close);
        if value.has(bits::SECRET_PATH) && matches!(chain.last(), "add" | "addfile" | "attach") {
            value.bits |= bits::SECRET;
        }
        let kept = bits::SECRET | bits::ENVIRONMENT | bits::HOME_FILES | bits::PAGE | bits::SECRET_PATH;
        let value = Value { bits: value.bits & kept, addresses: Vec::new(), ..value };
        let opened = self.opened.get(&chain.first).cloned().unwrap_or_default();
        let is_usual =
            |name: &String| matches!(name.as_str(), "open" | "os" | "path" | "join" | "io" | "tarfile" | "zipfile");
        let names: Vec<String> =
            opened.into_iter().chain([chain.first.clone()]).filter(|name| !is_usual(name)).collect();
        let mut changed = false;
        for name in &names {
            changed |= self.assign(name, &value);
        }
        changed
    }

    fn parameters(&mut self, at: usize, chain: &Chain, call: (usize, usize)) -> bool {
        let program = self.program;
        let is_definition =
            at > 0 && matches!(program.tokens[at - 1].text.as_str(), "def" | "function" | "func" | "fn" | "sub");
        let last = chain.last().to_owned();
        let Some(parameters) = self.functions.get(&last).cloned().filter(|_| !is_definition) else { return false };
        let mut changed = false;
        for (index, (from, to)) in program.arguments(call).into_iter().enumerate() {
            let by_name = program
                .token(from)
                .filter(|token| token.kind == Kind::Name && program.is(from + 1, "="))
                .map(|token| token.text.clone());
            let Some(parameter) = by_name.or_else(|| parameters.get(index).cloned()) else { continue };
            let value = self.value(from, to);
            changed |= self.assign(&parameter, &value);
        }
        changed
    }

    /// The parameters of functions that are arguments get what the call is about.
    fn callbacks(&mut self, at: usize, (open, close): (usize, usize)) -> bool {
        let program = self.program;
        let mut changed = false;
        for (from, to) in program.arguments((open, close)) {
            let arrow = (from..to.min(from + 12)).find(|at| program.is(*at, "=>") || program.is_name(*at, "function"));
            let Some(arrow) = arrow else { continue };
            let mut names: Vec<String> = Vec::new();
            let scope = if program.is_name(arrow, "function") { arrow + 1..(arrow + 12).min(to) } else { from..arrow };
            for at in scope {
                match &program.tokens[at] {
                    token if token.is(")") || token.is("{") => break,
                    token if token.kind == Kind::Name && token.text != "async" && token.text != "function" => {
                        names.push(token.text.clone());
                    }
                    _ => {}
                }
            }
            let mut value = self.value(self.receiver(at), open);
            for (other_from, other_to) in program.arguments((open, close)) {
                if other_from != from {
                    value.add(&self.value(other_from, other_to));
                }
            }
            for name in names {
                changed |= self.assign(&name, &value);
            }
        }
        changed
    }

    /// Returns the first token of the expression whose method is called.
    pub(crate) fn receiver(&self, at: usize) -> usize {
        let program = self.program;
        let mut start = at;
        while start >= 2 && program.spend(1) && (program.is(start - 1, ".") || program.is(start - 1, "?.")) {
            start -= 2;
            if program.tokens[start].kind == Kind::Line && start > 0 {
                start -= 1;
            }
            while (program.is(start, ")") || program.is(start, "]")) && program.pair[start] < start {
                start = program.pair[start];
                start = if start > 0 && program.tokens[start - 1].kind == Kind::Name { start - 1 } else { start };
            }
        }
        start
    }

    /// A file that gets what was downloaded is downloaded.
    fn written(&mut self, at: usize, chain: &Chain, call: (usize, usize)) -> bool {
        let program = self.program;
        let arguments = program.arguments(call);
        let all = self.value(call.0 + 1, call.1);
        let is_save = effect(program, chain) == Some(Effect::Save);
        if !is_save && !all.has(bits::NETWORK | bits::DECODED | bits::SECRET) {
            return false;
        }
        let kept = Value {
            bits: if is_save { bits::NETWORK } else { all.bits & (bits::NETWORK | bits::DECODED | bits::SECRET) },
            ..Value::default()
        };
        // `f.write(x)` is about `f`, and `write(path, x)` about `path`.
        let is_method = chain.path.starts_with('.') || chain.path.contains('.') && arguments.len() == 1;
        let place = if is_save {
            arguments.get(1).copied()
        } else if is_method {
            Some((self.receiver(at), call.0))
        } else {
            arguments.first().copied()
        };
        let Some((from, to)) = place else { return false };
        let mut changed = false;
        let folded = self.fold(from, to);
        if kept.has(bits::NETWORK) && folded.is_complete && !folded.text.is_empty() && !is_method {
            changed |= self.downloads.insert(folded.text);
        }
        for token in &program.tokens[from..to.min(program.tokens.len())] {
            if token.kind == Kind::Name
                && !matches!(token.text.as_str(), "open" | "os" | "path" | "join" | "write" | "str" | "fs" | "Path")
            {
                let opened = self.opened.get(&token.text).cloned().unwrap_or_default();
                for name in opened.iter().chain([&token.text]) {
                    changed |= self.keep_file(name, &kept);
                }
            }
        }
        changed
    }

    /// Notes what a file contains, by a name in its path.
    fn keep_file(&mut self, name: &str, kept: &Value) -> bool {
        let mut changed = self.assign(name, kept);
        if kept.has(bits::NETWORK) {
            let text = self.texts.get(name).filter(|text| text.is_complete).map(|text| text.text.clone());
            let path = text.or_else(|| name.contains(['/', '.']).then(|| name.to_owned()));
            changed |= path.is_some_and(|path| self.downloads.insert(path));
        }
        changed
    }

    /// Returns what is known about an expression.
    pub(crate) fn value(&mut self, from: usize, to: usize) -> Value {
        let program = self.program;
        let (mut value, mut path, mut reads) = (Value::default(), String::new(), false);
        let (mut lists, mut has_part) = (false, false);
        let mut at = from;
        let mut variables = 0;
        while at < to.min(program.tokens.len()) && program.spend(1) {
            let token = &program.tokens[at];
            match token.kind {
                Kind::Text => {
                    value.add_text(&token.text);
                    has_part |= !PLAIN_TEXTS.contains(&token.text.as_str());
                    if token.text.len() < 256 {
                        path.push('/');
                        path.push_str(&token.text);
                    }
                }
                Kind::Name if program.begins_chain(at) => {
                    let chain = program.chain(at);
                    if let Some(chain) = chain {
                        variables += usize::from(chain.call.is_none() && !chain.first.is_empty());
                        reads |= chain.call.is_some() && names::READERS.contains(&chain.last());
                        lists |= chain.call.is_some() && names::WALKERS.contains(&chain.last());
                        self.chain_value(at, &chain, &mut value);
                        let text = self.texts.get(&chain.path).filter(|text| chain.call.is_none() && text.is_complete);
                        if let Some(text) = text.filter(|text| text.text.len() < 256) {
                            path.push('/');
                            path.push_str(&text.text);
                        }
                        at = chain.end.max(at + 1);
                        continue;
                    }
                }
                // The body of a function is not a part of the value.
                Kind::Sign
                    if token.text == "{" && at > from && (program.is(at - 1, "=>") || program.is(at - 1, ")")) =>
                {
                    at = program.pair[at].max(at + 1).min(to);
                    continue;
                }
                // What is computed letter by letter is encoded.
                Kind::Sign if token.text == "^" && from + 1 < at => value.bits |= bits::DECODED,
                Kind::Sign if token.text == "+" => value.bits |= if variables > 0 { bits::BUILT } else { 0 },
                _ => {}
            }
            at += 1;
        }
        if path.len() < 1024 && !value.has(bits::SECRET_PATH) && !path.contains("://") {
            value.add_text(&path);
        }
        // A part of a path leads out of the home folder itself.
        if has_part {
            value.bits &= !bits::HOME;
        }
        value.look(reads, lists);
        value
    }
}
