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
    running: BTreeMap<Step, Begun>,
    steps: BTreeMap<&'static str, Taken>,
    /// What steps beside the others have had of the processors, which is no part of what goes on beside them.
    beside: Duration,
    /// What the nights of a wave did together.
    shared: Duration,
    /// What each night of a wave took by itself.
    own: Vec<Duration>,
    nights: Vec<Duration>,
}

/// The clocks as a step begins: of the wall, of the processors, and of what was beside.
#[derive(Debug, Clone, Copy)]
struct Begun {
    wall: Instant,
    cpu: Option<Duration>,
    beside: Duration,
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
    fn begins(&self, step: Step) {
        self.see(|seen| {
            let begun = Begun { wall: Instant::now(), cpu: clock(step), beside: seen.beside };
            seen.running.insert(step, begun);
        });
    }

    fn ends(&self, step: Step) {
        self.see(|seen| {
            let Some(begun) = seen.running.remove(&step) else { return };
            let wall = begun.wall.elapsed();
            let cpu = clock(step).zip(begun.cpu).map(|(now, then)| now.saturating_sub(then));
            let taken = seen.steps.entry(step.as_str()).or_default();
            taken.seconds += wall.as_secs_f64();
            if let Some(cpu) = cpu {
                let beside =
                    if is_beside(step) { Duration::ZERO } else { seen.beside.saturating_sub(begun.beside) };
                *taken.cpu_seconds.get_or_insert_default() += cpu.as_secs_f64() - beside.as_secs_f64();
                if is_beside(step) {
                    seen.beside += cpu;
                }
            }
            match step {
                Step::Past | Step::Embed => seen.shared += wall,
                // The last step of a wave: each of its nights took what it did itself, and its share of what they did
                // together.
                Step::Reconcile => seen.wave_is_over(),
                _ => {}
            }
        });
    }

    fn planned(&self, _: &NpcId, own: Duration) {
        self.see(|seen| seen.own.push(own));
    }
}

impl Seen {
    fn wave_is_over(&mut self) {
        let own = std::mem::take(&mut self.own);
        let share = self.shared / u32::try_from(own.len().max(1)).unwrap_or(u32::MAX);
        self.nights.extend(own.into_iter().map(|own| own + share));
        self.shared = Duration::ZERO;
    }
}

/// Whether a step goes on beside the others, on one thread.
fn is_beside(step: Step) -> bool {
    matches!(step, Step::Read | Step::Commit)
}

/// The clock of a step: its own thread's, or that of all.
fn clock(step: Step) -> Option<Duration> {
    if is_beside(step) { cpu_of_this_thread() } else { cpu() }
}

/// The time that all threads of this process have had a processor.
#[cfg(unix)]
pub(super) fn cpu() -> Option<Duration> {
    told(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn cpu_of_this_thread() -> Option<Duration> {
    told(rustix::time::ClockId::ThreadCPUTime)
}

#[cfg(unix)]
fn told(clock: rustix::time::ClockId) -> Option<Duration> {
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
        meter.see(Seen::wave_is_over);
        meter.planned(&npc, own(7));
        meter.see(Seen::wave_is_over);
        assert_eq!(meter.read().1, [own(7), own(11), own(12), own(15)]);
    }
}
