//! `cargo xtask lint`: options, levels, comments, the baseline, fixes and formats, on a small project on disk.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

struct Project(TempDir);

/// A project with one finding of each sort: an undescribed parameter, a break at the end of a text, an include twice.
const FILES: [(&str, &str); 4] = [
    (
        "manifests/tools/read_file.toml",
        "# Reads.\nname = \"read_file\"\ntoolset = \"files\"\ndescription = \"\"\"\nRead a text file of the project, or a window of its lines. Each line comes with its number. Use it before a file is changed.\n\"\"\"\n\n[params.path]\ntype = \"string\"\nrequired = true\n",
    ),
    ("manifests/toolsets/files.toml", "name = \"files\"\ndescription = \"Read and write files.\"\n"),
    ("manifests/toolsets/office.toml", "name = \"office\"\ndescription = \"Texts.\"\nincludes = [\"files\"]\n"),
    (
        "manifests/toolsets/work.toml",
        "name = \"work\"\ndescription = \"What a day takes.\"\nincludes = [\"office\", \"files\"] # both\n",
    ),
];

impl Project {
    fn new() -> Self {
        let project = Self(tempfile::tempdir().expect("failed to make a folder"));
        for (path, text) in FILES {
            project.write(path, text);
        }
        project
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().expect("below the project")).expect("failed to make a folder");
        fs::write(path, text).expect("failed to write");
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.path().join(path)).expect("failed to read")
    }

    /// Takes the place of one text by another.
    fn change(&self, path: &str, old: &str, new: &str) {
        let text = self.read(path);
        assert!(text.contains(old), "{old} in {text}");
        self.write(path, &text.replacen(old, new, 1));
    }

    fn run(&self, args: &[&str]) -> (u8, String, String) {
        let root = self.0.path().to_str().expect("a temporary folder's path is text");
        let (status, out, err) = toolc_codegen::cli::capture(["--root", root].iter().chain(args));
        (status, out.replace(root, "ROOT"), err.replace(root, "ROOT"))
    }

    /// The status, and the code and place of each finding.
    fn lint(&self, args: &[&str]) -> (u8, Vec<String>) {
        let (status, out, err) = self.run(&[&["lint", "--format", "concise"], args].concat());
        assert_eq!(err, "");
        let short = |line: &str| {
            let (place, rest) =
                line.strip_prefix("ROOT/manifests/").unwrap_or(line).split_once(": ").expect("a finding");
            let (level, _) = rest.split_once("] ").expect("a code");
            format!("{level}] {place}").replacen("ROOT/", "", 1)
        };
        (status, out.lines().map(short).collect())
    }
}

const SPACE: &str = "warning[M004] tools/read_file.toml:5:125";
const UNDESCRIBED: &str = "warning[M001] tools/read_file.toml:8:9";
const INCLUDE: &str = "warning[C035] toolsets/work.toml:3:23";

/// Only what these tests are about: rules come and go.
const ONLY: [&str; 3] = ["M001", "leading-or-trailing-space", "redundant-include"];

