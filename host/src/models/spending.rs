//! The limits of `[budget]`: what the requests of a conversation, and those of a day, may cost.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolc_config::Budget;
use toolc_model::Model;
use toolc_store::{Ledger, Spent};

use super::tokens::Tokens;

/// What a conversation and its helpers spend, and the limits. Requests that are about to be sent are counted as well.
#[derive(Debug)]
pub(crate) struct Spending {
    ledger: Ledger,
    /// The name of the conversation.
    session: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    limits: Vec<Limit>,
    /// What requests that were sent and not answered will cost.
    reserved: Spent,
    /// What could not be written.
    unwritten: Spent,
    /// The reason that the person declined to raise a limit in this turn.
    declined: Option<String>,
    /// The models without prices that a note has already named.
    unpriced: Vec<String>,
    notes: Vec<String>,
}

/// A limit.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Limit {
    /// The key in `[budget]`.
    key: &'static str,
    of_day: bool,
    of_tokens: bool,
    max: f64,
    /// The limit of the configuration, by which a person raises it.
    step: f64,
}

/// A limit that the next request would pass.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Passed {
    limit: Limit,
    spent: f64,
    expected: f64,
}

/// Asks the person for a higher limit.
pub(crate) trait LimitAsker: Send + Sync {
    /// Returns the new limit, or `None` if the person does not raise it.
    fn ask(&self, passed: Passed) -> Pin<Box<dyn Future<Output = Option<f64>> + Send + '_>>;
}

/// What a request is expected to spend, until it is answered.
#[derive(Debug)]
pub(crate) struct Reservation {
    spending: Arc<Spending>,
    expected: Spent,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut state = self.spending.state();
        state.reserved.cost -= self.expected.cost;
        state.reserved.tokens = state.reserved.tokens.saturating_sub(self.expected.tokens);
    }
}

impl Limit {
    /// Returns the part of an amount that the limit counts.
    #[expect(clippy::cast_precision_loss, reason = "numbers of tokens are small")]
    fn counted(&self, spent: Spent) -> f64 {
        if self.of_tokens { spent.tokens as f64 } else { spent.cost }
    }

    /// Returns an amount of what the limit counts.
    fn text(&self, amount: f64) -> String {
        if self.of_tokens { format!("{amount:.0}") } else { money(amount) }
    }
}

/// Returns a cost with as many digits as matter.
fn money(amount: f64) -> String {
    if amount >= 1.0 { format!("{amount:.2}") } else { format!("{amount:.4}") }
}

impl std::fmt::Display for Passed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { limit, spent, expected } = self;
        let [max, spent, expected] = [limit.max, *spent, *expected].map(|amount| limit.text(amount));
        let whose = if limit.of_day { "for today" } else { "for this conversation" };
        let (tokens, have) = if limit.of_tokens { (" tokens", "have") } else { ("", "has") };
        write!(
            f,
            "the limit {whose} (`budget.{}`) is {max}{tokens}: {spent}{tokens} {have} been spent, and the next request is expected to add {expected}",
            limit.key
        )
    }
}

impl Passed {
    /// Returns the limit that is offered: higher by the limit of the configuration, and at least high enough for the next request.
    pub(crate) fn offered(&self) -> f64 {
        let Limit { max, step, .. } = self.limit;
        if max + step >= self.least() { max + step } else { self.least() + step }
    }

    /// Returns the lowest limit that lets the next request be sent.
    fn least(&self) -> f64 {
        self.spent + self.expected
    }

    /// Returns an amount of what the limit counts.
    pub(crate) fn text(&self, amount: f64) -> String {
        self.limit.text(amount)
    }

    /// Reads a new limit that a person has typed. Nothing stands for the offered one.
    ///
    /// # Errors
    /// If it is not a number, or too low.
    pub(crate) fn parse(&self, typed: &str) -> Result<f64, String> {
        let typed = typed.trim();
        if typed.is_empty() {
            return Ok(self.offered());
        }
        let max: Option<f64> = typed.parse().ok().filter(|max: &f64| max.is_finite());
        let max = max.ok_or_else(|| format!("type a number, such as {}", self.text(self.offered())))?;
        if max < self.least() {
            return Err(format!(
                "{} is too low for the next request: type at least {}",
                self.text(max),
                self.text(self.least())
            ));
        }
        Ok(max)
    }
}

