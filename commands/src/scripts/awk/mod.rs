//! Reads scripts of awk.

mod expression;

use std::collections::{BTreeMap, BTreeSet};

use super::name::{Name, Piece, Values};
use super::{Effects, MAX_FILES, Text, is_unknown};
use expression::{Expression, Use, element, formatted, text, variable};

/// The maximum number of open parentheses and brackets. In a script with more, anything is possible.
const MAX_OPEN: usize = 256;

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

struct Reader<'t> {
    text: Text<'t>,
    effects: Effects,
    last: Last,
    /// The expressions that are open. The first one is the statement.
    open: Vec<Expression<'t>>,
    /// The number of open parentheses and brackets.
    brackets: usize,
    /// The number of brackets around the `print` statement that is being read.
    print: Option<usize>,
    /// The length of the rest after which a `/` can have an end in its line. Saves looking for it again and again.
    unclosed: usize,
    /// Whether a `<` would follow a `getline`.
    is_getline: bool,
    /// The function whose parameters come next.
    is_function: bool,
    /// The function whose body is being read.
    function: &'t str,
    /// What a `(` or a `[` after a name begins.
    call: Option<Use<'t>>,
    /// The variable that a `=` would assign.
    assignable: Option<String>,
    values: Values,
    parameters: BTreeMap<&'t str, Vec<String>>,
    /// The calls of functions, with their arguments.
    calls: Vec<(&'t str, Vec<Name>)>,
    targets: BTreeSet<Name>,
    sources: BTreeSet<Name>,
}

/// Reads a script.
pub(super) fn read(script: &str, has_brackets: bool) -> Effects {
    let mut reader = Reader {
        text: Text::new(script, has_brackets),
        effects: Effects::default(),
        last: Last::Start,
        open: vec![Expression::new(Use::Statement)],
        brackets: 0,
        print: None,
        unclosed: usize::MAX,
        is_getline: false,
        is_function: false,
        function: "",
        call: None,
        assignable: None,
        values: Values::default(),
        parameters: BTreeMap::new(),
        calls: Vec::new(),
        targets: BTreeSet::new(),
        sources: BTreeSet::new(),
    };
    while reader.token() {}
    reader.end_statement();
    while reader.open.len() > 1 {
        reader.close();
    }
    reader.finish()
}

impl<'t> Reader<'t> {
    /// Reads a token. Returns whether there was one.
    fn token(&mut self) -> bool {
        self.text.take_while(|letter| letter.is_whitespace() && letter != '\n');
        let Some(letter) = self.text.peek() else { return false };
        if letter == '"' {
            self.text.next();
            let value = text(&self.string());
            self.operand(value);
            return true;
        }
        if letter.is_ascii_digit() {
            let number = self.text.take_while(|letter| letter.is_ascii_alphanumeric() || letter == '.');
            self.operand(vec![Piece::Text(number.to_owned())]);
            return true;
        }
        if letter.is_alphabetic() || letter == '_' {
            let name = self.text.take_while(|letter| letter.is_alphanumeric() || letter == '_');
            self.word(name);
            return true;
        }
        if is_unknown(letter) {
            let unknown = self.text.take_while(is_unknown);
            let is_start = self.last == Last::Start;
            self.operand(text(unknown));
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
        let assignable = self.assignable.take();
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
            '(' | '[' => self.open(),
            ')' | ']' => self.close_bracket(letter),
            ',' => {
                self.close_inner();
                let Self { open, values, .. } = self;
                open.last_mut().into_iter().for_each(|expression| expression.comma(values));
                self.last = Last::Other;
            }
            '<' if self.is_getline => {
                self.is_getline = false;
                self.begin(Use::Source);
                self.last = Last::Other;
            }
            '/' if !matches!(self.last, Last::Operand | Last::Unknown) && self.text.rest.len() < self.unclosed => {
                self.regex();
            }
            '@' => self.at(),
            letter => self.operator(letter, assignable),
        }
    }

