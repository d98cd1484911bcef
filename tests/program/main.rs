//! Tests of the whole program, on the real model, run as a user runs it.
//!
//! The model is fetched on first need into the user's cache, as it is for users.

mod bad_input;
mod batch;
mod bench;
mod cached;
mod closed_pipes;
mod crash;
mod determinism;
mod diff;
mod distilled;
mod docs;
mod fetching;
mod graph;
mod hygiene;
mod injections;
mod judging;
mod language;
mod languages;
mod maintain;
mod maintenance;
mod mcp;
mod pages;
mod plumbing;
mod profiles;
mod real_days;
mod real_server;
mod recurring;
mod reference;
mod replay;
mod restored;
mod review;
mod rewound;
mod riverbend;
mod saves;
mod settle;
mod slips;
mod streaming;
mod support;
mod themes;
mod together;
mod transfer;