fn only(args: &[&'static str]) -> Vec<&'static str> {
    [&ONLY, args].concat()
}

#[test]
fn levels_are_set_by_code_name_and_category_and_the_last_one_wins() {
    let project = Project::new();
    let found = |level: &str, all: &[&str]| all.iter().map(|one| one.replace("warning", level)).collect::<Vec<_>>();
    let all = [SPACE, UNDESCRIBED, INCLUDE];
    assert_eq!(project.lint(&only(&[])), (0, found("warning", &all)));
    assert_eq!(project.lint(&["M001"]), (0, found("warning", &[UNDESCRIBED])));
    assert_eq!(project.lint(&only(&["--deny-warnings"])), (1, found("error", &all)));
    assert_eq!(project.lint(&only(&["-A", "M", "-D", "C035"])), (1, found("error", &[INCLUDE])));
    assert_eq!(
        project.lint(&only(&["-A", "M001", "-A", "C", "-W", "M"])),
        (0, found("warning", &[SPACE, UNDESCRIBED]))
    );
    assert_eq!(project.lint(&only(&["-W", "M", "-A", "C", "-A", "M001"])), (0, found("warning", &[SPACE])));
    project.write("toolc.toml", "[lint]\nM = \"deny\"\nM001 = \"allow\"\n");
    assert_eq!(project.lint(&only(&["-A", "C"])), (1, found("error", &[SPACE])));
    assert_eq!(project.lint(&only(&["-A", "C", "-W", "M"])), (0, found("warning", &[SPACE, UNDESCRIBED])));
}

#[test]
fn what_cannot_be_done_is_told_with_status_2() {
    let project = Project::new();
    for (args, expected) in [
        (&["lint", "-A", "syntax"][..], "`syntax` is always an error"),
        (&["lint", "redundant-includes"], "did you mean `redundant-include`?"),
        (&["lint", "-W", "Q"], "there is no rule `Q`"),
        (&["lint", "--format", "xml"], "use human, concise, json, sarif, github"),
        (&["lint", "--format", "json", "--format", "sarif"], "mixed on the standard output"),
        (&["lint", "--list-rules", "--format", "sarif"], "`--format text`, `json` or `md`"),
        (&["lint", "--fix", "--diff"], "cannot be used with"),
        (&["explain", "redundant"], "redundant-include"),
    ] {
        let (status, out, err) = project.run(args);
        assert!((status, out.as_str()) == (2, "") && err.contains(expected), "{args:?}: {status} {out} {err}");
    }
}

#[test]
fn errors_of_the_reader_are_told_whatever_is_asked_for_and_cannot_be_allowed() {
    let project = Project::new();
    project.change("manifests/toolsets/work.toml", "\"files\"", "\"flies\"");
    let unknown = "error[C010] toolsets/work.toml:3:23".to_owned();
    assert_eq!(project.lint(&["M003"]), (1, vec![unknown.clone()]));
    project.change("manifests/toolsets/work.toml", "# both", "# lint: allow unknown-toolset it comes later");
    assert_eq!(project.lint(&["M003"]), (1, vec![unknown, "error[C032] toolsets/work.toml:3:32".to_owned()]));
    let (_, out, _) = project.run(&["lint", "M003"]);
    assert!(out.contains("`unknown-toolset` is always an error, and cannot be allowed"), "{out}");
}

#[test]
fn a_comment_covers_what_begins_in_its_line_or_below_it() {
    let (tool, work) = ("manifests/tools/read_file.toml", "manifests/toolsets/work.toml");
    let all = only(&["unused-allow", "allow-without-reason"]);
    let lint = |project: &Project| project.lint(&all).1;

    for (old, new) in [
        ("[params.path]", "[params.path] # lint: allow M001 its name says it all"),
        (
            "\n[params.path]",
            "# lint: allow parameter-description-missing its name says it all\n\n\n# else\n[params.path]",
        ),
        ("# Reads.\n", "# Reads.\n#lint: allow M001 names say it all\n\n"),
    ] {
        let project = Project::new();
        project.change(tool, old, new);
        let found: Vec<String> = lint(&project).into_iter().filter(|found| !found.contains("M004")).collect();
        assert_eq!(found, [INCLUDE], "{new}");
    }
    // It stands at another key.
    let project = Project::new();
    project.change(tool, "type = ", "# lint: allow M001 its name says it all\ntype = ");
    assert_eq!(lint(&project), [SPACE, UNDESCRIBED, "warning[C036] tools/read_file.toml:9:1", INCLUDE]);
    // Above the first key, without an empty line, it is about that key.
    let project = Project::new();
    project.change(tool, "# Reads.", "# lint: allow M001 names say it all");
    assert_eq!(lint(&project).len(), 4);
    // Without a reason it allows, and is told.
    let project = Project::new();
    project.change(tool, "[params.path]", "[params.path] # lint: allow M001");
    assert_eq!(lint(&project), [SPACE, "warning[C037] tools/read_file.toml:8:15", INCLUDE]);
    // One item of an array.
    let project = Project::new();
    project.change(
        work,
        "[\"office\", \"files\"] # both",
        "[\n\"office\",\n\"files\", # lint: allow C035 to be sure\n]",
    );
    assert_eq!(lint(&project), [SPACE, UNDESCRIBED]);
    // A rule that is not looked for is not missed.
    let project = Project::new();
    project.change(tool, "type = ", "# lint: allow M001 its name says it all\ntype = ");
    assert_eq!(project.lint(&["M004", "unused-allow"]).1, [SPACE]);
    // What a text says is no comment; what says nothing is told.
    let project = Project::new();
    project.change(tool, "Read a text", "# lint: allow M001 x\nRead a text");
    project.change(work, "# both", "# lint: ignore C035");
    assert_eq!(
        lint(&project),
        [
            "warning[M004] tools/read_file.toml:6:125",
            "warning[M001] tools/read_file.toml:9:9",
            INCLUDE,
            "error[C032] toolsets/work.toml:3:32"
        ]
    );
}

#[test]
fn what_is_in_the_baseline_does_not_count_and_what_is_not_found_any_more_is_told() {
    let project = Project::new();
    let with = |args: &[&'static str]| only(&[&["unused-baseline-entry", "--deny-warnings"], args].concat());
    let mut args = vec!["lint"];
    args.extend(with(&["--write-baseline", "known.json"]));
    let (status, out, err) = project.run(&args);
    assert_eq!((status, out.as_str()), (0, "known.json: 3 findings known\n"));
    assert_eq!(err, "name it in toolc.toml: `baseline = \"known.json\"`\n");
    insta::assert_snapshot!(project.read("known.json"), @r#"
    {
      "version": 1,
      "findings": [
        {"code":"C035","manifest":"manifests/toolsets/work.toml","pointer":"/includes/1"},
        {"code":"M001","manifest":"manifests/tools/read_file.toml","pointer":"/params/path"},
        {"code":"M004","manifest":"manifests/tools/read_file.toml","pointer":"/description"}
      ]
    }
    "#);

    project.write("toolc.toml", "baseline = \"known.json\"\n[lint]\nM = \"deny\"\n");
    assert_eq!(project.lint(&with(&[])), (0, vec![]));
    // An error that is known does not keep gen from writing.
    let (status, out, err) = project.run(&["gen"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");

    // Lines move, and other words are found; the place is the same.
    project.change("manifests/tools/read_file.toml", "# Reads.", "# Reads.\n\n# And more.");
    assert_eq!(project.lint(&with(&[])), (0, vec![]));
    project.change("manifests/tools/read_file.toml", "required = true", "description = \"Which one.\"");
    assert_eq!(project.lint(&with(&[])), (1, vec!["error[C038] toolc.toml:1:12".to_owned()]));
    let (_, out, _) = project.run(&["lint", "M001", "C038"]);
    assert!(out.contains("M001 at manifests/tools/read_file.toml /params/path"), "{out}");

    project.write("known.json", "{}");
    assert_eq!(project.lint(&["C038"]), (1, vec!["error[C024] toolc.toml:1:12".to_owned()]));
    project.write("toolc.toml", "baseline = \"none.json\"\n");
    assert_eq!(project.lint(&["C038"]), (1, vec!["error[C024] toolc.toml:1:12".to_owned()]));
}

#[test]
fn errors_of_the_reader_are_never_in_the_baseline() {
    let project = Project::new();
    project.change("manifests/toolsets/work.toml", "\"files\"", "\"flies\"");
    let (status, out, err) = project.run(&["lint", "M004", "--write-baseline", "known.json"]);
    assert_eq!((status, out.as_str()), (1, "known.json: 1 finding known\n"));
    assert!(err.starts_with("1 error of the reader cannot be known and left"), "{err}");
    let written = "{\"version\": 1, \"findings\": [{\"code\": \"C010\", \"manifest\": \"manifests/toolsets/work.toml\", \"pointer\": \"/includes/1\"}]}";
    project.write("known.json", written);
    project.write("toolc.toml", "baseline = \"known.json\"\n");
    let (status, found) = project.lint(&["unused-baseline-entry"]);
    assert_eq!(
        (status, found),
        (1, vec!["error[C010] toolsets/work.toml:3:23".to_owned(), "warning[C038] toolc.toml:1:12".to_owned()])
    );
}

#[test]
fn diff_shows_what_fix_does_and_fix_keeps_comments_and_layout() {
    let project = Project::new();
    project.write("manifests/toolsets/work.toml", "name = \"work\"\r\ndescription  = 'What a day takes.' # odd\r\nincludes = [\"office\", # why\r\n \"files\" # both\r\n]\r\n");
    let before: Vec<String> = FILES.iter().map(|(path, _)| project.read(path)).collect();
    let mut args = vec!["lint"];
    args.extend(only(&["--diff"]));
    let (status, diff, err) = project.run(&args);
    assert_eq!((status, err.as_str()), (0, ""));
    insta::assert_snapshot!(diff, @r#"
    --- ROOT/manifests/tools/read_file.toml
    +++ ROOT/manifests/tools/read_file.toml
    @@ -2,8 +2,7 @@
     name = "read_file"
     toolset = "files"
     description = """
    -Read a text file of the project, or a window of its lines. Each line comes with its number. Use it before a file is changed.
    -"""
    +Read a text file of the project, or a window of its lines. Each line comes with its number. Use it before a file is changed."""
     
     [params.path]
     type = "string"
    --- ROOT/manifests/toolsets/work.toml
    +++ ROOT/manifests/toolsets/work.toml
    @@ -1,5 +1,4 @@
     name = "work"
     description  = 'What a day takes.' # odd
    -includes = ["office", # why
    - "files" # both
    +includes = ["office" # why
     ]
    "#);
    assert_eq!(before, FILES.map(|(path, _)| project.read(path)));

    args.pop();
    args.push("--fix");
    let (status, out, err) = project.run(&args);
    assert_eq!((status, err.as_str()), (0, "fixed: 2 files\n"));
    assert!(out.contains("M001") && !out.contains("M004"), "{out}");
    insta::assert_snapshot!(project.read("manifests/toolsets/work.toml").replace("\r\n", "~\n"), @r#"
    name = "work"~
    description  = 'What a day takes.' # odd~
    includes = ["office" # why~
    ]~
    "#);
    assert_eq!(project.lint(&only(&[])), (0, vec!["warning[M001] tools/read_file.toml:7:9".to_owned()]));
    let (_, _, err) = project.run(&args);
    assert_eq!(err, "");
}

/// A finding of each sort, and one with related places in two files.
fn findings(format: &str) -> String {
    let project = Project::new();
    project.write(
        "manifests/toolsets/round.toml",
        "name = \"round\"\ndescription = \"é: 50 %, round\"\nbase = \"trip\"\n",
    );
    project
        .write("manifests/toolsets/trip.toml", "name = \"trip\"\ndescription = \"Trips.\"\nincludes = [\"round\"]\n");
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
    // OASIS's has a bracket too many in a pattern, which only some readers of patterns take.
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
fn json_is_as_its_schema_says() {
    let text = findings("json");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    valid(include_str!("../../docs/lint.schema.json"), &document);
    assert_eq!(document["findings"].as_array().map(Vec::len), Some(3));
    insta::assert_snapshot!(text, @r#"
    {
      "version": 1,
      "findings": [
        {
          "code": "M004",
          "name": "leading-or-trailing-space",
          "level": "warning",
          "message": "white space at the end of a text that the model reads",
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
            "take it out"
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
            "add `description = \"...\"`: what it means, in which unit, and what is a good value"
          ]
        },
        {
          "code": "C011",
          "name": "include-cycle",
          "level": "error",
          "message": "toolsets that bring themselves along: round → trip → round",
          "label": "`round` brings `trip` along",
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
              "label": "`trip` brings `round` along"
            }
          ],
          "help": [
            "take one of these out"
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
#[allow(clippy::too_many_lines, reason = "most of it is what is written")]
fn sarif_is_as_its_standard_says() {
    let document: Value = serde_json::from_str(&findings("sarif")).expect("JSON");
    valid(include_str!("../corpora/sarif-2.1.0.schema.json"), &document);
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
          "text": "white space at the end of a text that the model reads\nhelp: take it out"
        },
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "file://ROOT/manifests/tools/read_file.toml"
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
              "text": "take it out"
            },
            "artifactChanges": [
              {
                "artifactLocation": {
                  "uri": "file://ROOT/manifests/tools/read_file.toml"
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
          "text": "the parameter `path` of `read_file` has no description\nhelp: add `description = \"...\"`: what it means, in which unit, and what is a good value"
        },
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "file://ROOT/manifests/tools/read_file.toml"
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
          "text": "toolsets that bring themselves along: round → trip → round: `round` brings `trip` along\nhelp: take one of these out"
        },
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "file://ROOT/manifests/toolsets/round.toml"
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
                "uri": "file://ROOT/manifests/toolsets/trip.toml"
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
              "text": "`trip` brings `round` along"
            }
          }
        ]
      }
    ]
    "#);
}

#[test]
fn github_gets_commands() {
    insta::assert_snapshot!(findings("github"), @r#"
    ::warning file=ROOT/manifests/tools/read_file.toml,line=5,endLine=6,title=M004 leading-or-trailing-space::white space at the end of a text that the model reads%0Ahelp: take it out
    ::warning file=ROOT/manifests/tools/read_file.toml,line=8,endLine=8,col=9,endColumn=13,title=M001 parameter-description-missing::the parameter `path` of `read_file` has no description%0Ahelp: add `description = "..."`: what it means, in which unit, and what is a good value
    ::error file=ROOT/manifests/toolsets/round.toml,line=3,endLine=3,col=8,endColumn=14,title=C011 include-cycle::toolsets that bring themselves along: round → trip → round: `round` brings `trip` along%0Ahelp: take one of these out
    "#);
}

#[test]
fn concise_is_a_line_for_each() {
    insta::assert_snapshot!(findings("concise"), @"
    ROOT/manifests/tools/read_file.toml:5:125: warning[M004] leading-or-trailing-space: white space at the end of a text that the model reads
    ROOT/manifests/tools/read_file.toml:8:9: warning[M001] parameter-description-missing: the parameter `path` of `read_file` has no description
    ROOT/manifests/toolsets/round.toml:3:8: error[C011] include-cycle: toolsets that bring themselves along: round → trip → round: `round` brings `trip` along
    ");
}

#[test]
fn rules_are_listed_and_explained() {
    let project = Project::new();
    let (status, list, _) = project.run(&["lint", "--list-rules", "--format", "json"]);
    let list: Value = serde_json::from_str(&list).expect("JSON");
    let rules = list["rules"].as_array().expect("rules");
    let rule = rules.iter().find(|rule| rule["name"] == "redundant-include").expect("it is listed");
    assert_eq!(
        (status, &rule["code"], &rule["fixable"], &rule["level"]),
        (0, &Value::from("C035"), &Value::from(true), &Value::from("warning"))
    );
    assert!(rule["why_is_this_bad"].as_str().is_some_and(|text| !text.is_empty()));
    let (_, text, _) = project.run(&["lint", "--list-rules"]);
    assert_eq!(text.lines().count(), rules.len());
    let (status, by_code, _) = project.run(&["explain", "C035"]);
    let (_, by_name, _) = project.run(&["explain", "redundant-include"]);
    assert!(status == 0 && by_code == by_name && by_code.starts_with("### C035 `redundant-include`\n"), "{by_code}");
}

/// What stands behind `run:` and `entry:` in the definitions that people copy.
fn steps() -> Vec<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ci");
    let files = ["github-actions.yml", "pre-commit-config.yaml"]
        .map(|file| fs::read_to_string(folder.join(file)).expect("it is there"));
    let lines = files.iter().flat_map(|file| file.lines()).map(str::trim);
    let commands = lines.filter_map(|line| line.strip_prefix("run: ").or_else(|| line.strip_prefix("entry: ")));
    let args = |command: &str| {
        let rest = command.strip_prefix("cargo xtask ").expect("every step is one of ours");
        rest.split(' ').map(str::to_owned).collect()
    };
    commands.map(args).collect()
}

#[test]
fn the_steps_that_people_copy_pass_where_all_is_well_and_fail_where_it_is_not() {
    let steps = steps();
    assert_eq!(steps.len(), 6);
    let run = |project: &Project, step: &[String]| {
        let sarif = project.0.path().join("lint.sarif");
        let to = format!("sarif={}", sarif.to_str().expect("text"));
        let args: Vec<&str> =
            step.iter().map(|arg| if arg == "sarif=lint.sarif" { to.as_str() } else { arg }).collect();
        let status = project.run(&args).0;
        assert_eq!(sarif.exists(), args.contains(&to.as_str()), "{args:?}");
        let _ = fs::remove_file(sarif);
        status
    };
    let well = Project::new();
    FILES.iter().skip(2).for_each(|(path, _)| fs::remove_file(well.0.path().join(path)).expect("it was there"));
    well.change("manifests/tools/read_file.toml", "changed.\n\"\"\"", "changed.\"\"\"");
    well.change(
        "manifests/tools/read_file.toml",
        "type = \"string\"",
        "type = \"string\"\ndescription = \"The file, relative to the project.\"",
    );
    assert_eq!(well.run(&["gen"]).0, 0);
    for step in &steps {
        assert_eq!(run(&well, step), 0, "{step:?} {:?}", well.run(&["lint"]));
    }
    for step in &steps {
        let project = Project::new();
        project.write("manifests/toolsets/odd.toml", "name=\"odd\"\ndescription=\"Odd.\"\n");
        let mends = step == &["fmt"];
        assert_eq!(run(&project, step), u8::from(!mends), "{step:?}");
    }
}
