//! The macro that declares a table.

/// Declares a table: the struct, its keys, and how it is read from TOML and written as JSON. After `with` come fields that are not keys,
/// each with a function that makes it from the reader.
#[macro_export]
macro_rules! table {
    (
        $(#[$meta:meta])*
        pub struct $name:ident { $($(#[doc = $doc:literal])+ $key:ident: $kind:ty,)* }
        $(with { $($(#[doc = $other_doc:literal])+ $other:ident: $type:ty = $make:expr,)* })?
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[doc = $doc])+ pub $key: <$kind as $crate::KeyKind>::Value,)*
            $($($(#[doc = $other_doc])+ pub $other: $type,)*)?
            /// The keys that could not be read, which was reported.
            pub refused: $crate::Refused,
        }

        impl $crate::HasKeys for $name {
            const KEYS: &'static [$crate::Key] =
                &[$($crate::Key::new::<$kind>(stringify!($key), concat!($($doc),+)),)*];

            fn to_json(&self) -> $crate::__serde_json::Map<String, $crate::__serde_json::Value> {
                let mut json = $crate::__serde_json::Map::new();
                $(<$kind as $crate::KeyKind>::add_json(stringify!($key), &self.$key, &mut json);)*
                json
            }
        }

        impl<L: $crate::Language> $crate::ReadTable<L> for $name
        where
            $($kind: $crate::ReadKey<L>,)*
        {
            fn read(reader: &$crate::Reader<'_, L>) -> Self {
                Self {
                    $($key: <$kind as $crate::ReadKey<L>>::read(reader, stringify!($key)),)*
                    $($($other: $make(reader),)*)?
                    refused: reader.refused(),
                }
            }
        }
    };
}
