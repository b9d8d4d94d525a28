//! How long a search takes. `TOOLC_MESSAGES` sets the number of messages: see `cargo xtask soak`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use toolc_store::{Database, MessageKind, NewMessage, NewSession, Order, Search, Sessions};

/// Words of falling frequency: the first is in half of all messages, the last in few.
const WORDS: usize = 4_000;

/// Searches in many messages of the lengths that conversations have. The limit is generous without optimization.
#[test]
fn a_search_is_fast_among_many_messages() {
    let (count, is_soak) = match std::env::var("TOOLC_MESSAGES") {
        Ok(count) => (count.parse().expect("TOOLC_MESSAGES is a number"), true),
        Err(_) => (3_000, false),
    };
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let sessions = Sessions::new(Arc::new(Database::new(folder.path().join("state.db"))));
    let mut random = 1_u64;
    let mut next = move || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(random >> 33).expect("it is small")
    };
    for number in 0..count {
        let name = format!("session-{}", number / 200);
        if number % 200 == 0 {
            let new = NewSession { name: &name, source: "chat", directory: "/", api: "chat", model: "m", title: "t" };
            sessions.start(&new).expect("failed to start a session");
        }
        let length = 10 + next() % 150;
        // The product of two numbers prefers small ones.
        let words: Vec<String> =
            (0..length).map(|_| format!("word{}", (next() % WORDS) * (next() % WORDS) / WORDS)).collect();
        let text = words.join(" ");
        let kind = [MessageKind::User, MessageKind::Model, MessageKind::Results][number % 3];
        let message = NewMessage {
            kind,
            text: &text,
            raw: "[]",
            api: None,
            details: "null",
            keeps_from: None,
            tokens: None,
            after: None,
            calls: &[],
        };
        sessions.append(&name, &message).expect("failed to write");
    }
    let mut times = Vec::new();
    for number in 0..300 {
        let query = match number % 3 {
            0 => format!("word{}", next() % WORDS),
            1 => format!("word{} word{}", next() % 500, next() % WORDS),
            _ => format!("\"word{} word{}\"", next() % 100, next() % 100),
        };
        let order = [Order::Best, Order::Newest, Order::Best][number % 3];
        let kinds: &[MessageKind] = if number % 5 == 0 { &[MessageKind::User] } else { &[] };
        let started = Instant::now();
        let search = Search { query: &query, order, kinds, limit: 50, except: Some("session-0"), ..Search::default() };
        sessions.search(&search).expect("failed to search");
        times.push(started.elapsed());
    }
    times.sort();
    let started = Instant::now();
    assert!(!sessions.list(10).expect("failed to read").is_empty());
    let recent = started.elapsed();
    let (median, slowest) = (times[times.len() / 2], times[times.len() - 1]);
    println!("{count} messages: median {median:?}, slowest {slowest:?}; the latest conversations {recent:?}");
    let limit = Duration::from_millis(if is_soak { 20 } else { 200 });
    assert!(median < limit, "{median:?}");
}
