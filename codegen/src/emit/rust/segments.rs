//! Definitions in pieces, conditions and facts, as Rust data.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use toolc::segment::{Condition, FactValue, Op, Segment};

use super::text;
use crate::catalog::Atom;
use crate::check::Checked;

pub(super) fn segment(segment: &Segment) -> TokenStream {
    match segment {
        Segment::Text(words) => {
            let text = text(words);
            quote!(Segment::Text(#text))
        }
        Segment::When { condition: of, segments } => {
            let (condition, segments) = (condition(of), Literal::u16_unsuffixed(*segments));
            quote!(Segment::When { condition: #condition, segments: #segments })
        }
        Segment::Fact(fact) => {
            let fact = Literal::u16_unsuffixed(*fact);
            quote!(Segment::Fact(#fact))
        }
        Segment::Available { tools, join } => {
            let tools = tools.iter().map(|(atom, name)| {
                let (atom, name) = (Literal::u8_unsuffixed(*atom), text(name));
                quote!((#atom, #name))
            });
            let join = text(join);
            quote!(Segment::Available { tools: Borrowed(&[#(#tools),*]), join: #join })
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
