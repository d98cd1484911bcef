//! Measurement of a run: time of its steps and nights, processor time, and peak memory.

use std::{
    collections::BTreeMap,
    mem,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use nightfold::{Observer, RunStep, memory::NpcId};

/// Observer that measures a run.
#[derive(Debug, Default)]
pub(super) struct Meter(Mutex<Measurements>);

/// Times of a run.
#[derive(Debug, Default)]
pub(super) struct Measurements {
    running: BTreeMap<RunStep, Instant>,
    /// Wall time of each step, over all nights.
    pub(super) steps: BTreeMap<&'static str, Duration>,
    /// Time of the steps that a round of nights, which advance together, shares.
    shared: Duration,
    /// Time of each night of the round by itself.
    own: Vec<Duration>,
    /// Time of each night, with its share of the shared steps.
    pub(super) nights: Vec<Duration>,
}

impl Meter {
    fn see(&self, look: impl FnOnce(&mut Measurements)) {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns what was measured, the nights shortest first.
    pub(super) fn read(self) -> Measurements {
        let mut seen = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        seen.nights.sort_unstable();
        seen
    }
}

impl Observer for Meter {
    fn on_step_begin(&self, step: RunStep) {
        self.see(|seen| _ = seen.running.insert(step, Instant::now()));
    }

    fn on_step_end(&self, step: RunStep) {
        self.see(|seen| {
            let Some(begun) = seen.running.remove(&step) else { return };
            let wall = begun.elapsed();
            *seen.steps.entry(step.as_str()).or_default() += wall;
            match step {
                RunStep::Past | RunStep::Embed => seen.shared += wall,
                // The last step of a round: each of its nights took its own time and its share of the shared steps.
                RunStep::Reconcile => seen.end_round(),
                _ => {}
            }
        });
    }

    fn on_planned(&self, _: &NpcId, own: Duration) {
        self.see(|seen| seen.own.push(own));
    }
}

impl Measurements {
    fn end_round(&mut self) {
        let own = mem::take(&mut self.own);
        let share = mem::take(&mut self.shared) / u32::try_from(own.len().max(1)).unwrap_or(u32::MAX);
        self.nights.extend(own.into_iter().map(|own| own + share));
    }
}

/// Returns the processor time of all threads of this process, if the system reports it.
#[cfg(unix)]
pub(super) fn cpu() -> Option<Duration> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(Duration::new(now.tv_sec.try_into().ok()?, now.tv_nsec.try_into().ok()?))
}

#[cfg(not(unix))]
pub(super) fn cpu() -> Option<Duration> {
    None
}

/// Returns the peak memory of this process, in bytes; only on Linux, from `/proc`.
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
    fn peak_memory_is_read_or_absent() {
        assert_eq!(peak_of("Name:\tx\nVmHWM:\t   86716 kB\nVmRSS:\t1 kB\n"), Some(86_716 * 1024));
        assert_eq!(peak_of("Name:\tx\nVmRSS:\t1 kB\n"), None);
        assert_eq!(peak_of("VmHWM:\t86716 pages\n"), None);
    }

    #[test]
    fn night_duration_includes_its_share_of_shared_steps() {
        let meter = Meter::default();
        let npc: NpcId = "Mara".parse().unwrap();
        let own = |ms| Duration::from_millis(ms);
        meter.see(|seen| seen.shared = own(30));
        [5, 1, 2].iter().for_each(|&ms| meter.on_planned(&npc, own(ms)));
        meter.see(Measurements::end_round);
        meter.on_planned(&npc, own(7));
        meter.see(Measurements::end_round);
        assert_eq!(meter.read().nights, [own(7), own(11), own(12), own(15)]);
    }
}
