//! The declarations of a dialect that is not JSON, as texts with pieces that depend on the turn.
//!
//! The runtime writes a declaration from JSON, and one condition can change several places of it: the layout of a type, a union, a
//! comment. Therefore the declaration is written for every combination of the conditions that affect types, and the differences between
//! these variants become the pieces. Texts are handled separately: in the variants, a mark replaces each text that depends on the turn. At
//! the end, the pieces of the text replace the mark.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Value, json};
use toolc::__gen::segment::Atoms;
use toolc::FactValue;
use toolc_lower::conditional_json::CondJson;
use toolc_lower::dialects::Dialect;
use toolc_lower::text::atoms::{AtomId, Template, Uses, When};
use toolc_lower::text::template::Piece;
use toolc_lower::text::turns::turns;

use super::conditional::{atom_json, text_json};
use crate::catalog::Tool;
use crate::lower::Lowered;

/// The key of the declaration in its document.
const KEY: &str = "declaration";

/// The maximum length of the list of all tokens, in multiples of the longest variant.
const MAX_RATIO: usize = 4;

/// Returns a document with the declaration of a tool and its pieces. `None` if the declaration does not depend on the turn. `json` is the
/// definition from which the runtime writes the declaration.
pub(super) fn declaration_with_parts(
    catalog: &Lowered<'_>,
    dialect: &Dialect,
    tool: &Tool,
    json: &CondJson,
) -> Option<Value> {
    let mut marked = Marked { facts: tool.facts.len(), mark: '\0', texts: Vec::new(), structural: 0 };
    let mut uses = Uses::default();
    marked.collect(json, &mut uses);
    marked.structural = uses.atoms.iter().fold(0, |all, AtomId(atom)| all | 1 << atom);
    if marked.structural == 0 && marked.texts.is_empty() {
        return None;
    }
    let full = json.full_value();
    let text = full.to_string();
    marked.mark = ('\u{e000}'..='\u{f8ff}').find(|mark| !text.contains(*mark))?;

    let pieces_of = |index: usize| marked.texts.get(index).map(|text| text_json(catalog, tool, text));
    let mut tokens = Tokens { mark: marked.mark, known: HashMap::new(), pieces: Vec::new() };
    let possible = turns(tool.manifest.atom_table.atoms.iter().map(|atom| &atom.value));
    let possible: BTreeSet<Atoms> = possible.into_iter().map(|atoms| atoms & marked.structural).collect();
    let written = possible.into_iter().map(|atoms| {
        let declaration = dialect.written(marked.value(json, atoms, &mut 0).to_string());
        (atoms, tokens.read(&declaration, &pieces_of))
    });
    let variants: Variants = written.collect();
    let condition = |bit: Atoms| atom_json(&tool.atoms[bit.trailing_zeros() as usize], catalog);
    let merger = Merger { tokens: &tokens.pieces, condition };
    let mut pieces = Vec::new();
    merger.merge(&variants, &mut pieces);
    let full = dialect.written(text);
    Some(json!({ "full": { KEY: full }, "parts": [{ "at": format!("/{KEY}"), "text": pieces }] }))
}

/// The texts of a document that depend on the turn.
struct Marked<'t> {
    /// The number of facts of the tool.
    facts: usize,
    /// A character that the document does not have.
    mark: char,
    /// In the order of the document.
    texts: Vec<&'t Template>,
    /// The atoms that affect more than the words of texts.
    structural: Atoms,
}

impl<'t> Marked<'t> {
    /// Collects the texts, and what the rest of the document depends on.
    fn collect(&mut self, document: &'t CondJson, structural: &mut Uses) {
        match document {
            CondJson::Json(_) => {}
            CondJson::Text(text) => {
                if is_conditional(text) {
                    self.texts.push(text);
                    // If the text may be empty, the layout depends on whether there is a comment.
                    if !has_words(text) {
                        structural.add_text(text);
                    }
                }
            }
            CondJson::Array(items) => {
                for (when, item) in items {
                    if let Some(when) = when {
                        structural.add_condition(when);
                    }
                    self.collect(item, structural);
                }
            }
            CondJson::Object(entries) => {
                for (when, _, value) in entries {
                    if let Some(when) = when {
                        structural.add_condition(when);
                    }
                    self.collect(value, structural);
                }
            }
        }
    }

