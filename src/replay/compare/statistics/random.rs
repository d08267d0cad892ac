//! Chance that comes out the same each time.

/// A generator of Steele, Lea and Flood's kind (`SplitMix64`): small, and good enough to resample with.
#[derive(Debug, Clone)]
pub(super) struct Chance(u64);

impl Chance {
    /// One that begins at a seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, all as likely as makes no difference; 0 for a bound of 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let wide = u128::from(self.next()) * bound as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        let mut chance = Chance::new(1_234_567);
        let drawn: Vec<u64> = (0..3).map(|_| chance.next()).collect();
        assert_eq!(
            drawn,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn numbers_stay_below_their_bound_and_reach_all_of_it() {
        let mut chance = Chance::new(0);
        let mut seen = [false; 7];
        for _ in 0..200 {
            seen[chance.below(7)] = true;
        }
        assert_eq!(seen, [true; 7]);
        assert_eq!(chance.below(0), 0);
    }
}
