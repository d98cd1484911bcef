//! Clocks beside a run: the wall's, the process's, and how much memory it took at most.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use nightfold::{Observer, Step, memory::NpcId};
use serde::Serialize;

/// What a step took, of all nights together.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(super) struct Taken {
    /// On the wall.
    pub(super) seconds: f64,
    /// Of all threads' processors, where the system tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cpu_seconds: Option<f64>,
}

/// Watches a run.
#[derive(Debug, Default)]
pub(super) struct Meter(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    running: Option<(Instant, Option<Duration>)>,
    steps: BTreeMap<&'static str, Taken>,
    /// What the nights of a wave did together.
    shared: Duration,
    /// What each night of a wave took by itself.
    own: Vec<Duration>,
    nights: Vec<Duration>,
}

impl Meter {
    pub(super) fn new() -> Self {
        Self::default()
    }

    fn see(&self, look: impl FnOnce(&mut Seen)) {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// The steps by name, and what each night took, shortest first.
    pub(super) fn read(self) -> (BTreeMap<&'static str, Taken>, Vec<Duration>) {
        let Seen { steps, mut nights, .. } = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        nights.sort_unstable();
        (steps, nights)
    }
}

impl Observer for Meter {
    fn begins(&self, _: Step) {
        self.see(|seen| seen.running = Some((Instant::now(), cpu())));
    }

    fn ends(&self, step: Step) {
        self.see(|seen| {
            let Some((begun, cpu_then)) = seen.running.take() else { return };
            let (wall, cpu) = (begun.elapsed(), since(cpu_then));
            let taken = seen.steps.entry(step.as_str()).or_default();
            taken.seconds += wall.as_secs_f64();
            if let Some(cpu) = cpu {
                *taken.cpu_seconds.get_or_insert_default() += cpu.as_secs_f64();
            }
            if matches!(step, Step::Past | Step::Embed | Step::Commit) {
                seen.shared += wall;
            }
        });
    }

    fn planned(&self, _: &NpcId, own: Duration) {
        self.see(|seen| seen.own.push(own));
    }

    /// A wave is over: each of its nights took what it did itself, and its share of what they did together.
    fn nights(&self, nights: usize) {
        self.see(|seen| {
            let share = seen.shared / u32::try_from(nights.max(1)).unwrap_or(u32::MAX);
            let own = std::mem::take(&mut seen.own);
            seen.nights.extend(own.into_iter().map(|own| own + share));
            seen.shared = Duration::ZERO;
        });
    }
}

/// The time that all threads of this process have had a processor.
#[cfg(unix)]
pub(super) fn cpu() -> Option<Duration> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(Duration::new(now.tv_sec.try_into().ok()?, now.tv_nsec.try_into().ok()?))
}

#[cfg(not(unix))]
pub(super) fn cpu() -> Option<Duration> {
    None
}

pub(super) fn since(then: Option<Duration>) -> Option<Duration> {
    Some(cpu()?.saturating_sub(then?))
}

/// The most memory that this process has held, in bytes; of Linux, which tells it in `/proc`.
pub(super) fn peak_bytes() -> Option<u64> {
    peak_of(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn peak_of(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_or_absent_and_never_made_up() {
        assert_eq!(peak_of("Name:\tx\nVmHWM:\t   86716 kB\nVmRSS:\t1 kB\n"), Some(86_716 * 1024));
        assert_eq!(peak_of("Name:\tx\nVmRSS:\t1 kB\n"), None);
        assert_eq!(peak_of("VmHWM:\t86716 pages\n"), None);
    }

    #[test]
    fn a_night_takes_its_own_steps_and_its_share_of_the_wave() {
        let meter = Meter::new();
        let npc: NpcId = "Mara".parse().unwrap();
        let own = |ms| Duration::from_millis(ms);
        meter.see(|seen| seen.shared = own(30));
        [5, 1, 2].iter().for_each(|&ms| meter.planned(&npc, own(ms)));
        meter.nights(3);
        meter.planned(&npc, own(7));
        meter.nights(1);
        assert_eq!(meter.read().1, [own(7), own(11), own(12), own(15)]);
    }
}