impl Spending {
    /// Returns the spending of a conversation, or `None` if nothing is limited.
    pub(crate) fn new(budget: &Budget, ledger: Ledger, session: &str) -> Option<Arc<Self>> {
        let tokens = |max: Option<u32>| max.map(f64::from);
        let limits = [
            ("session", false, false, budget.session),
            ("session_tokens", false, true, tokens(budget.session_tokens)),
            ("day", true, false, budget.day),
            ("day_tokens", true, true, tokens(budget.day_tokens)),
        ];
        let limit = |(key, of_day, of_tokens, max): (_, _, _, Option<f64>)| {
            max.map(|max| Limit { key, of_day, of_tokens, max, step: max })
        };
        let limits: Vec<Limit> = limits.into_iter().filter_map(limit).collect();
        let state = Mutex::new(State { limits, ..State::default() });
        let is_limited = !state.lock().unwrap_or_else(PoisonError::into_inner).limits.is_empty();
        is_limited.then(|| Arc::new(Self { ledger, session: session.to_owned(), state }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a turn of the person, who may be asked again.
    pub(crate) fn begin_turn(&self) {
        self.state().declined = None;
    }

    /// Counts the tokens of an answer.
    pub(crate) fn add(&self, tokens: Tokens) {
        let spent = spent(tokens);
        if spent == Spent::default() {
            return;
        }
        if let Err(error) = self.ledger.add(&self.session, spent) {
            let mut state = self.state();
            state.unwritten.cost += spent.cost;
            state.unwritten.tokens += spent.tokens;
            state
                .notes
                .push(format!("what was spent could not be saved, and counts only until this program ends: {error}"));
        }
    }

    /// Removes and returns what the user should know.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut self.state().notes)
    }

    /// Waits until a request with these tokens may be sent: if it would pass a limit, `person` is asked for a higher one.
    ///
    /// # Errors
    /// Returns why the request may not be sent.
    pub(crate) async fn reserve(
        self: &Arc<Self>,
        model: &Model,
        expected: Tokens,
        person: Option<&dyn LimitAsker>,
    ) -> Result<Reservation, String> {
        self.note_missing_prices(model);
        loop {
            let Some(passed) = self.passed(spent(expected))? else {
                let mut state = self.state();
                let expected = spent(expected);
                state.reserved.cost += expected.cost;
                state.reserved.tokens += expected.tokens;
                return Ok(Reservation { spending: Arc::clone(self), expected });
            };
            let declined = self.state().declined.clone();
            if let Some(reason) = declined {
                return Err(reason);
            }
            let reason = passed.to_string();
            let (key, offered) = (passed.limit.key, passed.offered());
            let Some(person) = person else {
                let raised = passed.text(offered);
                return Err(format!("{reason}. `toolc config set budget.{key} {raised}` raises it"));
            };
            let raised = person.ask(passed).await;
            let mut state = self.state();
            match raised {
                Some(max) => {
                    if let Some(limit) = state.limits.iter_mut().find(|limit| limit.key == key) {
                        limit.max = max;
                    }
                }
                None => state.declined = Some(reason),
            }
        }
    }

    /// Returns the first limit that this amount would pass.
    ///
    /// # Errors
    /// If it is unknown what was spent.
    fn passed(&self, expected: Spent) -> Result<Option<Passed>, String> {
        let (session, today) = self.sums()?;
        let state = self.state();
        let passed = state.limits.iter().map(|limit| {
            let before = limit.counted(if limit.of_day { today } else { session });
            let spent = before + limit.counted(state.reserved);
            Passed { limit: *limit, spent, expected: limit.counted(expected) }
        });
        // A request without costs passes no limit.
        Ok(passed.into_iter().find(|passed| passed.expected > 0.0 && passed.least() > passed.limit.max))
    }

    /// Returns what the conversation has spent, and what was spent today.
    fn sums(&self) -> Result<(Spent, Spent), String> {
        let failed = |error| format!("the budget cannot be checked: {error}");
        let session = self.ledger.of_session(&self.session).map_err(failed)?;
        let today = self.ledger.of_today().map_err(failed)?;
        let unwritten = self.state().unwritten;
        let with_unwritten =
            |sum: Spent| Spent { cost: sum.cost + unwritten.cost, tokens: sum.tokens + unwritten.tokens };
        Ok((with_unwritten(session), with_unwritten(today)))
    }

    /// Notes once for each model that a limit does not count it.
    fn note_missing_prices(&self, model: &Model) {
        let mut state = self.state();
        let of_costs: Vec<&Limit> = state.limits.iter().filter(|limit| !limit.of_tokens).collect();
        let Some(limit) = of_costs.first().filter(|_| model.prices.is_none()) else { return };
        if state.unpriced.iter().any(|name| name == model.name()) {
            return;
        }
        let key = limit.key;
        let text = format!(
            "`budget.{key}` does not count the requests to {}, which has no `prices`; `budget.{key}_tokens` limits the tokens of every \
             model",
            model.name()
        );
        state.unpriced.push(model.name().to_owned());
        state.notes.push(text);
    }

    /// Returns the limits and what was spent of them, for the status line.
    pub(crate) fn status(&self) -> String {
        let Ok((session, today)) = self.sums() else { return "budget unknown".to_owned() };
        let state = self.state();
        let part = |limit: &Limit| {
            let spent = limit.counted(if limit.of_day { today } else { session });
            let when = if limit.of_day { "today " } else { "" };
            let tokens = if limit.of_tokens { " tokens" } else { "" };
            format!("{when}{} of {}{tokens}", limit.text(spent), limit.text(limit.max))
        };
        format!("budget {}", state.limits.iter().map(part).collect::<Vec<_>>().join(", "))
    }
}

/// Returns what the limits count of tokens.
fn spent(tokens: Tokens) -> Spent {
    Spent { cost: tokens.cost.unwrap_or_default(), tokens: tokens.input + tokens.output }
}

#[cfg(test)]
mod tests {
    use toolc_model::{Api, Prices};
    use toolc_store::Database;

    use super::*;

    /// A person who types this, and whose questions are kept.
    struct Typing(Result<&'static str, ()>, Mutex<Vec<String>>);

    impl LimitAsker for Typing {
        fn ask(&self, passed: Passed) -> Pin<Box<dyn Future<Output = Option<f64>> + Send + '_>> {
            self.1.lock().unwrap_or_else(PoisonError::into_inner).push(passed.to_string());
            let answer = self.0.ok().map(|typed| passed.parse(typed).expect("a valid limit"));
            Box::pin(async move { answer })
        }
    }

    fn typing(typed: Result<&'static str, ()>) -> Typing {
        Typing(typed, Mutex::default())
    }

    fn of_cost(cost: f64) -> Tokens {
        Tokens { input: 900, cached: 0, output: 100, cost: Some(cost) }
    }

    fn spending(folder: &tempfile::TempDir, session: &str, budget: &Budget) -> Arc<Spending> {
        let ledger = Ledger::new(Arc::new(Database::new(folder.path().join("state.db"))));
        Spending::new(budget, ledger, session).expect("something is limited")
    }

    fn budget(session: Option<f64>, day: Option<f64>, session_tokens: Option<u32>) -> Budget {
        Budget { session, day, session_tokens, day_tokens: None }
    }

    fn priced() -> Model {
        let prices = Prices { input: 1.0, output: 1.0, cached_input: None, cache_writes: None };
        Model { prices: Some(prices), ..Model::new(Api::ChatCompletions, "m") }
    }

    #[tokio::test]
    async fn a_request_that_would_pass_a_limit_is_not_sent_unless_a_person_raises_it() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let one = spending(&folder, "a", &budget(Some(1.0), None, None));
        drop(one.reserve(&priced(), of_cost(0.6), None).await.expect("it is within the limit"));
        one.add(of_cost(0.6));
        let text = one.reserve(&priced(), of_cost(0.6), None).await.expect_err("it is not");
        assert_eq!(
            text,
            "the limit for this conversation (`budget.session`) is 1.00: 0.6000 has been spent, and the next request is expected to add \
             0.6000. `toolc config set budget.session 2.00` raises it"
        );
        let person = typing(Ok(""));
        drop(one.reserve(&priced(), of_cost(0.6), Some(&person)).await.expect("the limit is raised"));
        assert_eq!(one.status(), "budget 0.6000 of 2.00");
        let no = typing(Err(()));
        one.reserve(&priced(), of_cost(5.0), Some(&no)).await.expect_err("the person says no");
        one.reserve(&priced(), of_cost(5.0), Some(&no)).await.expect_err("and is not asked again");
        one.begin_turn();
        one.reserve(&priced(), of_cost(5.0), Some(&no)).await.expect_err("before the next turn");
        let asked = no.1.lock().expect("no panic").len();
        assert_eq!((asked, person.1.lock().expect("no panic").len()), (2, 1));
        // A free model passes no limit.
        one.add(of_cost(9.0));
        drop(one.reserve(&priced(), of_cost(0.0), None).await.expect("it costs nothing"));
    }

    #[tokio::test]
    async fn the_day_counts_every_conversation_and_open_requests_count() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        spending(&folder, "earlier", &budget(None, Some(1.0), None)).add(of_cost(0.5));
        let later = spending(&folder, "later", &budget(Some(9.0), Some(1.0), None));
        assert_eq!(later.status(), "budget 0.0000 of 9.00, today 0.5000 of 1.00");
        let open = later.reserve(&priced(), of_cost(0.3), None).await.expect("it is within the limit");
        let text = later.reserve(&priced(), of_cost(0.3), None).await.expect_err("the first one is not answered");
        assert!(text.starts_with("the limit for today (`budget.day`) is 1.00: 0.8000 has been spent"), "{text}");
        drop(open);
        later.reserve(&priced(), of_cost(0.3), None).await.map(drop).expect("the first one has failed");
    }

