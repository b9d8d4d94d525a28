//! Reads scripts of awk.

use std::collections::BTreeMap;

use super::{Effects, Text, VariableFile, is_unknown};
use crate::characters::UNKNOWN;

/// The maximum number of values of a variable that are compared with the name of a file.
const MAX_VALUES: usize = 16;

/// The maximum length of such a value. The end of a longer one is unknown.
const MAX_LENGTH: usize = 256;

/// What the last token was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    /// The beginning of a statement or of a pattern: the start, a newline, `;`, `{` or `}`.
    Start,
    /// An operand, after which `/` divides.
    Operand,
    /// Unknown text at the beginning of a statement.
    Unknown,
    /// A keyword before a condition: `if`, `while`, `for`.
    Control,
    /// An operator, or anything else after which `/` begins a regular expression.
    Other,
}

/// The variable of awk that has the variables of the environment.
const ENVIRONMENT: &str = "ENVIRON";

/// A file to which a script writes: its name, or the variable with which the name begins.
#[derive(Debug, Default)]
struct Target<'t> {
    variable: Option<&'t str>,
    text: String,
}

struct Reader<'t> {
    text: Text<'t>,
    effects: Effects,
    last: Last,
    /// The open parentheses, and whether each belongs to a control statement.
    parens: Vec<bool>,
    /// The number of open parentheses around the `print` statement that is being read.
    print: Option<usize>,
    /// The file to which the `print` statement writes.
    target: Option<Target<'t>>,
    /// The length of the rest after which a `/` can have an end in its line. Saves looking for it again and again.
    unclosed: usize,
    /// Whether the next operand is the number of a field.
    is_field: bool,
    targets: Vec<Target<'t>>,
    /// Whether a `<` would follow a `getline`.
    is_getline: bool,
    /// Whether the next operand is the name of a file that is read, and whether more can follow it.
    source: Option<bool>,
    /// The texts that are assigned to variables.
    values: BTreeMap<&'t str, Vec<String>>,
    /// The variable before a `=`.
    assigned: Option<&'t str>,
    name: Option<&'t str>,
}

/// Reads a script.
pub(super) fn read(script: &str, has_brackets: bool) -> Effects {
    let mut reader = Reader {
        text: Text::new(script, has_brackets),
        effects: Effects::default(),
        last: Last::Start,
        parens: Vec::new(),
        print: None,
        target: None,
        unclosed: usize::MAX,
        is_field: false,
        targets: Vec::new(),
        is_getline: false,
        source: None,
        values: BTreeMap::new(),
        assigned: None,
        name: None,
    };
    while reader.token() {}
    reader.end_statement();
    reader.finish()
}

impl<'t> Reader<'t> {
    /// Reads a token. Returns whether there was one.
    fn token(&mut self) -> bool {
        self.text.take_while(|letter| letter.is_whitespace() && letter != '\n');
        let Some(letter) = self.text.peek() else { return false };
        let assigned = self.assigned.take();
        if letter == '"' {
            self.text.next();
            let text = self.string();
            if let Some(name) = assigned {
                self.assign(name, &text);
            }
            self.operand(None, &text);
            return true;
        }
        if letter.is_ascii_digit() {
            let number = self.text.take_while(|letter| letter.is_ascii_alphanumeric() || letter == '.');
            self.operand(None, number);
            return true;
        }
        if letter.is_alphabetic() || letter == '_' {
            let name = self.text.take_while(|letter| letter.is_alphanumeric() || letter == '_');
            self.word(name);
            return true;
        }
        if is_unknown(letter) {
            self.text.take_while(is_unknown);
            let is_start = self.last == Last::Start;
            self.operand(None, &UNKNOWN.to_string());
            if is_start {
                self.last = Last::Unknown;
            }
            return true;
        }
        self.text.next();
        self.sign(letter);
        true
    }

    /// Reads the rest of a token that begins with a sign.
    fn sign(&mut self, letter: char) {
        let name = self.name.take();
        match letter {
            '#' => {
                self.text.take_while(|letter| letter != '\n');
            }
            '\\' => {
                self.text.skip('\n');
            }
            '\n' | ';' | '}' => {
                self.end_statement();
                self.last = Last::Start;
            }
            '{' => {
                // An unknown pattern is harmless.
                self.last = Last::Start;
                self.end_statement();
            }
            '(' => {
                self.parens.push(self.last == Last::Control);
                self.source = self.source.map(|_| true);
                self.last = Last::Other;
            }
            ')' => {
                self.is_getline = false;
                self.last = if self.parens.pop() == Some(true) { Last::Other } else { Last::Operand };
            }
            '<' if self.is_getline => {
                self.is_getline = false;
                self.source = Some(false);
                self.last = Last::Other;
            }
            ']' => self.operand(None, &UNKNOWN.to_string()),
            '/' if !matches!(self.last, Last::Operand | Last::Unknown) && self.text.rest.len() < self.unclosed => {
                self.regex();
            }
            '|' if self.text.skip('|') => self.last = Last::Other,
            '|' => {
                self.effects.runs = true;
                self.last = Last::Other;
            }
            '>' if self.print == Some(self.parens.len()) => {
                self.text.skip('>');
                self.target = Some(Target::default());
                self.last = Last::Other;
            }
            '=' => {
                self.assigned = name.filter(|_| !self.text.skip('='));
                self.last = Last::Other;
            }
            '$' => {
                self.is_field = true;
                self.last = Last::Other;
            }
            '@' => self.at(),
            '+' | '-' if self.text.skip(letter) => {}
            _ => self.last = Last::Other,
        }
    }

