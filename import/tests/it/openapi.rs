//! Documents of `OpenAPI`.

use serde_json::json;

use crate::meaning::compare;
use crate::project::Folder;

const PETS: &str = "\
openapi: 3.0.3
info: { title: Pets, version: '1' }
security: [{ apiKey: [] }]
paths:
  /pets/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: integer } }
    get:
      operationId: getPet
      summary: Get a pet
      description: Returns the pet with everything that is known about it.
      tags: [pets]
      parameters:
        - { name: id, in: query, description: Another id., schema: { type: string, nullable: true } }
        - { name: Accept, in: header, schema: { type: string } }
        - { $ref: 'common.yaml#/parameters/Limit' }
      responses:
        '404': { description: None }
        '200':
          description: The pet
          content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
    put:
      tags: [pets]
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
      responses: { '204': { description: Done } }
  /search:
    post:
      operationId: search
      security: []
      requestBody:
        content:
          application/json:
            schema:
              oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
              discriminator: { propertyName: kind, mapping: { feline: '#/components/schemas/Cat' } }
      responses: { '200': { description: Found, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Pet' } } } } } }
  /away:
    get: { operationId: away, parameters: [{ $ref: 'https://example.com/x.yaml#/a' }], responses: {} }
  /outside:
    get: { operationId: outside, parameters: [{ $ref: '../secret.yaml#/a' }], responses: {} }
components:
  securitySchemes: { apiKey: { type: apiKey, in: header, name: X-Key } }
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties:
        id: { type: integer, readOnly: true }
        name: { type: string, example: Rex, minLength: 1 }
        parent: { $ref: '#/components/schemas/Pet' }
        size: { type: number, minimum: 0, exclusiveMinimum: true }
        secret: { type: string, writeOnly: true }
    Cat: { type: object, required: [kind], properties: { kind: { type: string }, lives: { type: integer } } }
    Dog: { type: object, required: [kind], properties: { kind: { type: string }, tricks: { type: array, items: { type: string } } } }
";

fn pets(args: &[&str]) -> (Folder, String) {
    let folder = Folder::new();
    folder.write(
        "api/common.yaml",
        "parameters:\n  Limit: { name: limit, in: query, schema: { type: integer, default: 10, maximum: 50 } }\n",
    );
    folder.write("secret.yaml", "a: { name: x, in: query }\n");
    let path = folder.write("api/pets.yaml", PETS);
    let (report, _) =
        folder.run(&[&[path.to_str().expect("it is UTF-8")], args].concat()).unwrap_or_else(|why| panic!("{why}"));
    (folder, report)
}

fn tools(folder: &Folder) -> Vec<String> {
    let files = folder.files().into_iter();
    files
        .filter_map(|(path, _)| Some(path.strip_prefix("manifests/tools/")?.strip_suffix(".toml")?.to_owned()))
        .collect()
}

#[test]
fn an_operation_that_reads_is_a_tool_with_one_object_of_arguments() {
    let (folder, report) = pets(&[]);
    assert_eq!(tools(&folder), ["getPet"], "{report}");
    let text = folder.read("manifests/tools/getPet.toml");
    for part in [
        "Get a pet.\n\nReturns the pet",
        "read_only = true",
        "env = [\"PETS_API_KEY\"]",
        "[params.id]",
        "[params.query_id]",
        "[params.limit]",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("Accept") && !text.contains("approval"), "{text}");
    assert!(folder.read("manifests/env.toml").contains("[env.PETS_API_KEY]"));
    let (arguments, returns) = folder.schema("getPet");
    let expected = json!({
        "type": "object", "required": ["id"], "additionalProperties": false,
        "properties": { "id": { "type": "integer" }, "query_id": { "type": ["string", "null"] }, "limit": { "type": "integer", "maximum": 50 } },
    });
    let found = compare(&expected, &arguments, 300, 9, true);
    assert!(found.values > 100 && found.refused.is_empty() && found.admitted.is_empty(), "{arguments}: {found:?}");
    let returns = returns.expect("it has a result");
    let pet = returns.pointer("/$defs/Pet/properties").expect("it is a definition");
    assert!(pet["id"].is_object() && pet["secret"].is_null(), "{returns}");
    for part in ["example.com", "outside of the folder", "2 operations"] {
        assert!(report.contains(part), "{part} in {report}");
    }
}

#[test]
fn an_operation_that_changes_something_is_chosen_by_its_method_and_asks() {
    let (folder, report) = pets(&["--method", "put", "--method", "post"]);
    assert_eq!(tools(&folder), ["put_pets_id", "search"], "{report}");
    let text = folder.read("manifests/tools/put_pets_id.toml");
    assert!(text.contains("always = \"ask\"") && text.contains("destructive = true"), "{text}");
    let (arguments, _) = folder.schema("put_pets_id");
    let properties = &arguments["properties"];
    assert_eq!(properties["id"]["type"], "integer", "the id of the path, not that of the body: {arguments}");
    assert_eq!(arguments["required"], json!(["id", "name"]));
    assert_eq!(properties["size"]["exclusiveMinimum"], 0);
    assert_eq!(properties["name"]["examples"], json!(["Rex"]));
    let text = folder.read("manifests/tools/search.toml");
    assert!(
        !text.contains("PETS_API_KEY") && text.contains("const = \"feline\"") && text.contains("const = \"Dog\""),
        "{text}"
    );
}

#[test]
fn operations_are_chosen_by_tag_and_path() {
    let (folder, report) = pets(&["--method", "all", "--tag", "pets"]);
    assert_eq!(tools(&folder), ["getPet", "put_pets_id"], "{report}");
    let (folder, report) = pets(&["--method", "all", "--path", "/search*"]);
    assert_eq!(tools(&folder), ["search"], "{report}");
}

#[test]
fn version_2_has_parameters_without_schemas_and_a_body_among_them() {
    let document = json!({
        "swagger": "2.0", "info": { "title": "Old", "version": "1" },
        "securityDefinitions": { "basic": { "type": "basic" } },
        "paths": { "/things": { "post": {
            "operationId": "addThing", "security": [{ "basic": [] }],
            "parameters": [
                { "name": "dry", "in": "query", "type": "boolean", "default": false },
                { "name": "thing", "in": "body", "required": true, "schema": { "$ref": "#/definitions/Thing" } },
            ],
            "responses": { "201": { "description": "Made", "schema": { "$ref": "#/definitions/Thing" } } },
        } } },
        "definitions": { "Thing": { "type": "object", "required": ["name"], "properties": { "name": { "type": "string" }, "tags": { "type": "array", "items": { "type": "string" } } } } },
    });
    let folder = Folder::new();
    let (report, is_complete) = folder.import(&document, &["--method", "all"]).expect("it is imported");
    assert!(is_complete, "{report}");
    let (arguments, returns) = folder.schema("addThing");
    assert_eq!(arguments["properties"]["dry"]["type"], "boolean");
    assert_eq!(arguments["required"], json!(["name"]));
    assert!(returns.is_some());
    assert!(folder.read("manifests/tools/addThing.toml").contains("TOOLS_BASIC"));
}

#[test]
fn a_document_that_cannot_be_used_says_why() {
    let folder = Folder::new();
    for (document, part) in [
        (json!({ "openapi": "4.0.0", "paths": {} }), "version `4.0.0`"),
        (json!({ "openapi": "3.1.0" }), "no `paths`"),
        (json!({ "openapi": "3.1.0", "paths": { "/a": { "post": {} } } }), "--method all"),
    ] {
        let error = folder.import(&document, &[]).expect_err("it cannot be used");
        assert!(error.contains(part), "{error}");
    }
    let error = folder.import(&json!([]), &["--tag", "x"]).expect_err("it is a list");
    assert!(error.contains("--tag"), "{error}");
}
