//! Reproducible random selection of toolsets. The random number generator is implemented here, so that the results are the
//! same on every platform and in every version.

use crate::data::catalog::Distribution;

impl Distribution {
    /// Draws toolsets, and returns them in the order of [`toolsets`](Self::toolsets). Each toolset is drawn independently with
    /// its probability. If none is drawn, the first one with the highest probability is returned, so that the result is only
    /// empty for an empty distribution. (A session that enables no toolset would be granted all tools.)
    ///
    /// The same seed always draws the same toolsets. Consecutive seeds (0, 1, 2, ...) are independent. The
    /// generator is `SplitMix64` (Steele, Lea and Flood, 2014), started at the seed and called once for each toolset. A
    /// toolset is drawn if the upper 53 bits of the number, as a fraction of 1, are below its probability.
    ///
    /// ```
    /// use toolc::catalog::Distribution;
    ///
    /// let mix = Distribution::new("mix", [("web", 95.0), ("terminal", 20.0)]);
    /// assert_eq!(mix.draw(0), ["web"]);
    /// assert_eq!(mix.draw(7), ["web", "terminal"]);
    /// ```
    pub fn draw(&self, seed: u64) -> Vec<&str> {
        let mut random = SplitMix64(seed);
        let drawn = self.toolsets.iter().filter(|(_, percent)| random.fraction() < percent / 100.0);
        let drawn: Vec<&str> = drawn.map(|(name, _)| &**name).collect();
        if !drawn.is_empty() {
            return drawn;
        }
        // Reversed, because `max_by` returns the last of several maxima.
        let likeliest = self.toolsets.iter().rev().max_by(|(_, a), (_, b)| a.total_cmp(b));
        likeliest.map(|(name, _)| &**name).into_iter().collect()
    }
}

struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Returns a number from 0 to below 1, uniformly distributed.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mix(toolsets: &[(&'static str, f64)]) -> Distribution {
        let toolsets = toolsets.iter().map(|&(name, percent)| (name.into(), percent)).collect();
        Distribution { name: "mix".into(), description: "".into(), toolsets }
    }

    #[test]
    fn the_generator_matches_its_published_output() {
        let mut random = SplitMix64(1_234_567);
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!([(); 5].map(|()| random.next()), published);
    }

    #[test]
    fn draws_of_a_seed_never_change() {
        let mix = mix(&[("a", 50.0), ("b", 50.0), ("c", 12.5), ("d", 100.0)]);
        let drawn: Vec<String> = (0..8).map(|seed| mix.draw(seed).concat()).collect();
        assert_eq!(drawn, ["bcd", "d", "d", "ad", "ad", "ad", "bcd", "abd"]);
    }

    /// Each toolset is drawn as often as its probability says, and each pair as often as independent toolsets.
    #[test]
    fn toolsets_are_drawn_with_their_probabilities() {
        const SEEDS: u32 = 200_000;
        let toolsets = [("a", 0.1), ("b", 12.5), ("c", 50.0), ("d", 97.3), ("e", 100.0)];
        let mix = mix(&toolsets);
        let mut counts = [[0_u32; 5]; 5];
        for seed in 0..u64::from(SEEDS) {
            let drawn = mix.draw(seed);
            let is_in = toolsets.map(|(name, _)| drawn.contains(&name));
            for (one, counts) in counts.iter_mut().enumerate() {
                for (other, count) in counts.iter_mut().enumerate() {
                    *count += u32::from(is_in[one] && is_in[other]);
                }
            }
        }
        for (one, counts) in counts.iter().enumerate() {
            for (other, &count) in counts.iter().enumerate() {
                let share = |id: usize| toolsets[id].1 / 100.0;
                let expected = if one == other { share(one) } else { share(one) * share(other) };
                let spread = (expected * (1.0 - expected) * f64::from(SEEDS)).sqrt();
                let off = (f64::from(count) - expected * f64::from(SEEDS)).abs();
                assert!(off <= 4.0 * spread, "{one} and {other}: {off} off, where {spread} is usual");
            }
        }
    }

    #[test]
    fn the_likeliest_toolset_is_drawn_if_no_other_is() {
        let mix = |toolsets: &[(&'static str, f64)]| mix(toolsets);
        let rare = mix(&[("a", 0.1), ("b", 0.2), ("c", 0.2)]);
        let drawn: Vec<_> = (0..1_000).map(|seed| rare.draw(seed)).collect();
        assert!(drawn.iter().filter(|drawn| **drawn == ["b"]).count() > 980);
        assert!(drawn.iter().all(|drawn| !drawn.is_empty()));
        assert!(drawn.iter().any(|drawn| *drawn != ["b"]));
        assert!(mix(&[]).draw(0).is_empty());
    }
}
