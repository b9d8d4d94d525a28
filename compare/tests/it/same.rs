//! Changes that mean nothing are not reported.

use toolc_compare::compare;

use crate::project::{snapshot, tool, toolset};

#[test]
fn reformatting_reordering_and_moving_files_is_no_change() {
    let one = "params.a = { type = \"string\", description = \"A.\", enum = [\"x\", \"y\"], required = true }\n\
               params.b = { type = \"integer\", minimum = 1, description = \"B.\" }\n";
    let other = "# A comment.\n\n[params.a]\nrequired = true\nenum = [\n  \"x\",\n  \"y\",\n]\ndescription = \"A.\"\ntype = \"string\"\n\n\
                 [params.b]\ndescription = \"B.\"\ntype   =  'integer'\nminimum = 1\n";
    let before = snapshot([tool("t", one), tool("u", "")]);
    let (path, text) = tool("t", other);
    let moved = (path.replace("tools/", "tools/deep/"), text);
    let after = snapshot([tool("u", ""), moved]);
    let comparison = compare(&before, &after).unwrap();
    assert!(comparison.findings.is_empty(), "{:#?}", comparison.findings);
}

#[test]
fn another_order_of_parameters_and_values_breaks_nothing() {
    let before = "params.a = { type = \"string\", description = \"A.\", enum = [\"x\", \"y\"] }\nparams.b = { type = \"integer\", description = \"B.\" }\n";
    let after = "params.b = { type = \"integer\", description = \"B.\" }\nparams.a = { type = \"string\", description = \"A.\", enum = [\"y\", \"x\"] }\n";
    let comparison = compare(&snapshot([tool("t", before)]), &snapshot([tool("t", after)])).unwrap();
    let codes: Vec<&str> = comparison.findings.iter().map(|found| found.code.id).collect();
    // Only the bytes of the definitions differ.
    assert_eq!(codes, ["T004"], "{:#?}", comparison.findings);
}

#[test]
fn another_order_of_the_lists_of_a_toolset_is_no_change() {
    let files = |list: &str| snapshot([tool("t", ""), tool("u", ""), toolset("both", list), toolset("s", "")]);
    let comparison = compare(&files("tools = [\"t\", \"u\"]\n"), &files("tools = [\"u\", \"t\"]\n")).unwrap();
    assert!(comparison.findings.is_empty(), "{:#?}", comparison.findings);
}
