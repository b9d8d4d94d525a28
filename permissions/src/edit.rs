//! Writes rules as TOML.

use std::error::Error;
use std::fmt;

use serde_json::Value;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, TomlError, Value as TomlValue, value};

use crate::keys::Verdict;

/// A rule to write into a file. The lists and flags are those of a rule in a file.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the keys are documented in `PermissionTable`")]
pub struct NewRule {
    pub name: String,
    pub description: String,
    pub verdict: Verdict,
    pub exempts: Vec<String>,
    pub tools: Vec<String>,
    pub without_tools: Vec<String>,
    pub toolsets: Vec<String>,
    pub servers: Vec<String>,
    pub environments: Vec<String>,
    pub annotations: Vec<(String, bool)>,
    pub parameters: Vec<NewParameter>,
    pub no_other_parameters: bool,
}

/// Why the rules in the text of a file cannot be changed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum EditError {
    /// The text is not TOML.
    Syntax(TomlError),
    /// The rules in the text are not tables of their own.
    NotTables,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => f.write_str(error.message()),
            Self::NotTables => {
                f.write_str("`permissions` is not a list of tables: write each rule as `[[permissions]]`")
            }
        }
    }
}

impl Error for EditError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Syntax(error) => Some(error),
            Self::NotTables => None,
        }
    }
}

/// Conditions on a parameter, for a rule to write.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(missing_docs, reason = "the keys are documented in `ParameterTable`")]
pub struct NewParameter {
    pub name: String,
    pub is: Vec<Value>,
    pub matches: Vec<String>,
    pub without: Vec<String>,
    pub within: Vec<String>,
    pub outside: Vec<String>,
    pub hosts: Vec<String>,
    pub without_hosts: Vec<String>,
    /// `minimum`, `maximum`, `exclusive_minimum` and `exclusive_maximum`, by name.
    pub bounds: Vec<(String, Value)>,
}

impl NewRule {
    /// Returns a rule without conditions.
    pub fn new(name: impl Into<String>, description: impl Into<String>, verdict: Verdict) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            verdict,
            exempts: Vec::new(),
            tools: Vec::new(),
            without_tools: Vec::new(),
            toolsets: Vec::new(),
            servers: Vec::new(),
            environments: Vec::new(),
            annotations: Vec::new(),
            parameters: Vec::new(),
            no_other_parameters: false,
        }
    }

    /// Returns the text of a file with this rule.
    pub fn text(&self) -> String {
        let mut document = DocumentMut::new();
        let mut rules = ArrayOfTables::new();
        rules.push(self.table());
        document.insert("permissions", Item::ArrayOfTables(rules));
        document.to_string()
    }

    /// Returns the text of a file with this rule at its end. Everything else in the file stays as it is.
    ///
    /// # Errors
    /// If the text is not TOML, or if its rules are not tables of their own.
    pub fn added_to(&self, text: &str) -> Result<String, EditError> {
        let mut document: DocumentMut = text.parse().map_err(EditError::Syntax)?;
        let rules = document.entry("permissions").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
        let Some(rules) = rules.as_array_of_tables_mut() else {
            return Err(EditError::NotTables);
        };
        rules.push(self.table());
        Ok(document.to_string())
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        if !self.name.is_empty() {
            table.insert("name", value(self.name.as_str()));
        }
        table.insert("description", value(self.description.as_str()));
        table.insert("verdict", value(self.verdict.word()));
        let lists = [
            ("exempts", &self.exempts),
            ("tools", &self.tools),
            ("without_tools", &self.without_tools),
            ("toolsets", &self.toolsets),
            ("servers", &self.servers),
            ("environments", &self.environments),
        ];
        add_lists(&mut table, &lists);
        if self.no_other_parameters {
            table.insert("no_other_parameters", value(true));
        }
        if !self.annotations.is_empty() {
            let annotations = self.annotations.iter().map(|(name, is_set)| (name.as_str(), *is_set)).collect();
            table.insert("annotations", Item::Value(TomlValue::InlineTable(annotations)));
        }
        if !self.parameters.is_empty() {
            let mut parameters = Table::new();
            parameters.set_implicit(true);
            for parameter in &self.parameters {
                parameters.insert(&parameter.name, Item::Table(parameter.table()));
            }
            table.insert("parameters", Item::Table(parameters));
        }
        table
    }
}