    /// Returns the document with marks in place of texts. `next` is the index of its first text.
    fn value(&self, document: &CondJson, atoms: Atoms, next: &mut usize) -> Value {
        let holds = |when: &When| when.holds(&|AtomId(atom)| atoms >> atom & 1 == 1);
        match document {
            CondJson::Json(value) => value.clone(),
            CondJson::Text(text) if is_conditional(text) => {
                let index = *next;
                *next += 1;
                if self.is_blank(text, atoms) { json!("") } else { self.mark(index).into() }
            }
            CondJson::Text(_) => document.full_value(),
            CondJson::Array(items) => {
                let all = items.iter().map(|(when, item)| (when, self.value(item, atoms, next)));
                all.filter(|(when, _)| when.as_ref().is_none_or(holds)).map(|(_, value)| value).collect()
            }
            CondJson::Object(entries) => {
                let all = entries.iter().map(|(when, key, value)| (when, key, self.value(value, atoms, next)));
                let present = all.filter(|(when, ..)| when.as_ref().is_none_or(holds));
                present.map(|(_, key, value)| (key.clone(), value)).collect()
            }
        }
    }

    /// Returns the mark that replaces a text. Its line break gives the comment several lines, from which [`comment`] reads the indentation.
    fn mark(&self, index: usize) -> String {
        format!("{0}{index}\n{0}", self.mark)
    }

    /// Returns whether a text is blank if these atoms hold. The value of a fact counts as not blank.
    fn is_blank(&self, text: &Template, atoms: Atoms) -> bool {
        let facts = vec![FactValue::Text("fact".into()); self.facts];
        let rendered = || CondJson::Text(text.clone()).value(atoms, &facts);
        !has_words(text) && rendered().as_str().is_none_or(|text| text.trim().is_empty())
    }
}

fn is_conditional(text: &Template) -> bool {
    text.iter().any(|piece| !matches!(piece, Piece::Text(_)))
}

/// Returns whether a text has words in every turn.
fn has_words(text: &Template) -> bool {
    text.iter().any(|piece| matches!(piece, Piece::Text(text) if !text.trim().is_empty()))
}

/// The tokens of declarations: lines, and comments with marks.
struct Tokens {
    mark: char,
    /// The indices of the tokens.
    known: HashMap<String, usize>,
    /// The piece of each token.
    pieces: Vec<Value>,
}

impl Tokens {
    /// Returns the tokens of a declaration. `pieces_of` returns the pieces of a text.
    fn read(&mut self, declaration: &str, pieces_of: &impl Fn(usize) -> Option<Value>) -> Vec<usize> {
        let (mut tokens, mut start, mut at) = (Vec::new(), 0, 0);
        while let Some(rest) = declaration.get(at..).filter(|rest| !rest.is_empty()) {
            let length = if rest.starts_with('"') {
                literal_length(rest)
            } else if rest.starts_with("/**") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                rest[1..].find(['"', '/']).map_or(rest.len(), |next| next + 1)
            };
            let part = &rest[..length];
            let mark = self.mark;
            if part.contains(mark) {
                self.push_lines(&declaration[start..at], &mut tokens);
                tokens.push(self.token(part, || comment(part, mark, pieces_of)));
                start = at + length;
            }
            at += length;
        }
        self.push_lines(&declaration[start..], &mut tokens);
        tokens
    }

    fn push_lines(&mut self, text: &str, tokens: &mut Vec<usize>) {
        tokens.extend(text.split_inclusive('\n').map(|line| self.token(line, || line.into())));
    }

    fn token(&mut self, text: &str, piece: impl FnOnce() -> Value) -> usize {
        if let Some(&known) = self.known.get(text) {
            return known;
        }
        self.pieces.push(piece());
        self.known.insert(text.to_owned(), self.pieces.len() - 1);
        self.pieces.len() - 1
    }
}

/// Returns the length of the string literal that a text begins with.
fn literal_length(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |end| end + 2)
}

