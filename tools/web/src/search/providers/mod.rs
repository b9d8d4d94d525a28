//! The providers, each in a file. A new one is a file here, and a line in [`PROVIDERS`].

mod brave;
mod exa;
mod firecrawl;
mod parallel;
mod searxng;
mod serpapi;
mod serper;
mod tavily;
mod xai;

use super::provider::Provider;

/// The providers. The order is that of their names: a configuration says in which order they are asked.
pub static PROVIDERS: &[&Provider] = &[
    &brave::PROVIDER,
    &exa::PROVIDER,
    &firecrawl::PROVIDER,
    &parallel::PROVIDER,
    &searxng::PROVIDER,
    &serpapi::PROVIDER,
    &serper::PROVIDER,
    &tavily::PROVIDER,
    &xai::PROVIDER,
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Values that are not what any vendor publishes, at each place of an answer.
    fn odd_answers() -> Vec<Value> {
        let odd = [
            json!(null),
            json!(true),
            json!(-1.5e300),
            json!(""),
            json!("\u{0}<"),
            json!([]),
            json!([[]]),
            json!([null]),
            json!({}),
            json!([{ "url": {} }]),
            json!([{ "url": "https://a.example/", "link": ["x"], "title": 7, "content": { "a": [] }, "date": -1 }]),
        ];
        let keys = [
            "web",
            "results",
            "data",
            "organic",
            "organic_results",
            "error",
            "success",
            "unresponsive_engines",
            "statuses",
            "output",
        ];
        let mut answers = odd.to_vec();
        for value in &odd {
            for key in keys {
                answers.push(json!({ key: value }));
                answers.push(json!({ key: { "results": value, "web": value, "message": value } }));
                answers.push(json!({ "results": [], key: value }));
            }
        }
        answers
    }

    #[test]
    fn no_answer_makes_a_provider_panic() {
        for answer in odd_answers() {
            for provider in PROVIDERS {
                if let Err(failure) = (provider.read)(&answer) {
                    assert!(!failure.detail.is_empty(), "{provider:?} {answer}");
                }
            }
        }
    }

    #[test]
    fn providers_say_where_their_facts_come_from() {
        for provider in PROVIDERS {
            assert!(provider.source.contains("2026-"), "{provider:?}");
            assert!(provider.pages.size > 0 && provider.pages.count > 0, "{provider:?}");
            let account = provider.account;
            assert!(account.base.is_some() || !account.base_variables.is_empty(), "{provider:?}");
            let has_key = !account.key_variables.is_empty();
            assert!(has_key || account.key_use == crate::vendor::KeyUse::Optional, "{provider:?}");
            assert!(provider.account.base.is_none_or(|base| base.starts_with("https://")), "{provider:?}");
        }
    }
}
