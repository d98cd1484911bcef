//! Batches of a provider: tasks written, results read, the same night replayed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{error::Error, io};

use nightfold_language::{
    ChatModel, Sampling,
    batch::{BatchError, BatchFile, BatchSettings, BatchSummary, WrittenTasks, read_answers, write_tasks},
    most_prompt_tokens,
    recorded::{RecordFile, Recorded, TaskKey},
};
use nightfold_memory::{Fault, LanguageError, LanguageModel, LanguageTask, Request, TaskKind};
use serde_json::{Value, json};

mod support;
use support::{DAY, Double, INSIGHT, TWO, said, task_of};

const MODEL: &str = "gpt-small";

fn request(task: &LanguageTask) -> Request<'_> {
    Request { task, faults: &[], tokens: 5_000 }
}

fn tasks() -> Vec<LanguageTask> {
    let kinds = [TaskKind::Synthesis, TWO, TaskKind::Connection { first: 1 }];
    ["mara", "tom"]
        .iter()
        .flat_map(|npc| kinds.iter().map(move |&kind| task_of(&format!("{npc}-{kind:?}"), kind, &DAY)))
        .collect()
}

/// Writes the two files of a batch.
fn write(tasks: &[LanguageTask]) -> (Vec<Value>, Vec<u8>, WrittenTasks) {
    let (mut out, mut index) = (Vec::new(), Vec::new());
    let settings = BatchSettings::default();
    let written = write_tasks(tasks.iter().map(request), MODEL, &settings, &mut out, &mut index).unwrap();
    assert_eq!(written.bytes, out.len() as u64);
    let lines = String::from_utf8(out).unwrap();
    (lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), index, written)
}

/// Result line in a provider's format.
fn result(task: &Value, content: &str) -> Value {
    let body = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-small-2026-01-01",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content, "refusal": null},
                     "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 700, "completion_tokens": 40, "total_tokens": 740},
    });
    json!({"id": "batch_req_1", "custom_id": task["custom_id"],
           "response": {"status_code": 200, "request_id": "r1", "body": body}, "error": null})
}

/// Tokens that a task counts whose answer states 700 tokens for the question: one token for four bytes sent at least,
/// and the allowed answer.
fn counted(task: &Value) -> usize {
    let body = &task["body"];
    let texts =
        [&body["messages"][0]["content"], &body["messages"][1]["content"]].map(|text| text.as_str().unwrap());
    let schema = body["response_format"]["json_schema"]["schema"].to_string();
    let bytes = texts.iter().map(|text| text.len()).sum::<usize>() + schema.len();
    bytes.div_ceil(4).max(700) + usize::try_from(body["max_tokens"].as_u64().unwrap()).unwrap()
}

fn lines(results: &[Value]) -> Vec<u8> {
    results.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

fn content(task: &Value) -> &'static str {
    match task["body"]["response_format"]["json_schema"]["name"].as_str().unwrap() {
        "synthesis" => r#"{"text":"I asked Joss for the 14 silver, and he did not pay."}"#,
        "reflections" => INSIGHT,
        _ => r#"{"insights":[]}"#,
    }
}

#[test]
fn batch_task_equals_the_live_question() {
    let all = tasks();
    let (lines, _, written) = write(&all);
    let bounds: usize = all.iter().map(|task| most_prompt_tokens(&request(task))).sum();
    assert_eq!((written.tasks, written.full, written.repeated), (6, false, 0));
    assert!(written.most_tokens > bounds);
    for (task, line) in all.iter().zip(&lines) {
        let chat = Double::new(|_| Ok(said("{}", 1, 1)));
        let _ = ChatModel::new(&chat, Sampling::PLAIN).answer(&request(task));
        let asked = &chat.asked.lock().unwrap()[0];
        let body = json!({
            "model": MODEL,
            "messages": [{"role": "system", "content": asked.system}, {"role": "user", "content": asked.user}],
            "max_tokens": asked.max_tokens, "temperature": 0.0,
            "response_format": {"type": "json_schema", "json_schema":
                {"name": asked.schema.name, "strict": true, "schema": asked.schema.schema}},
        });
        let key = TaskKey::of(MODEL, &request(task)).to_string();
        assert_eq!(
            *line,
            json!({"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": body})
        );
    }
    let text = lines.iter().map(ToString::to_string).collect::<String>();
    assert!(!text.contains("mara") && !text.contains("tom-"), "real ids stay here");
}