    /// Reads the rest of an operator.
    fn operator(&mut self, letter: char, assignable: Option<String>) {
        match letter {
            '|' if !self.text.skip('|') => {
                self.effects.runs = true;
                self.last = Last::Other;
            }
            '>' if self.print == Some(self.brackets) => {
                self.text.skip('>');
                self.close_inner();
                self.begin(Use::Target);
                self.last = Last::Other;
            }
            '=' if !self.text.skip('=') => self.assignment(assignable),
            '$' => {
                self.top().field();
                self.last = Last::Other;
            }
            '?' => {
                self.top().condition();
                self.last = Last::Other;
            }
            ':' => {
                self.top().choice();
                self.last = Last::Other;
            }
            '+' | '-' if self.text.skip(letter) => {
                let is_after_operand = self.last == Last::Operand;
                self.top().step(is_after_operand);
            }
            '+' | '-' | '*' | '/' | '%' | '^' => self.arithmetic(),
            _ => {
                // `<=`, `!=`, `!~`, `&&`
                self.text.take_while(|letter| matches!(letter, '=' | '~' | '&'));
                self.end_source();
                self.top().compare();
                self.last = Last::Other;
            }
        }
    }

    /// Returns the innermost expression.
    fn top(&mut self) -> &mut Expression<'t> {
        if self.open.is_empty() {
            self.open.push(Expression::new(Use::Statement));
        }
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    /// Begins an expression within the innermost one.
    fn begin(&mut self, used_as: Use<'t>) {
        if self.open.len() >= MAX_OPEN {
            self.effects.unknown = true;
            return;
        }
        let expression = Expression::new(used_as);
        self.brackets += usize::from(expression.is_in_brackets());
        self.open.push(expression);
    }

    /// Reads the rest of a sign that makes a number of the operands around it, or changes a variable by one.
    fn arithmetic(&mut self) {
        self.end_source();
        self.top().arithmetic();
        if self.text.skip('=') {
            // `NAME += NUMBER`
            self.begin(Use::Value(String::new()));
        }
        self.last = Last::Other;
    }

    /// Begins the value of a variable.
    fn assignment(&mut self, assignable: Option<String>) {
        let value = &mut self.top().value;
        if matches!(value.last(), Some(Piece::Variable(_))) {
            value.pop();
        }
        self.begin(Use::Value(assignable.unwrap_or_default()));
        self.last = Last::Other;
    }

    /// Opens a parenthesis or a bracket.
    fn open(&mut self) {
        let is_control = self.last == Last::Control;
        let used_as = self.call.take().unwrap_or(Use::Group(is_control));
        self.begin(used_as);
        self.last = Last::Other;
    }

    /// Closes a parenthesis or a bracket.
    fn close_bracket(&mut self, letter: char) {
        self.is_getline = false;
        self.close_inner();
        self.last = Last::Operand;
        if !self.open.last().is_some_and(Expression::is_in_brackets) {
            return;
        }
        if self.open.last().is_some_and(|expression| expression.used_as == Use::Group(true)) {
            self.last = Last::Other;
        }
        let array = match self.open.last().map(|expression| &expression.used_as) {
            Some(Use::Index(array)) if letter == ']' => Some(*array),
            _ => None,
        };
        self.close();
        let element = array.map(|array| match array {
            "ARGV" | "ENVIRON" => format!("{array}?"),
            array => format!("{array}["),
        });
        self.assignable = self.assignable.take().or(element);
    }

    /// Closes the expressions that end with the parentheses around them, or with a statement.
    fn close_inner(&mut self) {
        while self.open.len() > 1 && !self.open.last().is_some_and(Expression::is_in_brackets) {
            self.close();
        }
    }

    /// Ends the name of a file that `getline` reads, before an operator.
    fn end_source(&mut self) {
        if self.open.last().is_some_and(|expression| expression.used_as == Use::Source) {
            self.close();
        }
    }

