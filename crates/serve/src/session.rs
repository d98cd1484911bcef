//! One open town, and the log of its events.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use axum::http::StatusCode;
use nightfold_town::{Town, TownCommand, TownEvent, TownStatus};
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::{AccessScope, answer::RequestRefused, metrics::Counters};

/// Events behind a stream that stay for its next connection.
const KEPT_BEHIND_STREAM: u64 = 1_000;

/// An open town. Its commands are carried out one after the other.
pub(crate) struct TownSession {
    town: Mutex<Town>,
    log: Mutex<EventLog>,
    /// Number of the last event.
    last: watch::Sender<u64>,
    /// Number of unread events from which no tick is run.
    max_events: usize,
}

/// Events that are not known to be read, by number from 1.
#[derive(Default)]
struct EventLog {
    events: VecDeque<(u64, String)>,
    last: u64,
}

impl TownSession {
    pub(crate) fn new(town: Town, max_events: usize) -> Self {
        Self { town: Mutex::new(town), log: Mutex::default(), last: watch::Sender::new(0), max_events }
    }

    pub(crate) fn status(&self) -> TownStatus {
        let town = self.town.lock().unwrap_or_else(PoisonError::into_inner);
        TownStatus { events: self.log().events.len(), ..town.status() }
    }

    /// Carries commands out, in order, each of which may be refused.
    pub(crate) fn carry_out(
        &self,
        commands: &[&RawValue],
        scope: AccessScope,
        counters: &Counters,
    ) -> Vec<Result<String, RequestRefused>> {
        let mut town = self.town.lock().unwrap_or_else(PoisonError::into_inner);
        let mut carry = |command: &&RawValue| {
            let reply = self.one(&mut town, command.get(), scope);
            let counter = if reply.is_ok() { &counters.commands } else { &counters.refused };
            Counters::add(counter, 1);
            self.take_events(&mut town, counters);
            reply
        };
        commands.iter().map(&mut carry).collect()
    }

    fn one(&self, town: &mut Town, command: &str, scope: AccessScope) -> Result<String, RequestRefused> {
        let command: TownCommand =
            serde_json::from_str(command).map_err(|error| RequestRefused::from(&error.into()))?;
        if scope < AccessScope::Write && !command.only_reads() {
            return Err(RequestRefused::new(StatusCode::FORBIDDEN, "read_only", "this token may read alone"));
        }
        if matches!(command, TownCommand::Tick { .. }) && self.log().events.len() >= self.max_events {
            let message =
                format!("{} events are unread (max_events); read them before the next tick", self.max_events);
            return Err(RequestRefused::new(StatusCode::TOO_MANY_REQUESTS, "events_unread", message));
        }
        let reply = town.carry_out(command).map_err(|error| RequestRefused::from(&error))?;
        serde_json::to_string(&reply).map_err(|error| RequestRefused::from(&error.into()))
    }

    fn take_events(&self, town: &mut Town, counters: &Counters) {
        let mut log = self.log();
        let before = log.last;
        while let Some(event) = town.next_event() {
            if matches!(event, TownEvent::Consolidated { .. }) {
                Counters::add(&counters.nights, 1);
            }
            match serde_json::to_string(&event) {
                Ok(json) => {
                    log.last += 1;
                    let number = log.last;
                    log.events.push_back((number, json));
                }
                Err(error) => tracing::error!(%error, "an event cannot be written as JSON"),
            }
        }
        let last = log.last;
        drop(log);
        if last > before {
            Counters::add(&counters.events, (last - before) as usize);
            self.last.send_replace(last);
        }
    }

    /// Drops the events up to a number, and returns up to `most` of those after it.
    pub(crate) fn events_after(&self, number: u64, most: usize) -> Vec<(u64, String)> {
        let mut log = self.log();
        log.drop_until(number);
        log.events.iter().take(most).cloned().collect()
    }

    /// Returns up to `most` events after a number to a stream, and drops those that it had long ago.
    pub(crate) fn stream_after(&self, number: u64, most: usize) -> Vec<(u64, String)> {
        let mut log = self.log();
        log.drop_until(number.saturating_sub(KEPT_BEHIND_STREAM));
        log.events.iter().filter(|(n, _)| *n > number).take(most).cloned().collect()
    }

    /// Returns a receiver of the number of the last event.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }

    fn log(&self) -> std::sync::MutexGuard<'_, EventLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventLog {
    fn drop_until(&mut self, number: u64) {
        while self.events.front().is_some_and(|(n, _)| *n <= number) {
            self.events.pop_front();
        }
    }
}
