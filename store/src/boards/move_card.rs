//! Changes of the status of a card.

use rusqlite::{Connection, params};

use super::claims::{free, may_change};
use super::{
    Actor, BlockKind, BoardError, Boards, Card, CardOutcome, CardStatus, Checked, MAX_ATTEMPTS, check, refused, rows,
};

/// How long a card with a transient failure waits for its next worker, in milliseconds.
const TRANSIENT_WAIT: i64 = 10 * 60 * 1000;

impl Boards {
    /// Blocks a card, and ends the claim of its worker. Returns the new state: a card that waits for others is not blocked but to do,
    /// and after a transient failure it is ready again in ten minutes, up to [`MAX_ATTEMPTS`] times.
    ///
    /// # Errors
    /// Returns an error if the actor may not change the card, it is in review or done, it is blocked because of other cards but waits
    /// for none, or the file cannot be changed.
    pub fn block(
        &self,
        board: &str,
        actor: &Actor,
        card: i64,
        kind: BlockKind,
        reason: &str,
    ) -> Result<CardStatus, BoardError> {
        self.change(|connection, now| {
            let found = check!(own(connection, board, actor, card)?);
            let is_reviewed = found.status == CardStatus::Review && matches!(actor, Actor::Worker { .. });
            if matches!(found.status, CardStatus::Review | CardStatus::Done | CardStatus::Archived) && !is_reviewed {
                return Ok(refused(format!("t{card} is {}: it cannot be blocked", found.status.word())));
            }
            let waits = !rows::open_parents(connection, card)?.is_empty();
            let status = match kind {
                BlockKind::Dependency if !waits => {
                    return Ok(refused(format!(
                        "t{card} waits for no other task: link those that must be done before with kanban_link, then block it again"
                    )));
                }
                BlockKind::Dependency => CardStatus::Todo,
                BlockKind::Transient if found.attempts < MAX_ATTEMPTS && is_reviewed => CardStatus::Review,
                BlockKind::Transient if found.attempts < MAX_ATTEMPTS => CardStatus::Ready,
                BlockKind::Transient | BlockKind::NeedsInput | BlockKind::Capability => CardStatus::Blocked,
            };
            free(connection, card)?;
            let ready_at = if kind == BlockKind::Transient { now + TRANSIENT_WAIT } else { 0 };
            let sql = "UPDATE cards SET status = ?2, block_kind = ?3, block_reason = ?4, ready_at = ?5 WHERE id = ?1";
            connection.execute(sql, params![card, status.word(), kind.word(), reason, ready_at])?;
            rows::note(connection, card, now, actor.name(), "blocked", &format!("{}: {reason}", kind.word()))?;
            Ok(Ok(status))
        })
    }

    /// Unblocks a card that is blocked or in triage, and returns its new state.
    ///
    /// # Errors
    /// Returns an error if the actor may not change the card, it is neither blocked nor in triage, or the file cannot be changed.
    pub fn unblock(&self, board: &str, actor: &Actor, card: i64) -> Result<CardStatus, BoardError> {
        self.change(|connection, now| {
            let found = check!(own(connection, board, actor, card)?);
            // A card whose last worker failed waits before it can be claimed again.
            let waits_for_time = found.block.is_some() && found.status == CardStatus::Ready;
            if !matches!(found.status, CardStatus::Blocked | CardStatus::Triage) && !waits_for_time {
                return Ok(refused(format!("t{card} is not blocked: it is {}", found.status.word())));
            }
            // Only a card that waits for its review has an outcome.
            let status = if found.outcome.is_some() { CardStatus::Review } else { CardStatus::Todo };
            restart(connection, card, status)?;
            rows::update_waiting(connection, card, now)?;
            rows::note(connection, card, now, actor.name(), "unblocked", "")?;
            Ok(rows::find(connection, board, card)?.map(|card| card.status))
        })
    }

    /// Completes a card, and returns its new state: done, or in review if its worker is not its reviewer. `created` are cards that the
    /// worker says it has added.
    ///
    /// # Errors
    /// Returns an error if the actor may not complete the card, it is done, it waits for other cards, one of `created` was not added by
    /// the actor, or the file cannot be changed.
    pub fn complete(
        &self,
        board: &str,
        actor: &Actor,
        card: i64,
        outcome: &CardOutcome,
        created: &[i64],
    ) -> Result<CardStatus, BoardError> {
        self.change(|connection, now| {
            let found = check!(own(connection, board, actor, card)?);
            check!(unfinished(&found));
            check!(may_review(&found, actor));
            if let Some(parent) = rows::open_parents(connection, card)?.first() {
                return Ok(refused(format!("t{card} waits for t{parent}, which is not done")));
            }
            for &id in created {
                let other = check!(rows::find(connection, board, id)?);
                if other.author != actor.name() {
                    return Ok(refused(format!(
                        "t{id} was added by `{}`, not by you: list only tasks that you added. Nothing was changed",
                        other.author
                    )));
                }
            }
            let is_worker = matches!(actor, Actor::Worker { .. }) && found.status == CardStatus::Running;
            let status = if is_worker && found.reviewer.is_some() { CardStatus::Review } else { CardStatus::Done };
            // A reviewer accepts the result of the worker.
            let outcome =
                if found.status == CardStatus::Review { found.outcome.as_ref().unwrap_or(outcome) } else { outcome };
            finish(connection, card, status, Some(outcome))?;
            let kind = if status == CardStatus::Done { "completed" } else { "review" };
            rows::note(connection, card, now, actor.name(), kind, &outcome.summary)?;
            if status == CardStatus::Done {
                release_children(connection, card, now)?;
            }
            Ok(Ok(status))
        })
    }

