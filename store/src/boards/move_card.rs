//! Changes the status of cards.

use rusqlite::{Connection, params};

use super::claims::{end_claim, may_change};
use super::{
    Actor, BlockKind, BoardError, Boards, Card, CardOutcome, CardStatus, Checked, MAX_ATTEMPTS, check, refused, rows,
};

/// How long a card with a transient failure waits for its next worker, in milliseconds.
const TRANSIENT_WAIT: i64 = 10 * 60 * 1000;

impl Boards {
    /// Blocks a card, and ends the claim of its worker. Returns the new state. With the kind `Dependency`, the new state is `Todo`. After a
    /// transient failure, the card can be claimed again in ten minutes, up to [`MAX_ATTEMPTS`] times.
    ///
    /// # Errors
    /// Returns an error if the actor may not change the card, the card is in review or done, the kind is `Dependency` but the card has no open
    /// parents, or the file cannot be changed.
    pub fn block(
        &self,
        board: &str,
        actor: &Actor,
        card: i64,
        kind: BlockKind,
        reason: &str,
    ) -> Result<CardStatus, BoardError> {
        self.change(|connection, now| {
            let current = check!(changeable(connection, board, actor, card)?);
            let is_reviewed = current.status == CardStatus::Review && matches!(actor, Actor::Worker { .. });
            if matches!(current.status, CardStatus::Review | CardStatus::Done | CardStatus::Archived) && !is_reviewed {
                return Ok(refused(format!("t{card} is {}: it cannot be blocked", current.status.word())));
            }
            let waits = !rows::open_parents(connection, card)?.is_empty();
            let status = match kind {
                BlockKind::Dependency if !waits => {
                    return Ok(refused(format!(
                        "t{card} waits for no other task: first link the tasks that must be done before it with kanban_link, then block it"
                    )));
                }
                BlockKind::Dependency => CardStatus::Todo,
                BlockKind::Transient if current.attempts < MAX_ATTEMPTS && is_reviewed => CardStatus::Review,
                BlockKind::Transient if current.attempts < MAX_ATTEMPTS => CardStatus::Ready,
                BlockKind::Transient | BlockKind::NeedsInput | BlockKind::Capability => CardStatus::Blocked,
            };
            end_claim(connection, card)?;
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
    /// Returns an error if the actor may not change the card, the card is neither blocked nor in triage, or the file cannot be changed.
    pub fn unblock(&self, board: &str, actor: &Actor, card: i64) -> Result<CardStatus, BoardError> {
        self.change(|connection, now| {
            let current = check!(changeable(connection, board, actor, card)?);
            // A card whose last worker failed waits before it can be claimed again.
            let waits_for_time = current.block.is_some() && current.status == CardStatus::Ready;
            if !matches!(current.status, CardStatus::Blocked | CardStatus::Triage) && !waits_for_time {
                return Ok(refused(format!("t{card} is not blocked: it is {}", current.status.word())));
            }
            // Only a card that waits for its review has an outcome.
            let status = if current.outcome.is_some() { CardStatus::Review } else { CardStatus::Todo };
            restart(connection, card, status)?;
            rows::update_waiting(connection, card, now)?;
            rows::note(connection, card, now, actor.name(), "unblocked", "")?;
            Ok(rows::find(connection, board, card)?.map(|card| card.status))
        })
    }

    /// Completes a card, and returns its new state: done, or in review if its worker is not its reviewer. `created` are the ids of the cards
    /// that the worker claims to have added.
    ///
    /// # Errors
    /// Returns an error if the actor may not complete the card, the card is already done or waits for other cards, the actor has not added one
    /// of `created`, or the file cannot be changed.
    pub fn complete(
        &self,
        board: &str,
        actor: &Actor,
        card: i64,
        outcome: &CardOutcome,
        created: &[i64],
    ) -> Result<CardStatus, BoardError> {
        self.change(|connection, now| {
            let current = check!(changeable(connection, board, actor, card)?);
            check!(check_unfinished(&current));
            check!(may_review(&current, actor));
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
            let is_worker = matches!(actor, Actor::Worker { .. }) && current.status == CardStatus::Running;
            let status = if is_worker && current.reviewer.is_some() { CardStatus::Review } else { CardStatus::Done };
            // If a reviewer completes the card, the outcome is the one of the worker.
            let outcome = if current.status == CardStatus::Review {
                current.outcome.as_ref().unwrap_or(outcome)
            } else {
                outcome
            };
            finish(connection, card, status, Some(outcome))?;
            let kind = if status == CardStatus::Done { "completed" } else { "review" };
            rows::note(connection, card, now, actor.name(), kind, &outcome.summary)?;
            if status == CardStatus::Done {
                release_children(connection, card, now)?;
            }
            Ok(Ok(status))
        })
    }

    /// Ends the work on a card, and requests its review: by `reviewer`, by the reviewer of the card, or else by a person or an agent without a
    /// claim.
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
            let current = check!(changeable(connection, board, actor, card)?);
            if current.status != CardStatus::Running {
                return Ok(refused(format!(
                    "t{card} is {}: only a running card can be given to review",
                    current.status.word()
                )));
            }
            if reviewer.is_some_and(|reviewer| reviewer == current.assignee) {
                return Ok(refused(format!(
                    "`{}` works on t{card}, and cannot review it: name another reviewer",
                    current.assignee
                )));
            }
            if let (Some(fixed), Some(reviewer)) = (&current.reviewer, reviewer)
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
    /// Returns an error if the actor may not review the card, the card is not in review, or the file cannot be changed.
    pub fn request_changes(&self, board: &str, actor: &Actor, card: i64, reason: &str) -> Result<(), BoardError> {
        self.change(|connection, now| {
            let current = check!(changeable(connection, board, actor, card)?);
            if current.status != CardStatus::Review {
                return Ok(refused(format!("t{card} is not in review: it is {}", current.status.word())));
            }
            check!(may_review(&current, actor));
            finish(connection, card, CardStatus::Todo, None)?;
            rows::update_waiting(connection, card, now)?;
            rows::note(connection, card, now, actor.name(), "changes requested", reason)?;
            Ok(Ok(()))
        })
    }

    /// Hides a card from workers and lists. Other cards no longer wait for it.
    ///
    /// # Errors
    /// Returns an error if the actor may not change the card, or the file cannot be changed.
    pub fn archive(&self, board: &str, actor: &Actor, card: i64) -> Result<(), BoardError> {
        self.change(|connection, now| {
            check!(changeable(connection, board, actor, card)?);
            end_claim(connection, card)?;
            connection.execute("UPDATE cards SET status = 'archived' WHERE id = ?1", [card])?;
            rows::note(connection, card, now, actor.name(), "archived", "")?;
            release_children(connection, card, now)?;
            Ok(Ok(()))
        })
    }
}

/// Finds a card, and checks that the actor can change it.
fn changeable(connection: &Connection, board: &str, actor: &Actor, card: i64) -> rusqlite::Result<Checked<Card>> {
    let current = rows::find(connection, board, card)?;
    Ok(current.and_then(|card| may_change(&card, actor).map(|()| card)))
}

fn check_unfinished(card: &Card) -> Checked<()> {
    match card.status {
        CardStatus::Done | CardStatus::Archived => refused(format!("t{} is already {}", card.id, card.status.word())),
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

/// Ends the claim of a card, sets its state and outcome, and removes the reason why it was blocked.
fn finish(
    connection: &Connection,
    card: i64,
    status: CardStatus,
    outcome: Option<&CardOutcome>,
) -> rusqlite::Result<()> {
    end_claim(connection, card)?;
    restart(connection, card, status)?;
    connection.execute("UPDATE cards SET outcome = ?2 WHERE id = ?1", params![card, outcome.map(rows::json)]).map(drop)
}

/// Sets the state of a card, removes the reason why it was blocked, and resets the number of attempts.
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
