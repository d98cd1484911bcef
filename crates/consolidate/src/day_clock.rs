//! Clock of a day: the moment of sleep where nobody gives one, and memories whose times are of another clock.
//!
//! A game may write one time in seconds among dates, or the year 2024 among days of 1204. Such a memory says nothing of
//! when the NPC sleeps, and ages would be counted from it for ever after.

use nightfold_memory::{Fingerprint, GameTime, Memory, MemorySnapshot, ValidConfig};

const SECONDS_A_DAY: i64 = 86_400;

/// Moment of sleep, and how far after it a memory may still lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayClock {
    until: GameTime,
    stray_seconds: i64,
}

impl DayClock {
    /// Returns the clock of a day whose moment of sleep is known.
    pub fn at(until: GameTime, config: &ValidConfig) -> Self {
        Self { until, stray_seconds: config.day.stray_days.saturating_mul(SECONDS_A_DAY) }
    }

    /// Returns the clock that most of these times show, of an NPC who sleeps at the last of its memories; `None` if
    /// there are no times. The NPC's last night counts as one more of them.
    ///
    /// Most times are dates, or most are seconds; of equally many those of the last night's kind count, or else dates.
    /// Among them, what lies more than `day.stray_days` after all earlier ones is of another clock, unless it is the
    /// greater part.
    pub fn of_most(
        memories: impl IntoIterator<Item = GameTime>,
        last_night: Option<GameTime>,
        config: &ValidConfig,
    ) -> Option<Self> {
        let memories: Vec<GameTime> = memories.into_iter().collect();
        let all = || memories.iter().copied().chain(last_night);
        let (dates, times) = (all().filter(|at| at.is_date()).count(), all().count());
        let kind =
            if 2 * dates == times { last_night.is_none_or(GameTime::is_date) } else { 2 * dates > times };
        let mut of_kind: Vec<GameTime> = all().filter(|at| at.is_date() == kind).collect();
        of_kind.sort_unstable();
        let clock = Self::at(*of_kind.first()?, config);
        let is_cut = |&place: &usize| {
            let gap = of_kind[place].seconds() - of_kind[place - 1].seconds();
            gap > clock.stray_seconds && 2 * place >= of_kind.len()
        };
        let end = (1..of_kind.len()).find(is_cut).unwrap_or(of_kind.len());
        let latest = of_kind[end - 1];
        // The last night may be later than the day: days that come late keep their own time.
        let of_day = memories.iter().filter(|at| at.is_date() == kind && **at <= latest).max();
        Some(Self { until: of_day.copied().unwrap_or(latest), ..clock })
    }

    /// Returns the moment of sleep.
    pub fn until(self) -> GameTime {
        self.until
    }

    /// True if a time is of another clock: of another kind than the moment of sleep (seconds among dates, or a date
    /// among seconds), or more than `day.stray_days` after it.
    pub fn is_stray(self, at: GameTime) -> bool {
        at.is_date() != self.until.is_date() || at.seconds() - self.until.seconds() > self.stray_seconds
    }

    /// Moves the memories whose times are of another clock out of a day, and returns them by time and id. One that an
    /// earlier night slept on stays, to be counted as that.
    pub(crate) fn take_strays(self, memories: &mut Vec<Memory>, past: &MemorySnapshot) -> Vec<Memory> {
        let slept_on = |m: &Memory| past.known.get(&m.id) == Some(&Fingerprint::of(&m.text, m.at));
        let is_stray = |memory: &mut Memory| self.is_stray(memory.at) && !slept_on(memory);
        let mut strays: Vec<Memory> = memories.extract_if(.., is_stray).collect();
        strays.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
        strays
    }
}

/// Number of memories of another clock that a note names.
const NAMED: usize = 3;

/// Returns a note on the memories that are set apart.
pub(crate) fn note(strays: &[Memory], config: &ValidConfig) -> String {
    let (opening, it) = match strays.len() {
        1 => ("1 memory was set apart and not slept on: its time is".to_owned(), "it"),
        n => (format!("{n} memories were set apart and not slept on: their times are"), "them"),
    };
    let mut named: Vec<String> =
        strays.iter().take(NAMED).map(|memory| format!("{} at {}", memory.id, memory.at)).collect();
    named.extend((strays.len() > NAMED).then(|| "…".to_owned()));
    format!(
        "{opening} of another clock than the day's, seconds among dates or more than {} days later (day.stray_days): {}; \
         correct {it} in the input and sleep again",
        config.day.stray_days,
        named.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use nightfold_memory::Config;

    use super::*;

    fn times(given: &[&str]) -> Vec<GameTime> {
        given.iter().map(|at| at.parse().unwrap()).collect()
    }

    /// Returns the moment of sleep, and the times of another clock.
    fn clock(given: &[&str], last_night: Option<&str>) -> (String, Vec<String>) {
        let config = ValidConfig::default();
        let last_night = last_night.map(|at| at.parse().unwrap());
        let clock = DayClock::of_most(times(given), last_night, &config).unwrap();
        let strays = times(given).into_iter().filter(|at| clock.is_stray(*at));
        (clock.until().to_string(), strays.map(|at| at.to_string()).collect())
    }

    const EVE: &str = "1204-05-03T21:00:00Z";

    #[test]
    fn seconds_among_dates_and_a_far_year_are_of_another_clock() {
        let day = ["1204-05-03T08:00:00Z", "22200", EVE, "2024-05-03T09:00:00Z", "1204-05-03T12:00:00Z"];
        let strays = vec!["22200".to_owned(), "2024-05-03T09:00:00Z".to_owned()];
        assert_eq!(clock(&day, None), (EVE.to_owned(), strays));
        assert_eq!(clock(&["60", EVE, "120"], None), ("120".to_owned(), vec![EVE.to_owned()]));
    }

    #[test]
    fn late_memories_long_days_and_days_of_several_years_are_of_one_clock() {
        for day in [
            &["1204-05-01T08:00:00Z", EVE][..],
            &["1150-01-01T08:00:00Z", "1204-05-01T08:00:00Z", EVE],
            &["1195-05-03T21:00:00Z", "1198-01-01T00:00:00Z", "1201-01-01T00:00:00Z", EVE],
        ] {
            assert_eq!(clock(day, None), (EVE.to_owned(), Vec::new()), "{day:?}");
        }
    }

    #[test]
    fn lone_memory_far_from_the_last_night_does_not_move_the_clock() {
        let late = "2024-05-03T09:00:00Z";
        assert_eq!(clock(&[late], Some(EVE)), (EVE.to_owned(), vec![late.to_owned()]));
        assert_eq!(clock(&["22200"], Some(EVE)), (EVE.to_owned(), vec!["22200".to_owned()]));
        assert_eq!(clock(&[late, late], Some(EVE)), (late.to_owned(), Vec::new()), "two of one mind do");
        assert_eq!(clock(&[EVE], Some(late)), (EVE.to_owned(), Vec::new()), "a day that comes late");
    }

    #[test]
    fn longest_gap_is_a_setting() {
        let mut config = Config::default();
        config.day.stray_days = 1;
        let config = config.check().unwrap();
        let day = times(&["0", "3600", "200000"]);
        let clock = DayClock::of_most(day, None, &config).unwrap();
        assert_eq!(clock.until().seconds(), 3600);
        assert!(clock.is_stray(GameTime::from_seconds(200_000).unwrap()));
    }
}
