//! The changes that a call of `skill_manage` asks for.

use serde_json::Value;
use toolc::ToolError;
use toolc_catalog::skills::skill_manage::{Action, Args, OperationsItem, OperationsItemAction};

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operation {
    Create { name: String, category: Option<String>, content: String },
    Patch { name: String, path: Option<String>, old: String, new: String, all: bool },
    Edit { name: String, content: String },
    Delete { name: String, absorbed_into: Option<String> },
    WriteFile { name: String, path: String, content: String },
    RemoveFile { name: String, path: String },
}

impl Operation {
    /// Returns the changes in their order.
    ///
    /// # Errors
    /// If a parameter is missing, or does not belong to its action. Nothing is changed.
    pub(crate) fn of(args: &Args) -> Result<Vec<Self>, ToolError> {
        let items = args.operations.as_deref().unwrap_or_default();
        match (args.action, items) {
            (Some(_), [_, ..]) => {
                Err(ToolError::new("give either one `action` or `operations`, not both. Nothing was changed"))
            }
            (Some(action), []) => Self::new(Given::of_call(action, args)).map(|operation| vec![operation]),
            (None, []) => Err(ToolError::new(
                "give an `action` (create, patch, edit, delete, write_file or remove_file) with the `name` of a skill, or `operations`",
            )),
            (None, items) => {
                let with_number = |number: usize, error: ToolError| {
                    ToolError::new(format!("operation {number} of {}: {}", items.len(), error.message()))
                };
                (1..)
                    .zip(items)
                    .map(|(number, item)| Self::new(Given::of_item(item)).map_err(|error| with_number(number, error)))
                    .collect()
            }
        }
    }

    /// Returns the changes of repaired arguments, or `None` if [`of`](Self::of) would fail.
    pub(crate) fn of_json(arguments: &Value) -> Option<Vec<Self>> {
        let items = arguments["operations"].as_array().map(Vec::as_slice).unwrap_or_default();
        let own = (arguments["action"].is_string() || items.is_empty()).then_some(arguments);
        if own.is_some() && !items.is_empty() {
            return None;
        }
        let given = own.into_iter().chain(items);
        given.map(|arguments| Self::new(Given::of_json(arguments)?).ok()).collect()
    }

    fn new(given: Given<'_>) -> Result<Self, ToolError> {
        let name = given.required("name", given.name)?;
        given.check_unused()?;
        Ok(match given.action {
            Action::Create => Self::Create {
                name,
                category: given.category.map(str::to_owned),
                content: given.required("content", given.content)?,
            },
            Action::Edit => Self::Edit { name, content: given.required("content", given.content)? },
            Action::Delete => Self::Delete { name, absorbed_into: given.absorbed_into.map(str::to_owned) },
            Action::Patch => Self::Patch {
                name,
                path: given.path.map(str::to_owned),
                old: given.required("old_string", given.old_string)?,
                // Without a new text, the old one is removed.
                new: given.new_string.unwrap_or_default().to_owned(),
                all: given.replace_all,
            },
            Action::WriteFile => Self::WriteFile {
                name,
                path: given.required("path", given.path)?,
                content: given
                    .file_content
                    .map(str::to_owned)
                    .ok_or_else(|| given.missing("file_content", "the whole text of the file"))?,
            },
            Action::RemoveFile => Self::RemoveFile { name, path: given.required("path", given.path)? },
        })
    }

    /// Returns the name of the skill.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Create { name, .. }
            | Self::Patch { name, .. }
            | Self::Edit { name, .. }
            | Self::Delete { name, .. }
            | Self::WriteFile { name, .. }
            | Self::RemoveFile { name, .. } => name,
        }
    }

    /// Returns the word for what is done.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Create { .. } => "create",
            Self::Patch { .. } => "patch",
            Self::Edit { .. } => "edit",
            Self::Delete { .. } => "delete",
            Self::WriteFile { .. } => "write_file",
            Self::RemoveFile { .. } => "remove_file",
        }
    }
}

