//! Token ledger of a whole run. Shares do not depend on which request finishes first.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    thread,
};

use nightfold_memory::ValidConfig;

use crate::catch_panic;

/// Tokens that a run may still spend, and the number of requests at a time.
#[derive(Debug)]
pub(crate) struct RunLedger {
    left: usize,
    spent: usize,
    in_flight: usize,
}

impl RunLedger {
    pub(crate) fn new(config: &ValidConfig) -> Self {
        let language = &config.language;
        let left = usize::try_from(language.tokens_per_run).unwrap_or(usize::MAX);
        Self { left, spent: 0, in_flight: language.in_flight }
    }

    /// Returns the number of tokens that were spent so far, also by nights that failed later.
    pub(crate) fn spent(&self) -> usize {
        self.spent
    }

    /// Calls `work` once for each of `wants`, with at most `language.in_flight` calls at a time, and returns the
    /// results in the order of `wants`.
    ///
    /// `work` gets its position and the tokens granted to it. Before any work starts, tokens are granted in order:
    /// each gets as many as it wants, or as many as are left. Unspent tokens return to the ledger after the call;
    /// overspent tokens are deducted. Work that panics yields its message and is charged all its granted tokens.
    pub(crate) fn distribute<T: Send>(
        &mut self,
        wants: &[usize],
        work: impl Fn(usize, usize) -> T + Sync,
        spent: impl Fn(&T) -> usize,
    ) -> Vec<Result<T, String>> {
        let mut waiting: VecDeque<(usize, usize)> = VecDeque::with_capacity(wants.len());
        for (at, &wanted) in wants.iter().enumerate() {
            let granted = wanted.min(self.left);
            self.left -= granted;
            waiting.push_back((at, granted));
        }
        let granted: usize = waiting.iter().map(|(_, granted)| granted).sum();
        let threads = self.in_flight.min(wants.len());
        let (waiting, done) = (Mutex::new(waiting), Mutex::new(Vec::with_capacity(wants.len())));
        let worker = || {
            loop {
                let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let Some((at, granted)) = next else { return };
                let came_to = catch_panic(|| work(at, granted));
                done.lock().unwrap_or_else(PoisonError::into_inner).push((at, granted, came_to));
            }
        };
        thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(worker)));
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(at, ..)| *at);
        let spent = done.iter().map(|(_, granted, came_to)| came_to.as_ref().map_or(*granted, &spent));
        let spent = spent.fold(0, usize::saturating_add);
        self.left = self.left.saturating_add(granted).saturating_sub(spent);
        self.spent = self.spent.saturating_add(spent);
        done.into_iter().map(|(.., came_to)| came_to).collect()
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::Config;

    use super::*;

    #[test]
    fn grants_follow_the_order_and_unused_tokens_return() {
        for in_flight in [1, 8] {
            let mut config = Config::default();
            (config.language.tokens_per_run, config.language.in_flight) = (100, in_flight);
            let mut ledger = RunLedger::new(&config.check().unwrap());
            let all = |at: usize, granted: usize| (at, granted);
            assert_eq!(
                ledger.distribute(&[40, 50, 60], all, |_| 30),
                [Ok((0, 40)), Ok((1, 50)), Ok((2, 10))]
            );
            assert_eq!(ledger.distribute(&[60], all, |_| 90), [Ok((0, 10))], "three spent 30 each");
            assert_eq!(ledger.distribute(&[60], all, |_| 0), [Ok((0, 0))], "an overrun is gone too");
            assert_eq!(ledger.distribute(&[], all, |_| 0), []);
            assert_eq!(ledger.spent(), 180);
        }
    }

    #[test]
    fn panicking_work_loses_its_grant_and_stops_no_other_work() {
        for in_flight in [1, 8] {
            let mut config = Config::default();
            (config.language.tokens_per_run, config.language.in_flight) = (100, in_flight);
            let mut ledger = RunLedger::new(&config.check().unwrap());
            let second_panics = |at: usize, _| if at == 1 { panic!("no") } else { at };
            let done = ledger.distribute(&[40, 30, 20], second_panics, |_| 0);
            assert_eq!(done, [Ok(0), Err("no".to_owned()), Ok(2)]);
            assert_eq!(ledger.distribute(&[100], |_, granted| granted, |_| 0), [Ok(70)]);
            assert_eq!(ledger.spent(), 30);
        }
    }
}