/// Returns the text of a file without the rule that has this name, or `None` if there is no such rule. Everything else in the file stays as it
/// is.
///
/// # Errors
/// Like [`NewRule::added_to`].
pub fn without_rule(text: &str, name: &str) -> Result<Option<String>, EditError> {
    let mut document: DocumentMut = text.parse().map_err(EditError::Syntax)?;
    let Some(rules) = document.get_mut("permissions") else { return Ok(None) };
    let rules = rules.as_array_of_tables_mut().ok_or(EditError::NotTables)?;
    let before = rules.len();
    rules.retain(|rule| rule.get("name").and_then(Item::as_str) != Some(name));
    Ok((rules.len() < before).then(|| document.to_string()))
}

impl NewParameter {
    /// Returns a parameter without conditions.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        if !self.is.is_empty() {
            table.insert("is", Item::Value(TomlValue::Array(self.is.iter().map(toml).collect())));
        }
        let lists = [
            ("matches", &self.matches),
            ("without", &self.without),
            ("within", &self.within),
            ("outside", &self.outside),
            ("hosts", &self.hosts),
            ("without_hosts", &self.without_hosts),
        ];
        add_lists(&mut table, &lists);
        for (name, number) in &self.bounds {
            table.insert(name, Item::Value(toml(number)));
        }
        table
    }
}

fn add_lists(table: &mut Table, lists: &[(&str, &Vec<String>)]) {
    for (key, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
        table.insert(key, Item::Value(TomlValue::Array(list.iter().map(String::as_str).collect::<Array>())));
    }
}

/// Returns a JSON value as TOML. What TOML does not have is written as its JSON text.
fn toml(json: &Value) -> TomlValue {
    let as_text = || TomlValue::InlineTable([("json", json.to_string())].into_iter().collect());
    match json {
        Value::Bool(flag) => TomlValue::from(*flag),
        Value::String(text) => TomlValue::from(text.as_str()),
        Value::Number(number) => number.as_i64().map_or_else(as_text, TomlValue::from),
        _ => as_text(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::file::PermissionFile;
    use crate::rule::{Permission, Trust};

    #[test]
    fn a_written_rule_is_read_as_it_was() {
        let values = vec![
            json!(null),
            json!(1.5),
            json!(u64::MAX),
            json!([1, "a"]),
            json!({ "json": "x" }),
            json!("'\"\n"),
            json!(true),
        ];
        let rule = NewRule {
            tools: vec!["a*".to_owned()],
            annotations: vec![("read_only".to_owned(), true)],
            parameters: vec![
                NewParameter { is: values.clone(), ..NewParameter::new("a.b") },
                NewParameter { bounds: vec![("minimum".to_owned(), json!(-3))], ..NewParameter::new("count") },
            ],
            no_other_parameters: true,
            ..NewRule::new("x", "D.", Verdict::Ask)
        };
        let file = PermissionFile::read("x", &rule.text(), Trust::Home).unwrap_or_else(|error| panic!("{error}"));
        let [read] = file.rules() else { panic!("one rule") };
        assert_eq!((read.name(), read.verdict(), &read.parameters[0].is), ("x", Verdict::Ask, &values));
        assert_eq!(read.parameters[1].bounds[0].number, (-3).into());
    }

    #[test]
    fn a_removed_rule_leaves_the_others_as_they_are() {
        let rule =
            |name: &str| format!("[[permissions]] # {name}\nname='{name}'\ndescription = \"D.\"\nverdict = \"ask\"\n");
        let [a, b, c] = ["a", "b", "c"].map(rule);
        assert_eq!(without_rule(&format!("# Mine.\n{a}{b}{c}"), "b").ok(), Some(Some(format!("# Mine.\n{a}{c}"))));
        assert_eq!(without_rule(&a, "b").ok(), Some(None));
        assert_eq!(without_rule("", "b").ok(), Some(None));
        assert!(matches!(without_rule("permissions = [1]", "b"), Err(EditError::NotTables)));
    }

    #[test]
    fn a_rule_is_added_after_what_is_there() {
        let old =
            "# Mine.\n[[permissions]]  # first\nname='a'\ndescription = \"D.\"\nverdict = \"ask\"\ntools=[ \"x\" ]\n";
        let new = NewRule { tools: vec!["y".to_owned()], ..NewRule::new("b", "D.", Verdict::Deny) }.added_to(old);
        let new = new.expect("the file is valid");
        assert!(new.starts_with(old), "{new}");
        let file = PermissionFile::read("x", &new, Trust::Home).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(file.rules().iter().map(Permission::name).collect::<Vec<_>>(), ["a", "b"]);
        let rule = NewRule::new("b", "D.", Verdict::Deny);
        let syntax = rule.added_to("permissions = [").expect_err("it is not TOML");
        assert!(syntax.source().is_some_and(<dyn Error>::is::<TomlError>), "{syntax}");
        assert!(matches!(rule.added_to("permissions = []\n"), Err(EditError::NotTables)));
    }
}
