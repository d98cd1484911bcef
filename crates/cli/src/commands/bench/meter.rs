//! Measurement of a run: wall time, processor time, and peak memory.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use nightfold::{Observer, RunStep, memory::NpcId};
use schemars::JsonSchema;
use serde::Serialize;

/// Time that a step took, over all nights.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
pub(super) struct StepTime {
    /// Wall time.
    pub(super) seconds: f64,
    /// Processor time of all threads, if the system reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cpu_seconds: Option<f64>,
}

/// Observer that measures a run.
#[derive(Debug, Default)]
pub(super) struct Meter(Mutex<Measurements>);

#[derive(Debug, Default)]
struct Measurements {
    running: BTreeMap<RunStep, StepStart>,
    steps: BTreeMap<&'static str, StepTime>,
    /// Processor time of concurrent steps, which is not included in the time of the other steps.
    concurrent: Duration,
    /// Time of the steps that a round of nights, which advance together, shares.
    shared: Duration,
    /// Time of each night of the round by itself.
    own: Vec<Duration>,
    nights: Vec<Duration>,
}

/// Clocks at the start of a step: wall time, processor time, and the time of concurrent steps so far.
#[derive(Debug, Clone, Copy)]
struct StepStart {
    wall: Instant,
    cpu: Option<Duration>,
    concurrent: Duration,
}

impl Meter {
    pub(super) fn new() -> Self {
        Self::default()
    }

    fn see(&self, look: impl FnOnce(&mut Measurements)) {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the steps by name, and the time of each night, shortest first.
    pub(super) fn read(self) -> (BTreeMap<&'static str, StepTime>, Vec<Duration>) {
        let Measurements { steps, mut nights, .. } =
            self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        nights.sort_unstable();
        (steps, nights)
    }
}

impl Observer for Meter {
    fn on_step_begin(&self, step: RunStep) {
        self.see(|seen| {
            let begun = StepStart { wall: Instant::now(), cpu: clock(step), concurrent: seen.concurrent };
            seen.running.insert(step, begun);
        });
    }

    fn on_step_end(&self, step: RunStep) {
        self.see(|seen| {
            let Some(begun) = seen.running.remove(&step) else { return };
            let wall = begun.wall.elapsed();
            let cpu = clock(step).zip(begun.cpu).map(|(now, then)| now.saturating_sub(then));
            let taken = seen.steps.entry(step.as_str()).or_default();
            taken.seconds += wall.as_secs_f64();
            if let Some(cpu) = cpu {
                let concurrent = if is_concurrent(step) {
                    Duration::ZERO
                } else {
                    seen.concurrent.saturating_sub(begun.concurrent)
                };
                *taken.cpu_seconds.get_or_insert_default() += cpu.as_secs_f64() - concurrent.as_secs_f64();
                if is_concurrent(step) {
                    seen.concurrent += cpu;
                }
            }
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
        let own = std::mem::take(&mut self.own);
        let share = self.shared / u32::try_from(own.len().max(1)).unwrap_or(u32::MAX);
        self.nights.extend(own.into_iter().map(|own| own + share));
        self.shared = Duration::ZERO;
    }
}

/// True if a step runs concurrently with the other steps, on one thread.
fn is_concurrent(step: RunStep) -> bool {
    matches!(step, RunStep::Read | RunStep::Commit)
}

/// Returns the processor time of a step's own thread, or of all threads.
fn clock(step: RunStep) -> Option<Duration> {
    if is_concurrent(step) { cpu_of_this_thread() } else { cpu() }
}

/// Returns the processor time of all threads of this process.
#[cfg(unix)]
pub(super) fn cpu() -> Option<Duration> {
    read_clock(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn cpu_of_this_thread() -> Option<Duration> {
    read_clock(rustix::time::ClockId::ThreadCPUTime)
}

#[cfg(unix)]
fn read_clock(clock: rustix::time::ClockId) -> Option<Duration> {
    let now = rustix::time::clock_gettime(clock);
    Some(Duration::new(now.tv_sec.try_into().ok()?, now.tv_nsec.try_into().ok()?))
}

#[cfg(not(unix))]
pub(super) fn cpu() -> Option<Duration> {
    None
}

#[cfg(not(unix))]
fn cpu_of_this_thread() -> Option<Duration> {
    None
}

pub(super) fn since(then: Option<Duration>) -> Option<Duration> {
    Some(cpu()?.saturating_sub(then?))
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
        let meter = Meter::new();
        let npc: NpcId = "Mara".parse().unwrap();
        let own = |ms| Duration::from_millis(ms);
        meter.see(|seen| seen.shared = own(30));
        [5, 1, 2].iter().for_each(|&ms| meter.on_planned(&npc, own(ms)));
        meter.see(Measurements::end_round);
        meter.on_planned(&npc, own(7));
        meter.see(Measurements::end_round);
        assert_eq!(meter.read().1, [own(7), own(11), own(12), own(15)]);
    }
}
