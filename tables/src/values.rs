//! The values of a table without their places: what a program works with, after the file was read and checked.

use toolc::FactValue;

use crate::diagnostic::At;
use crate::kinds::{FactValues, HasName, Named, Names, Required, Section, Table, Texts, TextsByName, WordList};
use crate::{DefaultKind, HasKeys, KeyKind, Words};

/// A table whose values also exist without their places. [`table!`](crate::table) implements it for tables that are declared with
/// `pub struct NAMETable as NAME`.
pub trait HasValues: HasKeys {
    /// The values by their keys.
    type Values;

    /// Returns the values, or `None` if a required key is missing, which was reported.
    fn values(&self) -> Option<Self::Values>;
}

/// A kind whose values also exist without their places.
pub trait ValueKind: KeyKind {
    /// The value without its place.
    type Plain;

    /// Returns the value, or `None` if a required key is missing.
    fn plain(read: &Self::Value) -> Option<Self::Plain>;
}

impl<K: DefaultKind> ValueKind for K {
    type Plain = Option<<K as DefaultKind>::Plain>;

    fn plain(read: &Self::Value) -> Option<Self::Plain> {
        Some(read.as_ref().map(|read| read.value.clone()))
    }
}

impl<K: DefaultKind> ValueKind for Required<K> {
    type Plain = <K as DefaultKind>::Plain;

    fn plain(read: &Self::Value) -> Option<Self::Plain> {
        read.as_ref().map(|read| read.value.clone())
    }
}

impl<T: HasValues> ValueKind for Table<T> {
    type Plain = Option<T::Values>;

    fn plain(read: &Self::Value) -> Option<Self::Plain> {
        match read {
            None => Some(None),
            Some(table) => table.values().map(Some),
        }
    }
}

impl<T: HasValues> ValueKind for Section<T> {
    type Plain = T::Values;

    fn plain(read: &Self::Value) -> Option<Self::Plain> {
        read.values()
    }
}

impl<T: HasValues + HasName> ValueKind for Named<T> {
    type Plain = Vec<T::Values>;

    fn plain(read: &Self::Value) -> Option<Self::Plain> {
        read.iter().map(T::values).collect()
    }
}

impl<W: Words> ValueKind for WordList<W> {
    type Plain = Vec<W>;

    fn plain(read: &Self::Value) -> Option<Self::Plain> {
        Some(read.iter().filter_map(|word| W::from_word(&word.value)).collect())
    }
}

/// Implements [`ValueKind`] for kinds with any number of values.
macro_rules! lists {
    ($($kind:ident: $type:ty = |$item:ident: $read:ty| $plain:expr;)+) => { $(
        impl ValueKind for $kind {
            type Plain = Vec<$type>;

            fn plain(read: &Self::Value) -> Option<Self::Plain> {
                Some(read.iter().map(|$item: &$read| $plain).collect())
            }
        }
    )+ };
}

lists! {
    Texts: String = |text: At<String>| text.value.clone();
    Names: String = |name: At<String>| name.value.clone();
    FactValues: (String, FactValue) = |fact: (At<String>, At<FactValue>)| (fact.0.value.clone(), fact.1.value.clone());
    TextsByName: (String, String) = |text: (At<String>, At<String>)| (text.0.value.clone(), text.1.value.clone());
}
