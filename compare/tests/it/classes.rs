//! The classes of changes that oasdiff distinguishes for requests and responses of `OpenAPI`, as far as tools have them: each has its code here.

use toolc_compare::Witness;

use crate::project::compared;

/// A class, what changes (`p` for parameters, `r` for the result), the property before and after in inline TOML, and the code.
const CLASSES: &[(&str, char, &str, &str, &str)] = &[
    ("new-required-request-parameter", 'p', "", "type = 'string', required = true", "W002"),
    ("new-optional-request-parameter", 'p', "", "type = 'string'", "A002"),
    ("request-parameter-removed", 'p', "type = 'string'", "", "W002"),
    ("request-parameter-became-required", 'p', "type = 'string'", "type = 'string', required = true", "W002"),
    ("request-parameter-became-optional", 'p', "type = 'string', required = true", "type = 'string'", "A002"),
    (
        "request-parameter-enum-value-removed",
        'p',
        "type = 'string', enum = ['a', 'b']",
        "type = 'string', enum = ['a']",
        "W002",
    ),
    (
        "request-parameter-enum-value-added",
        'p',
        "type = 'string', enum = ['a']",
        "type = 'string', enum = ['a', 'b']",
        "A002",
    ),
    ("request-parameter-became-enum", 'p', "type = 'string'", "type = 'string', enum = ['a', 'b']", "W002"),
    ("request-parameter-type-changed", 'p', "type = 'object'", "type = 'boolean'", "W002"),
    ("request-parameter-type-generalized", 'p', "type = 'integer'", "type = 'number'", "A002"),
    ("request-parameter-type-specialized", 'p', "type = 'number'", "type = 'integer'", "W002"),
    ("request-parameter-max-decreased", 'p', "type = 'integer', maximum = 9", "type = 'integer', maximum = 5", "W002"),
    ("request-parameter-max-increased", 'p', "type = 'integer', maximum = 5", "type = 'integer', maximum = 9", "A002"),
    ("request-parameter-max-set", 'p', "type = 'integer'", "type = 'integer', maximum = 9", "W002"),
    ("request-parameter-min-increased", 'p', "type = 'integer', minimum = 1", "type = 'integer', minimum = 2", "W002"),
    ("request-parameter-min-decreased", 'p', "type = 'integer', minimum = 2", "type = 'integer', minimum = 1", "A002"),
    ("request-parameter-min-set", 'p', "type = 'integer'", "type = 'integer', minimum = 1", "W002"),
    (
        "request-parameter-max-length-decreased",
        'p',
        "type = 'string', maxLength = 9",
        "type = 'string', maxLength = 5",
        "W002",
    ),
    (
        "request-parameter-max-length-increased",
        'p',
        "type = 'string', maxLength = 5",
        "type = 'string', maxLength = 9",
        "A002",
    ),
    (
        "request-parameter-min-length-increased",
        'p',
        "type = 'string', minLength = 1",
        "type = 'string', minLength = 2",
        "W002",
    ),
    (
        "request-parameter-min-items-increased",
        'p',
        "type = 'array', items = { type = 'string' }",
        "type = 'array', items = { type = 'string' }, minItems = 2",
        "W002",
    ),
    (
        "request-parameter-max-items-decreased",
        'p',
        "type = 'array', items = { type = 'string' }, maxItems = 9",
        "type = 'array', items = { type = 'string' }, maxItems = 5",
        "W002",
    ),
    ("request-parameter-pattern-added", 'p', "type = 'string'", "type = 'string', pattern = '^a+$'", "W002"),
    ("request-parameter-pattern-removed", 'p', "type = 'string', pattern = '^a+$'", "type = 'string'", "A002"),
    (
        "request-parameter-pattern-changed",
        'p',
        "type = 'string', pattern = '^a+$'",
        "type = 'string', pattern = '^b+$'",
        "W002",
    ),
    (
        "request-parameter-pattern-generalized",
        'p',
        "type = 'string', pattern = '^a+$'",
        "type = 'string', pattern = '^a*$'",
        "A002",
    ),
    (
        "request-parameter-default-value-changed",
        'p',
        "type = 'integer', default = 1",
        "type = 'integer', default = 2",
        "B001",
    ),
    ("request-parameter-default-value-added", 'p', "type = 'integer'", "type = 'integer', default = 2", "B001"),
    (
        "request-property-became-nullable",
        'p',
        "type = 'object', properties = { k = { type = 'string', required = true } }",
        "type = 'object', properties = { k = { type = ['string', 'null'], required = true } }",
        "A002",
    ),
    (
        "request-property-became-not-nullable",
        'p',
        "type = 'object', properties = { k = { type = ['string', 'null'], required = true } }",
        "type = 'object', properties = { k = { type = 'string', required = true } }",
        "W002",
    ),
    (
        "request-property-removed",
        'p',
        "type = 'object', properties = { k = { type = 'string' }, l = { type = 'string' } }",
        "type = 'object', properties = { l = { type = 'string' } }",
        "W002",
    ),
    (
        "new-required-request-property",
        'p',
        "type = 'object', properties = { l = { type = 'string' } }",
        "type = 'object', properties = { k = { type = 'string', required = true }, l = { type = 'string' } }",
        "W002",
    ),
    (
        "request-property-any-of-removed",
        'p',
        "anyOf = [{ type = 'integer' }, { type = 'object' }]",
        "anyOf = [{ type = 'integer' }]",
        "W002",
    ),
    (
        "request-property-any-of-added",
        'p',
        "anyOf = [{ type = 'integer' }]",
        "anyOf = [{ type = 'integer' }, { type = 'object' }]",
        "A002",
    ),
    ("request-property-const-changed", 'p', "const = 'a'", "const = 'b'", "W002"),
    ("request-property-multiple-of-set", 'p', "type = 'integer'", "type = 'integer', multipleOf = 5", "W002"),
    (
        "request-property-unique-items-set",
        'p',
        "type = 'array', items = { type = 'string' }",
        "type = 'array', items = { type = 'string' }, uniqueItems = true",
        "W002",
    ),
    ("request-parameter-deprecated", 'p', "type = 'string'", "type = 'string', deprecated = true", "B015"),
    ("response-required-property-removed", 'r', "type = 'string', required = true", "", "W003"),
    ("response-property-became-optional", 'r', "type = 'string', required = true", "type = 'string'", "W003"),
    ("response-property-became-required", 'r', "type = 'string'", "type = 'string', required = true", "A003"),
    (
        "response-property-became-nullable",
        'r',
        "type = 'string', required = true",
        "type = ['string', 'null'], required = true",
        "W003",
    ),
    (
        "response-property-became-not-nullable",
        'r',
        "type = ['string', 'null'], required = true",
        "type = 'string', required = true",
        "A003",
    ),
    (
        "response-property-type-changed",
        'r',
        "type = 'string', required = true",
        "type = 'integer', required = true",
        "W003",
    ),
    (
        "response-property-type-generalized",
        'r',
        "type = 'integer', required = true",
        "type = 'number', required = true",
        "W003",
    ),
    (
        "response-property-enum-value-added",
        'r',
        "type = 'string', enum = ['a'], required = true",
        "type = 'string', enum = ['a', 'b'], required = true",
        "W003",
    ),
    (
        "response-property-enum-value-removed",
        'r',
        "type = 'string', enum = ['a', 'b'], required = true",
        "type = 'string', enum = ['a'], required = true",
        "A003",
    ),
    (
        "response-property-max-increased",
        'r',
        "type = 'integer', maximum = 5, required = true",
        "type = 'integer', maximum = 9, required = true",
        "W003",
    ),
    (
        "response-property-max-decreased",
        'r',
        "type = 'integer', maximum = 9, required = true",
        "type = 'integer', maximum = 5, required = true",
        "A003",
    ),
    (
        "response-property-min-decreased",
        'r',
        "type = 'integer', minimum = 5, required = true",
        "type = 'integer', minimum = 1, required = true",
        "W003",
    ),
    (
        "response-property-max-length-increased",
        'r',
        "type = 'string', maxLength = 5, required = true",
        "type = 'string', maxLength = 9, required = true",
        "W003",
    ),
    (
        "response-property-pattern-removed",
        'r',
        "type = 'string', pattern = '^a$', required = true",
        "type = 'string', required = true",
        "W003",
    ),
    (
        "response-property-pattern-added",
        'r',
        "type = 'string', required = true",
        "type = 'string', pattern = '^a$', required = true",
        "A003",
    ),
    ("response-optional-property-added", 'r', "", "type = 'string'", "A003"),
];