    /// Ends the work on a card, and asks for its review: by this reviewer, by the one that the card has, or else by a person or an agent
    /// without a claim.
    ///
    /// # Errors
    /// Returns an error if the actor does not work on the card, the worker would review itself, or the file cannot be changed.
    pub fn request_review(
        &self,
        board: &str,
        actor: &Actor,
        card: i64,
        outcome: &CardOutcome,
        reviewer: Option<&str>,
    ) -> Result<(), BoardError> {
        self.change(|connection, now| {
            let found = check!(own(connection, board, actor, card)?);
            if found.status != CardStatus::Running {
                return Ok(refused(format!(
                    "t{card} is {}: only work that is running can be given to review",
                    found.status.word()
                )));
            }
            if reviewer.is_some_and(|reviewer| reviewer == found.assignee) {
                return Ok(refused(format!(
                    "`{}` works on t{card}, and cannot review it: name another reviewer",
                    found.assignee
                )));
            }
            if let (Some(fixed), Some(reviewer)) = (&found.reviewer, reviewer)
                && fixed != reviewer
            {
                return Ok(refused(format!("t{card} is reviewed by `{fixed}`: omit `reviewer`")));
            }
            finish(connection, card, CardStatus::Review, Some(outcome))?;
            let sql = "UPDATE cards SET reviewer = coalesce(reviewer, ?2) WHERE id = ?1";
            connection.execute(sql, params![card, reviewer])?;
            rows::note(connection, card, now, actor.name(), "review", &outcome.summary)?;
            Ok(Ok(()))
        })
    }

    /// Gives a card back to its worker after a review.
    ///
    /// # Errors
    /// Returns an error if the actor may not review the card, it is not in review, or the file cannot be changed.
    pub fn request_changes(&self, board: &str, actor: &Actor, card: i64, reason: &str) -> Result<(), BoardError> {
        self.change(|connection, now| {
            let found = check!(own(connection, board, actor, card)?);
            if found.status != CardStatus::Review {
                return Ok(refused(format!("t{card} is not in review: it is {}", found.status.word())));
            }
            check!(may_review(&found, actor));
            finish(connection, card, CardStatus::Todo, None)?;
            rows::update_waiting(connection, card, now)?;
            rows::note(connection, card, now, actor.name(), "changes requested", reason)?;
            Ok(Ok(()))
        })
    }

    /// Hides a card from workers and lists. Cards no longer wait for it.
    ///
    /// # Errors
    /// Returns an error if the actor may not change the card, or the file cannot be changed.
    pub fn archive(&self, board: &str, actor: &Actor, card: i64) -> Result<(), BoardError> {
        self.change(|connection, now| {
            check!(own(connection, board, actor, card)?);
            free(connection, card)?;
            connection.execute("UPDATE cards SET status = 'archived' WHERE id = ?1", [card])?;
            rows::note(connection, card, now, actor.name(), "archived", "")?;
            release_children(connection, card, now)?;
            Ok(Ok(()))
        })
    }
}

/// Returns a card that the actor can change.
fn own(connection: &Connection, board: &str, actor: &Actor, card: i64) -> rusqlite::Result<Checked<Card>> {
    let found = rows::find(connection, board, card)?;
    Ok(found.and_then(|card| may_change(&card, actor).map(|()| card)))
}

fn unfinished(card: &Card) -> Checked<()> {
    match card.status {
        CardStatus::Done | CardStatus::Archived => refused(format!("t{} is {} already", card.id, card.status.word())),
        _ => Ok(()),
    }
}

/// Checks that an actor can accept or refuse the work on a card in review.
fn may_review(card: &Card, actor: &Actor) -> Checked<()> {
    match (actor, &card.reviewer) {
        (Actor::Agent(_), Some(reviewer)) if card.status == CardStatus::Review => {
            refused(format!("t{} is reviewed by `{reviewer}` or by a person", card.id))
        }
        (Actor::Agent(_), Some(reviewer)) => {
            refused(format!("t{} must be done by `{}` and reviewed by `{reviewer}`", card.id, card.assignee))
        }
        _ => Ok(()),
    }
}

/// Ends the claim of a card, and removes the reason why it was blocked.
fn finish(
    connection: &Connection,
    card: i64,
    status: CardStatus,
    outcome: Option<&CardOutcome>,
) -> rusqlite::Result<()> {
    free(connection, card)?;
    restart(connection, card, status)?;
    connection.execute("UPDATE cards SET outcome = ?2 WHERE id = ?1", params![card, outcome.map(rows::json)]).map(drop)
}

/// Sets the state of a card, from which its attempts are counted.
fn restart(connection: &Connection, card: i64, status: CardStatus) -> rusqlite::Result<()> {
    let sql = "UPDATE cards SET status = ?2, block_kind = NULL, block_reason = NULL, ready_at = 0, attempts = 0 WHERE id = ?1";
    connection.execute(sql, params![card, status.word()]).map(drop)
}

fn release_children(connection: &Connection, card: i64, now: i64) -> rusqlite::Result<()> {
    for child in rows::children(connection, card)? {
        rows::update_waiting(connection, child, now)?;
    }
    Ok(())
}
