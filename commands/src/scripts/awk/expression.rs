//! Expressions of awk, as far as they can be the name of a file: what is open around the next operand.

use crate::scripts::name::{Name, Piece, Values, name_of, push};

/// What an expression is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Use<'t> {
    /// A statement, or a part of one. Its value does not matter.
    Statement,
    /// A group in parentheses. Whether it belongs to a control statement.
    Group(bool),
    /// The arguments of a function.
    Call(&'t str),
    /// The names of the parameters of a function.
    Parameters(&'t str),
    /// The index of an element of an array.
    Index(&'t str),
    /// The value of a variable, without the `=`. Empty if the value is a number.
    Value(String),
    /// The file to which `print` writes.
    Target,
    /// The file that `getline` reads.
    Source,
}

/// An expression that is being read.
#[derive(Debug)]
pub(super) struct Expression<'t> {
    pub(super) used_as: Use<'t>,
    /// The value so far: texts next to one another are joined.
    pub(super) value: Name,
    /// The other values that a conditional expression can have.
    choices: Vec<Name>,
    /// The arguments before the current one.
    pub(super) arguments: Vec<Name>,
    /// The next operand belongs to a number or to a field, which is already in the value.
    absorbs_next: bool,
    /// The next operand is the number of a field.
    is_field: bool,
    /// What follows is compared with the value, so that the result is a number.
    is_number: bool,
    /// The last operand is `NAME` in `NAME in ARRAY`.
    pub(super) key: Option<String>,
}

impl<'t> Expression<'t> {
    pub(super) fn new(used_as: Use<'t>) -> Self {
        Self {
            used_as,
            value: Name::new(),
            choices: Vec::new(),
            arguments: Vec::new(),
            absorbs_next: false,
            is_field: false,
            is_number: false,
            key: None,
        }
    }

    /// Returns whether a bracket or a parenthesis closes the expression.
    pub(super) fn is_in_brackets(&self) -> bool {
        matches!(self.used_as, Use::Group(_) | Use::Call(_) | Use::Parameters(_) | Use::Index(_))
    }

    /// Adds an operand. Returns whether it is the number of a field.
    pub(super) fn operand(&mut self, name: Name) -> bool {
        if !std::mem::take(&mut self.absorbs_next) && !self.is_number {
            for piece in name {
                push(&mut self.value, piece);
            }
        }
        std::mem::take(&mut self.is_field)
    }

    /// Adds a sign that makes a number of the operands around it.
    pub(super) fn arithmetic(&mut self) {
        if !self.is_number && !self.absorbs_next {
            self.value.pop();
            push(&mut self.value, Piece::Data);
        }
        self.absorbs_next = true;
    }

    /// Adds `++` or `--`, which belongs to a variable on one of its sides.
    pub(super) fn step(&mut self, is_after_operand: bool) {
        if is_after_operand && matches!(self.value.last(), Some(Piece::Variable(_))) {
            self.value.pop();
            push(&mut self.value, Piece::Data);
        } else {
            self.operand(vec![Piece::Data]);
            self.absorbs_next = true;
        }
    }

    /// Adds the `$` of a field.
    pub(super) fn field(&mut self) {
        self.operand(vec![Piece::Variable("$".to_owned())]);
        self.absorbs_next = true;
        self.is_field = true;
    }

    /// Adds an operator of a comparison: the value is a number.
    pub(super) fn compare(&mut self) {
        self.value = vec![Piece::Data];
        self.is_number = true;
    }

    /// Ends the condition before a `?`.
    pub(super) fn condition(&mut self) {
        self.value.clear();
        self.reset();
    }

    /// Ends one of the values of a conditional expression, at its `:`.
    pub(super) fn choice(&mut self) {
        self.choices.push(std::mem::take(&mut self.value));
        self.reset();
    }

    /// Ends an argument.
    pub(super) fn comma(&mut self, values: &mut Values) {
        let argument = self.finish(values);
        self.arguments.push(argument);
    }

    /// Takes the value.
    pub(super) fn finish(&mut self, values: &mut Values) -> Name {
        self.reset();
        let last = std::mem::take(&mut self.value);
        if self.choices.is_empty() {
            return last;
        }
        let mut choices = std::mem::take(&mut self.choices);
        choices.push(last);
        vec![values.choice(choices)]
    }

    /// Ends a statement.
    pub(super) fn finish_statement(&mut self) {
        self.reset();
        self.value.clear();
        self.choices.clear();
        self.arguments.clear();
        self.key = None;
    }

    fn reset(&mut self) {
        self.absorbs_next = false;
        self.is_number = false;
    }
}

/// Returns the value of `sprintf` with these arguments.
pub(super) fn formatted(arguments: &[Name], values: &mut Values) -> Name {
    let (Some([Piece::Text(format)]), Some(mut rest)) = (arguments.first().map(Vec::as_slice), arguments.get(1..))
    else {
        return vec![values.result(arguments.to_vec())];
    };
    let mut name = Name::new();
    let mut pieces = format.split('%');
    let first = pieces.next().unwrap_or_default();
    if !first.is_empty() {
        push(&mut name, Piece::Text(first.to_owned()));
    }
    while let Some(piece) = pieces.next() {
        if piece.is_empty() {
            // `%%`
            push(&mut name, Piece::Text(format!("%{}", pieces.next().unwrap_or_default())));
            continue;
        }
        let is_flag = |letter: char| letter.is_ascii_digit() || "-+ #0.*'".contains(letter);
        let end = piece.find(|letter| !is_flag(letter)).unwrap_or(piece.len());
        let letter = piece[end..].chars().next();
        let argument = match rest.split_first() {
            Some((first, others)) => {
                rest = others;
                first.clone()
            }
            None => Name::new(),
        };
        match letter {
            Some('s') if end == 0 => argument.into_iter().for_each(|piece| push(&mut name, piece)),
            Some('s') => push(&mut name, values.result(vec![argument])),
            // A letter with this number.
            Some('c') => push(&mut name, Piece::Computed),
            _ => push(&mut name, Piece::Data),
        }
        let text = &piece[end + letter.map_or(0, char::len_utf8)..];
        if !text.is_empty() {
            push(&mut name, Piece::Text(text.to_owned()));
        }
    }
    name
}

/// Returns what a name stands for that has no parentheses or brackets after it.
pub(super) fn variable(name: &str, values: &mut Values) -> Name {
    match name {
        "FILENAME" => vec![values.choice(vec![vec![Piece::Operand], vec![Piece::Variable(format!("{name}?"))]])],
        "ERRNO" | "FNR" | "NF" | "NR" | "RLENGTH" | "RSTART" | "RT" => vec![Piece::Data],
        name => vec![Piece::Variable(name.to_owned())],
    }
}

/// Returns what an element of an array stands for.
pub(super) fn element(array: &str, index: &Name, values: &mut Values) -> Name {
    let own = match (array, index.as_slice()) {
        ("ENVIRON", [Piece::Text(variable)]) => Piece::Environment(variable.clone()),
        ("ENVIRON", _) => Piece::Computed,
        ("ARGV", _) => Piece::Operand,
        _ => return vec![Piece::Variable(format!("{array}["))],
    };
    vec![values.choice(vec![vec![own], vec![Piece::Variable(format!("{array}?"))]])]
}

/// Returns the value of a string.
pub(super) fn text(text: &str) -> Name {
    name_of(text)
}
