//! One open town, and the log of its events.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use axum::http::StatusCode;
use nightfold_town::{Town, TownCommand, TownEvent, TownStatus};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::watch;

use crate::{AccessScope, answer::RequestRefused, metrics::Counters};

/// Number of events that stay behind a stream, for its next connection.
const KEPT_BEHIND_STREAM: u64 = 10_000;

/// Largest sum of the replies to one list of commands, in bytes.
const MAX_REPLY_BYTES: usize = 256 << 20;

/// An open town. Its commands are carried out one after the other.
pub(crate) struct TownSession {
    town: Mutex<Town>,
    /// Counts after the last command, which can be read while another is carried out.
    status: Mutex<TownStatus>,
    log: Mutex<EventLog>,
    /// Number of the last event.
    last: watch::Sender<u64>,
    /// Number of unread events from which no tick is run.
    max_events: usize,
}

/// An event with its number, from 1.
#[derive(Clone, Serialize)]
pub(crate) struct NumberedEvent {
    pub(crate) number: u64,
    pub(crate) event: Box<RawValue>,
}

/// Events in order of their numbers.
#[derive(Default)]
struct EventLog {
    events: VecDeque<NumberedEvent>,
    /// Number of the last event.
    last: u64,
    /// Number of the last event that was read, or sent to a stream.
    read: u64,
}

impl TownSession {
    pub(crate) fn new(town: Town, max_events: usize) -> Self {
        let status = Mutex::new(town.status());
        Self {
            town: Mutex::new(town),
            status,
            log: Mutex::default(),
            last: watch::Sender::new(0),
            max_events,
        }
    }

    /// Returns counts of the town after its last command.
    pub(crate) fn status(&self) -> TownStatus {
        let status = *self.status.lock().unwrap_or_else(PoisonError::into_inner);
        TownStatus { events: self.log().unread(), ..status }
    }

    /// Waits until no other request has the town.
    pub(crate) fn turn<'a>(
        &'a self,
        scope: AccessScope,
        counters: &'a Counters,
    ) -> Result<TownTurn<'a>, RequestRefused> {
        let town = self.town.lock().map_err(|_| {
            RequestRefused::unexpected("an internal error has broken the town; close it and open it again")
        })?;
        Ok(TownTurn { session: self, town, scope, counters, bytes: 0 })
    }

    fn carry_out(
        &self,
        town: &mut Town,
        command: &str,
        scope: AccessScope,
    ) -> Result<Box<RawValue>, RequestRefused> {
        let command: TownCommand =
            serde_json::from_str(command).map_err(|error| RequestRefused::from(&error.into()))?;
        if scope < AccessScope::Write && !command.only_reads() {
            return Err(RequestRefused::read_only());
        }
        if matches!(command, TownCommand::Tick { .. }) && self.log().unread() >= self.max_events {
            let message =
                format!("{} events are unread (max_events); read them before the next tick", self.max_events);
            return Err(RequestRefused::new(StatusCode::TOO_MANY_REQUESTS, "events_unread", message));
        }
        let loads = matches!(command, TownCommand::Load { .. });
        let reply = town.carry_out(command).map_err(|error| RequestRefused::from(&error))?;
        if loads {
            // What is unread happened in the town before.
            let mut log = self.log();
            log.events.clear();
            log.read = log.last;
        }
        to_raw_value(&reply).map_err(|error| RequestRefused::from(&error.into()))
    }

    fn take_events(&self, town: &mut Town, counters: &Counters) {
        let mut log = self.log();
        let before = log.last;
        while let Some(event) = town.next_event() {
            if matches!(event, TownEvent::Consolidated { .. }) {
                Counters::add(&counters.nights, 1);
            }
            match to_raw_value(&event) {
                Ok(event) => {
                    log.last += 1;
                    let number = log.last;
                    log.events.push_back(NumberedEvent { number, event });
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

    /// Returns up to `most` events after a number. Whoever may write drops those up to it.
    pub(crate) fn events_after(
        &self,
        number: u64,
        most: usize,
        scope: AccessScope,
    ) -> Result<Vec<NumberedEvent>, RequestRefused> {
        let mut log = self.log();
        if number > log.last {
            let message = format!("the last event is {}; event {number} is of another town", log.last);
            return Err(RequestRefused::new(StatusCode::CONFLICT, "unknown_event", message));
        }
        if scope == AccessScope::Write {
            log.read = log.read.max(number);
            log.drop_until(number);
        }
        Ok(log.after(number, most))
    }

    /// Returns up to `most` events after a number to a stream. If its reader may write, they count as read, and those long
    /// before them are dropped.
    pub(crate) fn stream_after(&self, number: u64, most: usize, scope: AccessScope) -> Vec<NumberedEvent> {
        let mut log = self.log();
        let events = log.after(number, most);
        if scope == AccessScope::Write
            && let Some(sent) = events.last()
        {
            log.read = log.read.max(sent.number);
            let kept = log.read.saturating_sub(KEPT_BEHIND_STREAM);
            log.drop_until(kept);
        }
        events
    }

    /// Returns a receiver of the number of the last event.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }

    fn log(&self) -> MutexGuard<'_, EventLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Turn of a request: until it is dropped, no other one changes the town.
pub(crate) struct TownTurn<'a> {
    session: &'a TownSession,
    town: MutexGuard<'a, Town>,
    scope: AccessScope,
    counters: &'a Counters,
    /// Sum of the replies, in bytes.
    bytes: usize,
}

impl TownTurn<'_> {
    /// Carries one command out and returns its reply.
    pub(crate) fn carry_out(&mut self, command: &RawValue) -> Result<Box<RawValue>, RequestRefused> {
        if self.bytes > MAX_REPLY_BYTES {
            let message =
                format!("the replies to this list have more than {MAX_REPLY_BYTES} bytes; send shorter ones");
            return Err(RequestRefused::new(StatusCode::PAYLOAD_TOO_LARGE, "replies", message));
        }
        let reply = self.session.carry_out(&mut self.town, command.get(), self.scope);
        let counter = if reply.is_ok() { &self.counters.commands } else { &self.counters.refused };
        Counters::add(counter, 1);
        self.bytes += reply.as_ref().map_or(0, |reply| reply.get().len());
        self.session.take_events(&mut self.town, self.counters);
        reply
    }
}

impl Drop for TownTurn<'_> {
    fn drop(&mut self) {
        *self.session.status.lock().unwrap_or_else(PoisonError::into_inner) = self.town.status();
    }
}

impl EventLog {
    fn unread(&self) -> usize {
        (self.last - self.read) as usize
    }

    fn after(&self, number: u64, most: usize) -> Vec<NumberedEvent> {
        self.events.iter().filter(|event| event.number > number).take(most).cloned().collect()
    }

    fn drop_until(&mut self, number: u64) {
        while self.events.front().is_some_and(|event| event.number <= number) {
            self.events.pop_front();
        }
    }
}