/// The parameters of one change. Some models fill in every parameter: an empty text counts as absent, except for a new text.
#[derive(Clone, Copy)]
struct Given<'g> {
    action: Action,
    name: Option<&'g str>,
    category: Option<&'g str>,
    content: Option<&'g str>,
    old_string: Option<&'g str>,
    new_string: Option<&'g str>,
    replace_all: bool,
    path: Option<&'g str>,
    file_content: Option<&'g str>,
    absorbed_into: Option<&'g str>,
}

impl<'g> Given<'g> {
    fn of_call(action: Action, args: &'g Args) -> Self {
        Self {
            action,
            name: filled(args.name.as_ref()),
            category: filled(args.category.as_ref()),
            content: filled(args.content.as_ref()),
            old_string: filled(args.old_string.as_ref()),
            new_string: args.new_string.as_deref(),
            replace_all: args.replace_all.unwrap_or_default(),
            path: filled(args.path.as_ref()),
            file_content: args.file_content.as_deref(),
            absorbed_into: filled(args.absorbed_into.as_ref()),
        }
    }

    fn of_item(item: &'g OperationsItem) -> Self {
        Self {
            action: match item.action {
                OperationsItemAction::Create => Action::Create,
                OperationsItemAction::Patch => Action::Patch,
                OperationsItemAction::Edit => Action::Edit,
                OperationsItemAction::Delete => Action::Delete,
                OperationsItemAction::WriteFile => Action::WriteFile,
                OperationsItemAction::RemoveFile => Action::RemoveFile,
            },
            name: Some(&item.name).filter(|name| !name.is_empty()).map(String::as_str),
            category: filled(item.category.as_ref()),
            content: filled(item.content.as_ref()),
            old_string: filled(item.old_string.as_ref()),
            new_string: item.new_string.as_deref(),
            replace_all: item.replace_all.unwrap_or_default(),
            path: filled(item.path.as_ref()),
            file_content: item.file_content.as_deref(),
            absorbed_into: filled(item.absorbed_into.as_ref()),
        }
    }

    fn of_json(arguments: &'g Value) -> Option<Self> {
        let text = |name: &str| arguments[name].as_str();
        let filled = |name: &str| text(name).filter(|text| !text.is_empty());
        Some(Self {
            action: match text("action")? {
                "create" => Action::Create,
                "patch" => Action::Patch,
                "edit" => Action::Edit,
                "delete" => Action::Delete,
                "write_file" => Action::WriteFile,
                "remove_file" => Action::RemoveFile,
                _ => return None,
            },
            name: filled("name"),
            category: filled("category"),
            content: filled("content"),
            old_string: filled("old_string"),
            new_string: text("new_string"),
            replace_all: arguments["replace_all"].as_bool().unwrap_or_default(),
            path: filled("path"),
            file_content: text("file_content"),
            absorbed_into: filled("absorbed_into"),
        })
    }

    fn required(&self, parameter: &str, value: Option<&str>) -> Result<String, ToolError> {
        value.map(str::to_owned).ok_or_else(|| self.missing(parameter, ""))
    }

    fn missing(&self, parameter: &str, meaning: &str) -> ToolError {
        let meaning = if meaning.is_empty() { String::new() } else { format!(": {meaning}") };
        ToolError::new(format!("`{}` needs `{parameter}`{meaning}. Nothing was changed", self.word()))
    }

    fn word(&self) -> &'static str {
        match self.action {
            Action::Create => "create",
            Action::Patch => "patch",
            Action::Edit => "edit",
            Action::Delete => "delete",
            Action::WriteFile => "write_file",
            Action::RemoveFile => "remove_file",
        }
    }

    /// Fails if a text is given that the action would ignore: the model meant another action.
    fn check_unused(&self) -> Result<(), ToolError> {
        let texts = [
            ("content", self.content, &[Action::Create, Action::Edit][..], "edit"),
            ("file_content", self.file_content.filter(|text| !text.is_empty()), &[Action::WriteFile], "write_file"),
            ("old_string", self.old_string, &[Action::Patch], "patch"),
        ];
        for (parameter, value, actions, other) in texts {
            if value.is_some() && !actions.contains(&self.action) {
                return Err(ToolError::new(format!(
                    "`{}` has no `{parameter}`: use the action `{other}`, or leave it out. Nothing was changed",
                    self.word()
                )));
            }
        }
        Ok(())
    }
}

fn filled(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.is_empty())
}
