//! Every rule there is: a file each, below the folder of its category, and a line in that folder's `mod.rs`.
//!
//! To add one: write `CATEGORY/its_name.rs`, which begins with its documentation (see [`docs`](super::docs)) and holds a
//! `RULE` and its check; add the line `ITS_NAME its_name` to `CATEGORY/mod.rs`. Tests tell what is missing, and run its
//! examples: the failing one gives its finding and no other, the mended one none.

mod catalog;
mod model;
mod safety;
mod schema;
mod vendors;

use super::Code;

/// A category of rules.
#[derive(Debug)]
pub struct Category {
    /// What the codes of its rules begin with.
    pub letter: &'static str,
    /// What its rules are about.
    pub about: &'static str,
    rules: &'static [Code],
}

/// Every category.
pub const CATEGORIES: &[Category] = &[
    Category { letter: "C", about: "The catalog and its language", rules: catalog::RULES },
    Category { letter: "S", about: "Schemas", rules: schema::RULES },
    Category { letter: "P", about: "What providers take", rules: vendors::RULES },
    Category { letter: "M", about: "What a model reads", rules: model::RULES },
    Category { letter: "A", about: "Safety", rules: safety::RULES },
];

impl Category {
    /// Its rules, by code.
    pub fn rules(&self) -> impl Iterator<Item = Code> + use<> {
        let mut rules = self.rules.to_vec();
        rules.sort_by_key(|code| code.id);
        rules.into_iter()
    }
}

impl Code {
    /// Every rule, by category and code.
    pub fn all() -> impl Iterator<Item = Code> {
        CATEGORIES.iter().flat_map(Category::rules)
    }
}

/// The rules of a folder: for each the constant that stands for it, and its file.
macro_rules! rules {
    ($($constant:ident $module:ident)*) => {
        $(mod $module;)*

        pub(super) const RULES: &[$crate::lint::Code] = &[$($crate::lint::Code::$constant),*];

        impl $crate::lint::Code {
            $(
                #[doc = concat!("See `", stringify!($module), ".rs`.")]
                pub const $constant: Self = Self {
                    rule: &$crate::lint::Rule {
                        source: include_str!(concat!(stringify!($module), ".rs")),
                        ..$module::RULE
                    },
                };
            )*
        }
    };
}
use rules;
