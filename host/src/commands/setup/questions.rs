//! The questions of one run, on a terminal or from lines of standard input.

use std::cell::Cell;

use toolc::explain::MissingVariable;
use toolc_model::ListedModel;

use super::local::LocalServer;
use super::providers::{self, PROVIDERS, Place, Provider};
use crate::ground::ask::{self, Answer};
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::tell::tell;

/// The number of models that a menu shows at once.
const SHOWN: usize = 20;
/// The maximum number of answers to one question, so that endless input ends.
const MAX_ANSWERS: usize = 50;

/// The questions of one run.
pub(super) struct Questions {
    /// Whether nothing is asked: each question counts as skipped.
    pub(super) is_silent: bool,
    has_answer: Cell<bool>,
}

impl Questions {
    /// Returns the questions of a run. With `is_silent`, none is asked.
    pub(super) fn new(is_silent: bool) -> Self {
        Self { is_silent, has_answer: Cell::new(false) }
    }

    /// Asks for a value. Returns `None` if the answer is empty, or the input has ended after other answers.
    ///
    /// # Errors
    /// Returns an error if the input ends before the first answer.
    pub(super) fn value(&self, prompt: &str, is_secret: bool) -> Result<Option<String>> {
        if self.is_silent {
            return Ok(None);
        }
        let answer = ask::value(prompt, is_secret)?;
        let had_answer = self.has_answer.replace(true);
        match answer {
            Answer::Text(text) => Ok(Some(text)),
            Answer::Blank => Ok(None),
            Answer::End if had_answer => Ok(None),
            Answer::End => Err(Error::Invalid(
                "standard input has ended before the first answer: run `toolc setup` at a terminal, write one line of input for each \
                 question, or pass options: see `toolc setup --help`"
                    .to_owned(),
            )),
        }
    }

    /// Asks for a value that may be missing. Returns `None` if the answer is empty, or the input has ended.
    pub(super) fn optional(&self, prompt: &str, is_secret: bool) -> Result<Option<String>> {
        if self.is_silent {
            return Ok(None);
        }
        let Answer::Text(text) = ask::value(prompt, is_secret)? else { return Ok(None) };
        self.has_answer.set(true);
        Ok(Some(text))
    }

    /// Shows the providers, and asks for one.
    pub(super) fn provider(&self, found: &[LocalServer]) -> Result<Option<ChosenProvider>> {
        if self.is_silent {
            return Ok(None);
        }
        tell!("\nWhich provider has the model?");
        for (number, provider) in (1..).zip(PROVIDERS) {
            tell!("  {number:>2}  {:<11} {}", provider.word, about(provider, found));
        }
        for _ in 0..MAX_ANSWERS {
            let Some(answer) = self.value("provider (its number or name; empty: none)", false)? else {
                return Ok(None);
            };
            match chosen_provider(&answer) {
                Some(chosen) => return Ok(Some(chosen)),
                None => tell!(
                    "error: `{}` is not a provider: type a number of the menu, a name, or API:NAME for a model",
                    show::one_line(&answer)
                ),
            }
        }
        Ok(None)
    }

    /// Asks for one of several variables, one of which is enough.
    pub(super) fn variable<'v>(&self, variables: &[&'v MissingVariable]) -> Result<Option<&'v MissingVariable>> {
        if self.is_silent {
            return Ok(None);
        }
        let tools = variables.first().map(|variable| variable.tools.join(", ")).unwrap_or_default();
        tell!("\nOne of these variables is enough for {}:", show::one_line(&tools));
        for (number, variable) in (1..).zip(variables) {
            let (name, description) = (show::one_line(&variable.name), show::one_line(&variable.description));
            tell!("  {number:>2}  {name:<18} {description}");
        }
        for _ in 0..MAX_ANSWERS {
            // All of them can be missing, so that the input may end here.
            let Answer::Text(answer) = ask::value("variable (its number or name; empty: none)", false)? else {
                return Ok(None);
            };
            self.has_answer.set(true);
            let number = answer.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let named = || variables.iter().find(|variable| variable.name.eq_ignore_ascii_case(answer.trim()));
            match number.and_then(|index| variables.get(index)).or_else(named) {
                Some(variable) => return Ok(Some(variable)),
                // The answer may be a key.
                None => tell!("error: type a number or a name from the menu; the next question asks for the value"),
            }
        }
        Ok(None)
    }

    /// Asks for one of the models that a server lists. Any other name is possible as well.
    pub(super) fn model(&self, listed: &[ListedModel]) -> Result<Option<String>> {
        if self.is_silent {
            return Ok(None);
        }
        let mut shown: Vec<&ListedModel> = listed.iter().collect();
        tell_models(&shown);
        for _ in 0..MAX_ANSWERS {
            let prompt = match (listed.is_empty(), shown.len() > SHOWN) {
                (true, _) => "model (its name; empty: none)",
                (false, false) => "model (its number or name; empty: none)",
                (false, true) => "model (its number, its name, or a part of the name to see fewer; empty: none)",
            };
            let Some(answer) = self.value(prompt, false)? else { return Ok(None) };
            match chosen_model(&answer, listed, &shown) {
                ChosenModel::Name(name) => return Ok(Some(name)),
                ChosenModel::Several(fewer) => {
                    shown = fewer;
                    tell_models(&shown);
                }
                ChosenModel::NoSuchNumber => tell!("error: the menu has no number {}", show::one_line(&answer)),
            }
        }
        Ok(None)
    }
}

/// The provider that a person has chosen, or the API and the name of a model.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ChosenProvider {
    Provider(&'static Provider),
    Model(toolc_model::Api, String),
}

