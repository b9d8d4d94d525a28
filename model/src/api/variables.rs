//! The environment variables with the address of a server, of SDKs and of other programs.

/// The variables of an API.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AddressVariables {
    /// Those that count, the first one first.
    pub(crate) heeded: &'static [&'static str],
    /// What follows the address in them.
    pub(crate) suffix: &'static str,
    /// Those with which other programs reach another server or account. Here, they change nothing.
    pub(crate) ignored: &'static [&'static str],
}

pub(super) const OPENAI: AddressVariables = AddressVariables {
    heeded: &["OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_API_BASE_URL", "OPENAI_BASE"],
    suffix: "",
    ignored: &[
        "OPENAI_API_HOST",
        "OPENAI_HOST",
        "OPENAI_PROXY",
        "OPENAI_API_TYPE",
        "OPENAI_API_VERSION",
        "OPENAI_ORGANIZATION",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT",
        "OPENAI_PROJECT_ID",
        "AZURE_OPENAI_ENDPOINT",
        "AZURE_OPENAI_BASE_URL",
        "AZURE_OPENAI_API_BASE",
        "AZURE_API_BASE",
        "OPENROUTER_BASE_URL",
        "OPENROUTER_API_BASE",
        "OLLAMA_HOST",
        "OLLAMA_BASE_URL",
        "OLLAMA_API_BASE",
        "LM_STUDIO_API_BASE",
        "LMSTUDIO_BASE_URL",
        "VLLM_API_BASE",
        "HOSTED_VLLM_API_BASE",
        "LITELLM_PROXY_API_BASE",
        "DEEPSEEK_BASE_URL",
        "DEEPSEEK_API_BASE",
        "GROQ_BASE_URL",
        "GROQ_API_BASE",
        "MISTRAL_BASE_URL",
        "XAI_BASE_URL",
        "XAI_API_BASE",
        "TOGETHER_BASE_URL",
        "FIREWORKS_BASE_URL",
        "MOONSHOT_BASE_URL",
        "MOONSHOT_API_BASE",
        "DASHSCOPE_BASE_URL",
        "ZAI_BASE_URL",
    ],
};
pub(super) const ANTHROPIC: AddressVariables = AddressVariables {
    heeded: &["ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE", "ANTHROPIC_API_URL"],
    suffix: "",
    ignored: &[
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_CUSTOM_HEADERS",
        "ANTHROPIC_BEDROCK_BASE_URL",
        "ANTHROPIC_VERTEX_BASE_URL",
        "ANTHROPIC_VERTEX_PROJECT_ID",
        "ANTHROPIC_FOUNDRY_BASE_URL",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_VERTEX",
        "CLAUDE_CODE_USE_FOUNDRY",
    ],
};
pub(super) const GOOGLE: AddressVariables = AddressVariables {
    heeded: &["GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL", "GEMINI_API_BASE", "GOOGLE_API_BASE"],
    suffix: "/v1beta",
    ignored: &[
        "GOOGLE_VERTEX_BASE_URL",
        "GOOGLE_GENAI_USE_VERTEXAI",
        "GOOGLE_GENAI_BASE_URL",
        "VERTEX_API_BASE",
        "VERTEXAI_API_BASE",
        "CODE_ASSIST_ENDPOINT",
    ],
};

impl AddressVariables {
    /// Returns the first variable that is set, and its address, if `variable` returns the values of variables.
    pub(crate) fn address(self, variable: impl Fn(&str) -> Option<String>) -> Option<(&'static str, String)> {
        self.heeded.iter().find_map(|name| {
            let value = variable(name)?;
            let url = value.trim().trim_end_matches('/');
            // The address may already have what follows it in the vendor's SDK.
            let suffix = if url.ends_with(self.suffix) { "" } else { self.suffix };
            (!url.is_empty()).then(|| (*name, format!("{url}{suffix}")))
        })
    }

    /// Returns the variables that are set, and that change nothing although someone may expect it. `has_address` says that the model has an
    /// address itself.
    pub(crate) fn ignored(self, has_address: bool, variable: impl Fn(&str) -> Option<String>) -> Vec<String> {
        let is_set = |name: &str| variable(name).is_some_and(|value| !value.trim().is_empty());
        let counting = if has_address { None } else { self.address(&variable) };
        let other = |name: &&str| match &counting {
            Some((first, url)) => {
                name != first
                    && self
                        .address(|other| variable(other).filter(|_| other == *name))
                        .is_some_and(|(_, other)| other != *url)
            }
            None => is_set(name),
        };
        let mut names: Vec<String> =
            self.heeded.iter().filter(|name| other(name)).map(|name| (*name).to_owned()).collect();
        // Without another address, a request goes to the vendor.
        if counting.is_none() && !has_address {
            names.extend(self.ignored.iter().filter(|name| is_set(name)).map(|name| (*name).to_owned()));
            names.extend(self.heeded.iter().map(|name| name.to_lowercase()).filter(|name| is_set(name)));
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the address that counts, and the variables that change nothing.
    fn read(variables: AddressVariables, set: &[(&str, &str)]) -> (Option<String>, Vec<String>) {
        let variable = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        (variables.address(variable).map(|(_, url)| url), variables.ignored(false, variable))
    }

    #[test]
    fn each_variable_counts_or_is_named() {
        for variables in [OPENAI, ANTHROPIC, GOOGLE] {
            for name in variables.heeded {
                let (url, ignored) = read(variables, &[(name, "http://localhost:1/v1beta/")]);
                assert_eq!((url.as_deref(), ignored), (Some("http://localhost:1/v1beta"), Vec::new()), "{name}");
                let lower = name.to_lowercase();
                assert_eq!(read(variables, &[(&lower, "http://x")]), (None, vec![lower.clone()]), "{name}");
                assert_eq!(read(variables, &[(name, " ")]), (None, Vec::new()), "{name}");
            }
            for name in variables.ignored {
                assert_eq!(read(variables, &[(name, "http://x")]), (None, vec![(*name).to_owned()]), "{name}");
                let (_, ignored) = read(variables, &[(name, "http://x"), (variables.heeded[0], "http://y")]);
                assert!(ignored.is_empty(), "another address counts: {name}");
            }
        }
    }

    #[test]
    fn of_two_addresses_the_first_variable_counts_and_the_other_is_named() {
        let one = ("OPENAI_BASE_URL", "http://a/v1");
        for (other, ignored) in [("http://b/v1", vec!["OPENAI_API_BASE".to_owned()]), ("http://a/v1/", Vec::new())] {
            assert_eq!(read(OPENAI, &[("OPENAI_API_BASE", other), one]), (Some("http://a/v1".to_owned()), ignored));
        }
        let variable = |name: &str| (name == one.0).then(|| one.1.to_owned());
        assert_eq!(OPENAI.ignored(true, variable), ["OPENAI_BASE_URL"], "the model has an address");
    }
}
