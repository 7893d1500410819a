//! How many cases a property is tested on, and which. May depend on proptest only.

use proptest::test_runner::{Config, RngSeed};

/// The same `cases` at every run, so that a test fails for a change and not by chance.
/// `PROPTEST_CASES=100000 PROPTEST_RNG_SEED=7 cargo test …` asks for more of them, and for others.
pub fn property(cases: u32) -> Config {
    let asked = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    Config {
        cases: asked("PROPTEST_CASES").map_or(cases, |cases| cases.try_into().unwrap_or(u32::MAX)),
        rng_seed: RngSeed::Fixed(asked("PROPTEST_RNG_SEED").unwrap_or(0)),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    }
}
