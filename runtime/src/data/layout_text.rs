//! Source code as a constant text without white space, for the [stamp](crate::stamp). The white space of `stringify!` is not
//! specified, and might differ between versions of rustc.

/// Expands to a literal with the text of these tokens.
macro_rules! layout_text {
    ($($token:tt)*) => { concat!($($crate::data::layout_text::token_text!($token)),*) };
}
pub(crate) use layout_text;

macro_rules! token_text {
    ({ $($inner:tt)* }) => { concat!("{", $crate::data::layout_text::layout_text!($($inner)*), "}") };
    (( $($inner:tt)* )) => { concat!("(", $crate::data::layout_text::layout_text!($($inner)*), ")") };
    ([ $($inner:tt)* ]) => { concat!("[", $crate::data::layout_text::layout_text!($($inner)*), "]") };
    ($token:tt) => { stringify!($token) };
}
pub(crate) use token_text;

#[cfg(test)]
mod tests {
    #[test]
    fn groups_have_no_white_space() {
        let text = layout_text! { Tool { names: Vec<(Dialect, &'static [Str])>, plan: fn() -> Plan } };
        assert_eq!(text, "Tool{names:Vec<(Dialect,&'static[Str])>,plan:fn()->Plan}");
    }
}
