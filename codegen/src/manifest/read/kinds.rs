//! How each kind of key that only manifests have is read.

use toolc::behaviour::{self, MaxResultChars};
use toolc_lower::schema::Schema;
use toolc_tables::{KeyKind, ReadKey, Reader};

use super::{ManifestLanguage, ManifestReader, condition, description, name_or_stem, name_place, schema, template};
use crate::diagnostic::At;
use crate::manifest::keys::{kinds, schema as keywords};

/// Implements [`ReadKey`] for kinds of a module, with a function that makes the value from the reader.
macro_rules! read {
    ($module:ident: $($kind:ident = $read:expr;)+) => { $(
        impl<'m> ReadKey<ManifestLanguage<'m>> for $module::$kind {
            fn read(reader: &Reader<'_, ManifestLanguage<'m>>, key: &'static str) -> Self::Value {
                let read: fn(&ManifestReader<'_>, &'static str) -> <$module::$kind as KeyKind>::Value = $read;
                read(reader, key)
            }
        }
    )+ };
}

read! { kinds:
    Name = name_or_stem;
    Url = |reader, key| reader.text(key);
    Template = template;
    Description = description;
    Condition = condition;
    Execution = execution;
    MaxResultChars = |reader, key| match reader.string(key) {
        Some((_, text)) => (text == kinds::UNLIMITED).then_some(MaxResultChars::Unlimited),
        None => reader.count(key).map(MaxResultChars::Chars),
    };
    Params = |reader, _| Schema::new(name_place(reader));
    ObjectType = |_, _| ();
    Schema = schema::subschema;
    Number = schema::bound;
    Integer = schema::bound;
    Boolean = schema::bound;
    Pattern = schema::pattern;
    Types = schema::types;
    Choices = schema::choices;
    Reference = schema::reference;
    Schemas = schema::subschemas;
    Properties = schema::properties;
    FlagOrSchema = schema::additional;
}

read! { keywords:
    ArgumentsRoot = |reader, key| reader.place_of(key);
    Definitions = |_, _| ();
}

fn execution(reader: &ManifestReader<'_>, key: &str) -> At<behaviour::Execution> {
    let Some(word) = reader.text(key) else { return At::new(behaviour::Execution::Sync, name_place(reader)) };
    match behaviour::Execution::ALL.into_iter().find(|execution| execution.word() == word.value) {
        Some(execution) => At::new(execution, word.place),
        // The value was reported. `async` accepts every other key, so no further errors follow.
        None => At::new(behaviour::Execution::Async, name_place(reader)),
    }
}
