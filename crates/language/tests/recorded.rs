//! Tests of record files: recorded answers are returned again, however the run that recorded them ended.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    error::Error,
    fs,
    path::Path,
    sync::{
        Barrier,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use nightfold_language::{
    ChatFailed, ChatFailure, ChatModel, ChatSaid, Sampling,
    recorded::{RecordError, RecordFile, Recorded, Recorder, TaskKey},
};
use nightfold_memory::{Fault, LanguageError, LanguageModel, LanguageTask, Reply, Request, TaskKind};

mod support;
use support::{DAY, Double, INSIGHT, TWO, failed, said, task, task_of};

fn request(task: &LanguageTask) -> Request<'_> {
    Request { task, faults: &[], tokens: 5_000 }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn answering(
    answer: impl Fn() -> Result<ChatSaid, ChatFailed> + Send + Sync,
) -> Double<impl Fn(&nightfold_language::ChatAsk) -> Result<ChatSaid, ChatFailed> + Send + Sync> {
    Double::new(move |_| answer())
}

/// Comparable form of a result: a replay returns the same.
fn seen(result: &Result<Reply, LanguageError>) -> String {
    match result {
        Ok(reply) => format!("{reply:?}"),
        Err(error) => {
            let source = error.source().map(ToString::to_string);
            format!("{} {} {error} {source:?}", error.kind(), error.tokens())
        }
    }
}

#[test]
fn recorded_night_replays_exactly_without_a_model() {
    let folder = folder();
    let path = folder.path().join("night.jsonl");
    let synthesis = r#"{"text":"I asked Joss, who did not pay: \"14 silver\" – 銀貨."}"#;
    let requests = [
        (TaskKind::Synthesis, &[][..], 5_000, Ok(synthesis)),
        (TWO, &[], 5_000, Ok(INSIGHT)),
        (TWO, &[Fault::Malformed], 5_000, Ok("{\"insights\":[]}")),
        (TaskKind::Connection { first: 1 }, &[], 5_000, Ok("no JSON \u{1b}[2J")),
        (TaskKind::Connection { first: 2 }, &[], 5_000, Err(ChatFailure::Refused)),
        (TaskKind::Reflections { slots: 1 }, &[], 5_000, Err(ChatFailure::CutShort)),
        (TaskKind::Reflections { slots: 9 }, &[], 1_500, Ok(INSIGHT)),
        (TaskKind::Connection { first: 9 }, &[], 0, Ok(INSIGHT)),
    ];
    let task_of = |kind| task(kind, &DAY);
    let mut live = Vec::new();
    for round in 0..2 {
        let file = RecordFile::open(&path).unwrap();
        assert_eq!(file.len(), if round == 0 { 0 } else { 6 });
        let next = std::sync::Mutex::new(None);
        let chat = Double::new(|_| match next.lock().unwrap().take().unwrap() {
            Ok(text) => Ok(said(text, 700, 40)),
            Err(kind) => Err(failed(kind, Some(99), "I would rather not.")),
        });
        let recorder = Recorder::new(ChatModel::new(&chat, Sampling::PLAIN), file);
        for (at, (kind, faults, tokens, outcome)) in requests.iter().enumerate() {
            *next.lock().unwrap() = Some(*outcome);
            let task = task_of(*kind);
            let result = recorder.answer(&Request { task: &task, faults, tokens: *tokens });
            if round == 0 {
                live.push(seen(&result));
            } else {
                assert_eq!(seen(&result), live[at]);
            }
        }
        assert_eq!(chat.asked(), if round == 0 { 6 } else { 0 }, "nothing is paid twice");
    }
    let recorded = Recorded::open(&path).unwrap();
    assert_eq!((recorded.name(), recorded.len()), ("double", 6));
    for ((kind, faults, tokens, _), live) in requests.iter().zip(&live) {
        let task = task_of(*kind);
        let result = recorded.answer(&Request { task: &task, faults, tokens: *tokens });
        assert_eq!(&seen(&result), live);
    }
    assert!(live[6].starts_with("over-budget") && live[7].contains("tokens: 0"), "{live:#?}");
    // Keys change with every word of the prompts, and are not what is reviewed here.
    let text = fs::read_to_string(&path).unwrap();
    let (head, rest) = (r#"{"format":1,"key":""#, 64);
    let shown: Vec<String> = text
        .lines()
        .map(|line| format!("{head}…{}", line.strip_prefix(head).unwrap().get(rest..).unwrap()))
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn unrecorded_task_is_reported_as_unrecorded() {
    let folder = folder();
    let path = folder.path().join("night.jsonl");
    record(&path, "double", &[task(TWO, &DAY)]);
    let recorded = Recorded::open(&path).unwrap();
    for other in [task(TWO, &DAY[..2]), task_of("other", TWO, &DAY), task(TaskKind::Synthesis, &DAY)] {
        assert!(matches!(recorded.answer(&request(&other)), Err(LanguageError::Unrecorded)));
    }
    let known = task(TWO, &DAY);
    let cheap = Request { tokens: 100, ..request(&known) };
    assert!(matches!(recorded.answer(&cheap), Err(LanguageError::OverBudget { .. })));
}

/// Records an answer to each task.
fn record(path: &Path, model: &'static str, tasks: &[LanguageTask]) {
    let mut chat = answering(|| Ok(said(INSIGHT, 700, 40)));
    chat.model = model;
    let recorder = Recorder::new(ChatModel::new(chat, Sampling::PLAIN), RecordFile::open(path).unwrap());
    for task in tasks {
        recorder.answer(&request(task)).unwrap();
    }
}

#[test]
fn recorded_answer_beyond_the_budget_is_over_budget() {
    let folder = folder();
    let path = folder.path().join("night.jsonl");
    let task = task(TWO, &DAY);
    let chat = Double::new(|ask| {
        Ok(ChatSaid {
            completion_tokens: Some(ask.max_tokens as usize),
            prompt_tokens: None,
            text: INSIGHT.into(),
        })
    });
    let recorder = Recorder::new(ChatModel::new(&chat, Sampling::PLAIN), RecordFile::open(&path).unwrap());
    let cost = recorder.answer(&request(&task)).unwrap().tokens;
    let error = recorder.answer(&Request { tokens: cost - 1, ..request(&task) }).unwrap_err();
    assert!(
        matches!(error, LanguageError::OverBudget { needed, left } if needed == cost && left == cost - 1)
    );
    assert_eq!(recorder.answer(&Request { tokens: cost, ..request(&task) }).unwrap().tokens, cost);
    assert_eq!(chat.asked(), 1);
}

#[test]
fn transient_failures_are_not_recorded() {
    let folder = folder();
    let path = folder.path().join("night.jsonl");
    let task = task(TWO, &DAY);
    let chat = answering(|| Err(failed(ChatFailure::Unreachable, Some(3), "gone")));
    let recorder = Recorder::new(ChatModel::new(&chat, Sampling::PLAIN), RecordFile::open(&path).unwrap());
    for _ in 0..2 {
        assert_eq!(recorder.answer(&request(&task)).unwrap_err().kind(), "unreachable");
        let broke = Request { tokens: 0, ..request(&task) };
        assert_eq!(recorder.answer(&broke).unwrap_err().kind(), "over-budget");
    }
    assert_eq!((chat.asked(), recorder.recorded()), (2, 0));
    assert_eq!(fs::read(&path).unwrap(), b"");
}

#[test]
fn answer_is_in_the_file_before_it_is_returned() {
    let folder = folder();
    let path = folder.path().join("night.jsonl");
    let chat = answering(|| Ok(said(INSIGHT, 700, 40)));
    let recorder = Recorder::new(ChatModel::new(chat, Sampling::PLAIN), RecordFile::open(&path).unwrap());
    for n in 1..4 {
        recorder.answer(&request(&task_of(&format!("npc{n}"), TWO, &DAY))).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), n);
    }
}

/// Cut at any byte, a file returns every answer that it contains whole, and accepts new ones.
#[test]
fn file_cut_anywhere_keeps_every_whole_answer() {
    let folder = folder();
    let path = folder.path().join("night.jsonl");
    let tasks: Vec<LanguageTask> = (0..2).map(|n| task_of(&format!("npc{n}"), TWO, &DAY)).collect();
    record(&path, "double", &tasks);
    let whole = fs::read(&path).unwrap();
    for cut in 0..=whole.len() {
        let path = folder.path().join(format!("cut-{cut}.jsonl"));
        fs::write(&path, &whole[..cut]).unwrap();
        let ended = whole[..cut].split(|&b| b == b'\n').count() - 1;
        // A line that lacks its end alone is whole too.
        let lines = ended + usize::from(whole.get(cut) == Some(&b'\n'));
        match Recorded::open(&path) {
            Ok(recorded) => assert_eq!(recorded.len(), lines),
            Err(error) => assert!(lines == 0 && matches!(error, RecordError::NoAnswers { .. }), "{error}"),
        }
        assert_eq!(fs::read(&path).unwrap(), &whole[..cut], "a replay writes nothing");
        assert_eq!(RecordFile::open(&path).unwrap().len(), lines);
        let kept = fs::read(&path).unwrap();
        assert!(whole.starts_with(&kept) && (kept.is_empty() || kept.ends_with(b"\n")), "at {cut}");
        // Recording waits for the disk, so not at each byte.
        let ends = whole[cut.saturating_sub(1)..].iter().take(3).any(|&b| b == b'\n');
        if ends || cut % 16 == 0 {
            record(&path, "double", &tasks);
            assert_eq!(fs::read(&path).unwrap(), whole, "at {cut}");
        }
    }
}

#[test]
fn empty_blocks_after_a_power_cut_are_cut_off() {
    let folder = folder();
    let path = folder.path().join("night.jsonl");
    let task = task(TWO, &DAY);
    record(&path, "double", std::slice::from_ref(&task));
    let whole = fs::read(&path).unwrap();
    for tail in [&[0; 4_096][..], b"{\"form\0\0\0\0", b"{\"format\":1,\"key\":\"0\0\0"] {
        fs::write(&path, [&whole, tail].concat()).unwrap();
        assert_eq!(RecordFile::open(&path).unwrap().len(), 1);
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
}

#[test]
fn any_other_bad_line_is_an_error_and_leaves_the_file_untouched() {
    let folder = folder();
    let path = folder.path().join("night.jsonl");
    record(&path, "double", &[task(TWO, &DAY)]);
    let good = fs::read_to_string(&path).unwrap();
    let edit = |from: &str, to: &str| {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from}");
        bad
    };
    for (bad, words) in [
        ("\n".to_owned(), "no record"),
        ("no record\n".to_owned(), "no record"),
        ("somebody's notes, without a last line end".to_owned(), "no record"),
        (edit("\"format\":1", "\"format\":2"), "format 2"),
        (edit("\"key\":\"", "\"key\":\"x"), "no record"),
        (edit("\"model\"", "\"mode\""), "no record"),
        (edit("\"tokens\":740", "\"tokens\":-1"), "no record"),
        (edit("\"tokens\"", "\"failed\":\"malformed\",\"tokens\""), "either"),
        (edit("\"answers\":[", "\"x\":["), "no record"),
        ("{\"format\":1}\n".to_owned(), "no record"),
        (format!("{}\n", "x".repeat(17 << 20)), "longer"),
        ("x".repeat(17 << 20), "longer"),
    ] {
        for (text, line) in [(bad.clone(), 1), (format!("{good}{bad}"), 2)] {
            fs::write(&path, &text).unwrap();
            for error in [RecordFile::open(&path).unwrap_err(), Recorded::open(&path).unwrap_err()] {
                let said = error.source().unwrap().to_string();
                assert!(
                    matches!(&error, RecordError::Line { line: at, .. } if *at == line),
                    "{error}: {said}"
                );
                assert!(said.contains(words), "{said}");
                assert!(error.to_string().contains(&format!("night.jsonl:{line}:")), "{error}");
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }
}

#[test]
fn file_of_several_models_needs_a_choice() {
    let folder = folder();
    let path = folder.path().join("night.jsonl");
    let task = task(TWO, &DAY);
    let tasks = std::slice::from_ref(&task);
    let error = Recorded::open(&path).unwrap_err();
    assert!(matches!(error, RecordError::Io { doing: "opened", .. }), "{error}");
    fs::write(&path, "").unwrap();
    let error = Recorded::open(&path).unwrap_err();
    assert!(
        matches!(&error, RecordError::NoAnswers { model: None, models, .. } if models.is_empty()),
        "{error}"
    );
    record(&path, "small", tasks);
    record(&path, "large", tasks);
    let error = Recorded::open(&path).unwrap_err();
    assert!(
        matches!(&error, RecordError::SeveralModels { models, .. } if models == &["large", "small"]),
        "{error}"
    );
    assert!(error.to_string().contains("large, small"), "{error}");
    for model in ["large", "small"] {
        let recorded = Recorded::open_for(&path, model).unwrap();
        assert_eq!((recorded.name(), recorded.len()), (model, 1));
        assert_eq!(recorded.answer(&request(&task)).unwrap().tokens, 740);
    }
    let error = Recorded::open_for(&path, "huge").unwrap_err();
    assert!(error.to_string().contains("of huge, only of: large, small"), "{error}");
}

#[test]
fn first_of_two_answers_with_one_key_counts() {
    let folder = folder();
    let path = folder.path().join("night.jsonl");
    let task = task(TWO, &DAY);
    record(&path, "double", std::slice::from_ref(&task));
    let first = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{first}{}", first.replace("I do not trust", "I trust"))).unwrap();
    let reply = Recorded::open(&path).unwrap().answer(&request(&task)).unwrap();
    assert_eq!(reply.answers[0].text, "I do not trust Joss.");
}

#[test]
fn two_runs_cannot_record_to_one_file() {
    let folder = folder();
    let path = folder.path().join("night.jsonl");
    let file = RecordFile::open(&path).unwrap();
    assert!(matches!(RecordFile::open(&path), Err(RecordError::Locked { .. })));
    assert!(matches!(Recorded::open(&path), Err(RecordError::Locked { .. })), "half a line may be in it");
    drop(file);
    record(&path, "double", &[task(TWO, &DAY)]);
    let _reading = Recorded::open(&path).unwrap();
    assert!(Recorded::open(&path).is_ok() && RecordFile::open(&path).is_ok(), "read files are let go of");
}

#[test]
fn concurrent_equal_questions_are_paid_once() {
    const THREADS: usize = 8;
    let folder = folder();
    for round in 0..20 {
        let file = RecordFile::open(folder.path().join(format!("{round}.jsonl"))).unwrap();
        let chat = answering(|| {
            (0..200).for_each(|_| thread::yield_now());
            Ok(said(INSIGHT, 700, 40))
        });
        let recorder = Recorder::new(ChatModel::new(&chat, Sampling::PLAIN), file);
        let barrier = Barrier::new(THREADS);
        thread::scope(|scope| {
            for n in 0..THREADS {
                let (recorder, barrier) = (&recorder, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    // Two tasks, each asked by half of the threads.
                    let task = task_of(["a", "b"][n % 2], TWO, &DAY);
                    let reply = recorder.answer(&request(&task)).unwrap();
                    assert_eq!(reply.tokens, 740);
                });
            }
        });
        assert_eq!((chat.asked(), recorder.recorded()), (2, 2));
    }
}

#[test]
fn waiting_thread_asks_after_a_failure() {
    let folder = folder();
    let calls = AtomicUsize::new(0);
    let chat = Double::new(|_| match calls.fetch_add(1, Ordering::SeqCst) {
        0 => panic!("the first asker dies"),
        1 => Err(failed(ChatFailure::Unreachable, Some(0), "gone")),
        _ => Ok(said(INSIGHT, 700, 40)),
    });
    let file = RecordFile::open(folder.path().join("night.jsonl")).unwrap();
    let recorder = Recorder::new(ChatModel::new(&chat, Sampling::PLAIN), file);
    let task = task(TWO, &DAY);
    let barrier = Barrier::new(4);
    let ask = || {
        barrier.wait();
        recorder.answer(&request(&task)).is_ok()
    };
    let answered: Vec<Option<bool>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().ok()).collect()
    });
    assert_eq!(answered.iter().filter(|a| a.is_none()).count(), 1);
    assert_eq!(answered.iter().filter(|a| **a == Some(false)).count(), 1);
    assert_eq!(answered.iter().filter(|a| **a == Some(true)).count(), 2);
    assert_eq!(calls.load(Ordering::SeqCst), 3);
}

/// Files that were recorded with earlier versions stay readable.
#[test]
fn a_file_of_format_1_is_read() {
    let recorded = Recorded::open("tests/data/record-1.jsonl").unwrap();
    assert_eq!((recorded.name(), recorded.len()), ("double", 6));
    let folder = folder();
    let path = folder.path().join("night.jsonl");
    fs::copy("tests/data/record-1.jsonl", &path).unwrap();
    assert_eq!(RecordFile::open(&path).unwrap().len(), 6);
    assert_eq!(fs::read(&path).unwrap(), fs::read("tests/data/record-1.jsonl").unwrap());
}

#[test]
fn holds_is_true_for_recorded_tasks() {
    let folder = folder();
    let path = folder.path().join("night.jsonl");
    let task = task(TWO, &DAY);
    record(&path, "double", std::slice::from_ref(&task));
    let file = RecordFile::open(&path).unwrap();
    assert!(file.holds(&TaskKey::of("double", &request(&task))));
    assert!(!file.holds(&TaskKey::of("single", &request(&task))));
    assert!(!file.is_empty() && file.path() == path);
}
