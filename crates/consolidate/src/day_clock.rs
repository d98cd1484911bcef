//! Clock of a day: the moment of sleep where nobody gives one, and memories whose times are of another clock.
//!
//! A game may write one time in seconds among dates, or the year 2024 among days of 1204. Such a memory says nothing of
//! when the NPC sleeps, and ages would be counted from it for ever after.

use nightfold_memory::{Day, Fingerprint, GameTime, Memory, MemorySnapshot, ValidConfig};

const SECONDS_A_DAY: i64 = 86_400;

/// Number of times that memories outnumber later ones, so that their span tells how far the later ones may lie.
const CROWD: usize = 10;
/// Number of their spans, a day at least each, from which the later ones are of another clock.
const SPANS: i64 = 30;

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
    /// Among them, what lies too far after all earlier ones is of another clock, unless it is the greater part: more than
    /// `day.stray_days`, or, of a few after many, more than thirty times the span of those.
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
        let gap = |place: usize| of_kind[place].seconds() - of_kind[place - 1].seconds();
        let bound = |place| stray_seconds(of_kind.split_at(place), config);
        let is_cut = |&place: &usize| gap(place) > bound(place) && 2 * place >= of_kind.len();
        let end = (1..of_kind.len()).find(is_cut).unwrap_or(of_kind.len());
        let latest = *of_kind.get(end.checked_sub(1)?)?;
        // The last night may be later than the day: days that come late keep their own time.
        let of_day = memories.iter().filter(|at| at.is_date() == kind && **at <= latest).max();
        Some(Self { until: of_day.copied().unwrap_or(latest), stray_seconds: bound(end) })
    }

    /// Returns the moment of sleep.
    pub fn until(self) -> GameTime {
        self.until
    }

    /// True if a time is of another clock: of another kind than the moment of sleep (seconds among dates, or a date
    /// among seconds), or too far after it.
    pub fn is_stray(self, at: GameTime) -> bool {
        at.is_date() != self.until.is_date() || at.seconds() - self.until.seconds() > self.stray_seconds
    }

    /// Moves the memories whose times are of another clock out of a day, and returns them by time and id, together with
    /// those that were set apart before. One that an earlier night slept on stays, to be counted as that.
    pub(crate) fn take_strays(self, day: &mut Day, past: &MemorySnapshot) -> Vec<Memory> {
        let slept_on = |m: &Memory| past.known.get(&m.id) == Some(&Fingerprint::of(&m.text, m.at));
        let is_stray = |memory: &mut Memory| self.is_stray(memory.at) && !slept_on(memory);
        let mut strays: Vec<Memory> = day.memories.extract_if(.., is_stray).collect();
        day.memories.extend(day.strays.extract_if(.., |memory| slept_on(memory)));
        strays.append(&mut day.strays);
        strays.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
        strays
    }
}

/// Returns how far after some times others may lie. What a few say that lies far from the many is doubted.
fn stray_seconds((times, later): (&[GameTime], &[GameTime]), config: &ValidConfig) -> i64 {
    let most = config.day.stray_days.saturating_mul(SECONDS_A_DAY);
    match times {
        [first, .., last] if times.len() >= CROWD * later.len().max(1) => {
            (SPANS * (last.seconds() - first.seconds()).max(SECONDS_A_DAY)).min(most)
        }
        _ => most,
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
        "{opening} of another clock than the day's, seconds among dates, far after all others, or more than {} days later \
         (day.stray_days): {}; correct {it} in the input and sleep again",
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
    fn one_line_far_after_many_is_doubted_by_their_own_rhythm() {
        let hours: Vec<String> = (6..21).map(|hour| format!("1204-05-03T{hour:02}:00:00Z")).collect();
        let days: Vec<String> = (1..29).map(|day| format!("1204-05-{day:02}T20:00:00Z")).collect();
        for (many, late, is_stray) in [
            (&hours[..], "1205-05-03T09:00:00Z", true),
            (&hours[..], "1204-05-23T09:00:00Z", false),
            (&hours[..5], "1205-05-03T09:00:00Z", false),
            (&days[..], "1205-05-03T09:00:00Z", false),
            (&days[..], "1212-05-03T09:00:00Z", true),
        ] {
            let times: Vec<&str> = many.iter().map(String::as_str).chain([late]).collect();
            let (until, strays) = clock(&times, None);
            let last = if is_stray { many.last().unwrap() } else { late };
            assert_eq!((until.as_str(), strays.len()), (last, usize::from(is_stray)), "{many:?} {late}");
        }
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
