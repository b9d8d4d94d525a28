//! Values with a default.

use serde_json::{Value, json};

use crate::diagnostic::{At, Place};
use crate::kinds::{Amount, Count, Duration, Flag, Text, WholeNumber, Word};
use crate::read::duration::duration;
use crate::{KeyKind, Words};

/// The value of a key that has a default.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting<T> {
    /// The value in the file, or the default.
    pub value: T,
    /// The place of the value, or `None` if the key is missing.
    place: Option<Place>,
}

impl<T: Clone> Setting<T> {
    /// Returns the value that was read, or the default.
    pub fn new(read: Option<At<T>>, default: T) -> Self {
        match read {
            Some(At { value, place }) => Self { value, place: Some(place) },
            None => Self { value: default, place: None },
        }
    }

    /// Returns the value with its place, if the file has the key.
    pub fn written(&self) -> Option<At<T>> {
        Some(At::new(self.value.clone(), self.place?))
    }

    /// Returns the value as a reader returns it.
    #[doc(hidden)]
    pub fn as_read(&self) -> Option<At<T>> {
        Some(self.written().unwrap_or_else(|| At::nowhere(self.value.clone())))
    }
}

/// A kind whose keys can have a default.
pub trait DefaultKind: KeyKind<Value = Option<At<Self::Plain>>> {
    /// The value without its place.
    type Plain: Clone;

    /// How a default is written in the declaration of a key.
    type Written;

    /// Returns the default as a value.
    fn plain(default: Self::Written) -> Self::Plain;

    /// Returns the default as the JSON of what a file says.
    fn default_json(default: Self::Written) -> Value;
}

/// Implements [`DefaultKind`] for kinds whose defaults are written as the values are.
macro_rules! as_written {
    ($($kind:ident: $type:ty,)+) => { $(
        impl DefaultKind for $kind {
            type Plain = $type;

            type Written = $type;

            fn plain(default: $type) -> $type {
                default
            }

            fn default_json(default: $type) -> Value {
                json!(default)
            }
        }
    )+ };
}

as_written! {
    Count: u32,
    WholeNumber: u32,
    Flag: bool,
    Amount: f64,
}

impl DefaultKind for Text {
    type Plain = String;

    type Written = &'static str;

    fn plain(default: &'static str) -> String {
        default.to_owned()
    }

    fn default_json(default: &'static str) -> Value {
        json!(default)
    }
}

impl DefaultKind for Duration {
    type Plain = std::time::Duration;

    type Written = &'static str;

    /// # Panics
    /// If the declaration of the key has no duration.
    fn plain(default: &'static str) -> std::time::Duration {
        duration(default).unwrap_or_else(|(why, _)| panic!("the default `{default}` {why}"))
    }

    fn default_json(default: &'static str) -> Value {
        json!(default)
    }
}

impl<W: Words> DefaultKind for Word<W> {
    type Plain = W;

    type Written = W;

    fn plain(default: W) -> W {
        default
    }

    fn default_json(default: W) -> Value {
        json!(default.word())
    }
}
