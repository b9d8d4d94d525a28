//! Every rule of the linter: one file for each, in the folder of its category, and one line in that folder's `mod.rs`.
//!
//! To add a rule, write `CATEGORY/its_name.rs`, which begins with its documentation (see
//! [`docs`](crate::diagnostic::docs)) and holds a `RULE` and its check. Add the line `ITS_NAME its_name` to
//! `CATEGORY/mod.rs`. Tests report what is missing, and compile its examples: the failing one must have its finding and no
//! other, the corrected one none.

pub mod codes {
    //! The codes of the rules, and those of the errors.

    pub use super::{catalog::*, model::*, safety::*, schema::*, vendors::*};
    pub use crate::diagnostic::codes::*;
}

mod catalog;
mod model;
mod safety;
mod schema;
mod vendors;

pub use catalog::check_user_rules;

use super::Rule;
use crate::diagnostic::Code;

/// A category of findings.
#[derive(Debug)]
pub struct Category {
    /// The first letter of its codes.
    pub letter: &'static str,
    /// The name of its page in `docs/lint/`.
    pub name: &'static str,
    /// What its findings are about.
    pub about: &'static str,
    rules: &'static [Rule],
}

/// Every category.
pub const CATEGORIES: &[Category] = &[
    Category { letter: "C", name: "catalog", about: "The catalog and its language", rules: catalog::RULES },
    Category { letter: "S", name: "schema", about: "Schemas", rules: schema::RULES },
    Category { letter: "P", name: "vendors", about: "What vendors accept", rules: vendors::RULES },
    Category { letter: "M", name: "model", about: "What a model reads", rules: model::RULES },
    Category { letter: "A", name: "safety", about: "Safety", rules: safety::RULES },
];

impl Category {
    /// Returns the codes of the category's errors and rules, sorted.
    pub fn codes(&self) -> impl Iterator<Item = Code> + use<> {
        let errors = codes::ALL.into_iter().flatten().copied();
        let mut codes: Vec<Code> = errors.filter(|code| code.category() == self.letter).collect();
        codes.extend(self.rules.iter().map(|rule| rule.code));
        codes.sort_by_key(|code| code.id);
        codes.into_iter()
    }
}

/// Returns every code, by category.
pub fn all_codes() -> impl Iterator<Item = Code> {
    CATEGORIES.iter().flat_map(Category::codes)
}

/// Returns every rule of the linter.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    CATEGORIES.iter().flat_map(|category| category.rules)
}

/// Declares the rules of a folder: the constant of each one's code, and its file.
macro_rules! declare_rules {
    ($($constant:ident $module:ident)*) => {
        $(mod $module;)*

        pub(super) const RULES: &[$crate::lint::Rule] =
            &[$($crate::lint::Rule { code: $constant, ..$module::RULE }),*];

        $(
            #[doc = concat!("See `", stringify!($module), ".rs`.")]
            pub const $constant: $crate::diagnostic::Code =
                $module::RULE.code.with_source(include_str!(concat!(stringify!($module), ".rs")));
        )*
    };
}
use declare_rules;
