//! Limits on tokens against servers that hang, fail, lie about what they cost, or answer without end. What counts is
//! what the server was sent.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod behaviours;
mod server;
#[path = "../support/mod.rs"]
mod support;

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use nightfold::{
    Sleep,
    english::Packs,
    memory::{RunReport, ValidConfig},
};
use nightfold_language::{
    ChatModel, LanguageJudge, Sampling,
    openai::{ChatClient, EndpointSettings},
};
use nightfold_store::SqliteStore;

use crate::{
    behaviours::BEHAVIOURS,
    server::{Asked, CountingServer, Reaction},
    support::{Toy, config, nightly, town},
};

/// Tokens of one NPC and night.
const NIGHT: usize = 6_000;
/// Tokens of all NPCs of a run.
const RUN: usize = 9_500;

/// Sleeps one night of so many NPCs with this server, for words and for judgements; returns the report of the run and
/// what the server was sent.
fn slept(npcs: usize, config: &ValidConfig, reaction: Option<Reaction>) -> (RunReport, Vec<Asked>) {
    let server = CountingServer::start(reaction);
    let mut settings = EndpointSettings::new(server.base_url(), "tiny");
    settings.try_timeout = Duration::from_millis(120);
    settings.backoff = Duration::ZERO;
    settings.max_answer_bytes = 1 << 17;
    let model = ChatModel::new(ChatClient::new(settings).unwrap(), Sampling::PLAIN);
    let judge = LanguageJudge::new(&model);
    let (toy, store) = (Toy::new(), SqliteStore::in_memory().unwrap());
    let sleep =
        Sleep { language: Some(&model), judge: Some(&judge), ..Sleep::new(config, &Packs, &toy, &store) };
    let outcome = sleep.plan(nightly(town(npcs, 1), config)).unwrap();
    assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
    assert_eq!(outcome.plan.nights.len(), npcs, "the rules finish every night");
    // Kept connections end with the client.
    drop(model);
    (outcome.plan.report, server.finish())
}

fn limited(edit: impl FnOnce(&mut nightfold::memory::Config)) -> ValidConfig {
    config(|c| {
        c.budget.tokens = NIGHT;
        edit(c);
    })
}

/// Asserts that a server was sent no more than the limit, and that the report states all of it.
fn assert_within(limit: usize, name: &str, (report, asked): &(RunReport, Vec<Asked>)) {
    let sent: usize = asked.iter().map(Asked::tokens).sum();
    assert!(sent <= limit, "{name}: {sent} tokens were sent in {} requests of {limit} allowed", asked.len());
    assert!(report.tokens.spent >= sent, "{name}: {sent} were sent and {} reported", report.tokens.spent);
}

#[test]
fn no_server_is_sent_more_than_the_limits_of_the_night_and_of_the_run() {
    assert!(BEHAVIOURS.len() >= 40);
    let (next, repeated) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (night, run) = (limited(|_| {}), limited(|c| c.language.tokens_per_run = RUN as u64));
    // Most of the time is spent waiting.
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some((name, reaction)) = BEHAVIOURS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let alone = slept(1, &night, *reaction);
                    assert_within(NIGHT, name, &alone);
                    assert_eq!(alone.1.is_empty(), reaction.is_none(), "{name}");
                    repeated.fetch_add(usize::from(alone.1.len() > 1), Ordering::Relaxed);
                    assert_within(RUN, name, &slept(4, &run, *reaction));
                }
            });
        }
    });
    assert!(repeated.into_inner() > BEHAVIOURS.len() / 2, "most limits leave room for several requests");
}

#[test]
fn questions_at_the_same_time_share_the_limit_of_the_run() {
    let config = limited(|c| (c.language.tokens_per_run, c.language.in_flight) = (RUN as u64, 16));
    assert_within(RUN, "hangs", &slept(12, &config, Some(|stream, _| server::hang(stream))));
}