fn chosen_provider(answer: &str) -> Option<ChosenProvider> {
    let by_number = answer.parse::<usize>().ok().and_then(|number| PROVIDERS.get(number.checked_sub(1)?));
    if let Some(provider) = by_number.or_else(|| providers::find(answer)) {
        return Some(ChosenProvider::Provider(provider));
    }
    named_model(answer).map(|(api, name)| ChosenProvider::Model(api, name))
}

/// Reads `API:NAME`.
pub(super) fn named_model(text: &str) -> Option<(toolc_model::Api, String)> {
    let (api, name) = text.split_once(':')?;
    let api = <toolc_model::Api as toolc_config::Words>::from_word(api.trim())?;
    Some((api, name.trim().to_owned())).filter(|(_, name)| !name.is_empty())
}

/// Says where a provider is, and whether it was found on this machine.
fn about(provider: &Provider, found: &[LocalServer]) -> String {
    let Place::ThisMachine(port) = provider.place else { return provider.title.to_owned() };
    let server = found.iter().find(|server| server.provider == provider);
    match server {
        Some(LocalServer { base_url, models, .. }) => {
            format!("{}, found at {base_url} with {}", provider.title, show::counted(models.len(), "model"))
        }
        None => format!("{}, on this machine: no answer at port {port}", provider.title),
    }
}

/// What an answer to the question for a model means.
#[derive(Debug, PartialEq, Eq)]
enum ChosenModel<'m> {
    Name(String),
    /// A part of these names.
    Several(Vec<&'m ListedModel>),
    NoSuchNumber,
}

fn chosen_model<'m>(answer: &str, listed: &'m [ListedModel], shown: &[&'m ListedModel]) -> ChosenModel<'m> {
    let name = |model: &ListedModel| ChosenModel::Name(model.name.clone());
    if let Some(model) = listed.iter().find(|model| model.name == answer) {
        return name(model);
    }
    if let Ok(number) = answer.parse::<usize>() {
        let model = number.checked_sub(1).filter(|at| *at < SHOWN).and_then(|at| shown.get(at));
        return if listed.is_empty() {
            ChosenModel::Name(answer.to_owned())
        } else {
            model.map_or(ChosenModel::NoSuchNumber, |model| name(model))
        };
    }
    let part = answer.to_lowercase();
    let fewer: Vec<&ListedModel> = listed.iter().filter(|model| model.name.to_lowercase().contains(&part)).collect();
    match &fewer[..] {
        // Any other name: the request that tests the model says whether the server knows it.
        [] => ChosenModel::Name(answer.to_owned()),
        [only] => name(only),
        _ => ChosenModel::Several(fewer),
    }
}

fn tell_models(models: &[&ListedModel]) {
    if models.is_empty() {
        return;
    }
    tell!("\nThe server has {}:", show::counted(models.len(), "model"));
    for (number, model) in (1..).zip(models.iter().take(SHOWN)) {
        tell!("  {number:>2}  {}", show::one_line(&model.name));
    }
    if models.len() > SHOWN {
        tell!("      and {} more", models.len() - SHOWN);
    }
}

#[cfg(test)]
mod tests {
    use toolc_model::Api;

    use super::*;

    #[test]
    fn a_provider_is_chosen_by_its_number_its_name_or_a_model() {
        let word = |answer: &str| match chosen_provider(answer) {
            Some(ChosenProvider::Provider(provider)) => provider.word.to_owned(),
            Some(ChosenProvider::Model(api, name)) => format!("{api:?} {name}"),
            None => "none".to_owned(),
        };
        for (answer, expected) in [
            ("1", "anthropic"),
            ("13", "other"),
            ("0", "none"),
            ("14", "none"),
            ("Ollama", "ollama"),
            ("chat: m:8b", "ChatCompletions m:8b"),
            ("chat:", "none"),
            ("gpt-5", "none"),
        ] {
            assert_eq!(word(answer), expected, "{answer}");
        }
        assert_eq!(named_model("gemini:x"), Some((Api::Gemini, "x".to_owned())));
    }

    #[test]
    fn a_model_is_chosen_by_number_name_part_or_any_other_name() {
        let listed: Vec<ListedModel> = ["gpt-5", "gpt-5-mini", "o3", "7"].map(listed).into();
        let shown: Vec<&ListedModel> = listed.iter().collect();
        let name = |name: &str| ChosenModel::Name(name.to_owned());
        assert_eq!(chosen_model("gpt-5", &listed, &shown), name("gpt-5"), "a name that is a part of another one");
        assert_eq!(chosen_model("MINI", &listed, &shown), name("gpt-5-mini"));
        assert_eq!(chosen_model("3", &listed, &shown), name("o3"));
        assert_eq!(chosen_model("7", &listed, &shown), name("7"), "a name is not a number");
        assert_eq!(chosen_model("9", &listed, &shown), ChosenModel::NoSuchNumber);
        assert_eq!(chosen_model("0", &listed, &shown), ChosenModel::NoSuchNumber);
        assert_eq!(chosen_model("gpt", &listed, &shown), ChosenModel::Several(vec![&listed[0], &listed[1]]));
        // Numbers are those of the menu that is shown.
        assert_eq!(chosen_model("1", &listed, &[&listed[2]]), name("o3"));
        assert_eq!(chosen_model("claude-x", &listed, &shown), name("claude-x"));
        assert_eq!(chosen_model("5", &[], &[]), name("5"));
    }

    fn listed(name: &str) -> ListedModel {
        ListedModel { name: name.to_owned(), context_tokens: None }
    }
}