    /// Reads the rest of a regular expression. If it has no end in its line, the `/` stands for itself.
    fn regex(&mut self) {
        let start = self.text.rest;
        if !self.text.skip_to('/', true) {
            self.unclosed = self.text.rest.len();
            self.text.rest = start;
        }
        self.last = Last::Operand;
    }

    /// Adds a text to the values of a variable.
    fn assign(&mut self, name: &'t str, text: &str) {
        let values = self.values.entry(name).or_default();
        if values.len() < MAX_VALUES {
            let end = text.floor_char_boundary(MAX_LENGTH);
            values.push(if end < text.len() { format!("{}{UNKNOWN}", &text[..end]) } else { text.to_owned() });
        }
    }

    /// Reads the rest of a string.
    fn string(&mut self) -> String {
        let mut text = String::new();
        while let Some(letter) = self.text.next() {
            match letter {
                '"' | '\n' => break,
                '\\' => match self.text.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('/') => text.push('/'),
                    Some('\n') | None => {}
                    // Another escape sequence can stand for any character.
                    Some(letter) if letter.is_ascii_alphanumeric() => {
                        self.text.take_while(|letter| letter.is_ascii_hexdigit());
                        text.push(UNKNOWN);
                    }
                    Some(letter) => text.push(letter),
                },
                _ => text.push(letter),
            }
        }
        text
    }

    /// Reads a name or a keyword.
    fn word(&mut self, name: &'t str) {
        self.name = None;
        match name {
            "print" | "printf" => {
                self.end_statement();
                self.print = Some(self.parens.len());
                self.last = Last::Other;
            }
            "if" | "while" | "for" | "switch" => self.last = Last::Control,
            "BEGIN" | "END" | "BEGINFILE" | "ENDFILE" | "case" | "delete" | "do" | "else" | "function" | "func"
            | "in" | "return" => self.last = Last::Other,
            "getline" => {
                self.is_getline = true;
                self.last = Last::Other;
            }
            "system" => {
                let mut rest = Text::new(self.text.rest, false);
                rest.take_while(char::is_whitespace);
                self.effects.runs |= rest.peek() == Some('(');
                self.last = Last::Other;
            }
            _ => {
                self.operand(Some(name), &UNKNOWN.to_string());
                self.name = Some(name);
            }
        }
    }

    /// Adds an operand, which can be a part of the name of a file.
    fn operand(&mut self, variable: Option<&'t str>, text: &str) {
        self.last = Last::Operand;
        self.name = None;
        let is_field = std::mem::take(&mut self.is_field);
        let (variable, text) = if is_field { (None, UNKNOWN.to_string()) } else { (variable, text.to_owned()) };
        if let Some(is_open) = self.source.take() {
            let rest = if is_open { UNKNOWN.to_string() } else { String::new() };
            match variable.and_then(|variable| self.values.get(variable)) {
                Some(values) => self.effects.reads.extend(values.iter().map(|value| format!("{value}{rest}"))),
                None => self.effects.reads.push(format!("{text}{rest}")),
            }
        }
        if let Some(target) = &mut self.target {
            if target.text.is_empty() {
                target.variable = variable;
            }
            target.text.push_str(&text);
        }
    }

    /// Reads what follows an `@`: a directive, a function whose name is in a variable, or a regular expression.
    fn at(&mut self) {
        match self.text.take_while(|letter| letter.is_alphanumeric() || letter == '_') {
            "" | "include" | "namespace" => {}
            _ => self.effects.runs = true,
        }
        self.last = Last::Other;
    }

    fn end_statement(&mut self) {
        self.effects.unknown |= self.last == Last::Unknown;
        self.print = None;
        self.is_getline = false;
        self.source = None;
        self.targets.extend(self.target.take());
    }

    /// Returns the effects, with the values of variables in the names of files.
    fn finish(mut self) -> Effects {
        for target in self.targets {
            let rest = target.text.strip_prefix(UNKNOWN).unwrap_or(&target.text);
            if let Some(variable) = target.variable {
                let key = rest.strip_suffix(UNKNOWN).filter(|_| variable == ENVIRONMENT);
                self.effects.writes_of.push(VariableFile {
                    variable: key.unwrap_or(variable).to_owned(),
                    is_of_environment: key.is_some(),
                    rest: if key.is_some() { String::new() } else { rest.to_owned() },
                });
            }
            let values = target.variable.and_then(|variable| self.values.get(variable));
            match values {
                Some(values) => {
                    self.effects.writes.extend(values.iter().map(|value| format!("{value}{rest}")));
                }
                None => self.effects.writes.push(target.text),
            }
        }
        self.effects
    }
}

