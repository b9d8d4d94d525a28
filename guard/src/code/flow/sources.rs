//! What names stand for: variables of the environment, answers of servers, and decoded texts.

use super::Flow;
use crate::code::lex::Kind;
use crate::code::program::Chain;
use crate::code::value::{Value, bits};
use crate::tables::{credentials, names};

/// All variables of the environment.
const ALL: [&str; 9] = [
    "os.environ",
    "os.environb",
    "process.env",
    "ENV",
    "os.Environ",
    "Deno.env.toObject",
    "std::env::vars",
    "env::vars",
    "import.meta.env",
];

/// Functions that return one of them.
const ONE: [&str; 8] =
    ["os.getenv", "os.environ.get", "os.Getenv", "Deno.env.get", "std::env::var", "env::var", "getenv", "ENV.fetch"];

/// The maximum number of chains that are remembered.
const MAX_CLASSES: usize = 10_000;

impl Flow<'_> {
    /// Adds what a chain of names stands for.
    pub(super) fn chain_value(&mut self, at: usize, chain: &Chain, value: &mut Value) {
        let program = self.program;
        self.environment(at, chain, value);
        let class = match self.classes.get(&chain.path) {
            Some(class) => *class,
            None => self.classify(chain),
        };
        value.bits |= class & !bits::DECODED;
        // `Buffer.from` decodes only if it names an encoding.
        if class & bits::DECODED != 0 && (!chain.path.ends_with("Buffer.from") || self.names_encoding(chain)) {
            value.bits |= bits::DECODED;
        }
        if self.is_download(chain) {
            value.bits |= bits::NETWORK;
        }
        if chain.last() == "chr" && self.has_names(chain) {
            value.bits |= bits::DECODED;
        }
        if chain.last() == "toString" && self.encodes(chain) {
            value.bits |= bits::ENCODED;
        }
        if matches!(chain.last(), "expanduser" | "expandvars") && self.is_home(chain) {
            value.bits |= bits::HOME;
        }
        if program.is(chain.end, "=") {
            value.bits &= !bits::PAGE;
        }
        // A name of an argument is not a variable: `f(data=x)`.
        if program.is(chain.end, "=") && at > 0 && (program.is(at - 1, ",") || program.is(at - 1, "(")) {
            return;
        }
        for name in [chain.first.as_str(), chain.path.as_str(), chain.last()] {
            let is_member = name != chain.first && name != chain.path && !self.functions.contains_key(name);
            if is_member {
                continue;
            }
            if let Some(known) = self.values.get(name) {
                value.add(known);
            }
        }
    }

    /// Returns what a chain stands for by its name alone, and remembers it.
    fn classify(&mut self, chain: &Chain) -> u16 {
        let is_page = |page: &str| match page.strip_prefix('.') {
            Some(name) => chain.path.split('.').skip(1).any(|part| part == name),
            None => chain.path == page || chain.path.starts_with(&format!("{page}.")),
        };
        let is_script = self.program.language.name == "javascript";
        let classes = [
            (bits::NETWORK, chain.is_in(names::FROM_NETWORK)),
            (bits::DECODED, chain.is_in(names::DECODERS)),
            (bits::SECRET, chain.is_in(names::PRIVATE)),
            (bits::ENCODED, chain.is_in(names::ENCODERS)),
            (bits::HOME, chain.is_in(names::HOMES)),
            (bits::PAGE, is_script && names::PAGES.iter().any(|page| is_page(page))),
        ];
        let class = classes.iter().filter(|(_, is_one)| *is_one).fold(0, |all, (class, _)| all | class);
        if self.classes.len() < MAX_CLASSES {
            self.classes.insert(chain.path.clone(), class);
        }
        class
    }

    /// Returns whether a call gives what a program downloads, or what is at an address: `popen("curl x")`, `file_get_contents("https://x")`.
    fn is_download(&self, chain: &Chain) -> bool {
        const RUNNING: &[&str] = &[
            "__shell__",
            "popen",
            "shell_exec",
            "check_output",
            "getoutput",
            "getstatusoutput",
            "execSync",
            "spawnSync",
            "capture2",
            "run",
            "qx",
            "backtick",
        ];
        const OPENING: &[&str] =
            &["get", "getstore", "file_get_contents", "fopen", "file", "readfile", "open", "open_uri"];
        let Some((open, close)) = chain.call else { return false };
        if !RUNNING.contains(&chain.last()) && !OPENING.contains(&chain.last()) {
            return false;
        }
        let text = self.fold(open + 1, close).text;
        let text = text.trim_start();
        if OPENING.contains(&chain.last()) {
            return ["http://", "https://", "ftp://", "data:"].iter().any(|scheme| text.starts_with(scheme));
        }
        ["curl", "wget"]
            .iter()
            .any(|name| text.strip_prefix(name).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
    }

    /// `open(F, "curl x |")` of Perl: what is read from `F` is downloaded.
    pub(super) fn opened_program(&mut self, (open, close): (usize, usize)) -> bool {
        let text = self.fold(open + 1, close).text;
        let is_download = ["curl", "wget"].iter().any(|name| text.contains(name)) && text.contains('|');
        let tokens = &self.program.tokens[open + 1..close.min(self.program.tokens.len())];
        let name =
            tokens.iter().find(|token| token.kind == Kind::Name && token.text != "my").map(|token| token.text.clone());
        let Some(name) = name.filter(|_| is_download) else { return false };
        self.assign(&name, &Value { bits: bits::NETWORK, ..Value::default() })
    }

    /// Returns whether an argument of a call is not constant.
    fn has_names(&self, chain: &Chain) -> bool {
        let Some((open, close)) = chain.call else { return false };
        let mut tokens = self.program.tokens[(open + 1).min(close)..close.min(self.program.tokens.len())].iter();
        tokens.any(|token| token.kind == Kind::Name)
    }

    /// Returns whether `toString` gives hexadecimal digits or Base64.
    fn encodes(&self, chain: &Chain) -> bool {
        let Some(call) = chain.call else { return false };
        let first = self.program.arguments(call).first().and_then(|(from, _)| self.program.token(*from)).cloned();
        first.is_some_and(|token| matches!(token.text.as_str(), "hex" | "base64" | "base64url"))
    }

    /// Returns whether the argument of a call is the home folder.
    fn is_home(&self, chain: &Chain) -> bool {
        let Some(call) = chain.call else { return false };
        let first = self.program.arguments(call).first().map(|(from, to)| self.fold(*from, *to)).unwrap_or_default();
        matches!(first.text.trim_end_matches('/'), "~" | "$HOME" | "%USERPROFILE%")
    }

    /// Returns whether `Buffer.from` decodes.
    fn names_encoding(&self, chain: &Chain) -> bool {
        let Some((open, close)) = chain.call else { return false };
        let arguments = self.program.arguments((open, close));
        arguments.get(1).is_some_and(|(from, _)| {
            self.program.token(*from).is_some_and(|token| matches!(token.text.as_str(), "base64" | "hex" | "base64url"))
        })
    }

    /// Adds a variable of the environment, or all of them.
    fn environment(&mut self, at: usize, chain: &Chain, value: &mut Value) {
        let program = self.program;
        let mut key = |name: &str, flow: &mut Self| {
            if credentials::is_secret(name) {
                flow.names_key = true;
                value.bits |= bits::KEY;
                if !value.keys.iter().any(|known| known == name) && value.keys.len() < 8 {
                    value.keys.push(name.to_owned());
                }
            }
        };
        if ONE.contains(&chain.path.as_str()) {
            if let Some((open, close)) = chain.call {
                let name = program
                    .arguments((open, close))
                    .first()
                    .map(|(from, to)| self.fold(*from, *to))
                    .unwrap_or_default();
                key(&name.text, self);
            }
            return;
        }
        if let Some((_, name)) =
            ALL.iter().find_map(|all| chain.path.split_once(&format!("{all}.")).filter(|(before, _)| before.is_empty()))
        {
            match name {
                "items" | "copy" | "keys" | "values" | "entries" => value.bits |= bits::ENVIRONMENT,
                name => key(name, self),
            }
            return;
        }
        if !ALL.contains(&chain.path.as_str()) {
            return;
        }
        if program.is(chain.end, "[") {
            let close = program.pair[chain.end];
            let name = self.fold(chain.end + 1, close);
            key(&name.text, self);
            return;
        }
        // `"X" in os.environ`, `env=os.environ` and `env: {...process.env}` pass them on to a program, and do not send them.
        let before = at.checked_sub(1).and_then(|at| program.token(at));
        let is_test = before.is_some_and(|token| token.is_name("in"));
        let is_passed = (at.saturating_sub(6)..at).any(|at| program.is_name(at, "env"));
        if !is_test && !is_passed {
            value.bits |= bits::ENVIRONMENT;
        }
    }
}
