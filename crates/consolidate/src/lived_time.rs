//! Time as an NPC lives it: from night to night.

use nightfold_memory::GameTime;

const DAY_SECONDS: i64 = 86_400;

/// Number of usual distances between two nights from which a distance is a jump of the clock.
const JUMP: i64 = 30;

/// Time as an NPC lives it, up to a moment: a distance between two of its nights that is more than thirty times the usual one
/// (the median, a day at least) is a jump of the clock, and counts as a usual one. A line of next year ages nothing.
///
/// ```
/// use nightfold_consolidate::LivedTime;
/// use nightfold_memory::GameTime;
///
/// let days = |days: &[i64]| days.iter().map(|day| GameTime::from_seconds(day * 86_400).unwrap()).collect::<Vec<_>>();
/// let [start, now] = [days(&[1])[0], days(&[365])[0]];
/// assert_eq!(LivedTime::between(days(&[1, 2, 3, 4, 365]), now).days_since(start), 4.0);
/// assert_eq!(LivedTime::at(now).days_since(start), 364.0);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LivedTime {
    now: GameTime,
    /// Moments of nights in seconds, in order, each with what is not counted before it.
    nights: Vec<(i64, i64)>,
}

impl LivedTime {
    /// Returns the time up to a moment, all of which counts.
    pub fn at(now: GameTime) -> Self {
        Self { now, nights: Vec::new() }
    }

    /// Returns the time up to a moment of an NPC with nights at these moments, in any order. What lies after the last
    /// night counts in full.
    pub fn between(nights: impl IntoIterator<Item = GameTime>, now: GameTime) -> Self {
        let of_kind = nights.into_iter().filter(|at| at.is_date() == now.is_date());
        let mut moments: Vec<i64> = of_kind.map(GameTime::seconds).collect();
        moments.sort_unstable();
        moments.dedup();
        let distances: Vec<i64> = moments.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mut sorted = distances.clone();
        sorted.sort_unstable();
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
        let usual = median.max(DAY_SECONDS);
        let mut not_counted = 0;
        let rest = moments.iter().skip(1).zip(distances).map(|(&moment, distance)| {
            not_counted += if distance > JUMP * usual { distance - usual } else { 0 };
            (moment, not_counted)
        });
        let nights = moments.first().map(|&first| (first, 0)).into_iter().chain(rest).collect();
        Self { now, nights }
    }

    /// Returns the moment up to which it is counted.
    pub fn now(&self) -> GameTime {
        self.now
    }

    /// Returns the number of days that were lived since a moment; 0 for one that is still to come.
    pub fn days_since(&self, at: GameTime) -> f64 {
        self.seconds_since(at) as f64 / DAY_SECONDS as f64
    }

    /// Returns the moment that lies as far back by the calendar as this one does in time that was lived.
    pub(crate) fn as_lived(&self, at: GameTime) -> GameTime {
        let not_counted = self.now.seconds() - self.seconds_since(at) - at.seconds();
        GameTime::from_number(at.to_number() + 2 * not_counted.max(0)).unwrap_or(at)
    }

    fn seconds_since(&self, at: GameTime) -> i64 {
        let not_counted = |moment: i64| {
            let next = self.nights.partition_point(|&(night, _)| night <= moment);
            // Of a jump the time after the night before it is counted.
            let before = next.checked_sub(1).map_or((moment, 0), |last| self.nights[last]);
            let within = self.nights.get(next).map_or(0, |&(night, sum)| {
                let counted = night - before.0 - (sum - before.1);
                (moment - before.0 - counted).max(0)
            });
            before.1 + within
        };
        let (from, to) = (at.seconds(), self.now.seconds());
        (to - from - (not_counted(to) - not_counted(from))).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(day: i64) -> GameTime {
        GameTime::from_seconds(day * DAY_SECONDS).unwrap()
    }

    #[test]
    fn distances_count_in_full_and_a_jump_as_a_usual_one() {
        let weekly = LivedTime::between([0, 7, 14, 21, 35].map(day), day(35));
        assert_eq!(weekly.seconds_since(day(0)), 35 * DAY_SECONDS);
        let jumped = LivedTime::between([0, 1, 2, 400, 401].map(day), day(401));
        assert_eq!(jumped.seconds_since(day(2)), 2 * DAY_SECONDS);
        assert_eq!(jumped.seconds_since(day(3)), DAY_SECONDS, "the one day of the jump had passed");
        assert_eq!(jumped.seconds_since(day(300)), DAY_SECONDS);
        assert_eq!(jumped.seconds_since(day(500)), 0);
        assert_eq!(jumped.as_lived(day(2)), day(399));
    }

    #[test]
    fn what_follows_the_last_night_counts() {
        let later = LivedTime::between([0, 1, 2].map(day), day(92));
        assert_eq!(later.seconds_since(day(2)), 90 * DAY_SECONDS);
        assert_eq!(LivedTime::between([], day(9)).seconds_since(day(4)), 5 * DAY_SECONDS);
        assert_eq!(LivedTime::between([0, 90].map(day), day(90)).seconds_since(day(0)), 90 * DAY_SECONDS);
    }
}
