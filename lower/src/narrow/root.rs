//! The root: the schema of all arguments together. Most vendors accept only the keywords of a plain object there.

use toolc::__gen::table::Type;

use super::{Fallback, Narrower};
use crate::prose::{append_sentence, keyword_prose};
use crate::schema::{Additional, Bounds, Other, Property, Schema};
use crate::text::atoms::Template;
use crate::text::condition::Condition;
use crate::text::template::Piece;

/// The keywords that stay at the root of a dialect that accepts any schema. The others are conditions.
const PLAIN: &[&str] = &["patternProperties", "propertyNames", "unevaluatedProperties"];

impl Narrower<'_> {
    /// Narrows the root. Also returns sentences for the description of the tool, since vendors do not show models that of the root.
    pub(super) fn narrow_root(&mut self, mut root: Schema) -> (Schema, Template) {
        let mut about = Template::new();
        if self.dialect.tool.root_keywords().is_some() {
            root = self.merge_root_all_of(root);
            for keyword in ["anyOf", "oneOf"] {
                let alternatives = std::mem::take(if keyword == "anyOf" { &mut root.any_of } else { &mut root.one_of });
                root = self.replace_root_union(root, alternatives, keyword, &mut about);
            }
            self.describe_root_values(&mut root, &mut about);
        }
        root.properties = self.drop_refused_names(std::mem::take(&mut root.properties));
        if self.dialect.accepts_any_schema() {
            return (root, about);
        }
        if !matches!(root.additional, Additional::Deny) && self.dialect.schema.open_objects().is_some() {
            if !matches!(root.additional, Additional::Unstated) {
                self.record_dropped(&root, "additionalProperties");
            }
            root.additional = Additional::Deny;
        }
        let properties = std::mem::take(&mut root.properties).into_iter();
        root.properties = properties.map(|property| self.narrow_property(property)).collect();
        self.narrow_additional(&mut root);
        let mut kept = Bounds::default();
        for (keyword, bound) in Bounds::clone(&root.bounds).iter() {
            if self.accepts(keyword) {
                kept.set(keyword, bound.clone());
            } else if let Some(prose) = keyword_prose(keyword, &bound.value) {
                self.record_loss(bound.place, keyword, Fallback::Description);
                let sentence = format!("The arguments must have {}", lowercase_first(&prose));
                append_sentence(&mut about, vec![Piece::Text(sentence)]);
            }
        }
        root.bounds = kept.into();
        // The annotations are narrowed in a schema of their own, so that their prose is added to `about`.
        let mut annotations = Schema::new(root.place);
        annotations.default = root.default.take();
        // `definition` writes the examples of whole calls.
        root.examples.clear();
        annotations.deprecated = std::mem::take(&mut root.deprecated);
        self.narrow_annotations(&mut annotations, true);
        root.deprecated = annotations.deprecated;
        if let Some(description) = annotations.description {
            append_sentence(&mut about, description.value);
        }
        (root, about)
    }

    /// Moves what the root says about all arguments together into `about`: `enum`, `const`, conditions, and keywords that manifests do not
    /// have. A description of the root that merging has made moves as well.
    fn describe_root_values(&mut self, root: &mut Schema, about: &mut Template) {
        let (choices, constant) = (std::mem::take(&mut root.choices), root.constant.take());
        if !choices.is_empty() || constant.is_some() {
            let mut values = Schema::new(root.place);
            (values.choices, values.constant) = (choices, constant);
            self.record_loss(root.place, "enum", Fallback::Description);
            let prose = self.describe_schema(&values, "The arguments must also match this JSON Schema");
            append_sentence(about, prose);
        }
        let is_plain = |other: &Other| PLAIN.contains(&other.keyword) && self.dialect.accepts_any_schema();
        let (kept, others): (Vec<_>, Vec<_>) = std::mem::take(&mut root.others).into_iter().partition(is_plain);
        root.others = kept;
        if !others.is_empty() {
            let prose = self.others_description(root, others, "The arguments must");
            append_sentence(about, prose);
        }
    }

    /// Merges the `$ref` and the `allOf` of the root into it. If that fails, `allOf` is moved to the description of the root.
    fn merge_root_all_of(&mut self, root: Schema) -> Schema {
        let is_repaired = self.is_repaired;
        let merged = self.flatten_fully(root).unwrap_or_else(|mut root| {
            let mut only_all_of = Schema::new(root.place);
            only_all_of.all_of = std::mem::take(&mut root.all_of);
            let prose = self.describe_schema(&only_all_of, "The arguments must also match this JSON Schema");
            self.record_loss(root.place, "allOf", Fallback::Description);
            root.add_description(prose);
            *root
        });
        // The runtime repairs the properties of the root whatever its other keywords are.
        self.is_repaired = is_repaired;
        merged
    }

    /// Removes `anyOf` or `oneOf` from the root: the properties of the alternatives become optional properties of the root, and
    /// `about` describes the alternatives.
    fn replace_root_union(
        &mut self,
        mut root: Schema,
        alternatives: Vec<Schema>,
        keyword: &'static str,
        about: &mut Template,
    ) -> Schema {
        if let [only] = alternatives.as_slice() {
            return match self.flatten_fully(only.clone()) {
                Ok(only) => self.merge_or_describe(root, &only),
                Err(_) => self.describe_root_union(root, alternatives, keyword, about),
            };
        }
        if alternatives.is_empty() {
            return root;
        }
        let flat: Vec<Schema> =
            alternatives.iter().filter_map(|alternative| self.flatten_fully(alternative.clone()).ok()).collect();
        let mut added: Vec<Property> = Vec::new();
        if !matches!(root.additional, Additional::Deny) {
            for alternative in &flat {
                for property in alternative.properties.clone() {
                    if root.properties.iter().any(|declared| declared.name.value == property.name.value) {
                        continue;
                    }
                    match added.iter_mut().find(|other| other.name.value == property.name.value) {
                        Some(other) => union_properties(other, property),
                        None => added.push(Property { required: false, ..property }),
                    }
                }
            }
        }
        root.properties.extend(added);
        if flat.len() == alternatives.len() {
            require_what_all_require(&mut root.properties, &flat);
        }
        self.describe_root_union(root, alternatives, keyword, about)
    }

    /// Adds a sentence about the alternatives of the root to `about`.
    fn describe_root_union(
        &mut self,
        root: Schema,
        alternatives: Vec<Schema>,
        keyword: &'static str,
        about: &mut Template,
    ) -> Schema {
        self.record_loss(root.place, keyword, Fallback::Description);
        let names: Option<Vec<String>> = alternatives.iter().map(required_names_only).collect();
        let prose = match names {
            Some(names) => {
                let how_many = if keyword == "oneOf" { "Exactly" } else { "At least" };
                vec![Piece::Text(format!("{how_many} one of these must be given: {}.", names.join("; ")))]
            }
            None => self.union_description(alternatives, keyword, "The arguments must"),
        };
        append_sentence(about, prose);
        root
    }

    /// Drops the properties whose names the dialect does not accept. They are optional: a tool with a required one has no definition.
    fn drop_refused_names(&mut self, properties: Vec<Property>) -> Vec<Property> {
        let names = self.dialect.tool.parameter_name();
        let (kept, others): (Vec<_>, Vec<_>) = properties
            .into_iter()
            .partition(|property| names.is_none_or(|names| names.value.accepts(&property.name.value)));
        for property in others {
            self.at_path(&format!(".{}", property.name.value), |narrower| {
                narrower.record_dropped(&property.schema, "properties");
            });
        }
        kept
    }
}

