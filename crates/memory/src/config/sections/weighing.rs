//! Settings of salience: `[salience]`.

use std::collections::BTreeMap;

use crate::{config::settings::settings, memory::Kind};

settings! {
    /// `[salience]`: how much a memory matters by itself, in points of importance.
    ///
    /// To the importance, or what the text tells if there is none, come emotion, surprise, meaning and repetition,
    /// together at most [`SalienceConfig::MAX_ADDED`] points, and then the points of `actors`, `kinds` and `tags`.
    pub struct SalienceConfig at salience changed by SalienceChanges {
        /// Points of a memory with the strongest emotion.
        pub emotion: f64 => 0.0..=SalienceConfig::MAX_ADDED,
        /// Points of a rated memory unlike everything else of the day and of long-term memory. What an
        /// unrated memory tells covers its novelty.
        pub surprise: f64 => 0.0..=SalienceConfig::MAX_ADDED,
        /// Points of a memory about a commitment, a debt, a gift, harm, a secret or a threat; more than
        /// one of them counts once.
        pub meaning: f64 => 0.0..=SalienceConfig::MAX_ADDED,
        /// Points of talk that is repeated word for word all the time; said twice, it has half of them.
        pub repetition: f64 => 0.0..=SalienceConfig::MAX_ADDED,
        /// Points of memories in which these people take part, by name; of several people the one
        /// with the most points, up or down, counts.
        pub actors: BTreeMap<String, f64> => 0..=SalienceConfig::MAX_WEIGHTS,
        /// Points of memories by their kind.
        pub kinds: BTreeMap<Kind, f64>,
        /// Points of memories with these tags; of several tags the one with the most points, up or
        /// down, counts.
        pub tags: BTreeMap<String, f64> => 0..=SalienceConfig::MAX_WEIGHTS,
        /// True if ratings are compared with the NPC's own ones before they are weighed [false]: the middle one of an
        /// NPC whose memories are all rated 8 counts as much as that of an NPC whose memories are all rated 5.
        pub calibrate: bool,
    }
}

impl SalienceConfig {
    /// Maximum number of points that emotion, surprise, meaning and repetition add together. With the cohesion and the
    /// floor of a cluster they stay below two, so that none of them keeps a memory in place of one that is rated two
    /// points higher.
    pub const MAX_ADDED: f64 = 0.8;

    /// Maximum number of names, kinds or tags with points of their own.
    pub const MAX_WEIGHTS: usize = 1000;
}