fn lines(kind: char, property: &str) -> String {
    let head = if kind == 'p' { "params.z = { type = \"string\", description = \"Another value.\" }\n" } else { "" };
    let body = match (kind, property) {
        (_, "") => String::new(),
        ('p', property) => format!("params.x = {{ {property}, description = \"A value.\" }}\n"),
        (_, property) => format!("properties.x = {{ {property}, description = \"A value.\" }}\n"),
    };
    match kind {
        'p' => head.to_owned() + &body,
        _ => format!(
            "[returns]\ntype = \"object\"\ndescription = \"The result.\"\nproperties.z = {{ type = \"string\", description = \"Another value.\" }}\n{body}"
        ),
    }
}

#[test]
fn each_class_of_changes_has_its_code() {
    let mut wrong = Vec::new();
    for (class, kind, before, after, code) in CLASSES {
        let comparison = compared(&lines(*kind, before), &lines(*kind, after));
        // What a class says about wording and types in generated code is not a part of it.
        let found: Vec<&str> =
            comparison.findings.iter().map(|found| found.code.id).filter(|id| !id.starts_with(['T', 'S'])).collect();
        if !found.contains(code) || found.iter().any(|id| id.starts_with('W')) != code.starts_with('W') {
            wrong.push(format!("{class}: expected {code}, found {found:?}"));
        }
        let breaks = comparison.findings.iter().filter(|found| matches!(found.code.id, "W002" | "W003"));
        for found in breaks.filter(|found| !matches!(found.witness, Witness::Value(_))) {
            wrong.push(format!("{class}: no witness: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
