//! A chat as a language model: every answer and every failure, and the limit on cost.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use nightfold_language::{ChatErrorKind, ChatModel, ChatReply, Sampling, most_prompt_tokens};
use nightfold_memory::{Fault, LanguageError, LanguageModel, LanguageTask, MemoryId, Request, TaskKind};
use proptest::prelude::*;

mod support;
use support::{DAY, Double, INSIGHT, TWO, failed, said, task};

fn request(task: &LanguageTask) -> Request<'_> {
    Request { task, faults: &[], tokens: 5_000 }
}

#[test]
fn answer_has_its_ids_and_token_cost() {
    let chat = Double::new(|_| Ok(said(INSIGHT, 740)));
    let task = task(TWO, &DAY);
    let model = ChatModel::new(&chat, Sampling::new(0.5, Some(9)).unwrap());
    let reply = model.answer(&request(&task)).unwrap();
    assert_eq!(reply.tokens, 740);
    let cites: Vec<&str> = reply.answers[0].cites.iter().map(MemoryId::as_str).collect();
    assert_eq!(cites, ["joss-0", "joss-1"]);
    let asked = chat.asked.lock().unwrap();
    assert_eq!((asked[0].temperature, asked[0].seed, asked[0].max_tokens), (0.5, Some(9), 336));
    assert_eq!((asked[0].prompt_tokens, asked[0].budget), (most_prompt_tokens(&request(&task)), 5_000));
    assert_eq!((model.name(), asked[0].schema.name), ("double", "reflections"));
}

#[test]
fn answer_that_counts_more_than_its_request_was_granted_is_refused() {
    let task = task(TWO, &DAY);
    for tokens in [5_001, usize::MAX] {
        let chat = Double::new(move |_| Ok(said(INSIGHT, tokens)));
        let error = ChatModel::new(chat, Sampling::PLAIN).answer(&request(&task)).unwrap_err();
        assert_eq!((error.kind(), error.tokens()), ("refused", tokens));
        assert!(error.to_string().contains("where 5000 were allowed"), "{error}");
    }
}

#[test]
fn every_failure_has_its_kind_and_cost() {
    let task = task(TWO, &DAY);
    let beyond = ChatErrorKind::OverBudget { needed: 9, left: 5 };
    for (kind, name, tokens) in [
        (ChatErrorKind::Unreachable, "unreachable", 12),
        (ChatErrorKind::Refused, "refused", 12),
        (ChatErrorKind::Unreadable, "malformed", 12),
        (beyond, "over-budget", 0),
    ] {
        let chat = Double::new(move |_| Err(failed(kind, tokens, "no\u{1b}[2J\u{202e}\nmore")));
        let error = ChatModel::new(chat, Sampling::PLAIN).answer(&request(&task)).unwrap_err();
        assert_eq!((error.kind(), error.tokens()), (name, tokens), "{kind:?}");
        match &error {
            LanguageError::Refused { reason, .. } => assert_eq!(reason, "no [2J more"),
            LanguageError::Malformed { source, .. } | LanguageError::Unreachable { source, .. } => {
                assert!(source.to_string().starts_with("no"), "the backend's own words are kept");
            }
            LanguageError::OverBudget { needed: 9, left: 5 } => {}
            other => panic!("{other}"),
        }
    }
    let chat = Double::new(|_| Ok(ChatReply { text: "{".to_owned(), finished: false, tokens: 99 }));
    let error = ChatModel::new(chat, Sampling::PLAIN).answer(&request(&task)).unwrap_err();
    assert_eq!((error.kind(), error.tokens()), ("cut-short", 99));

    let long = "no ".repeat(1_000);
    let chat = Double::new(|_| Err(failed(ChatErrorKind::Refused, 0, &long)));
    let error = ChatModel::new(chat, Sampling::PLAIN).answer(&request(&task)).unwrap_err();
    assert!(error.to_string().chars().count() < 400, "{error}");
}