#[test]
fn batch_answers_replay_like_live_answers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("night.jsonl");
    let all = tasks();
    let (lines_out, index, _) = write(&all);
    let mut results: Vec<Value> = lines_out.iter().map(|task| result(task, content(task))).collect();
    results.reverse();
    let mut record = RecordFile::open(&path).unwrap();
    let summary = read_answers(lines(&results).as_slice(), index.as_slice(), &mut record).unwrap();
    assert_eq!(
        summary,
        BatchSummary { answered: 6, tokens: lines_out.iter().map(counted).sum(), ..BatchSummary::default() }
    );
    // Again: nothing changes.
    let again = read_answers(lines(&results).as_slice(), index.as_slice(), &mut record).unwrap();
    assert_eq!(again, BatchSummary { repeated: 6, ..BatchSummary::default() });
    drop(record);

    let recorded = Recorded::open(&path).unwrap();
    assert_eq!((recorded.name(), recorded.len()), (MODEL, 6));
    for (task, line) in all.iter().zip(&lines_out) {
        let chat = Double::new(|_| Ok(said(content(line), counted(line) - 40, 40)));
        let live = ChatModel::new(chat, Sampling::PLAIN).answer(&request(task)).unwrap();
        assert_eq!(recorded.answer(&request(task)).unwrap(), live);
    }
}

#[test]
fn defective_results_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("night.jsonl");
    let all: Vec<LanguageTask> = (0..9).map(|n| task_of(&format!("npc{n}"), TWO, &DAY)).collect();
    let (tasks, index, written) = write(&all);
    let good = |n: usize| result(&tasks[n], INSIGHT);
    let edit = |n: usize, pointer: &str, value: Value| {
        let mut line = good(n);
        *line.pointer_mut(pointer).unwrap() = value;
        line
    };
    let choice = "/response/body/choices/0";
    let mut stranger = good(0);
    stranger["custom_id"] = json!("0".repeat(64));
    let results = [
        good(0),
        good(0),
        stranger,
        edit(0, "/custom_id", json!("task-1")),
        edit(0, "/custom_id", json!(null)),
        json!(["no", "result"]),
        edit(1, &format!("{choice}/finish_reason"), json!("length")),
        edit(2, &format!("{choice}/message/content"), json!("I do not trust Joss.")),
        edit(3, "/response/body", json!({"choices": "none"})),
        edit(4, &format!("{choice}/message/refusal"), json!("I would rather not.")),
        edit(5, "/error", json!({"code": "batch_expired", "message": "too late"})),
        edit(6, "/response/status_code", json!(429)),
        json!({"custom_id": tasks[6]["custom_id"], "response": null, "error": null}),
        edit(7, "/response/body/usage", json!(null)),
    ];
    let mut bytes = lines(&results);
    bytes.extend(b"\n  \n");
    bytes.extend(vec![b'x'; 17 << 20]);
    bytes.push(b'\n');
    // The last line of a download may lack its end.
    bytes.extend(good(5).to_string().into_bytes());
    let mut record = RecordFile::open(&path).unwrap();
    let summary = read_answers(bytes.as_slice(), index.as_slice(), &mut record).unwrap();
    let unsaid = written.most_tokens / 9;
    assert_eq!(
        summary,
        BatchSummary {
            answered: 3,
            malformed: 2,
            cut_short: 1,
            refused: 1,
            failed: 3,
            repeated: 1,
            unknown: 4,
            too_long: 1,
            missing: 2,
            tokens: counted(&tasks[0]) * 5 + unsaid * 2,
        }
    );
    drop(record);

    let recorded = Recorded::open(&path).unwrap();
    let kinds: Vec<&str> = all
        .iter()
        .map(|task| match recorded.answer(&request(task)) {
            Ok(reply) => {
                assert_eq!(reply.answers[0].cites[0], task.sources[0].id);
                "answered"
            }
            Err(error) => error.kind(),
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "answered",
            "cut-short",
            "malformed",
            "malformed",
            "refused",
            "answered",
            "unrecorded",
            "answered",
            "unrecorded"
        ]
    );
}

