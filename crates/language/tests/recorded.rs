//! Tests of record files: recorded answers are returned again, however the run that recorded them ended.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    sync::{
        Barrier,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use nightfold_language::{
    ChatError, ChatErrorKind, ChatModel, ChatReply, ChatRequest, Sampling,
    recorded::{RecordError, Recorded, Recorder},
};
use nightfold_memory::{Fault, LanguageError, LanguageModel, LanguageTask, Reply, Request, TaskKind};

mod support;
use support::{DAY, Double, INSIGHT, TWO, failed, said, task, task_of};

fn request(task: &LanguageTask) -> Request<'_> {
    Request { task, faults: &[], tokens: 5_000 }
}

/// Folder, and the path of a record in it.
fn night() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("night.jsonl");
    (folder, path)
}

fn answering(
    answer: impl Fn() -> Result<ChatReply, ChatError> + Send + Sync,
) -> Double<impl Fn(&ChatRequest) -> Result<ChatReply, ChatError> + Send + Sync> {
    Double::new(move |_| answer())
}

/// Number of answers in a file.
fn answers(path: &Path) -> usize {
    fs::read_to_string(path).unwrap().lines().count()
}

/// Recorder of a model that is not asked.
fn reopened(path: &Path) -> Result<impl LanguageModel, RecordError> {
    Recorder::open(ChatModel::new(answering(|| panic!("it is not asked")), Sampling::PLAIN), path)
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
    let (_folder, path) = night();
    let synthesis = r#"{"text":"I asked Joss, who did not pay: \"14 silver\" – 銀貨."}"#;
    let requests = [
        (TaskKind::Synthesis, &[][..], 5_000, Ok(synthesis)),
        (TWO, &[], 5_000, Ok(INSIGHT)),
        (TWO, &[Fault::Malformed], 5_000, Ok("{\"insights\":[]}")),
        (TaskKind::Connection { first: 1 }, &[], 5_000, Ok("no JSON \u{1b}[2J")),
        (TaskKind::Connection { first: 2 }, &[], 5_000, Err(ChatErrorKind::Refused)),
        (TaskKind::Reflections { slots: 1 }, &[], 5_000, Err(ChatErrorKind::Unreadable)),
        (TaskKind::Reflections { slots: 3 }, &[], 5_000, Ok("")),
        (TaskKind::Reflections { slots: 9 }, &[], 1_500, Ok(INSIGHT)),
        (TaskKind::Connection { first: 9 }, &[], 0, Ok(INSIGHT)),
    ];
    let task_of = |kind| task(kind, &DAY);
    let mut live = Vec::new();
    for round in 0..2 {
        let next = std::sync::Mutex::new(None);
        let chat = Double::new(|_| match next.lock().unwrap().take().unwrap() {
            Ok("") => Ok(ChatReply { finished: false, ..said("{", 99) }),
            Ok(text) => Ok(said(text, 740)),
            Err(kind) => Err(failed(kind, 99, "I would rather not.")),
        });
        let recorder = Recorder::open(ChatModel::new(&chat, Sampling::PLAIN), &path).unwrap();
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
        assert_eq!(chat.asked(), if round == 0 { 7 } else { 0 }, "nothing is paid twice");
    }
    let recorded = Recorded::open(&path, None).unwrap();
    assert_eq!((recorded.name(), answers(&path)), ("double", 7));
    for ((kind, faults, tokens, _), live) in requests.iter().zip(&live) {
        let task = task_of(*kind);
        let result = recorded.answer(&Request { task: &task, faults, tokens: *tokens });
        assert_eq!(&seen(&result), live);
    }
    assert!(live[7].starts_with("over-budget") && live[8].contains("tokens: 0"), "{live:#?}");
    // Keys change with every word of the prompts, and are not what is reviewed here.
    let text = fs::read_to_string(&path).unwrap();
    let (head, rest) = (r#"{"key":""#, 64);
    let shown: Vec<String> = text
        .lines()
        .map(|line| format!("{head}…{}", line.strip_prefix(head).unwrap().get(rest..).unwrap()))
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn unrecorded_task_is_reported_as_unrecorded() {
    let (_folder, path) = night();
    record(&path, "double", &[task(TWO, &DAY)]);
    let recorded = Recorded::open(&path, None).unwrap();
    for other in [task(TWO, &DAY[..2]), task_of("other", TWO, &DAY), task(TaskKind::Synthesis, &DAY)] {
        assert!(matches!(recorded.answer(&request(&other)), Err(LanguageError::Unrecorded)));
    }
    let known = task(TWO, &DAY);
    let cheap = Request { tokens: 100, ..request(&known) };
    assert!(matches!(recorded.answer(&cheap), Err(LanguageError::OverBudget { .. })));
}

/// Records an answer to each task.
fn record(path: &Path, model: &'static str, tasks: &[LanguageTask]) {
    let mut chat = answering(|| Ok(said(INSIGHT, 740)));
    chat.model = model;
    let recorder = Recorder::open(ChatModel::new(chat, Sampling::PLAIN), path).unwrap();
    for task in tasks {
        recorder.answer(&request(task)).unwrap();
    }
}

#[test]
fn recorded_answer_beyond_the_budget_is_over_budget() {
    let (_folder, path) = night();
    let task = task(TWO, &DAY);
    let chat = Double::new(|request| Ok(said(INSIGHT, request.most_tokens())));
    let recorder = Recorder::open(ChatModel::new(&chat, Sampling::PLAIN), &path).unwrap();
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
    let (_folder, path) = night();
    let task = task(TWO, &DAY);
    let chat = answering(|| Err(failed(ChatErrorKind::Unreachable, 3, "gone")));
    let recorder = Recorder::open(ChatModel::new(&chat, Sampling::PLAIN), &path).unwrap();
    for _ in 0..2 {
        assert_eq!(recorder.answer(&request(&task)).unwrap_err().kind(), "unreachable");
        let broke = Request { tokens: 0, ..request(&task) };
        assert_eq!(recorder.answer(&broke).unwrap_err().kind(), "over-budget");
    }
    assert_eq!(chat.asked(), 2);
    assert_eq!(fs::read(&path).unwrap(), b"");
}

#[test]
fn answer_is_in_the_file_before_it_is_returned() {
    let (_folder, path) = night();
    let chat = answering(|| Ok(said(INSIGHT, 740)));
    let recorder = Recorder::open(ChatModel::new(chat, Sampling::PLAIN), &path).unwrap();
    for n in 1..4 {
        recorder.answer(&request(&task_of(&format!("npc{n}"), TWO, &DAY))).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), n);
    }
}