    /// Closes the innermost expression, and uses its value.
    fn close(&mut self) {
        let Some(mut expression) = self.open.pop() else { return };
        self.brackets -= usize::from(expression.is_in_brackets());
        let value = expression.finish(&mut self.values);
        let result = match expression.used_as {
            Use::Statement | Use::Group(true) => Name::new(),
            Use::Group(false) => value,
            Use::Target => {
                self.targets.insert(value);
                Name::new()
            }
            Use::Source => {
                // Some implementations end the name after its first operand.
                let first = value.first().cloned();
                self.sources.extend([first.into_iter().collect(), value]);
                vec![Piece::Data]
            }
            Use::Value(variable) if variable.is_empty() => vec![Piece::Data],
            Use::Value(variable) => {
                if variable == "ARGV?" {
                    self.sources.insert(value.clone());
                }
                self.values.add(&variable, value.clone());
                value
            }
            Use::Index(array) => {
                let index = if expression.arguments.is_empty() { value } else { vec![Piece::Data] };
                let result = element(array, &index, &mut self.values);
                self.values.add(&format!("{array}]"), index);
                result
            }
            Use::Parameters(function) => {
                let names = expression.arguments.into_iter().chain([value]).filter_map(|name| variable_of(&name));
                self.parameters.insert(function, names.collect());
                Name::new()
            }
            Use::Call(function) => {
                let mut arguments = expression.arguments;
                arguments.push(value);
                self.result_of(function, arguments)
            }
        };
        let is_field = self.top().operand(result);
        self.assignable = is_field.then(|| "$".to_owned());
    }

    /// Returns the result of a function.
    fn result_of(&mut self, function: &'t str, arguments: Vec<Name>) -> Name {
        let data = || vec![Piece::Data];
        match function {
            "sprintf" => formatted(&arguments, &mut self.values),
            "split" | "patsplit" => {
                if let [text, array, ..] = arguments.as_slice()
                    && let Some(array) = variable_of(array)
                {
                    let part = self.values.result(vec![text.clone()]);
                    self.values.add(&format!("{array}["), vec![part]);
                }
                data()
            }
            "sub" | "gsub" => {
                let changed = arguments.get(2).map_or_else(|| Some("$".to_owned()), variable_of);
                if let (Some(changed), Some(text)) = (changed, arguments.get(1)) {
                    let result = self.values.result(vec![text.clone()]);
                    self.values.add(&changed, vec![result]);
                }
                data()
            }
            "gensub" | "strftime" | "substr" | "tolower" | "toupper" => vec![self.values.result(arguments)],
            function if is_builtin(function) => data(),
            function => {
                self.calls.push((function, arguments));
                vec![Piece::Variable(format!("{function}("))]
            }
        }
    }

