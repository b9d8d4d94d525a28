//! Reads conditions and templates.

use std::cell::RefCell;

use toml::Spanned;
use toml::de::DeValue;
use toolc_lower::text::Fault;
use toolc_lower::text::atoms::{AtomId, AtomTable, Template, When};
use toolc_lower::text::condition::{self, ParsedAtom};
use toolc_lower::text::template::{self, ParsedFact, Piece};

use super::{ManifestReader, name_place};
use crate::diagnostic::{At, Code, Diagnostic, codes};

/// Reads the description of a tool; empty if it is missing.
pub(in crate::manifest) fn description(reader: &ManifestReader<'_>, key: &str) -> At<Template> {
    template(reader, key).unwrap_or_else(|| At::new(Vec::new(), name_place(reader)))
}

/// Reads a string with conditions and facts in it.
pub(in crate::manifest) fn template(reader: &ManifestReader<'_>, key: &str) -> Option<At<Template>> {
    let (value, text) = reader.string(key)?;
    let place = reader.at(value);
    let pieces = match template::parse(text) {
        Ok(pieces) => pieces,
        Err(error) => {
            fault(reader, value, text, error, codes::TEMPLATE);
            return Some(At::new(vec![Piece::Text(text.to_owned())], place));
        }
    };
    let mut atom_table = reader.language.atom_table.borrow_mut();
    let atom_table = RefCell::new(&mut *atom_table);
    let mut atom = |parsed: ParsedAtom| intern(reader, &mut atom_table.borrow_mut(), value, text, parsed);
    let mut fact = |(name, span): ParsedFact| atom_table.borrow_mut().fact(name, || reader.within(value, text, span));
    Some(At::new(pieces.into_iter().map(|piece| piece.map(&mut atom, &mut fact)).collect(), place))
}

/// Reads a condition.
pub(in crate::manifest) fn condition(reader: &ManifestReader<'_>, key: &str) -> Option<At<When>> {
    let (value, text) = reader.string(key)?;
    match condition::parse(text) {
        Ok(condition) => {
            let mut atom_table = reader.language.atom_table.borrow_mut();
            let condition = condition.map(&mut |parsed| intern(reader, &mut atom_table, value, text, parsed));
            Some(At::new(condition, reader.at(value)))
        }
        Err(error) => {
            fault(reader, value, text, error, codes::CONDITION);
            None
        }
    }
}

fn intern(
    reader: &ManifestReader<'_>,
    atom_table: &mut AtomTable,
    value: &Spanned<DeValue<'_>>,
    text: &str,
    parsed: ParsedAtom,
) -> AtomId {
    atom_table.atom(parsed.atom, || reader.within(value, text, parsed.span))
}

fn fault(reader: &ManifestReader<'_>, value: &Spanned<DeValue<'_>>, text: &str, fault: Fault, code: Code) {
    let place = reader.within(value, text, fault.span);
    let found = Diagnostic::new(code, place, fault.message);
    reader.sink().push(fault.help.into_iter().fold(found, Diagnostic::help));
    reader.sink().refuse(reader.at(value), code);
}