    #[tokio::test]
    async fn a_model_without_prices_is_counted_by_limits_of_tokens_only_and_noted_once() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let unpriced = Model::new(Api::ChatCompletions, "local");
        let tokens = Tokens { input: 900, cached: 0, output: 100, cost: None };
        let one = spending(&folder, "a", &budget(Some(0.1), None, Some(1_500)));
        drop(one.reserve(&unpriced, tokens, None).await.expect("it is within the limit"));
        one.add(tokens);
        let text = one.reserve(&unpriced, tokens, None).await.expect_err("too many tokens");
        assert!(text.contains("(`budget.session_tokens`) is 1500 tokens: 1000 tokens have been spent"), "{text}");
        let notes = one.take_notes();
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with("`budget.session` does not count the requests to local, which"), "{notes:?}");
        one.reserve(&priced(), of_cost(0.0001), None).await.expect_err("still too many tokens");
        assert_eq!(one.take_notes(), [""; 0]);
    }

    #[tokio::test]
    async fn a_request_is_not_sent_if_it_is_unknown_what_was_spent() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        std::fs::write(folder.path().join("state.db"), "not a database".repeat(100)).expect("failed to write");
        let one = spending(&folder, "a", &budget(Some(1.0), None, None));
        let text = one.reserve(&priced(), of_cost(0.1), None).await.expect_err("the file is damaged");
        assert!(text.contains("the budget cannot be checked"), "{text}");
        one.add(of_cost(0.1));
        assert!(one.take_notes()[0].contains("counts only until this program ends"));
        assert_eq!(one.status(), "budget unknown");
    }

    #[test]
    fn a_typed_limit_is_a_number_that_is_high_enough() {
        let limit = Limit { key: "session", of_day: false, of_tokens: false, max: 1.0, step: 1.0 };
        let passed = Passed { limit, spent: 0.9, expected: 0.6 };
        assert_eq!(passed.parse(" "), Ok(2.0));
        assert_eq!(passed.parse("3.5"), Ok(3.5));
        for (typed, problem) in
            [("1.2", "type at least 1.50"), ("more", "type a number, such as 2.00"), ("inf", "type a number")]
        {
            assert!(passed.parse(typed).is_err_and(|error| error.contains(problem)), "{typed}");
        }
        assert!((Passed { spent: 7.0, ..passed }.offered() - 8.6).abs() < 1e-9);
    }
}
