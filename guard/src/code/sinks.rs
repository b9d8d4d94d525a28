//! What a program does with values: what it sends, runs, loads and writes.

mod loading;
mod whole;

use std::collections::BTreeSet;

use super::flow::{Flow, effect};
use super::fold::{Folded, UNKNOWN};
use super::lex::Kind;
use super::program::{Chain, Program};
use super::value::{Value, bits};
use crate::codes::Code;
use crate::context::Context;
use crate::encoded;
use crate::hosts::{self, Address, Standing};
use crate::shell;
use crate::tables::calls::Effect;
use crate::tables::names;
use crate::tables::{credentials, hosts as host_table, places};
use crate::unit::{Found, Inner, Judged, Unit};

/// Functions whose second argument is the path that they write.
const COPYING: &[&str] = &[
    "copy",
    "copy2",
    "copyfile",
    "copytree",
    "move",
    "rename",
    "replace",
    "copyFile",
    "copyFileSync",
    "cpSync",
    "renameSync",
    "symlink",
    "symlinkSync",
    "link",
];

/// A call of a program, with what is known about it.
struct Call {
    at: usize,
    chain: Chain,
    brackets: (usize, usize),
    arguments: Vec<(usize, usize)>,
    span: std::ops::Range<usize>,
}

struct Sinks<'a, 'p> {
    unit: &'a Unit,
    program: &'p Program,
    context: &'a Context<'a>,
    flow: Flow<'p>,
    /// Private places that were reported.
    reported: BTreeSet<&'static str>,
}

/// Adds what a program does.
pub(super) fn check(unit: &Unit, program: &Program, context: &Context<'_>, judged: &mut Judged) {
    let flow = Flow::new(program, &context.constants.borrow().texts);
    let own = flow.texts.iter().filter(|(name, text)| text.is_complete && !name.contains('.'));
    own.for_each(|(name, text)| context.constants.borrow_mut().add(name, &text.text));
    let mut sinks = Sinks { unit, program, context, flow, reported: BTreeSet::new() };
    for at in 0..program.tokens.len() {
        let token = &program.tokens[at];
        if token.kind == Kind::Text {
            sinks.constant(at, judged);
            continue;
        }
        if token.is("=") {
            sinks.loaded(at, judged);
            continue;
        }
        if token.kind != Kind::Name || !program.begins_chain(at) {
            continue;
        }
        let is_definition =
            at > 0 && matches!(program.tokens[at - 1].text.as_str(), "def" | "function" | "func" | "fn" | "class");
        let Some(chain) = program.chain(at).filter(|_| !is_definition) else { continue };
        let Some(brackets) = chain.call.filter(|(open, close)| close >= open) else { continue };
        let end =
            program.token(brackets.1).or_else(|| program.tokens.last()).map_or(token.at.end, |token| token.at.end);
        let span = token.at.start..end.min(token.at.start + 400);
        let call = Call { at, arguments: program.arguments(brackets), chain, brackets, span };
        sinks.call(&call, judged);
    }
    sinks.remote_shell(judged);
    sinks.names_that_look_alike(judged);
    sinks.replaced_payments(judged);
    if program.language.name == "powershell" {
        sinks.powershell(judged);
    }
}

impl Sinks<'_, '_> {
    fn found(&self, call: &Call, code: Code, message: impl Into<String>) -> Found {
        Found::in_unit(self.unit, code, call.span.clone(), message)
    }

    fn call(&mut self, call: &Call, judged: &mut Judged) {
        self.reads(call, judged);
        let Some(effect) = effect(self.program, &call.chain) else { return };
        if call.chain.is_built && !matches!(effect, Effect::Write) {
            judged.found.push(self.found(
                call,
                Code::BuiltCode,
                format!("The name `{}` is put together from pieces.", call.chain.path),
            ));
        }
        match effect {
            Effect::Send | Effect::Save => self.send(call, judged),
            Effect::LookUp => self.look_up(call, judged),
            Effect::Eval => self.eval(call, judged),
            Effect::Command => self.command(call, judged),
            Effect::Load => self.load(call, judged),
            Effect::Unpickle => self.unpickle(call, judged),
            Effect::Write => self.write(call, judged),
            Effect::Delete => self.delete(call, judged),
        }
    }

