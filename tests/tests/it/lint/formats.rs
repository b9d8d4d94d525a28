//! Each output format conforms to its schema or to what its reader expects.

use serde_json::Value;
use toolc_tests::fixture;

use super::{ONLY, Project};

const CYCLE: &str = r#"
--- manifests/toolsets/round.toml
name = "round"
description = "é: 50 %, round"
base = "trip"
--- manifests/toolsets/trip.toml
name = "trip"
description = "Trips."
includes = ["round"]
"#;

/// Returns a finding of each kind, and one with related places in two files.
fn findings(format: &str) -> String {
    let project = Project::new();
    for (path, text) in fixture::files(CYCLE) {
        project.write(path, text);
    }
    let path = project.0.path().join("out");
    let to = format!("{format}={}", path.to_str().expect("text"));
    let mut args = vec!["lint", "--format", &to];
    args.extend(ONLY);
    let (status, out, err) = project.run(&args);
    assert_eq!((status, out.as_str(), err.as_str()), (1, "", ""));
    project.read("out").replace(project.0.path().to_str().expect("text"), "ROOT")
}

fn valid(schema: &str, document: &Value) {
    let mut schema: Value = serde_json::from_str(schema).expect("a schema is JSON");
    // The schema of OASIS has a superfluous bracket in a pattern, which not every regex engine accepts.
    if let Some(languages) = schema.pointer_mut("/definitions") {
        languages["run"]["properties"]["language"]["pattern"] = "".into();
        languages["toolComponent"]["properties"]["language"]["pattern"] = "".into();
    }
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    let errors: Vec<String> =
        validator.iter_errors(document).map(|error| format!("{error} at {}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{document:#}");
}

#[test]
fn json_output_conforms_to_its_schema() {
    let text = findings("json");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    valid(include_str!("../../../../docs/lint.schema.json"), &document);
    assert_eq!(document["findings"].as_array().map(Vec::len), Some(3));
    insta::assert_snapshot!(text, @r#"
    {
      "version": 1,
      "findings": [
        {
          "code": "M004",
          "name": "leading-or-trailing-space",
          "level": "warning",
          "message": "white space at the end of a text that models read",
          "label": "",
          "at": {
            "file": "ROOT/manifests/tools/read_file.toml",
            "pointer": "/description",
            "line": 5,
            "column": 125,
            "end_line": 6,
            "end_column": 1
          },
          "related": [],
          "help": [
            "remove it"
          ],
          "fix": [
            {
              "file": "ROOT/manifests/tools/read_file.toml",
              "pointer": "/description",
              "line": 5,
              "column": 125,
              "end_line": 6,
              "end_column": 1,
              "text": ""
            }
          ]
        },
        {
          "code": "M001",
          "name": "parameter-description-missing",
          "level": "warning",
          "message": "the parameter `path` of `read_file` has no description",
          "label": "",
          "at": {
            "file": "ROOT/manifests/tools/read_file.toml",
            "pointer": "/params/path",
            "line": 8,
            "column": 9,
            "end_line": 8,
            "end_column": 13
          },
          "related": [],
          "help": [
            "add `description = \"...\"`: the meaning, the unit, and a useful value"
          ]
        },
        {
          "code": "C011",
          "name": "include-cycle",
          "level": "error",
          "message": "include cycle: round → trip → round",
          "label": "`round` includes `trip`",
          "at": {
            "file": "ROOT/manifests/toolsets/round.toml",
            "pointer": "/base",
            "line": 3,
            "column": 8,
            "end_line": 3,
            "end_column": 14
          },
          "related": [
            {
              "file": "ROOT/manifests/toolsets/trip.toml",
              "pointer": "/includes/0",
              "line": 3,
              "column": 13,
              "end_line": 3,
              "end_column": 20,
              "label": "`trip` includes `round`"
            }
          ],
          "help": [
            "remove one of these"
          ]
        }
      ],
      "summary": {
        "errors": 1,
        "warnings": 2,
        "fixable": 1
      }
    }
    "#);
}

/// The schema is that of OASIS, errata 01.
#[test]
#[expect(clippy::too_many_lines, reason = "most of it is what is written")]
fn sarif_output_conforms_to_the_standard() {
    let document: Value = serde_json::from_str(&findings("sarif")).expect("JSON");
    valid(include_str!("../../../corpora/sarif-2.1.0.schema.json"), &document);
    let run = &document["runs"][0];
    let results = run["results"].as_array().expect("results");
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("small");
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
    insta::assert_snapshot!(format!("{:#}", Value::Array(results.clone())), @r#"
    [
      {
        "ruleId": "M004",
        "ruleIndex": 2,
        "level": "warning",
        "message": {
          "text": "white space at the end of a text that models read\nhelp: remove it"
        },
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "manifests/tools/read_file.toml",
                "uriBaseId": "%SRCROOT%"
              },
              "region": {
                "startLine": 5,
                "startColumn": 125,
                "endLine": 6,
                "endColumn": 1
              }
            },
            "logicalLocations": [
              {
                "fullyQualifiedName": "/description",
                "kind": "member"
              }
            ]
          }
        ],
        "partialFingerprints": {
          "place/v1": "M004 manifests/tools/read_file.toml#/description"
        },
        "fixes": [
          {
            "description": {
              "text": "remove it"
            },
            "artifactChanges": [
              {
                "artifactLocation": {
                  "uri": "manifests/tools/read_file.toml",
                  "uriBaseId": "%SRCROOT%"
                },
                "replacements": [
                  {
                    "deletedRegion": {
                      "startLine": 5,
                      "startColumn": 125,
                      "endLine": 6,
                      "endColumn": 1
                    },
                    "insertedContent": {
                      "text": ""
                    }
                  }
                ]
              }
            ]
          }
        ]
      },
      {
        "ruleId": "M001",
        "ruleIndex": 1,
        "level": "warning",
        "message": {
          "text": "the parameter `path` of `read_file` has no description\nhelp: add `description = \"...\"`: the meaning, the unit, and a useful value"
        },
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "manifests/tools/read_file.toml",
                "uriBaseId": "%SRCROOT%"
              },
              "region": {
                "startLine": 8,
                "startColumn": 9,
                "endLine": 8,
                "endColumn": 13
              }
            },
            "logicalLocations": [
              {
                "fullyQualifiedName": "/params/path",
                "kind": "member"
              }
            ]
          }
        ],
        "partialFingerprints": {
          "place/v1": "M001 manifests/tools/read_file.toml#/params/path"
        }
      },
      {
        "ruleId": "C011",
        "ruleIndex": 0,
        "level": "error",
        "message": {
          "text": "include cycle: round → trip → round: `round` includes `trip`\nhelp: remove one of these"
        },
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "manifests/toolsets/round.toml",
                "uriBaseId": "%SRCROOT%"
              },
              "region": {
                "startLine": 3,
                "startColumn": 8,
                "endLine": 3,
                "endColumn": 14
              }
            },
            "logicalLocations": [
              {
                "fullyQualifiedName": "/base",
                "kind": "member"
              }
            ]
          }
        ],
        "partialFingerprints": {
          "place/v1": "C011 manifests/toolsets/round.toml#/base"
        },
        "relatedLocations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "manifests/toolsets/trip.toml",
                "uriBaseId": "%SRCROOT%"
              },
              "region": {
                "startLine": 3,
                "startColumn": 13,
                "endLine": 3,
                "endColumn": 20
              }
            },
            "logicalLocations": [
              {
                "fullyQualifiedName": "/includes/0",
                "kind": "member"
              }
            ],
            "id": 1,
            "message": {
              "text": "`trip` includes `round`"
            }
          }
        ]
      }
    ]
    "#);
}

