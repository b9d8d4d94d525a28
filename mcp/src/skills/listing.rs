//! Lists the skills of a server: all pages, bounded in number and size. An entry that cannot be used does not affect the others.

use std::collections::BTreeSet;

use rmcp::model::{ClientRequest, ListSkillsRequest, PaginatedRequestParams, ServerResult};
use serde::Serialize;
use serde_json::Value;

use super::ask;
use super::entry::{LeftOutSkill, ServerSkill};
use crate::call::{Caller, Live};
use crate::definition::size;
use crate::error::McpError;
use crate::pins::{HeldBack, SkillDefinition};

/// The maximum number of skills of a server.
const MAX_SKILLS: usize = 1_000;
/// The maximum number of pages.
const MAX_PAGES: usize = 100;
/// The maximum number of bytes of all entries together.
const MAX_BYTES: usize = 8 << 20;

/// The skills that a server lists. A server can have others, too.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct SkillListing {
    /// The name of the server in the settings.
    pub server: String,
    /// The skills that can be used, in the order of the server. Several can have the same name, but not the same address.
    pub skills: Vec<ServerSkill>,
    /// The skills that cannot be used, each with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutSkill>,
    /// The skills that a person has not accepted as they are now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held_back: Vec<HeldBack>,
    /// Why the list is not complete, or not the current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// All skills that can be used or are held back, as they are compared with what was accepted.
    #[serde(skip)]
    pub(super) listed: Vec<SkillDefinition>,
    /// Whether the server did not answer to the end, so that an earlier list is better.
    #[serde(skip)]
    pub(super) has_failed: bool,
}

impl SkillListing {
    fn empty(caller: &Caller) -> Self {
        let server = caller.server.clone();
        let (skills, left_out, held_back, listed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { server, skills, left_out, held_back, problem: None, listed, has_failed: false }
    }

    /// Returns the list of a server that did not list its skills.
    pub(super) fn failed(caller: &Caller, problem: impl Into<String>) -> Self {
        Self { problem: Some(problem.into()), has_failed: true, ..Self::empty(caller) }
    }
}

/// Asks a server for its skills.
pub(super) async fn read(caller: &Caller, live: &Live) -> SkillListing {
    let (mut listing, mut cursor, mut cursors, mut bytes) = (SkillListing::empty(caller), None, BTreeSet::new(), 0);
    let mut known = BTreeSet::new();
    for _ in 0..MAX_PAGES {
        let (entries, next) = match page(caller, live, cursor).await {
            Ok(page) => page,
            Err(error) => {
                (listing.problem, listing.has_failed) = (Some(error.to_string()), true);
                return listing;
            }
        };
        for entry in entries {
            bytes += size(&entry);
            if listing.skills.len() + listing.left_out.len() >= MAX_SKILLS {
                listing.problem = Some(format!("at most {MAX_SKILLS} skills are used"));
                return listing;
            }
            if bytes > MAX_BYTES {
                listing.problem = Some(format!("the entries of its skills have more than {} MiB", MAX_BYTES >> 20));
                return listing;
            }
            match ServerSkill::read(caller, &entry) {
                Ok(skill) if known.insert(skill.uri.clone()) => listing.skills.push(skill),
                Ok(ServerSkill { uri: skill, .. }) => {
                    let reason = "the server has listed a skill of this address before".to_owned();
                    listing.left_out.push(LeftOutSkill { skill, reason });
                }
                Err(left_out) => listing.left_out.push(left_out),
            }
        }
        match next {
            None => return listing,
            Some(next) if !cursors.insert(next.clone()) => {
                listing.problem = Some("the server repeats a page of its skills".to_owned());
                return listing;
            }
            Some(next) => cursor = Some(next),
        }
    }
    listing.problem = Some(format!("at most {MAX_PAGES} pages of skills are read"));
    listing
}

/// Returns the entries of a page, and the cursor of the next one.
async fn page(caller: &Caller, live: &Live, cursor: Option<String>) -> Result<(Vec<Value>, Option<String>), McpError> {
    let params = PaginatedRequestParams::default().with_cursor(cursor);
    let request = ClientRequest::ListSkillsRequest(ListSkillsRequest::with_param(params));
    let (entries, next) = match ask(caller, live, request).await? {
        ServerResult::ListSkillsResult(page) => {
            (page.skills.iter().filter_map(|skill| serde_json::to_value(skill).ok()).collect(), page.next_cursor)
        }
        // If one entry is not valid, the page does not have the form that the extension requires.
        ServerResult::CustomResult(mut page) => match page.0.get_mut("skills").map(Value::take) {
            Some(Value::Array(entries)) => (entries, page.0["nextCursor"].as_str().map(str::to_owned)),
            _ => return Err(super::unverified(caller, "answers `skills/list` without a list `skills`")),
        },
        _ => return Err(super::unverified(caller, "answers `skills/list` without a list `skills`")),
    };
    // Some servers write an empty cursor after the last page.
    Ok((entries, next.filter(|next| !next.is_empty())))
}