    fn all(&mut self, call: &Call) -> Value {
        let start = self.flow.receiver(call.at);
        let mut value = if start < call.at { self.flow.value(start, call.at) } else { Value::default() };
        value.add(&self.flow.value(call.brackets.0 + 1, call.brackets.1));
        if let Some(known) = self.flow.values.get(&call.chain.first) {
            value.add(known);
        }
        value
    }

    /// Private files that are read.
    fn reads(&mut self, call: &Call, judged: &mut Judged) {
        if !names::READERS.contains(&call.chain.last())
            || matches!(call.chain.last(), "add" | "load" | "connect") && !self.names_secret(call)
        {
            return;
        }
        let value = self.all(call);
        let Some(place) = value.place.filter(|_| value.has(bits::SECRET_PATH)) else { return };
        if self.writes(call) || !self.reported.insert(place.what) {
            return;
        }
        let found = self.found(call, Code::ReadsSecrets, format!("The code reads {}.", place.what));
        let severity = self.context.severity(Code::ReadsSecrets, place.topics).min(found.severity);
        judged.found.push(Found { severity, ..found });
    }

    /// Returns whether an argument itself names a private file.
    fn names_secret(&mut self, call: &Call) -> bool {
        let value = self.flow.value(call.brackets.0 + 1, call.brackets.1);
        value.has(bits::SECRET_PATH)
    }

    /// Returns whether a file is opened to be written.
    fn writes(&self, call: &Call) -> bool {
        let mode = call
            .arguments
            .iter()
            .skip(usize::from(call.chain.last() == "open" && !call.chain.path.starts_with('.')))
            .find_map(|(from, to)| {
                let mut tokens =
                    (*from..*to).filter_map(|at| self.program.token(at)).filter(|token| token.kind == Kind::Text);
                tokens.next().map(|token| token.text.clone())
            });
        mode.is_some_and(|mode| mode.len() <= 3 && mode.contains(['w', 'a', 'x', '+']))
    }

    fn send(&mut self, call: &Call, judged: &mut Judged) {
        let value = self.all(call);
        let text = self.flow.fold(call.brackets.0 + 1, call.brackets.1).text;
        let mut addresses = value.addresses.clone();
        addresses.extend(hosts::addresses(&text));
        self.send_value(call, &value, &addresses, judged);
        if addresses.iter().any(|address| toolc_scan::metadata_address(&address.host).is_some()) {
            judged.found.push(self.found(
                call,
                Code::CloudMetadata,
                "The code asks a cloud for the credentials of a machine.",
            ));
        }
        for address in &addresses {
            match address.standing() {
                Standing::Number => judged.found.push(self.found(
                    call,
                    Code::SuspiciousHost,
                    format!("The code connects with the bare IP address {}.", address.host),
                )),
                Standing::Hiding(what) => judged.found.push(self.found(
                    call,
                    Code::SuspiciousHost,
                    format!("The code connects with {}, a service that {what}.", address.host),
                )),
                Standing::Local | Standing::Named => {}
            }
            if hosts::looks_alike(&address.host) {
                judged.found.push(self.found(
                    call,
                    Code::LookAlike,
                    "The host is written with letters of different scripts.",
                ));
            }
            let whole = format!("{}{}", address.host, address.path);
            if host_table::MESSENGERS
                .iter()
                .any(|messenger| whole.contains(messenger) && shell::is_filled(&whole, messenger))
            {
                judged.found.push(self.found(
                    call,
                    Code::SuspiciousHost,
                    "The code sends data to a fixed channel of a messenger, which is not the user's.",
                ));
            }
        }
    }

