//! Claims of cards by workers.

use std::time::{Duration, SystemTime};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, params, params_from_iter};

use super::{Actor, BlockKind, BoardError, Boards, Card, CardStatus, Checked, MAX_ATTEMPTS, check, refused, rows};
use crate::time::{from_milliseconds, milliseconds};

impl Boards {
    /// Claims the most urgent card of a board that a worker with one of these names can do or review. Returns `None` if no card is available.
    ///
    /// `claim` must be unique. The claim ends after `lease` unless it is [renewed](Self::renew).
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed.
    pub fn claim(&self, board: &str, names: &[&str], claim: &str, lease: Duration) -> Result<Option<Card>, BoardError> {
        self.change(|connection, now| {
            let marks = vec!["?"; names.len()].join(", ");
            let sql = format!(
                "SELECT id, assignee, reviewer, status, max_runtime FROM cards WHERE board = ? AND claim IS NULL AND ready_at <= ? \
                 AND (status = 'ready' AND assignee IN ({marks}) OR status = 'review' AND reviewer IN ({marks})) \
                 ORDER BY priority DESC, id LIMIT 1"
            );
            let names = || names.iter().map(|&name| Value::from(name.to_owned()));
            let values = [Value::from(board.to_owned()), Value::from(now)].into_iter().chain(names()).chain(names());
            let row = connection
                .query_row(&sql, params_from_iter(values), |row| {
                    let name: usize = if row.get::<_, String>(3)? == CardStatus::Ready.word() { 1 } else { 2 };
                    Ok((row.get::<_, i64>(0)?, row.get::<_, String>(name)?, row.get::<_, Option<i64>>(4)?))
                })
                .optional()?;
            let Some((id, worker, max_runtime)) = row else { return Ok(Ok(None)) };
            let sql = "UPDATE cards SET worker = ?2, claim = ?3, claimed = ?4, claim_ends = ?5, attempts = attempts + 1, \
                       status = CASE status WHEN 'ready' THEN 'running' ELSE status END WHERE id = ?1";
            connection.execute(sql, params![id, worker, claim, now, claim_end(now, now, lease, max_runtime)])?;
            rows::note(connection, id, now, &worker, "claimed", "")?;
            let card = check!(rows::find(connection, board, id)?);
            Ok(Ok(Some(card)))
        })
    }

    /// Renews a claim, and returns its new end. If `text` is given, it is added as a note.
    ///
    /// # Errors
    /// Returns an error if the claim has ended, so that the worker must stop, or if the file cannot be changed.
    pub fn renew(
        &self,
        board: &str,
        actor: &Actor,
        card: i64,
        lease: Duration,
        text: Option<&str>,
    ) -> Result<SystemTime, BoardError> {
        self.change(|connection, now| {
            let existing = check!(rows::find(connection, board, card)?);
            check!(may_change(&existing, actor));
            if existing.claim.is_none() {
                return Ok(refused(format!("no worker has claimed t{card}: it is {}", existing.status.word())));
            }
            let sql = "SELECT claimed FROM cards WHERE id = ?1";
            let claimed: i64 = connection.query_row(sql, [card], |row| row.get(0))?;
            let ends = claim_end(claimed, now, lease, existing.max_runtime);
            connection.execute("UPDATE cards SET claim_ends = ?2 WHERE id = ?1", [card, ends])?;
            if let Some(text) = text {
                check!(rows::has_room_for_notes(connection, card)?);
                rows::note(connection, card, now, actor.name(), "heartbeat", text)?;
            }
            Ok(Ok(from_milliseconds(ends)))
        })
    }

    /// Returns whether a claim holds a card.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn holds(&self, card: i64, claim: &str) -> Result<bool, BoardError> {
        let now = milliseconds(SystemTime::now());
        let sql = "SELECT EXISTS (SELECT 1 FROM cards WHERE id = ?1 AND claim = ?2 AND claim_ends > ?3)";
        let held =
            self.database.read(|connection| connection.query_row(sql, params![card, claim, now], |row| row.get(0)))?;
        Ok(held.unwrap_or(false))
    }
}

/// Returns the end of a claim that began at `claimed` and is renewed at `now`.
fn claim_end(claimed: i64, now: i64, lease: Duration, max_runtime: Option<i64>) -> i64 {
    let lease = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX);
    let last = max_runtime.map_or(i64::MAX, |seconds| claimed.saturating_add(seconds.saturating_mul(1000)));
    now.saturating_add(lease).min(last)
}

/// Checks that an actor can change the status of a card.
pub(super) fn may_change(card: &Card, actor: &Actor) -> Checked<()> {
    let id = card.id;
    match (actor, &card.worker) {
        (Actor::Person, _) | (Actor::Agent(_), None) => Ok(()),
        (Actor::Agent(_), Some((worker, _))) => {
            refused(format!("`{worker}` works on t{id}: leave a comment, which its next worker reads, or wait"))
        }
        (Actor::Worker { card: own, .. }, _) if *own != id => {
            refused(format!("you work on t{own}, and can only comment on t{id}"))
        }
        (Actor::Worker { claim, .. }, _) if card.claim.as_ref() == Some(claim) => Ok(()),
        (Actor::Worker { .. }, Some((worker, _))) => {
            refused(format!("your claim of t{id} has ended, and `{worker}` works on it now: stop working on it"))
        }
        (Actor::Worker { .. }, None) => {
            refused(format!("your claim of t{id} has ended, and it is {}: stop working on it", card.status.word()))
        }
    }
}

/// Ends claims that were not renewed in time. A card is blocked after [`MAX_ATTEMPTS`] claims without a result.
pub(super) fn end_expired(connection: &Connection, now: i64) -> rusqlite::Result<()> {
    let sql = "SELECT id, worker, attempts, claim_ends - claimed >= max_runtime * 1000 FROM cards WHERE claim_ends <= ?1 AND claim IS NOT NULL";
    let expired = |row: &rusqlite::Row<'_>| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?, row.get::<_, Option<bool>>(3)?))
    };
    let expired: Vec<_> = connection.prepare(sql)?.query_map([now], expired)?.collect::<rusqlite::Result<_>>()?;
    for (id, worker, attempts, ran_too_long) in expired {
        let reason = if ran_too_long == Some(true) {
            "the worker took longer than the maximum"
        } else {
            "the worker did not renew its claim"
        };
        end_claim(connection, id)?;
        let is_blocked = attempts >= MAX_ATTEMPTS;
        let status = if is_blocked { "'blocked'" } else { "CASE status WHEN 'running' THEN 'ready' ELSE status END" };
        let sql = format!("UPDATE cards SET status = {status}, block_kind = ?2, block_reason = ?3 WHERE id = ?1");
        let reason = if is_blocked { format!("{reason}, {attempts} times") } else { reason.to_owned() };
        connection.execute(&sql, params![id, BlockKind::Transient.word(), reason])?;
        rows::note(connection, id, now, &worker, "claim ended", &reason)?;
    }
    Ok(())
}

/// Ends the claim of a card.
pub(super) fn end_claim(connection: &Connection, card: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE cards SET worker = NULL, claim = NULL, claimed = NULL, claim_ends = NULL WHERE id = ?1";
    connection.execute(sql, [card]).map(drop)
}