#[cfg(test)]
mod tests {
    use crate::characters::UNKNOWN;
    use crate::scripts::{Effects, ScriptLanguage, VariableFile};

    fn effects(script: &str) -> Effects {
        // `?` is not a frequent operator of awk.
        ScriptLanguage::Awk.read(&script.replace('?', &UNKNOWN.to_string()))
    }

    #[test]
    fn scripts_that_run_commands() {
        for script in [
            "BEGIN{system(\"id\")}",
            "BEGIN { system (\"id\") }",
            "BEGIN{print \"id\" | s}",
            "{ print | \"sh\" }",
            "BEGIN{\"date\" | getline x}",
            "BEGIN{\"id\"|getline}",
            "BEGIN{print |& \"sh\"}",
            "BEGIN{x = \"\\\"\"; system(\"id\")}",
            "/\"/{system(\"id\")}",
            "{ if (x) /\"/; system(\"id\") # \"/\n}",
            "$1/2{system(\"id\")} # /",
            "/[/]/{system(\"id\")}",
            "# \"\n{system(\"id\")}",
            "@load \"x\"\nBEGIN{x()}",
            "BEGIN{f = \"system\"; @f(\"id\")}",
            "function g(a) { return a / 2 } BEGIN { system(\"/x/\") }",
        ] {
            assert!(effects(script).runs, "{script}");
        }
    }

    #[test]
    fn scripts_that_do_not() {
        for script in [
            "{print $1 \"|\" $2}",
            "{printf \"%s|%s\\n\", $1, $2}",
            "/system\\(/ {print}",
            "/a|b/ {n++} END {print n}",
            "$1 > 5 || $2 < 3",
            "{print (a > b)}",
            "{if ($1 > 2) print $1}",
            "BEGIN{print \"system(x)\"}",
            "NR==?",
            "NR>=? && NR<=?{print}",
            "? {print}",
            "{system = 1}",
            "{a[$1]++} END {for (k in a) print a[k] / n \"/\" k}",
            "{gsub(/[|\\/]/, \"_\"); print}",
            "@include \"lib.awk\"",
        ] {
            assert_eq!(effects(script), Effects::default(), "{script}");
        }
    }

    #[test]
    fn files_that_a_script_writes() {
        let unknown = format!("{UNKNOWN}.txt");
        for (script, file) in [
            ("BEGIN{print \"x\" > \"/etc/cron.d/y\"}", "/etc/cron.d/y"),
            ("{print>>\"a b\"}", "a b"),
            ("{printf \"x\", 1 > \"/etc/\" \"x\"; next}", "/etc/x"),
            ("{print > $1 \".txt\"}", unknown.as_str()),
            ("BEGIN{f = \"/etc/x\"; print 1 > f}", "/etc/x"),
            ("{print > (\"/etc/\" $1)}", &format!("/etc/{UNKNOWN}")),
        ] {
            assert_eq!(effects(script).writes, [file], "{script}");
        }
    }

    #[test]
    fn files_that_a_script_reads() {
        for (script, file) in [
            ("BEGIN { while ((getline line < \"/etc/x\") > 0) n++ }", "/etc/x"),
            ("BEGIN{getline<\"/etc/x\"; print}", "/etc/x"),
            ("BEGIN{f = \"/etc/x\"; getline l < f}", "/etc/x"),
            ("BEGIN{getline l < (\"/etc/\" $1)}", &format!("/etc/{UNKNOWN}")),
        ] {
            assert_eq!(effects(script).reads, [file], "{script}");
        }
        for script in ["{getline; if ($1 < \"x\") print}", "BEGIN{while ((getline) > 0) n++; print n < \"x\"}"] {
            assert!(effects(script).reads.is_empty(), "{script}");
        }
    }

    #[test]
    fn variables_in_names_of_files() {
        for (script, variable, is_of_environment, rest) in [
            ("{print > f}", "f", false, ""),
            ("{print >> f \".txt\"}", "f", false, ".txt"),
            ("{print > ENVIRON[\"X\"]}", "X", true, ""),
        ] {
            let VariableFile { variable: name, is_of_environment: is_set, rest: end } = &effects(script).writes_of[0];
            assert_eq!((name.as_str(), *is_set, end.as_str()), (variable, is_of_environment, rest), "{script}");
        }
    }

    #[test]
    fn scripts_with_unknown_statements() {
        for script in ["?", "{print}?", "BEGIN{?}", "{x = 1; ?}"] {
            assert!(effects(script).unknown, "{script}");
        }
    }
}