    fn send_value(&self, call: &Call, value: &Value, addresses: &[Address], judged: &mut Judged) {
        let is_upload = call.chain.last().to_ascii_lowercase().contains("upload");
        if value.has(bits::SECRET) || is_upload && value.has(bits::SECRET_PATH) {
            let what = value.place.map_or("private data", |place| place.what);
            judged.found.push(self.found(call, Code::SendsSecrets, format!("The code sends {what}.")));
        }
        if value.has(bits::ENVIRONMENT) {
            judged.found.push(self.found(
                call,
                Code::SendsEnvironment,
                "The code sends all variables of the environment.",
            ));
        }
        let host = addresses.iter().find(|address| address.standing() != Standing::Local);
        if let Some(host) = host.filter(|_| value.has(bits::PAGE)) {
            let message = format!("The code sends what a page shows to {}.", host.host);
            judged.found.push(self.found(call, Code::SendsSecrets, message));
        }
        if value.has(bits::VARIABLES) && !self.flow.names_key && !self.names_a_key() {
            judged.found.push(self.found(
                call,
                Code::SendsSecrets,
                "The code sends a file of variables, which can hold passwords and tokens.",
            ));
        }
        let named: Vec<&Address> = addresses.iter().filter(|address| address.standing() != Standing::Local).collect();
        let foreign = value.keys.iter().find(|key| {
            let owners = credentials::hosts_of(key);
            owners.is_some_and(|owners| {
                !named.is_empty()
                    && named.iter().all(|address| !owners.iter().any(|owner| hosts::is_below(&address.host, owner)))
            })
        });
        if let Some(key) = foreign {
            judged.found.push(self.found(
                call,
                Code::ForeignCredential,
                format!("The code sends the key `{key}` to {}, which is not its service.", named[0].host),
            ));
        }
        let owners: BTreeSet<&str> = value
            .keys
            .iter()
            .filter_map(|key| credentials::OWNERS.iter().find(|(start, _)| key.starts_with(start)))
            .map(|(start, _)| *start)
            .collect();
        if owners.len() >= 3 {
            judged.found.push(self.found(
                call,
                Code::SendsEnvironment,
                "The code sends the keys of several services at once.",
            ));
        }
    }

