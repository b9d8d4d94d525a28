//! Values that a host attaches to a session, a task or a call, for handlers that it did not write.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::sync::Arc;

use crate::vec_map::VecMap;

/// Values of a host for the handlers of a call, at most one of each type. A handler gets them from
/// [`Call::value`](crate::Call::value).
///
/// A host attaches values to all calls of a session with [`SessionBuilder::value`](crate::SessionBuilder::value), to those of a
/// task with [`Task::set_value`](crate::Task::set_value), and to a single call with
/// [`ToolCall::with_values`](crate::ToolCall::with_values).
///
/// ```
/// use std::sync::Arc;
/// use toolc::{Call, HostValues, ToolCall};
///
/// /// The user who has sent the message.
/// struct User {
///     name: String,
/// }
///
/// let values = HostValues::new().with(Arc::new(User { name: "Ada".to_owned() }));
/// let call = Call::new(ToolCall::new("greet", "{}").with_values(&values));
/// assert_eq!(call.value::<User>().map(|user| user.name.clone()).as_deref(), Some("Ada"));
/// ```
#[derive(Clone, Default)]
pub struct HostValues(VecMap<TypeId, Entry>);

#[derive(Clone)]
struct Entry {
    type_name: &'static str,
    /// An `Arc<T>`. `T` itself may be a trait object, which `Any` cannot hold.
    value: Arc<dyn Any + Send + Sync>,
}

impl HostValues {
    /// Returns a set without values.
    pub const fn new() -> Self {
        Self(VecMap::new())
    }

    /// Adds a value. It replaces the value of the same type.
    ///
    /// The type may be a trait object: `values.with::<dyn MemoryStore>(Arc::new(store))`. Such a trait needs `Send` and `Sync`
    /// as supertraits.
    #[must_use]
    pub fn with<T: ?Sized + Send + Sync + 'static>(mut self, value: Arc<T>) -> Self {
        self.replace(value);
        self
    }

    /// Returns the value of type `T`.
    pub fn get<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.0.get(&TypeId::of::<T>()).and_then(|entry| entry.value.downcast_ref()).map(Arc::clone)
    }

    /// Sets a value, and returns the previous one, so that the caller can release its locks before that is dropped.
    pub(crate) fn replace<T: ?Sized + Send + Sync + 'static>(
        &mut self,
        value: Arc<T>,
    ) -> Option<Arc<dyn Any + Send + Sync>> {
        let entry = Entry { type_name: type_name::<T>(), value: Arc::new(value) };
        self.0.insert(TypeId::of::<T>(), entry).map(|previous| previous.value)
    }

    /// Returns the values without their types.
    pub(crate) fn into_values(self) -> impl Iterator<Item = Arc<dyn Any + Send + Sync>> {
        self.0.into_iter().map(|(_, entry)| entry.value)
    }
}

impl fmt::Debug for HostValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.iter().map(|(_, entry)| entry.type_name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    trait Speaker: Send + Sync {
        fn say(&self) -> &'static str;
    }

    struct Dog;

    impl Speaker for Dog {
        fn say(&self) -> &'static str {
            "woof"
        }
    }

    #[test]
    fn a_set_has_one_value_of_each_type() {
        let values = HostValues::new().with(Arc::new(1_u8)).with(Arc::new("a")).with(Arc::new(2_u8));
        assert_eq!((values.get::<u8>().as_deref(), values.get::<&str>().as_deref()), (Some(&2), Some(&"a")));
        assert_eq!(values.get::<u16>(), None);
        assert_eq!(HostValues::default().get::<u8>(), None);
    }

    #[test]
    fn a_trait_object_is_a_type_of_its_own() {
        let dog = Arc::new(Dog);
        let values = HostValues::new().with::<dyn Speaker>(dog.clone());
        assert!(values.get::<Dog>().is_none());
        assert_eq!(values.get::<dyn Speaker>().map(|speaker| speaker.say()), Some("woof"));
        let both = values.with(Arc::clone(&dog));
        assert!(both.get::<Dog>().is_some_and(|value| Arc::ptr_eq(&value, &dog)));
        assert!(both.get::<dyn Speaker>().is_some());
    }

    #[test]
    fn debug_output_names_the_types_only() {
        let values = HostValues::new().with(Arc::new("a password".to_owned()));
        assert_eq!(format!("{values:?}"), r#"{"alloc::string::String"}"#);
    }
}
