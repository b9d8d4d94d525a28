//! `manifest/KIND.schema.json`: a JSON Schema for each kind of manifest, for completion and checks in editors.

use serde_json::{Value, json};
use toolc_tables::json_schema;

use super::{Draft, Inputs};
use crate::lower::Lowered;
use crate::manifest::keys::{KeyType, PROPERTY, SCHEMA};
use crate::project::MARK;
use crate::source::Kind;

pub(super) fn emit<'c>(_: &'c Lowered<'c>) -> Vec<Draft<'c>> {
    Kind::ALL
        .into_iter()
        .map(|kind| {
            let text = move || format!("{:#}\n", document(kind));
            Draft::new(format!("manifest/{}.schema.json", kind.noun()), Inputs::Common, text)
        })
        .collect()
}

fn document(kind: Kind) -> Value {
    let mut document = json_schema(kind.keys());
    document.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    document.insert("$comment".into(), json!(MARK));
    document.insert("title".into(), json!(kind.document()));
    if kind.keys().iter().copied().flatten().any(|key| matches!(key.key_type, KeyType::Properties)) {
        document.insert(
            "$defs".into(),
            json!({ "schema": json_schema(&[SCHEMA]), "property": json_schema(&[SCHEMA, PROPERTY]) }),
        );
    }
    document.into()
}