    /// Returns whether the program has the name of a key, so that it picks one of a file of variables.
    fn names_a_key(&self) -> bool {
        self.program.tokens.iter().any(|token| {
            token.kind == Kind::Text
                && token.text.len() < 60
                && credentials::is_secret(&token.text)
                && token
                    .text
                    .bytes()
                    .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'='))
        })
    }

    fn look_up(&mut self, call: &Call, judged: &mut Judged) {
        let value = self.all(call);
        let sources = bits::SECRET | bits::ENVIRONMENT | bits::KEY | bits::FILE | bits::VARIABLES;
        if value.has(sources | bits::ENCODED) {
            judged.found.push(self.found(
                call,
                Code::SendsSecrets,
                "The code puts data into a name that it looks up, which sends them to the owner of the domain.",
            ));
        }
    }

    /// Adds what is wrong with a value that runs.
    fn run_value(&self, call: &Call, value: &Value, what: &str, judged: &mut Judged) -> bool {
        if value.has(bits::NETWORK) {
            judged.found.push(self.found(
                call,
                Code::FetchAndRun,
                format!("The code runs {what} that it has downloaded."),
            ));
            return true;
        }
        if value.has(bits::DECODED) {
            judged.found.push(self.found(
                call,
                Code::HiddenPayload,
                format!("The code runs {what} that it has decoded."),
            ));
            return true;
        }
        false
    }

    fn eval(&mut self, call: &Call, judged: &mut Judged) {
        let Some(&(from, to)) = call.arguments.first() else { return };
        if matches!(call.chain.last(), "setTimeout" | "setInterval") && !self.program.is_text(from) {
            return;
        }
        // The last argument of `Function` is the body.
        let (from, to) =
            if matches!(call.chain.last(), "Function" | "AsyncFunction" | "constructor" | "create_function") {
                *call.arguments.last().unwrap_or(&(from, to))
            } else {
                (from, to)
            };
        let value = self.flow.value(from, to);
        let folded = self.flow.fold(from, to);
        let is_literal = to == from + 1 && self.program.is_text(from);
        if folded.is_complete && !folded.text.is_empty() {
            judged.inner.push(Inner {
                language: self.program.language.name,
                text: folded.text.clone(),
                at: call.span.start,
            });
            if !is_literal && (folded.is_decoded || folded.pieces > 1) {
                judged.found.push(self.hidden(call, &folded));
            }
            return;
        }
        if self.run_value(call, &value, "code", judged) {
            return;
        }
        if value.has(bits::SECRET_PATH | bits::DATA_PATH) && value.has(bits::FILE) || value.has(bits::DATA_PATH) {
            judged.found.push(self.found(
                call,
                Code::HiddenPayload,
                "The code runs the content of a file whose name says that it is data.",
            ));
            return;
        }
        let joins = (from..to).filter_map(|at| self.program.token(at)).any(|token| token.is_name("join"));
        let is_eval = matches!(
            call.chain.last(),
            "eval" | "exec" | "Function" | "AsyncFunction" | "runInThisContext" | "runInNewContext"
        );
        if is_eval && (value.has(bits::BUILT) || joins) && !folded.text.contains(' ') {
            judged.found.push(self.found(call, Code::BuiltCode, "The code puts code together and runs it."));
        } else {
            judged.found.push(self.found(call, Code::DynamicCode, "The code runs a value as code."));
        }
    }

    /// Returns a finding about a constant that is not written as it is.
    fn hidden(&self, call: &Call, folded: &Folded) -> Found {
        let mut found = self.found(
            call,
            Code::HiddenPayload,
            format!("The code runs what it puts together or decodes: {}", crate::visible::visible(&folded.text)),
        );
        found.matter = Some(folded.text.clone());
        found
    }

    fn command(&mut self, call: &Call, judged: &mut Judged) {
        let line = self.line(call);
        let mut value = Value::default();
        for (from, to) in call.arguments.clone() {
            value.add(&self.flow.value(from, to));
        }
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let is_interpreter = |word: &str| {
            let name = word.rsplit('/').next().unwrap_or_default();
            names::INTERPRETERS.iter().any(|(interpreter, _)| *interpreter == name)
        };
        let first = words
            .iter()
            .find(|word| !matches!(**word, "sudo" | "nohup" | "env" | "setsid" | "exec"))
            .copied()
            .unwrap_or_default();
        let is_unknown = |word: &str| word.trim_matches(['"', '\'']) == UNKNOWN;
        // A path in a folder that is known only at run time.
        let is_below_unknown = first.strip_prefix(UNKNOWN).is_some_and(|rest| rest.starts_with('/'));
        let script = words.iter().skip_while(|word| **word != first).skip(1).find(|word| !word.starts_with('-'));
        let has_code = words.iter().any(|word| matches!(*word, "-c" | "-e"));
        let gets_code = is_interpreter(first)
            && (script.is_none_or(|word| is_unknown(word))
                || has_code && words.last().is_some_and(|word| is_unknown(word)));
        // `chr(n) for n in numbers`: the letters are known only at run time.
        let is_odd = first.starts_with(UNKNOWN) || first.replace(UNKNOWN, "").bytes().all(|byte| byte.is_ascii_digit());
        let is_computed = (line.is_decoded || value.has(bits::DECODED)) && !line.is_complete && is_odd;
        if gets_code || is_unknown(first) || is_below_unknown || is_computed {
            let by_itself = is_unknown(first) || is_below_unknown;
            let code = self.code_value(call, by_itself, has_code, words.len()).unwrap_or_else(|| value.clone());
            self.run_value(call, &code, "a command", judged);
        }
        let from_data = value.has(bits::DATA_PATH) && value.has(bits::FILE) && !line.is_complete;
        if from_data && (first.is_empty() || first.contains(UNKNOWN)) {
            let message = "The code runs commands from a file whose name says that it is data.";
            judged.found.push(self.found(call, Code::HiddenPayload, message));
        }
        let runs = |path: &str| {
            first == path || is_interpreter(first) && script.is_some_and(|word| word.trim_matches('"') == path)
        };
        if self.flow.downloads.iter().any(|path| runs(path)) {
            judged.found.push(self.found(call, Code::FetchAndRun, "The code runs a file that it has downloaded."));
        }
        if line.is_decoded && line.is_complete && encoded::harm(&line.text).is_some() {
            judged.found.push(self.hidden(call, &line));
        }
        let sends = words.iter().any(|word| matches!(*word, "curl" | "wget" | "nc" | "ncat" | "scp"));
        if sends && value.has(bits::SECRET | bits::ENVIRONMENT) {
            self.send_value(call, &value, &hosts::addresses(&line.text), judged);
        }
        if !line.text.is_empty() {
            judged.inner.push(Inner { language: "sh", text: line.text, at: call.span.start });
        }
    }

    /// Returns what is known about the part of a command that is run: its program, its script, or its code. `None` for the whole.
    fn code_value(&mut self, call: &Call, by_itself: bool, has_code: bool, words: usize) -> Option<Value> {
        let mut elements: Vec<(usize, usize)> = Vec::new();
        for (from, to) in &call.arguments {
            match self.list_at(*from) {
                Some(brackets) => elements.extend(self.program.arguments(brackets)),
                None if elements.is_empty() => elements.push((*from, *to)),
                None => break,
            }
        }
        let &(from, to) = match elements.as_slice() {
            // A command in one text: only a short one is certainly about its last word.
            [_] | [] if words <= 2 || has_code => return None,
            [_] | [] => return Some(Value::default()),
            [first, ..] if by_itself => first,
            [.., last] if has_code => last,
            [_, rest @ ..] => rest.iter().find(|(from, _)| {
                !self.program.token(*from).is_some_and(|token| token.kind == Kind::Text && token.text.starts_with('-'))
            })?,
        };
        Some(self.flow.value(from, to))
    }

    /// Returns the line of a shell that a call runs.
    fn line(&self, call: &Call) -> Folded {
        let mut line = Folded { is_complete: true, ..Folded::default() };
        let positional = call.arguments.iter().take_while(|(from, _)| {
            !(self.program.token(*from).is_some_and(|token| token.kind == Kind::Name) && self.program.is(from + 1, "="))
        });
        for (index, (from, to)) in positional.enumerate() {
            let list = self.list_at(*from);
            if index > 0 && list.is_none() && !self.takes_words(call) {
                break;
            }
            let elements = list.map_or_else(|| vec![(*from, *to)], |brackets| self.program.arguments(brackets));
            for (from, to) in elements {
                let mut element = self.flow.fold(from, to);
                if element.list.len() > 1 && element.list.concat() == element.text {
                    element.text = element.list.join(" ");
                }
                if !line.text.is_empty() {
                    line.text.push(' ');
                }
                let is_word = list.is_some() || self.takes_words(call) && index > 0;
                if is_word
                    && element.text.contains([' ', '\n', '|', ';', '&', '>', '<', '(', '*'])
                    && !element.text.starts_with('-')
                {
                    line.text.push_str(&format!("'{}'", element.text.replace('\'', "'\\''")));
                } else if element.text.is_empty() {
                    line.text.push_str(UNKNOWN);
                } else {
                    line.text.push_str(&element.text);
                }
                line.is_complete &= element.is_complete;
                line.is_decoded |= element.is_decoded;
                line.pieces += element.pieces;
            }
        }
        line
    }

    /// Returns whether each argument of a call is a word of its own.
    fn takes_words(&self, call: &Call) -> bool {
        matches!(
            call.chain.last(),
            "spawn"
                | "spawnSync"
                | "execFile"
                | "execFileSync"
                | "execa"
                | "create_subprocess_exec"
                | "execl"
                | "execlp"
                | "spawnl"
                | "spawnlp"
                | "Command"
                | "new"
                | "execv"
                | "execvp"
        ) || matches!(self.program.language.name, "ruby" | "go")
    }

    /// Returns the brackets of a list: the argument itself, or what a variable is assigned.
    fn list_at(&self, from: usize) -> Option<(usize, usize)> {
        let open = if self.program.is(from, "[") { from } else { return None };
        Some((open, self.program.pair[open].min(self.program.tokens.len())))
    }

    /// A folder that is deleted is judged as the command of a shell.
    fn delete(&mut self, call: &Call, judged: &mut Judged) {
        let Some(&(from, to)) = call.arguments.first() else { return };
        if self.flow.value(from, to).has(bits::HOME | bits::HOME_FILES) {
            let message = "The code deletes the folders of the user, whatever they are.";
            judged.found.push(self.found(call, Code::Destroys, message));
        }
        let folded = self.flow.fold(from, to);
        let is_plain = folded.text.chars().all(|letter| letter.is_alphanumeric() || "/~._-*".contains(letter));
        if folded.is_complete && !folded.text.is_empty() && is_plain {
            let text = format!("rm -rf {}", folded.text);
            judged.inner.push(Inner { language: "sh", text, at: call.span.start });
        }
    }

    fn write(&mut self, call: &Call, judged: &mut Judged) {
        if matches!(call.chain.last(), "write" | "end") {
            let owner = self.flow.values.get(&call.chain.first).cloned().unwrap_or_default();
            let value = self.flow.value(call.brackets.0 + 1, call.brackets.1);
            // A request that is written to.
            if owner.has(bits::NETWORK)
                && !self.flow.downloads.contains(&call.chain.first)
                && value.has(bits::SECRET | bits::ENVIRONMENT)
            {
                self.send_value(call, &value, &owner.addresses, judged);
            } else if value.has(bits::ENVIRONMENT) {
                let message = "The code collects all variables of the environment in a file.";
                judged.found.push(self.found(call, Code::SendsEnvironment, message));
            }
            return;
        }
        let opens = matches!(call.chain.last(), "open" | "OpenFile");
        if opens && !self.writes(call) || call.chain.last() == "writelines" {
            return;
        }
        let is_copy = COPYING.contains(&call.chain.last());
        let is_method = call.chain.path.starts_with('.')
            || matches!(call.chain.last(), "write_text" | "write_bytes")
            || opens
                && call.chain.path.contains('.')
                && !matches!(call.chain.first.as_str(), "io" | "os" | "codecs" | "fs" | "File" | "aiofiles");
        let place = if is_method {
            Some((self.flow.receiver(call.at), call.brackets.0))
        } else if is_copy {
            call.arguments.get(1).copied()
        } else {
            call.arguments.first().copied()
        };
        let Some((from, to)) = place else { return };
        let mut path = self.flow.fold(from, to).text;
        if is_method {
            let owner = call.chain.path.rsplit_once('.').map_or("", |(owner, _)| owner);
            if let Some(text) = self.flow.texts.get(owner) {
                path.clone_from(&text.text);
            }
        }
        for (list, code) in [(places::AGENT_FILES, Code::AgentFiles), (places::START_UP, Code::StartUp)] {
            let Some(place) = places::find(list, &path) else { continue };
            let found = self.found(call, code, format!("The code writes {}.", place.what));
            let severity = self.context.severity(code, place.topics).min(found.severity);
            judged.found.push(Found { severity, ..found });
        }
    }
}