/// Returns the piece of a comment with marks: its sentences, and its indentation.
fn comment(comment: &str, mark: char, pieces_of: &impl Fn(usize) -> Option<Value>) -> Value {
    let lines: Vec<&str> = comment.lines().skip(1).collect();
    let (last, lines) = lines.split_last().unwrap_or((&" */", &[]));
    let indent = last.len().saturating_sub(" */".len());
    let unindented = lines.iter().map(|line| {
        let line = line.get(indent + " *".len()..).unwrap_or_default();
        line.strip_prefix(' ').unwrap_or(line)
    });
    let text = unindented.collect::<Vec<_>>().join("\n");
    // A mark has its character before and after its index.
    let sentences = text.split(mark).enumerate().filter_map(|(at, part)| {
        if at % 2 == 1 {
            return pieces_of(part.trim_end().parse().ok()?);
        }
        // The spaces are those between sentences.
        let part = part.strip_prefix(' ').filter(|_| at > 0).unwrap_or(part);
        let part = part.strip_suffix(' ').unwrap_or(part);
        (!part.is_empty()).then(|| json!([part]))
    });
    json!({ "comment": sentences.collect::<Vec<_>>(), "indent": indent })
}

/// The tokens of each variant, by the atoms that hold.
type Variants = BTreeMap<Atoms, Vec<usize>>;

/// Merges variants into one text with pieces.
struct Merger<'t, C> {
    /// The pieces of the tokens.
    tokens: &'t [Value],
    /// Returns the condition that an atom holds, which is the only bit of its argument.
    condition: C,
}

impl<C: Fn(Atoms) -> Value> Merger<'_, C> {
    /// Appends the pieces of variants. All tokens are merged into one list. Adjacent tokens that depend on the same atoms become one
    /// choice.
    fn merge(&self, variants: &Variants, out: &mut Vec<Value>) {
        // The longest variants come first, because they determine the order of the most tokens.
        let distinct: BTreeSet<(Reverse<usize>, &Vec<usize>)> =
            variants.values().map(|tokens| (Reverse(tokens.len()), tokens)).collect();
        let longest = distinct.first().map_or(0, |(_, tokens)| tokens.len());
        let mut all = Vec::new();
        for (_, tokens) in distinct {
            if is_subsequence(tokens, &all) {
                continue;
            }
            all = common_supersequence(&all, tokens);
            // The variants have little in common, for example because a short type is written on one line.
            if all.len() > MAX_RATIO * longest {
                return self.choose(variants, out);
            }
        }
        let mut rest: Vec<(Atoms, &[usize])> =
            variants.iter().map(|(atoms, tokens)| (*atoms, tokens.as_slice())).collect();
        let nothing = || -> Variants { variants.keys().map(|atoms| (*atoms, Vec::new())).collect() };
        let (mut group, mut atoms_of_group) = (nothing(), 0);
        for token in all {
            let has_token: Vec<bool> = rest.iter().map(|(_, tokens)| tokens.first() == Some(&token)).collect();
            let mut needed = 0;
            if has_token.contains(&false) {
                let of = |(has, (atoms, _)): (&bool, &(Atoms, _))| has.then_some(*atoms);
                let holding: BTreeSet<Atoms> = has_token.iter().zip(&rest).filter_map(of).collect();
                needed = needed_atoms(variants, |atoms| holding.contains(&atoms));
            }
            if atoms_of_group != needed {
                self.choose(&std::mem::replace(&mut group, nothing()), out);
                atoms_of_group = needed;
            }
            for (((_, rest), group), _) in
                rest.iter_mut().zip(group.values_mut()).zip(&has_token).filter(|(_, has)| **has)
            {
                *rest = &rest[1..];
                group.push(token);
            }
        }
        self.choose(&group, out);
    }

    /// Appends the pieces of variants: their tokens if all are equal, or else a choice by one atom.
    fn choose(&self, variants: &Variants, out: &mut Vec<Value>) {
        let Some(first) = variants.values().next() else { return };
        if variants.values().all(|tokens| tokens == first) {
            return first.iter().filter_map(|token| self.tokens.get(*token)).for_each(|piece| push(piece.clone(), out));
        }
        let needed = needed_atoms(variants, |atoms| variants.get(&atoms));
        let bits = (0..Atoms::BITS).map(|index| 1 << index).filter(|bit| needed & bit != 0);
        let halves = bits.map(|bit| {
            let half = |holds: bool| -> Variants {
                let of_half = variants.iter().filter(|(atoms, _)| (*atoms & bit != 0) == holds);
                of_half.map(|(atoms, tokens)| (*atoms, tokens.clone())).collect()
            };
            (bit, half(true), half(false))
        });
        let count = |variants: &Variants| variants.values().collect::<BTreeSet<_>>().len();
        let Some((bit, with, without)) = halves.min_by_key(|(_, with, without)| count(with) + count(without)) else {
            return;
        };
        let pieces = |variants: &Variants| {
            let mut pieces = Vec::new();
            self.merge(variants, &mut pieces);
            pieces
        };
        let (when, with, without) = ((self.condition)(bit), pieces(&with), pieces(&without));
        out.push(if with.is_empty() {
            json!({ "first": [{ "when": { "not": when }, "text": without }] })
        } else if without.is_empty() {
            json!({ "first": [{ "when": when, "text": with }] })
        } else {
            json!({ "first": [{ "when": when, "text": with }], "otherwise": without })
        });
    }
}

