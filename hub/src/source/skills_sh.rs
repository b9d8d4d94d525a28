//! The search of skills.sh over skills on GitHub.

use std::sync::Arc;

use serde::Deserialize;
use url::Url;

use super::{Description, Fetched, GitHub, Hit, Source, SourceKind};
use crate::fault::SourceError;
use crate::identifier::{Identifier, Repository};
use crate::trust::Trust;
use crate::web::{Web, join, line};

/// The search of skills.sh. Files and descriptions are from GitHub.
#[derive(Debug)]
pub struct SkillsSh {
    web: Web,
    /// The address of the site, such as `https://skills.sh`.
    base: Url,
    github: Arc<GitHub>,
}

#[derive(Deserialize)]
struct Results {
    skills: Vec<Listed>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    #[serde(default)]
    skill_id: Option<String>,
    name: String,
    #[serde(default)]
    source: String,
    installs: Option<u64>,
}

impl SkillsSh {
    pub(crate) fn new(web: Web, base: Url, github: Arc<GitHub>) -> Self {
        Self { web, base, github }
    }
}

impl Source for SkillsSh {
    fn kind(&self) -> SourceKind {
        SourceKind::SkillsSh
    }

    fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, SourceError> {
        let mut url = join(&self.base, ["api", "search"]);
        url.query_pairs_mut().append_pair("q", query).append_pair("limit", &limit.clamp(1, 100).to_string());
        let found: Results = self.web.json(&url, Vec::new())?;
        let hit = |listed: Listed| {
            let repository: Repository = listed.source.parse().ok()?;
            let skill = listed.skill_id.as_deref().unwrap_or(&listed.name);
            let id: Identifier = format!("github:{repository}/{skill}").parse().ok()?;
            Some(Hit {
                id,
                name: line(&listed.name, 100),
                description: String::new(),
                source: SourceKind::SkillsSh,
                // The commit decides, which is known only when the files are fetched.
                trust: Trust::Community,
                group: None,
                installs: listed.installs,
            })
        };
        Ok(found.skills.into_iter().filter_map(hit).take(limit).collect())
    }

    fn inspect(&self, id: &Identifier) -> Result<Description, SourceError> {
        self.github.inspect(id)
    }

    fn fetch(&self, id: &Identifier, version: Option<&str>) -> Result<Fetched, SourceError> {
        self.github.fetch(id, version)
    }
}