/// Cut at any byte, a file returns every answer that it contains whole, and accepts new ones.
#[test]
fn file_cut_anywhere_keeps_every_whole_answer() {
    let (folder, path) = night();
    let tasks: Vec<LanguageTask> = (0..2).map(|n| task_of(&format!("npc{n}"), TWO, &DAY)).collect();
    record(&path, "double", &tasks);
    let whole = fs::read(&path).unwrap();
    for cut in 0..=whole.len() {
        let path = folder.path().join(format!("cut-{cut}.jsonl"));
        fs::write(&path, &whole[..cut]).unwrap();
        let ended = whole[..cut].split(|&b| b == b'\n').count() - 1;
        // A line that lacks its end alone is whole too.
        let lines = ended + usize::from(whole.get(cut) == Some(&b'\n'));
        match Recorded::open(&path, None) {
            Ok(_) => assert!(lines > 0),
            Err(error) => assert!(lines == 0 && matches!(error, RecordError::NoAnswers { .. }), "{error}"),
        }
        assert_eq!(fs::read(&path).unwrap(), &whole[..cut], "a replay writes nothing");
        drop(reopened(&path).unwrap());
        assert_eq!(answers(&path), lines);
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
    let (_folder, path) = night();
    let task = task(TWO, &DAY);
    record(&path, "double", std::slice::from_ref(&task));
    let whole = fs::read(&path).unwrap();
    for tail in [&[0; 4_096][..], b"{\"ke\0\0\0\0", b"{\"key\":\"0\0\0"] {
        fs::write(&path, [&whole, tail].concat()).unwrap();
        drop(reopened(&path).unwrap());
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
}

#[test]
fn any_other_bad_line_is_an_error_and_leaves_the_file_untouched() {
    let (_folder, path) = night();
    record(&path, "double", &[task(TWO, &DAY)]);
    let good = fs::read_to_string(&path).unwrap();
    let edit = |from: &str, to: &str| {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from}");
        bad
    };
    for bad in [
        "\n".to_owned(),
        "no record\n".to_owned(),
        "somebody's notes, without a last line end".to_owned(),
        "{\"key\":\"\"}\n".to_owned(),
        edit("{\"key\"", "{\"format\":2,\"key\""),
        edit("\"model\"", "\"mode\""),
        edit("\"tokens\":740", "\"tokens\":-1"),
        edit("\"answered\"", "\"unheard-of\""),
        edit("\"answers\":[", "\"x\":["),
        format!("{}\n", "x".repeat(17 << 20)),
        "x".repeat(17 << 20),
    ] {
        for (text, line) in
            [(bad.clone(), 1), (format!("{good}{bad}"), 2), (format!("{good}{bad}\n{good}"), 2)]
        {
            fs::write(&path, &text).unwrap();
            for error in [reopened(&path).err().unwrap(), Recorded::open(&path, None).unwrap_err()] {
                let at = matches!(&error, RecordError::Line { line: at, .. } | RecordError::LongLine { line: at, .. } if *at == line);
                assert!(at && error.to_string().contains(&format!("night.jsonl:{line}:")), "{error}");
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }
}

#[test]
fn file_of_several_models_needs_a_choice() {
    let (_folder, path) = night();
    let task = task(TWO, &DAY);
    let tasks = std::slice::from_ref(&task);
    let error = Recorded::open(&path, None).unwrap_err();
    assert!(matches!(error, RecordError::Io { doing: "opened", .. }), "{error}");
    fs::write(&path, "").unwrap();
    let error = Recorded::open(&path, None).unwrap_err();
    assert!(
        matches!(&error, RecordError::NoAnswers { model: None, models, .. } if models.is_empty()),
        "{error}"
    );
    record(&path, "small", tasks);
    record(&path, "large", tasks);
    let error = Recorded::open(&path, None).unwrap_err();
    assert!(
        matches!(&error, RecordError::SeveralModels { models, .. } if models == &["large", "small"]),
        "{error}"
    );
    assert!(error.to_string().contains("large, small"), "{error}");
    for model in ["large", "small"] {
        let recorded = Recorded::open(&path, Some(model)).unwrap();
        assert_eq!(recorded.name(), model);
        assert_eq!(recorded.answer(&request(&task)).unwrap().tokens, 740);
    }
    let error = Recorded::open(&path, Some("huge")).unwrap_err();
    assert!(error.to_string().contains("of huge, only of: large, small"), "{error}");
}

#[test]
fn two_runs_cannot_record_to_one_file() {
    let (_folder, path) = night();
    let recorder = reopened(&path).unwrap();
    assert!(matches!(reopened(&path).err(), Some(RecordError::Locked { .. })));
    drop(recorder);
    record(&path, "double", &[task(TWO, &DAY)]);
    let _reading = Recorded::open(&path, None).unwrap();
    assert!(Recorded::open(&path, None).is_ok() && reopened(&path).is_ok(), "read files are let go of");
}

#[test]
fn concurrent_equal_questions_are_paid_once() {
    const THREADS: usize = 8;
    for _ in 0..20 {
        let (_folder, path) = night();
        let chat = answering(|| {
            (0..200).for_each(|_| thread::yield_now());
            Ok(said(INSIGHT, 740))
        });
        let recorder = Recorder::open(ChatModel::new(&chat, Sampling::PLAIN), &path).unwrap();
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
        assert_eq!((chat.asked(), answers(&path)), (2, 2));
    }
}

#[test]
fn waiting_thread_asks_after_a_failure() {
    let (_folder, path) = night();
    let calls = AtomicUsize::new(0);
    let chat = Double::new(|_| match calls.fetch_add(1, Ordering::SeqCst) {
        0 => panic!("the first asker dies"),
        1 => Err(failed(ChatErrorKind::Unreachable, 0, "gone")),
        _ => Ok(said(INSIGHT, 740)),
    });
    let recorder = Recorder::open(ChatModel::new(&chat, Sampling::PLAIN), path).unwrap();
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
