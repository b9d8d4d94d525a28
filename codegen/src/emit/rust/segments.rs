//! Definitions in pieces, conditions and facts, as Rust data.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use toolc::segment::{Condition, FactValue, Op, Segment};

use super::data::borrowed;
use super::print::inline;
use super::text;
use crate::catalog::Atom;
use crate::check::Checked;

/// As text: most tools have one, and it is long.
pub(super) fn segment(segment: &Segment) -> String {
    match segment {
        Segment::Text(words) => format!("Segment::Text({})", borrowed(words)),
        Segment::When { condition: of, segments } => {
            format!("Segment::When {{ condition: {}, segments: {segments} }}", inline(condition(of)))
        }
        Segment::Fact(fact) => format!("Segment::Fact({fact})"),
        Segment::Available { tools, join } => {
            let tools: Vec<String> = tools.iter().map(|(atom, name)| format!("({atom}, {})", borrowed(name))).collect();
            format!("Segment::Available {{ tools: Borrowed(&[{}]), join: {} }}", tools.join(", "), borrowed(join))
        }
    }
}

pub(super) fn condition(condition: &Condition) -> TokenStream {
    let ops = condition.0.iter().map(|op| match op {
        Op::Atom(atom) => {
            let atom = Literal::u8_unsuffixed(*atom);
            quote!(Op::Atom(#atom))
        }
        Op::Not => quote!(Op::Not),
        Op::And => quote!(Op::And),
        Op::Or => quote!(Op::Or),
    });
    quote!(Condition::new(&[#(#ops),*]))
}

pub(super) fn atom(catalog: &Checked, atom: &Atom) -> TokenStream {
    match atom {
        Atom::Tool(id) => {
            let name = text(catalog[*id].name());
            quote!(Atom::Tool(#name))
        }
        Atom::Fact(id) => {
            let name = text(&catalog[*id].name.value);
            quote!(Atom::Fact(#name))
        }
        Atom::Compared(id, comparison, with) => {
            let name = text(&catalog[*id].name.value);
            let (comparison, with) = (format_ident!("{comparison:?}"), fact_value(with));
            quote!(Atom::Compared(#name, Comparison::#comparison, #with))
        }
    }
}

pub(super) fn fact_value(value: &FactValue) -> TokenStream {
    match value {
        FactValue::Text(words) => {
            let text = text(words);
            quote!(FactValue::Text(#text))
        }
        FactValue::Boolean(flag) => quote!(FactValue::Boolean(#flag)),
        FactValue::Integer(integer) => {
            let integer = Literal::i64_unsuffixed(*integer);
            quote!(FactValue::Integer(#integer))
        }
    }
}
