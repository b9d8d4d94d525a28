//! The tool `skills_list`: categories, and the skills as far as they fit.

use toolc::{Call, ErrorKind, ToolError};
use toolc_catalog::skills::skills_list::{
    Args, Returns, ReturnsCategoriesItem, ReturnsSkillsItem, ReturnsUnavailableItem,
};
use toolc_skill::{Broken, Category, Library, Skill, View};

use crate::outside::{OutsideList, server_of};
use crate::skills::Skills;

/// The maximum length of all descriptions in a result, in bytes: about 3,000 tokens.
const MAX_BYTES: usize = 12_000;
/// The maximum number of characters of one description.
const MAX_DESCRIPTION: usize = 1_024;
/// The maximum number of skills that cannot be used, and of problems, in a result.
const MAX_OTHERS: usize = 30;

/// Returns the skills that a call asks for.
pub(crate) fn list(args: &Args, call: &Call<'_>) -> Result<Returns, ToolError> {
    let skills = call.require_value::<Skills>()?;
    let outside = skills.outside().map(|outside| outside.refresh(&call.cancellation())).unwrap_or_default();
    let library = skills.library_with(&outside);
    let view = library.view(|skill| skills.unmet_in(skill, call));
    let category = args.category.as_deref().map(str::trim).filter(|category| !category.is_empty());
    let (categories, wanted) = match category {
        None => (Some(view.categories().into_iter().map(category_item).collect()), view.shown.clone()),
        Some(category) => (None, in_category(&view, category)?),
    };
    let (listed, omitted) = fitting(&wanted, category.is_none());
    let is_wanted =
        |skill: &Skill| category.is_none_or(|category| skill.category.as_deref().unwrap_or("general") == category);
    let unavailable: Vec<_> = view
        .hidden
        .iter()
        .filter(|(skill, _)| is_wanted(skill))
        .take(MAX_OTHERS)
        .map(|(skill, reason)| ReturnsUnavailableItem { name: skill.name().to_owned(), reason: reason.clone() })
        .collect();
    Ok(Returns {
        categories,
        skills: listed,
        omitted: (omitted > 0).then(|| i64::try_from(omitted).unwrap_or(i64::MAX)),
        unavailable: (!unavailable.is_empty()).then_some(unavailable),
        problems: problems(&library, &outside),
    })
}

fn in_category<'l>(view: &View<'l>, category: &str) -> Result<Vec<&'l Skill>, ToolError> {
    let found = view.list(category);
    let is_known = || view.hidden.iter().any(|(skill, _)| skill.category.as_deref() == Some(category));
    if !found.is_empty() || is_known() {
        return Ok(found);
    }
    let names: Vec<String> = view.categories().into_iter().map(|category| format!("`{}`", category.name)).collect();
    let names = if names.is_empty() {
        "there are no skills yet".to_owned()
    } else {
        format!("the categories are {}", names.join(", "))
    };
    Err(ToolError::with_kind(
        ErrorKind::NotFound,
        format!("there is no category `{}`: {names}", category.escape_debug()),
    ))
}

fn category_item(category: Category) -> ReturnsCategoriesItem {
    ReturnsCategoriesItem {
        name: category.name,
        skills: i64::try_from(category.count).unwrap_or(i64::MAX),
        description: category.description,
    }
}

/// Returns the skills that fit, and the number of the others. The first of each category come first, so that none is left out as a whole.
fn fitting(skills: &[&Skill], with_category: bool) -> (Vec<ReturnsSkillsItem>, usize) {
    let mut listed = Vec::new();
    let mut left = MAX_BYTES;
    for skill in skills {
        let matter = &skill.card.front_matter;
        let description: String = matter.description.chars().take(MAX_DESCRIPTION).collect();
        let size = skill.name().len() + description.len();
        if size > left {
            break;
        }
        left -= size;
        let category = skill.category.clone().filter(|_| with_category);
        let server = server_of(skill).map(str::to_owned);
        listed.push(ReturnsSkillsItem { name: skill.name().to_owned(), description, category, server });
    }
    let omitted = skills.len() - listed.len();
    (listed, omitted)
}

/// Returns what is wrong with folders: those that cannot be read, and those whose name another skill has; and with skills from outside.
fn problems(library: &Library, outside: &OutsideList) -> Option<Vec<String>> {
    let broken = |broken: &Broken| {
        let reason = broken.notes.first().map(ToString::to_string).unwrap_or_default();
        format!("{}: {reason}", broken.folder.display())
    };
    let shadowed = library
        .shadowed
        .iter()
        .map(|skill| format!("{} is not used: {} has the same name", skill.folder.display(), skill.by.display()));
    let outside = outside.problems.iter().cloned();
    let problems: Vec<_> = library.broken.iter().map(broken).chain(shadowed).chain(outside).take(MAX_OTHERS).collect();
    (!problems.is_empty()).then_some(problems)
}
