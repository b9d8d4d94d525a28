//! Skills of ClawHub, by its published API (`/api/v1/openapi.json`).

use serde::Deserialize;
use url::Url;

use super::url::from_archive;
use super::{Description, Fetched, Hit, Origin, Source, SourceKind, not_of};
use crate::bundle::Limits;
use crate::fault::{SourceError, SourceFault};
use crate::identifier::Identifier;
use crate::trust::Trust;
use crate::web::{Web, join, line};

/// Skills of ClawHub.
#[derive(Debug)]
pub struct ClawHub {
    web: Web,
    /// The address of the API, such as `https://clawhub.ai/api/v1`.
    api: Url,
    limits: Limits,
}

#[derive(Deserialize)]
struct Results {
    results: Vec<Listed>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    slug: String,
    display_name: Option<String>,
    summary: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    skill: Listed,
    latest_version: Option<Version>,
    owner: Option<Owner>,
    moderation: Option<Moderation>,
}

#[derive(Deserialize)]
struct Version {
    version: String,
}

#[derive(Deserialize)]
struct Owner {
    handle: Option<String>,
}

/// What the moderators of ClawHub say. A clean skill has none.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Moderation {
    #[serde(default)]
    is_suspicious: bool,
    #[serde(default)]
    is_malware_blocked: bool,
    verdict: Option<String>,
    #[serde(default)]
    reason_codes: Vec<String>,
    summary: Option<String>,
}

/// A skill that ClawHub does not block.
struct Allowed {
    slug: String,
    name: String,
    summary: String,
    latest: Option<String>,
    page: String,
    warnings: Vec<String>,
}

impl ClawHub {
    pub(crate) fn new(web: Web, api: Url, limits: Limits) -> Self {
        Self { web, api, limits }
    }

    /// Returns what ClawHub says about a skill.
    ///
    /// # Errors
    /// If it blocks the skill as malware, whatever version is wanted.
    fn allowed(&self, id: &Identifier, slug: &str) -> Result<Allowed, SourceError> {
        let answer: Answer = self.web.json(&join(&self.api, ["skills", slug]), Vec::new())?;
        let moderation = answer.moderation.as_ref();
        if let Some(moderation) = moderation.filter(|moderation| moderation.is_blocked()) {
            return Err(SourceError::new(id, SourceFault::Blocked(moderation.text())));
        }
        let suspicious = moderation.filter(|moderation| moderation.is_doubted());
        let mut page = self.api.clone();
        let handle = answer.owner.and_then(|owner| owner.handle).unwrap_or_else(|| "skills".to_owned());
        page.set_path(&format!("/{handle}/{}", answer.skill.slug));
        Ok(Allowed {
            name: line(answer.skill.display_name.as_deref().unwrap_or(&answer.skill.slug), 100),
            slug: answer.skill.slug,
            summary: line(&answer.skill.summary.unwrap_or_default(), 1_024),
            latest: answer.latest_version.map(|version| version.version),
            page: page.to_string(),
            warnings: suspicious
                .map(|moderation| format!("ClawHub finds it suspicious: {}", moderation.text()))
                .into_iter()
                .collect(),
        })
    }
}

impl Moderation {
    fn is_blocked(&self) -> bool {
        self.is_malware_blocked || self.verdict.as_deref().is_some_and(|verdict| verdict.starts_with("malicious"))
    }

    fn is_doubted(&self) -> bool {
        self.is_suspicious || self.verdict.as_deref().is_some_and(|verdict| verdict != "clean")
    }

    fn text(&self) -> String {
        let summary = self.summary.clone().filter(|summary| !summary.is_empty());
        line(&summary.unwrap_or_else(|| self.reason_codes.join(", ")), 300)
    }
}

fn parts(id: &Identifier) -> Result<(&str, Option<&str>), SourceError> {
    match id {
        Identifier::ClawHub { slug, version } => Ok((slug, version.as_deref())),
        other => Err(not_of(SourceKind::ClawHub, other)),
    }
}

impl Source for ClawHub {
    fn kind(&self) -> SourceKind {
        SourceKind::ClawHub
    }

    fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, SourceError> {
        let mut url = join(&self.api, ["search"]);
        url.query_pairs_mut()
            .append_pair("q", query)
            .append_pair("limit", &limit.clamp(1, 100).to_string())
            .append_pair("nonSuspiciousOnly", "true");
        let found: Results = self.web.json(&url, Vec::new())?;
        let hit = |listed: Listed| {
            // A name with another form would be another address.
            let id: Identifier = format!("clawhub:{}", listed.slug).parse().ok()?;
            Some(Hit {
                id,
                name: line(listed.display_name.as_deref().unwrap_or(&listed.slug), 100),
                description: line(&listed.summary.unwrap_or_default(), 1_024),
                source: SourceKind::ClawHub,
                trust: Trust::Community,
                group: None,
                installs: None,
            })
        };
        Ok(found.results.into_iter().filter_map(hit).take(limit).collect())
    }

    fn inspect(&self, id: &Identifier) -> Result<Description, SourceError> {
        let (slug, version) = parts(id)?;
        let found = self.allowed(id, slug)?;
        Ok(Description {
            id: id.clone(),
            name: found.name,
            description: found.summary,
            source: SourceKind::ClawHub,
            trust: Trust::Community,
            version: version.map(str::to_owned).or(found.latest).unwrap_or_default(),
            url: found.page,
            files: Vec::new(),
            contains: Vec::new(),
            warnings: found.warnings,
        })
    }

    fn fetch(&self, id: &Identifier, version: Option<&str>) -> Result<Fetched, SourceError> {
        let (slug, named) = parts(id)?;
        let found = self.allowed(id, slug)?;
        let latest = || SourceError::broken(id, "the skill has no version");
        let version = version.or(named).map(str::to_owned).or(found.latest).ok_or_else(latest)?;
        let mut url = join(&self.api, ["download"]);
        url.query_pairs_mut().append_pair("slug", &found.slug).append_pair("version", &version);
        let answer = self.web.get(&url, Vec::new())?;
        let unpacked = from_archive(&answer.body, None, &self.limits);
        let (path, bundle) = unpacked.map_err(SourceError::bundle(id))?;
        let origin = Origin {
            source: SourceKind::ClawHub,
            id: id.clone(),
            url: found.page,
            path,
            version,
            tree: None,
            trust: Trust::Community,
            is_converted: false,
            warnings: found.warnings,
        };
        Ok(Fetched { bundle, origin })
    }
}
