//! The errors that a reader or a check of a single file reports: one file for each, which begins with its documentation, and one line here.

/// Declares errors: the constant of each one, and its file.
///
/// A file begins with its [documentation](crate::diagnostic::docs), and defines a constant `CODE`.
#[macro_export]
macro_rules! codes {
    ($($constant:ident $module:ident)*) => {
        $(mod $module;)*

        $(
            #[doc = concat!("See `", stringify!($module), ".rs`.")]
            pub const $constant: $crate::diagnostic::Code =
                $module::CODE.with_source(include_str!(concat!(stringify!($module), ".rs")));
        )*

        /// Every error that is declared here.
        pub const ALL: &[$crate::diagnostic::Code] = &[$($constant),*];
    };
}

codes! {
    FACT_TYPE fact_type
    INVALID_NAME invalid_name
    INVALID_VALUE invalid_value
    MISSING_KEY missing_key
    MISSPELT_KEYWORD misspelt_keyword
    SYNTAX syntax
    UNKNOWN_FACT unknown_fact
    UNKNOWN_KEY unknown_key
    UNKNOWN_TOOL unknown_tool
    UNKNOWN_TOOLSET unknown_toolset
    UNKNOWN_TYPE unknown_type
    UNKNOWN_WORD unknown_word
    WRONG_TYPE wrong_type
}