/// Marks the properties as required that every alternative requires.
fn require_what_all_require(properties: &mut [Property], alternatives: &[Schema]) {
    let requires = |alternative: &Schema, name: &str| {
        let is_it = |property: &Property| property.name.value == name && property.required && property.when.is_none();
        alternative.properties.iter().any(is_it)
    };
    for property in properties.iter_mut().filter(|property| property.when.is_none()) {
        property.required |= alternatives.iter().all(|alternative| requires(alternative, &property.name.value));
    }
}

/// Merges a property that two alternatives declare: it accepts the values of both.
fn union_properties(property: &mut Property, other: Property) {
    if let (Some(when), Some(other)) = (&mut property.when, &other.when) {
        when.value = Condition::Or(vec![when.value.clone(), other.value.clone()]);
    } else {
        property.when = None;
    }
    let mut union = Schema::new(property.schema.place);
    let first = std::mem::replace(&mut property.schema, Schema::new(union.place));
    union.any_of = vec![first, other.schema];
    property.schema = union;
}

/// Returns the names of the properties that an alternative requires, or `None` if the alternative contains anything else.
fn required_names_only(alternative: &Schema) -> Option<String> {
    let is_object = alternative.types.iter().all(|ty| *ty == Type::Object);
    let is_more_than_a_name = |property: &Property| {
        !property.required
            || property.schema.has_constraints()
            || property.schema.in_place().next().is_some()
            || property.schema.reference.is_some()
    };
    let only_requires = is_object
        && matches!(alternative.additional, Additional::Allow | Additional::Unstated)
        && alternative.others.is_empty()
        && alternative.in_place().next().is_none()
        && alternative.reference.is_none()
        && alternative.choices.is_empty()
        && alternative.constant.is_none()
        && alternative.bounds.iter().next().is_none()
        && !alternative.properties.is_empty()
        && !alternative.properties.iter().any(is_more_than_a_name);
    let name = |property: &Property| format!("`{}`", property.name.value);
    if only_requires { Some(alternative.properties.iter().map(name).collect::<Vec<_>>().join(" and ")) } else { None }
}

pub(super) fn lowercase_first(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
