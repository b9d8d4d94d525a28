//! Agents of LobeHub, turned into skills.
//!
//! An agent is a text for a model, with a title. It becomes a `SKILL.md` with that text, which says where it is from.

use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::folder::{described, same_version};
use super::{Description, Fetched, Hit, Origin, Source, SourceKind, not_of, rank};
use crate::bundle::{Bundle, BundleFile, Limits, SKILL_FILE};
use crate::fault::SourceError;
use crate::identifier::Identifier;
use crate::trust::Trust;
use crate::web::{Web, join, line};

/// Agents of LobeHub.
#[derive(Debug)]
pub struct LobeHub {
    web: Web,
    /// The address of the index, such as `https://chat-agents.lobehub.com`.
    base: Url,
    limits: Limits,
}

#[derive(Deserialize)]
struct Index {
    agents: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    identifier: String,
    meta: Meta,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Deserialize)]
struct Agent {
    #[serde(default)]
    author: String,
    config: Config,
    meta: Meta,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    system_role: String,
}

impl LobeHub {
    pub(crate) fn new(web: Web, base: Url, limits: Limits) -> Self {
        Self { web, base, limits }
    }
}

impl Agent {
    /// Returns the text of a skill. A JSON string is also a YAML string.
    fn skill(&self, id: &str) -> String {
        let quoted = |text: &str, most| json!(line(text, most)).to_string();
        let title = if self.meta.title.is_empty() { id } else { &self.meta.title };
        let description = format!("{title}: {}", self.meta.description);
        let mut author = quoted(&self.author, 100);
        if self.author.is_empty() {
            author = quoted("unknown", 100);
        }
        format!(
            "---\nname: {}\ndescription: {}\nmetadata:\n  converted-from: {}\n  author: {author}\n---\n\n# {}\n\n{}\n",
            name(id),
            quoted(&description, 1_024),
            quoted(&format!("lobehub:{id}"), 200),
            line(title, 200),
            self.config.system_role.trim(),
        )
    }
}

/// Returns a name for a skill, from the name of an agent.
fn name(id: &str) -> String {
    let lower = id.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(64).collect();
    if name.is_empty() { "agent".to_owned() } else { name.trim_end_matches('-').to_owned() }
}

impl Source for LobeHub {
    fn kind(&self) -> SourceKind {
        SourceKind::LobeHub
    }

    fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, SourceError> {
        let index: Index = self.web.json(&join(&self.base, ["index.json"]), Vec::new())?;
        let hit = |listed: Listed| {
            let id: Identifier = format!("lobehub:{}", listed.identifier).parse().ok()?;
            let text = format!("{} {} {}", listed.meta.title, listed.meta.description, listed.meta.tags.join(" "));
            let rank = rank(query, &listed.identifier, &text)?;
            let hit = Hit {
                id,
                name: line(&listed.meta.title, 100),
                description: line(&listed.meta.description, 1_024),
                source: SourceKind::LobeHub,
                trust: Trust::Community,
                group: None,
                installs: None,
            };
            Some((rank, hit))
        };
        let mut hits: Vec<(u8, Hit)> = index.agents.into_iter().filter_map(hit).collect();
        hits.sort_by_key(|(rank, _)| *rank);
        Ok(hits.into_iter().take(limit).map(|(_, hit)| hit).collect())
    }

    fn inspect(&self, id: &Identifier) -> Result<Description, SourceError> {
        self.fetch(id, None).map(|fetched| described(&fetched))
    }

    fn fetch(&self, id: &Identifier, version: Option<&str>) -> Result<Fetched, SourceError> {
        let Identifier::LobeHub { id: agent } = id else { return Err(not_of(self.kind(), id)) };
        let url = join(&self.base, [format!("{agent}.json").as_str()]);
        let found: Agent = self.web.json(&url, Vec::new())?;
        let bytes = found.skill(agent).into_bytes();
        let file = BundleFile { path: SKILL_FILE.to_owned(), bytes, is_executable: false };
        let bundle = Bundle::new(vec![file], &self.limits).map_err(SourceError::bundle(id))?;
        let origin = Origin {
            source: self.kind(),
            id: id.clone(),
            url: url.to_string(),
            path: String::new(),
            version: bundle.digest().to_string(),
            tree: None,
            trust: Trust::Community,
            is_converted: true,
            warnings: vec!["it is an agent of LobeHub, converted to a skill".to_owned()],
        };
        same_version(Fetched { bundle, origin }, version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Heading;

    #[test]
    fn an_agent_becomes_a_skill_that_says_where_it_is_from() {
        let agent: Agent = serde_json::from_str(
            r#"{"author": "a", "config": {"systemRole": "Answer.\n---\nname: x"}, "meta": {"title": "A: \"B\"", "description": "Two\nlines # not a comment"}}"#,
        )
        .expect("it is an agent");
        let text = agent.skill("Web_Dev");
        let heading = Heading::read(&text);
        assert_eq!(heading.name, "web-dev");
        assert_eq!(heading.description, "A: \"B\": Two lines # not a comment");
        assert!(
            text.contains("converted-from: \"lobehub:Web_Dev\"") && text.ends_with("Answer.\n---\nname: x\n"),
            "{text}"
        );
        assert_eq!((name("--"), name(&"a-".repeat(40)).len()), ("agent".to_owned(), 63));
    }
}
