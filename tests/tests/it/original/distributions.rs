use toolc::catalog::Distribution;
use toolc::{Dialect, Env, Registry};
use toolc_tests::echo::Echo;
use toolc_tests::golden;

fn mix() -> &'static Distribution {
    golden::DISTRIBUTIONS.iter().find(|one| one.name == "mix").expect("the golden project has it")
}

#[test]
fn sample_toolsets_draws_each_toolset_independently() {
    let drawn = |name: &str| (0..10_000).filter(|&seed| mix().draw(seed).contains(&name)).count();
    for (name, percent) in &mix().toolsets {
        let (expected, spread) = (percent * 100.0, (percent * (100.0 - percent)).sqrt());
        let others: f64 =
            mix().toolsets.iter().filter(|(other, _)| other != name).map(|(_, p)| 1.0 - p / 100.0).product();
        // The likeliest toolset, if none was drawn.
        let likeliest = mix().toolsets.iter().all(|(_, other)| other <= percent);
        let expected = if likeliest { expected + (10_000.0 - expected) * others } else { expected };
        let count = f64::from(u32::try_from(drawn(name)).unwrap());
        assert!((count - expected).abs() <= 4.0 * spread, "{name}: {count}, where {expected} is expected");
    }
}

#[test]
fn sample_toolsets_falls_back_to_the_likeliest() {
    let rare = Distribution {
        name: "rare".into(),
        description: "Hardly anything.".into(),
        toolsets: vec![("a".into(), 0.01), ("b".into(), 0.02)],
    };
    assert_eq!(rare.draw(0), ["b"]);
    assert!((0..1_000).all(|seed| !rare.draw(seed).is_empty()));
}

#[test]
fn a_sample_is_what_a_session_enables() {
    let registry = Registry::new();
    registry.add(golden::shared_provider(Echo)).expect("an empty registry takes every provider");
    for seed in 0..50 {
        let drawn = mix().draw(seed);
        let session = registry.session().enable(drawn.iter().copied()).env(Env::empty()).build();
        let turn = session.expect("what is drawn is there").turn_blocking(Dialect::OpenAi);
        let homes: Vec<_> = turn.tools().map(|name| registry.tool(name).expect("it is shown").toolset).collect();
        assert!(
            !homes.is_empty() && homes.iter().all(|home| drawn.iter().any(|name| home == name)),
            "{drawn:?}: {homes:?}"
        );
    }
}