#[test]
fn line_that_is_no_json_is_an_error_with_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("night.jsonl");
    let (tasks, index, _) = write(&tasks());
    let good = result(&tasks[1], INSIGHT).to_string();
    let mut record = RecordFile::open(&path).unwrap();
    let results = format!("{good}\n{{\"custom_id\":\n");
    let error = read_answers(results.as_bytes(), index.as_slice(), &mut record).unwrap_err();
    assert!(matches!(error, BatchError::Line { file: BatchFile::Results, line: 2, .. }), "{error}");
    assert_eq!(error.to_string(), "line 2 of the batch's results cannot be read");
    assert!(error.source().is_some());
    assert_eq!(record.len(), 1, "what stands before it is recorded");

    let index = String::from_utf8(index).unwrap();
    let format = index.replacen("\"format\":1", "\"format\":2", 1);
    for (index, line) in [(format!("{index}no index\n"), 7), (index.replacen("\"ids\"", "\"id\"", 1), 1)] {
        let error = read_answers(&b""[..], index.as_bytes(), &mut record).unwrap_err();
        assert!(
            matches!(error, BatchError::Line { file: BatchFile::Index, line: at, .. } if at == line),
            "{error}"
        );
    }
    let error = read_answers(&b""[..], format.as_bytes(), &mut record).unwrap_err();
    assert!(matches!(error, BatchError::Format { line: 1, found: 2, known: 1 }), "{error}");
}

#[test]
fn needless_and_unaffordable_requests_are_not_written() {
    let poor = task_of("poor", TWO, &DAY);
    let alone = task_of("alone", TWO, &DAY[..1]);
    let twice = task_of("twice", TWO, &DAY);
    let requests = [
        Request { tokens: 100, ..request(&poor) },
        request(&alone),
        request(&twice),
        request(&twice),
        Request { faults: &[Fault::TooLong], ..request(&twice) },
    ];
    let (mut tasks, mut index) = (Vec::new(), Vec::new());
    let written =
        write_tasks(requests.into_iter(), MODEL, &BatchSettings::default(), &mut tasks, &mut index).unwrap();
    assert_eq!((written.tasks, written.repeated, written.over_budget, written.nothing_to_ask), (2, 1, 1, 1));
    assert_eq!(String::from_utf8(index).unwrap().lines().count(), 2);
}

#[test]
fn full_file_leaves_the_rest_for_the_next() {
    let all: Vec<LanguageTask> = (0..5).map(|n| task_of(&format!("npc{n}"), TWO, &DAY)).collect();
    for settings in [
        BatchSettings { max_tasks: 2, ..BatchSettings::default() },
        BatchSettings { max_bytes: 4_000, ..BatchSettings::default() },
    ] {
        let mut requests = all.iter().map(request);
        let mut counts = Vec::new();
        let mut keys = std::collections::BTreeSet::new();
        loop {
            let (mut tasks, mut index) = (Vec::new(), Vec::new());
            let written = write_tasks(&mut requests, MODEL, &settings, &mut tasks, &mut index).unwrap();
            counts.push(written.tasks);
            for line in String::from_utf8(tasks).unwrap().lines() {
                let line: Value = serde_json::from_str(line).unwrap();
                keys.insert(line["custom_id"].as_str().unwrap().to_owned());
            }
            if !written.full {
                break;
            }
        }
        assert_eq!((counts, keys.len()), (vec![2, 2, 1], 5));
    }
}

#[test]
fn a_disk_that_is_full_is_an_error() {
    struct Full;
    impl io::Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let all = tasks();
    let settings = BatchSettings::default();
    let error = write_tasks(all.iter().map(request), MODEL, &settings, Full, Vec::new()).unwrap_err();
    assert!(matches!(error, BatchError::Io { file: BatchFile::Tasks, .. }), "{error}");
    let error = write_tasks(all.iter().map(request), MODEL, &settings, Vec::new(), Full).unwrap_err();
    assert!(matches!(error, BatchError::Io { file: BatchFile::Index, .. }), "{error}");
}

#[test]
fn answer_to_other_prompts_is_not_reused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("night.jsonl");
    let all = tasks();
    let (lines_out, index, _) = write(&all);
    let results: Vec<Value> = lines_out.iter().map(|task| result(task, content(task))).collect();
    let mut record = RecordFile::open(&path).unwrap();
    read_answers(lines(&results).as_slice(), index.as_slice(), &mut record).unwrap();
    drop(record);
    let mut changed = all[1].clone();
    changed.sources[0].text.push('!');
    let error = Recorded::open(&path).unwrap().answer(&request(&changed)).unwrap_err();
    assert!(matches!(error, LanguageError::Unrecorded), "{error}");
}