#[test]
fn request_beyond_the_budget_is_not_sent() {
    let chat = Double::new(|_| Ok(said(INSIGHT, 2)));
    let model = ChatModel::new(&chat, Sampling::PLAIN);
    let task = task(TWO, &DAY);
    let bound = most_prompt_tokens(&request(&task));
    let needed = bound + 208;
    for left in [0, 1, bound, needed - 1] {
        let error = model.answer(&Request { task: &task, faults: &[], tokens: left }).unwrap_err();
        assert!(
            matches!(error, LanguageError::OverBudget { needed: n, left: l } if n == needed && l == left),
            "{error}"
        );
    }
    assert_eq!(chat.asked(), 0);
    for (left, max_tokens) in [(needed, 208), (needed + 1, 209), (bound + 336, 336), (usize::MAX, 336)] {
        model.answer(&Request { task: &task, faults: &[], tokens: left }).unwrap();
        assert_eq!(chat.asked.lock().unwrap().last().unwrap().max_tokens, max_tokens);
    }
}

#[test]
fn request_with_nothing_to_ask_costs_nothing() {
    let chat = Double::new(|_| Ok(said(INSIGHT, 2)));
    let model = ChatModel::new(&chat, Sampling::PLAIN);
    for (kind, texts) in
        [(TaskKind::Synthesis, &[][..]), (TWO, &DAY[..1]), (TaskKind::Connection { first: 3 }, &DAY[..])]
    {
        let reply = model.answer(&Request { task: &task(kind, texts), faults: &[], tokens: 0 }).unwrap();
        assert!(reply.answers.is_empty() && reply.tokens == 0);
    }
    assert_eq!(chat.asked(), 0);
}

#[test]
fn a_temperature_out_of_range_is_refused() {
    for temperature in [-0.1, 2.1, f32::NAN, f32::INFINITY] {
        assert!(Sampling::new(temperature, None).is_err(), "{temperature}");
    }
    assert_eq!(Sampling::new(0.0, None).unwrap(), Sampling::default());
}

fn any_kind() -> impl Strategy<Value = TaskKind> {
    prop_oneof![
        Just(TaskKind::Synthesis),
        (0_usize..9).prop_map(|slots| TaskKind::Reflections { slots }),
        (0_usize..5).prop_map(|first| TaskKind::Connection { first }),
    ]
}

proptest! {
    /// Whatever the task and the backend's behaviour within its contract, the request never costs more than
    /// its budget, and every paid token is reported.
    #[test]
    fn budget_is_never_exceeded(
        kind in any_kind(),
        texts in proptest::collection::vec(any::<String>(), 0..6),
        faults in proptest::sample::subsequence(vec![Fault::Malformed, Fault::TooLong, Fault::OneTheme], 0..3),
        tokens in prop_oneof![0_usize..6_000, Just(usize::MAX)],
        share in 0.0..=1.0,
        outcome in 0_usize..7,
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let task = task(kind, &texts);
        let paid = std::sync::Mutex::new(0);
        let chat = Double::new(|request| {
            let tokens = (request.most_tokens() as f64 * share) as usize;
            *paid.lock().unwrap() = tokens;
            let text = ["{\"text\":\"I saw it.\"}", INSIGHT, "no JSON"];
            let kinds = [ChatErrorKind::Unreachable, ChatErrorKind::Refused, ChatErrorKind::Unreadable];
            match outcome {
                0..3 => Ok(said(text[outcome], tokens)),
                3 => Ok(ChatReply { finished: false, ..said("{", tokens) }),
                _ => Err(failed(kinds[outcome - 4], tokens, "why")),
            }
        });
        let request = Request { task: &task, faults: &faults, tokens };
        let said = match ChatModel::new(&chat, Sampling::PLAIN).answer(&request) {
            Ok(reply) => reply.tokens,
            Err(error) => error.tokens(),
        };
        prop_assert!(said <= tokens, "{} of {}", said, tokens);
        prop_assert_eq!(said, *paid.lock().unwrap());
    }
}
