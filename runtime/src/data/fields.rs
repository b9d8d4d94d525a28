//! `Debug` for generated structs and enums. They pass their names and the references of their fields to one function, because
//! for thousands of types, rustc checks that faster than the output of `derive(Debug)`.

use std::fmt::{Debug, DebugStruct, Formatter, Result};

/// References to the fields of a struct: a tuple of up to [`MAX_FIELDS`].
pub trait Fields {
    #[doc(hidden)]
    fn each<'n>(&self, out: &mut DebugStruct<'_, '_>, names: impl Iterator<Item = &'n str>);
}

/// The maximum number of fields that [`debug_fields`] accepts. Structs with more fields derive `Debug`.
pub const MAX_FIELDS: usize = 12;

/// Formats the struct `name` like `derive(Debug)`. `names` are the names of its fields, separated by spaces.
///
/// # Errors
/// Returns the error of a field's own `Debug` or of the formatter.
#[expect(clippy::needless_pass_by_value, reason = "a tuple that is made for this call")]
pub fn debug_fields(f: &mut Formatter<'_>, name: &str, names: &str, fields: impl Fields) -> Result {
    let mut out = f.debug_struct(name);
    fields.each(&mut out, names.split(' '));
    out.finish()
}

/// Formats a variant of an enum without fields like `derive(Debug)`. `names` are the names of all variants, separated by
/// spaces, and `index` is the index of the variant.
///
/// # Errors
/// Returns the error of the formatter.
pub fn debug_variant(f: &mut Formatter<'_>, names: &str, index: usize) -> Result {
    f.write_str(names.split(' ').nth(index).unwrap_or_default())
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => { $(
        impl<$($name: Debug + ?Sized),*> Fields for ($(&$name,)*) {
            #[expect(non_snake_case, reason = "each type and its value have one name")]
            fn each<'n>(&self, out: &mut DebugStruct<'_, '_>, mut names: impl Iterator<Item = &'n str>) {
                let ($($name,)*) = self;
                $(out.field(names.next().unwrap_or_default(), $name);)*
            }
        }
    )* };
}

tuples! {
    (A)
    (A B)
    (A B C)
    (A B C D)
    (A B C D E)
    (A B C D E F)
    (A B C D E F G)
    (A B C D E F G H)
    (A B C D E F G H I)
    (A B C D E F G H I J)
    (A B C D E F G H I J K)
    (A B C D E F G H I J K L)
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use super::*;

    #[test]
    fn the_output_for_enums_equals_the_output_of_derive() {
        #[derive(Debug, Clone, Copy)]
        enum Sort {
            Newest,
            Oldest,
        }

        struct Manual(Sort);

        impl Debug for Manual {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                debug_variant(f, "Newest Oldest", self.0 as usize)
            }
        }

        for sort in [Sort::Newest, Sort::Oldest] {
            assert_eq!(
                format!("{:?} {:9?} {:#?}", Manual(sort), Manual(sort), Manual(sort)),
                format!("{sort:?} {sort:9?} {sort:#?}")
            );
        }
    }

    #[test]
    fn the_output_for_structs_equals_the_output_of_derive() {
        #[derive(Debug)]
        struct Args {
            r#type: Option<String>,
            limit: i64,
        }

        struct Manual(Args);

        impl Debug for Manual {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                debug_fields(f, "Args", "type limit", (&self.0.r#type, &self.0.limit))
            }
        }

        let manual = Manual(Args { r#type: Some("a".to_owned()), limit: 5 });
        assert_eq!(format!("{manual:?} {manual:#?}"), format!("{:?} {:#?}", manual.0, manual.0));
    }
}
