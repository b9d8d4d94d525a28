//! The errors of the compiler: one file for each, in the folder of its category, and one line in that folder's `mod.rs`.
//!
//! To add an error, write `CATEGORY/its_name.rs`, which begins with its documentation (see [`docs`](super::docs)) and
//! defines its `CODE`. Add the line `ITS_NAME its_name` to `CATEGORY/mod.rs`. The stage that reports it then uses
//! `Code::ITS_NAME`. Tests check the documentation and compile its examples, as they do for the rules of the linter.

mod catalog;
mod schema;

pub(crate) use catalog::ERRORS as CATALOG;
pub(crate) use schema::ERRORS as SCHEMA;

/// Declares the errors of a folder: the constant of each error, and its module.
macro_rules! errors {
    ($($constant:ident $module:ident)*) => {
        $(mod $module;)*

        pub(crate) const ERRORS: &[$crate::diagnostic::Code] = &[$($crate::diagnostic::Code::$constant),*];

        impl $crate::diagnostic::Code {
            $(
                #[doc = concat!("See `errors/*/", stringify!($module), ".rs`.")]
                pub const $constant: Self = $module::CODE.with_source(include_str!(concat!(stringify!($module), ".rs")));
            )*
        }
    };
}
use errors;
