//! All sources, and which of them an identifier belongs to.

use std::fmt;
use std::sync::Arc;
use std::thread;

use toolc_net::Client;
use url::Url;

use super::{
    ClawHub, Description, Fetched, Folder, GitHub, GitHubAuth, GitHubHost, Hit, LobeHub, Marketplace, SkillsSh, Source,
    SourceKind, UrlSource, WellKnown,
};
use crate::bundle::Limits;
use crate::fault::SourceError;
use crate::identifier::{Identifier, Repository};
use crate::taps::{Tap, TapKind};
use crate::web::Web;

/// The repositories that are searched even without taps.
const BUILT_IN: &[&str] = &["openai/skills", "anthropics/skills"];

/// Where the sources are, who asks them, and the bounds of a skill.
#[derive(Debug, Clone)]
pub struct Settings {
    /// GitHub, or an instance of GitHub Enterprise Server.
    pub github: GitHubHost,
    /// Who asks GitHub.
    pub github_auth: GitHubAuth,
    /// The API of ClawHub: `https://clawhub.ai/api/v1`.
    pub clawhub: Url,
    /// The index of LobeHub: `https://chat-agents.lobehub.com`.
    pub lobehub: Url,
    /// The site of skills.sh: `https://skills.sh`.
    pub skills_sh: Url,
    /// The bounds of a skill.
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        let url = |text| Url::parse(text).expect("it is an address");
        Self {
            github: GitHubHost::github_com(),
            github_auth: GitHubAuth::default(),
            clawhub: url("https://clawhub.ai/api/v1"),
            lobehub: url("https://chat-agents.lobehub.com"),
            skills_sh: url("https://skills.sh"),
            limits: Limits::default(),
        }
    }
}

/// What a search over all sources has found.
#[derive(Debug, Default)]
pub struct Found {
    /// The skills. Skills of trusted sources are first.
    pub hits: Vec<Hit>,
    /// The sources that have not answered, and why.
    pub failures: Vec<(SourceKind, SourceError)>,
}

/// All sources.
pub struct Sources {
    all: Vec<Arc<dyn Source>>,
    github: Arc<GitHub>,
    marketplace: Arc<Marketplace>,
}

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all.iter().map(|source| source.kind())).finish()
    }
}

impl Sources {
    /// Returns the sources, which are asked through a client, so by its address policy.
    pub fn new(client: Client, settings: Settings, taps: &[Tap]) -> Self {
        let Settings { github: host, github_auth: auth, clawhub, lobehub, skills_sh, limits } = settings;
        let web = Web::new(client);
        let github = Arc::new(GitHub::new(web.clone(), host, auth, limits));
        let marketplace = Arc::new(Marketplace::new(Arc::clone(&github), limits));
        let all: Vec<Arc<dyn Source>> = vec![
            Arc::<GitHub>::clone(&github),
            Arc::<Marketplace>::clone(&marketplace),
            Arc::new(ClawHub::new(web.clone(), clawhub, limits)),
            Arc::new(SkillsSh::new(web.clone(), skills_sh, Arc::clone(&github))),
            Arc::new(LobeHub::new(web.clone(), lobehub, limits)),
            Arc::new(WellKnown::new(web.clone(), limits)),
            Arc::new(UrlSource::new(web, limits)),
            Arc::new(Folder::new(limits)),
        ];
        let sources = Self { all, github, marketplace };
        sources.set_taps(taps);
        sources
    }

    /// Sets the repositories that are searched, in addition to those that always are.
    pub(crate) fn set_taps(&self, taps: &[Tap]) {
        let of_kind = |kind| taps.iter().filter(move |tap| tap.kind == kind).map(|tap| tap.repository.clone());
        let mut repositories: Vec<Repository> = BUILT_IN.iter().filter_map(|name| name.parse().ok()).collect();
        for repository in of_kind(TapKind::Skills) {
            if !repositories.contains(&repository) {
                repositories.push(repository);
            }
        }
        self.github.set_taps(repositories);
        self.marketplace.set_taps(of_kind(TapKind::Marketplace).collect());
    }

    /// Returns the source of an identifier.
    pub fn of(&self, id: &Identifier) -> &dyn Source {
        let kind = match id {
            Identifier::GitHub { .. } => SourceKind::GitHub,
            Identifier::Market { .. } => SourceKind::Marketplace,
            Identifier::ClawHub { .. } => SourceKind::ClawHub,
            Identifier::LobeHub { .. } => SourceKind::LobeHub,
            Identifier::WellKnown { .. } => SourceKind::WellKnown,
            Identifier::Url { .. } => SourceKind::Url,
            Identifier::Folder(_) => SourceKind::Folder,
        };
        let source = self.all.iter().find(|source| source.kind() == kind);
        source.expect("every kind is in the list").as_ref()
    }

    pub(crate) fn github(&self) -> &GitHub {
        &self.github
    }

    /// Searches all sources at the same time, or only one kind of them. Each gives at most `limit` skills.
    pub fn search(&self, query: &str, limit: usize, only: Option<SourceKind>) -> Found {
        let asked: Vec<&Arc<dyn Source>> =
            self.all.iter().filter(|source| only.is_none_or(|kind| source.kind() == kind)).collect();
        let answers: Vec<_> = thread::scope(|scope| {
            let ask = |source: &Arc<dyn Source>| {
                let source = Arc::clone(source);
                scope.spawn(move || (source.kind(), source.search(query, limit)))
            };
            let threads: Vec<_> = asked.into_iter().map(ask).collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        let mut found = Found::default();
        for (kind, answer) in answers {
            match answer {
                Ok(hits) => found.hits.extend(hits),
                Err(error) => found.failures.push((kind, error)),
            }
        }
        // A skill that two sources know is shown once.
        let mut seen = std::collections::BTreeSet::new();
        found.hits.retain(|hit| seen.insert(hit.id.to_string().to_lowercase()));
        found.hits.sort_by_key(|hit| hit.trust != crate::trust::Trust::Trusted);
        found
    }

    /// Returns what the source says about a skill.
    ///
    /// # Errors
    /// Like [`Source::inspect`].
    pub fn inspect(&self, id: &Identifier) -> Result<Description, SourceError> {
        self.of(id).inspect(id)
    }

    /// Returns the files of a skill.
    ///
    /// # Errors
    /// Like [`Source::fetch`].
    pub fn fetch(&self, id: &Identifier, version: Option<&str>) -> Result<Fetched, SourceError> {
        self.of(id).fetch(id, version)
    }
}
