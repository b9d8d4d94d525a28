//! The macro that declares a table.

/// Declares a table: the struct, its keys, and how it is read from TOML and written as JSON. After `with` come fields that are not keys,
/// each with a function that makes it from the reader.
///
/// A key can have a default: `threads: Count = 4`. Its value is a [`Setting`](crate::Setting), and the default is part of the documentation
/// and of the JSON Schema.
///
/// `pub struct AppTable as App` also declares the struct `App`, with the same values without their places: a `u32` for `Count = 4`, and an
/// `Option<u32>` for `Count`. [`Document::values`](crate::Document::values) returns it.
#[macro_export]
macro_rules! table {
    (@value $kind:ty) => { <$kind as $crate::KeyKind>::Value };
    (@value $kind:ty, $default:expr) => { $crate::Setting<<$kind as $crate::DefaultKind>::Plain> };
    (@key $key:expr, $kind:ty) => { $key };
    (@key $key:expr, $kind:ty, $default:expr) => { $key.with_default(|| <$kind as $crate::DefaultKind>::default_json($default)) };
    (@read $read:expr, $kind:ty) => { $read };
    (@read $read:expr, $kind:ty, $default:expr) => {
        $crate::Setting::new($read, <$kind as $crate::DefaultKind>::plain($default))
    };
    (@add $json:ident, $key:expr, $value:expr, $kind:ty) => { <$kind as $crate::KeyKind>::add_json($key, &$value, &mut $json) };
    (@add $json:ident, $key:expr, $value:expr, $kind:ty, $default:expr) => {
        <$kind as $crate::KeyKind>::add_json($key, &$value.as_read(), &mut $json)
    };
    (@plain $kind:ty) => { <$kind as $crate::ValueKind>::Plain };
    (@plain $kind:ty, $default:expr) => { <$kind as $crate::DefaultKind>::Plain };
    (@copy $read:expr, $kind:ty) => { <$kind as $crate::ValueKind>::plain(&$read)? };
    (@copy $read:expr, $kind:ty, $default:expr) => { $read.value.clone() };
    (
        $(#[doc = $about:literal])+
        pub struct $table:ident as $name:ident { $($(#[doc = $doc:literal])+ $key:ident: $kind:ty $(= $default:expr)?,)* }
        $(with { $($(#[doc = $other_doc:literal])+ $other:ident: At<$type:ty> = $make:expr,)* })?
    ) => {
        $crate::table! {
            $(#[doc = $about])+
            #[derive(Debug, Clone, PartialEq)]
            pub struct $table { $($(#[doc = $doc])+ $key: $kind $(= $default)?,)* }
            $(with { $($(#[doc = $other_doc])+ $other: $crate::diagnostic::At<$type> = $make,)* })?
        }

        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[doc = $doc])+ pub $key: $crate::table!(@plain $kind $(, $default)?),)*
            $($($(#[doc = $other_doc])+ pub $other: $type,)*)?
        }

        impl $crate::HasValues for $table {
            type Values = $name;

            fn values(&self) -> Option<$name> {
                Some($name {
                    $($key: $crate::table!(@copy self.$key, $kind $(, $default)?),)*
                    $($($other: self.$other.value.clone(),)*)?
                })
            }
        }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident { $($(#[doc = $doc:literal])+ $key:ident: $kind:ty $(= $default:expr)?,)* }
        $(with { $($(#[doc = $other_doc:literal])+ $other:ident: $type:ty = $make:expr,)* })?
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[doc = $doc])+ pub $key: $crate::table!(@value $kind $(, $default)?),)*
            $($($(#[doc = $other_doc])+ pub $other: $type,)*)?
            /// The keys that could not be read, which was reported.
            pub refused: $crate::Refused,
        }

        impl $crate::HasKeys for $name {
            const KEYS: &'static [$crate::Key] =
                &[$($crate::table!(@key $crate::Key::new::<$kind>(stringify!($key), concat!($($doc),+)), $kind $(, $default)?),)*];

            fn to_json(&self) -> $crate::__serde_json::Map<String, $crate::__serde_json::Value> {
                let mut json = $crate::__serde_json::Map::new();
                $($crate::table!(@add json, stringify!($key), self.$key, $kind $(, $default)?);)*
                json
            }
        }

        impl<L: $crate::Language> $crate::ReadTable<L> for $name
        where
            $($kind: $crate::ReadKey<L>,)*
        {
            fn read(reader: &$crate::Reader<'_, L>) -> Self {
                Self {
                    $($key: $crate::table!(@read <$kind as $crate::ReadKey<L>>::read(reader, stringify!($key)), $kind $(, $default)?),)*
                    $($($other: $make(reader),)*)?
                    refused: reader.refused(),
                }
            }
        }
    };
}