/// Appends a piece. Adjacent strings become one.
fn push(piece: Value, out: &mut Vec<Value>) {
    match (out.last_mut(), piece) {
        (Some(Value::String(last)), Value::String(text)) => last.push_str(&text),
        (_, piece) => out.push(piece),
    }
}

/// Returns the atoms on which `value` depends. If no two variants that differ in one atom have different values, but the values differ,
/// these are all atoms in which the variants differ.
fn needed_atoms<T: PartialEq>(variants: &Variants, value: impl Fn(Atoms) -> T) -> Atoms {
    let bits = (0..Atoms::BITS).map(|index| 1 << index);
    let matters = |bit: &Atoms| {
        let pairs =
            variants.keys().map(|atoms| (*atoms, *atoms ^ bit)).filter(|(_, other)| variants.contains_key(other));
        pairs.into_iter().any(|(one, other)| value(one) != value(other))
    };
    let needed = bits.filter(matters).fold(0, |all, bit| all | bit);
    let mut atoms = variants.keys().copied();
    let Some(first) = atoms.next() else { return 0 };
    // Atoms about one fact can change only together, so no two variants may differ in a single atom.
    let is_constant = || variants.keys().all(|atoms| value(*atoms) == value(first));
    if needed != 0 || is_constant() { needed } else { atoms.fold(0, |all, atoms| all | (atoms ^ first)) }
}

/// Returns whether a list has all tokens of another one, in their order.
fn is_subsequence(tokens: &[usize], all: &[usize]) -> bool {
    let mut all = all.iter();
    tokens.iter().all(|token| all.any(|one| one == token))
}

/// Returns a short list that contains both lists as subsequences. Tokens in common occur once.
fn common_supersequence(one: &[usize], other: &[usize]) -> Vec<usize> {
    let start = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let (mut all, one, other) = (one[..start].to_vec(), &one[start..], &other[start..]);
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    let (one, end) = one.split_at(one.len() - end);
    let other = &other[..other.len() - end.len()];
    // `common[i][j]` is the number of tokens in common from `i` and `j` on.
    let mut common = vec![vec![0_usize; other.len() + 1]; one.len() + 1];
    for i in (0..one.len()).rev() {
        for j in (0..other.len()).rev() {
            common[i][j] =
                if one[i] == other[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < one.len() && j < other.len() {
        if one[i] == other[j] {
            all.push(one[i]);
            (i, j) = (i + 1, j + 1);
        } else if common[i + 1][j] >= common[i][j + 1] {
            all.push(one[i]);
            i += 1;
        } else {
            all.push(other[j]);
            j += 1;
        }
    }
    all.extend_from_slice(&one[i..]);
    all.extend_from_slice(&other[j..]);
    all.extend_from_slice(end);
    all
}