#[test]
fn github_output_is_workflow_commands() {
    insta::assert_snapshot!(findings("github"), @r#"
    ::warning file=manifests/tools/read_file.toml,line=5,endLine=6,title=M004 leading-or-trailing-space::white space at the end of a text that models read%0Ahelp: remove it
    ::warning file=manifests/tools/read_file.toml,line=8,endLine=8,col=9,endColumn=13,title=M001 parameter-description-missing::the parameter `path` of `read_file` has no description%0Ahelp: add `description = "..."`: the meaning, the unit, and a useful value
    ::error file=manifests/toolsets/round.toml,line=3,endLine=3,col=8,endColumn=14,title=C011 include-cycle::include cycle: round → trip → round: `round` includes `trip`%0Ahelp: remove one of these
    "#);
}

#[test]
fn concise_output_has_a_line_for_each_finding() {
    insta::assert_snapshot!(findings("concise"), @"
    ROOT/manifests/tools/read_file.toml:5:125: warning[M004] leading-or-trailing-space: white space at the end of a text that models read
    ROOT/manifests/tools/read_file.toml:8:9: warning[M001] parameter-description-missing: the parameter `path` of `read_file` has no description
    ROOT/manifests/toolsets/round.toml:3:8: error[C011] include-cycle: include cycle: round → trip → round: `round` includes `trip`
    ");
}

/// Names, keys, values and texts with characters that a terminal or a CI system would obey.
#[cfg(unix)]
#[test]
fn no_format_prints_a_control_character_of_a_file_or_its_name() {
    let project = Project::new();
    project.write(
        "manifests/tools/a\n::error::x\u{1b}[31m\u{9b}.toml",
        "\"b\\n::error::c\\u001b\" = 1\nname = 2\n# \u{9b}31m\n",
    );
    project.write("manifests/tools/\u{7f}d.toml", "name = \"e\u{1b}[2J\u{7}\"");
    project.write(
        "manifests/toolsets/f.toml",
        "name = \"f\"\ndescription = \"F.\"\ntools = [\"g\\n::warning::h\\u009b\"]\ntags = 1 # \u{9b}",
    );
    for format in ["human", "concise", "json", "sarif", "github"] {
        let (status, out, err) = project.run(&["lint", "--format", format]);
        assert_eq!((status, err.as_str()), (1, ""), "{format}");
        assert!(out.matches("C009").count() > 0 && out.matches("C001").count() > 0, "{format}: {out}");
        let control = out.chars().find(|letter| letter.is_control() && *letter != '\n');
        assert_eq!(control, None, "{format}: {out}");
        for line in out.lines() {
            let is_command = line.trim_start().starts_with("::");
            let is_ours = line.starts_with("::error file=manifests/") || line.starts_with("::warning file=manifests/");
            assert_eq!(is_command, format == "github" && is_ours, "{format}: {line}");
        }
        if ["json", "sarif"].contains(&format) {
            let document: Value = serde_json::from_str(&out).expect("JSON");
            let text = document.to_string();
            assert!(text.contains("g\\n::warning::h"), "the value is kept: {text}");
        }
    }
}
