//! The arguments as a whole: an object, of which most providers take nothing but an object's words.

use toolc::__gen::table::Type;

use super::{Fallback, Narrower};
use crate::lower::prose::{said, say};
use crate::schema::{Additional, Bounds, Property, Schema};
use crate::text::atoms::Template;
use crate::text::template::Piece;

impl Narrower<'_> {
    /// Lowers the root. Also returns text for the description of the tool, since models are not shown that of the root.
    pub(super) fn root(&mut self, mut root: Schema) -> (Schema, Template) {
        let mut about = Template::new();
        if self.dialect.tool.root_keywords().is_some() {
            root = self.without_parts(root);
            for word in ["anyOf", "oneOf"] {
                let alternatives = std::mem::take(if word == "anyOf" { &mut root.any_of } else { &mut root.one_of });
                root = self.without_union(root, alternatives, word, &mut about);
            }
        }
        root.properties = self.with_accepted_names(std::mem::take(&mut root.properties));
        if self.dialect.accepts_any_schema() {
            return (root, about);
        }
        if !matches!(root.additional, Additional::Deny) && self.dialect.schema.open_objects().is_some() {
            self.leave(&root, "additionalProperties");
            root.additional = Additional::Deny;
        }
        root.properties = std::mem::take(&mut root.properties).into_iter().map(|one| self.property(one)).collect();
        self.additional_values(&mut root);
        let mut kept = Bounds::default();
        for (word, bound) in Bounds::clone(&root.bounds).iter() {
            if self.accepts(word) {
                kept.set(word, bound.clone());
            } else if let Some(words) = said(word, &bound.value) {
                self.lose(bound.place, word, Fallback::Description);
                say(&mut about, vec![Piece::Text(format!("All arguments together: {}", lower(&words)))]);
            }
        }
        root.bounds = kept.into();
        let mut told = Schema::new(root.place);
        (told.default, told.examples, told.deprecated) =
            (root.default.take(), std::mem::take(&mut root.examples), std::mem::take(&mut root.deprecated));
        self.annotate(&mut told, true);
        if told.deprecated {
            root.deprecated = true;
        }
        if let Some(words) = told.description {
            say(&mut about, words.value);
        }
        (root, about)
    }

    /// The root, with what has to hold together made one.
    fn without_parts(&mut self, root: Schema) -> Schema {
        let reads_texts = self.reads_texts;
        let merged = self.alone(root).unwrap_or_else(|mut root| {
            let parts = std::mem::take(&mut root.all_of);
            let mut parts_alone = Schema::new(root.place);
            parts_alone.all_of = parts;
            let words = self.document(&parts_alone, "All arguments together: must also match this JSON Schema");
            self.lose(root.place, "allOf", Fallback::Description);
            root.say(words);
            *root
        });
        // The properties of the root itself are repaired whatever their sibling keywords.
        self.reads_texts = reads_texts;
        merged
    }

    /// The root without a union: what an object may hold by it becomes optional, and the rest is said in words.
    fn without_union(
        &mut self,
        mut root: Schema,
        alternatives: Vec<Schema>,
        word: &'static str,
        about: &mut Template,
    ) -> Schema {
        if let [only] = alternatives.as_slice() {
            return match self.alone(only.clone()) {
                Ok(only) => self.join(root, &only),
                Err(_) => self.root_in_words(root, alternatives, word, about),
            };
        }
        if alternatives.is_empty() {
            return root;
        }
        let mut added: Vec<Property> = Vec::new();
        if !matches!(root.additional, Additional::Deny) {
            for alternative in &alternatives {
                let Ok(alternative) = self.alone(alternative.clone()) else { continue };
                for property in alternative.properties {
                    if root.properties.iter().any(|known| known.name.value == property.name.value) {
                        continue;
                    }
                    match added.iter_mut().find(|known| known.name.value == property.name.value) {
                        Some(known) => either(known, property),
                        None => added.push(Property { required: false, ..property }),
                    }
                }
            }
        }
        root.properties.extend(added);
        self.root_in_words(root, alternatives, word, about)
    }

    fn root_in_words(
        &mut self,
        root: Schema,
        alternatives: Vec<Schema>,
        word: &'static str,
        about: &mut Template,
    ) -> Schema {
        self.lose(root.place, word, Fallback::Description);
        let names: Option<Vec<String>> = alternatives.iter().map(only_requires).collect();
        let words = match names {
            Some(names) => {
                let how_many = if word == "oneOf" { "Exactly" } else { "At least" };
                vec![Piece::Text(format!("{how_many} one of these must be given: {}.", names.join("; ")))]
            }
            None => self.union_words(alternatives, word, "The arguments as a whole: "),
        };
        say(about, words);
        root
    }

    /// Keeps the properties whose names the dialect accepts. A tool with a required one of another name is not in it.
    fn with_accepted_names(&mut self, properties: Vec<Property>) -> Vec<Property> {
        let names = self.dialect.tool.parameter_name();
        let (kept, others): (Vec<_>, Vec<_>) = properties
            .into_iter()
            .partition(|property| names.is_none_or(|names| names.value.accepts(&property.name.value)));
        for property in others {
            self.below(&format!(".{}", property.name.value), |narrower| narrower.leave(&property.schema, "properties"));
        }
        kept
    }
}

/// Merges a property that two alternatives have.
fn either(known: &mut Property, other: Property) {
    if let (Some(one), Some(another)) = (&mut known.when, &other.when) {
        one.value = crate::text::condition::Condition::Or(vec![one.value.clone(), another.value.clone()]);
    } else {
        known.when = None;
    }
    let mut union = Schema::new(known.schema.place);
    let known_schema = std::mem::replace(&mut known.schema, Schema::new(union.place));
    union.any_of = vec![known_schema, other.schema];
    known.schema = union;
}

/// The names of what an alternative requires, if that is all that it says.
fn only_requires(alternative: &Schema) -> Option<String> {
    let is_object = alternative.types.iter().all(|ty| *ty == Type::Object);
    let says = |property: &Property| {
        !property.required
            || property.schema.constrains()
            || property.schema.in_place().next().is_some()
            || property.schema.reference.is_some()
    };
    let is_plain = is_object
        && matches!(alternative.additional, Additional::Allow)
        && alternative.in_place().next().is_none()
        && alternative.reference.is_none()
        && alternative.choices.is_empty()
        && alternative.constant.is_none()
        && alternative.bounds.iter().next().is_none()
        && !alternative.properties.is_empty()
        && !alternative.properties.iter().any(says);
    let name = |property: &Property| format!("`{}`", property.name.value);
    is_plain.then(|| alternative.properties.iter().map(name).collect::<Vec<_>>().join(" and "))
}

fn lower(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
