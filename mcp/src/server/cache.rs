//! How long, and for whom, clients may cache the answers of a server (`ttlMs` and `cacheScope` of 2026-07-28).

use std::time::Duration;

use rmcp::model::{
    CacheScope, DiscoverResult, GetSkillResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListSkillsResult, ListToolsResult,
};
use toolc::wire::mcp;

use super::ToolServer;

/// How long, and for whom, clients may cache the answers that are the same for all clients: the lists, the entries of skills, and
/// the description of the server. Stored results and the files of skills are never cached.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cache {
    ttl_ms: u64,
    scope: CacheScope,
}

/// An answer that clients may cache.
pub(super) trait Cacheable {
    fn set(&mut self, cache: Cache);
}

impl Default for Cache {
    fn default() -> Self {
        Self { ttl_ms: 0, scope: CacheScope::Private }
    }
}

impl Cache {
    pub(super) fn new(ttl: Duration, scope: mcp::CacheScope) -> Self {
        let ttl_ms = u64::try_from(ttl.min(ToolServer::MAX_CACHE_TTL).as_millis()).unwrap_or_default();
        let scope = match scope {
            mcp::CacheScope::Public => CacheScope::Public,
            _ => CacheScope::Private,
        };
        Self { ttl_ms, scope }
    }

    /// Returns an answer that says how clients may cache it.
    pub(super) fn apply<T: Cacheable>(self, mut answer: T) -> T {
        answer.set(self);
        answer
    }
}

macro_rules! cacheable {
    ($($answer:ty),*) => {
        $(impl Cacheable for $answer {
            fn set(&mut self, cache: Cache) {
                self.ttl_ms = cache.ttl_ms.into();
                self.cache_scope = cache.scope.into();
            }
        })*
    };
}

cacheable!(
    ListToolsResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListSkillsResult,
    GetSkillResult,
    DiscoverResult
);