    /// Reads the rest of a regular expression. If it has no end in its line, the `/` stands for itself.
    fn regex(&mut self) {
        let start = self.text.rest;
        if !self.text.skip_to('/', true) {
            self.unclosed = self.text.rest.len();
            self.text.rest = start;
        }
        self.operand(vec![Piece::Data]);
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
                    Some('\n') | None => {}
                    Some(digit @ '0'..='7') => {
                        let digits = self.text.take_while_at_most(2, |letter| matches!(letter, '0'..='7'));
                        text.push(escaped(&format!("{digit}{digits}"), 8));
                    }
                    Some('x') => {
                        let digits = self.text.take_while_at_most(2, |letter| letter.is_ascii_hexdigit());
                        text.push(escaped(digits, 16));
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
        self.assignable = None;
        match name {
            "print" | "printf" => {
                self.end_statement();
                self.print = Some(self.brackets);
                self.last = Last::Other;
            }
            "if" | "while" | "for" | "switch" => self.last = Last::Control,
            "function" | "func" => {
                self.is_function = true;
                self.last = Last::Other;
            }
            "return" => {
                self.begin(Use::Value(format!("{}(", self.function)));
                self.last = Last::Other;
            }
            "in" => {
                let expression = self.top();
                expression.key = expression.value.pop().and_then(|piece| variable_of(&vec![piece]));
                expression.compare();
                self.last = Last::Other;
            }
            "BEGIN" | "END" | "BEGINFILE" | "ENDFILE" | "case" | "delete" | "do" | "else" => self.last = Last::Other,
            "getline" => {
                self.is_getline = true;
                self.last = Last::Other;
            }
            "system" => {
                self.effects.runs |= self.text.rest.trim_start().starts_with('(');
                self.last = Last::Other;
            }
            _ => self.name(name),
        }
    }

    /// Reads the name of a variable, of an array or of a function.
    fn name(&mut self, name: &'t str) {
        if std::mem::take(&mut self.is_function) {
            (self.function, self.call) = (name, Some(Use::Parameters(name)));
            self.last = Last::Other;
            return;
        }
        // Between the name of a function of the script and its parenthesis there is no space.
        let rest = if is_builtin(name) { self.text.rest.trim_start_matches(' ') } else { self.text.rest };
        if rest.starts_with('(') {
            self.call = Some(Use::Call(name));
            self.last = Last::Other;
            return;
        }
        if rest.trim_start_matches(' ').starts_with('[') {
            self.call = Some(Use::Index(name));
            self.last = Last::Other;
            return;
        }
        if let Some(key) = self.top().key.take() {
            // `for (KEY in ARRAY)`
            self.values.add(&key, vec![Piece::Variable(format!("{name}]"))]);
        }
        if self.is_getline {
            self.values.add(name, vec![Piece::Read]);
        }
        let value = variable(name, &mut self.values);
        self.operand(value);
        let own = if name == "FILENAME" { format!("{name}?") } else { name.to_owned() };
        self.assignable = self.assignable.take().or(Some(own));
    }

    /// Adds an operand.
    fn operand(&mut self, name: Name) {
        self.last = Last::Operand;
        self.call = None;
        let is_field = self.top().operand(name);
        self.assignable = is_field.then(|| "$".to_owned());
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
        self.close_inner();
        self.top().finish_statement();
    }

    /// Returns the effects, with the values of variables in the names of files.
    fn finish(mut self) -> Effects {
        for (function, arguments) in std::mem::take(&mut self.calls) {
            let parameters = self.parameters.get(function).map_or(&[][..], Vec::as_slice);
            for (parameter, argument) in parameters.iter().zip(arguments) {
                self.values.add(parameter, argument);
            }
        }
        self.effects.writes_more |= self.targets.len() > MAX_FILES;
        for (names, files) in [(self.targets, &mut self.effects.writes), (self.sources, &mut self.effects.reads)] {
            for name in names.iter().take(MAX_FILES) {
                let Some(found) = self.values.names(name) else {
                    self.effects.writes_more = true;
                    break;
                };
                files.extend(found);
            }
        }
        self.effects
    }
}

/// Returns the variable, or the field, that a name consists of.
fn variable_of(name: &Name) -> Option<String> {
    match name.as_slice() {
        [Piece::Variable(variable)] => Some(variable.clone()),
        _ => None,
    }
}

/// Returns whether a function is one of awk's own.
fn is_builtin(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "and", "asort", "asorti", "atan2", "close", "compl", "cos", "exp", "fflush", "gensub", "gsub", "index", "int",
        "isarray", "length", "log", "lshift", "match", "mktime", "or", "patsplit", "rand", "rshift", "sin", "split",
        "sprintf", "sqrt", "srand", "strftime", "strtonum", "sub", "substr", "systime", "tolower", "toupper", "typeof",
        "xor",
    ];
    NAMES.binary_search(&name).is_ok()
}

/// Returns the character of an escape sequence.
fn escaped(digits: &str, radix: u32) -> char {
    // Bytes that are not ASCII can be parts of a character.
    let code = u32::from_str_radix(digits, radix).ok().filter(|code| *code < 128);
    code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests;
