//! The services, each in a file. A new one is a file here, and a line in [`SERVICES`].

mod brave;
mod exa;
mod firecrawl;
mod parallel;
mod searxng;
mod serpapi;
mod serper;
mod tavily;
mod xai;

use super::service::SearchService;

/// The services. The order is that of their names: a configuration says in which order they are asked.
pub static SERVICES: &[&SearchService] = &[
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

    /// Values that are not what any service publishes, at each place of an answer.
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
    fn no_answer_makes_a_service_panic() {
        for answer in odd_answers() {
            for service in SERVICES {
                if let Err(failure) = (service.read)(&answer) {
                    assert!(!failure.detail.is_empty(), "{service:?} {answer}");
                }
            }
        }
    }

    #[test]
    fn services_say_where_their_facts_come_from() {
        for service in SERVICES {
            assert!(service.source.contains("2026-"), "{service:?}");
            assert!(service.pages.size > 0 && service.pages.count > 0, "{service:?}");
            let account = service.account;
            assert!(account.base.is_some() || !account.base_variables.is_empty(), "{service:?}");
            let has_key = !account.key_variables.is_empty();
            assert!(has_key || account.key_use == crate::service::KeyUse::Optional, "{service:?}");
            assert!(service.account.base.is_none_or(|base| base.starts_with("https://")), "{service:?}");
        }
    }
}
